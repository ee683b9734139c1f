"""Logarithms and powers that the bounds of Section 4 are made of.

v/(1+v) <= ln(1+v) <= v,   gamma^n <= 1/(1+v) exactly where ln(1+v) <= n ln(1/gamma)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.theorem_4_1 import gamma
from dpverify.theorems import AllOf, Theorem


@claim(PAPER, "ln-bounds", at="Section 4.1, used throughout", kind="inequality", standing="ours")
def logarithm_between_two_fractions():
    """v/(1 + v) <= ln(1 + v) <= v for v > 0."""
    v = sp.Symbol("v", positive=True)
    return AllOf(AtMost(v / (1 + v), sp.log(1 + v)), AtMost(sp.log(1 + v), v))


@claim(PAPER, "ln-two", at="Section 4.1, used throughout", kind="inequality", standing="ours")
def logarithm_above_its_chord():
    """v ln 2 <= ln(1 + v) for 0 < v <= 1."""
    v = sp.Symbol("v", positive=True)
    return AtMost(v * sp.log(2), sp.log(1 + v), given=[v <= 1])


@claim(PAPER, "ln-large", at="Section 4.1, used throughout", kind="inequality", standing="ours")
def logarithm_beyond_two():
    """ln(1 + v) >= 2/3 for v >= 1."""
    v = sp.Symbol("v", positive=True)
    return AtMost(sp.Rational(2, 3), sp.log(1 + v), given=[v >= 1])


@claim(PAPER, "ln-exp", at="Section 4.1, used throughout", kind="inequality", standing="ours")
def exponential_of_a_logarithm():
    """If ln(1 + v) <= w then 1 + v <= e^w and e^-w <= 1/(1 + v)."""
    v, w = sp.symbols("v w", positive=True)
    at_least = [sp.log(1 + v) <= w]
    return AllOf(AtMost(1 + v, sp.exp(w), given=at_least), AtMost(sp.exp(-w), 1 / (1 + v), given=at_least))


@claim(PAPER, "ln-exp-above", at="Section 4, used throughout", kind="inequality", standing="ours")
def reciprocal_below_an_exponential():
    """If w <= ln(1 + v) then 1/(1 + v) <= e^-w."""
    v, w = sp.Symbol("v", positive=True), sp.Symbol("w", nonnegative=True)
    return (
        Theorem(given=[w <= sp.log(1 + v)], shows=AtMost(1 / (1 + v), sp.exp(-w)))
        .have(AtMost(sp.exp(w), 1 + v), "the exponential increases")
        .have(AtMost(1 / (1 + v), 1 / sp.exp(w)), "so do reciprocals decrease")
    )


def _power():
    """The symbols of three lemmas on powers, and gamma^n = e^(n ln gamma)."""
    gamma, v, c = sp.symbols("gamma v c", positive=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    return gamma, v, c, n, Equal(gamma**n, sp.exp(n * sp.log(gamma)))


@claim(
    PAPER,
    "power-at-most",
    at="Section 4, used throughout",
    kind="inequality",
    uses=["ln-exp"],
    standing="ours",
)
def power_below_a_reciprocal():
    """If ln(1 + v) <= n ln(1/gamma) then gamma^n <= 1/(1 + v)."""
    gamma, v, _, n, spelt = _power()
    return (
        Theorem(given=[sp.log(1 + v) <= -n * sp.log(gamma)], shows=AtMost(gamma**n, 1 / (1 + v)))
        .have(AtMost(0, sp.log(1 + v), strict=True), "v > 0")
        .use("ln-exp", "the exponential increases", v=v, w=-n * sp.log(gamma))
        .have(spelt, "a power")
    )


@claim(
    PAPER,
    "power-at-least",
    at="Section 4, used throughout",
    kind="inequality",
    uses=["ln-exp-above"],
    standing="ours",
)
def power_above_a_reciprocal():
    """If n ln(1/gamma) <= ln(1 + v), 0 < gamma < 1, then 1/(1 + v) <= gamma^n."""
    gamma, v, _, n, spelt = _power()
    return (
        Theorem(given=[gamma < 1, -n * sp.log(gamma) <= sp.log(1 + v)], shows=AtMost(1 / (1 + v), gamma**n))
        .have(AtMost(sp.log(gamma), 0), "gamma < 1")
        .use("ln-exp-above", "the exponential increases", v=v, w=-n * sp.log(gamma))
        .have(spelt, "a power")
    )


@claim(
    PAPER,
    "power-at-most-square",
    at="Section 4, used throughout",
    kind="inequality",
    uses=["ln-exp"],
    standing="ours",
)
def power_below_a_squared_reciprocal():
    """If 2 ln(1 + v) <= n ln(1/gamma) then gamma^n <= 1/(1 + v)^2."""
    gamma, v, _, n, _ = _power()
    root = sp.exp(n * sp.log(gamma) / 2)
    return (
        Theorem(given=[2 * sp.log(1 + v) <= -n * sp.log(gamma)], shows=AtMost(gamma**n, 1 / (1 + v) ** 2))
        .have(AtMost(0, sp.log(1 + v), strict=True), "v > 0")
        .use("ln-exp", "the exponential increases", v=v, w=-n * sp.log(gamma) / 2)
        .have(AtMost(root**2, (1 / (1 + v)) ** 2), "squared")
        .have(Equal(gamma**n, root**2), "a power")
    )


@claim(
    PAPER,
    "power-at-least-square",
    at="Section 4, used throughout",
    kind="inequality",
    uses=["ln-exp-above"],
    standing="ours",
)
def power_above_a_squared_reciprocal():
    """If n ln(1/gamma) <= 2 ln(1 + v), 0 < gamma < 1, then 1/(1 + v)^2 <= gamma^n."""
    gamma, v, _, n, _ = _power()
    root = sp.exp(n * sp.log(gamma) / 2)
    return (
        Theorem(
            given=[gamma < 1, -n * sp.log(gamma) <= 2 * sp.log(1 + v)],
            shows=AtMost(1 / (1 + v) ** 2, gamma**n),
        )
        .have(AtMost(sp.log(gamma), 0), "gamma < 1")
        .use("ln-exp-above", "the exponential increases", v=v, w=-n * sp.log(gamma) / 2)
        .have(AtMost((1 / (1 + v)) ** 2, root**2), "squared")
        .have(Equal(gamma**n, root**2), "a power")
    )


@claim(PAPER, "power-below-one", at="Section 4, used throughout", kind="inequality", standing="ours")
def power_of_a_number_below_one():
    """gamma^n <= 1 for 0 < gamma < 1 and whole n >= 0."""
    gamma, _, _, n, _ = _power()
    return Theorem(given=[gamma < 1], shows=AtMost(gamma**n, 1)).induct(n, 0)


@claim(PAPER, "power-logarithm", at="Section 4, used throughout", kind="inequality", standing="ours")
def logarithm_of_a_power():
    """If c <= gamma^n then n ln(1/gamma) <= ln(1/c)."""
    gamma, _, c, n, _ = _power()
    return (
        Theorem(given=[c <= gamma**n], shows=AtMost(-n * sp.log(gamma), -sp.log(c)))
        .have(AtMost(sp.log(c), sp.log(gamma**n)), "the logarithm increases")
        .have(Equal(sp.log(gamma**n), n * sp.log(gamma)), "of a power")
    )


@claim(PAPER, "gamma-logarithm", at="Section 4.1, used throughout", kind="inequality", standing="ours")
def logarithm_of_gamma():
    """1 - gamma <= ln(1/gamma) <= (1 - gamma)/gamma, that is 1/kappa <= ln(1/gamma) <= 1/(kappa - 1)."""
    return AllOf(AtMost(sp.log(gamma), gamma - 1), AtMost(1 - 1 / gamma, sp.log(gamma)))
