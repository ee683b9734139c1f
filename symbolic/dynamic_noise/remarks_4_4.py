"""What Section 4.2 says of Theorem 4.4: (1) convergence, (2) noise variance, (3) momentum effect.

ERUB = gamma^T + 2 R eta_0 alpha U_3,  w_t = (1-beta)/(1-beta^t) in U_3,  zeta of Eq (12) in the effect
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Increasing, Instance, Quoted
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import ETA0_LIMIT, M, T, beta, eta0, gamma, kappa, t, weight
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

HALF = sp.Rational(1, 2)


@claim(PAPER, "text-4.4-conv", at="Section 4.2, (1) Convergence", kind="inequality")
def gamma_is_a_fraction_exactly_for_eta0_below_kappa():
    """eta_0 should be in (0, kappa): exactly then gamma = 1 - eta_0/kappa is in (0, 1), which Lemmas B.6 and
    B.7 need; and a larger eta_0 makes it smaller.
    """
    x, g = sp.Symbol("x", real=True), sp.Symbol("g", real=True)
    return AllOf(
        AtMost(0, 1 - x / kappa, given=[x > 0, x < kappa], strict=True),
        AtMost(1 - x / kappa, 1, given=[x > 0, x < kappa], strict=True),
        AtMost(kappa * (1 - g), kappa, given=[g > 0, g < 1], strict=True),
        AtMost(0, kappa * (1 - g), given=[g > 0, g < 1], strict=True),
        Increasing(1 - eta0 / kappa, eta0, down=True, strict=True),
    )


@claim(PAPER, "text-4.4-effect", at="Section 4.2, (3) Momentum effect", kind="inequality")
def momentum_effect_improves_the_bound_for_a_small_step():
    """ "The momentum effect term can improve the upper bound when eta_0 is small": zeta of Eq (12) falls with
    eta_0, and is at least 1/2 for eta_0 <= 1 with 4 eta_0^2 <= beta (1-beta)^3, so that the last term of Eq
    (11) is not positive there; so is zeta = 1 - eta_0/4 - c eta_0^2 of the proof if 4 c eta_0^2 <= 1. With B,
    the other terms of Eq (11), and S = sum_t gamma^(T-t) E|v_{t+1}|^2 > 0 the bound B - zeta (eta_0/(2M)) S
    is then below B.
    """
    c, B, S = sp.symbols("c B S", positive=True)
    printed = 1 - eta0**2 / (beta * (1 - beta) ** 3) - eta0 / 4
    proved = 1 - eta0 / 4 - c * eta0**2
    small = {
        printed: [beta < 1, eta0 <= 1, 4 * eta0**2 <= beta * (1 - beta) ** 3],
        proved: [eta0 <= 1, 4 * c * eta0**2 <= 1],
    }
    improves = (
        Theorem(given=given, shows=AtMost(B - zeta * eta0 / (2 * M) * S, B, strict=True))
        .have(AtMost(HALF, zeta), "eta_0 is small")
        .have(AtMost(0, zeta * (eta0 / (2 * M) * S), strict=True), "so the effect is positive")
        for zeta, given in small.items()
    )
    return AllOf(
        Increasing(printed, eta0, down=True, strict=True, given=[beta < 1]),
        *(AtMost(HALF, zeta, given=given) for zeta, given in small.items()),
        *improves,
    )


@claim(
    PAPER,
    "text-4.4-factor",
    at="Section 4.2, (2) Noise variance",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="text-4.4-factor-corrected",
)
def weights_start_below_gamma_to_the_t():
    """(1-beta)/(1-beta^t) is less than gamma^t at the beginning, so that gamma^(T-t) (1-beta)/(1-beta^t) <
    gamma^T meanwhile (at t = 1).
    """
    return Instance(
        AtMost(sp.cancel(weight(sp.Integer(1))), gamma, given=[gamma < 1], strict=True),
        let={"t": "1"},
        because="at t = 1 the factor is 1",
    )


@claim(
    PAPER,
    "text-4.4-factor-corrected",
    at="Section 4.2, (2) Noise variance, corrected",
    kind="inequality",
    uses=["lemma-b.7"],
    standing="ours",
)
def weights_start_at_gamma_to_the_t_minus_one():
    """Where (1-beta)/(1-beta^t) <= gamma^(t-1), up to T_hat by Lemma B.7, gamma^(T-t) (1-beta)/(1-beta^t) <=
    gamma^(T-1); and 1 - beta <= (1-beta)/(1-beta^t) <= 1 - beta + beta^t, so that its limit is 1 - beta.
    """
    y = sp.Symbol("y", positive=True)  # beta^t <= beta
    w = sp.Symbol("w", positive=True)
    powers = (
        Theorem(given=[w <= gamma ** (t - 1)], shows=AtMost(gamma ** (T - t) * w, gamma ** (T - 1)))
        .have(AtMost(gamma ** (T - t) * w, gamma ** (T - t) * gamma ** (t - 1)), "times gamma^(T-t)")
        .have(Equal(gamma ** (T - t) * gamma ** (t - 1), gamma ** (T - 1)), "the powers")
    )
    return AllOf(
        powers,
        AtMost(1 - beta, (1 - beta) / (1 - y), given=[y <= beta, beta < 1]),
        AtMost((1 - beta) / (1 - y), 1 - beta + y, given=[y <= beta, beta < 1]),
    )


@claim(
    PAPER,
    "num-0.98",
    at="Section 4.2, (3) Momentum effect",
    kind="numeric constant",
    expect=REFUTED,
    breaks="text",
    correction="num-0.98-corrected",
)
def eta0_may_be_0_98():
    """For beta = 0.9 and gamma = 0.99 the condition on eta_0 is eta_0 <= 0.98 (in units of 1/M): the limit of
    Theorem 4.4 rounds to 0.98.
    """
    limit = ETA0_LIMIT.subs({beta: sp.Rational(9, 10), gamma: sp.Rational(99, 100)})
    return AtMost(sp.Rational(975, 1000), limit)


@claim(
    PAPER,
    "num-0.98-corrected",
    at="Section 4.2, (3) Momentum effect, corrected",
    kind="numeric constant",
    standing="ours",
)
def eta0_may_be_0_003():
    """The limit of Theorem 4.4 at beta = 0.9, gamma = 0.99 is between 0.00301 and 0.00302 (by Eq (12) as
    printed it would be between 0.0298 and 0.0299).
    """
    limit = ETA0_LIMIT.subs({beta: sp.Rational(9, 10), gamma: sp.Rational(99, 100)})
    c12 = 1 / (sp.Rational(9, 10) * sp.Rational(1, 1000))
    by_12 = 8 / (sp.sqrt(1 + 64 * c12) + 1)
    return AllOf(
        AtMost(sp.Rational(301, 100_000), limit),
        AtMost(limit, sp.Rational(302, 100_000)),
        AtMost(sp.Rational(298, 10_000), by_12),
        AtMost(by_12, sp.Rational(299, 10_000)),
    )


@claim(
    PAPER,
    "text-4.4-appd",
    at="Section 4.2, (2), last sentence",
    kind="-",
    expect=UNDECIDED,
    standing="remark",
)
def appendix_d_shows_a_less_steep_influence():
    """In Appendix D we will see that the influence dynamics is less steep than that of GD."""
    return Quoted(
        "Appendix D as given has no figure or number on the influence under momentum (its "
        "influences are of GD on squared and logistic loss), "
        "so there is nothing to compare; that the exact influence is less steep is sec4.2-flatten"
    )
