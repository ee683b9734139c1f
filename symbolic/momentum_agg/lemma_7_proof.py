"""Appendix E.2: Lemma 7, the noise of Algorithm 2, as printed, and its proof line by line.

VAR <= VAR_1 + ... + VAR_5,  E|m^_t - m_t| <= sqrt(d VAR)

Variances are stated in units of alpha^2 sigma^2, where all terms have that factor. bN and bT are log2 N and
log2 T, 1 <= bN <= bT: a run has at least one epoch, and N >= 2.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas.momentum_agg import compose
from dpverify.language.expectations import gaussian_norm
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.full_batches import (
    G,
    L,
    N,
    alpha,
    beta,
    d,
    ell,
    eps,
    eta,
    gamma,
    k,
    q,
    rho,
    size,
)
from dpverify.symbolic.momentum_agg.series import RATIO, WHOLE, partial
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

bN, bT = sp.symbols("bN bT", positive=True)
LOGS = [bN >= 1, bN <= bT]


def right_side_of_lemma_7(eta, size, ell, eps):
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
    bound = right_side_of_lemma_7(sp.Rational(1, 4), sp.Integer(4), sp.Integer(1), sp.Integer(10000)).subs(
        case
    )
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
    count = 8
    r = 3
    epochs = 20
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
        Equal(sp.sqrt(d) * alpha * sigma * lines, right_side_of_lemma_7(eta, size, ell, eps), given=chosen),
    )
