"""The sketch of the proof of Theorem 4.2, line by line, and Eq (23), which it quotes.

T = ln(1 + ln(1/gamma)/alpha)/ln(1/gamma) <= O(kappa ln(1 + 1/(kappa alpha)))
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.theorem_4_1 import R, T, alpha, gamma, kappa, t
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "sketch-4.2-e", at="Sketch of Theorem 4.2", kind="identity", uses=["thm-4.1"])
def uniform_bound_in_closed_form():
    """With sigma_t^2 = T/R: ERUB = gamma^T + alpha kappa (1 - gamma^T) T."""
    sigma2 = schedules.uniform(T, R).formula
    derived = gamma**T + R * sp.Sum(gamma ** (T - t) * alpha * sigma2, (t, 1, T))
    return Equal(derived, gamma**T + alpha * (1 - gamma**T) * T / (1 - gamma), given=[gamma < 1])


@claim(PAPER, "sketch-4.2-grad", at="Sketch of Theorem 4.2", kind="identity", uses=["sketch-4.2-e"])
def slope_of_the_uniform_bound():
    """dE/dT = gamma^T ln gamma + alpha kappa (1 - gamma^T) - alpha kappa T gamma^T ln gamma ("intractable":
    see thm-4.2-t-corrected).
    """
    x = sp.Symbol("x", positive=True)
    bound = gamma**x + alpha * kappa * (1 - gamma**x) * x
    power = gamma**x
    stated = power * sp.log(gamma) + alpha * kappa * (1 - power) - alpha * kappa * x * power * sp.log(gamma)
    return Equal(sp.Derivative(bound, x), stated, given=[gamma < 1])


@claim(
    PAPER,
    "sketch-4.2-wang",
    at="Sketch of Theorem 4.2",
    kind="asymptotic",
    expect=REFUTED,
    correction="sketch-4.2-wang-corrected",
    breaks="text",
)
def relaxed_bound_of_prior_work():
    """gamma^T + alpha kappa T^2 at T = ln(1/alpha)/ln(1/gamma) is O(alpha (1 + kappa ln^2(1/alpha))), kappa
    -> oo included.

    T = C ln(1/alpha) with C free of kappa does not give it either: then gamma^T = alpha^(C l), which is not
    O(alpha) once C l < 1.
    """
    n = sp.Symbol("n", integer=True, positive=True)  # kappa
    length, L = -sp.log(1 - 1 / n), sp.Integer(1)  # alpha = 1/e
    value = sp.exp(-1) * (1 + n * (L / length) ** 2)
    return BigO(value, sp.exp(-1) * (1 + n * L**2), [n >= 2])


@claim(
    PAPER,
    "sketch-4.2-wang-corrected",
    at="Sketch of Theorem 4.2, corrected",
    kind="asymptotic",
    uses=["gamma-logarithm"],
    standing="ours",
)
def relaxed_bound_of_prior_work_with_its_kappa():
    """gamma^T + alpha kappa T^2 at T = ln(1/alpha)/ln(1/gamma), alpha = e^-L, is at most alpha (1 + kappa^3
    ln^2(1/alpha)), kappa = 1/(1 - gamma).
    """
    L = sp.Symbol("L", positive=True)
    l = -sp.log(gamma)
    value, kept = sp.exp(-l * (L / l)) + sp.exp(-L) / (1 - gamma) * (L / l) ** 2, 1 - gamma
    return (
        Theorem(given=[gamma < 1], shows=AtMost(value, sp.exp(-L) * (1 + L**2 / kept**3)))
        .use("gamma-logarithm", "l >= 1/kappa", gamma=gamma)
        .have(AtMost(L / l, L / kept), "T <= kappa L")
        .have(AtMost((L / l) ** 2, (L / kept) ** 2), "its square")
        .have(AtMost((L / l) ** 2 / kept, (L / kept) ** 2 / kept), "times kappa")
    )


@claim(
    PAPER,
    "eq-23-t-to-0",
    at="Sketch of Theorem 4.2, below Eq (23)",
    kind="asymptotic",
    uses=["eq-23-t-limit"],
    expect=REFUTED,
    correction="eq-23-t-limit",
    breaks="proof",
)
def eq_23_tends_to_zero():
    """T of Eq (23), (1/l) ln(1 + l/alpha), converges to 0 as kappa -> oo, alpha being fixed.

    It is at least 1/(alpha + 1/(kappa - 1)) (eq-23-t-limit), so that this would have to tend to 0 too.
    """
    below = 1 / (alpha + 1 / (kappa - 1))
    return Instance(
        Equal(sp.Limit(below, kappa, sp.oo), 0),
        let={"T of Eq (23)": "at least 1/(alpha + 1/(kappa - 1)) for every kappa > 1 (eq-23-t-limit)"},
        because="what is at least this cannot tend to 0",
    )


@claim(
    PAPER,
    "eq-23-t-limit",
    at="Below Eq (23), corrected",
    kind="asymptotic",
    uses=["ln-bounds", "gamma-logarithm"],
    standing="ours",
)
def eq_23_tends_to_one_over_alpha():
    """1/(alpha + 1/(kappa - 1)) <= T of Eq (23) <= 1/alpha: it converges to 1/alpha as kappa -> oo. gamma = 1
    -
    1/kappa, so that 1/(kappa - 1) = (1 - gamma)/gamma.
    """
    l = -sp.log(gamma)
    T23 = sp.log(1 + l / alpha) / l
    return (
        Theorem(
            given=[gamma < 1],
            shows=AllOf(AtMost(1 / (alpha + (1 - gamma) / gamma), T23), AtMost(T23, 1 / alpha)),
        )
        .use("gamma-logarithm", "l <= 1/(kappa - 1)", gamma=gamma)
        .have(AtMost(0, l, strict=True), "gamma < 1")
        .use("ln-bounds", "at v = l/alpha", v=l / alpha)
        .have(AtMost(T23, 1 / alpha), "ln(1 + v) <= v")
        .have(AtMost(1 / (alpha + l), T23), "ln(1 + v) >= v/(1 + v)")
        .have(AtMost(1 / (alpha + (1 - gamma) / gamma), 1 / (alpha + l)), "l <= 1/(kappa - 1)")
    )


@claim(
    PAPER,
    "sketch-4.2-tle",
    at="Sketch of Theorem 4.2",
    kind="inequality",
    uses=["gamma-logarithm", "proof-4.2-upper-corrected"],
)
def eq_23_is_at_most_eq_4():
    """(1/l) ln(1 + l/alpha) <= kappa ln(1 + 1/(kappa alpha)), l = ln(1/gamma), kappa = 1/(1 - gamma)."""
    l, kept = -sp.log(gamma), 1 - gamma
    return (
        Theorem(given=[gamma < 1], shows=AtMost(sp.log(1 + l / alpha) / l, sp.log(1 + kept / alpha) / kept))
        .use("gamma-logarithm", "l kappa >= 1", gamma=gamma)
        .have(AtMost(0, l, strict=True), "gamma < 1")
        .have(AtMost(kept / l, 1), "l kappa >= 1")
        .use("proof-4.2-upper-corrected", "Bernoulli, with c = 1/(l kappa)", z=kept / alpha, c=kept / l)
    )
