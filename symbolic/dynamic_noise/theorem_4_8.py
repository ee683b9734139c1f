"""Theorem 4.8: the term that batches add to the noise of momentum.

alpha R' U_3^g <= alpha_g sigma_g^2      Eq (15)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import (
    ETA0_LIMIT,
    INSIDE,
    M,
    T,
    beta,
    eta0,
    gamma,
    kappa,
    mu,
    t,
    weight,
)
from dpverify.symbolic.dynamic_noise.theorem_4_5 import averaged
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED


def _batch_sum(length):
    """sum_t gamma^(T-t) w_t (1+beta^t)/(1+beta), which U_3^g is in units of sigma_g^2/G^2."""
    return sum(
        gamma ** (length - s) * sp.cancel(weight(sp.Integer(s)) * (1 + beta**s) / (1 + beta))
        for s in range(1, length + 1)
    )


@claim(
    PAPER,
    "thm-4.8",
    at="Theorem 4.8, Eq (15)",
    kind="inequality",
    uses=["proof-4.8-kappa"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.8-corrected",
)
def batch_term_of_momentum_as_printed():
    """alpha R' U_3^g <= alpha_g sigma_g^2, that is sum_t gamma^(T-t) w_t (1+beta^t)/(1+beta) <= kappa, since
    alpha R' = alpha_g G^2/kappa at n = N sqrt R.
    """
    given = [
        kappa >= 1,
        beta < gamma,
        sp.Eq(gamma, 1 - eta0 / kappa),
        eta0 <= ETA0_LIMIT.subs(gamma, 1 - eta0 / kappa),
        eta0 < kappa,
    ]
    return Instance(
        AtMost(_batch_sum(3), kappa, given=given),
        let={"T": "3", "n": "N sqrt(R)"},
        because="1/(1-gamma) is kappa/eta_0, not kappa",
    )


@claim(
    PAPER,
    "thm-4.8-corrected",
    at="Theorem 4.8, Eq (15), corrected",
    kind="inequality",
    uses=["proof-4.5-u3", "momentum-weight"],
    standing="ours",
)
def batch_term_of_momentum():
    """alpha R' U_3^g <= alpha_g sigma_g^2/eta_0 with R' = R N^2/n^2, n >= N sqrt R and U_3^g =
    (sigma_g^2/G^2) sum_t gamma^(T-t) (1-beta)(1+beta^t)/((1-beta^t)(1+beta)) (proof-4.5-u3), eta_0 =
    (1-gamma) M/mu; r is sqrt R.
    """
    D, G, N, n, e1, sg, r = sp.symbols("D G N n e_1 sigma_g r", positive=True)
    total = sp.Sum(gamma ** (T - t) * averaged(t), (t, 1, T))
    factor = D * G**2 / (2 * r**2 * M * N**2 * e1) * (r**2 * N**2 / n**2) * (sg**2 / G**2)  # alpha R' ...
    stated = D / (2 * mu * N**2 * r**2 * e1) * sg**2 / ((1 - gamma) * M / mu)
    return (
        Theorem(
            given=[*INSIDE, n >= N * r],
            shows=AtMost(factor * total, stated),
        )
        .use("momentum-weight", "the weights are at most 1", over=(t, 1, T), t=t)
        .sum(AtMost(gamma ** (T - t) * averaged(t), gamma ** (T - t)), (t, 1, T), "term by term")
        .have(Equal(sp.Sum(gamma ** (T - t), (t, 1, T)), (1 - gamma**T) / (1 - gamma)), "a geometric sum")
        .have(AtMost(total, 1 / (1 - gamma)), "at most kappa/eta_0")
        .have(AtMost(factor * total, factor / (1 - gamma)), "times alpha R'")
        .have(AtMost(N**2 * r**2, n**2), "n >= N sqrt R")
        .have(AtMost(factor / (1 - gamma), stated), "as stated")
    )
