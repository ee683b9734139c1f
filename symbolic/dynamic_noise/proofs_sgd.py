"""Appendix C.3: the printed proof of Theorem 4.7.

noise  (sigma_g xi + G sigma_t nu)/n,   E|xi|^2 <= D,   nu ~ N(0, I_D), independent given the past
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.expectations import E, Noise, gaussian
from dpverify.language.vectors import norm2
from dpverify.relations import AtMost, Equal
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

t, T = step(), sp.Symbol("T", integer=True, positive=True)
N, D = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "D"))
R, M, mu, G, gap, n, sigma_g, sigma = sp.symbols("R M mu G gap n sigma_g sigma", positive=True)


def _second_moment(variance):
    """E|sigma_g xi/n + G sigma nu/n|^2 with E|xi|^2 = variance."""
    return E(norm2(sigma_g / n * Noise("xi", variance=variance) + gaussian("nu", G * sigma / n, D)))


@claim(
    PAPER,
    "proof-4.7-second-moment",
    at="Proof of Theorem 4.7",
    kind="identity",
    expect=REFUTED,
    correction="proof-4.7-second-moment-corrected",
    breaks="misprint",
    standing="misprint",
)
def second_moment_as_printed():
    """E|sigma_g xi/n + G sigma_t nu/n|^2 = sigma_g^2 + (G sigma_t/n)^2 for E|xi|^2 = D. (The next line has
    the right one.)
    """
    return Equal(_second_moment(D), sigma_g**2 + (G * sigma / n) ** 2)


@claim(
    PAPER,
    "proof-4.7-second-moment-corrected",
    at="Proof of Theorem 4.7, corrected",
    kind="identity",
    standing="ours",
)
def second_moment_of_the_noise():
    """With s^2 = sigma_g^2 + (G sigma_t)^2: E|sigma_g xi/n + G sigma_t nu/n|^2 <= D s^2/n^2 if E|xi|^2 = w <=
    D, with equality if w = D. So (sigma_g xi + G sigma_t nu)/s is a noise with E|.|^2 <= D.
    """
    w = sp.Symbol("w", nonnegative=True)
    stated = D * (sigma_g**2 + (G * sigma) ** 2) / n**2
    return AllOf(AtMost(_second_moment(w), stated, given=[w <= D]), Equal(_second_moment(D), stated))


@claim(PAPER, "proof-4.7-lines", at="Proof of Theorem 4.7, the last four lines", kind="inequality")
def batch_part_is_a_geometric_sum():
    """With gamma = 1 - mu/M, kappa = M/mu and any positive b, c: sum_t gamma^(T-t) (c sigma_t^2 + b) <= c
    sum_t gamma^(T-t) sigma_t^2 + b kappa.
    """
    b, c = sp.symbols("b c", positive=True)
    s2, rate = sp.IndexedBase("s2", positive=True), 1 - mu / M
    whole = sp.Sum(rate ** (T - t) * (c * s2[t] + b), (t, 1, T))
    first, second = sp.Sum(rate ** (T - t) * s2[t], (t, 1, T)), sp.Sum(rate ** (T - t), (t, 1, T))
    return (
        Theorem(given=[mu <= M], shows=AtMost(whole, c * first + b * M / mu))
        .have(AtMost(b * second, b * M / mu), "(1 - gamma^T)/(1 - gamma) <= 1/(1 - gamma) = kappa")
        .have(Equal(whole, c * first + b * second), "two sums")
    )


@claim(
    PAPER,
    "proof-4.7-chain",
    at="Proof of Theorem 4.7, last line",
    kind="inequality",
)
def batch_part_is_at_most_alpha_g():
    """R' kappa alpha/G^2 = D/(2 mu n^2 (f_1 - f*)), and this is at most D/(2 mu N^2 R (f_1 - f*)) for n =
    max(N sqrt R, 1).
    """
    larger, kappa, alpha = sp.symbols("R_prime kappa alpha", positive=True)
    named = [
        sp.Eq(larger, R * N**2 / n**2),
        sp.Eq(kappa, M / mu),
        sp.Eq(alpha, schedules.alpha_of(D, G, R, M, N, gap)),
    ]
    size = sp.Max(N * sp.sqrt(R), 1)
    return AllOf(
        Equal(larger * kappa * alpha / G**2, D / (2 * mu * n**2 * gap), given=named),
        AtMost(D / (2 * mu * size**2 * gap), D / (2 * mu * N**2 * R * gap)),
    )
