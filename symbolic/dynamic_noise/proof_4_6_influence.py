"""Appendix C.2: the printed proof of Theorem 4.6, line by line, up to the influence.

U_3 <= gamma^(T-T_hat) V_1 + gamma^(2 T_hat-2) V_2,  V_1 of the steps up to T_hat (Lemma B.7), V_2 after
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, T, Th, beta, gamma, i, j, s2, t
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED

k = sp.Symbol("k", integer=True, positive=True)


@claim(
    PAPER,
    "proof-4.6-v1",
    at="Proof of Theorem 4.6, V_1, fourth line, at T_hat = 1",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-4.6-v1-corrected",
)
def v1_with_exponent_two_t_hat_minus_three():
    """V_1 = gamma^(2 T_hat - 3) sum_i (gamma^(i-T_hat-1) - beta^(2(T_hat+1-i)))/(1 - gamma beta^2) sigma_i^2;
    the last line has the right power again.
    """
    first = gamma**-1 * (gamma**-1 - beta**2) / (1 - gamma * beta**2) * s2[1]
    return Equal(s2[1], first, given=INSIDE)


@claim(
    PAPER,
    "proof-4.6-v1-corrected",
    at="Proof of Theorem 4.6, V_1, fourth line, corrected",
    kind="identity",
    standing="ours",
)
def v1_with_exponent_two_t_hat_minus_one():
    """(1 - gamma beta^2) V_1 = sum_i (gamma^(T_hat-2) gamma^i - gamma^(2 T_hat-1) beta^(2(T_hat+1-i)))
    sigma_i^2: the exponent in front is 2 T_hat - 1.
    """
    whole, dropped = _v1_parts()
    return Theorem(shows=Equal((1 - gamma * beta**2) * _v1(), whole - dropped)).induct(Th, 1)


def _v1():
    """V_1, as it is defined."""
    inside = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    return sp.Sum(gamma ** (Th - t) * gamma ** (2 * (t - 1)) * inside, (t, 1, Th))


def _v1_parts():
    """The two sums of (1 - gamma beta^2) V_1."""
    whole = gamma ** (Th - 2) * sp.Sum(gamma**i * s2[i], (i, 1, Th))
    dropped = gamma ** (2 * Th - 1) * sp.Sum(beta ** (2 * (Th + 1 - i)) * s2[i], (i, 1, Th))
    return whole, dropped


@claim(
    PAPER,
    "proof-4.6-v1-bound",
    at="Proof of Theorem 4.6, V_1, last line but one",
    kind="inequality",
    uses=["proof-4.6-v1-corrected"],
)
def v1_is_at_most_a_weighted_sum():
    """V_1 <= gamma^T_hat/(gamma^2 (1 - gamma beta^2)) sum_i gamma^i sigma_i^2."""
    whole, dropped = _v1_parts()
    return (
        Theorem(given=INSIDE, shows=AtMost((1 - gamma * beta**2) * _v1(), whole))
        .use("proof-4.6-v1-corrected", "the closed form", T_hat=Th)
        .have(AtMost(0, dropped), "what is dropped")
    )


@claim(PAPER, "proof-4.6-direction", at="Proof of Theorem 4.6, V_1, last line", kind="inequality")
def last_relaxation_of_v1():
    """1/(gamma^2 (1 - gamma beta^2)) <= 1/(gamma (gamma - beta^2)) for beta^2 < gamma < 1."""
    return AtMost(
        1 / (gamma**2 * (1 - gamma * beta**2)),
        1 / (gamma * (gamma - beta**2)),
        given=[beta**2 < gamma, *INSIDE],
    )


@claim(PAPER, "proof-4.6-v2-first", at="Proof of Theorem 4.6, V_2, the first term", kind="identity")
def first_term_of_v2():
    """(gamma - beta^2) sum_{t<=T} gamma^(T-t) sum_{i<=t} beta^(2(t-i)) sigma_i^2 = sum_{i<=T} (gamma^(T+1-i)
    -
    beta^(2(T+1-i))) sigma_i^2.
    """
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    left = (gamma - beta**2) * sp.Sum(gamma ** (T - t) * average, (t, 1, T))
    right = gamma * sp.Sum(gamma ** (T - i) * s2[i], (i, 1, T)) - sp.Sum(
        beta ** (2 * (T + 1 - i)) * s2[i], (i, 1, T)
    )
    return Theorem(shows=Equal(left, right)).induct(T, 1)


@claim(
    PAPER,
    "proof-4.6-v2-bound-first",
    at="Proof of Theorem 4.6, V_2, the first term, bounded",
    kind="inequality",
    uses=["proof-4.6-v2-first"],
    standing="ours",
)
def first_term_of_v2_is_at_most_a_geometric_sum():
    """(gamma - beta^2) sum_{t<=T} gamma^(T-t) sum_{i<=t} beta^(2(t-i)) sigma_i^2 <= gamma sum_{i<=T}
    gamma^(T-i) sigma_i^2.
    """
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    left = (gamma - beta**2) * sp.Sum(gamma ** (T - t) * average, (t, 1, T))
    return (
        Theorem(given=INSIDE, shows=AtMost(left, gamma * sp.Sum(gamma ** (T - i) * s2[i], (i, 1, T))))
        .use("proof-4.6-v2-first", "the order of summation", T=T)
        .have(AtMost(0, sp.Sum(beta ** (2 * (T + 1 - i)) * s2[i], (i, 1, T))), "what is dropped")
    )


@claim(PAPER, "proof-4.6-v2", at="Proof of Theorem 4.6, V_2", kind="identity")
def v2_in_closed_form():
    """(gamma - beta^2) V_2 = sum_{k<=m} (gamma^(m+1-k) - beta^(2(m+1-k))) sigma_{T_hat+k}^2 + (gamma^m -
    beta^(2m)) beta^2 B for T = T_hat + m, with B = sum_{i<=T_hat} beta^(2(T_hat-i)) sigma_i^2 the average at
    T_hat, so that the one at T_hat + j is beta^(2j) B + sum_{k<=j} beta^(2(j-k)) sigma_{T_hat+k}^2.
    """
    left, after, before = _v2()
    return Theorem(shows=Equal(left, after + before)).induct(m, 1)


m = sp.Symbol("m", integer=True, positive=True)  # T - T_hat
later, B = sp.IndexedBase("s", positive=True), sp.Symbol("B", positive=True)  # sigma_{T_hat+k}^2


def _v2():
    """(gamma - beta^2) V_2, and its two parts."""
    average = beta ** (2 * j) * B + sp.Sum(beta ** (2 * (j - k)) * later[k], (k, 1, j))
    after = sp.Sum((gamma ** (m + 1 - k) - beta ** (2 * (m + 1 - k))) * later[k], (k, 1, m))
    before = (gamma**m - beta ** (2 * m)) * beta**2 * B
    return (gamma - beta**2) * sp.Sum(gamma ** (m - j) * average, (j, 1, m)), after, before


@claim(
    PAPER,
    "proof-4.6-v2-bound",
    at="Proof of Theorem 4.6, V_2, last line",
    kind="inequality",
    uses=["proof-4.6-v2"],
)
def v2_without_its_negative_part():
    """(gamma - beta^2) V_2 is at most the same with gamma^m in place of gamma^m - beta^(2m)."""
    left, after, _ = _v2()
    return (
        Theorem(given=INSIDE, shows=AtMost(left, after + gamma**m * beta**2 * B))
        .use("proof-4.6-v2", "the closed form", m=m, beta=beta, gamma=gamma, B=B)
        .have(AtMost(0, beta ** (2 * m) * beta**2 * B), "what is dropped")
    )


@claim(
    PAPER,
    "proof-4.6-combine",
    at="Proof of Theorem 4.6, U_3",
    kind="inequality",
    uses=["lemma-b.7", "proof-4.6-v1-bound", "proof-4.6-direction", "proof-4.6-v2-bound"],
)
def u3_in_two_phases():
    """From V_1 <= gamma^T_hat/(gamma (gamma-beta^2)) F, F = sum_{i<=T_hat} gamma^i sigma_i^2, and
    (gamma-beta^2) V_2 <= G + gamma^m beta^2 B, G = sum_{i>T_hat} (gamma^(T+1-i) - beta^(2(T+1-i))) sigma_i^2,
    B = sum_{i<=T_hat} beta^(2(T_hat-i)) sigma_i^2, T = T_hat + m, beta^2 < gamma: gamma^m V_1 + gamma^(2
    T_hat-2) V_2 <= 2 gamma^T/(gamma (gamma-beta^2)) F + gamma^(2 T_hat-2)/(gamma-beta^2) G, the bound of U_3
    by Lemma B.7.

    r_k is sigma_(T_hat-k)^2, k = 0..T_hat-1.
    """
    V1, V2, G = sp.symbols("V_1 V_2 G", nonnegative=True)
    r, k = sp.IndexedBase("r", positive=True), sp.Symbol("k", integer=True, nonnegative=True)
    F = sp.Sum(gamma ** (Th - k) * r[k], (k, 0, Th - 1))
    last = sp.Sum(beta ** (2 * k) * r[k], (k, 0, Th - 1))
    p = gamma - beta**2
    return (
        Theorem(
            given=[
                beta**2 < gamma,
                *INSIDE,
                V1 <= gamma**Th / (gamma * p) * F,
                p * V2 <= G + gamma**m * beta**2 * last,
            ],
            shows=AtMost(
                gamma**m * V1 + gamma ** (2 * Th - 2) * V2,
                2 * gamma ** (Th + m) / (gamma * p) * F + gamma ** (2 * Th - 2) / p * G,
            ),
        )
        .sum(
            AtMost(gamma ** (Th - 1) * beta**2 * beta ** (2 * k) * r[k], gamma ** (Th - k) * r[k]),
            (k, 0, Th - 1),
            "gamma^(T_hat-1) beta^(2(T_hat+1-i)) <= gamma^i",
        )
        .have(AtMost(gamma ** (Th - 1) * beta**2 * last, F), "added up")
        .have(AtMost(gamma**m * V1, gamma**m * gamma**Th / (gamma * p) * F), "the first phase")
        .have(
            AtMost(gamma ** (2 * Th - 2) * V2, gamma ** (2 * Th - 2) / p * (G + gamma**m * beta**2 * last)),
            "the second phase",
        )
        .have(
            AtMost(
                gamma ** (2 * Th - 2) / p * gamma**m * beta**2 * last,
                gamma ** (Th - 1) / p * gamma**m * F,
            ),
            "its first sum joins the first phase",
        )
    )
