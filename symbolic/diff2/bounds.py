"""The bound that runs are set against: Proposition D.2 with its constants.

S_g, S_x, S_v are the sums over the R rounds of E|F'(x_{r-1})|^2, E|x_r - x_{r-1}|^2 and E|v_r -
F'(x_{r-1})|^2.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import Theorem

R, T = (sp.Symbol(name, integer=True, positive=True) for name in ("R", "T"))
eta, L, d, C_1, C_2 = sp.symbols("eta L d C_1 C_2", positive=True)
sigma_1, sigma_2, e_1, S_g, S_x, S_v = sp.symbols("sigma_1 sigma_2 e_1 S_g S_x S_v", nonnegative=True)


@claim(
    PAPER,
    "bound-gradient",
    at="Proposition D.2 with the constants of its proof",
    kind="inequality",
    uses=["lemma-d.1"],
)
def gradient_at_a_random_round():
    """If eta <= 1/(2L), 4 eta^2 T d sigma_2^2 C_2^2 <= 1, Lemma D.1 is added up over the rounds and the
    noise adds up to at most R d (sigma_1 C_1)^2 + T d (sigma_2 C_2)^2 S_x: S_g/R <= 2 e_1/(eta R) + d
    (sigma_1 C_1)^2.
    """
    noise = R * d * sigma_1**2 * C_1**2 + T * d * sigma_2**2 * C_2**2 * S_x
    few = 4 * eta**2 * T * d * sigma_2**2 * C_2**2
    lemma = eta / 2 * S_g <= e_1 - S_x / (4 * eta) + eta / 2 * S_v
    bound = 2 * e_1 / (eta * R) + d * sigma_1**2 * C_1**2
    return (
        Theorem(given=[2 * eta * L <= 1, few <= 1, lemma, S_v <= noise], shows=AtMost(S_g / R, bound))
        .have(AtMost(few * S_x, S_x), "the differences are noisy enough to be paid for by the way travelled")
        .have(AtMost(eta / 2 * T * d * sigma_2**2 * C_2**2 * S_x, S_x / (8 * eta)), "divided by 8 eta")
        .have(AtMost(eta / 2 * S_g, e_1 + eta / 2 * R * d * sigma_1**2 * C_1**2), "Lemma D.1 and the noise")
        .calc(
            S_g / R,
            ("<=", 2 / (eta * R) * (e_1 + eta / 2 * R * d * sigma_1**2 * C_1**2), "times 2/(eta R)"),
            ("=", bound, "multiplied out"),
        )
    )
