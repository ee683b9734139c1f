"""Theorem 4.6, from above: the bound at the schedule of the theorem, T <= T_hat and T > T_hat, corrected.

ERUB_min <= C kappa x^2 if T <= T_hat,  C kappa x if T > T_hat,  x = kappa alpha/(kappa alpha + eta_0)
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
    kappa,
    s2,
    t,
    weight,
)
from dpverify.symbolic.dynamic_noise.theorem_4_5 import LOG, v
from dpverify.symbolic.dynamic_noise.theorem_4_6_influence import (
    WEIGHTS,
    constants_of_theorem_4_6,
    noise_term,
)
from dpverify.theorems import AllOf, ForEvery, ForSome, Theorem
from dpverify.verdicts import REFUTED


def _rounded_up(steps, log, g):
    """T = ceil((2/l) ln(1 + eta_0/(kappa alpha))), l = ln(1/gamma)."""
    return [2 * log <= -steps * sp.log(g), -(steps - 1) * sp.log(g) <= 2 * log]


@claim(PAPER, "thm-4.6-x", at="Theorem 4.6, T <= T_hat, what it implies", kind="inequality", standing="ours")
def before_t_hat_the_power_is_not_small():
    """If (1-beta)/(1-beta^T) <= gamma^(T-1), beta < gamma < 1, and gamma^T <= s, then beta (1-beta) <= s."""
    s = sp.Symbol("s", positive=True)
    return (
        Theorem(
            given=[beta < gamma, gamma < 1, weight(T) <= gamma ** (T - 1), gamma**T <= s],
            shows=AtMost(beta * (1 - beta), s),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .have(AtMost(1 - beta, weight(T)), "b_T <= 1")
        .have(AtMost(1 - beta, gamma ** (T - 1)), "T <= T_hat")
        .have(Equal(gamma**T, gamma * gamma ** (T - 1)), "the powers")
        .have(AtMost(gamma * (1 - beta), gamma * gamma ** (T - 1)), "times gamma")
        .have(AtMost(beta * (1 - beta), gamma * (1 - beta)), "beta < gamma")
    )


@claim(
    PAPER,
    "thm-4.6-short",
    at="Theorem 4.6, ERUB_min for T <= T_hat, read as the least over T, T = 0 included",
    kind="asymptotic",
    uses=["power-at-most-square", "thm-4.6-x"],
    standing="ours",
)
def dynamic_bound_of_momentum_before_t_hat():
    """Where T = ceil((2/l) ln(1 + eta_0/(kappa alpha))) <= T_hat, l = ln(1/gamma), gamma = 1 - eta_0/kappa >
    beta, ERUB_min = O(x^2), x = kappa alpha/(kappa alpha + eta_0), with a constant of beta: for some number n
    of steps, whatever the schedule, gamma^n + 2 R eta_0 alpha U_3 <= x^2/(beta (1-beta)). It is n = 0, where
    the bound is 1.

    (1-beta)/(1-beta^T) <= gamma^(T-1), as T <= T_hat says by Lemma B.7, keeps x^2 >= gamma^T above beta
    (1-beta). Of the bound at the printed T and schedule nothing is said here: thm-4.6-bound-corrected has it
    with a factor kappa. (ERUB is taken without the momentum effect, as in the proof.)
    """
    n = sp.Symbol("n", integer=True, nonnegative=True)
    g, x = 1 - eta0 / kappa, kappa * alpha / (kappa * alpha + eta0)
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    u3 = sp.Sum(g ** (n - t) * weight(t) ** 2 * average, (t, 1, n))
    ratio = eta0 / (kappa * alpha)
    bound = AtMost(g**n + 2 * R * eta0 * alpha * u3, x**2 / (beta * (1 - beta)))
    return (
        Theorem(
            given=[
                *[beta < g, eta0 < kappa],
                weight(T) <= g ** (T - 1),
                *_rounded_up(T, sp.log(1 + ratio), g),
            ],
            shows=ForSome([n], bound, at={n: 0}),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .use("power-at-most-square", "T is at least its argument", gamma=g, v=ratio, n=T)
        .have(Equal(1 / (1 + ratio) ** 2, x**2), "x in terms of eta_0/(kappa alpha)")
        .have(AtMost(g**T, x**2), "so gamma^T <= x^2")
        .use("thm-4.6-x", "T <= T_hat keeps x away from 0", gamma=g, s=x**2)
        .have(AtMost(0, beta * (1 - beta), strict=True), "beta < 1")
        .have(AtMost(1, x**2 / (beta * (1 - beta))), "divided")
    )


@claim(PAPER, "thm-4.6-powers", at="Theorem 4.6, T <= T_hat, the powers", kind="inequality", standing="ours")
def squared_sum_of_roots_is_at_most_of_order_kappa():
    """If g/(1+v) <= z <= 1/(1+v), 0 < g < 1: 2 kappa ((1-g^2)^2/v) ((1-z)/(1-g))^2 <= kappa (16 + 4
    (1-g^2)/v); z is gamma^(T/2), g is sqrt gamma.
    """
    g, z = sp.symbols("g z", positive=True)
    x = 1 / (1 + v)
    gap = 1 - g**2
    steps = (1 - z) / (1 - g)
    return (
        Theorem(
            given=[g < 1, z <= x, g * x <= z],
            shows=AtMost(2 * kappa * gap**2 / v * steps**2, kappa * (16 + 4 * gap / v)),
        )
        .have(AtMost(steps, (1 - x) / (1 - g) + x), "1 - z <= (1-x) + (1-g) x")
        .have(AtMost(0, steps), "not negative")
        .have(AtMost(gap * steps, 2 * (1 - x) + gap * x), "1 - gamma <= 2 (1-g)")
        .have(AtMost((gap * steps) ** 2, (2 * (1 - x) + gap * x) ** 2), "squared")
        .have(AtMost((2 * (1 - x) + gap * x) ** 2, 8 * (1 - x) ** 2 + 2 * gap**2 * x**2), "two squares")
        .have(AtMost(2 / v * (8 * (1 - x) ** 2 + 2 * gap**2 * x**2), 16 + 4 * gap / v), "(1-x)/v = x")
        .have(AtMost(2 / v * (gap * steps) ** 2, 16 + 4 * gap / v), "together")
    )


@claim(PAPER, "thm-4.6-join", at="Theorem 4.6, T <= T_hat, put together", kind="inequality", standing="ours")
def power_times_noise():
    """If z <= w, n <= kappa A, J <= C, kappa >= 1: z + z J n <= (1 + A C) kappa w."""
    z, w, n, A, J, C = sp.symbols("z w n A J C", positive=True)
    return (
        Theorem(
            given=[z <= w, n <= kappa * A, J <= C, kappa >= 1],
            shows=AtMost(z + z * J * n, (1 + A * C) * kappa * w),
        )
        .have(AtMost(J * n, C * (kappa * A)), "two factors")
        .have(AtMost(z * (J * n), w * (C * (kappa * A))), "three factors")
        .have(AtMost(w, kappa * w), "kappa >= 1")
    )


def _scheduled(g, sign):
    """sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t) for q_t = gamma^(T+t) or gamma^(T-t), g = sqrt gamma."""
    return ForEvery(Equal(s2[t], sp.Sum(g ** (sign * (i - t)), (i, 1, T)) / R), t, 1, T)


def _cost(sign, whole):
    """R sum_t q_t sigma_t^2 = (sum_t sqrt q_t)^2 for that schedule, `whole` being the sum of roots."""
    g = sp.Symbol("g", positive=True)
    powers, roots = (sp.Sum(g ** (first + sign * i), (i, 1, T)) for first in (0, T))
    whole_cost = sp.Sum(g ** (2 * (T + sign * i)) * s2[i], (i, 1, T))
    return (
        Theorem(
            given=[g < 1, _scheduled(g, sign)],
            shows=Equal(R * whole_cost, whole(g) ** 2),
        )
        .have(Equal(roots, whole(g)), "a geometric sum")
        .have(Equal(g**T * powers, roots), "a factor")
        .have(
            ForEvery(Equal(g ** (sign * t) * sp.Sum(g ** (sign * (i - t)), (i, 1, T)), powers), t, 1, T),
            "q_t",
        )
        .have(ForEvery(Equal(R * g ** (sign * t) * s2[t], powers), t, 1, T), "the schedule")
        .sum(
            Equal(R * (g ** (2 * (T + sign * t)) * s2[t]), g ** (2 * T + sign * t) * powers),
            (t, 1, T),
            "each step",
        )
        .calc(
            R * whole_cost,
            ("=", sp.Sum(R * (g ** (2 * (T + sign * t)) * s2[t]), (t, 1, T)), "the factor R"),
            ("=", sp.Sum(g ** (2 * T + sign * t) * powers, (t, 1, T)), "each step"),
            ("=", (g**T * powers) ** 2, "the square of the sum"),
            ("=", whole(g) ** 2, "the geometric sum"),
        )
    )


def _steps(g):
    """(1 - gamma^(T/2))/(1 - sqrt gamma), g = sqrt gamma."""
    return (1 - g**T) / (1 - g)


@claim(PAPER, "thm-4.6-cost-before", at="Theorem 4.6, the schedule", kind="identity", standing="ours")
def cost_of_the_schedule_before_t_hat():
    """With q_t = gamma^(T+t) and sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t): R sum_t q_t sigma_t^2 = gamma^(T+1)
    ((1-gamma^(T/2))/(1-sqrt gamma))^2; g is sqrt gamma.
    """
    return _cost(1, lambda g: g ** (T + 1) * _steps(g))


@claim(PAPER, "thm-4.6-cost-after", at="Theorem 4.6, the schedule", kind="identity", standing="ours")
def cost_of_the_schedule_after_t_hat():
    """With q_t = gamma^(T-t) and sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t): R sum_t q_t sigma_t^2 =
    ((1-gamma^(T/2))/(1-sqrt gamma))^2; g is sqrt gamma.
    """
    return _cost(-1, _steps)


@claim(
    PAPER,
    "thm-4.6-before",
    at="Theorem 4.6, T <= T_hat",
    kind="inequality",
    uses=[
        "thm-4.6-q-before",
        "thm-4.6-cost-before",
        "thm-4.6-powers",
        "thm-4.6-join",
        "power-at-most",
        "power-at-least",
        "power-at-most-square",
    ],
    standing="ours",
)
def dynamic_bound_of_momentum_up_to_t_hat():
    """Theorem 4.6 for T <= T_hat in v = eta_0/(kappa alpha), eta_0 = kappa (1-gamma), alpha = (1-gamma)/v."""
    _, u3 = noise_term()
    root = sp.sqrt(gamma)
    factor = 2 * kappa * (1 - gamma) ** 2 / v
    inverse = 1 / (gamma * (1 - gamma * beta**2))
    most, square = 16 + 4 * (1 - gamma) / v, _steps(root) ** 2
    largest = 1 / (beta * (1 - beta**2))
    return (
        Theorem(
            given=[
                *[beta < gamma, gamma < 1, kappa >= 1, WEIGHTS, weight(Th) <= gamma ** (Th - 1), T <= Th],
                *_rounded_up(T, LOG, gamma),
                _scheduled(root, 1),
            ],
            shows=AtMost(gamma**T + factor * R * u3, (1 + most * largest) * kappa / (1 + v) ** 2),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .have(AtMost(root, 1, strict=True), "gamma < 1")
        .use("power-at-most", "T is at least its argument", gamma=root, v=v, n=T)
        .use("power-at-least", "and less than one more", gamma=root, v=v, n=T - 1)
        .have(AtMost(root / (1 + v), root**T), "times sqrt gamma")
        .use("thm-4.6-powers", "the powers", g=root, z=root**T)
        .use("thm-4.6-q-before", "the bound of U_3")
        .use("thm-4.6-cost-before", "its cost", g=root)
        .have(AtMost(R * u3, gamma**T * inverse * square), "R U_3")
        .have(AtMost(factor * R * u3, gamma**T * inverse * (factor * square)), "times 2 eta_0 alpha")
        .have(AtMost(inverse, largest), "gamma (1 - gamma beta^2) >= beta (1 - beta^2)")
        .use("power-at-most-square", "the square of gamma^(T/2)", gamma=gamma, v=v, n=T)
        .use(
            "thm-4.6-join",
            "together",
            z=gamma**T,
            w=1 / (1 + v) ** 2,
            n=factor * square,
            A=most,
            J=inverse,
            C=largest,
        )
    )


@claim(
    PAPER,
    "thm-4.6-t-hat",
    at="Theorem 4.6, T > T_hat, what T_hat implies",
    kind="inequality",
    uses=["power-below-one"],
    standing="ours",
)
def beyond_t_hat_the_power_is_below_one():
    """If gamma^T_hat < (1-beta)/(1-beta^(T_hat+1)) and s <= gamma^(T-1), T = T_hat + m > T_hat, then s <=
    1/(1+beta).
    """
    m, s = sp.Symbol("m", integer=True, positive=True), sp.Symbol("s", positive=True)
    return (
        Theorem(
            given=[*INSIDE, weight(Th + 1) > gamma**Th, s <= gamma ** (Th + m - 1)],
            shows=AtMost(s, 1 / (1 + beta)),
        )
        .use("power-below-one", "gamma < 1", gamma=gamma, n=m - 1)
        .have(AtMost(gamma**Th * gamma ** (m - 1), gamma**Th), "times gamma^T_hat")
        .have(Equal(gamma ** (Th + m - 1), gamma**Th * gamma ** (m - 1)), "T - 1 >= T_hat")
        .use("power-below-one", "beta < 1", gamma=beta, n=Th - 1)
        .have(AtMost(beta**2 * beta ** (Th - 1), beta**2), "times beta^2")
        .have(Equal(beta ** (Th + 1), beta**2 * beta ** (Th - 1)), "T_hat >= 1")
        .have(AtMost(weight(Th + 1), 1 / (1 + beta)), "the weight after T_hat")
    )


LATER = 8 * (1 + 3 / beta) / (beta * (1 - beta) ** 2)


@claim(PAPER, "thm-4.6-tail", at="Theorem 4.6, T > T_hat, the noise", kind="inequality", standing="ours")
def noise_after_t_hat():
    """If f <= 1, (1-gamma)^2 q <= 4 and 1/v <= (1 + 3/beta)/(1+v), beta < gamma < 1: 2 kappa ((1-gamma)^2/v)
    f c2 q <= C kappa/(1+v), c2 = gamma/((gamma-beta^2)(1-beta)), C = 8 (1 + 3/beta)/(beta (1-beta)^2).
    """
    f, q = sp.symbols("f q", positive=True)
    _, c2 = constants_of_theorem_4_6()
    largest = 1 / (beta * (1 - beta) ** 2)
    wide = (1 + 3 / beta) / (1 + v)
    return (
        Theorem(
            given=[*INSIDE, beta < gamma, f <= 1, (1 - gamma) ** 2 * q <= 4, 1 / v <= wide],
            shows=AtMost(2 * kappa * (1 - gamma) ** 2 / v * (f * c2 * q), LATER * kappa / (1 + v)),
        )
        .have(AtMost(beta * (1 - beta), gamma - beta**2), "beta < gamma")
        .have(AtMost(0, beta * (1 - beta), strict=True), "beta < 1")
        .have(AtMost(1 / (gamma - beta**2), 1 / (beta * (1 - beta))), "the inverse")
        .have(AtMost(c2, largest), "c2 is at most a constant of beta")
        .have(AtMost(f * c2, largest), "f <= 1")
        .have(AtMost((1 - gamma) ** 2 * q * (f * c2), 4 * largest), "two factors")
        .have(AtMost((1 - gamma) ** 2 * q * (f * c2) / v, 4 * largest * wide), "three factors")
        .have(
            AtMost(2 * kappa * ((1 - gamma) ** 2 * q * (f * c2) / v), 2 * kappa * (4 * largest * wide)),
            "times 2 kappa",
        )
    )


@claim(
    PAPER,
    "thm-4.6-after",
    at="Theorem 4.6, T > T_hat",
    kind="inequality",
    uses=[
        "thm-4.6-q-after",
        "thm-4.6-cost-after",
        "thm-4.6-t-hat",
        "thm-4.6-tail",
        "power-below-one",
        "power-at-most-square",
        "power-at-least-square",
    ],
    standing="ours",
)
def dynamic_bound_of_momentum_after_t_hat():
    """Theorem 4.6 for T > T_hat in v = eta_0/(kappa alpha), eta_0 = kappa (1-gamma), alpha = (1-gamma)/v."""
    _, u3 = noise_term()
    root = sp.sqrt(gamma)
    factor = 2 * kappa * (1 - gamma) ** 2 / v
    (_, c2) = constants_of_theorem_4_6()
    square, first = _steps(root) ** 2, gamma ** (Th - 1)
    return (
        Theorem(
            given=[
                *[*INSIDE, beta < gamma, kappa >= 1, WEIGHTS],
                *[weight(Th) <= first, weight(Th + 1) > gamma**Th],
                *[T > Th, *_rounded_up(T, LOG, gamma)],
                _scheduled(root, -1),
            ],
            shows=AtMost(gamma**T + factor * R * u3, (1 + LATER) * kappa / (1 + v)),
        )
        .have(AtMost(root, 1, strict=True), "gamma < 1")
        .use("power-at-least-square", "T is less than its argument and one more", gamma=gamma, v=v, n=T - 1)
        .use("thm-4.6-t-hat", "what T_hat implies", s=1 / (1 + v) ** 2, m=T - Th)
        .have(AtMost(beta, 3 * v), "v is not small")
        .have(AtMost(1 / v, (1 + 3 / beta) / (1 + v)), "1 + 1/v <= 1 + 3/beta")
        .use("power-at-most-square", "T is at least its argument", gamma=gamma, v=v, n=T)
        .have(AtMost(1 / (1 + v) ** 2, kappa / (1 + v)), "kappa >= 1")
        .have(AtMost(root**T, 1), "a power")
        .have(AtMost((1 - gamma) * _steps(root), 2), "1 - gamma <= 2 (1 - sqrt gamma)")
        .have(AtMost(0, (1 - gamma) * _steps(root)), "not negative")
        .have(AtMost(((1 - gamma) * _steps(root)) ** 2, 4), "squared")
        .use("thm-4.6-q-after", "the bound of U_3")
        .use("thm-4.6-cost-after", "its cost", g=root)
        .have(AtMost(R * u3, first * c2 * square), "R U_3")
        .use("power-below-one", "gamma < 1", gamma=gamma, n=Th - 1)
        .use("thm-4.6-tail", "the noise", f=first, q=square)
        .have(AtMost(factor * R * u3, factor * (first * c2 * square)), "times 2 eta_0 alpha")
    )


@claim(
    PAPER,
    "thm-4.6-bound-corrected",
    at="Theorem 4.6, ERUB_min, corrected",
    kind="asymptotic",
    uses=["thm-4.6-before", "thm-4.6-after"],
    standing="ours",
)
def dynamic_bound_of_momentum():
    """With the schedule of Theorem 4.6, sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t), q_t proportional to
    gamma^(T+t) if T <= T_hat and to gamma^(T-t) if T > T_hat, and T = ceil((2/l) ln(1 + eta_0/(kappa
    alpha))), l = ln(1/gamma), gamma = 1 - eta_0/kappa > beta, kappa >= 1: gamma^T + 2 R eta_0 alpha U_3, U_3
    being Eq (13), is at most (1 + (16 + 4 alpha)/(beta (1-beta^2))) kappa x^2 if T <= T_hat, and (1 + 8 (1 +
    3/beta)/(beta (1-beta)^2)) kappa x if T > T_hat, x = kappa alpha/(kappa alpha + eta_0): a factor kappa
    more than printed, with constants of beta and of a bound of alpha.

    T_hat has (1-beta)/(1-beta^t) <= gamma^(t-1) at t = T_hat, and not at T_hat + 1; W_t is the squared weight
    ((1-beta)/(1-beta^t))^2. That gamma^T + 2 R eta_0 alpha U_3 bounds the excess risk is thm-4.4-corrected.
    """
    g = 1 - eta0 / kappa
    ratio = eta0 / (kappa * alpha)
    x = kappa * alpha / (kappa * alpha + eta0)
    root, (_, u3) = sp.sqrt(g), noise_term(g)
    erub = g**T + 2 * R * eta0 * alpha * u3
    given = [beta < 1, beta < g, eta0 < kappa, kappa >= 1, WEIGHTS, weight(Th) <= g ** (Th - 1)]
    rounded = _rounded_up(T, sp.log(1 + ratio), g)
    before, after = (1 + (16 + 4 * alpha) / (beta * (1 - beta**2))) * kappa * x**2, (1 + LATER) * kappa * x
    return AllOf(
        Theorem(given=[*given, T <= Th, *rounded, _scheduled(root, 1)], shows=AtMost(erub, before)).use(
            "thm-4.6-before", "in v", gamma=g, v=ratio
        ),
        Theorem(
            given=[*given, weight(Th + 1) > g**Th, T > Th, *rounded, _scheduled(root, -1)],
            shows=AtMost(erub, after),
        ).use("thm-4.6-after", "in v", gamma=g, v=ratio),
    )


@claim(
    PAPER,
    "thm-4.6-alpha-prime",
    at="Theorem 4.6 and its proof, alpha'",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    correction="thm-4.6-alpha-prime-corrected",
    standing="misprint",
)
def alpha_prime_of_statement_and_proof_agree():
    """alpha' = 2 eta_0 alpha/(gamma (1 - gamma beta^2)) in the statement is alpha' = 2 eta_0 c2 alpha, c2 =
    gamma^(2 T_hat)/(gamma-beta^2), of the proof.
    """
    c2 = gamma ** (2 * Th) / (gamma - beta**2)
    return Equal(
        2 * eta0 * alpha / (gamma * (1 - gamma * beta**2)),
        2 * eta0 * c2 * alpha,
        given=[beta < gamma, gamma < 1, eta0 < 1],
    )


@claim(
    PAPER,
    "thm-4.6-alpha-prime-corrected",
    at="Theorem 4.6, alpha', corrected",
    kind="identity",
    uses=["proof-4.6-small-sum"],
    standing="ours",
)
def alpha_prime_is_the_factor_before_t_hat():
    """The statement's alpha' is the factor in ERUB <= gamma^T (1 + alpha' ((1 - gamma^(T/2))/(1 - sqrt
    gamma))^2) for T <= T_hat; it has no other use.
    """
    x = sp.Symbol("x", positive=True)
    prime = 2 * eta0 * alpha / (gamma * (1 - gamma * beta**2))
    return Equal(
        gamma**T + 2 * eta0 * alpha * gamma**-2 / (1 - gamma * beta**2) * gamma ** (T + 1) * x,
        gamma**T * (1 + prime * x),
        given=[beta < gamma, gamma < 1],
    )
