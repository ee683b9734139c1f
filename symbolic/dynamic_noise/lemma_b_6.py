"""Appendix B: Lemma B.6, the double sum, as printed and for gamma > beta; Lemma B.5 corrected by it.

U_1(t, i) = sum_{k=t-i..t-1} k beta^k,   c = beta gamma/((gamma - beta)^2 (1 - beta)^3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.lemma_b_5 import AT_KAPPA_1, k, n, u
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, C, M, beta, eta0, gamma, i, j, t
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

a = sp.Symbol("a", positive=True)


@claim(
    PAPER,
    "lemma-b.6",
    at="Lemma B.6",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-b.6-corrected",
)
def double_sum_is_at_most_a_single_one():
    """sum_t gamma^(T-t) sum_{i<t} |v_{i+1}|^2 U_1(t, i) <= 2 beta gamma/((gamma-beta)^2 (1-beta)) sum_{i<T}
    gamma^(T-i) |v_{i+1}|^2, beta != gamma.

    Refuted where gamma < beta, which Theorem 4.4 does not exclude.
    """
    length = 6  # |v_2|^2 = 1, the others 0
    left = sum(
        gamma ** (length - s) * sum(r * beta**r for r in range(s - 1, s)) for s in range(2, length + 1)
    )
    right = 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * gamma ** (length - 1)
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": str(length), "v": "v_2 of length 1, the others 0"}
    return Instance(AtMost(left, right, given=[beta <= sp.Rational(1, 2), *AT_KAPPA_1]), let=case)


def _u1(m, last):
    """sum_{k=m..last} k beta^k."""
    return sp.Sum(k * beta**k, (k, m, last))


def _inner(x):
    """sum_{i<t} u_i U_1(t, i), U_1(t, i) = sum_{k=t-i..t-1} k beta^k, at t = x."""
    return sp.Sum(u[i] * _u1(x - i, x - 1), (i, 1, x - 1))


def _average(x):
    """sum_{i<x} beta^(x-i) u_i."""
    return sp.Sum(beta ** (x - i) * u[i], (i, 1, x - 1))


def _moment(x):
    """sum_{i<x} (x-i) beta^(x-i) u_i."""
    return sp.Sum((x - i) * beta ** (x - i) * u[i], (i, 1, x - 1))


def _primitive(m):
    """(m beta^m + beta^(m+1)/(1-beta))/(1-beta), whose value at m less that at m + 1 is m beta^m."""
    return (m * beta**m + beta ** (m + 1) / (1 - beta)) / (1 - beta)


@claim(
    PAPER,
    "lemma-b.6-inner",
    at="Lemma B.6, the inner sums",
    kind="inequality",
    uses=["proof-b.6-u1-corrected"],
    standing="ours",
)
def inner_sums_are_at_most_two_averages():
    """(1-beta)^2 sum_{i<t} u_i U_1(t, i) <= (1-beta) sum_{i<t} (t-i) beta^(t-i) u_i + beta sum_{i<t}
    beta^(t-i) u_i; t + 1 stands for t.
    """
    x, square = t + 1, (1 - beta) ** 2
    each = (1 - beta) * ((x - i) * beta ** (x - i) * u[i]) + beta * (beta ** (x - i) * u[i])
    both = (1 - beta) * _moment(x) + beta * _average(x)
    return (
        Theorem(given=[beta < 1], shows=AtMost(square * _inner(x), both))
        .use("proof-b.6-u1-corrected", "U_1 in closed form", over=(i, 1, t), t=x, i=i)
        .have(
            ForEvery(AtMost(square * _u1(x - i, t), square * _primitive(x - i)), i, 1, t), "times (1-beta)^2"
        )
        .sum(AtMost(square * (u[i] * _u1(x - i, t)), each), (i, 1, t), "each i")
        .have(Equal(sp.Sum(square * (u[i] * _u1(x - i, t)), (i, 1, t)), square * _inner(x)), "a factor")
        .have(Equal(sp.Sum(each, (i, 1, t)), both), "two sums")
    )


@claim(
    PAPER,
    "lemma-b.6-corrected",
    at="Lemma B.6, with gamma > beta",
    kind="inequality",
    uses=["lemma-b.6-inner"],
    standing="ours",
)
def double_sum_is_at_most_a_single_one_if_gamma_exceeds_beta():
    """Lemma B.6 holds for gamma > beta, u_i = |v_{i+1}|^2 being any numbers and T = n + 1: sum_{t=2..T}
    gamma^(T-t) sum_{i<t} u_i sum_{k=t-i..t-1} k beta^k <= 2 beta gamma/((gamma-beta)^2 (1-beta)) sum_{i<T}
    gamma^(T-i) u_i. (The inner sum is empty at t = 1; t + 1 stands for t.)
    """
    double, both = _inner(t + 1), (1 - beta) * _moment(t + 1) + beta * _average(t + 1)
    gap, square = (gamma - beta) ** 2, (1 - beta) ** 2
    q = beta * gamma * (1 - beta) + beta**2 * (gamma - beta)
    potential = q * _average(t) + beta * (gamma - beta) * (1 - beta) * _moment(t)
    left = sp.Sum(gamma ** (n - t) * double, (t, 1, n))
    most = sp.Sum(gamma ** (n - t) * both, (t, 1, n))
    effect = sp.Sum(gamma ** (n + 1 - t) * u[t], (t, 1, n))
    return (
        Theorem(
            given=[beta < gamma, gamma < 1],
            shows=AtMost(left, 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * effect),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .use("lemma-b.6-inner", "the inner sums", over=(t, 1, n), t=t)
        .sum(
            AtMost(square * (gamma ** (n - t) * double), gamma ** (n - t) * both),
            (t, 1, n),
            "times gamma^(T-t)",
        )
        .have(AtMost(square * left, most), "added up")
        .unroll(
            potential,
            gamma,
            q * gamma * u[t] - gap * both,
            (t, 1, n),
            "a potential of sum_i beta^(t-i) u_i and sum_i (t-i) beta^(t-i) u_i pays for them",
        )
        .have(AtMost(0, potential.subs(t, n + 1)), "what is left of the potential")
        .have(AtMost(gap * most, q * effect), "all steps")
        .have(AtMost(gap * (square * left), gap * most), "the inner sums")
        .have(
            AtMost(q * effect, 2 * beta * gamma * (1 - beta) * effect),
            "the second part is at most the first: beta (gamma-beta) <= gamma (1-beta)",
        )
    )


@claim(
    PAPER,
    "lemma-b.5-corrected",
    at="Lemma B.5, with gamma > beta, given Eq (20) at every t",
    kind="inequality",
    uses=["eq-20", "lemma-b.6-corrected"],
    standing="ours",
)
def gradient_variance_is_at_most_the_momentum_effect_if_gamma_exceeds_beta():
    """Lemma B.5 for gamma > beta, T = n + 1, u_i = |v_{i+1}|^2 and U_2(t) = sum_{i<=t} beta^(t-i) |grad_t -
    grad_i|^2, of which Eq (20) is known: if U_2(t) <= eta_0^2/(4 (1-beta)^2) sum_{i<t} u_i sum_{k=t-i..t-1}
    k beta^k for t = 2..T, then sum_{t=2..T} gamma^(T-t) (2 (1-beta) eta_t/b_t) U_2(t) <= eta_0^3 c/(2M)
    sum_{i<T} gamma^(T-i) u_i, eta_t = eta_0/(2M), b_t = 1 - beta^t. (U_2(1) = 0; t + 1 stands for t.)

    Eq (20) is eq-20, from the distances of eq-20-smooth.
    """
    variance = sp.IndexedBase("U_2", nonnegative=True)[t + 1]
    doubled = sp.Sum(gamma ** (n - t) * _inner(t + 1), (t, 1, n))
    share, factor = (1 - beta) / (1 - beta ** (t + 1)), eta0**3 / (4 * M)
    term = gamma ** (n - t) * 2 * (eta0 / (2 * M)) * share * variance
    effect = sp.Sum(gamma ** (n + 1 - t) * u[t], (t, 1, n))
    lemma = 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * effect
    return (
        Theorem(
            given=[
                beta < gamma,
                gamma < 1,
                ForEvery(AtMost(variance, eta0**2 / (4 * (1 - beta) ** 2) * _inner(t + 1)), t, 1, n),
            ],
            shows=AtMost(sp.Sum(term, (t, 1, n)), eta0**3 * C / (2 * M) * effect),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .have(ForEvery(AtMost(share, 1), t, 1, n), "b_t >= 1 - beta")
        .have(ForEvery(AtMost(share * variance, variance), t, 1, n), "times U_2(t)")
        .have(
            ForEvery(AtMost((1 - beta) ** 2 * (share * variance), eta0**2 / 4 * _inner(t + 1)), t, 1, n),
            "Eq (20)",
        )
        .sum(
            AtMost((1 - beta) ** 2 * term, factor * (gamma ** (n - t) * _inner(t + 1))),
            (t, 1, n),
            "times gamma^(T-t)",
        )
        .use("lemma-b.6-corrected", "Lemma B.6")
        .calc(
            (1 - beta) ** 2 * sp.Sum(term, (t, 1, n)),
            ("<=", factor * doubled, "added up"),
            ("<=", factor * lemma, "Lemma B.6"),
            ("=", (1 - beta) ** 2 * (eta0**3 * C / (2 * M) * effect), "collected"),
        )
    )


@claim(
    PAPER,
    "proof-b.6-u1",
    at="Proof of Lemma B.6, U_1(t, i)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.6-u1-corrected",
)
def u1_in_closed_form():
    """U_1(t, i) = ((t-i) beta^(t-i) + (beta^(t-i+1) - beta)/(1-beta))/(1-beta)."""
    return Equal(
        _u1(t - i, t - 1),
        ((t - i) * beta ** (t - i) + (beta ** (t - i + 1) - beta) / (1 - beta)) / (1 - beta),
        given=[i < t, beta < 1],
    )


@claim(
    PAPER,
    "proof-b.6-u1-corrected",
    at="Proof of Lemma B.6, U_1(t, i), corrected",
    kind="identity",
    standing="ours",
)
def u1_in_its_true_closed_form():
    """With j = t - i: U_1 = ((j beta^j - t beta^t) + (beta^(j+1) - beta^(t+1))/(1-beta))/(1-beta) <= (j
    beta^j + beta^(j+1)/(1-beta))/(1-beta).
    """
    u1 = _u1(t - i, t - 1)
    return (
        Theorem(
            given=[i < t, beta < 1],
            shows=AllOf(Equal(u1, _primitive(t - i) - _primitive(t)), AtMost(u1, _primitive(t - i))),
        )
        .have(Equal(u1, _primitive(t - i) - _primitive(t)), "the sum telescopes")
        .have(AtMost(0, _primitive(t)), "what is dropped")
    )


@claim(
    PAPER,
    "proof-b.6-ja",
    at="Proof of Lemma B.6, sum of j a^j",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.6-ja-corrected",
)
def sum_of_j_a_to_the_j():
    """sum_{j<=n} j a^j <= a/(1-a)^2 for a = beta/gamma, whatever beta != gamma in (0, 1).

    Refuted where gamma < beta, which neither Lemma B.6 nor Theorem 4.4 excludes: then a > 1.
    """
    ratio = beta / gamma
    return AtMost(
        sp.Sum(j * ratio**j, (j, 1, n)), ratio / (1 - ratio) ** 2, given=[sp.Ne(beta, gamma), *INSIDE]
    )


@claim(
    PAPER,
    "proof-b.6-ja-corrected",
    at="Proof of Lemma B.6, sum of j a^j, for beta < gamma",
    kind="inequality",
    standing="ours",
)
def sum_of_j_a_to_the_j_below_one():
    """sum_{j<=n} j a^j = (a - a^(n+1))/(1-a)^2 - n a^(n+1)/(1-a) <= a/(1-a)^2 for 0 < a < 1."""
    closed = (a - a ** (n + 1)) / (1 - a) ** 2 - n * a ** (n + 1) / (1 - a)
    terms = sp.Sum(j * a**j, (j, 1, n))
    return (
        Theorem(given=[a < 1], shows=AllOf(Equal(terms, closed), AtMost(terms, a / (1 - a) ** 2)))
        .have(Equal(terms, closed), "the order of summation")
        .have(AtMost(closed, a / (1 - a) ** 2), "what is dropped is positive")
    )


@claim(
    PAPER,
    "proof-b.6-missing-2",
    at="Proof of Lemma B.6, third line of the last display but two",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-b.6-missing-2-corrected",
)
def two_terms_are_at_most_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= a/(1-a)^2 (the next display has 2a)."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), a / (1 - a) ** 2, given=[beta < a, a < 1]
    )


@claim(
    PAPER,
    "proof-b.6-missing-2-corrected",
    at="Proof of Lemma B.6, last display but one",
    kind="inequality",
    standing="ours",
)
def two_terms_are_at_most_twice_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= 2a/(1-a)^2 for beta <= a < 1."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), 2 * a / (1 - a) ** 2, given=[beta <= a, a < 1]
    )
