"""Appendix C.2: the printed proof of Theorem 4.5, line by line.

U_3 = (T/R) sum_t gamma^(T-t) w_t (1+beta^t)/(1+beta),  w_t = (1-beta)/(1-beta^t),  T_hat of Lemma B.7
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import (
    INSIDE,
    R,
    T,
    Th,
    alpha,
    beta,
    eta0,
    gamma,
    i,
    j,
    kappa,
    t,
    weight,
)
from dpverify.symbolic.dynamic_noise.momentum_family import FAMILY_ETA0, FAMILY_GAMMA, n, unbounded
from dpverify.symbolic.dynamic_noise.theorem_4_5 import averaged
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "proof-4.5-u3", at="Proof of Theorem 4.5, U_3", kind="identity")
def u3_of_the_uniform_schedule():
    """With sigma_t = sigma: U_3 = sigma^2 sum_t gamma^(T-t) (1-beta)(1+beta^t)/((1-beta^t)(1+beta)), term by
    term, and each weight is at most 1: smaller than the sum in GD.
    """
    y = sp.Symbol("y", positive=True)  # beta^t <= beta
    average = weight(t) ** 2 * sp.Sum(beta ** (2 * (t - i)), (i, 1, t))
    return AllOf(
        Equal(average, weight(t) * (1 + beta**t) / (1 + beta), given=[beta < 1]),
        AtMost((1 - beta) / (1 - y) * (1 + y) / (1 + beta), 1, given=[y <= beta, beta < 1]),
    )


@claim(PAPER, "momentum-weight-below", at="Proof of Theorem 4.5, U_3", kind="inequality", standing="ours")
def averaging_lowers_the_weight():
    """(1-beta)/(1-beta^t) (1+beta^t)/(1+beta) <= (1-beta)/(1-beta^t)."""
    return (
        Theorem(given=[beta < 1], shows=AtMost(averaged(t), weight(t)))
        .have(AtMost(beta**t, beta), "t >= 1")
        .have(AtMost((1 + beta**t) / (1 + beta), 1), "divided")
    )


@claim(PAPER, "momentum-weight-later", at="Proof of Theorem 4.5, U_3", kind="inequality", standing="ours")
def later_weights_are_smaller():
    """(1-beta)/(1-beta^(t+j)) <= (1-beta)/(1-beta^t) for j >= 1."""
    return Theorem(given=[beta < 1], shows=AtMost(weight(t + j), weight(t))).have(
        AtMost(beta ** (t + j), beta**t), "t + j > t"
    )


@claim(
    PAPER,
    "proof-4.5-split-short",
    at="Proof of Theorem 4.5, the general bound of U_3 for T <= T_hat",
    kind="inequality",
    uses=["proof-4.5-u3", "lemma-b.7-before", "momentum-weight-below"],
)
def u3_of_the_uniform_schedule_up_to_t_hat():
    """With sigma_t^2 = T/R and T <= T_hat, U_3 = (T/R) sum_t gamma^(T-t)
    (1-beta)(1+beta^t)/((1-beta^t)(1+beta)) (proof-4.5-u3) is at most (T/(gamma R)) gamma^T T. Of T_hat only
    (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1) is used.
    """
    whole = sp.Sum(gamma ** (T - t) * averaged(t), (t, 1, T))
    return (
        Theorem(
            given=[*INSIDE, weight(Th) <= gamma ** (Th - 1), T <= Th],
            shows=AtMost(T / R * whole, T / (gamma * R) * gamma**T * T),
        )
        .use("lemma-b.7-before", "Lemma B.7", over=(t, 1, T), t=t, m=Th - t)
        .use("momentum-weight-below", "averaged", over=(t, 1, T), t=t)
        .have(ForEvery(AtMost(averaged(t), gamma ** (t - 1)), t, 1, T), "each weight")
        .sum(AtMost(gamma ** (T - t) * averaged(t), gamma ** (T - 1)), (t, 1, T), "each term")
        .have(AtMost(whole, T * gamma ** (T - 1)), "T of them")
        .have(AtMost(T / R * whole, T / R * (T * gamma ** (T - 1))), "times sigma^2")
    )


@claim(
    PAPER,
    "proof-4.5-split",
    at="Proof of Theorem 4.5, the general bound of U_3 for T > T_hat",
    kind="inequality",
    uses=["proof-4.5-u3", "lemma-b.7-before", "momentum-weight-below", "momentum-weight-later"],
)
def u3_of_the_uniform_schedule_in_two_phases():
    """With sigma_t^2 = T/R and T = T_hat + m > T_hat, U_3 = (T/R) sum_t gamma^(T-t)
    (1-beta)(1+beta^t)/((1-beta^t) (1+beta)) (proof-4.5-u3) is at most (T/(gamma R)) gamma^T (T_hat +
    (gamma^(T_hat-T) - 1)/(1-gamma)). The steps after T_hat are T_hat + j, j = 1..m; of T_hat only
    (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1) is used.
    """
    m = sp.Symbol("m", integer=True, positive=True)  # T - T_hat
    before = sp.Sum(gamma ** (Th + m - t) * averaged(t), (t, 1, Th))
    after = sp.Sum(gamma ** (m - j) * averaged(Th + j), (j, 1, m))
    factor = (Th + m) / R
    tail = gamma ** (Th - 1) * (1 - gamma**m) / (1 - gamma)
    return (
        Theorem(
            given=[*INSIDE, weight(Th) <= gamma ** (Th - 1)],
            shows=AtMost(
                factor * (before + after),
                factor / gamma * gamma ** (Th + m) * (Th + (gamma**-m - 1) / (1 - gamma)),
            ),
        )
        .use("lemma-b.7-before", "Lemma B.7", over=(t, 1, Th), t=t, m=Th - t)
        .use("momentum-weight-below", "averaged", over=(t, 1, Th), t=t)
        .have(ForEvery(AtMost(averaged(t), gamma ** (t - 1)), t, 1, Th), "each weight up to T_hat")
        .use("momentum-weight-below", "averaged", over=(j, 1, m), t=Th + j)
        .use("momentum-weight-later", "the weights decrease", over=(j, 1, m), t=Th, j=j)
        .have(ForEvery(AtMost(averaged(Th + j), gamma ** (Th - 1)), j, 1, m), "each weight after T_hat")
        .sum(AtMost(gamma ** (Th + m - t) * averaged(t), gamma ** (Th + m - 1)), (t, 1, Th), "up to T_hat")
        .sum(
            AtMost(gamma ** (m - j) * averaged(Th + j), gamma ** (m - j) * gamma ** (Th - 1)),
            (j, 1, m),
            "after",
        )
        .have(Equal(sp.Sum(gamma ** (m - j) * gamma ** (Th - 1), (j, 1, m)), tail), "a geometric sum")
        .have(AtMost(before + after, Th * gamma ** (Th + m - 1) + tail), "both phases")
        .have(
            Equal(
                factor * (Th * gamma ** (Th + m - 1) + tail),
                factor / gamma * gamma ** (Th + m) * (Th + (gamma**-m - 1) / (1 - gamma)),
            ),
            "as printed",
        )
        .have(
            AtMost(factor * (before + after), factor * (Th * gamma ** (Th + m - 1) + tail)), "times sigma^2"
        )
    )


@claim(PAPER, "ineq-ln-sqrt", at="Proof of Theorem 4.5", kind="inequality")
def log_is_at_most_the_root():
    """ln(1 + x) <= sqrt(x) for x > 0."""
    x = sp.Symbol("x", positive=True)
    return AtMost(sp.log(1 + x), sp.sqrt(x))


@claim(
    PAPER,
    "proof-4.5-case1",
    at="Proof of Theorem 4.5, T <= T_hat",
    kind="inequality",
    uses=["proof-4.5-split", "ineq-ln-sqrt"],
)
def uniform_bound_before_t_hat():
    """If gamma^T <= y/(1+y), y = kappa alpha/eta_0, T <= (2/l) ln(1 + 1/y) and l = ln(1/gamma) >=
    eta_0/kappa: gamma^T (1 + (2 eta_0 alpha/gamma) T^2) <= 2 (y/(1+y)) (1 + 4 kappa/gamma), y/(1+y) =
    kappa/(kappa + eta_0/alpha).

    T = ceil((1/l) ln(1 + 1/y)) is at most twice its argument unless it is 1; Theorem 4.5 itself (thm-4.5)
    holds in that case too.
    """
    y, p, x, l = sp.symbols("y p x l", positive=True)  # gamma^T, T, ln(1/gamma)
    log = sp.log(1 + 1 / y)
    noise = 2 * eta0 * (y * eta0 / kappa) / gamma * x**2
    return (
        Theorem(
            given=[p <= y / (1 + y), x <= 2 * log / l, l >= eta0 / kappa],
            shows=AtMost(p * (1 + noise), 2 * (y / (1 + y)) * (1 + 4 * kappa / gamma)),
        )
        .use("ineq-ln-sqrt", "ln(1 + 1/y) <= sqrt(1/y)", x=1 / y)
        .have(AtMost(2 * log / l, 2 * log * kappa / eta0), "1/l <= kappa/eta_0")
        .have(AtMost(log**2, 1 / y), "squared")
        .have(AtMost(x**2, (2 * log * kappa / eta0) ** 2), "T^2")
        .have(AtMost(x**2, 4 * kappa**2 / (eta0**2 * y)), "T^2")
        .have(AtMost(noise, 8 * kappa / gamma), "alpha' T^2/gamma")
        .have(AtMost(1 + noise, 2 * (1 + 4 * kappa / gamma)), "the printed 4 is a constant inside O")
        .have(AtMost(p * (1 + noise), p * (2 * (1 + 4 * kappa / gamma))), "times gamma^T")
    )


@claim(
    PAPER,
    "proof-4.5-dropthat",
    at="Proof of Theorem 4.5, T > T_hat, first display",
    kind="inequality",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.5-dropthat-corrected",
)
def first_phase_may_be_dropped():
    """gamma^T (1 + (alpha'/gamma) T (T_hat + (gamma^(T_hat-T) - 1)/(1-gamma))) <= O(gamma^T + (2
    alpha'/gamma) T kappa (gamma^T_hat - gamma^T)).

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) at T = T_hat + 1 and
    the alpha for which that is the T of Theorem 4.5.
    """
    steps = n + 1  # T
    half = sp.Rational(1, 2)  # gamma^T_hat
    last = FAMILY_GAMMA / 2  # gamma^T
    alpha_ = (1 - FAMILY_GAMMA) / (2 / FAMILY_GAMMA - 1)  # eta_0/(kappa alpha) = gamma^-T - 1
    extra = 2 * FAMILY_ETA0 * alpha_ / FAMILY_GAMMA * steps
    return unbounded(
        last + extra * (last * n + (half - last) / (1 - FAMILY_GAMMA)),
        last + extra * 2 * kappa * (half - last),
    )


@claim(PAPER, "ln-gamma", at="Proof of Theorem 4.5, ln(1/gamma) >= eta_0/kappa", kind="inequality")
def logarithm_of_gamma():
    """ln(1/gamma) >= 1 - gamma for gamma in (0, 1), which is eta_0/kappa."""
    return AtMost(1 - gamma, -sp.log(gamma), given=[gamma < 1])


@claim(
    PAPER,
    "proof-4.5-dropthat-corrected",
    at="Proof of Theorem 4.5, T > T_hat, first display, corrected",
    kind="inequality",
    uses=["ln-gamma"],
    standing="ours",
)
def first_phase_is_kept_as_a_constant_of_beta():
    """If (T_hat-1) ln(1/gamma) <= ln(1/(1-beta)), as the definition of T_hat implies, T = T_hat + m: T_hat
    gamma^T + (gamma^T_hat - gamma^T)/(1-gamma) <= (gamma^T_hat/(1-gamma)) (2 + ln(1/(1-beta))).
    """
    m = sp.Symbol("m", integer=True, positive=True)
    log = -sp.log(1 - beta)
    inside = (1 - gamma) * Th * gamma**m + 1 - gamma**m
    return (
        Theorem(
            given=[beta < 1, gamma < 1, -(Th - 1) * sp.log(gamma) <= log],
            shows=AtMost(
                Th * gamma ** (Th + m) + (gamma**Th - gamma ** (Th + m)) / (1 - gamma),
                gamma**Th / (1 - gamma) * (2 + log),
            ),
        )
        .use("ln-gamma", "ln(1/gamma) >= 1 - gamma", gamma=gamma)
        .have(AtMost((Th - 1) * (1 - gamma), -(Th - 1) * sp.log(gamma)), "T_hat - 1 times")
        .have(AtMost((1 - gamma) * Th, 1 + log), "T_hat is bounded")
        .have(AtMost(gamma**m, 1), "gamma < 1")
        .have(AtMost((1 - gamma) * Th * gamma**m, 1 + log), "times gamma^m")
        .have(AtMost(inside, 2 + log), "together")
        .have(AtMost(gamma**Th / (1 - gamma) * inside, gamma**Th / (1 - gamma) * (2 + log)), "a factor")
        .have(
            Equal(
                gamma**Th / (1 - gamma) * inside,
                Th * gamma ** (Th + m) + (gamma**Th - gamma ** (Th + m)) / (1 - gamma),
            ),
            "the left side",
        )
    )


@claim(PAPER, "proof-4.5-last", at="Proof of Theorem 4.5, last line", kind="inequality")
def difference_is_at_most_the_product():
    """(kappa^2 alpha/eta_0)(gamma^T_hat - x) <= kappa x gamma^T_hat, x = kappa/(kappa + eta_0/alpha)."""
    x, g = kappa / (kappa + eta0 / alpha), sp.Symbol("g", positive=True)
    return AtMost(kappa**2 * alpha / eta0 * (g - x), kappa * x * g, given=[g <= 1])
