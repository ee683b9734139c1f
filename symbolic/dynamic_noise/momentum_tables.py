"""The rows of Tables 1 to 3 about momentum.

static   sigma_t^2 = T/R,   dynamic   sigma_t^2 = O((c_1 gamma^(T+t) + c_2 gamma^((T-t)/2))/R)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import ETA0_LIMIT, R, T, beta, eta0, gamma, i, kappa, t
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


@claim(
    PAPER,
    "tab1-mom-static",
    at="Tables 1 and 2, momentum, static",
    kind="asymptotic",
    uses=["thm-4.5"],
)
def static_momentum_row_follows_from_theorem_4_5():
    """With alpha = a D/(N^2 R), the bound of Theorem 4.5, b = kappa^2/(kappa + eta_0/alpha) if T <= T_hat,
    and at most b ln(1 + eta_0/(kappa alpha)) otherwise, is O(D/(N^2 R)) and O((D/(N^2 R))(c + ln N)), with
    the constant kappa^2 a/eta_0, c = ln(1 + eta_0 R/(kappa a D)), N >= 1.
    """
    D, N, a = sp.symbols("D N a", positive=True)
    u = D / (N**2 * R)
    unit = kappa**2 / (kappa + eta0 / (a * u))
    s = eta0 * R / (kappa * a * D)
    second = (
        Theorem(
            given=[N >= 1],
            shows=AtMost(
                unit * sp.log(1 + s * N**2), kappa**2 * a / eta0 * u * (2 * sp.log(N) + sp.log(1 + s))
            ),
        )
        .have(AtMost(unit, kappa**2 * a / eta0 * u), "the first")
        .have(AtMost(1 + s * N**2, N**2 * (1 + s)), "N >= 1")
        .have(AtMost(sp.log(1 + s * N**2), 2 * sp.log(N) + sp.log(1 + s)), "the logarithm")
        .have(AtMost(0, sp.log(1 + s * N**2)), "not negative")
    )
    return AllOf(AtMost(unit, kappa**2 * a / eta0 * u), second)


@claim(
    PAPER,
    "tab1-mom-dyn-sched",
    at="Tables 1 and 2, momentum, dynamic: the schedule",
    kind="identity",
    uses=["thm-4.6-schedule-budget"],
    expect=REFUTED,
    breaks="text",
    correction="tab1-mom-dyn-sched-corrected",
)
def dynamic_momentum_schedule_of_the_table():
    """sigma_t^2 = O((c1 gamma^(T+t) + c2 gamma^((T-t)/2))/R), the constant made of c1 and c2.

    Refuted at t = 1 as T grows, at gamma = 1/100, beta = 1/1000 (kappa = 1, T_hat = 1 < T as gamma (1+beta) <
    1; eta_0 = 99/100 meets Theorem 4.4), in z = gamma^(-(T-1)/2) = 10^(T-1): the schedule of q_t = c
    gamma^(T-t) has R sigma_1^2 = sum_{i<=T} gamma^((1-i)/2).
    """
    c1, c2, z = sp.symbols("c_1 c_2 z", positive=True)
    root = sp.Rational(1, 10)  # sqrt(gamma)
    first = (z - root) / (1 - root)
    table = c1 * root**4 / z**2 + c2 / z  # gamma^(T+1) = gamma^2/z^2
    return BigO(first, table, [z >= 10], of=[c1, c2])


@claim(
    PAPER,
    "tab1-mom-dyn-sched-case",
    at="Tables 1 and 2, momentum, dynamic: the case of the schedule",
    kind="inequality",
    standing="ours",
)
def case_of_the_schedule_meets_theorem_4_4():
    """At gamma = 1/100, beta = 1/1000: gamma (1+beta) < 1, so that T_hat = 1, and eta_0 = 1 - gamma meets the
    condition of Theorem 4.4.
    """
    at = {beta: sp.Rational(1, 1000), gamma: sp.Rational(1, 100)}
    return AllOf(
        AtMost((gamma * (1 + beta)).subs(at), 1, strict=True),
        AtMost((1 - gamma).subs(at), ETA0_LIMIT.subs(at)),
    )


@claim(
    PAPER,
    "tab1-mom-dyn-sched-corrected",
    at="Tables 1 and 2, momentum, dynamic: the schedule, corrected",
    kind="identity",
    uses=["thm-4.6-schedule-budget"],
    standing="ours",
)
def dynamic_momentum_schedules_in_closed_form():
    """Of q_t = c1 gamma^(T+t): R sigma_t^2 = sqrt(gamma) (1-gamma^(T/2))/(1-sqrt gamma) gamma^(-t/2); of q_t
    = c gamma^(T-t): (gamma^(-T/2) - 1)/(1-sqrt gamma) gamma^(t/2), as for GD; g = sqrt gamma.
    """
    g = sp.Symbol("g", positive=True)
    return AllOf(
        Equal(sp.Sum(g ** (i - t), (i, 1, T)), g * (1 - g**T) / (1 - g) * g**-t, given=[g < 1]),
        Equal(sp.Sum(g ** (t - i), (i, 1, T)), (g**-T - 1) / (1 - g) * g**t, given=[g < 1]),
    )


@claim(
    PAPER,
    "tab1-mom-dyn-bound",
    at="Tables 1 to 3, momentum, dynamic: the bound",
    kind="asymptotic",
    uses=["thm-4.6-bound-corrected", "thm-4.6-short"],
)
def dynamic_momentum_row_follows_for_fixed_kappa():
    """For fixed kappa and eta_0, u = D/(N^2 R), alpha = a u, x = kappa alpha/(kappa alpha + eta_0), the
    bounds kappa x^2 (T <= T_hat) and kappa x (T > T_hat) of Theorem 4.6 corrected are at most (kappa^2
    a/eta_0) u and (kappa^2 a/eta_0) u (1 + c u); the printed x^2 and x, without the factor kappa, all the
    more.
    """
    D, N, a, c = sp.symbols("D N a c", positive=True)
    u = D / (N**2 * R)
    x = kappa * a * u / (kappa * a * u + eta0)
    constant = kappa**2 * a / eta0
    return AllOf(AtMost(kappa * x**2, constant * u), AtMost(kappa * x, constant * u * (1 + c * u)))
