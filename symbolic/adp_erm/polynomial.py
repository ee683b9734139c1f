"""Section 5.1: polynomially decaying steps, b_t = sqrt(a + c t), and the gain of a logarithm.

sum_t 1/b_t is between sqrt((T-1)/c) (for T >= 5 + 4a/c) and 2 sqrt(T/c);  sum_t 1/b_t^2 <= log(1 + cT/a)/c
"""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.relations import AtMost, Equal, Tested
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.utility import L, S, T, d, eta, t, total
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED, Evidence, Result, Witness

ALPHA = 1e-6  # the probability of a false refutation by runs
a, c = sp.symbols("a c", positive=True)
first, G2 = sp.symbols("D_F G2", positive=True)  # F(theta_0) - F*, G^2
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


def printed(last):
    """The first term of Eqs (9) and (10), with B_T = log(1 + cT/a), and a last term."""
    return sp.sqrt(c) * (first / eta + eta * G2 * L * LOG / (2 * c)) / sp.sqrt(T - 1) + last


def following(M):
    """Theorem 4.2 with eta L restored, E|grad f|^2 <= G2, at the noise factor M."""
    return (first / eta + eta * L / 2 * G2 * SQUARES + eta * L * d * S / 2 * M) / INVERSE


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
    sqrt(T)/(2 n^2 eps^2 sqrt c), T >= 5 + 4a/c.

    B_T is taken as log(1 + T c/a), the least for which the first term follows. The loss is Huber's, G = L =
    1: every record is the same.
    """
    T, eta, spread, n, delta = (
        10_000,
        0.1,
        0.2,
        10**5,
        1e-5,
    )  # a = c = 1; spread = eta sigma^2, so that E theta^2 stays near spread/2

    def run(effort: Effort) -> Result:
        b = np.sqrt(1 + np.arange(1, T + 1))
        noise = spread / eta  # sigma^2
        B = math.log(16 * T / (n * delta)) * math.log(1.25 / delta)
        eps = 16 / n * math.sqrt(B * np.sum(1 / b) / noise)  # Eq (6), alpha_t^2 = b_t
        start = math.sqrt(spread / 2)
        stated = (start**2 / 2 / eta + eta * math.log(1 + T) / 2) / math.sqrt(
            T - 1
        ) + eta * 256 * B * math.sqrt(T) / (2 * (n * eps) ** 2)
        rng, runs = np.random.default_rng(np.random.SeedSequence(effort.seed)), 2 * effort.runs
        level = math.log(2 * T / ALPHA)
        theta, lowest = np.full(runs, start), start**2
        for index in range(T - 1):
            slope = np.clip(theta, -1, 1)
            theta = theta - eta / b[index] * (slope + math.sqrt(b[index] * noise) * rng.standard_normal(runs))
            squares = np.minimum(theta * theta, 1)
            low = (
                squares.mean()
                - math.sqrt(2 * squares.var(ddof=1) * level / runs)
                - 7 * level / (3 * (runs - 1))
            )
            lowest = min(lowest, float(low))
        evidence = Evidence(
            "Monte Carlo",
            alpha=ALPHA,
            samples=runs,
            seed=effort.seed,
            ceiling="a mean above the bound at every step, by empirical Bernstein bounds",
        )
        if lowest <= stated:
            return Result(
                UNDECIDED,
                f"the lower confidence bound {lowest:.4f} is not above the stated {stated:.4f}",
                evidence,
            )
        let = {
            "f(theta)": "Huber's loss, G = L = 1",
            "theta_0": f"{start:.4f}",
            "a, c": "1, 1",
            "T": str(T),
            "eta": str(eta),
            "n": str(n),
            "eps": f"{eps:.4f}",
        }
        then = f"E|grad F(theta_t)|^2 >= {lowest:.4f} for every t = 0..T-1, up to a probability of {ALPHA}"
        return Result(
            REFUTED,
            f"{lowest:.4f} > {stated:.4f}",
            evidence,
            Witness(let, then, f"at most {stated:.4f} for some t"),
        )

    return Tested("the smallest mean squared gradient of ADP-SGD is at most Eq (9)", run)


@claim(
    PAPER,
    "prop-5.1-eq9-step",
    at="Proposition 5.1, Eq (9), the sum of the steps",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="sum-upper",
    standing="ours",
)
def sum_of_steps_as_eq_9_needs_it():
    """The last term of Eq (9) follows from Theorem 4.2 if sum_t 1/sqrt(a + c t) <= sqrt(T/c) for T >= 5 +
    4a/c.
    """
    return AtMost(INVERSE, sp.sqrt(T / c), given=[ENOUGH])


@claim(
    PAPER,
    "prop-5.1-eq9-corrected",
    at="Proposition 5.1, Eq (9), corrected",
    kind="inequality",
    uses=["thm-4.2-eq7-corrected", "remark-4.1-attain", "sum-upper", "prop-5.1-tcond", "prop-5.1-bt"],
)
def bound_of_adp_sgd_with_twice_the_privacy_term():
    """Eq (9) holds with twice its last term, and B_T = log(1 + T c/a): what Theorem 4.2 (with eta L) gives at
    alpha_t^2 = b_t is at most that.
    """
    bound = printed(eta * d * L * S * sp.sqrt(T) / sp.sqrt(c))
    return with_sums(INVERSE**2, bound)


def with_sums(M, bound):
    """That a bound follows from Theorem 4.2 at the noise factor M, by the three facts on the sums."""
    return (
        Theorem(given=[ENOUGH], shows=AtMost(following(M), bound))
        .use("sum-upper", "the sum of the steps", a=a, c=c, T=T)
        .use("prop-5.1-tcond", "the sum of the steps", a=a, c=c, T=T)
        .use("prop-5.1-bt", "the sum of their squares", a=a, c=c, T=T)
        .have(AtMost(5, T), "T >= 5 + 4a/c")
    )


@claim(
    PAPER,
    "prop-5.1-eq10",
    at="Proposition 5.1, Eq (10)",
    kind="inequality",
    uses=["thm-4.2-eq7-corrected", "sum-upper", "prop-5.1-tcond", "prop-5.1-bt"],
)
def bound_of_dp_sgd():
    """Eq (10), with B_T = log(1 + T c/a): what Theorem 4.2 (with eta L) gives at alpha = 1 is at most
    that.
    """
    bound = printed(eta * d * L * S * sp.sqrt(T) * LOG / sp.sqrt(c))
    return with_sums(T * SQUARES, bound)


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
    (thm-4.1-mam) and ADP improves M by r = M_dp/M_adp >= ln(1 + T/2)/4, the last term improves by ln(16 T/(n
    delta)) r, which is at least (ln T)^2/16 once T >= 2 and 16 T >= n delta sqrt(T): the two gains multiply.
    """
    r, taken = sp.symbols("r l", positive=True)  # M_dp/M_adp, ln(16 T/(n delta))
    return (
        Theorem(
            given=[r >= sp.log(1 + T / 2) / 4, taken >= sp.log(T) / 2],
            shows=AtMost(sp.log(T) ** 2 / 16, taken * r),
        )
        .have(AtMost(0, sp.log(T)), "T >= 1")
        .have(AtMost(sp.log(T) / 2, sp.log(1 + T / 2)), "T <= (1 + T/2)^2")
        .have(AtMost(sp.log(T) / 8, r), "a quarter of it")
    )


@claim(
    PAPER,
    "intro-rates",
    at="Section 1, the two rates",
    kind="asymptotic",
    uses=["prop-5.1-eq9-corrected", "prop-5.1-eq10"],
)
def rates_of_the_introduction():
    """With eta_t = 1/sqrt(1 + t), T >= 9: what Theorem 4.2 gives is at most 2 (D_F/eta + eta G^2
    L)(log(1+T)/sqrt T) + eta L 256 G^2 B_delta (d sqrt T/(n eps)^2), for ADP, and log(1+T) times the last
    term for DP. (B_delta, which holds another ln T, is hidden in both.)
    """
    log, root = sp.log(1 + T), sp.sqrt(T)
    scale = 2 * (first / eta + eta * G2 * L) * log / root
    noise = eta * L * d * S * root

    def theorem(last):
        bound = (first / eta + eta * G2 * L * log / 2) / sp.sqrt(T - 1) + last
        return (
            Theorem(given=[T >= 9], shows=AtMost(bound, scale + last))
            .have(AtMost(1, log), "T >= 9")
            .have(AtMost(1 / sp.sqrt(T - 1), 2 / root), "T >= 9")
        )

    return AllOf(theorem(noise), theorem(noise * log))


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
    last = eta * d * L * S * sp.sqrt(T) / sp.sqrt(c)  # of the corrected (9); S = (16 G)^2 B_delta/(n eps)^2
    gain = last * LOG - last
    return AllOf(
        AtMost(gain, last * LOG),
        Theorem(given=[c * T >= 2 * a], shows=AtMost(0, gain, strict=True))
        .have(AtMost(3, 1 + c * T / a), "cT >= 2a")
        .calc(1, ("<", sp.log(3), "3 is above e"), ("<=", LOG, "the logarithm grows")),
    )
