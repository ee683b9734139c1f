"""Appendix F: the local steps of BVR-L-SGD, their errors, Propositions F.2 and F.3, Theorem F.4.

x_k = x_{k-1} - eta v_k,   v_k = v_{k-1} + (mean over a batch of b of the differences of gradients) + xi_k
|v_k - grad f(x_{k-1})|^2 grows by a factor 1 + 1/K and by ((K+1) zeta^2 + L^2/b + C_3^2 sigma_3^2 d)
|x_{k-1} - x_{k-2}|^2 a step

Assumption 5.2 is h = f_p - f with a zeta-Lipschitz gradient (prop-f.2-hess). The sequences are expectations:
w2[k] of |v_k - grad f(x_{k-1})|^2 and s2[k] of |x_k - x_{k-1}|^2, in one round.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.language.expectations import E, Noise, sample_mean
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm2, total, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance, Tested
from dpverify.symbolic.diff2 import PAPER, utility
from dpverify.symbolic.diff2.audits import below_their_bounds
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Result

k, m, n, K, b, d, P, R, T, j = (
    sp.Symbol(name, integer=True, positive=True)
    for name in ("k", "m", "n", "K", "b", "d", "P", "R", "T", "j")
)
eta, L, zeta, C_1, C_2, C_3 = sp.symbols("eta L zeta C_1 C_2 C_3", positive=True)
sigma_1, sigma_2, sigma_3 = sp.symbols("sigma_1 sigma_2 sigma_3", nonnegative=True)
w2, s2 = (sp.IndexedBase(name, nonnegative=True) for name in ("w2", "s2"))


@claim(PAPER, "lemma-f.1", at="Lemma F.1", kind="inequality")
def local_descent_with_the_error_of_the_estimate():
    """For an L-smooth f and eta <= 1/(2L), given the past: E f(x_k) <= f(x_{k-1}) - (eta/2)|grad
    f(x_{k-1})|^2 - E|x_k - x_{k-1}|^2/(4 eta) + eta E|v_k - grad f(x_{k-1})|^2, x_k = x_{k-1} - eta v_k,
    whatever the law of v_k = m + nu is (m its mean given the past).
    """
    f, x, mean = Function("f", smooth=L), Vector("x"), Vector("m")
    noise = Noise("nu", variance=sp.Symbol("v", nonnegative=True))
    estimate = mean + noise
    after, slope = x - eta * estimate, f.gradient(x)
    kept = E(norm2(after - x), noise) / (4 * eta)
    bound = f(x) - eta / 2 * norm2(slope) - kept + eta * E(norm2(estimate - slope), noise)
    lemma = f.descent(x, after)
    return Theorem(given=[2 * eta * L <= 1], shows=AtMost(E(f(after), noise), bound)).expect(
        AtMost(lemma.lhs, lemma.rhs), [noise], "the descent lemma"
    )


def line_of_the_descent(error):
    """<grad, x_k - x> + (L/2)|x_k - x|^2 as the third line of the proof has it, with this error."""
    slope, estimate = vectors("g v")
    move = -eta * estimate
    left = inner(slope, move) + L / 2 * norm2(move)
    right = -eta / 2 * norm2(slope) - (1 / (2 * eta) - L / 2) * norm2(move)
    return Equal(left, right + eta / 2 * norm2(error(slope, estimate)))


@claim(
    PAPER,
    "lemma-f.1-line",
    at="Lemma F.1, third line of its proof",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    correction="lemma-f.1-line-corrected",
    standing="misprint",
)
def line_of_the_descent_as_printed():
    """<g, x_k - x> + (L/2)|x_k - x|^2 = -(eta/2)|g|^2 - (1/(2 eta) - L/2)|x_k - x|^2 + (eta/2)|v - eta g|^2,
    x_k = x - eta v. (The last display of the proof has |v - g|^2, which is right.)
    """
    return line_of_the_descent(lambda slope, estimate: estimate - eta * slope)


@claim(
    PAPER,
    "lemma-f.1-line-corrected",
    at="Lemma F.1, third line of its proof, corrected",
    kind="identity",
    standing="ours",
)
def line_of_the_descent_as_meant():
    """The same with (eta/2)|v - g|^2."""
    return line_of_the_descent(lambda slope, estimate: estimate - slope)


def step_error(K, zeta, L, b, noise):
    """2e (K^2 zeta^2 + K L^2/b + K C_3^2 sigma_3^2 d), with `noise` for the product of the last three."""
    return 2 * sp.E * (K**2 * zeta**2 + K * L**2 / b + K * noise)


@claim(
    PAPER,
    "prop-f.2-eta",
    at="Proposition F.2, the condition on eta",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    correction="prop-f.2-eta-corrected",
    standing="misprint",
)
def printed_condition_on_the_step_size():
    """eta <= min{1/(2L), 1/(2 sqrt(2e(K^2 eta^2 + K L^2/b + K C_3^2 sigma_3^2 d)))} makes eta = O(min{1/L,
    1/(K zeta), sqrt b/(sqrt K L), 1/(sqrt K L sigma_3 sqrt d)}). (K^2 eta^2 stands for the K^2 zeta^2 of the
    proof.)

    The path: K = b = j^2, L = zeta = C_3 = d = 1, sigma_3 = 1/j, eta = 1/(10 j), against 1/(K zeta) = 1/j^2.
    """
    size = 1 / (10 * j)
    return Instance(
        BigO(size, sp.S.One / j**2),
        let={"K, b": "j^2", "L, zeta, C_3, d": "1", "sigma_3": "1/j", "eta": "1/(10 j)"},
        meets=[
            AtMost(size, sp.Rational(1, 2)),
            AtMost(4 * size**2 * step_error(j**2, size, 1, j**2, sp.S.One / j**2), 1),
        ],
        because="with eta in the place of zeta, eta may be of the order of 1/sqrt K",
    )


@claim(
    PAPER,
    "prop-f.2-eta-corrected",
    at="Proposition F.2, the condition on eta, corrected",
    kind="asymptotic",
    standing="ours",
)
def condition_on_the_step_size():
    """With p = K zeta, q = sqrt K L/sqrt b, t = sqrt K L sigma_3 sqrt d and C_3 = c L, c >= 1: 1/(2
    sqrt(2e(p^2 + q^2 + c^2 t^2))) is at most 1/p, 1/q and 1/t, and at least 1/(2 sqrt(6e) c M) for every M >=
    p, q, t: the two sides of the Theta (the largest of L, p, q, t is 1 over the printed minimum, and 1/(2L)
    >= 1/(2 M)).
    """
    p, q, t, c, largest = sp.symbols("p q t c M", positive=True)
    square = p**2 + q**2 + c**2 * t**2
    root = sp.sqrt(square)
    step = 1 / (2 * sp.sqrt(2 * sp.E) * root)

    def below(part):
        return (
            Theorem(given=[c >= 1], shows=AtMost(step, 1 / part))
            .have(AtMost(part**2, square), "c >= 1")
            .have(AtMost(part, root), "the root")
            .have(AtMost(1 / root, 1 / part), "inverted")
            .have(AtMost(step, 1 / root), "2 sqrt(2e) >= 1")
        )

    return AllOf(
        below(p),
        below(q),
        below(t),
        Theorem(
            given=[c >= 1, p <= largest, q <= largest, t <= largest],
            shows=AtMost(1 / (2 * sp.sqrt(6 * sp.E) * c * largest), step),
        )
        .have(AtMost(square, 3 * c**2 * largest**2), "each square is at most c^2 M^2")
        .have(AtMost(root, sp.sqrt(3) * c * largest), "the root")
        .have(AtMost(1 / (sp.sqrt(3) * c * largest), 1 / root), "inverted"),
    )


@claim(PAPER, "prop-f.2-hess", at="Proposition F.2, `The second term`", kind="inequality")
def differences_of_similar_functions_are_close():
    """|int_0^1 H(t)(x - y) dt|^2 <= int_0^1 |H(t)(x - y)|^2 dt for H the difference of two Hessians along the
    segment, with every sum of m terms in the place of the integrals; if each |H(t)(x - y)|^2 is at most
    zeta^2
    |x - y|^2, so is the sum over m. (The limit of the sums, the integral, is not written here.)
    """
    v, q, bound = (
        VectorSequence("v"),
        sp.IndexedBase("q", nonnegative=True),
        sp.Symbol("rho", nonnegative=True),
    )
    mean = total(v[k], (k, 1, m)) / m
    each = ForEvery(AtMost(q[k], zeta**2 * bound), k, 1, m)
    return AllOf(
        AtMost(norm2(mean), sp.Sum(norm2(v[k]), (k, 1, m)) / m),
        Theorem(given=[each], shows=AtMost(sp.Sum(q[k], (k, 1, m)) / m, zeta**2 * bound))
        .sum(AtMost(q[k], zeta**2 * bound), (k, 1, m), "each term")
        .have(AtMost(sp.Sum(q[k], (k, 1, m)), m * zeta**2 * bound), "m terms"),
    )


spread = sp.Symbol("s", positive=True)
BATCH = sample_mean("g", mean=Vector("v"), spread=spread, size=b, of=n, replacement=False)


@claim(
    PAPER,
    "prop-f.2-variance",
    at="Proposition F.2, `The third term`, its equality",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="prop-f.2-variance-corrected",
)
def batch_without_replacement_has_the_variance_of_independent_draws():
    """The mean of a batch of b of the n records without replacement (Algorithm 4, line 6) has the variance
    s/b, s that of one record. (True with replacement. At b = n it is 0.)
    """
    return Equal(E(norm2(BATCH - Vector("v")), BATCH), spread / b, given=[n >= 2, b <= n])


@claim(
    PAPER,
    "prop-f.2-variance-corrected",
    at="Proposition F.2, `The third term`, corrected",
    kind="inequality",
    standing="ours",
)
def batch_without_replacement_varies_less():
    """It is (s/b)(n - b)/(n - 1) <= s/b, and s = (1/n) sum_i |a_i|^2 - |mean a|^2 <= (1/n) sum_i |a_i|^2,
    which is at most L^2 |x - y|^2 for the differences a_i of L-smooth losses: the printed end of the line is
    right.
    """
    a = VectorSequence("a")
    variance = E(norm2(BATCH - Vector("v")), BATCH)
    squares = sp.Sum(norm2(a[k]), (k, 1, n)) / n
    return AllOf(
        Equal(variance, spread / b * (n - b) / (n - 1), given=[n >= 2, b <= n]),
        AtMost(spread / b * (n - b) / (n - 1), spread / b, given=[n >= 2, b <= n]),
        AtMost(squares - norm2(total(a[k], (k, 1, n)) / n), squares),
    )


NOISE = C_3**2 * sigma_3**2 * d


@claim(
    PAPER,
    "prop-f.2-recursion",
    at="Proposition F.2, `Hence, we get`",
    kind="inequality",
    uses=["prop-f.2-hess", "prop-f.2-variance-corrected"],
)
def error_of_one_local_step():
    """With e = v_{k-1} - grad f(x_{k-2}), h = f_p - f zeta-smooth, a batch noise of mean 0 and variance L^2
    |x_{k-1} - x_{k-2}|^2/b and the noise xi_k: E|v_k - grad f(x_{k-1})|^2 <= (1 + 1/K)|e|^2 + ((K+1) zeta^2 +
    L^2/b + C_3^2 sigma_3^2 d)|x_{k-1} - x_{k-2}|^2, given the past.
    """
    f, h = Function("f", smooth=L), Function("h", smooth=zeta)
    x, y, error = vectors("x y e")
    batch = Noise("mu", variance=L**2 / b * norm2(x - y))
    noise = Noise("xi", variance=NOISE * norm2(x - y))
    before = f.gradient(y) + error
    local = f.gradient(x) + h.gradient(x) - f.gradient(y) - h.gradient(y)
    estimate = local + batch + before + noise
    grown = (1 + sp.S.One / K) * norm2(error) + ((K + 1) * zeta**2 + L**2 / b + NOISE) * norm2(x - y)
    return AtMost(E(norm2(estimate - f.gradient(x)), batch, noise), grown)


@claim(
    PAPER,
    "prop-f.2-unroll",
    at="Proposition F.2, `Recursively using this inequality`, first line",
    kind="inequality",
    uses=["prop-f.2-recursion"],
    expect=REFUTED,
    breaks="proof",
    correction="prop-f.2-unroll-corrected",
)
def unrolled_error_as_printed():
    """E|v_k - grad f(x_{k-1})|^2 <= (1 + 1/K)^(k-1) E|v_1 - grad f(x_0)|^2 + (K zeta^2 + L^2/b + C_3^2
    sigma_3^2 d) sum over k' = 2..k-1. The term k' = k, the noise of the step itself, is left out.

    The case: K = k = 2, so that the sum is empty; P = n = b = d = 1, f(x) = 8 x, L = C_3 = sigma_3 = 1, zeta
    = 1/100, a first error of variance 1, and eta = 1/10, which meets the condition of Proposition F.2. Then
    E|x_1 - x_0|^2 = (64 + 1)/100, and the second error has the variance 1 + 65/100 against 3/2.
    """
    first, slope2, size = sp.Integer(1), sp.Integer(64), sp.Rational(1, 10)
    moved = size**2 * (slope2 + first)
    allowed = 2 * sp.E * (sp.Rational(2, 100) ** 2 + 2 + 2)
    return Instance(
        AtMost(first + moved, (1 + sp.Rational(1, 2)) * first),
        let={
            "f": "8 x, one record",
            "K, k": "2",
            "L, C_3, sigma_3, d, P, b": "1",
            "zeta": "1/100",
            "eta": "1/10",
            "E|v_1 - f'|^2": "1",
        },
        meets=[AtMost(2 * size, 1), AtMost(4 * size**2 * allowed, 1)],
        because="the second estimate has the noise xi_2 besides that of the first",
    )


@claim(
    PAPER,
    "prop-f.2-unroll-corrected",
    at="Proposition F.2, `Recursively using this inequality`, from the recursion to the last line",
    kind="inequality",
    uses=["prop-f.2-recursion", "prop-f.2-factors"],
    standing="ours",
)
def unrolled_error():
    """If w2[k+1] <= q w2[k] + H s2[k] for k = 1..K, q >= 1, q^m <= e_0 and q^m H <= H_0: w2[m+1] <= e_0 w2[1]
    + H_0 sum_{k <= m} s2[k], m <= K. With prop-f.2-factors, at q = 1 + 1/K and m <= K - 1, it is the last
    line: e_0 = e, H_0 = e (K zeta^2 + L^2/b + C_3^2 sigma_3^2 d).
    """
    q, H, e_0, H_0 = sp.symbols("q H e_0 H_0", positive=True)
    recursion = ForEvery(AtMost(w2[k + 1], q * w2[k] + H * s2[k]), k, 1, K)
    way = sp.Sum(s2[k], (k, 1, m))
    return (
        Theorem(
            given=[recursion, m <= K, q >= 1, q**m <= e_0, q**m * H <= H_0],
            shows=AtMost(w2[m + 1], e_0 * w2[1] + H_0 * way),
        )
        .unroll(w2[k], q, H * s2[k], (k, 1, m), "m steps")
        .sum(AtMost(q ** (m - k) * H * s2[k], q**m * H * s2[k]), (k, 1, m), "q >= 1")
        .have(AtMost(w2[m + 1], q**m * w2[1] + q**m * H * way), "both")
        .have(AtMost(q**m * H * way, H_0 * way), "q^m H <= H_0")
    )


@claim(PAPER, "prop-f.2-factors", at="Proposition F.2, the factors e of the unrolled line", kind="inequality")
def factors_of_the_unrolled_line():
    """For 0 <= m <= K - 1: (1 + 1/K)^m <= e and (1 + 1/K)^m ((K+1) zeta^2 + B) <= e (K zeta^2 + B), whatever
    zeta and B >= 0 are.
    """
    power, rest = sp.Symbol("m", integer=True, nonnegative=True), sp.Symbol("B", nonnegative=True)
    rate = 1 + sp.S.One / K
    grown = rate**power
    return (
        Theorem(
            given=[power <= K - 1],
            shows=AllOf(
                AtMost(grown, sp.E),
                AtMost(grown * ((K + 1) * zeta**2 + rest), sp.E * (K * zeta**2 + rest)),
            ),
        )
        .have(AtMost(grown, rate ** (K - 1)), "m <= K - 1")
        .have(Equal((K + 1) * rate ** (K - 1), K * rate**K), "K + 1 = K (1 + 1/K)")
        .have(AtMost(rate**K, sp.E), "(1 + 1/K)^K <= e")
        .have(AtMost(rate ** (K - 1), rate**K), "1 + 1/K >= 1")
        .have(AtMost((K + 1) * grown, sp.E * K), "together")
        .have(AtMost((K + 1) * grown * zeta**2, sp.E * K * zeta**2), "times zeta^2")
        .have(AtMost(grown * rest, sp.E * rest), "times B")
    )


def implied(zeta, C, sigma):
    """What the condition on eta implies in the proof of Proposition F.2, with these symbols."""
    limit = step_error(K, sp.Symbol("zeta", positive=True), L, b, NOISE)
    return AtMost(
        step_error(K, zeta, L, b, C**2 * sigma**2 * d), 1 / (4 * eta**2), given=[4 * eta**2 * limit <= 1]
    )


@claim(
    PAPER,
    "prop-f.2-mix",
    at="Proposition F.2, `which implies`",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    correction="prop-f.2-mix-corrected",
    standing="misprint",
)
def condition_on_the_step_size_with_other_symbols():
    """eta <= 1/(2 sqrt(2e(K^2 zeta^2 + K L^2/b + K C_3^2 sigma_3^2 d))) implies 1/(4 eta^2) >= 2e(K^2
    zeta_2^2 + K L^2/b + K C_2^2 sigma_2^2 d). (zeta_2, C_2, sigma_2 stand for zeta, C_3, sigma_3; likewise
    C_2 >= L for C_3 >= L above, and x_{k-1,r} for x_{k-1,r-1} in the statement.)
    """
    return implied(sp.Symbol("zeta_2", positive=True), C_2, sigma_2)


@claim(
    PAPER,
    "prop-f.2-mix-corrected",
    at="Proposition F.2, `which implies`, corrected",
    kind="inequality",
    standing="ours",
)
def condition_on_the_step_size_with_its_symbols():
    """The same with zeta, C_3 and sigma_3."""
    return implied(zeta, C_3, sigma_3)


e, g2 = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2"))
Delta = sp.Symbol("Delta", nonnegative=True)
RATE = 1 + sp.S.One / K


def local_steps():
    """The K local steps of one round: x the point, u the error v_k - grad f(x) of the estimate there, h = f_p
    - f; e, g2, s2 and w2 are the expectations of f - f_*, |grad f|^2, the squared move and |u|^2 before a
    step.
    """
    f, h, x, u = Function("f", smooth=L), Function("h", smooth=zeta), *vectors("x u")
    after = x - eta * (f.gradient(x) + u)
    batch = Noise("mu", variance=L**2 / b * norm2(after - x))
    noise = Noise("xi", variance=NOISE * norm2(after - x))
    error = u + h.gradient(after) - h.gradient(x) + batch + noise
    values = {
        e: f(x) - f.minimum,
        g2: norm2(f.gradient(x)),
        s2: norm2(after - x),
        w2: norm2(u),
    }
    return [
        Iterates(name, value, [x, u], [after, error], [batch, noise], k, 1, K)
        for name, value in values.items()
    ]


@claim(
    PAPER, "prop-f.2-errors", at="Proposition F.2, the errors added up", kind="inequality", standing="ours"
)
def errors_of_all_local_steps():
    """If w2[k+1] <= (1 + 1/K) w2[k] + ((K + 1) zeta^2 + B) s2[k] for k = 1..K: sum_k w2[k] <= 2 K w2[1] + 2 K
    (K zeta^2 + B) sum_k s2[k] (with e for 2 in the paper).

    Step k is counted with the weight a_k = j + j^2/K, j = K + 1 - k: a_k >= 1 + (1 + 1/K) a_{k+1}, a_1 = 2 K,
    a_{K+1} = 0.
    """
    rest = sp.Symbol("B", nonnegative=True)
    more, most = (K + 1) * zeta**2 + rest, 2 * K * (K * zeta**2 + rest)

    def weight(index):
        return (K + 1 - index) + (K + 1 - index) ** 2 / K

    now, later = weight(k), weight(k + 1)
    rise = most * s2[k] - w2[k]
    S_x, S_w = (sp.Sum(name[k], (k, 1, K)) for name in (s2, w2))
    theorem = Theorem(
        given=[ForEvery(AtMost(w2[k + 1], RATE * w2[k] + more * s2[k]), k, 1, K)],
        shows=AtMost(S_w, 2 * K * w2[1] + most * S_x),
    )
    steps = [
        (AtMost(1 + RATE * later, now), "the weights"),
        (AtMost(0, later), "the weights"),
        (AtMost(later, 2 * (K - 1)), "the weights"),
        (AtMost(later * more, most), "what a move adds"),
        (AtMost((1 + RATE * later) * w2[k], now * w2[k]), "the weights"),
        (AtMost(later * w2[k + 1], later * (RATE * w2[k] + more * s2[k])), "the recursion"),
        (AtMost(later * more * s2[k], most * s2[k]), "what a move adds"),
    ]
    for relation, reason in steps:
        theorem = theorem.have(ForEvery(relation, k, 1, K), reason)
    return theorem.unroll(now * w2[k], 1, rise, (k, 1, K), "from step to step").have(
        Equal(sp.Sum(rise, (k, 1, K)), most * S_x - S_w), "term by term"
    )


@claim(
    PAPER,
    "prop-f.2",
    at="Proposition F.2",
    kind="inequality",
    uses=["lemma-f.1", "prop-f.2-recursion", "prop-f.2-mix-corrected", "prop-f.2-errors"],
)
def gradient_of_a_random_local_step():
    """For the K local steps of a round, x_k = x_{k-1} - eta v_k, v_{k+1} = v_k + the mean over a batch of the
    differences of gradients + xi_{k+1}, if 2 eta L <= 1 and 4 eta^2 2e(K^2 zeta^2 + K L^2/b + K C_3^2
    sigma_3^2 d) <= 1: (1/K) sum_k E|grad f(x_{k-1})|^2 <= 2 (E f(x_0) - E f(x_K))/(eta K) - (1/(4 eta^2 K))
    sum_k E|x_k - x_{k-1}|^2 + 2e E|v_1 - grad f(x_0)|^2.

    The variance of the batch is taken at its most, (L^2/b) |x_k - x_{k-1}|^2, and f has a minimiser, as
    Assumption 2.2 says (Proposition F.2 does not name it).
    """
    given = local_steps()
    run, slopes, moves, errors = given
    f, x = Function("f", smooth=L), Vector("x")
    grown = step_error(K, zeta, L, b, NOISE)
    rest = L**2 / b + NOISE
    fall = 2 * (e[k] - e[k + 1]) / eta - s2[k] / (2 * eta**2) + 2 * w2[k]
    S_x, S_w, S_g = (sp.Sum(name[k], (k, 1, K)) for name in (s2, w2, g2))
    ends, noisy = 2 * (e[1] - e[K + 1]) / eta, 2 * sp.E * K * w2[1]
    return (
        Theorem(
            given=[*given, 2 * eta * L <= 1, 4 * eta**2 * grown <= 1],
            shows=AtMost(S_g / K, (ends - S_x / (4 * eta**2) + noisy) / K),
        )
        .descend(
            run,
            1,
            0,
            "Lemma F.1",
            by=[f.descent(x, run.step[0])],
            beside=[(slopes, -eta / 2), (moves, -1 / (4 * eta)), (errors, eta)],
        )
        .descend(errors, RATE, 0, "the error of a step", beside=[(moves, (K + 1) * zeta**2 + rest)])
        .use("prop-f.2-errors", "the errors", K=K, zeta=zeta, B=rest)
        .sum(AtMost(g2[k], fall), (k, 1, K), "Lemma F.1, times 2/eta")
        .have(Equal(sp.Sum(fall, (k, 1, K)), ends - S_x / (2 * eta**2) + 2 * S_w), "it telescopes")
        .have(AtMost(4 * K * w2[1], noisy), "2 <= e")
        .have(AtMost(4 * K * (K * zeta**2 + rest) * S_x, grown * S_x), "2 <= e")
        .have(AtMost(2 * S_w, noisy + grown * S_x), "the errors")
        .have(AtMost(grown * S_x, S_x / (4 * eta**2)), "the condition on eta")
        .have(AtMost(S_g, ends - S_x / (4 * eta**2) + noisy), "added up")
    )


@claim(PAPER, "prop-f.3-sum", at="Proposition F.3, `Moreover`", kind="inequality")
def move_of_a_round_is_the_sum_of_its_steps():
    """|x_r - x_{r-1}|^2 <= K sum_k |x_k - x_{k-1}|^2: the round's move is the sum of its K steps."""
    v = VectorSequence("v")
    return AtMost(norm2(total(v[k], (k, 1, K))), K * sp.Sum(norm2(v[k]), (k, 1, K)))


r = sp.Symbol("r", integer=True, positive=True)
x2, left = (sp.IndexedBase(name, nonnegative=True) for name in ("x2", "left"))


def all_rounds(first, second):
    """What the R rounds of DIFF2-BVR-L-SGD say, with noise of standard deviation `first` at a restart and
    `second` over a unit move of the server: Proposition F.2 in each, and how the server's error grows.

    In round r: g2 is the mean of E|grad f|^2 over its local steps, x2 the sum of their squared moves over 4
    eta^2 K, s2 the squared move of the round over (2 eta K)^2, w2 the squared error of the server's estimate
    and e that of f - f_* before it, all in expectation.
    """
    a, c = d * first**2, d * (2 * eta * K * second) ** 2
    relations = (
        AtMost(g2[r], round_descends()),
        AtMost(s2[r], x2[r]),
        AtMost(left[r + 1] * (w2[r + 1] - a), (left[r] - 1) * (w2[r] - a + c * s2[r])),
        AtMost(left[r], T),
    )
    ends = [sp.Eq(w2[1], a), sp.Eq(left[R + 1], 0)]  # the first round is a restart, nothing is left at last
    return [*[ForEvery(relation, r, 1, R) for relation in relations], *ends]


def round_descends():
    """The right side of Proposition F.2 in round r."""
    return 2 * (e[r] - e[r + 1]) / (eta * K) - x2[r] + 2 * sp.E * w2[r]


@claim(
    PAPER,
    "prop-f.3",
    at="Proposition F.3, from Proposition F.2 in each round",
    kind="inequality",
    uses=["prop-f.2", "prop-f.3-sum", "prop-d.2-sum"],
)
def gradient_of_a_random_step_of_a_random_round():
    """If 8e eta^2 K^2 T d (sigma_2 C_2)^2 <= 1, Proposition F.2 and prop-f.3-sum hold in each of R rounds,
    and the error of the server's estimate grows as in Proposition D.2 (prop-d.2-sum): (1/R) sum_r of the
    rounds' mean E|grad f|^2, which is E|grad f(x_out)|^2, is at most 2 (f(x_0) - f(x_*))/(eta K R) + 2e d
    (sigma_1 C_1)^2. (f(x_0 - f(x_*)) is printed for f(x_0) - f(x_*).)
    """
    a, c = d * sigma_1**2 * C_1**2, d * (2 * eta * K * sigma_2 * C_2) ** 2
    S_g, S_x, S_w, S_r = (sp.Sum(name[r], (r, 1, R)) for name in (g2, x2, w2, s2))
    ends = 2 * (e[1] - e[R + 1]) / (eta * K)
    return (
        Theorem(
            given=[*all_rounds(sigma_1 * C_1, sigma_2 * C_2), 2 * sp.E * T * c <= 1],
            shows=AtMost(S_g / R, 2 * e[1] / (eta * K * R) + 2 * sp.E * a),
        )
        .use("prop-d.2-sum", "the errors of the rounds", R=R, T=T, a=a, c=c)
        .sum(AtMost(g2[r], round_descends()), (r, 1, R), "Proposition F.2")
        .have(Equal(sp.Sum(round_descends(), (r, 1, R)), ends - S_x + 2 * sp.E * S_w), "it telescopes")
        .sum(AtMost(s2[r], x2[r]), (r, 1, R), "the move of a round")
        .have(AtMost(2 * sp.E * T * c * S_r, S_r), "the condition on eta")
        .have(AtMost(2 * sp.E * S_w, 2 * sp.E * R * a + S_r), "the errors of the rounds")
        .have(AtMost(S_g, 2 * e[1] / (eta * K) + 2 * sp.E * R * a), "added up")
    )


@claim(
    PAPER,
    "prop-f.3-runs",
    at="Proposition F.3, run",
    kind="inequality",
    uses=["prop-f.3"],
    standing="ours",
    expect=SUPPORTED,
)
def runs_stay_below_the_bound_of_local_steps():
    """On logistic regression (200 records, d = 3, three data seeds, 4 clients, 8 rounds of K = 1, 2 and 4
    steps, batches of 5, T = 4, the noise of Proposition E.2 for (3, 1e-5)) with the largest eta that
    Propositions F.2 and F.3 allow (L = 1/4, zeta = 2 L (1 - 1/P)), the mean squared gradient at the output of
    DIFF2-BVR-L-SGD is not above 2 Delta/(eta K R) + 2e d (sigma_1 C_1)^2: no lower confidence bound on it is,
    at level 1e-3 for all nine together.
    """

    def run(effort: Effort) -> Result:
        import itertools
        import math

        from dpverify.algorithms import diff2_bvr_l_sgd
        from dpverify.formulas.diff2 import TARGET, printed_local_sigma, printed_variances, renyi_order
        from dpverify.montecarlo import mean_at_least
        from dpverify.parts.bounding import first_gap
        from dpverify.parts.cases import logistic_case

        rounds, restart, batch, clients, smooth = 8, 4, 5, 4, 0.25
        order, restarts = int(renyi_order(TARGET.epsilon, TARGET.delta)), -(-rounds // restart)
        similar = 2 * smooth * (1 - 1 / clients)
        shares = {}
        for seed, local in itertools.product((0, 1, 2), (1, 2, 4)):
            first = printed_variances(rounds, restart, 200, TARGET.epsilon, order, 3.0)[0]
            second = first * (rounds - restarts) / restarts
            third = printed_local_sigma(
                rounds=rounds,
                local=local,
                clients=clients,
                batch=batch,
                size=50,
                order=order,
                allowed=TARGET.epsilon / 3,
            )
            d = 3
            steps = local**2 * similar**2 + local * smooth**2 / batch + local * (third * smooth) ** 2 * d
            far = local**2 * restart * second * smooth**2 * d
            step = min(1 / (2 * smooth), 1 / math.sqrt(8 * math.e * steps), 1 / math.sqrt(8 * math.e * far))
            case = diff2_bvr_l_sgd.example(
                as_printed=True,
                local=local,
                step_size=step,
                case=logistic_case(200, seed=seed),
                clients=clients,
            )
            gap = first_gap(case.problem, case.data)
            bound = 2 * gap / (step * local * rounds) + 2 * math.e * d * first
            values = case.simulate(effort.runs, effort.seed).values[case.quantity]
            shares[f"K = {local}, data {seed}"] = mean_at_least(values, 1e-3 / 9) / bound
        return below_their_bounds(shares, effort)

    return Tested(
        "the mean squared gradient of runs with local steps is below the bound of Proposition F.3", run
    )


@claim(PAPER, "prop-f.3-single", at="Proposition F.3 at K = 1", kind="identity", standing="ours")
def one_local_step_is_diff2_gd():
    """At K = 1 the conclusion of Proposition F.3 is 2 Delta/(eta R) + 2e d (sigma_1 C_1)^2: that of
    Proposition D.2 but for a factor e in the noise.
    """
    bound = 2 * Delta / (eta * K * R) + 2 * sp.E * sigma_1**2 * C_1**2 * d
    stated = 2 * Delta / (eta * R) + 2 * sigma_1**2 * C_1**2 * d
    return Equal(bound.subs(K, 1) - stated, 2 * (sp.E - 1) * sigma_1**2 * C_1**2 * d)


def printed_rate(K, b, zeta, L=1):
    """The first factor of Theorem F.4 as printed."""
    return L / K + zeta + L / (sp.sqrt(K) * b)


def rate(K, b, zeta, L=1):
    """The first factor of Theorem F.4 as its proof has it."""
    return L / K + zeta + L / sp.sqrt(K * b)


@claim(
    PAPER,
    "thm-f.4-c1",
    at="Theorem F.4, the term L/(sqrt K b)",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-f.4",
)
def term_of_the_batch():
    """L/K + zeta + L/sqrt(K b), which the displays of the proof have, is O(L/K + zeta + L/(sqrt K b) + L sqrt
    d/(sqrt K b sqrt eps)), which the theorem has. (That L/sqrt(K b) is meant is said in thm-f.4.)

    At K = b^2, L = d = eps = 1, zeta = b^-2 it is b^(-3/2) against b^-2.
    """
    eps = sp.Symbol("epsilon", positive=True)
    other = L * sp.sqrt(d) / (sp.sqrt(K) * b * sp.sqrt(eps))
    return BigO(rate(K, b, zeta, L), printed_rate(K, b, zeta, L) + other)


SLOW = {"K": j**4, "b": j**2, "zeta": sp.S.One / j**4}


@claim(
    PAPER,
    "thm-f.4-printed",
    at="Theorem F.4, first display, with L/(sqrt K b)",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-f.4",
)
def utility_of_diff2_bvr_l_sgd_as_printed():
    """E|grad f(x_out)|^2 = O((L/K + zeta + L/(sqrt K b) + L sqrt d/(sqrt K b sqrt eps))/R + L sqrt d/(n sqrt
    P eps sqrt R) + eps_opt) for eta = Theta(min{1/L, 1/(K zeta), sqrt b/(sqrt K L), ...}).

    The path, j >= 4: K = j^4, b = j^2, zeta = j^-4, n = N = j^12, L = G = C_1 = C_2 = C_3 = d = eps = P = R =
    T = 1, delta = e^(-1/2) (a = 2), sigma_1^2 = 24/N^2 and sigma_3^2 = 12/b^2 of Proposition E.2, and eta =
    c/j, c the constant of the Theta. All records have the loss with slope -g on the way from x_0 to x_0 +
    1/g, g^2 = 1/(4 eta K) = j^-3/(4 c), which then turns up with curvature 1. Before the turn v_k = v_{k-1} +
    xi_k with the variance (sigma_3 eta v_{k-1})^2 <= v_{k-1}^2/K, so that E v_k^2 <= (1 + 1/K)^K (g^2 +
    sigma_1^2) <= 2e g^2, the way is at most eta sum_k |v_k|, and by Markov it reaches the turn with a chance
    of at most (eta K)^2 2e g^2 g^2 = e/8 < 1/2. So E|grad f(x_out)|^2 >= g^2/2 = j^-3/(8 c), against the
    order j^-4.
    """
    c = sp.Integer(1)
    slope2 = sp.S.One / (4 * c * j**3)
    stated = (
        printed_rate(**SLOW)
        + 1 / (sp.sqrt(SLOW["K"]) * SLOW["b"])
        + j**-12
        + utility.floor(j**12, 1, 1, 1, 1)
    )
    size = c / j
    return Instance(
        BigO(slope2 / 2, sp.powdenest(sp.simplify(stated), force=True)),
        let={
            "K, b, zeta": "j^4, j^2, j^-4",
            "n": "j^12",
            "L, G, C_i, d, eps, P, R, T": "1",
            "delta, a, sigma_1^2, sigma_3^2": "exp(-1/2), 2, 24/N^2, 12/b^2",
            "eta": "c/j (c = 1; another c changes the constant)",
            "l(., z)": "slope -g, g^2 = 1/(4 eta K), from x_0 to x_0 + 1/g, then turning up with curvature 1",
        },
        meets=[
            Equal(4 * size * j**4 * slope2, 1),
            AtMost((size * j**4) ** 2 * 2 * sp.E * slope2**2, sp.Rational(1, 2)),
            AtMost(slope2, 1),
            AtMost(24 / j**24, slope2, given=[j >= 4]),
            AtMost(12 / SLOW["b"] ** 2 * size**2, 1 / SLOW["K"], given=[j >= 4]),
            AtMost((1 + sp.S.One / K) ** K, sp.E),
        ],
        because="K steps of that length leave the slope g^2 ~ 1/(eta K), which the batch makes L/sqrt(K b)",
    )


eps = sp.Symbol("epsilon", positive=True)
A, k_3, gap = sp.symbols("A k_3 Delta", positive=True)
visits = sp.Symbol("v", positive=True)  # rounds in which a client takes the local steps
LOCAL = L * sp.sqrt(d) / (sp.sqrt(K) * b * sp.sqrt(eps))
VISITS = L * sp.sqrt(d) * sp.sqrt(visits) / (n * eps * R)


@claim(PAPER, "thm-f.4-eta", at="Theorem F.4, the choice of eta", kind="inequality", standing="ours")
def one_step_size_meets_all_conditions():
    """1/eta = 2L + e_0 (p + q + t + y), for e_0 = 2 sqrt(2e) and any other e_0 > 0, with p = K zeta, q =
    sqrt K L/sqrt b, t = sqrt K C_3 sigma_3 sqrt d, y = K sqrt T C_2 sigma_2 sqrt d: 2 eta L <= 1 (Lemma
    F.1), e_0^2 eta^2 (K^2 zeta^2 + K L^2/b + K C_3^2 sigma_3^2 d) <= 1 (Proposition F.2) and e_0^2 eta^2 K^2
    T d (sigma_2 C_2)^2 <= 1 (Proposition F.3).
    """
    e_0 = sp.Symbol("e_0", positive=True)
    p, q, t, y = sp.symbols("p q t y", nonnegative=True)
    own = K**2 * zeta**2 + K * L**2 / b + K * NOISE
    far = K**2 * T * d * sigma_2**2 * C_2**2
    return (
        Theorem(
            given=[
                sp.Eq(p, K * zeta),
                sp.Eq(q, sp.sqrt(K) * L / sp.sqrt(b)),
                sp.Eq(t, sp.sqrt(K) * C_3 * sigma_3 * sp.sqrt(d)),
                sp.Eq(y, K * sp.sqrt(T) * C_2 * sigma_2 * sp.sqrt(d)),
                sp.Eq(eta, 1 / (2 * L + e_0 * (p + q + t + y))),
            ],
            shows=AllOf(
                AtMost(2 * eta * L, 1), AtMost(e_0**2 * eta**2 * own, 1), AtMost(e_0**2 * eta**2 * far, 1)
            ),
        )
        .have(Equal(own, p**2 + q**2 + t**2), "put in")
        .have(Equal(far, y**2), "put in")
        .have(AtMost(e_0 * eta * (p + q + t + y), 1), "2 L > 0")
        .have(AtMost(e_0**2 * eta**2 * (p + q + t + y) ** 2, 1), "squared")
        .have(AtMost(p**2 + q**2 + t**2, (p + q + t + y) ** 2), "no term is negative")
        .have(AtMost(y**2, (p + q + t + y) ** 2), "no term is negative")
        .have(AtMost(e_0**2 * eta**2 * own, e_0**2 * eta**2 * (p + q + t + y) ** 2), "times e_0^2 eta^2")
        .have(AtMost(e_0**2 * eta**2 * far, e_0**2 * eta**2 * (p + q + t + y) ** 2), "times e_0^2 eta^2")
    )


@claim(PAPER, "thm-f.4-local", at="Theorem F.4, its proof: L sigma_3 sqrt d/(sqrt K R)", kind="inequality")
def noise_of_the_local_steps():
    """If sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2 eps)): L sigma_3 sqrt d/(sqrt K R) <= sqrt(A) (L sqrt d
    sqrt v/(n eps R) + L sqrt d/(sqrt K b sqrt eps R)). A client takes the local steps in v rounds; at v =
    R/P, as printed, the first term is L sqrt d/(n sqrt P eps sqrt R) (thm-f.4).
    """
    first, second = sp.sqrt(K * visits) / (n * eps), 1 / (b * sp.sqrt(eps))
    unit = L * sp.sqrt(d) / (sp.sqrt(K) * R)
    return (
        Theorem(
            given=[sigma_3**2 <= A * (K * visits / (n**2 * eps**2) + 1 / (b**2 * eps))],
            shows=AtMost(unit * sigma_3, sp.sqrt(A) * (VISITS + LOCAL / R)),
        )
        .have(AtMost(sigma_3, sp.sqrt(A) * (first + second)), "the root")
        .have(AtMost(unit * sigma_3, unit * sp.sqrt(A) * (first + second)), "times L sqrt d/(sqrt K R)")
    )


gradient = sp.Symbol("g2", nonnegative=True)
G, k_1, k_2, a = sp.symbols("G k_1 k_2 a", positive=True)
TAU, BEST = utility.interval_share(n * P, eps, d, L, G), utility.floor(n * P, eps, d, L, G)
TRAVELLED = utility.travelled(n * P, eps, d, R, L)
FIRST = 2 * L / K + a * (zeta + L / sp.sqrt(K * b)) + a * k_3 * sp.sqrt(A) * LOCAL
NOISES = sp.sqrt(K) * k_3 * L * sigma_3 * sp.sqrt(d) + K * sp.sqrt(T) * k_2 * L * sigma_2 * sp.sqrt(d)
INVERSE = 2 * L + a * (K * zeta + sp.sqrt(K) * L / sp.sqrt(b) + NOISES)  # 1/eta
RESTARTS = sigma_1**2 * (k_1 * G) ** 2 * d
QUIET = 4 * gap * k_2 * sp.sqrt(A) * (TRAVELLED + BEST)
SETTING = [
    gradient <= 2 * gap * INVERSE / (K * R) + 2 * sp.E * RESTARTS,
    sigma_1**2 <= A * R / (T * (n * P * eps) ** 2),
    sigma_2**2 <= A * R / (n * P * eps) ** 2,
    sigma_3**2 <= A * (K * visits / (n**2 * eps**2) + 1 / (b**2 * eps)),
    TAU * R <= T,
    T <= 1 + TAU * R,
]
FLOORED = (
    2 * gap * FIRST / R
    + 2 * gap * a * k_3 * sp.sqrt(A) * VISITS
    + a / 2 * QUIET
    + 2 * sp.E * A * k_1**2 * BEST
)


@claim(
    PAPER,
    "thm-f.4-terms",
    at="Theorem F.4, its proof, from Proposition F.3 on",
    kind="inequality",
    uses=["thm-f.4-local", "thm-4.3-differences", "thm-4.3-restarts"],
    standing="ours",
)
def bound_of_proposition_f_3_in_the_setting_of_the_theorem():
    """With 1/eta = 2L + a (K zeta + sqrt K L/sqrt b + sqrt K C_3 sigma_3 sqrt d + K sqrt T C_2 sigma_2 sqrt
    d), sigma_1^2 <= A R/(T (N eps)^2), sigma_2^2 <= A R/(N eps)^2, sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2
    eps)), N = n P, and tau R <= T <= 1 + tau R, whatever is at most 2 Delta/(eta K R) + 2e sigma_1^2 C_1^2 d,
    the bound of Proposition F.3, is at most 2 Delta (2 L/K + a (zeta + L/sqrt(K b)) + a k_3 sqrt(A) L sqrt
    d/(sqrt K b sqrt eps))/R + 2 Delta a k_3 sqrt(A) L sqrt d sqrt v/(n eps R) + 2 a Delta k_2 sqrt(A) (L sqrt
    d/(N eps sqrt R) + eps_opt) + 2 e A k_1^2 eps_opt. C_1 = k_1 G, C_2 = k_2 L, C_3 = k_3 L.
    """
    local = L * sigma_3 * sp.sqrt(d) / (sp.sqrt(K) * R)
    differences = 4 * gap * k_2 * L * sp.sqrt(T * d) * sigma_2 / R
    slow = 2 * L / K + a * (zeta + L / sp.sqrt(K * b))
    return (
        Theorem(given=SETTING, shows=AtMost(gradient, FLOORED))
        .use("thm-4.3-differences", "the noise of the differences", N=n * P, Delta=gap)
        .use("thm-4.3-restarts", "the noise of the restarts", N=n * P)
        .use("thm-f.4-local", "the noise of the local steps")
        .have(
            Equal(
                2 * gap * INVERSE / (K * R),
                2 * gap * slow / R + 2 * gap * a * k_3 * local + a / 2 * differences,
            ),
            "multiplied out",
        )
        .have(
            AtMost(2 * gap * a * k_3 * local, 2 * gap * a * k_3 * (sp.sqrt(A) * (VISITS + LOCAL / R))),
            "the noise of the local steps",
        )
        .have(AtMost(a / 2 * differences, a / 2 * QUIET), "the noise of the differences")
        .have(AtMost(2 * sp.E * RESTARTS, 2 * sp.E * A * k_1**2 * BEST), "the noise of the restarts")
    )


MEAN = sp.Sum(sp.IndexedBase("g2", nonnegative=True)[r], (r, 1, R)) / R  # E|grad f(x_out)|^2


def chosen(count):
    """The R rounds of DIFF2-BVR-L-SGD with the eta, the T and the noise of Theorem F.4, for clients who take
    the local steps in `count` rounds.
    """
    return [
        *all_rounds(sigma_1 * k_1 * G, sigma_2 * k_2 * L),
        sp.Eq(eta, 1 / INVERSE.subs(a, 5)),
        e[1] <= gap,
        *[condition.subs(visits, count) for condition in SETTING[1:]],
    ]


@claim(
    PAPER,
    "thm-f.4-visits",
    at="Theorem F.4, for clients who take the local steps in v rounds, from Proposition F.2 in each round",
    kind="inequality",
    uses=["prop-f.3", "thm-f.4-eta", "thm-f.4-terms"],
    standing="ours",
)
def utility_for_any_number_of_visits():
    """Theorem F.4 with sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2 eps)), whatever v > 0 is: E|grad f(x_out)|^2
    is at most the bound of thm-f.4-terms with a = 5.
    """
    inverse, moved = INVERSE.subs(a, 5), K * sp.sqrt(T) * k_2 * L * sigma_2 * sp.sqrt(d)
    return (
        Theorem(given=chosen(visits), shows=AtMost(MEAN, FLOORED.subs(a, 5)))
        .use(
            "thm-f.4-eta",
            "the step size",
            e_0=sp.Integer(5),
            C_2=k_2 * L,
            C_3=k_3 * L,
            p=K * zeta,
            q=sp.sqrt(K) * L / sp.sqrt(b),
            t=sp.sqrt(K) * k_3 * L * sigma_3 * sp.sqrt(d),
            y=moved,
        )
        .have(AtMost(8 * sp.E * eta**2 * moved**2, 1), "8 e <= 25")
        .use("prop-f.3", "Proposition F.3", C_1=k_1 * G, C_2=k_2 * L)
        .have(AtMost(2 * e[1] / (eta * K * R), 2 * gap / (eta * K * R)), "f(x_0) - f(x_*) <= Delta")
        .have(Equal(2 * gap / (eta * K * R), 2 * gap * inverse / (K * R)), "the step size")
        .have(AtMost(MEAN, 2 * gap * inverse / (K * R) + 2 * sp.E * RESTARTS), "Proposition F.3")
        .use("thm-f.4-terms", "the terms", a=5, g2=MEAN)
    )


PRINTED = L * sp.sqrt(d) / (n * sp.sqrt(P) * eps * sp.sqrt(R))  # VISITS at v = R/P


@claim(
    PAPER,
    "thm-f.4",
    at="Theorem F.4, first display, with L/sqrt(K b), from Proposition F.2 in each round",
    kind="asymptotic",
    uses=["thm-f.4-visits"],
)
def utility_of_diff2_bvr_l_sgd():
    """For the R rounds of DIFF2-BVR-L-SGD, in each of which Proposition F.2 holds, with C_1 = k_1 G, C_2 =
    k_2 L, C_3 = k_3 L, 1/eta = 2L + 5 (K zeta + sqrt K L/sqrt b + sqrt K C_3 sigma_3 sqrt d + K sqrt T C_2
    sigma_2 sqrt d) (thm-f.4-eta; 5 > 2 sqrt(2e)), sigma_1^2 <= A R/(T (N eps)^2), sigma_2^2 <= A R/(N
    eps)^2, sigma_3^2 <= A (K R/(n^2 P eps^2) + 1/(b^2 eps)), N = n P, tau R <= T <= 1 + tau R and f(x_0) -
    f(x_*) <= Delta: E|grad f(x_out)|^2 <= 2 Delta (2 L/K + 5 (zeta + L/sqrt(K b)) + 5 k_3 sqrt(A) L sqrt
    d/(sqrt K b sqrt eps))/R + 10 Delta k_3 sqrt(A) L sqrt d/(n sqrt P eps sqrt R) + 10 Delta k_2 sqrt(A) (L
    sqrt d/(N eps sqrt R) + eps_opt) + 2 e A k_1^2 eps_opt.

    The text has sqrt K b in the theorems and the last two displays of the proof, and sqrt(K b) in the three
    displays between; each is right for one of the two terms of c_1. Theorem F.4's own eta, of the order sqrt
    b/(sqrt K L), forces sqrt(K b) in the first: 1/(eta K R) is L/(sqrt(K b) R). sigma_3 ~ 1/(b sqrt eps)
    gives L sqrt d/(sqrt K b sqrt eps), the second. So a reader who follows the proof reads it; with L/(sqrt K
    b) the theorem is false (thm-f.4-printed). L sqrt d/(N eps sqrt R) is below the term with sqrt P, as
    printed.
    """
    bound = FLOORED.subs(a, 5)
    return (
        Theorem(given=chosen(R / P), shows=AtMost(MEAN, bound.subs(VISITS, PRINTED)))
        .use("thm-f.4-visits", "R/P visits", v=R / P)
        .have(Equal(VISITS.subs(visits, R / P), PRINTED), "v = R/P")
    )


@claim(
    PAPER,
    "thm-f.4-limits",
    at="Theorem F.4 at the ends of its parameters",
    kind="inequality",
    uses=["thm-f.4-terms"],
    standing="ours",
)
def bound_of_local_steps_at_the_ends_of_its_parameters():
    """The bound of thm-f.4-terms is: without noise (A = 0; this A is A_0) 2 Delta (2 L/K + a (zeta + L/sqrt(K
    b)))/R, that of local steps alone; at K = 1, and for clients as different as zeta = L, a >= 2, at least
    the 4 Delta L/R of gradient descent, so that local steps gain nothing there; with one client the two terms
    in 1/sqrt R are equal.
    """
    noise = sp.Symbol("A_0", nonnegative=True)  # A, which may be 0 here
    quiet = 2 * gap * (2 * L / K + a * (zeta + L / sp.sqrt(K * b))) / R
    return AllOf(
        Equal(FLOORED.subs(A, noise), quiet, given=[sp.Eq(noise, 0)]),
        AtMost(4 * gap * L / R, FLOORED, given=[sp.Eq(K, 1)]),
        AtMost(4 * gap * L / R, FLOORED, given=[sp.Eq(zeta, L), a >= 2]),
        Equal(PRINTED, TRAVELLED, given=[sp.Eq(P, 1)]),
    )
