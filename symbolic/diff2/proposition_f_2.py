"""Appendix F: Proposition F.2, the errors of the local steps of a round.

|v_k - grad f(x_{k-1})|^2 grows by a factor 1 + 1/K and by ((K+1) zeta^2 + L^2/b + C_3^2 sigma_3^2 d)
|x_{k-1} - x_{k-2}|^2 a step

Assumption 5.2 is h = f_p - f with a zeta-Lipschitz gradient (prop-f.2-hess). The sequences are expectations:
w2[k] of |v_k - grad f(x_{k-1})|^2 and s2[k] of |x_k - x_{k-1}|^2, in one round.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise, sample_mean
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, norm2, total, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.lemma_f_1 import C_2, C_3, L, eta, zeta
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED

k, m, n, K, b, d, P, R, T, j = (
    sp.Symbol(name, integer=True, positive=True)
    for name in ("k", "m", "n", "K", "b", "d", "P", "R", "T", "j")
)
sigma_1, sigma_2, sigma_3 = sp.symbols("sigma_1 sigma_2 sigma_3", nonnegative=True)
w2, s2 = (sp.IndexedBase(name, nonnegative=True) for name in ("w2", "s2"))


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
    v = VectorSequence("v")
    q = sp.IndexedBase("q", nonnegative=True)
    bound = sp.Symbol("rho", nonnegative=True)
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
    first = sp.Integer(1)
    slope2 = sp.Integer(64)
    size = sp.Rational(1, 10)
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
RATE = 1 + sp.S.One / K


def local_steps():
    """The K local steps of one round: x the point, u the error v_k - grad f(x) of the estimate there, h = f_p
    - f; e, g2, s2 and w2 are the expectations of f - f_*, |grad f|^2, the squared move and |u|^2 before a
    step.
    """
    f = Function("f", smooth=L)
    h = Function("h", smooth=zeta)
    x, u = vectors("x u")
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
