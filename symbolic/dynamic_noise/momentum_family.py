"""A family of cases on which the O-statements of Appendix C.2 are refuted.

beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100, which meets every hypothesis. There T_hat = n exactly:
(1-beta)/(1-beta^(n+1)) > 1/2 = gamma^n, and (1-beta)/(1-beta^n) <= gamma^(n-1) because 2^-n <= 1 - 2^(-1/n).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import Th, beta, eta0, gamma, kappa
from dpverify.theorems import AllOf, Theorem

n = sp.Symbol("n", integer=True, positive=True)
FAMILY_GAMMA, FAMILY_ETA0 = 2 ** (-1 / n), sp.Rational(1, 100)
FAMILY = {
    gamma: FAMILY_GAMMA,
    beta: sp.Rational(1, 2),
    eta0: FAMILY_ETA0,
    kappa: FAMILY_ETA0 / (1 - FAMILY_GAMMA),
    Th: n,
}
FAMILY_GIVEN = [n >= 100]  # kappa >= 1, and eta_0 meets the condition of Theorem 4.4


def unbounded(expression, scale):
    """The claim expression <= O(scale), on the family."""
    expression, scale = (sp.sympify(e).subs(FAMILY) for e in (expression, scale))
    return BigO(expression, scale, FAMILY_GIVEN)


@claim(PAPER, "momentum-family-power", at="Appendix C.2, a family", kind="inequality", standing="ours")
def four_n_is_at_most_two_to_the_n():
    """4 (n+3) <= 2^(n+3) for every n >= 1."""
    return Theorem(shows=AtMost(4 * (n + 3), 2 ** (n + 3))).induct(n, 1)


@claim(PAPER, "momentum-family-exp", at="Appendix C.2, a family", kind="inequality", standing="ours")
def exponential_is_below_its_chord():
    """1 - exp(-x) >= x/2 for 0 < x <= 1."""
    x = sp.Symbol("x", positive=True)
    return AtMost(x / 2, 1 - sp.exp(-x), given=[x <= 1])


@claim(
    PAPER,
    "momentum-family",
    at="Appendix C.2, a family of cases",
    kind="inequality",
    uses=["momentum-family-power", "momentum-family-exp"],
    standing="ours",
)
def family_meets_the_hypotheses():
    """At beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100, n >= 100: (1-beta)/(1-beta^n) <= gamma^(n-1) and
    (1-beta)/(1-beta^(n+1)) > gamma^n, so that T_hat = n (Lemma B.7); kappa = eta_0/(1-gamma) >= 1, gamma >
    beta, and eta_0 meets Theorem 4.4, printed and corrected.
    """
    rate = sp.exp(-sp.log(2) / n)  # gamma
    half = sp.Rational(1, 2)
    c = (beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)).subs(beta, half)
    near = [gamma >= sp.Rational(99, 100), gamma < 1]
    at_n = (
        Theorem(given=[n >= 100], shows=AtMost(half / (1 - half**n), half / rate))
        .use("momentum-family-power", "by induction", n=n - 3)
        .have(AtMost(sp.log(2), 1), "ln 2 <= 1")
        .have(AtMost(sp.log(2) / n, 1), "over n")
        .use("momentum-family-exp", "1 - gamma >= u/2, u = (ln 2)/n", x=sp.log(2) / n)
        .have(AtMost(half, sp.log(2)), "ln 2 >= 1/2")
        .have(AtMost(1 / (4 * n), sp.log(2) / (2 * n)), "over 2n")
        .have(AtMost(half**n, 1 / (4 * n)), "the inverse")
        .have(AtMost(rate, 1 - half**n), "gamma <= 1 - 2^-n")
    )
    return AllOf(
        at_n,
        AtMost(half, half / (1 - half ** (n + 1)), strict=True),
        AtMost(1 - rate, sp.Rational(1, 100), given=[n >= 100]),
        AtMost(FAMILY_ETA0, 8 / (sp.sqrt(1 + 64 * c) + 1), given=near),
        AtMost(FAMILY_ETA0 + 4 * c * FAMILY_ETA0**2, 1, given=near),
    )
