"""Appendix C.2: the printed proof of Theorem 4.6, line by line, from the influence to ERUB_min.

ERUB = gamma^T + 2 eta_0 alpha (sum_t sqrt(q_t))^2,  q_t = c1 gamma^(T+t) up to T_hat,
gamma^(T_hat-1) c2 gamma^(T-t) after
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Theta
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, T, Th, alpha, beta, eta0, gamma, j, kappa, t
from dpverify.symbolic.dynamic_noise.momentum_family import FAMILY, FAMILY_GAMMA, unbounded
from dpverify.symbolic.dynamic_noise.proof_4_6_influence import m
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

ROOT = sp.sqrt(gamma)
C1, C2 = 2 / (gamma * (gamma - beta**2)), gamma ** (2 * Th) / (gamma - beta**2)


def _root_sum(m, c1, c2):
    """sum_t sqrt(q_t) gamma^(-T/2) with q_t = c1 gamma^(T+t) up to T_hat and gamma^(T_hat-1) c2 gamma^(T-t)
    after, T = T_hat + m.
    """
    return sp.Sum(sp.sqrt(c1) * gamma ** (t / 2), (t, 1, Th)) + sp.Sum(
        sp.sqrt(c2) * gamma ** (-(j + 1) / 2), (j, 1, m)
    )


@claim(
    PAPER,
    "proof-4.6-sumsqrt",
    at="Proof of Theorem 4.6, sum of roots",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-sumsqrt-corrected",
)
def sum_of_roots_as_printed():
    """(sum_t sqrt q_t)^2 = gamma^T (sqrt(c1) gamma (1 - gamma^(T_hat/2))/(1 - sqrt gamma) + sqrt(c2)
    (gamma^((T_hat-T-1)/2) - 1)/(1 - sqrt gamma))^2.

    Whatever c1 and c2: the roots of the first sum are gamma^(t/2), printed gamma^t.
    """
    c1, c2 = sp.symbols("c_1 c_2", positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    printed = (
        sp.sqrt(c1) * gamma * (1 - gamma ** (Th / 2)) + sp.sqrt(c2) * (gamma ** (-(m + 1) / 2) - 1)
    ) / (1 - ROOT)
    return Equal(_root_sum(m, c1, c2), printed, given=[gamma < 1])


@claim(
    PAPER,
    "proof-4.6-sumsqrt-corrected",
    at="Proof of Theorem 4.6, sum of roots, corrected",
    kind="identity",
    standing="ours",
)
def sum_of_roots():
    """sum_t sqrt q_t = gamma^(T/2) (sqrt(c1 gamma) (1 - gamma^(T_hat/2)) + sqrt(c2/gamma)
    (gamma^((T_hat-T)/2) - 1))/(1 - sqrt gamma).
    """
    c1, c2, g = sp.symbols("c_1 c_2 g", positive=True)  # g = sqrt(gamma)
    m = sp.Symbol("m", integer=True, positive=True)
    true = (sp.sqrt(c1) * g * (1 - g**Th) + sp.sqrt(c2) / g * (g**-m - 1)) / (1 - g)
    return Equal(_root_sum(m, c1, c2).subs(gamma, g**2), true, given=[g < 1])


@claim(
    PAPER,
    "proof-4.6-ostep",
    at="Proof of Theorem 4.6, sum of roots, last line",
    kind="asymptotic",
    uses=["momentum-family", "proof-4.6-sumsqrt-corrected"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-ostep-corrected",
)
def first_phase_of_the_roots_may_be_dropped():
    """(sum_t sqrt q_t)^2 <= O(c2 ((gamma^((T_hat-1)/2) - gamma^(T/2))/(1 - sqrt gamma))^2).

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) with T = T_hat + 1.
    """
    half = FAMILY_GAMMA ** sp.Rational(1, 2)
    tail = 1 / sp.sqrt(2)  # gamma^(T_hat/2)
    c1, c2 = C1.subs(FAMILY), 1 / (4 * (FAMILY_GAMMA - sp.Rational(1, 4)))
    roots = tail * half * (sp.sqrt(c1) * half * (1 - tail) / (1 - half) + sp.sqrt(c2) / FAMILY_GAMMA)
    return unbounded(roots**2, c2 * (tail / half * (1 - FAMILY_GAMMA) / (1 - half)) ** 2)


@claim(
    PAPER,
    "proof-4.6-ostep-corrected",
    at="Proof of Theorem 4.6, sum of roots, last line, corrected",
    kind="inequality",
    uses=["proof-4.6-sumsqrt-corrected"],
    standing="ours",
)
def both_phases_of_the_roots_are_kept():
    """With c1 = 2/(gamma (gamma-beta^2)) and c2 = gamma^T_hat/(gamma-beta^2), T = T_hat + m, g = sqrt(gamma),
    p = 1/sqrt(gamma-beta^2), the sum of roots of proof-4.6-sumsqrt-corrected: (sum_t sqrt q_t)^2 <=
    (2/((gamma-beta^2) (1 - sqrt gamma)^2)) (2 gamma^T + gamma^(2 T_hat - 1)).
    """
    p, g = sp.symbols("p g", positive=True)
    first, second = sp.sqrt(2) * p * g ** (Th + m), p * g ** (2 * Th) / g
    roots = (first * (1 - g**Th) + second * (1 - g**m)) / (1 - g)
    return (
        Theorem(
            given=[g < 1],
            shows=AtMost(roots**2, 2 * p**2 / (1 - g) ** 2 * (2 * g ** (2 * Th + 2 * m) + g ** (4 * Th - 2))),
        )
        .have(AtMost(g**Th, 1), "a power")
        .have(AtMost(g**m, 1), "a power")
        .have(AtMost(0, roots), "not negative")
        .have(AtMost(roots, (first + second) / (1 - g)), "both sums completed")
        .have(AtMost(roots**2, ((first + second) / (1 - g)) ** 2), "squared")
        .have(AtMost((first + second) ** 2, 2 * (first**2 + second**2)), "the square of a sum")
        .have(AtMost(((first + second) / (1 - g)) ** 2, 2 * (first**2 + second**2) / (1 - g) ** 2), "divided")
        .have(
            Equal(
                2 * (first**2 + second**2) / (1 - g) ** 2,
                2 * p**2 / (1 - g) ** 2 * (2 * g ** (2 * Th + 2 * m) + g ** (4 * Th - 2)),
            ),
            "the squares",
        )
    )


@claim(
    PAPER,
    "proof-4.6-x-subst",
    at="Proof of Theorem 4.6, ERUB_min at T",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-x-subst-corrected",
)
def substitution_as_printed():
    """With x = gamma^(T/2) = kappa alpha/(kappa alpha + eta_0): g - x = (g - (1-g) kappa alpha)/(kappa alpha
    + eta_0), g = gamma^((T_hat-1)/2), and 1 - x <= 1/(kappa alpha + 1).
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    given = [g <= 1, eta0 < kappa, kappa >= 1]
    return AllOf(
        Equal(g - x, (g - (1 - g) * kappa * alpha) / (kappa * alpha + eta0), given=given),
        AtMost(1 - x, 1 / (kappa * alpha + 1), given=given),
    )


@claim(
    PAPER,
    "proof-4.6-x-subst-corrected",
    at="Proof of Theorem 4.6, ERUB_min at T, corrected",
    kind="identity",
    standing="ours",
)
def substitution():
    """g - x = (g eta_0 - (1-g) kappa alpha)/(kappa alpha + eta_0) and 1 - x = eta_0/(kappa alpha + eta_0):
    the printed ones are for eta_0 = 1.
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    return AllOf(
        Equal(g - x, (g * eta0 - (1 - g) * kappa * alpha) / (kappa * alpha + eta0)),
        Equal(1 - x, eta0 / (kappa * alpha + eta0)),
    )


@claim(
    PAPER,
    "proof-4.6-c3-constant",
    at="Proof of Theorem 4.6, c3",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-c3-corrected",
)
def c3_is_a_constant():
    """c3 = 2 c2 gamma^(T_hat-1)/(kappa (1 - sqrt gamma)^2) is a constant, that is bounded.

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family), where kappa grows
    with n.
    """
    c2, half = 1 / (4 * (FAMILY_GAMMA - sp.Rational(1, 4))), FAMILY_GAMMA ** sp.Rational(1, 2)
    return unbounded(2 * c2 / (2 * FAMILY_GAMMA) / (kappa * (1 - half) ** 2), sp.Integer(1))


@claim(
    PAPER,
    "proof-4.6-c3-corrected",
    at="Proof of Theorem 4.6, c3, corrected",
    kind="asymptotic",
    standing="ours",
)
def c3_grows_like_kappa():
    """1/(kappa (1 - sqrt gamma)^2) lies between kappa/eta_0^2 and 4 kappa/eta_0^2: c3 is a constant of beta
    and eta_0 times kappa.
    """
    value = (1 / (kappa * (1 - ROOT) ** 2)).subs(gamma, 1 - eta0 / kappa)
    return Theta(value, kappa / eta0**2, lower=1, upper=4, given=[eta0 < kappa])


@claim(PAPER, "proof-4.6-small-sum", at="Proof of Theorem 4.6, T <= T_hat", kind="identity")
def sum_of_roots_before_t_hat():
    """With g = sqrt(gamma): (sum_t sqrt(gamma^(T+t)))^2 = gamma^(T+1) ((1-gamma^(T/2))/(1-sqrt gamma))^2, and
    2 eta_0 alpha gamma^-2/(1 - gamma beta^2) times that is 2 eta_0 alpha gamma^(T-1)/(1 - gamma beta^2) times
    the square.
    """
    g = sp.Symbol("g", positive=True)  # sqrt(gamma)
    square = ((1 - g**T) / (1 - g)) ** 2
    factor = 2 * eta0 * alpha / (1 - g**2 * beta**2)
    return AllOf(
        Equal(sp.Sum(g ** (T + t), (t, 1, T)) ** 2, g ** (2 * T + 2) * square, given=[g < 1]),
        Equal(
            factor * g**-4 * g ** (2 * T + 2) * square, factor * g ** (2 * T - 2) * square, [g < 1, beta < 1]
        ),
    )


@claim(
    PAPER,
    "proof-4.6-last-eq",
    at="Proof of Theorem 4.6, T <= T_hat, ERUB_min",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-last-eq-corrected",
)
def bound_before_t_hat_in_terms_of_c1():
    """gamma^T + 2 eta_0 alpha gamma^(T-1)/(1 - gamma beta^2) x = gamma^T (1 + 2 eta_0 gamma c1 alpha x), c1 =
    2/(gamma (gamma - beta^2)).
    """
    left, right = _small_sides()
    return Equal(left, right, given=[beta**2 < gamma, *INSIDE])


def _small_sides():
    x = sp.Symbol("x", positive=True)
    return gamma**T + 2 * eta0 * alpha * gamma ** (T - 1) / (1 - gamma * beta**2) * x, gamma**T * (
        1 + 2 * eta0 * gamma * C1 * alpha * x
    )


@claim(
    PAPER,
    "proof-4.6-last-eq-corrected",
    at="Proof of Theorem 4.6, T <= T_hat, ERUB_min, as an inequality",
    kind="inequality",
    standing="ours",
)
def bound_before_t_hat_is_at_most_that_with_c1():
    """The same with <=: 1/(gamma (1 - gamma beta^2)) <= 2/(gamma - beta^2)."""
    left, right = _small_sides()
    x = sp.Symbol("x", positive=True)
    inverse = 1 / (gamma * (1 - gamma * beta**2))
    return (
        Theorem(given=[beta**2 < gamma, *INSIDE], shows=AtMost(left, right))
        .have(AtMost(inverse, 2 / (gamma - beta**2)), "the coefficients")
        .have(
            AtMost(
                gamma**T * (1 + 2 * eta0 * alpha * x * inverse),
                gamma**T * (1 + 2 * eta0 * alpha * x * (2 / (gamma - beta**2))),
            ),
            "put in",
        )
        .have(Equal(left, gamma**T * (1 + 2 * eta0 * alpha * x * inverse)), "the left side")
        .have(Equal(right, gamma**T * (1 + 2 * eta0 * alpha * x * (2 / (gamma - beta**2)))), "the right side")
    )


@claim(
    PAPER,
    "proof-4.6-o1",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-o1-corrected",
)
def remainder_is_of_order_one():
    """(2 eta_0 gamma c1 alpha/(1 - sqrt gamma)^2) (1/(kappa alpha + 1))^2 <= O(1/(kappa alpha + 1)).

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) with alpha = 1/kappa.
    """
    value = 2 * eta0 * gamma * C1 * alpha / (1 - ROOT) ** 2 / (kappa * alpha + 1) ** 2
    return unbounded(value.subs(alpha, 1 / kappa), (1 / (kappa * alpha + 1)).subs(alpha, 1 / kappa))


@claim(
    PAPER,
    "proof-4.6-o1-corrected",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one, corrected",
    kind="inequality",
    standing="ours",
)
def remainder_is_of_order_kappa():
    """It is at most (16 kappa/(eta_0 (gamma - beta^2))) (1/(kappa alpha + 1)): a factor kappa more."""
    r, p = sp.symbols("r p", positive=True)  # (1 - sqrt gamma)^-2 and gamma - beta^2
    value = 4 * eta0 / p * alpha * r / (kappa * alpha + 1) ** 2
    return AtMost(value, 16 * kappa / (eta0 * p) / (kappa * alpha + 1), given=[r <= 4 * kappa**2 / eta0**2])
