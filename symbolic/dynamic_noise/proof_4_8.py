"""The end of Appendix C.3: the printed proof of Theorem 4.8, line by line.

U_3^g = sum_t gamma^(T-t) w_t^2 sum_{i<=t} beta^(2(t-i)) sigma_g^2/G^2, the variance of the batches in U_3
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, T, beta, eta0, gamma, i, kappa, s2, t, weight
from dpverify.verdicts import REFUTED


@claim(
    PAPER,
    "proof-4.8-index",
    at="Proof of Theorem 4.8, second line",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    correction="proof-4.8-index-corrected",
    standing="misprint",
)
def batch_noise_with_the_last_sigma():
    """sum_i beta^(2(t-i)) (sigma_g^2/G^2 + sigma_i^2) is written sum_i beta^(2(t-i)) (sigma_g^2/G^2 +
    sigma_t^2).
    """
    g2 = sp.Symbol("r", positive=True)  # sigma_g^2/G^2
    return Equal(
        sp.Sum(beta ** (2 * (t - i)) * (g2 + s2[i]), (i, 1, t)),
        sp.Sum(beta ** (2 * (t - i)) * (g2 + s2[t]), (i, 1, t)),
        given=[beta < 1],
    )


@claim(
    PAPER,
    "proof-4.8-index-corrected",
    at="Proof of Theorem 4.8, second line, corrected",
    kind="identity",
    standing="ours",
)
def batch_noise_splits():
    """With sigma_i^2 in the sum, U_3 with sigma_g^2/G^2 + sigma_i^2 is U_3^g + U_3."""
    g2 = sp.Symbol("r", positive=True)

    def u3(variance):
        return sp.Sum(
            gamma ** (T - t) * weight(t) ** 2 * sp.Sum(beta ** (2 * (t - i)) * variance, (i, 1, t)), (t, 1, T)
        )

    return Equal(u3(g2 + s2[i]), u3(g2) + u3(s2[i]), given=INSIDE)


@claim(
    PAPER,
    "proof-4.8-kappa",
    at="Proof of Theorem 4.8, last line of U_3^g",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.8-kappa-corrected",
)
def one_over_one_minus_gamma_is_kappa():
    """sigma_g^2/(G^2 (1-gamma)) = kappa sigma_g^2/G^2, gamma = 1 - eta_0/kappa as in Theorem 4.4."""
    g2 = sp.Symbol("r", positive=True)
    return Equal(g2 / (1 - (1 - eta0 / kappa)), kappa * g2, given=[eta0 < kappa, kappa >= 1, eta0 < 1])


@claim(
    PAPER,
    "proof-4.8-kappa-corrected",
    at="Proof of Theorem 4.8, last line of U_3^g, corrected",
    kind="identity",
    standing="ours",
)
def one_over_one_minus_gamma_is_kappa_over_eta0():
    """sigma_g^2/(G^2 (1-gamma)) = kappa sigma_g^2/(eta_0 G^2), gamma = 1 - eta_0/kappa (r =
    sigma_g^2/G^2).
    """
    g2 = sp.Symbol("r", positive=True)
    return Equal(g2 / (1 - gamma), kappa * g2 / eta0, given=[sp.Eq(gamma, 1 - eta0 / kappa), eta0 < kappa])
