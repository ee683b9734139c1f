"""Theorem 4.5: momentum with the uniform schedule.

sigma_t^2 = T/R,  T = ceil((kappa/eta_0) ln(1 + eta_0/(kappa alpha))) up to a factor
T_hat = the largest t with gamma^(t-1) >= (1-beta)/(1-beta^t)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import (
    INSIDE,
    T,
    Th,
    alpha,
    beta,
    eta0,
    gamma,
    j,
    kappa,
    t,
    weight,
)
from dpverify.theorems import AllOf, Theorem


@claim(PAPER, "thm-4.5-bernoulli", at="Theorem 4.5, a bound of powers", kind="inequality", standing="ours")
def power_times_its_exponent():
    """g^m (1 + m (1-g)) <= 1 for 0 < g < 1 and whole m >= 0."""
    g, m = sp.Symbol("g", positive=True), sp.Symbol("m", integer=True, nonnegative=True)
    return Theorem(given=[g < 1], shows=AtMost(g**m * (1 + m * (1 - g)), 1)).induct(m, 0)


v = sp.Symbol("v", positive=True)  # eta_0/(kappa alpha)
LOG = sp.log(1 + v)
KEPT = 2 - sp.log(1 - beta)
AFTER = 1 / ((1 - beta) * sp.log(1 + beta)) + 4 * (1 + 1 / beta) * KEPT


@claim(
    PAPER,
    "thm-4.5-noise",
    at="Theorem 4.5, T <= T_hat, the powers",
    kind="inequality",
    uses=["thm-4.5-bernoulli"],
    standing="ours",
)
def squared_steps_times_their_power():
    """If gamma^T <= 1/(1+v) <= gamma^(T-1), then gamma^T + 2 kappa (1-gamma)^2 T^2 gamma^(T-1)/v <= (21 + 4
    (1-gamma)/v) kappa/(1+v), kappa >= 1; T = m + 1, g = sqrt gamma.
    """
    g, m = sp.Symbol("g", positive=True), sp.Symbol("m", integer=True, nonnegative=True)
    share = 1 / (1 + v)
    gap = 1 - g**2
    power = g**m
    once = 1 - g
    noise = 2 * kappa * gap**2 / v * (m + 1) ** 2 * g ** (2 * m)
    return (
        Theorem(
            given=[g < 1, kappa >= 1, g ** (2 * (m + 1)) <= share, share <= g ** (2 * m)],
            shows=AtMost(g ** (2 * (m + 1)) + noise, (21 + 4 * gap / v) * kappa * share),
        )
        .use("thm-4.5-bernoulli", "Bernoulli", g=g, m=m)
        .have(AtMost(power**2 * (m * once) ** 2, 1 - power**2), "its square")
        .have(AtMost(gap**2, 4 * once**2), "1 - gamma <= 2 (1 - sqrt gamma)")
        .have(AtMost(power**2 * m**2 * gap**2, 4 * (power**2 * (m * once) ** 2)), "times gamma^m m^2")
        .have(AtMost(1 - power**2, v * share), "1 - gamma^m <= v/(1+v)")
        .have(AtMost(power**2 * m**2 * gap**2, 4 * v * share), "together")
        .have(AtMost(gap**2 * (1 + v), v + gap), "1 - gamma <= 1")
        .have(AtMost(gap**2, (v + gap) * share), "divided")
        .have(AtMost(power**2, 1), "gamma < 1")
        .have(AtMost(power**2 * gap**2, gap**2), "times gamma^m")
        .have(AtMost((m + 1) ** 2, 2 * m**2 + 2), "two squares")
        .have(
            AtMost(
                power**2 * gap**2 * (m + 1) ** 2, 2 * (power**2 * m**2 * gap**2) + 2 * (power**2 * gap**2)
            ),
            "T^2 <= 2 (T-1)^2 + 2",
        )
        .have(AtMost(power**2 * gap**2 * (m + 1) ** 2, v * ((10 + 2 * gap / v) * share)), "the noise")
        .have(AtMost(power**2 * gap**2 * (m + 1) ** 2 / v, (10 + 2 * gap / v) * share), "divided by v")
        .have(AtMost(noise, 2 * kappa * ((10 + 2 * gap / v) * share)), "times 2 kappa")
        .have(AtMost(share, kappa * share), "kappa >= 1")
    )


@claim(PAPER, "thm-4.5-after", at="Theorem 4.5, T > T_hat, the powers", kind="inequality", standing="ours")
def bound_after_t_hat():
    """If p = gamma^T <= 1/(1+v), w = gamma^(T_hat-1) >= 1 - beta, T <= 2 ln(1+v)/l with l >= 1 - gamma, and
    beta <= v: p + 2 kappa (1-gamma) T w (2 + ln(1/(1-beta)))/v <= C kappa w ln(1+v)/(1+v), C = 1/((1-beta)
    ln(1+beta)) + 4 (1 + 1/beta)(2 + ln(1/(1-beta))); x stands for T.
    """
    p, w, l, x = sp.symbols("p w l x", positive=True)
    share = 1 / (1 + v)
    return (
        Theorem(
            given=[
                *INSIDE,
                kappa >= 1,
                p <= share,
                1 - beta <= w,
                x <= 2 * LOG / l,
                l >= 1 - gamma,
                beta <= v,
            ],
            shows=AtMost(p + 2 * kappa * (1 - gamma) / v * x * w * KEPT, AFTER * kappa * share * w * LOG),
        )
        .have(AtMost(sp.log(1 + beta), LOG), "v >= beta")
        .have(AtMost(0, sp.log(1 + beta), strict=True), "beta > 0")
        .have(AtMost(0, -sp.log(1 - beta)), "beta < 1")
        .have(AtMost((1 - gamma) * x, 2 * LOG), "(1-gamma) T <= 2 ln(1+v)")
        .have(AtMost(1 / v, (1 + 1 / beta) * share), "1 + 1/v <= 1 + 1/beta")
        .have(AtMost(share, 1 / ((1 - beta) * sp.log(1 + beta)) * kappa * share * w * LOG), "gamma^T")
        .have(
            AtMost(2 * kappa * ((1 - gamma) * x) / v * w * KEPT, 4 * kappa * LOG / v * w * KEPT), "the steps"
        )
        .have(
            AtMost(4 * kappa * LOG / v * w * KEPT, 4 * (1 + 1 / beta) * KEPT * kappa * share * w * LOG), "1/v"
        )
    )


def averaged(x):
    """w_x^2 sum_{i<=x} beta^(2(x-i)), by proof-4.5-u3."""
    return weight(x) * (1 + beta**x) / (1 + beta)


@claim(
    PAPER,
    "thm-4.5-short",
    at="Theorem 4.5, T <= T_hat",
    kind="inequality",
    uses=["proof-4.5-split-short", "power-at-most", "power-at-least", "thm-4.5-noise"],
    standing="ours",
)
def uniform_bound_of_momentum_up_to_t_hat():
    """Theorem 4.5 for T <= T_hat in v = eta_0/(kappa alpha), eta_0 = kappa (1-gamma), alpha = (1-gamma)/v."""
    l, factor = -sp.log(gamma), 2 * kappa * (1 - gamma) ** 2 / v
    u3 = T * sp.Sum(gamma ** (T - t) * averaged(t), (t, 1, T))  # R U_3
    return (
        Theorem(
            given=[
                *INSIDE,
                kappa >= 1,
                weight(Th) <= gamma ** (Th - 1),
                T <= Th,
                LOG <= T * l,
                (T - 1) * l <= LOG,
            ],
            shows=AtMost(gamma**T + factor * u3, (21 + 4 * (1 - gamma) / v) * kappa / (1 + v)),
        )
        .use("power-at-most", "T is at least its argument", v=v, n=T)
        .use("power-at-least", "and less than one more", v=v, n=T - 1)
        .use("thm-4.5-noise", "the powers", g=sp.sqrt(gamma), m=T - 1)
        .use("proof-4.5-split-short", "the bound of U_3", T=T, T_hat=Th, R=1)
        .have(AtMost(u3, T**2 * gamma ** (T - 1)), "U_3")
        .have(AtMost(factor * u3, factor * (T**2 * gamma ** (T - 1))), "times 2 eta_0 alpha")
    )


def _two_phases(g, m):
    """T sum_t gamma^(T-t) w_t^2 sum_{i<=t} beta^(2(t-i)), T = T_hat + m, the steps up to T_hat apart."""
    before = sp.Sum(g ** (Th + m - t) * averaged(t), (t, 1, Th))
    return (Th + m) * (before + sp.Sum(g ** (m - j) * averaged(Th + j), (j, 1, m)))


@claim(
    PAPER,
    "thm-4.5-t-hat",
    at="Theorem 4.5, T > T_hat, what T_hat implies",
    kind="inequality",
    uses=["power-at-least", "thm-4.6-t-hat"],
    standing="ours",
)
def beyond_t_hat_the_power_is_small():
    """If T_hat is the last t with (1-beta)/(1-beta^t) <= gamma^(t-1), then gamma^(T_hat-1) >= 1 - beta; and
    if (T-1) ln(1/gamma) <= ln(1+v) at T = T_hat + m > T_hat, then v >= beta.
    """
    m = sp.Symbol("m", integer=True, positive=True)
    return (
        Theorem(
            given=[
                *INSIDE,
                weight(Th) <= gamma ** (Th - 1),
                weight(Th + 1) > gamma**Th,
                (Th + m - 1) * -sp.log(gamma) <= LOG,
            ],
            shows=AllOf(AtMost(1 - beta, gamma ** (Th - 1)), AtMost(beta, v)),
        )
        .have(AtMost(1 - beta, weight(Th)), "b_t <= 1")
        .use("power-at-least", "T is less than its argument and one more", v=v, n=Th + m - 1)
        .use("thm-4.6-t-hat", "gamma^(T-1) <= gamma^T_hat < 1/(1+beta)", s=1 / (1 + v), m=m)
    )


@claim(
    PAPER,
    "thm-4.5-u3",
    at="Theorem 4.5, T > T_hat, U_3",
    kind="inequality",
    uses=["proof-4.5-split", "proof-4.5-dropthat-corrected", "power-logarithm"],
    standing="ours",
)
def u3_after_t_hat():
    """R U_3 <= T gamma^(T_hat-1) (2 + ln(1/(1-beta)))/(1-gamma) for sigma_t^2 = T/R, T = T_hat + m."""
    m = sp.Symbol("m", integer=True, positive=True)
    end, first = Th + m, gamma ** (Th - 1)
    phases = Th * gamma**end + (gamma**Th - gamma**end) / (1 - gamma)
    return (
        Theorem(
            given=[*INSIDE, weight(Th) <= first, 1 - beta <= first],
            shows=AtMost(_two_phases(gamma, m), end * first / (1 - gamma) * KEPT),
        )
        .use("power-logarithm", "the logarithm of gamma^(T_hat-1)", c=1 - beta, n=Th - 1)
        .use("proof-4.5-dropthat-corrected", "T_hat is a constant of beta", T_hat=Th, m=m)
        .have(AtMost(end / gamma * phases, end / gamma * (gamma**Th / (1 - gamma) * KEPT)), "the phases")
        .have(
            Equal(end / gamma * (gamma**Th / (1 - gamma) * KEPT), end * first / (1 - gamma) * KEPT), "powers"
        )
        .use("proof-4.5-split", "the bound of U_3", T_hat=Th, m=m, R=1)
        .have(
            Equal(end / gamma * gamma**end * (Th + (gamma**-m - 1) / (1 - gamma)), end / gamma * phases),
            "as printed",
        )
    )


@claim(
    PAPER,
    "thm-4.5-long",
    at="Theorem 4.5, T > T_hat",
    kind="inequality",
    uses=["thm-4.5-t-hat", "power-at-most", "ln-gamma", "thm-4.5-after"],
    standing="ours",
)
def uniform_bound_of_momentum_after_t_hat():
    """Theorem 4.5 for T = T_hat + m > T_hat in v = eta_0/(kappa alpha), eta_0 = kappa (1-gamma), alpha =
    (1-gamma)/v, given the bound of U = R U_3 that thm-4.5-u3 shows.
    """
    m, u3 = sp.Symbol("m", integer=True, positive=True), sp.Symbol("U", real=True)
    l = -sp.log(gamma)
    factor = 2 * kappa * (1 - gamma) ** 2 / v
    end = Th + m
    first = gamma ** (Th - 1)
    most = end * first / (1 - gamma) * KEPT
    return (
        Theorem(
            given=[
                *INSIDE,
                kappa >= 1,
                weight(Th) <= first,
                weight(Th + 1) > gamma**Th,
                LOG <= end * l,
                (end - 1) * l <= LOG,
                u3 <= most,
            ],
            shows=AtMost(gamma**end + factor * u3, AFTER * kappa / (1 + v) * first * LOG),
        )
        .have(AtMost(0, l, strict=True), "gamma < 1")
        .have(AtMost(end, 2 * (end - 1)), "T >= 2")
        .have(AtMost(end * l, 2 * ((end - 1) * l)), "times l")
        .have(AtMost(end, 2 * LOG / l), "T <= 2 ln(1+v)/l")
        .have(AtMost(factor * u3, factor * most), "times 2 eta_0 alpha")
        .use("thm-4.5-t-hat", "what T_hat implies", m=m)
        .use("power-at-most", "T is at least its argument", v=v, n=end)
        .use("ln-gamma", "ln(1/gamma) >= 1 - gamma", gamma=gamma)
        .use("thm-4.5-after", "the powers", p=gamma**end, w=first, x=end, l=l)
    )


@claim(
    PAPER,
    "thm-4.5",
    at="Theorem 4.5",
    kind="asymptotic",
    uses=["thm-4.4", "thm-4.5-short", "thm-4.5-t-hat", "thm-4.5-u3", "thm-4.5-long"],
)
def uniform_bound_of_momentum():
    """With sigma_t^2 = T/R and the whole T = ceil((1/l) ln(1 + eta_0/(kappa alpha))), l = ln(1/gamma), gamma
    = 1 - eta_0/kappa, kappa >= 1: gamma^T + 2 eta_0 alpha R U_3, with R U_3 = T sum_t gamma^(T-t)
    (1-beta)(1+beta^t)/((1-beta^t)(1+beta)) (proof-4.5-u3), is at most (21 + 4 alpha) S if T <= T_hat, and C
    S gamma^(T_hat-1) ln(1 + eta_0/(kappa alpha)) if T = T_hat + m > T_hat, S = kappa/(1 + eta_0/(kappa
    alpha)) = kappa^2/(kappa + eta_0/alpha), C = 1/((1-beta) ln(1+beta)) + 4 (1 + 1/beta)(2 +
    ln(1/(1-beta))): constants of beta and alpha_0 alone.

    T_hat has (1-beta)/(1-beta^t) <= gamma^(t-1) at t = T_hat, and not at T_hat + 1. That gamma^T + 2 eta_0
    alpha R U_3 bounds EER is Theorem 4.4, which is refuted as printed; thm-4.4-corrected has it with the step
    eta_0/M and another condition on eta_0.
    """
    m = sp.Symbol("m", integer=True, positive=True)
    g, ratio = 1 - eta0 / kappa, eta0 / (kappa * alpha)
    l = -sp.log(g)
    log = sp.log(1 + ratio)
    scale = kappa / (1 + ratio)
    inside = [beta < 1, eta0 < kappa, kappa >= 1, weight(Th) <= g ** (Th - 1)]

    def ceiling_of(steps):
        return [log <= steps * l, (steps - 1) * l <= log]

    short = T * sp.Sum(g ** (T - t) * averaged(t), (t, 1, T))
    return AllOf(
        Theorem(
            given=[*inside, T <= Th, *ceiling_of(T)],
            shows=AtMost(g**T + 2 * eta0 * alpha * short, (21 + 4 * alpha) * scale),
        ).use("thm-4.5-short", "in v", gamma=g, v=ratio, T=T, T_hat=Th),
        Theorem(
            given=[*inside, weight(Th + 1) > g**Th, *ceiling_of(Th + m)],
            shows=AtMost(
                g ** (Th + m) + 2 * eta0 * alpha * _two_phases(g, m), AFTER * scale * g ** (Th - 1) * log
            ),
        )
        .use("thm-4.5-t-hat", "what T_hat implies", gamma=g, v=ratio, T_hat=Th, m=m)
        .use("thm-4.5-u3", "the bound of U_3", gamma=g, T_hat=Th, m=m)
        .use("thm-4.5-long", "in v", gamma=g, v=ratio, T_hat=Th, m=m, U=_two_phases(g, m)),
    )
