"""Section 5.1: polynomially decaying steps, b_t = sqrt(a + c t), and the gain of a logarithm.

sum_t 1/b_t is between sqrt((T-1)/c) (for T >= 5 + 4a/c) and 2 sqrt(T/c);  sum_t 1/b_t^2 <= log(1 + cT/a)/c
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.theorem_4_1 import total
from dpverify.symbolic.adp_erm.utility import (
    SCALE,
    G,
    L,
    T,
    alpha,
    b,
    d,
    e,
    eta,
    h2,
    m,
    noise_factor,
    steps_of_algorithm_1,
    t,
)
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

a, c = sp.symbols("a c", positive=True)
STEPS = sp.sqrt(a + c * t)
INVERSE, SQUARES = total(1 / STEPS), total(1 / (a + c * t))
LOG = sp.log(1 + c * T / a)
ENOUGH = T >= 5 + 4 * a / c


@claim(PAPER, "sum-upper", at="Proposition 5.1, the sum of the steps", kind="inequality", standing="ours")
def sum_of_steps_is_at_most():
    """sum_t 1/sqrt(a + c t) <= 2 sqrt(T/c)."""
    return Theorem(shows=AtMost(INVERSE, 2 * sp.sqrt(T / c))).induct(T, 1)


@claim(PAPER, "sum-lower", at="Proposition 5.1, the sum of the steps", kind="inequality", standing="ours")
def sum_of_steps_is_at_least():
    """sum_t 1/sqrt(a + c t) >= (2/c)(sqrt(a + c(T+1)) - sqrt(a + c))."""
    lower = 2 / c * (sp.sqrt(a + c * (T + 1)) - sp.sqrt(a + c))
    return Theorem(shows=AtMost(lower, INVERSE)).induct(T, 1)


@claim(PAPER, "prop-5.1-tcond", at="Proposition 5.1, T >= 5 + 4a/c", kind="inequality", uses=["sum-lower"])
def condition_on_t_bounds_the_sum_of_steps():
    """If T >= 5 + 4a/c, then sum_t 1/sqrt(a + c t) >= sqrt((T-1)/c)."""
    lower = 2 / c * (sp.sqrt(a + c * (T + 1)) - sp.sqrt(a + c))
    return (
        Theorem(given=[ENOUGH], shows=AtMost(sp.sqrt((T - 1) / c), INVERSE))
        .use("sum-lower", "the sum", a=a, c=c, T=T)
        .have(AtMost(sp.sqrt((T - 1) / c), lower), "which is where T >= 5 + 4a/c is needed")
    )


@claim(PAPER, "prop-5.1-bt", at="Proposition 5.1, B_T", kind="inequality", standing="definition")
def sum_of_squared_steps_is_at_most():
    """B_T, which the text does not define, may be taken as log(1 + cT/a): sum_t 1/(a + c t) <= log(1 +
    cT/a)/c.
    """
    ratio = c / a
    return (
        Theorem(shows=AtMost(SQUARES, LOG / c))
        .have(AtMost(total(ratio / (1 + ratio * t)), LOG), "a sum of decreasing terms is below the integral")
        .have(Equal(SQUARES, total(ratio / (1 + ratio * t)) / c), "term by term")
    )


def first_terms(log=LOG):
    """The first term of Eqs (9) and (10), with B_T = log(1 + cT/a)."""
    return sp.sqrt(c) * (e[1] / eta + eta * G**2 * L * log / (2 * c)) / sp.sqrt(T - 1)


PRIVACY = eta * d * L * SCALE * sp.sqrt(T) / sp.sqrt(c)  # twice the last term of Eq (9)


def schedule(adaptive: bool):
    """b_t = sqrt(a + c t), alpha_t^2 = b_t or 1, and E|grad f|^2 <= G^2, for every step."""
    factor = sp.sqrt(b[t]) if adaptive else sp.Integer(1)
    rules = (Equal(b[t], STEPS), Equal(alpha[t], factor), AtMost(h2[t], G**2))
    return [ForEvery(rule, t, 1, T) for rule in rules]


def proposition_5_1(adaptive: bool, last):
    """From Theorem 4.2 and the schedule: m is at most the first term and this last one."""
    steps = steps_of_algorithm_1(Function("F", smooth=L))
    rest = e[1] / eta + eta * L * G**2 * LOG / (2 * c)
    M = noise_factor(alpha[t] ** 2, b[t])
    squared = (1 / STEPS, 1 / STEPS) if adaptive else (1 / (a + c * t), sp.Integer(1))
    factor = INVERSE**2 if adaptive else T * SQUARES
    scale = eta * L * d * SCALE / 2
    root = sp.sqrt(c) / sp.sqrt(T - 1)
    noisy = scale * (INVERSE if adaptive else T * LOG / c * root)  # what the noise adds in the end
    theorem = (
        Theorem(given=[*steps, *schedule(adaptive), ENOUGH, T >= 6], shows=AtMost(m, first_terms() + last))
        .use("thm-4.2-eq7-corrected", "Theorem 4.2")
        .use("sum-upper", "the sum of the steps", a=a, c=c, T=T)
        .use("prop-5.1-tcond", "the sum of the steps", a=a, c=c, T=T)
        .use("prop-5.1-bt", "the sum of their squares", a=a, c=c, T=T)
        .have(AtMost(5, T), "T >= 5 + 4a/c")
        .sum(Equal(1 / b[t], 1 / STEPS), (t, 1, T), "the schedule")
        .sum(AtMost(h2[t] / b[t] ** 2, G**2 / (a + c * t)), (t, 1, T), "bounded gradients")
        .have(Equal(total(G**2 / (a + c * t)), G**2 * SQUARES), "a constant factor")
        .sum(Equal(alpha[t] ** 2 / b[t] ** 2, squared[0]), (t, 1, T), "the schedule")
        .sum(Equal(1 / alpha[t] ** 2, squared[1]), (t, 1, T), "the schedule")
        .have(Equal(total(sp.Integer(1)), T), "T terms")
        .have(Equal(M, factor), "the noise factor")
        .have(AtMost(0, INVERSE, strict=True), "every step is positive")
        .have(AtMost(1 / INVERSE, root), "T >= 5 + 4a/c")
        .have(AtMost(m, (rest + scale * factor) / INVERSE), "Theorem 4.2 with the schedule")
        .have(AtMost(rest / INVERSE, rest * root), "the sum of the steps")
    )
    if not adaptive:
        theorem = theorem.have(AtMost(T * SQUARES / INVERSE, T * LOG / c * root), "both sums")
        theorem = theorem.have(AtMost(scale * factor / INVERSE, noisy), "the noise")
    return theorem.have(AtMost(noisy, last), "the sum of the steps" if adaptive else "T <= 5 (T - 1)/4")


@claim(
    PAPER,
    "prop-5.1-eq9",
    at="Proposition 5.1, Eq (9)",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="prop-5.1-eq9-corrected",
)
def smallest_mean_squared_gradient_is_at_most_eq_9():
    """E|grad F(theta_tau)|^2 <= sqrt(c) (D_F/eta + eta G^2 L B_T/(2c))/sqrt(T-1) + eta d L (16 G)^2 B_delta
    sqrt(T)/(2 n^2 eps^2 sqrt c), T >= 5 + 4a/c, whatever B_T <= sqrt(T)/2 is. (The text does not define it;
    the first term follows for B_T = log(1 + T c/a), prop-5.1-bt.)

    The case: T = 10^8, a = c = d = 1, every record has Huber's loss with slope clip(theta, -1, 1), plus 1, so
    G = L = 1; eta = 1/100, theta_0 = 1/10, v = theta_0^2, and n, eps, delta such that Eq (6) gives sigma^2 =
    2 v/eta. Without the clip a step of size r = eta/b_t takes y_t = E theta^2 to (1 - r)^2 y_t + 2 r v, which
    is at least v if y_t is, and at most w = 2 v/(2 - eta); theta stays Gaussian, so that it is ever beyond 1
    with a chance of at most q = 2 T exp(-(1 - theta_0)^2/(2 w)), and up to then the clip does nothing: every
    E|grad F(theta_t)|^2 is at least v - E theta_t^2 1(beyond) >= v - sqrt(3 q) w. The last term of Eq (9) is
    v sqrt(T)/sum_t 1/b_t, where the sum is at least 2 (sqrt(T + 2) - sqrt 2) (sum-lower).
    """
    rounds, largest = sp.Integer(10) ** 8, sp.Integer(5000)
    least, last = stationary(rounds)
    spent = (STATIONARY / 2 / RATE + RATE * largest / 2) / sp.sqrt(rounds - 1)
    return Instance(
        AtMost(least, spent + last),
        let=HUBER | {"B_T": "any number up to 5000"},
        meets=[AtMost(5 + 4, rounds), AtMost(sp.log(1 + rounds), largest)],
        because="sum_t 1/b_t is near 2 sqrt(T/c), and Eq (9) has room for sqrt(T/c)",
    )


STATIONARY, RATE = sp.Rational(1, 100), sp.Rational(1, 100)  # v = theta_0^2 and eta
HUBER = {
    "f(theta; x)": "1 + Huber's loss with slope clip(theta, -1, 1), for every x",
    "T, d, L, G, a, c": "10^8, 1, 1, 1, 1, 1",
    "eta, theta_0": "1/100, 1/10",
    "n, eps, delta": "any with sigma^2 = 2 theta_0^2/eta by Eq (6)",
}


def stationary(rounds):
    """For the case of prop-5.1-eq9: a number below every E|grad F(theta_t)|^2, and one above the last term of
    Eq (9).
    """
    wide = 2 * STATIONARY / (2 - RATE)
    beyond = 2 * rounds * sp.exp(-((1 - sp.sqrt(STATIONARY)) ** 2) / (2 * wide))
    steps = 2 * (sp.sqrt(rounds + 2) - sp.sqrt(2))
    return STATIONARY - sp.sqrt(3 * beyond) * wide, STATIONARY * sp.sqrt(rounds) / steps


@claim(
    PAPER,
    "prop-5.1-eq9-corrected",
    at="Proposition 5.1, Eq (9), corrected",
    kind="inequality",
    uses=["thm-4.2-eq7-corrected", "remark-4.1-attain", "sum-upper", "prop-5.1-tcond", "prop-5.1-bt"],
    standing="ours",
)
def bound_of_adp_sgd_with_twice_the_privacy_term():
    """Eq (9) holds with twice its last term, and B_T = log(1 + T c/a): for Algorithm 1 with b_t = sqrt(a + c
    t), alpha_t^2 = b_t, E|grad f|^2 <= G^2, sigma^2 of Eq (6) and T >= 5 + 4a/c, whatever is at most every
    E|grad F(theta_{t-1})|^2, t = 1..T, is at most sqrt(c) (D_F/eta + eta G^2 L B_T/(2c))/sqrt(T-1) + eta d L
    (16 G)^2 B_delta sqrt(T)/(n^2 eps^2 sqrt c), D_F = e_1.
    """
    return proposition_5_1(True, PRIVACY)


@claim(
    PAPER,
    "prop-5.1-eq10",
    at="Proposition 5.1, Eq (10)",
    kind="inequality",
    uses=["thm-4.2-eq7-corrected", "sum-upper", "prop-5.1-tcond", "prop-5.1-bt"],
)
def bound_of_dp_sgd():
    """Eq (10), with B_T = log(1 + T c/a), for the same algorithm with alpha_t = 1."""
    return proposition_5_1(False, PRIVACY * LOG)


GAIN = sp.log(T + 2) - sp.log(2)
FACTOR = T * SQUARES / INVERSE**2  # M_dp/M_adp


@claim(
    PAPER,
    "prop-5.1-ratio",
    at="Below Proposition 5.1",
    kind="asymptotic",
    uses=["prop-5.1-tcond", "prop-5.1-bt"],
)
def ratio_of_the_noise_factors_is_logarithmic():
    """M_dp/M_adp = O(log T): it is at most (5/4) log(1 + cT/a) for T >= 5 + 4a/c."""
    return (
        Theorem(given=[ENOUGH], shows=AtMost(FACTOR, sp.Rational(5, 4) * LOG))
        .use("prop-5.1-tcond", "the sum of the steps", a=a, c=c, T=T)
        .use("prop-5.1-bt", "the sum of their squares", a=a, c=c, T=T)
        .have(AtMost(5, T), "T >= 5 + 4a/c")
        .have(AtMost((T - 1) / c, INVERSE**2), "squared")
        .have(AtMost(T * SQUARES, T * LOG / c), "T times the sum of squares")
        .have(AtMost(T * LOG / c, sp.Rational(5, 4) * LOG * (T - 1) / c), "T <= 5 (T - 1)/4")
    )


@claim(PAPER, "sum-squares-lower", at="Section 1, gain of a logarithm", kind="inequality", standing="ours")
def sum_of_squared_steps_is_at_least():
    """sum_t 1/(1 + t) >= log(T + 2) - log 2."""
    growth = sp.log(t + 2) - sp.log(t + 1)
    return (
        Theorem(shows=AtMost(GAIN, total(1 / (1 + t))))
        .sum(AtMost(growth, 1 / (1 + t)), (t, 1, T), "log(1 + x) <= x")
        .have(Equal(total(growth), GAIN), "it telescopes")
    )


@claim(
    PAPER,
    "intro-logt",
    at="Section 1, contributions",
    kind="asymptotic",
    uses=["sum-squares-lower", "sum-upper"],
)
def gain_is_at_least_logarithmic():
    """With eta_t = 1/sqrt(1 + t), ADP improves the last term by a factor of order log T: M_dp/M_adp >= log(1
    + T/2)/4 (the upper half is prop-5.1-ratio).
    """
    inverse, squares = total(1 / sp.sqrt(1 + t)), total(1 / (1 + t))
    return (
        Theorem(shows=AtMost(GAIN / 4, T * squares / inverse**2))
        .use("sum-squares-lower", "", T=T)
        .use("sum-upper", "", a=1, c=1, T=T)
        .have(AtMost(0, inverse, strict=True), "positive terms")
        .have(AtMost(inverse**2, 4 * T), "squared")
        .have(AtMost(GAIN * inverse**2, 4 * T * squares), "both")
    )


@claim(PAPER, "sec5-log2", at="Section 5, log^2 T", kind="asymptotic", uses=["intro-logt", "thm-4.1-mam"])
def both_gains_multiply():
    """With eta_t = 1/sqrt(1 + t): if the moments accountant takes ln(16 T/(n delta)) off B_delta
    (thm-4.1-mam) and ADP improves M by M_dp/M_adp, the last term improves by ln(16 T/(n delta)) M_dp/M_adp,
    which is at least (ln T)^2/16 once 16 T >= n delta sqrt(T): the two gains multiply.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    delta = sp.Symbol("delta", positive=True)
    taken = sp.log(16 * T / (n * delta))
    ratio = T * total(1 / (1 + t)) / total(1 / sp.sqrt(1 + t)) ** 2  # M_dp/M_adp
    return (
        Theorem(
            given=[16 * T >= n * delta * sp.sqrt(T)],
            shows=AtMost(sp.log(T) ** 2 / 16, taken * ratio),
        )
        .use("intro-logt", "the gain of ADP", T=T)
        .have(AtMost(0, sp.log(T)), "T >= 1")
        .have(AtMost(sp.sqrt(T), 16 * T / (n * delta)), "16 T >= n delta sqrt(T)")
        .have(AtMost(sp.log(T) / 2, taken), "its logarithm")
        .have(AtMost(sp.log(T) / 2, GAIN), "4 T <= (T + 2)^2")
        .have(AtMost(sp.log(T) / 8, ratio), "a quarter of it")
    )


@claim(
    PAPER,
    "intro-rates",
    at="Section 1, the two rates",
    kind="asymptotic",
    uses=["prop-5.1-eq9-corrected", "prop-5.1-eq10"],
)
def rates_of_the_introduction():
    """With eta_t = eta/sqrt(1 + t), T >= 9: E|grad F(theta_tau)|^2 is at most 2 (D_F/eta + eta G^2 L)(log(1 +
    T)/sqrt T) + eta L 256 G^2 B_delta (d sqrt T/(n eps)^2) for ADP, and at most the same with log(1 + T)
    times the last term for DP. (B_delta, which holds another ln T, is hidden in both.)
    """
    log, root = sp.log(1 + T), sp.sqrt(T)
    scale = 2 * (e[1] / eta + eta * G**2 * L) * log / root
    start = {a: 1, c: 1}

    def rate(adaptive: bool, id: str):
        last = PRIVACY.subs(start) * (1 if adaptive else log)
        steps = steps_of_algorithm_1(Function("F", smooth=L))
        rules = [
            ForEvery(Equal(rule.relation.derived, rule.relation.stated.subs(start)), t, 1, T)
            if isinstance(rule.relation, Equal)
            else rule
            for rule in schedule(adaptive)
        ]
        shown = (e[1] / eta + eta * G**2 * L * log / 2) / sp.sqrt(T - 1)
        return (
            Theorem(given=[*steps, *rules, T >= 9], shows=AtMost(m, scale + last))
            .use(id, "Proposition 5.1", a=1, c=1)
            .have(AtMost(1, log), "T >= 9")
            .have(AtMost(1 / sp.sqrt(T - 1), 2 / root), "T >= 9")
            .have(AtMost(shown, (e[1] / eta + eta * G**2 * L * log / 2) * 2 / root), "T >= 9")
            .have(AtMost((e[1] / eta + eta * G**2 * L * log / 2) * 2 / root, scale), "log(1 + T) >= 1")
        )

    return AllOf(rate(True, "prop-5.1-eq9-corrected"), rate(False, "prop-5.1-eq10"))


@claim(
    PAPER,
    "concl-magnitude",
    at="Section 8",
    kind="asymptotic",
    uses=["prop-5.1-eq9-corrected", "prop-5.1-eq10"],
)
def improvement_of_the_bounds():
    """The last term of (10) less that of the corrected (9) is at most eta L 256 G^2 B_delta/((n eps)^2 sqrt
    c) d log(1 + cT/a) sqrt T: an improvement O(d log(T) sqrt(T)/n^2), and positive if cT >= 2a.
    """
    last = PRIVACY  # of the corrected (9)
    gain = last * LOG - last
    return AllOf(
        AtMost(gain, last * LOG),
        Theorem(given=[c * T >= 2 * a], shows=AtMost(0, gain, strict=True))
        .have(AtMost(3, 1 + c * T / a), "cT >= 2a")
        .calc(1, ("<", sp.log(3), "3 is above e"), ("<=", LOG, "the logarithm grows")),
    )
