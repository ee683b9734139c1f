"""Theorem 4.6, from below: what no schedule can undercut, and the printed ERUB_min, which is smaller.

gamma^T + 2 R eta_0 alpha U_3 >= K/(1+K),  K = 2 eta_0 alpha (1-beta)^2/(1 - sqrt gamma)^2,  any schedule
ERUB_min <= O(x (x [T <= T_hat] + [T > T_hat])),  x = kappa alpha/(kappa alpha + eta_0), as printed
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, R, T, alpha, beta, eta0, gamma, i, s2, t, weight
from dpverify.symbolic.dynamic_noise.remarks_4_4 import HALF
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED


def _written_out(g=gamma):
    """U_3 of Eq (13), with its weights."""
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    return average, sp.Sum(g ** (T - t) * weight(t) ** 2 * average, (t, 1, T))


@claim(PAPER, "momentum-term", at="Theorem 4.6, from below", kind="inequality", standing="ours")
def noise_of_a_step_is_at_least_that_of_its_own_draw():
    """(1-beta)^2 sigma_t^2 <= ((1-beta)/(1-beta^t))^2 sum_{i<=t} beta^(2(t-i)) sigma_i^2."""
    average, _ = _written_out()
    earlier = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t - 1))
    return (
        Theorem(given=[beta < 1], shows=AtMost((1 - beta) ** 2 * s2[t], weight(t) ** 2 * average))
        .have(AtMost(1 - beta, weight(t)), "1 - beta^t <= 1")
        .have(AtMost((1 - beta) ** 2, weight(t) ** 2), "squared")
        .have(Equal(average, s2[t] + earlier), "the last term of the sum")
        .have(AtMost(0, earlier), "the others are not negative")
        .have(AtMost(s2[t], average), "together")
        .have(AtMost((1 - beta) ** 2 * s2[t], weight(t) ** 2 * s2[t]), "times sigma_t^2")
        .have(AtMost(weight(t) ** 2 * s2[t], weight(t) ** 2 * average), "times w_t^2")
    )


@claim(
    PAPER,
    "momentum-floor",
    at="Theorem 4.6, from below",
    kind="inequality",
    uses=["momentum-term"],
    standing="ours",
)
def u3_is_at_least_the_influence_of_gd():
    """U_3 >= (1-beta)^2 sum_t gamma^(T-t) sigma_t^2."""
    average, u3 = _written_out()
    least = gamma ** (T - t) * ((1 - beta) ** 2 * s2[t])
    return (
        Theorem(given=INSIDE, shows=AtMost((1 - beta) ** 2 * sp.Sum(gamma ** (T - t) * s2[t], (t, 1, T)), u3))
        .use("momentum-term", "each step", over=(t, 1, T), t=t)
        .sum(AtMost(least, gamma ** (T - t) * weight(t) ** 2 * average), (t, 1, T), "added up")
    )


@claim(PAPER, "geometric-cost", at="Theorem 4.6, from below", kind="inequality", standing="ours")
def no_schedule_is_below_for_geometric_influence():
    """For every schedule on the budget R = sum_t 1/sigma_t^2: R sum_t g^(2(T-t)) sigma_t^2 >=
    ((1-g^T)/(1-g))^2.
    """
    g = sp.Symbol("g", positive=True)
    geometric = (1 - g**T) / (1 - g)
    roots = sp.Sum(g ** (T - t), (t, 1, T))
    spent, cost = sp.Sum(1 / s2[t], (t, 1, T)), sp.Sum(g ** (2 * (T - t)) * s2[t], (t, 1, T))
    return (
        Theorem(given=[g < 1, sp.Eq(spent, R)], shows=AtMost(geometric**2, R * cost))
        .have(Equal(roots, geometric), "a geometric sum")
        .have(AtMost(roots**2, spent * cost), "Lemma 4.1")
    )


@claim(
    PAPER,
    "thm-4.6-floor",
    at="Theorem 4.6, a given T and every schedule",
    kind="inequality",
    uses=["momentum-floor", "geometric-cost"],
    standing="ours",
)
def no_schedule_is_below_at_these_steps():
    """For every T >= 1 and every schedule on the budget R = sum_t 1/sigma_t^2: gamma^T + 2 R eta_0 alpha U_3
    >= gamma^T + 2 eta_0 alpha (1-beta)^2 ((1-gamma^(T/2))/(1-sqrt gamma))^2, U_3 being Eq (13).
    """
    _, u3 = _written_out()
    root = sp.sqrt(gamma)
    factor = 2 * eta0 * alpha * (1 - beta) ** 2
    plain = sp.Sum(gamma ** (T - t) * s2[t], (t, 1, T))
    return (
        Theorem(
            given=[*INSIDE, sp.Eq(sp.Sum(1 / s2[t], (t, 1, T)), R)],
            shows=AtMost(
                gamma**T + factor * ((1 - root**T) / (1 - root)) ** 2, gamma**T + 2 * R * eta0 * alpha * u3
            ),
        )
        .use("momentum-floor", "the influence is at least that of GD")
        .have(AtMost(root, 1, strict=True), "gamma < 1")
        .use("geometric-cost", "Lemma 4.1", g=root)
        .have(AtMost(factor * ((1 - root**T) / (1 - root)) ** 2, factor * (R * plain)), "times 2 eta_0 alpha")
        .have(AtMost(factor * R * plain, 2 * R * eta0 * alpha * u3), "times 2 R eta_0 alpha")
    )


@claim(
    PAPER,
    "thm-4.6-lower",
    at="Theorem 4.6, every T and every schedule",
    kind="inequality",
    uses=["thm-4.6-floor"],
    standing="ours",
)
def no_choice_of_steps_and_schedule_is_below():
    """For every T >= 1 and every schedule on the budget R = sum_t 1/sigma_t^2: gamma^T + 2 R eta_0 alpha U_3
    >= K/(1+K), K = 2 eta_0 alpha (1-beta)^2/(1 - sqrt gamma)^2, U_3 being Eq (13). At T = 0 the bound is 1.
    """
    _, u3 = _written_out()
    root = sp.sqrt(gamma)
    K = 2 * eta0 * alpha * (1 - beta) ** 2 / (1 - root) ** 2
    return (
        Theorem(
            given=[*INSIDE, sp.Eq(sp.Sum(1 / s2[t], (t, 1, T)), R)],
            shows=AtMost(K / (1 + K), gamma**T + 2 * R * eta0 * alpha * u3),
        )
        .use("thm-4.6-floor", "at these T")
        .have(AtMost(root, 1, strict=True), "gamma < 1")
        .have(AtMost(K / (1 + K), (root**T) ** 2 + K * (1 - root**T) ** 2), "the least over gamma^(T/2)")
    )


@claim(
    PAPER,
    "thm-4.6-bound",
    at="Theorem 4.6, ERUB_min",
    kind="asymptotic",
    uses=["thm-4.6-lower", "momentum-family"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.6-bound-corrected",
)
def dynamic_bound_of_momentum_as_printed():
    """ERUB_min = O(x (x I[T <= T_hat] + I[T > T_hat])) <= O(x), x = kappa alpha/(kappa alpha + eta_0), with
    constants of beta and eta_0 alone.

    ERUB_min, the least over every schedule and every T, is at least K/(1+K) (thm-4.6-lower). Refuted
    along beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) and alpha = (1-gamma)/n: x =
    1/(n+1) goes to 0, and K/(1+K) does not.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    g = sp.exp(-sp.log(2) / (2 * n))  # sqrt(gamma)
    first, half = sp.Rational(1, 100), sp.Rational(1, 2)
    K = 2 * first * (1 - half) ** 2 * (1 + g) / (n * (1 - g))  # alpha/(1-g)^2 is (1+g)/(n(1-g))
    return Instance(
        BigO(K / (1 + K), 1 / (n + 1), [n >= 100]),
        let={
            "beta, eta_0": "1/2, 1/100",
            "gamma": "2^(-1/n)",
            "kappa": "eta_0/(1-gamma)",
            "alpha": "(1-gamma)/n, so that x = 1/(n+1)",
            "ERUB": "at least K/(1+K) for every T and schedule (thm-4.6-lower)",
        },
        because="x goes to 0 along it, and K/(1+K) does not",
    )


FIRST = sp.Rational(1, 100)  # eta_0 of momentum-family, where beta = HALF


def _floor_on_the_family(power, count):
    """What thm-4.6-floor has on momentum-family at gamma^T = power and 1 + eta_0/(kappa alpha) = sqrt 2."""
    g = sp.exp(-sp.log(2) / (2 * count))  # sqrt gamma
    influence_of_noise = (1 - g**2) / (sp.sqrt(2) - 1)  # alpha
    return power + 2 * FIRST * influence_of_noise * (1 - HALF) ** 2 * ((1 - sp.sqrt(power)) / (1 - g)) ** 2


@claim(
    PAPER,
    "thm-4.6-bound-short",
    at="Theorem 4.6, ERUB_min for T <= T_hat, at its T",
    kind="asymptotic",
    uses=["thm-4.6-floor", "momentum-family"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.6-bound-corrected",
)
def dynamic_bound_of_momentum_before_t_hat_as_printed():
    """Where T = ceil((2/l) ln(1 + eta_0/(kappa alpha))) <= T_hat, l = ln(1/gamma), the bound with T steps,
    gamma^T + 2 R eta_0 alpha U_3, is O(x^2), x = kappa alpha/(kappa alpha + eta_0), with a constant of beta
    and eta_0 alone.

    Whatever the schedule on the budget, it is at least the value of thm-4.6-floor. Refuted along
    beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family: T_hat = n) and alpha =
    (1-gamma)/(sqrt 2 - 1), so that x = 1/sqrt 2 and T = n = T_hat: the value grows like n, as kappa does. A
    fixed share of these steps grows too (thm-4.6-share); T = 0 or 1, which the O also admits, has at
    most 1 = 2 x^2 here: thm-4.6-short.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    return Instance(
        BigO(_floor_on_the_family(HALF, n), HALF, [n >= 100]),
        let={
            "beta, eta_0": "1/2, 1/100",
            "gamma": "2^(-1/n)",
            "kappa": "eta_0/(1-gamma)",
            "alpha": "(1-gamma)/(sqrt 2 - 1), so that x^2 = 1/2",
            "T": "n = (2/l) ln(1 + eta_0/(kappa alpha)) = T_hat",
            "ERUB": "at least that of thm-4.6-floor, for every schedule",
        },
        because="the noise of T steps is of the order kappa, and x does not move",
    )


@claim(
    PAPER,
    "thm-4.6-share",
    at="Theorem 4.6, ERUB_min for T <= T_hat, at every fixed share of its steps",
    kind="inequality",
    uses=["thm-4.6-floor"],
    standing="ours",
)
def bound_before_t_hat_grows_at_every_share_of_the_steps():
    """On the family of thm-4.6-bound-short, with a share b of its steps, T = b n, 0 < b <= 1: the value of
    thm-4.6-floor is at least n (1 - 2^(-b/2))^2/30, where x^2 = 1/2.
    """
    b, n = sp.Symbol("b", positive=True), sp.Symbol("n", integer=True, positive=True)
    u = sp.log(2) / (2 * n)
    g, gap = sp.exp(-u), 1 - 2 ** (-b / 2)
    slope = FIRST / (2 * (sp.sqrt(2) - 1))
    return (
        Theorem(
            given=[n >= 100, b <= 1],
            shows=AtMost(n * gap**2 / 30, _floor_on_the_family(2**-b, n)),
        )
        .have(AtMost(1 - g, u), "exp(-u) >= 1 - u")
        .have(AtMost(0, 1 - g, strict=True), "u > 0")
        .have(AtMost(sp.log(2), sp.Rational(7, 10)), "ln 2 <= 7/10")
        .have(AtMost(u, 7 / (20 * n)), "over 2n")
        .have(AtMost(20 * n / 7, 1 / (1 - g)), "the inverse")
        .have(AtMost(sp.Rational(1, 30), slope * sp.Rational(20, 7)), "the constant")
        .have(AtMost(n / 30, slope / (1 - g)), "the two")
        .have(AtMost(n / 30 * gap**2, slope / (1 - g) * gap**2), "times the square")
        .have(AtMost(slope / (1 - g) * gap**2, slope * (1 + g) / (1 - g) * gap**2), "g > 0")
        .have(
            Equal(_floor_on_the_family(2**-b, n), 2**-b + slope * (1 + g) / (1 - g) * gap**2),
            "1 - g^2 = (1-g)(1+g)",
        )
        .have(AtMost(0, 2**-b), "gamma^T > 0")
    )
