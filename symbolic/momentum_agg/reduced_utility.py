"""Section 4 and Appendix E.2: full batches, the anchors, and the noise of Algorithm 2 (Lemma 7).

VAR <= VAR_1 + ... + VAR_5,  E|m^_t - m_t| <= sqrt(d VAR)
x = sqrt(N/T) = d^(1/3)/(epsilon N)^(2/3) = gamma with the parameters of Theorem 9, so that sqrt(d) = epsilon
N x^(3/2)

Variances are stated in units of alpha^2 sigma^2, where all terms have that factor. bN and bT are log2 N and
log2 T, 1 <= bN <= bT: a run has at least one epoch, and N >= 2.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas.momentum_agg import compose
from dpverify.language.expectations import Noise, gaussian_norm
from dpverify.language.vectors import Vector, norm, norm2, vectors
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.series import RATIO, WHOLE, partial
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED

alpha, gamma, eta, L, G, R, ell, eps = sp.symbols("alpha gamma eta L G R l epsilon", positive=True)
beta, rho, x = sp.symbols("beta rho x", positive=True)  # 1 - gamma, (1-alpha)^N, sqrt(N/T)
N, T, d, t, i, k, q = (
    sp.Symbol(name, integer=True, positive=True) for name in ("N", "T", "d", "t", "i", "k", "q")
)
size = sp.Symbol("T", positive=True)  # T, where it need not be whole
bN, bT = sp.symbols("bN bT", positive=True)
LOGS = [bN >= 1, bN <= bT]
entry = sp.IndexedBase("v", real=True)  # one coordinate of a sequence of vectors


@claim(PAPER, "fb-telescope", at="Section 4, full batch", kind="identity")
def full_gradient_is_a_sum_of_differences():
    """grad F(w_t) = grad F(w_1) + sum_{i=2..t} (grad F(w_i) - grad F(w_{i-1})), in every coordinate."""
    return Equal(entry[t], entry[1] + sp.Sum(entry[i] - entry[i - 1], (i, 2, t)))


@claim(PAPER, "fb-gamma", at="Section 4, full batch with gamma", kind="identity")
def full_gradient_with_a_restart():
    """If g_{t-1} = grad F(w_{t-1}), then (1-gamma)(g_{t-1} + grad F(w_t) - grad F(w_{t-1})) + gamma grad
    F(w_t) is grad F(w_t), in every coordinate.
    """
    before = sp.Symbol("g", real=True)
    derived = (1 - gamma) * (before + entry[t] - entry[t - 1]) + gamma * entry[t]
    return Equal(derived, entry[t], given=[sp.Eq(before, entry[t - 1])])


@claim(PAPER, "sec4-step", at="Section 4, below Eq (3)", kind="inequality")
def iterates_of_one_epoch_are_near():
    """|w_t - w_s| <= eta N for |t - s| <= N: a step of length eta adds at most eta to the distance D, and k
    <= N steps from D = 0 at most eta N.
    """
    w, start, u = vectors("w s u")
    D = sp.IndexedBase("D", nonnegative=True)
    step = ForEvery(AtMost(D[i + 1], D[i] + eta), i, 1, k)
    return AllOf(
        AtMost(norm(w - eta * u - start), norm(w - start) + eta, given=[sp.Eq(norm(u), 1)]),
        Theorem(given=[step, sp.Eq(D[1], 0), k <= N], shows=AtMost(D[k + 1], eta * N)).unroll(
            D[i], sp.Integer(1), eta, (i, 1, k), "k steps"
        ),
    )


@claim(
    PAPER,
    "sec4-iter-dist",
    at="Section 4, motivation",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="sec4-step",
)
def same_sample_in_consecutive_epochs():
    """Two iterates evaluated on the same sample in consecutive epochs are at most eta N apart.

    The case: N = 2, orders (1, 2) and (2, 1), so record 1 is used at t = 1 and t = 4; f(w, x) = w, so that
    all steps go the same way. (Algorithm 2 compares anchors, which are N steps apart.)
    """
    return Instance(
        AtMost(3 * eta, 2 * eta),
        let={"N": "2", "epoch 0": "x_1, x_2", "epoch 1": "x_2, x_1", "f(w, x)": "w"},
        because="up to 2N - 1 steps lie between two uses of a record",
    )


@claim(PAPER, "eq-1-eq-2", at="Section 4, Eqs (1), (2)", kind="identity")
def momentum_is_anchored_part_and_rest():
    """m_t = alpha sum_i (1-alpha)^(t-i) h_i obeys the recursion of the momentum, and is alpha G[1,t] + alpha
    r[1,t], with h the gradients at the iterates and g those at the anchors, in every coordinate; beta =
    1-alpha.
    """
    at_anchor, at_iterate = sp.IndexedBase("g", real=True), sp.IndexedBase("h", real=True)

    def average(term):
        return sp.Sum(beta ** (t - i) * term, (i, 1, t))

    whole = average(at_iterate[i])
    return AllOf(
        Equal(
            (1 - beta) * whole.subs(t, t + 1),
            beta * (1 - beta) * whole + (1 - beta) * at_iterate[t + 1],
        ),
        Equal(
            (1 - beta) * whole,
            (1 - beta) * average(at_anchor[i]) + (1 - beta) * average(at_iterate[i] - at_anchor[i]),
        ),
    )


@claim(PAPER, "sec4-noise", at="Section 4, above Lemma 7", kind="asymptotic")
def noise_is_smaller_than_in_section_3():
    """With gamma = eta N < 1 and T >= N: alpha/epsilon + alpha sqrt(eta T)/epsilon + alpha eta N
    sqrt(T)/(epsilon sqrt N) is at most 3 alpha sqrt(T)/(epsilon sqrt N), the noise of Section 3.
    (lemma-7-corrected has these three terms.)
    """
    before = alpha * sp.sqrt(size) / (eps * sp.sqrt(N))
    terms = [1, sp.sqrt(eta * size), eta * N * sp.sqrt(size) / sp.sqrt(N)]
    given = [eta * N < 1, size >= N]
    return (
        Theorem(given=given, shows=AtMost(alpha / eps * sum(terms), 3 * before))
        .have(AtMost(1, sp.sqrt(size) / sp.sqrt(N)), "T >= N")
        .have(AtMost(sp.sqrt(eta * size), sp.sqrt(size) / sp.sqrt(N)), "eta <= 1/N")
        .have(AtMost(eta * N * sp.sqrt(size) / sp.sqrt(N), sp.sqrt(size) / sp.sqrt(N)), "eta N <= 1")
    )


def _lemma_7(eta, size, ell, eps):
    """The right side of Lemma 7."""
    bits = bT
    return (
        192 * G * alpha * bits * sp.sqrt(d * ell)
        + 128 * (G + 2 * L) * alpha * sp.sqrt(eta * d * size * ell) * bits
        + 16 * eta * L * alpha * bits * sp.sqrt(3 * d * size * N * ell)
    ) / eps


@claim(
    PAPER,
    "lemma-7",
    at="Lemma 7",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-7-corrected",
)
def error_of_the_rebuilt_momentum():
    """If alpha >= 1/N, gamma <= 1/2 (and gamma = eta N): E|m^_t - m_t| is at most 192 G alpha log2 T sqrt(d
    l)/epsilon +
    ..., which vanishes as epsilon grows.

    The case: f(w, x) = x w, records 1 and -1, N = 2, t = T = 4, alpha = gamma = 1/2, eta = 1/4, d = 1, l = 1,
    epsilon = 10000. With probability 1/2 the two epochs have different orders; then the noiseless m^_4
    differs from m_4 by alpha (1-gamma) alpha |x_1 - x_2| = 1/4 (lemma-17), and noise of mean 0 does not
    lessen the mean distance.
    """
    half = sp.Rational(1, 2)
    gap = half * half * (half * 2)
    case = {alpha: half, d: 1, G: 1, L: 1, N: 2, bT: 2}
    bound = _lemma_7(sp.Rational(1, 4), sp.Integer(4), sp.Integer(1), sp.Integer(10000)).subs(case)
    return Instance(
        AtMost(half * gap, bound),
        let={
            "f(w, x)": "x w",
            "N, T, t": "2, 4, 4",
            "records": "1, -1",
            "alpha, gamma, eta": "1/2, 1/2, 1/4",
            "d, G, L": "1",
            "epsilon, delta": "10000, 1/e",
        },
        because="what is rebuilt from epochs of different orders is not m_t, noise or not",
    )


@claim(
    PAPER,
    "l7-text",
    at="Section 4, below Lemma 7",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-7-corrected",
)
def mean_norm_against_the_variance():
    """E|m^_t - m_t| <= sqrt(d) VAR, VAR the variance (the appendix has its root)."""
    v = sp.Rational(1, 4)
    return Instance(
        AtMost(gaussian_norm(sp.sqrt(v), 3), sp.sqrt(3) * v),
        let={"VAR": "1/4", "d": "3", "noise": "N(0, VAR I)"},
        because="a standard deviation below 1 is above its square",
    )


@claim(
    PAPER,
    "l7-eq7",
    at="Lemma 7, proof, Eq (7)",
    kind="inequality",
    uses=["prop-13-power", "prop-13-series", "prop-13-large"],
)
def series_of_an_epoch_is_at_most_two():
    """If 1/N <= alpha <= 1: sum_i (1-alpha)^(i N) <= 1/(1 - 1/e) <= 2."""
    return AllOf(
        Theorem(given=[alpha <= 1, alpha * N >= 1], shows=AtMost(partial(RATIO), WHOLE))
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=N)
        .use("prop-13-series", "a geometric series", r=RATIO, y=alpha * N)
        .use("prop-13-large", "alpha N >= 1", y=alpha * N),
        AtMost(WHOLE, 2),
    )


@claim(
    PAPER,
    "l7-mrec",
    at="Lemma 7, proof, the momentum",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="eq-1-eq-2",
)
def momentum_one_step_late():
    """m_{t+1} = (1-alpha) m_t + alpha grad f(w_t) has m_t = alpha sum_{i<=t} (1-alpha)^(t-i) grad f(w_i)."""
    first, second = sp.symbols("g_1 g_2", real=True)
    return Instance(
        Equal((1 - alpha) * alpha * first + alpha * first, alpha * ((1 - alpha) * first + second)),
        let={"t": "1", "m_1": "alpha g_1"},
        because="the recursion adds grad f(w_t) at t + 1",
    )


@claim(PAPER, "l7-var1", at="Lemma 7, proof, first term", kind="inequality")
def variance_of_the_first_term():
    """p * 2 (1 + log2 r) * 3 log2 N <= 12 log2^2 N for r <= N, N >= 2 and a power p <= 1 of 1-alpha."""
    p, bits = sp.symbols("p br", nonnegative=True)
    return AtMost(p * 2 * (1 + bits) * 3 * bN, 12 * bN**2, given=[bN >= 1, bits <= bN, p <= 1])


@claim(
    PAPER,
    "l7-var2a",
    at="Lemma 7, proof, second term, first inequality",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="l7-var2",
)
def variance_of_the_second_term_as_a_sum_of_squares():
    """VAR_2 <= 4 log2 N sum_i (1-alpha)^(2Ni) (1-gamma)^(2q-2(i+1)), per node. Squares are added where one
    noise has the sum of the weights.

    The case: N = 8, r = 3, q = 20, gamma = 1/2, alpha = 1/8: the nodes of COMPOSE(4, 11) weigh
    (1-alpha)^(11-z).
    """
    count, r, epochs = 8, 3, 20
    stay, half = sp.Rational(7, 8), sp.Rational(1, 2)
    power = stay**count
    nodes = sum(stay ** (2 * (r + count - z)) for _, z in compose(r + 1, r + count))
    weights = [power**m * half ** (epochs - 1 - m) for m in range(epochs)]
    return Instance(
        AtMost(sum(weights) ** 2 * nodes, 4 * 3 * sum(w**2 for w in weights)),
        let={"N, r, q": "8, 3, 20", "alpha, gamma": "1/8, 1/2"},
        because="G[r+1, r+N] is one noisy number, used q times: its weights add before they are squared",
    )


@claim(PAPER, "l7-coefficient", at="Lemma 7, proof, c_q", kind="inequality", standing="ours")
def coefficient_of_a_block_is_at_most_the_series():
    """c_q = sum_{j<q} (1-gamma)^j rho^(q-1-j) <= (1 - rho^q)/(1 - rho): c_1 = 1, c_{k+1} = rho c_k +
    (1-gamma)^k <= rho c_k + 1.
    """
    c = sp.IndexedBase("c", nonnegative=True)
    step = ForEvery(AtMost(c[k + 1], rho * c[k] + 1), k, 1, q)
    added = sp.Sum(rho ** (q - k), (k, 1, q))
    return (
        Theorem(given=[step, sp.Eq(c[1], 1), rho < 1], shows=AtMost((1 - rho) * c[q + 1], 1 - rho ** (q + 1)))
        .unroll(c[k], rho, sp.Integer(1), (k, 1, q), "q steps")
        .have(Equal((1 - rho) * added, 1 - rho**q), "a geometric sum")
        .have(AtMost((1 - rho) * c[q + 1], (1 - rho) * (rho**q + added)), "times 1-rho")
    )


@claim(
    PAPER, "l7-var2", at="Lemma 7, proof, second term", kind="inequality", uses=["l7-coefficient", "l7-eq7"]
)
def variance_of_the_second_term():
    """c_q^2 * 4 log2 N * 3 log2 N <= 12 log2^2 N/(1 - 1/e)^2, as c_q <= 1/(1 - rho) <= 1/(1 - 1/e): by
    Proposition 13, for alpha >= 1/N and any gamma <= 1 (the proof names Proposition 14, which needs more).
    """
    c = sp.Symbol("c", nonnegative=True)
    return Theorem(given=[c <= WHOLE], shows=AtMost(c**2 * 4 * bN * 3 * bN, 12 * bN**2 * WHOLE**2)).have(
        AtMost(c**2, WHOLE**2), "squared"
    )


coefficient = sp.IndexedBase("c", nonnegative=True)


def coefficients(q):
    """c_i = sum_{j<i} (1-gamma)^j rho^(i-1-j) by its recursion, c_1, ..., c_{q+1}; beta = 1-gamma."""
    step = Equal(coefficient[k + 1], rho * coefficient[k] + beta**k)
    return [ForEvery(step, k, 1, q), sp.Eq(coefficient[1], 1)]


@claim(
    PAPER,
    "l7-coefficients",
    at="Lemma 7, proof, third and fourth term",
    kind="inequality",
    standing="ours",
)
def squares_of_the_coefficients():
    """For c_1 = 1, c_{k+1} = rho c_k + beta^k, rho < 1 and beta < 1: sum_{k=1..q} c_k^2 <= u^2/(1-beta^2), u
    = 1/(1-rho): what the paper takes from Corollary 15, but for every alpha >= 1/N.
    """
    c, u = coefficient, 1 / (1 - rho)
    extra = u * beta ** (2 * k)
    squares, later = sp.Sum(c[k] ** 2, (k, 1, q)), sp.Sum(c[k + 1] ** 2, (k, 1, q))
    powers, bound = sp.Sum(beta ** (2 * k), (k, 1, q)), AtMost(c[k + 1] ** 2, rho * c[k] ** 2 + extra)
    convex = AtMost((rho * c[k] + beta**k) ** 2, rho * c[k] ** 2 + extra)
    return (
        Theorem(
            given=[*coefficients(q), rho < 1, beta < 1],
            shows=AtMost((1 - rho) ** 2 * (1 - beta**2) * squares, 1),
        )
        .have(ForEvery(convex, k, 1, q), "a square is convex")
        .have(ForEvery(bound, k, 1, q), "the recursion, squared")
        .sum(bound, (k, 1, q), "every step")
        .have(Equal(later, squares + c[q + 1] ** 2 - c[1] ** 2), "shifted by one")
        .have(Equal(sp.Sum(rho * c[k] ** 2 + extra, (k, 1, q)), rho * squares + u * powers), "term by term")
        .have(AtMost((1 - rho) * squares, 1 + u * powers), "the last square dropped")
        .have(Equal((1 - beta**2) * powers, beta**2 * (1 - beta ** (2 * q))), "a geometric sum")
        .have(AtMost((1 - beta**2) * powers, beta**2), "less than the series")
        .have(
            AtMost((1 - beta**2) * ((1 - rho) * squares), (1 - beta**2) * (1 + u * powers)), "times 1-beta^2"
        )
        .have(AtMost((1 - beta**2) * (1 + u * powers), 1 - beta**2 + u * beta**2), "the powers")
        .have(AtMost(1 - beta**2 + u * beta**2, u), "u >= 1")
    )


@claim(PAPER, "l7-var3", at="Lemma 7, proof, third term", kind="inequality", uses=["l7-coefficients"])
def variance_of_the_third_term():
    """gamma^2 S * 4 log2 N * 4 (T/N) log2 N <= 16 gamma (T/N) log2^2 N/(1 - 1/e)^2 for gamma <= 1: S, the sum
    of c_i^2, is at most 1/((1 - 1/e)^2 gamma (2-gamma)) by l7-coefficients, as 1 - (1-gamma)^2 = gamma
    (2-gamma).
    """
    S = sp.Symbol("S", nonnegative=True)
    return Theorem(
        given=[S * gamma * (2 - gamma) <= WHOLE**2, gamma <= 1],
        shows=AtMost(16 * gamma**2 * S * size / N * bN**2, 16 * gamma * size / N * bN**2 * WHOLE**2),
    ).have(AtMost(S * gamma, WHOLE**2), "2 - gamma >= 1")


@claim(PAPER, "l7-var4", at="Lemma 7, proof, fourth term", kind="inequality", uses=["l7-coefficients"])
def variance_of_the_fourth_term():
    """(1-gamma)^2 S * 4 log2 N * 4 (T/N) log2 N <= 16 (T/(gamma N)) log2^2 N/(1 - 1/e)^2 for gamma <= 1, S as
    in l7-var3.
    """
    S = sp.Symbol("S", nonnegative=True)
    return (
        Theorem(
            given=[S * gamma * (2 - gamma) <= WHOLE**2, gamma <= 1],
            shows=AtMost(
                16 * (1 - gamma) ** 2 * S * size / N * bN**2, 16 * size / (gamma * N) * bN**2 * WHOLE**2
            ),
        )
        .have(AtMost(S * gamma, WHOLE**2), "2 - gamma >= 1")
        .have(AtMost((1 - gamma) ** 2 * S * gamma, WHOLE**2), "(1-gamma)^2 <= 1")
    )


@claim(PAPER, "l7-var5", at="Lemma 7, proof, the rest r", kind="inequality", uses=["prop-18"])
def variance_of_the_rest():
    """J (2 eta N L)^2 * 4 (T/N) log2 N <= 48 T eta^2 N^2 L^2 log2^2 T/N for J <= 1 + log2 T nodes and 2 <= N
    <= T: J <= 3 log2 T (indeed 2 log2 T).
    """
    J = sp.Symbol("J", nonnegative=True)
    unit = size * eta**2 * N**2 * L**2 / N
    return Theorem(given=[J <= 1 + bT, *LOGS], shows=AtMost(J * 16 * unit * bN, 48 * unit * bT**2)).have(
        AtMost(J * bN, 3 * bT**2), "1 + log2 T <= 3 log2 T, log2 N <= log2 T"
    )


@claim(
    PAPER,
    "l7-sum",
    at="Lemma 7, proof, VAR with delta_G and delta_Delta put in",
    kind="numeric constant",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="l7-sum-corrected",
)
def variances_with_their_sensitivities():
    """12 delta_G^2 = 256 G^2 at delta_G = 4 G (and 16 delta_Delta^2 = 1024 (eta N L)^2 at delta_Delta = 2
    eta N L).
    """
    return Equal(12 * (4 * G) ** 2, 256 * G**2)


@claim(
    PAPER,
    "l7-sum-corrected",
    at="Lemma 7, proof, VAR, as an inequality",
    kind="numeric constant",
    standing="ours",
)
def variances_with_their_sensitivities_corrected():
    """12 delta_G^2 = 192 G^2 <= 256 G^2 and 16 delta_Delta^2 = 64 (eta N L)^2 <= 1024 (eta N L)^2."""
    gradients, differences = sp.symbols("delta_G delta_Delta", positive=True)
    return Theorem(
        given=[sp.Eq(gradients, 4 * G), sp.Eq(differences, 2 * eta * N * L)],
        shows=AllOf(
            Equal(12 * gradients**2, 192 * G**2),
            AtMost(12 * gradients**2, 256 * G**2),
            Equal(16 * differences**2, 64 * (eta * N * L) ** 2),
            AtMost(16 * differences**2, 1024 * (eta * N * L) ** 2),
        ),
    )


@claim(PAPER, "l7-sqrt", at="Lemma 7, proof, the root", kind="inequality")
def root_of_the_variance():
    """sqrt(sum of squares) <= sum, 1/(1 - 1/e) <= 2 and log2 N <= log2 T give 48, 32, 64; at gamma = eta N
    and sigma = 4 sqrt(l)/epsilon the bound is that of Lemma 7.
    """
    a, sigma = sp.symbols("a1:6", nonnegative=True), sp.Symbol("sigma", positive=True)
    chosen = [sp.Eq(gamma, eta * N), sp.Eq(sigma, 4 * sp.sqrt(ell) / eps)]
    root = sp.sqrt(eta * size)
    lines = (
        48 * G * bT
        + 32 * G * root * bT
        + 64 * L * root * bT
        + 4 * eta * N * L * bT * sp.sqrt(3 * size) / sp.sqrt(N)
    )
    return AllOf(
        AtMost(sp.sqrt(sum(v**2 for v in a)), sum(a)),
        AtMost(16 * bN + 16 * bN * WHOLE, 48 * bT, given=LOGS),
        AtMost(16 * bN * WHOLE, 32 * bT, given=LOGS),
        AtMost(32 * bN * WHOLE, 64 * bT, given=LOGS),
        Equal(sp.sqrt(gamma) * sp.sqrt(size) / sp.sqrt(N), root, given=chosen),
        Equal(eta * N * sp.sqrt(size) / sp.sqrt(gamma * N), root, given=chosen),
        Equal(sp.sqrt(d) * alpha * sigma * lines, _lemma_7(eta, size, ell, eps), given=chosen),
    )


def deviations(u, v):
    """What the noise is at most, over sqrt(d) alpha sigma log2 T, u = sqrt(eta T), v = eta sqrt(T N): as it
    follows, and as Lemma 7 has it.
    """
    last = 4 * sp.sqrt(3) * L * v
    return 22 * G + (sp.Rational(51, 2) * G + 9 * L) * u + last, 48 * G + 32 * (G + 2 * L) * u + last


@claim(
    PAPER,
    "lemma-7-weights",
    at="Lemma 7, proof, weights of the blocks",
    kind="inequality",
    uses=["l7-coefficient", "l7-coefficients", "scaled-twice"],
    standing="ours",
)
def squared_weights_of_the_blocks():
    """With u = 1/(1-rho): p = rho^q, c = c_q <= (1-p) u (l7-coefficient), S the sum of c_i^2,
    gamma (2-gamma) S <= u^2 (l7-coefficients) and gamma <= 1 have p^2 + c^2 <= u^2, gamma S <= u^2 and 2
    (1-gamma)^2 gamma S <= u^2.
    """
    S, c, p = sp.symbols("S c p", nonnegative=True)
    u = sp.Symbol("u", positive=True)
    given = [S * gamma * (2 - gamma) <= u**2, c <= (1 - p) * u, p <= 1, u >= 1, gamma <= 1]
    return (
        Theorem(
            given=given,
            shows=AllOf(
                AtMost(p**2 + c**2, u**2),
                AtMost(S * gamma, u**2),
                AtMost(2 * (1 - gamma) ** 2 * (S * gamma), u**2),
            ),
        )
        .have(AtMost(c**2, (1 - p) ** 2 * u**2), "squared")
        .have(AtMost(p**2, p**2 * u**2), "u >= 1")
        .have(AtMost(p**2 + (1 - p) ** 2, 1), "p <= 1")
        .have(AtMost(2 * (1 - gamma) ** 2, 2 - gamma), "gamma <= 1")
        .use("scaled-twice", "times S", a=2 * (1 - gamma) ** 2, b=2 - gamma, y=S * gamma, z=S * gamma)
    )


@claim(
    PAPER,
    "lemma-7-sharper",
    at="Lemma 7, for the noise, with the constants that follow",
    kind="inequality",
    uses=["lemma-7-weights", "lemma-7-squares", "l7-eq7", "prop-18", "scaled", "scaled-twice"],
    standing="ours",
)
def noise_of_the_rebuilt_momentum_sharper():
    """For 1/N <= alpha <= 1, gamma = eta N <= 1, 2 <= N <= T the noise n = E|m^_t - E m^_t| in what Algorithm
    2 rebuilds, the mean over the noises, is at most sqrt(d) alpha sigma log2 T (22 G + (51 G/2 + 9 L)
    sqrt(eta T) + 4 sqrt(3) L eta sqrt(T N)), sigma = 4 sqrt(l)/epsilon.

    n <= sqrt(d) alpha sigma s, s^2 the sum of the variances over alpha^2 sigma^2. COMPOSE of a block of N
    steps has at most 2 (1 + log2 N) nodes (Proposition 18), that of 1..t at most J <= 1 + log2 T. With A =
    p^2 + c^2, B = gamma S and C = 2 (1-gamma)^2 gamma S, at most w = 1/(1-rho)^2 <= 1/(1 - 1/e)^2
    (lemma-7-weights, l7-eq7), the first two terms of Eq (3) have A 16 G^2 * 3 log2 N a node, the others
    gamma^2 S 16 G^2 * 4 (T/N) log2 N and (1-gamma)^2 S (2 gamma L)^2 * 4 (T/N) log2 N, and r has (2 gamma
    L)^2 * 4 (T/N) log2 N; u^2 = gamma T/N and v^2 = gamma^2 T/N.
    """
    n, s, w, A, B, C, J = sp.symbols("n s w A B C J", nonnegative=True)
    u, v = sp.symbols("u v", positive=True)
    scale, most = sp.sqrt(d) * alpha * 4 * sp.sqrt(ell) / eps, deviations(u, v)[0] * bT
    nodes = bN * (1 + bN)
    variance = (96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2) * nodes
    given = [*LOGS, A <= w, B <= w, C <= w, w <= WHOLE**2, J <= 1 + bT]
    given += [s**2 <= variance + 16 * J * bN * L**2 * v**2, n <= scale * s]
    sizes = 96 * G**2 + 128 * G**2 * u**2 + 16 * L**2 * u**2
    return (
        Theorem(given=given, shows=AtMost(n, scale * most))
        .have(AtMost(WHOLE**2, sp.Rational(63, 25)), "e/(e - 1)")
        .have(AtMost(w, sp.Rational(63, 25)), "w")
        .have(AtMost(nodes, 2 * bT**2), "1 <= log2 N <= log2 T")
        .have(AtMost(J * bN, 2 * bT**2), "1 + log2 T <= 2 log2 T")
        .have(AtMost(96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2, w * sizes), "A, B, C <= w")
        .use(
            "scaled",
            "times the nodes",
            p=nodes,
            s=96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2,
            b=w * sizes,
        )
        .use("scaled-twice", "the nodes of r", a=J * bN, b=2 * bT**2, y=16 * L**2 * v**2, z=16 * L**2 * v**2)
        .use("scaled-twice", "W times the nodes", a=w, b=sp.Rational(63, 25), y=nodes, z=2 * bT**2)
        .use("lemma-7-squares", "the squares", B=w * nodes, C=bT**2, G=G, L=L, u=u, v=v)
        .have(AtMost(s**2, most**2), "the sum of the variances")
        .have(AtMost(s, most), "the root")
        .use("scaled", "times sqrt(d) alpha sigma", p=scale, s=s, b=most)
    )


@claim(PAPER, "lemma-7-squares", at="Lemma 7, proof, squares", kind="inequality", standing="ours")
def sum_of_variances_is_at_most_a_square():
    """96 G^2 B + 128 G^2 u^2 B + 16 L^2 u^2 B + 32 L^2 v^2 C <= (22 G + (51 G/2 + 9 L) u + 4 sqrt(3) L v)^2 C
    for B <= (126/25) C.
    """
    B, C, u, v = sp.symbols("B C u v", nonnegative=True)
    total = (96 * G**2 + 128 * G**2 * u**2 + 16 * L**2 * u**2) * B
    squares = 484 * G**2 + (sp.Rational(2601, 4) * G**2 + 81 * L**2) * u**2 + 48 * L**2 * v**2
    most = deviations(u, v)[0] ** 2 * C
    return (
        Theorem(given=[25 * B <= 126 * C], shows=AtMost(total + 32 * L**2 * v**2 * C, most))
        .have(AtMost(total + 32 * L**2 * v**2 * C, squares * C), "term by term")
        .have(AtMost(squares * C, most), "a sum of squares is at most the square of the sum")
    )


@claim(
    PAPER,
    "lemma-7-corrected",
    at="Lemma 7, for the noise",
    kind="inequality",
    uses=["l7-sqrt", "l7-coefficient", "l7-coefficients", "lemma-7-weights", "lemma-7-sharper", "scaled"],
    standing="ours",
)
def noise_of_the_rebuilt_momentum():
    """For 1/N <= alpha <= 1, gamma = eta N < 1, 2 <= N <= T and floor(t/N) = q + 1 >= 2 the noise X in what
    Algorithm 2 rebuilds has n = E|X| at most the bound of Lemma 7 (which is E|m^_t - m_t| if all epochs have
    one order). (Earlier there are no blocks: lemma-7-sharper with S = 0.)

    X is a sum of independent Gaussian noises: s_1 is E|.|^2 of those of G[1,r], with rho^(q+1), of
    G[r+1,r+N], with c_{q+1}, and of r over 1..t, at most J <= 1 + log2 T nodes; the block i = 1..q adds alpha
    c_i zeta_i, zeta_i the noise of at most 2 (1 + log2 N) nodes of (1-gamma) Delta + gamma G (Proposition
    18). gamma = 1-beta, rho = (1-alpha)^N <= 1/e (l7-eq7).
    """
    n, J = sp.symbols("n J", nonnegative=True)
    gamma = 1 - beta
    X, square, c = Vector("X"), sp.IndexedBase("s", nonnegative=True), coefficient
    sigma, nodes = 4 * sp.sqrt(ell) / eps, bN * (1 + bN)
    u, v, unit = sp.sqrt(eta * size), eta * sp.sqrt(size * N), d * alpha**2 * sigma**2
    each = nodes * (128 * gamma * G**2 * u**2 + 32 * beta**2 * gamma * L**2 * u**2)
    zeta = Noise("zeta", variance=d * sigma**2 * each, law="Gaussian")
    run = Iterates(square, norm2(X), [X], [X + alpha * c[k] * zeta], [zeta], k, 1, q)
    power, most, S = rho ** (q + 1), 1 / (1 - rho), sp.Sum(c[k] ** 2, (k, 1, q))
    first = 96 * (power**2 + c[q + 1] ** 2) * G**2 * nodes + 16 * J * bN * L**2 * v**2
    start = [square[1] <= unit * first, n <= sp.sqrt(square[q + 1])]
    sizes = [beta < 1, rho <= sp.exp(-1), J <= 1 + bT, *LOGS]
    added = unit * each * c[k] ** 2
    ends = (
        Theorem(
            given=[run, *coefficients(q), *start, *sizes],
            shows=AtMost(n, sp.sqrt(d) * alpha * sigma * deviations(u, v)[1] * bT),
        )
        .have(AtMost(sp.exp(-1), sp.Rational(1, 2)), "e > 2")
        .have(AtMost(rho, sp.Rational(1, 2)), "rho <= 1/e")
        .have(ForEvery(AtMost(beta**k, 1), k, 1, q), "beta < 1")
        .have(ForEvery(AtMost(c[k + 1], rho * c[k] + 1), k, 1, q), "the recursion")
        .descend(run, 1, added, "independent noises")
        .unroll(square[k], sp.Integer(1), added, (k, 1, q), "all blocks")
        .have(Equal(sp.Sum(added, (k, 1, q)), unit * each * S), "the factor comes out")
        .have(AtMost(square[q + 1], unit * (first + each * S)), "added up")
        .use("l7-coefficient", "c_q", rho=rho, q=q)
        .use("l7-coefficients", "the squares", rho=rho, beta=beta, q=q)
        .have(AtMost(c[q + 1], (1 - power) * most), "divided")
        .have(AtMost(S * gamma * (2 - gamma), most**2), "1 - beta^2 = gamma (2-gamma)")
        .use("lemma-7-weights", "the weights", S=S, c=c[q + 1], p=power, u=most, gamma=gamma)
        .have(AtMost(most**2, WHOLE**2), "rho <= 1/e")
        .use(
            "lemma-7-sharper",
            "the constants",
            n=n,
            s=sp.sqrt(square[q + 1] / unit),
            w=most**2,
            A=power**2 + c[q + 1] ** 2,
            B=S * gamma,
            C=2 * beta**2 * (S * gamma),
            J=J,
            u=u,
            v=v,
        )
    )
    return AllOf(
        ends, Equal(sp.sqrt(d) * alpha * sigma * deviations(u, v)[1] * bT, _lemma_7(eta, size, ell, eps))
    )
