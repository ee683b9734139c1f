"""Section 4.1: gradient descent. Theorem 4.1, the uniform schedule, Lemma 4.1, the dynamic schedule, the discussion.

    ERUB = gamma^T + R sum_t q_t sigma_t^2,  q_t = gamma^(T-t) alpha,  gamma = 1 - 1/kappa       Eq (3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.algorithms import dynamic_noise as schedules
from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Induction, Minimises
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED

t, i = step(), sp.Symbol("i", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
R, M, mu, alpha, kappa = sp.symbols("R M mu alpha kappa", positive=True)
gamma = sp.Symbol("gamma", positive=True)
q = sp.IndexedBase("q", positive=True)


@claim(PAPER, "thm-4.1", at="Theorem 4.1, Eq (3)", kind="inequality")
def excess_risk_is_at_most_erub():
    """With eta = 1/M: E f(theta_{T+1}) - f* <= (gamma^T + R sum_t gamma^(T-t) alpha sigma_t^2)(f(theta_1) - f*)."""
    grad2, error, D, G, N, s2 = sp.symbols("g2 e D G N s2", positive=True)  # |grad|^2, f - f*, dimension, clip, records, sigma_t^2
    first, noise = sp.Symbol("e_1", positive=True), D * G**2 * s2 / (2 * M * N**2)
    # E of the descent lemma at theta - (grad + noise)/M: the cross term vanishes, E|noise|^2 = D (G sigma/N)^2
    descent = error - grad2 / M + (M / 2) * (grad2 / M**2 + D * G**2 * s2 / (M**2 * N**2))
    a = D * G**2 / (2 * R * M * N**2 * first)
    sigma2, g = sp.IndexedBase("s2", positive=True), 1 - mu / M
    x = sp.Symbol("x", real=True)
    bound = g**T * first + R * a * first * sp.Sum(g ** (T - t) * sigma2[t], (t, 1, T))
    start = g * first + R * a * first * sigma2[1]
    return (
        Derivation()
        .step(Equal(descent, error - grad2 / (2 * M) + noise), "descent lemma for an M-smooth f, eta = 1/M, unbiased noise")
        .step(AtMost(descent, (1 - mu / M) * error + noise, given=[grad2 >= 2 * mu * error]), "the PL condition")
        .step(Equal(noise, R * a * first * s2), "alpha of Eq (2)")
        .step(
            Induction(AtMost(x, bound, given=[mu <= M]), value=x, over=T, start=1, first=start, next=g * x + R * a * first * sigma2[T + 1]),
            "unrolled over T steps",
        )
    )


@claim(PAPER, "lemma-4.1", at="Lemma 4.1, Eq (6)", kind="optimality")
def dynamic_schedule_is_the_only_minimiser():
    """Among sigma with sum_t sigma_t^-2 = R, R sum_t q_t sigma_t^2 is least, (sum_t sqrt q_t)^2, only at sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t)."""
    v = sp.Symbol("v", positive=True)  # sigma_t^2
    stated = sp.Sum(sp.sqrt(q[i] / q[t]), (i, 1, T)) / R
    value = sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2
    return Minimises(R * q[t] * v, over=v, spent=1 / v, total=R, at=stated, index=t, length=T, unique=True, value=value)


@claim(PAPER, "lemma-4.1-var", at="Lemma 4.1, last sentence", kind="identity", uses=["lemma-4.1"])
def gain_over_uniform_is_the_variance_of_sqrt_q():
    """T sum_t q_t - (sum_t sqrt q_t)^2 increases with the variance of sqrt(q_t): it equals T^2 times that variance."""
    root = sp.Sum(sp.sqrt(q[t]), (t, 1, T))
    mean = root / T
    variance = sp.Sum((sp.sqrt(q[t]) - mean) ** 2, (t, 1, T)) / T
    return Equal(T * sp.Sum(q[t], (t, 1, T)) - root**2, T**2 * variance)


@claim(PAPER, "thm-4.3-sigma", at="Theorem 4.3, Eq (7) left", kind="identity", uses=["lemma-4.1"])
def lemma_4_1_at_the_influence_of_gd_is_eq_7():
    """Lemma 4.1 with q_t = gamma^(T-t) alpha gives sigma_t^2 = (1/R) ((1/gamma)^(T/2) - 1)/(1 - sqrt gamma) gamma^(t/2)."""
    influence = schedules.gd_influence(gamma, T).formula
    derived = sp.Sum(sp.sqrt(influence.subs(t, i)), (i, 1, T)) / sp.sqrt(influence) / R
    stated = (gamma ** (-T / 2) - 1) / (1 - sp.sqrt(gamma)) * gamma ** (t / 2) / R
    run = schedules.dynamic(gamma, T, R).formula
    return (
        Derivation()
        .step(Equal(derived, stated, given=[gamma < 1]), "the geometric sum of sqrt q")
        .step(Equal(run, stated, given=[gamma < 1]), "the schedule that the algorithms run is the stated one")
    )
