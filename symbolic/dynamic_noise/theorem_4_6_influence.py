"""Theorem 4.6: momentum with a dynamic schedule; the schedule, and the influence q_t that it is made from.

sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t)
q_t = c1 gamma^(T+t) if T <= T_hat,  gamma^(T_hat-1) c2 gamma^(T-t) if T > T_hat;  U_3 <= sum_t q_t sigma_t^2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import (
    ETA0_LIMIT,
    INSIDE,
    R,
    T,
    Th,
    W,
    beta,
    gamma,
    i,
    influence,
    s2,
    t,
    weight,
)
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "thm-4.6-schedule-budget", at="Theorem 4.6, the schedule", kind="identity")
def schedule_of_theorem_4_6_spends_the_budget():
    """sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t) spends sum_t 1/sigma_t^2 = R, whatever q."""
    q = sp.IndexedBase("q", positive=True)
    return Equal(sp.Sum(R * sp.sqrt(q[t]) / sp.Sum(sp.sqrt(q[i]), (i, 1, T)), (t, 1, T)), R)


def noise_term(g=gamma):
    """U_3 of Eq (13), with W_t = w_t^2."""
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    return average, sp.Sum(g ** (T - t) * W[t] * average, (t, 1, T))


WEIGHTS = ForEvery(Equal(W[t], weight(t) ** 2), t, 1, T)


def constants_of_theorem_4_6(g=gamma):
    """c1 and c2 of Theorem 4.6, of beta and gamma."""
    return 1 / (g**2 * (1 - g * beta**2)), g / ((g - beta**2) * (1 - beta))


@claim(
    PAPER,
    "thm-4.6-q-before",
    at="Theorem 4.6, q_t for T <= T_hat",
    kind="inequality",
    uses=["lemma-b.7-squared", "proof-4.6-v1-bound"],
    standing="ours",
)
def influence_is_at_most_that_of_theorem_4_6_before_t_hat():
    """U_3 <= c1 sum_t gamma^(T+t) sigma_t^2 for T <= T_hat, c1 = 1/(gamma^2 (1 - gamma beta^2))."""
    average, u3 = noise_term()
    before, (c1, _) = sp.Sum(gamma ** (T + i) * s2[i], (i, 1, T)), constants_of_theorem_4_6()
    first = sp.Sum(gamma ** (T - t) * gamma ** (2 * (t - 1)) * average, (t, 1, T))
    return (
        Theorem(
            given=[*INSIDE, WEIGHTS, weight(Th) <= gamma ** (Th - 1), T <= Th],
            shows=AtMost(u3, c1 * before),
        )
        .use("lemma-b.7-squared", "Lemma B.7", over=(t, 1, T), t=t, m=Th - t)
        .have(ForEvery(AtMost(W[t], gamma ** (2 * (t - 1))), t, 1, T), "the weights")
        .sum(
            AtMost(gamma ** (T - t) * W[t] * average, gamma ** (T - t) * gamma ** (2 * (t - 1)) * average),
            (t, 1, T),
            "Lemma B.7",
        )
        .use("proof-4.6-v1-bound", "V_1 with T for T_hat", T_hat=T)
        .have(Equal(gamma ** (T - 2) * sp.Sum(gamma**i * s2[i], (i, 1, T)), before / gamma**2), "the powers")
        .have(AtMost((1 - gamma * beta**2) * first, before / gamma**2), "V_1")
        .have(AtMost(first, c1 * before), "divided")
    )


@claim(
    PAPER,
    "thm-4.6-q-after",
    at="Theorem 4.6, q_t for T > T_hat",
    kind="inequality",
    uses=["momentum-weight-squared", "proof-4.6-v2-bound-first"],
    standing="ours",
)
def influence_is_at_most_that_of_theorem_4_6_after_t_hat():
    """U_3 <= gamma^(T_hat-1) c2 sum_t gamma^(T-t) sigma_t^2 for every T, c2 = gamma/((gamma-beta^2)
    (1-beta)).
    """
    average, u3 = noise_term()
    after, (_, c2) = sp.Sum(gamma ** (T - i) * s2[i], (i, 1, T)), constants_of_theorem_4_6()
    plain = sp.Sum(gamma ** (T - t) * average, (t, 1, T))
    return (
        Theorem(
            given=[beta < gamma, gamma < 1, WEIGHTS, weight(Th) <= gamma ** (Th - 1)],
            shows=AtMost(u3, gamma ** (Th - 1) * c2 * after),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .have(AtMost(1 - beta, weight(Th)), "b_t <= 1")
        .have(AtMost(1 - beta, gamma ** (Th - 1)), "the definition of T_hat")
        .use("momentum-weight-squared", "w_t <= 1", over=(t, 1, T), t=t)
        .have(ForEvery(AtMost(W[t], 1), t, 1, T), "the weights")
        .sum(AtMost(gamma ** (T - t) * W[t] * average, gamma ** (T - t) * average), (t, 1, T), "w_t <= 1")
        .have(AtMost(beta**2, gamma, strict=True), "beta^2 < beta < gamma")
        .use("proof-4.6-v2-bound-first", "the order of summation", T=T)
        .have(AtMost(plain, gamma / (gamma - beta**2) * after), "divided")
        .have(
            AtMost(gamma / (gamma - beta**2) * after, gamma ** (Th - 1) * c2 * after),
            "gamma^(T_hat-1)/(1-beta) >= 1",
        )
    )


@claim(
    PAPER,
    "thm-4.6-q",
    at="Theorem 4.6, q_t",
    kind="inequality",
    uses=["thm-4.6-q-before", "thm-4.6-q-after"],
)
def influence_is_at_most_that_of_theorem_4_6():
    """For some positive constants c1 and c2, of beta and gamma alone, U_3 <= sum_t q_t sigma_t^2 with q_t =
    c1 gamma^(T+t) if T <= T_hat and q_t = gamma^(T_hat-1) c2 gamma^(T-t) if T > T_hat: c1 = 1/(gamma^2 (1 -
    gamma beta^2)), c2 = gamma/((gamma-beta^2)(1-beta)).

    W_t = ((1-beta)/(1-beta^t))^2 is at most gamma^(2(t-1)) up to T_hat (Lemma B.7), at most 1 always, and
    gamma^(T_hat-1) >= 1 - beta. (T_hat has (1-beta)/(1-beta^t) <= gamma^(t-1) at t = T_hat; the second bound
    holds for every T.)
    """
    _, u3 = noise_term()
    before, after = (sp.Sum(gamma ** (T + sign * i) * s2[i], (i, 1, T)) for sign in (1, -1))
    c1, c2 = constants_of_theorem_4_6()
    last = weight(Th) <= gamma ** (Th - 1)
    return AllOf(
        Theorem(given=[*INSIDE, WEIGHTS, last, T <= Th], shows=AtMost(u3, c1 * before)).use(
            "thm-4.6-q-before", "T <= T_hat"
        ),
        Theorem(
            given=[beta < gamma, gamma < 1, WEIGHTS, last], shows=AtMost(u3, gamma ** (Th - 1) * c2 * after)
        ).use("thm-4.6-q-after", "every T"),
    )


@claim(
    PAPER,
    "proof-4.6-constants",
    at="Proof of Theorem 4.6, q_t with its constants",
    kind="inequality",
    uses=["influence"],
    expect=REFUTED,
    breaks="proof",
    correction="thm-4.6-q-corrected",
)
def influence_is_at_most_that_of_the_proof():
    """U_3 <= sum_t q_t sigma_t^2 with q_t = c1 gamma^(T+t) I[T <= T_hat] + gamma^(T_hat-1) c2 gamma^(T-t) I[T
    > T_hat], c1 = 2/(gamma (gamma-beta^2)), c2 = gamma^(2 T_hat)/(gamma-beta^2), at T = 2, T_hat = 1.
    """
    exact = influence(2)
    printed = [schedules.piecewise_influence(beta, gamma, 2, 1).formula.subs(t, s) for s in (1, 2)]
    left, right = (sum(q * s2[s + 1] for s, q in enumerate(values)) for values in (exact, printed))
    given = [beta < gamma, gamma * (1 + beta) < 1, 1 - gamma <= ETA0_LIMIT]
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": "2", "T_hat": "1, as gamma (1+beta) < 1"}
    return Instance(
        AtMost(left, right, given=given),
        let=case,
        because="c2 has gamma^(2 T_hat) where the derivation before it gives gamma^T_hat",
    )


@claim(
    PAPER,
    "thm-4.6-q-corrected",
    at="Proof of Theorem 4.6, q_t, corrected",
    kind="inequality",
    uses=["proof-4.6-combine"],
    standing="ours",
)
def influence_is_at_most_a_piecewise_geometric_one():
    """The bound of proof-4.6-combine is at most sum_t q_t sigma_t^2 with q_t = 2 gamma^(T+t)/(gamma
    (gamma-beta^2)) for t <= T_hat, q_t = gamma^(2 T_hat-1) gamma^(T-t)/(gamma-beta^2) for t = T_hat + k >
    T_hat, T = T_hat + m: the indicators are of t, not of T. (s_k is sigma_{T_hat+k}^2.)
    """
    F = sp.Sum(gamma**i * s2[i], (i, 1, Th))
    later, k = sp.IndexedBase("s", positive=True), sp.Symbol("k", integer=True, positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    p = gamma - beta**2
    term = (gamma ** (m + 1 - k) - beta ** (2 * (m + 1 - k))) * later[k]
    plain = sp.Sum(gamma ** (m - k) * later[k], (k, 1, m))
    first = 2 * gamma ** (Th + m) / (gamma * p) * F
    return (
        Theorem(
            given=[beta**2 < gamma, *INSIDE],
            shows=AtMost(
                first + gamma ** (2 * Th - 2) / p * sp.Sum(term, (k, 1, m)),
                first + gamma ** (2 * Th - 1) / p * plain,
            ),
        )
        .sum(AtMost(term, gamma ** (m + 1 - k) * later[k]), (k, 1, m), "without beta^(2(T+1-t))")
        .have(AtMost(sp.Sum(term, (k, 1, m)), gamma * plain), "a factor gamma")
        .have(
            AtMost(
                gamma ** (2 * Th - 2) / p * sp.Sum(term, (k, 1, m)),
                gamma ** (2 * Th - 2) / p * (gamma * plain),
            ),
            "times gamma^(2 T_hat-2)",
        )
        .have(
            Equal(gamma ** (2 * Th - 2) / p * (gamma * plain), gamma ** (2 * Th - 1) / p * plain),
            "the exponents",
        )
    )
