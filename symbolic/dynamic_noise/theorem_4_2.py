"""Section 4.1.1: the uniform schedule. Theorem 4.2, its steps and its bound, printed and corrected.

ERUB = gamma^T + alpha kappa (1 - gamma^T) T,  sigma_t^2 = T/R
T = ceil(O(kappa ln(1 + 1/(kappa alpha))))                                          Eq (4)
ERUB_min = Theta(kappa^2/(kappa + 1/alpha) ln(1 + 1/(kappa alpha)))                 Eq (5)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Equal, Instance, Omega
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.theorem_4_1 import T, alpha, gamma, kappa
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


def uniform_bound(k, a, T):
    """The bound with the uniform schedule, gamma = 1 - 1/kappa."""
    return schedules.uniform_erub(1 - 1 / k, a, T)


@claim(
    PAPER,
    "thm-4.2-t",
    at="Theorem 4.2, Eq (4)",
    kind="optimality",
    uses=["sketch-4.2-e", "power-exp", "ln-exp"],
)
def uniform_minimiser_is_at_most_eq_4():
    """T = ceil(O(kappa ln(1 + 1/(kappa alpha)))): from every whole T >= kappa ln(1 + 1/(kappa alpha)) to T +
    1 the uniform bound does not fall, so that some whole minimiser is at most Eq (4) with the constant 1.

    kappa = 1/(1 - gamma) and x = 1/(kappa alpha): the bound is gamma^T + T (1 - gamma^T)/x (sketch-4.2-e).
    """
    x, power = sp.Symbol("x", positive=True), gamma**T

    def bound(steps):
        return gamma**steps + steps * (1 - gamma**steps) / x

    rise = 1 - gamma * power + T * power * (1 - gamma) - x * (1 - gamma) * power
    return (
        Theorem(given=[gamma < 1, T * (1 - gamma) >= sp.log(1 + x)], shows=AtMost(bound(T), bound(T + 1)))
        .use("power-exp", "gamma^T <= e^(-T/kappa)", T=T, gamma=gamma)
        .use("ln-exp", "which is at most 1/(1+x)", v=x, w=T * (1 - gamma))
        .have(Equal(sp.exp(T * (gamma - 1)), sp.exp(-T * (1 - gamma))), "the same exponent")
        .have(AtMost(power, 1 / (1 + x)), "so gamma^T <= 1/(1+x)")
        .have(AtMost(x * power, 1 - power), "without the denominator")
        .have(AtMost((1 - gamma) * (x * power), (1 - gamma) * (1 - power)), "times 1/kappa")
        .have(AtMost(0, gamma * (1 - power)), "gamma^T <= 1")
        .have(AtMost(0, T * power * (1 - gamma)), "not negative")
        .have(AtMost(0, rise), "together")
        .have(AtMost(0, rise / x), "divided by x")
        .have(Equal(bound(T + 1), bound(T) + rise / x), "the step from T to T + 1")
    )


@claim(
    PAPER,
    "thm-4.2-t-exact",
    at="Theorem 4.2, Eq (4) as the minimiser itself",
    kind="optimality",
    uses=["sketch-4.2-e"],
    expect=REFUTED,
    correction="thm-4.2-t-corrected",
    standing="ours",
)
def eq_4_minimises_the_uniform_bound():
    """T = ceil(kappa ln(1 + 1/(kappa alpha))) minimises the uniform bound: no other whole m does better (Eq
    (4), the constant of O being 1).

    No constant mends it: the ceiling is never 0, and T = 0 is the only minimiser when alpha kappa > 1
    (thm-4.2-t-zero).
    """
    m = sp.Symbol("m", integer=True, positive=True)
    return AtMost(
        uniform_bound(kappa, alpha, schedules.eq_4(kappa, alpha)),
        uniform_bound(kappa, alpha, m),
        given=[kappa > 1, kappa * alpha < 1, alpha <= sp.Rational(1, 100)],
    )


@claim(
    PAPER,
    "thm-4.2-t-eq-23",
    at="Eq (23), rounded up, as the minimiser itself",
    kind="optimality",
    uses=["sketch-4.2-e"],
    expect=REFUTED,
    correction="thm-4.2-t-corrected",
    standing="ours",
)
def eq_23_minimises_the_uniform_bound():
    """T = ceil((1/l) ln(1 + l/alpha)), l = ln(1/gamma), minimises the uniform bound."""
    m = sp.Symbol("m", integer=True, positive=True)
    return AtMost(
        uniform_bound(kappa, alpha, sp.ceiling(schedules.eq_23(kappa, alpha))),
        uniform_bound(kappa, alpha, m),
        given=[kappa > 1, kappa * alpha < 1, alpha <= sp.Rational(1, 100)],
    )


@claim(
    PAPER,
    "thm-4.2-t-corrected",
    at="Theorem 4.2, the minimiser",
    kind="optimality",
    uses=["sketch-4.2-e", "sketch-4.2-grad"],
    standing="ours",
)
def uniform_minimiser_is_by_lambert_w():
    """In w = l T, l = ln(1/gamma), a = alpha kappa, the slope of E is (a/l) e^-w (w + e^w - 1 - l/a). Let W +
    ln W = 1 + l/a (Lambert's function: W = W(exp(1 + l/a))). Then E falls for w < ln W and rises for w > ln
    W: the whole minimiser is floor(T*) or ceil(T*), T* = ln(W)/l.
    """
    w, W, a, l = sp.symbols("w W a l", positive=True)
    bound = sp.exp(-w) + (a / l) * (1 - sp.exp(-w)) * w
    slope, lambert = (a / l) * sp.exp(-w) * (w + sp.exp(w) - 1 - l / a), sp.Eq(l, a * (W + sp.log(W) - 1))
    return AllOf(
        Equal(sp.Derivative(bound, w), slope),
        Theorem(given=[lambert, w < sp.log(W)], shows=AtMost(slope, 0, strict=True))
        .have(AtMost(sp.exp(w), W, strict=True), "w < ln W")
        .have(AtMost(w + sp.exp(w) - 1 - l / a, 0, strict=True), "both terms"),
        Theorem(given=[lambert, w > sp.log(W)], shows=AtMost(0, slope, strict=True))
        .have(AtMost(W, sp.exp(w), strict=True), "w > ln W")
        .have(AtMost(0, w + sp.exp(w) - 1 - l / a, strict=True), "both terms"),
    )


@claim(PAPER, "power-unit", at="Theorem 4.2, T = 0", kind="inequality", standing="ours")
def power_of_gamma_is_in_the_unit_interval():
    """0 <= (1 - 1/kappa)^T <= 1 for kappa >= 1."""
    power = (1 - 1 / kappa) ** T
    return Theorem(given=[kappa >= 1], shows=AllOf(AtMost(0, power), AtMost(power, 1)))


@claim(
    PAPER,
    "thm-4.2-t-zero",
    at="Theorem 4.2, T = 0",
    kind="optimality",
    uses=["sketch-4.2-e", "power-unit"],
    standing="ours",
)
def no_step_is_best_when_alpha_kappa_is_at_least_one():
    """If alpha kappa >= 1, no whole T >= 1 has a uniform bound below the 1 of T = 0. (If alpha kappa < 1, T =
    1 has gamma + alpha < 1.)
    """
    return Theorem(
        given=[kappa >= 1, kappa * alpha >= 1], shows=AtMost(1, uniform_bound(kappa, alpha, T))
    ).use("power-unit", "gamma^T is in [0, 1]", kappa=kappa, T=T)


@claim(PAPER, "power-bernoulli", at="Theorem 4.2, Eq (5)", kind="inequality", standing="ours")
def power_of_gamma_is_at_least_its_tangent():
    """gamma^T >= 1 - (1 - gamma) T (Bernoulli), 0 < gamma < 1."""
    return AtMost(1 - (1 - gamma) * T, gamma**T, given=[gamma < 1])


@claim(PAPER, "uniform-least", at="Theorem 4.2, Eq (5)", kind="inequality", standing="ours")
def steps_of_eq_4_are_never_few():
    """kappa ln(1 + 1/(kappa alpha)) >= ln(1 + 1/alpha_0) for alpha <= alpha_0 and kappa = 1/(1 - gamma): with
    x = 1/(kappa alpha) and u = 1/alpha_0, (1 - gamma) ln(1 + u) <= ln(1 + x) where x >= (1 - gamma) u.
    """
    x, u = sp.symbols("x u", positive=True)
    kept = 1 - gamma
    return (
        Theorem(given=[gamma < 1, x >= kept * u], shows=AtMost(kept * sp.log(1 + u), sp.log(1 + x)))
        .have(AtMost(kept * sp.log(1 + u), sp.log(1 + kept * u)), "the logarithm is concave")
        .have(AtMost(sp.log(1 + kept * u), sp.log(1 + x)), "and grows")
    )


class _AtEq4:
    """The uniform bound at the T of Eq (4) in x = 1/(kappa alpha) and u = 1/alpha_0, alpha = (1 - gamma)/x,
    gamma = 1 - 1/kappa, and the order S = kappa ln(1 + x)/(1 + x) of Eq (5).
    """

    x, u = sp.symbols("x u", positive=True)
    kept = 1 - gamma
    length = sp.log(1 + x)
    least = sp.log(1 + u)
    order, erub = length / (kept * (1 + x)), schedules.uniform_erub(gamma, kept / x, T)
    most, noise = 2 * (1 + 1 / least) ** 2 + 1 / least, (1 - gamma**T) * T / x
    rounded_up = (kept * T >= length, kept * T <= length + kept)


def _long_enough(theorem: Theorem) -> Theorem:
    """With what holds of gamma^T wherever T is at least kappa ln(1 + x)."""
    at = _AtEq4
    return (
        theorem.use("power-exp", "gamma^T <= exp(-T/kappa)", gamma=gamma, T=T)
        .use("ln-exp", "exp(-T/kappa) <= 1/(1 + x)", v=at.x, w=at.kept * T)
        .have(AtMost(gamma**T, 1 / (1 + at.x)), "the first term")
    )


def _from_above(side: sp.Rel) -> Theorem:
    """That the bound is at most a constant times S on one side of x = 1, with what holds on either."""
    at = _AtEq4
    theorem = Theorem(
        given=[gamma < 1, at.x >= at.kept * at.u, side, *at.rounded_up],
        shows=AtMost(at.erub, at.most * at.order),
    )
    return (
        _long_enough(theorem)
        .use("uniform-least", "kappa ln(1 + x) >= A", gamma=gamma, x=at.x, u=at.u)
        .have(AtMost(0, at.least, strict=True), "u > 0")
        .have(AtMost(at.kept, at.length / at.least), "over A")
        .have(AtMost(at.kept * T, (1 + 1 / at.least) * at.length), "T is at most (1 + 1/A) kappa ln(1 + x)")
        .have(AtMost(1, at.length / (at.kept * at.least)), "over 1 - gamma")
        .have(AtMost(1 / (1 + at.x), at.order / at.least), "over 1 + x")
        .have(AtMost(gamma**T, at.order / at.least), "the first term, in S")
        .have(AtMost(T, (1 + 1 / at.least) * at.length / at.kept), "T in S")
    )


@claim(
    PAPER,
    "thm-4.2-bound-below",
    at="Theorem 4.2, Eq (5), from below",
    kind="inequality",
    uses=["power-exp", "ln-exp"],
    standing="ours",
)
def uniform_bound_at_eq_4_is_at_least_eq_5():
    """In x = 1/(kappa alpha): gamma^T + T (1 - gamma^T)/x >= ln(1 + x)/((1 - gamma)(1 + x)) for every whole T
    >= ln(1 + x)/(1 - gamma).
    """
    at = _AtEq4
    return (
        _long_enough(Theorem(given=[gamma < 1, at.rounded_up[0]], shows=AtMost(at.order, at.erub)))
        .have(AtMost(at.x / (1 + at.x), 1 - gamma**T), "the rest")
        .have(AtMost(T / (1 + at.x), at.noise), "times T/x")
        .have(AtMost(at.order, T / (1 + at.x)), "T is at least kappa ln(1 + x)")
    )


@claim(
    PAPER,
    "thm-4.2-bound-sharp",
    at="Theorem 4.2, Eq (5), from above, kappa alpha <= 1",
    kind="inequality",
    uses=["power-exp", "ln-exp", "uniform-least"],
    standing="ours",
)
def uniform_bound_at_eq_4_is_at_most_eq_5_for_small_alpha():
    """In x = 1/(kappa alpha) >= 1 and u = 1/alpha_0: the upper bound of thm-4.2-bound."""
    at = _AtEq4
    return (
        _from_above(at.x >= 1)
        .have(AtMost(at.noise, T / at.x), "1 - gamma^T <= 1")
        .have(AtMost(1 / at.x, 2 / (1 + at.x)), "x >= 1")
        .have(AtMost(T / at.x, 2 * T / (1 + at.x)), "times T")
        .have(AtMost(2 * T / (1 + at.x), 2 * (1 + 1 / at.least) * at.order), "T in S")
        .have(
            AtMost(2 * (1 + 1 / at.least) * at.order, 2 * (1 + 1 / at.least) ** 2 * at.order), "1 + 1/A >= 1"
        )
    )


@claim(
    PAPER,
    "thm-4.2-bound-flat",
    at="Theorem 4.2, Eq (5), from above, kappa alpha >= 1",
    kind="inequality",
    uses=["power-exp", "ln-exp", "ln-bounds", "power-bernoulli", "uniform-least"],
    standing="ours",
)
def uniform_bound_at_eq_4_is_at_most_eq_5_for_large_alpha():
    """In x = 1/(kappa alpha) <= 1 and u = 1/alpha_0: the upper bound of thm-4.2-bound."""
    at = _AtEq4
    x = at.x
    length = at.length
    kept = at.kept
    share = 1 + 1 / at.least
    return (
        _from_above(x <= 1)
        .use("power-bernoulli", "1 - gamma^T <= T/kappa", gamma=gamma, T=T)
        .use("ln-bounds", "ln(1 + x) <= x", v=x)
        .have(AtMost(at.noise, kept * T**2 / x), "times T/x")
        .have(AtMost(T**2, (share * length / kept) ** 2), "squared")
        .have(AtMost(kept * T**2 / x, share**2 * length**2 / (kept * x)), "T in S")
        .have(AtMost(length / x, 1), "the logarithm")
        .have(AtMost(length**2 / (kept * x), length / kept), "times kappa ln(1 + x)")
        .have(AtMost(length / kept, 2 * at.order), "1 + x <= 2")
        .have(AtMost(length**2 / (kept * x), 2 * at.order), "together")
        .have(AtMost(share**2 * length**2 / (kept * x), 2 * share**2 * at.order), "times")
    )


@claim(
    PAPER,
    "thm-4.2-bound",
    at="Theorem 4.2, Eq (5)",
    kind="asymptotic",
    uses=["sketch-4.2-e", "thm-4.2-bound-below", "thm-4.2-bound-sharp", "thm-4.2-bound-flat"],
)
def uniform_bound_at_eq_4_is_of_order_eq_5():
    """For kappa > 1, alpha <= alpha_0 and the T of Eq (4), ceil(kappa ln(1 + 1/(kappa alpha))), the uniform
    bound gamma^T + alpha kappa (1 - gamma^T) T, gamma = 1 - 1/kappa, lies between S and (2 (1 + 1/A)^2 + 1/A)
    S, S = kappa^2/(kappa + 1/alpha) ln(1 + 1/(kappa alpha)), A = ln(1 + 1/alpha_0). (The O of Eq (4) with the
    constant 1; "the corresponding bound" is that of this T. Read as the least bound over T it fails:
    thm-4.2-bound-least.)
    """
    at_most = sp.Symbol("alpha_0", positive=True)
    g = 1 - 1 / kappa
    x = 1 / (kappa * alpha)
    u = 1 / at_most
    log, least = sp.log(1 + x), sp.log(1 + u)
    order, erub = kappa**2 / (kappa + 1 / alpha) * log, g**T + alpha * kappa * (1 - g**T) * T
    terms = {"gamma": g, "x": x, "T": T}
    inside = [kappa > 1, alpha <= at_most, T >= kappa * log, T <= kappa * log + 1]
    return (
        Theorem(
            given=inside,
            shows=AllOf(
                AtMost(order, erub),
                AtMost(erub, (2 * (1 + 1 / least) ** 2 + 1 / least) * order),
            ),
        )
        .have(Equal(order, kappa * log / (1 + x)), "S in x")
        .use("thm-4.2-bound-below", "from below", **terms)
        .use("thm-4.2-bound-sharp", "from above", when=kappa * alpha <= 1, u=u, **terms)
        .use("thm-4.2-bound-flat", "from above", when=kappa * alpha >= 1, u=u, **terms)
        .cases(kappa * alpha <= 1, kappa * alpha >= 1)
    )


@claim(
    PAPER,
    "thm-4.2-bound-least",
    at="Theorem 4.2, Eq (5), read as the least over T",
    kind="asymptotic",
    uses=["sketch-4.2-e", "thm-4.2-t-zero"],
    expect=REFUTED,
    correction="thm-4.2-bound-corrected",
    standing="ours",
)
def least_uniform_bound_is_of_order_eq_5():
    """Read as "the achievable optimal upper bound" of Section 4: with kappa >= 1/(1-c), alpha < alpha_0 for
    some c and alpha_0, the least uniform bound over whole T >= 0 is Theta(kappa^2/(kappa + 1/alpha) ln(1 +
    1/(kappa alpha))). (At the T of Eq (4) it holds: thm-4.2-bound.)

    Along kappa = n^2, alpha = 1/n, which meets the conditions for every c and alpha_0 once n is large: there
    alpha kappa >= 1, and the least bound is the 1 of T = 0; Eq (5) grows like n, so that no constant will do.
    (Nothing hangs on T = 0: T = 1 has gamma + alpha <= 2.)
    """
    n = sp.Symbol("n", integer=True, positive=True)
    k, al = n**2, 1 / n
    return Instance(
        Omega(uniform_bound(k, al, sp.Integer(0)), k**2 / (k + 1 / al) * sp.log(1 + 1 / (k * al)), [n >= 2]),
        let={"kappa": "n^2", "alpha": "1/n", "T": "0, where the bound is least (thm-4.2-t-zero)"},
        meets=[AtMost(1, k * al)],
        because="no T has a bound below 1 where alpha kappa >= 1, and Eq (5) grows like n",
    )


@claim(
    PAPER,
    "thm-4.2-bound-lower",
    at="Theorem 4.2, Eq (5), corrected, from below",
    kind="asymptotic",
    uses=["sketch-4.2-e", "gamma-logarithm", "uniform-tangent"],
    standing="ours",
)
def uniform_bound_is_at_least_its_order():
    """For every whole T >= 1 the uniform bound is at least gamma y ln(1 + 1/y), y = kappa^2 alpha, kappa =
    1/(1 - gamma): so c y ln(1 + 1/y) if kappa >= 1/(1-c). (T = 0 has 1, and y ln(1 + 1/y) <= 1.)

    v = 1/y, so that alpha = (1 - gamma)^2/v.
    """
    v = sp.Symbol("v", positive=True)
    power, rest = gamma**T, (1 - gamma**T) * T
    return (
        Theorem(
            given=[gamma < 1],
            shows=AtMost(gamma * sp.log(1 + v) / v, schedules.uniform_erub(gamma, (1 - gamma) ** 2 / v, T)),
        )
        .have(AtMost(power, 1, strict=True), "gamma^T < 1")
        .use("uniform-tangent", "at P = gamma^T", P=gamma**T, v=v)
        .use("gamma-logarithm", "ln(1/gamma) <= 1/(kappa - 1)", gamma=gamma)
        .have(AtMost(-rest * gamma * sp.log(gamma), rest * (1 - gamma)), "times T (1 - gamma^T)")
        .have(AtMost(gamma * sp.log(1 + v), v * power + rest * (1 - gamma)), "together")
    )


@claim(PAPER, "uniform-tangent", at="Theorem 4.2, Eq (5), corrected", kind="inequality", standing="ours")
def logarithm_below_its_tangent():
    """ln(1 + v) <= v P + (1 - P) ln(1/P) for v > 0 and 0 < P < 1: the tangent of ln(1 + v) at 1 + v = 1/P."""
    v, P = sp.symbols("v P", positive=True)
    return Theorem(given=[P < 1], shows=AtMost(sp.log(1 + v), v * P - (1 - P) * sp.log(P))).calc(
        sp.log(1 + v),
        ("<=", (1 + v) * P - 1 - sp.log(P), "the tangent"),
        ("<=", v * P - (1 - P) * sp.log(P), "P ln(1/P) <= 1 - P"),
    )


@claim(PAPER, "power-exp", at="Theorem 4.2, Eq (5), corrected", kind="inequality", standing="ours")
def power_of_gamma_is_at_most_an_exponential():
    """gamma^T <= exp(-(1 - gamma) T) = exp(-T/kappa), 0 < gamma < 1."""
    return (
        Theorem(given=[gamma < 1], shows=AtMost(gamma**T, sp.exp(-(1 - gamma) * T)))
        .have(AtMost(sp.log(gamma), gamma - 1), "the tangent at 1")
        .have(AtMost(T * sp.log(gamma), T * (gamma - 1)), "T times")
    )


@claim(
    PAPER,
    "thm-4.2-bound-corrected",
    at="Theorem 4.2, Eq (5), corrected",
    kind="asymptotic",
    uses=["thm-4.2-bound-lower", "thm-4.2-bound-zero", "power-exp", "ln-bounds", "ln-exp", "ln-large"],
    standing="ours",
)
def least_uniform_bound_is_y_ln_one_plus_one_over_y():
    """For all kappa > 1 and alpha with y = kappa^2 alpha <= 1 the whole T = ceil(kappa ln(1 + 1/y)) has a
    uniform bound of at most (7/2) y ln(1 + 1/y); for y >= 1 so has T = 0 (thm-4.2-bound-zero). With
    thm-4.2-bound-lower the least uniform bound over whole T >= 0 is Theta(kappa^2 alpha ln(1 + 1/(kappa^2
    alpha))), kappa >= 1/(1-c): Eq (5) has kappa alpha for kappa^2 alpha.

    v = 1/y, so that alpha = (1 - gamma)^2/v, gamma = 1 - 1/kappa; T is any whole number from kappa ln(1 + v)
    to kappa ln(1 + v) + 1.
    """
    v = sp.Symbol("v", positive=True)
    length, kept = sp.log(1 + v), 1 - gamma
    rounded_up = [kept * T >= length, kept * T <= length + kept]
    return (
        Theorem(
            given=[gamma < 1, v >= 1, *rounded_up],
            shows=AtMost(schedules.uniform_erub(gamma, kept**2 / v, T), sp.Rational(7, 2) * length / v),
        )
        .use("power-exp", "gamma^T <= exp(-T/kappa)", gamma=gamma, T=T)
        .use("ln-exp", "exp(-T/kappa) <= 1/(1 + v)", v=v, w=kept * T)
        .use("ln-bounds", "1/(1 + v) <= ln(1 + v)/v", v=v)
        .use("ln-large", "ln(1 + v) >= 2/3", v=v)
        .have(AtMost(gamma**T, length / v), "the first term")
        .have(AtMost(kept * T * (1 - gamma**T), length + kept), "1 - gamma^T <= 1")
        .have(AtMost(kept * T * (1 - gamma**T), sp.Rational(5, 2) * length), "kept <= 1 <= (3/2) ln(1 + v)")
        .have(AtMost(kept * T * (1 - gamma**T) / v, sp.Rational(5, 2) * length / v), "over v")
    )


@claim(
    PAPER,
    "thm-4.2-bound-zero",
    at="Theorem 4.2, Eq (5), corrected, T = 0",
    kind="asymptotic",
    uses=["ln-two"],
    standing="ours",
)
def no_step_has_the_order_of_the_bound():
    """1, the bound of T = 0, is at most (7/2) y ln(1 + 1/y) for y = kappa^2 alpha >= 1 (v = 1/y), and never
    below y ln(1 + 1/y).
    """
    v = sp.Symbol("v", positive=True)
    return AllOf(
        AtMost(1, sp.Rational(7, 2) * sp.log(1 + v) / v, given=[v <= 1]), AtMost(sp.log(1 + v) / v, 1)
    )
