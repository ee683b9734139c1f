"""Theorem 9, second inequality; the abstract and Section 5: rates and what they cost.

E|grad F(w^)| = O~(d^(1/3)/(epsilon N)^(2/3)),   T = N^(7/3) epsilon^(4/3)/d^(2/3) gradients
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.full_batches import G, L, N, R, T, d, eps, size, t, x
from dpverify.symbolic.momentum_agg.lemma_5 import slope
from dpverify.symbolic.momentum_agg.series import WHOLE
from dpverify.symbolic.momentum_agg.theorem_6 import no_gradient_is_above_g
from dpverify.symbolic.momentum_agg.theorem_9_corrected import (
    K_9,
    SCALE,
    SIZE,
    bound_9,
    c,
    error_9,
    run_of_theorem_9,
)
from dpverify.symbolic.momentum_agg.theorem_9_proof import LENGTH
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED


def rate_9(x):
    """The rate of Theorem 9 with its constants."""
    return (3 * R / 2 + 10 * L + 3 * G + SCALE * (60 * G + 57 * L)) * x + 5 * (2 * G + L) / sp.sqrt(N)


@claim(
    PAPER,
    "thm-9-rate-terms",
    at="Theorem 9, second inequality, in x <= 1",
    kind="inequality",
    uses=["scaled", "scaled-twice"],
    standing="ours",
)
def terms_of_the_rate_of_theorem_9():
    """For x <= 1 what is at most the bound of thm-9-corrected is at most (3R/2 + 10L + 3G + K (60G + 57L)) x
    + 5 (2G + L)/sqrt(N).
    """
    mean = sp.Symbol("g", real=True)
    K = SCALE
    cubed = x ** sp.Rational(3, 2)
    root = sp.sqrt(G**2 + x * (G + L) ** 2)
    return (
        Theorem(given=[mean <= bound_9(x), x <= 1], shows=AtMost(mean, rate_9(x)))
        .have(AtMost(cubed, x), "x <= 1")
        .have(AtMost(x**2, x), "x <= 1")
        .have(AtMost(root, 2 * G + L), "x <= 1")
        .have(AtMost(3 * WHOLE, 5), "e/(e-1) <= 5/3")
        .use("scaled-twice", "the sampling error", a=3 * WHOLE, b=sp.Integer(5), y=root, z=2 * G + L)
        .use("scaled", "over sqrt N", p=1 / sp.sqrt(N), s=3 * WHOLE * root, b=5 * (2 * G + L))
        .use("scaled", "times K", p=(36 * G + 9 * L) * K, s=cubed, b=x)
        .use("scaled", "times 3 G", p=3 * G, s=x**2, b=x)
        .have(AtMost(3 * L * x / (4 * N), L * x), "N >= 1")
    )


@claim(PAPER, "thm-9-rate-far", at="Theorem 9, second inequality, x > 1", kind="inequality", standing="ours")
def rate_of_theorem_9_is_above_every_gradient():
    """For x > 1, that is T < N, the rate of Theorem 9 with its constants is more than G."""
    return AtMost(G, rate_9(x), given=[x > 1])


@claim(
    PAPER,
    "thm-9-rate",
    at="Theorem 9, second inequality, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="asymptotic",
    uses=["thm-9-corrected", "thm-9-rate-terms", "thm-9-rate-far"],
)
def rate_of_theorem_9():
    """E|grad F(w^)| is O~(d^(1/3)/(epsilon N)^(2/3) + 1/sqrt(N)): at most (3R/2 + 10L + 3G + K (60G + 57L)) x
    + 5 (2G + L)/sqrt(N), K = 16 log2 T sqrt(l), x = sqrt(N/T) = d^(1/3)/(epsilon N)^(2/3)
    (thm-9-hyp-corrected); by thm-9-corrected where x <= 1, and by E|grad F| <= G where x > 1.
    """
    run = run_of_theorem_9()
    mean = run.shows.lhs
    known = [*run.given, c <= error_9(SIZE), K_9, ForEvery(AtMost(slope[t], G), t, 1, T)]
    return (
        no_gradient_is_above_g(Theorem(given=known, shows=AtMost(mean, rate_9(SIZE))))
        .use("thm-9-corrected", "Theorem 9, corrected")
        .use("thm-9-rate-terms", "for T >= N", when=N <= T, g=mean, x=SIZE)
        .use("thm-9-rate-far", "for T < N", when=N > T, x=SIZE)
        .cases(N <= T, N > T)
    )


@claim(
    PAPER,
    "abs-rate",
    at="Abstract, Sections 1 and 5",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="abs-rate-corrected",
)
def rate_of_the_abstract():
    """The rate of Theorem 9, d^(1/3)/(epsilon N)^(2/3) + 1/sqrt(N), is O~(d^(1/3)/(epsilon N)^(2/3))."""
    rate = d ** sp.Rational(1, 3) / (eps * N) ** sp.Rational(2, 3)
    return BigO(rate + 1 / sp.sqrt(N), rate, given=[N >= 2, eps <= 1], hiding=[N])


@claim(
    PAPER, "abs-rate-corrected", at="Abstract, for d >= epsilon^2 sqrt N", kind="asymptotic", standing="ours"
)
def rate_of_the_abstract_in_high_dimension():
    """1/sqrt(N) <= d^(1/3)/(epsilon N)^(2/3) if d >= epsilon^2 sqrt N: then the rate of Theorem 9 is that of
    the abstract, with twice the constant.
    """
    rate = d ** sp.Rational(1, 3) / (eps * N) ** sp.Rational(2, 3)
    high = d >= eps**2 * sp.sqrt(N)
    return Theorem(given=[high], shows=AtMost(rate + 1 / sp.sqrt(N), 2 * rate)).have(
        AtMost(1 / sp.sqrt(N), rate), "the cube of both sides"
    )


@claim(PAPER, "abs-improve", at="Abstract", kind="asymptotic")
def rate_is_better_than_before():
    """d^(1/3)/(epsilon N)^(2/3) = y^4 is at most d^(1/4)/sqrt(epsilon N) = y^3 wherever it says anything, y =
    (sqrt(d)/(epsilon N))^(1/6) <= 1: beyond, both exceed 1 and the gradient's own bound G is better.
    """
    y = sp.Symbol("y", positive=True)
    now, before = (
        d ** sp.Rational(1, 3) / (eps * N) ** sp.Rational(2, 3),
        d ** sp.Rational(1, 4) / sp.sqrt(eps * N),
    )
    root = sp.Eq(y, (sp.sqrt(d) / (eps * N)) ** sp.Rational(1, 6))
    return (
        Theorem(given=[root, y <= 1], shows=AtMost(now, before))
        .have(Equal(now, y**4), "put in")
        .have(Equal(before, y**3), "put in")
        .have(AtMost(y**4, y**3), "y <= 1")
    )


@claim(PAPER, "grad-evals", at="Abstract, Section 5", kind="asymptotic")
def gradients_evaluated():
    """Algorithm 2 needs at most three gradients for each of its T steps (at w_t, w_{qN} and w_{(q-1)N}, kept
    for all nodes): 3 T = 3 N^(7/3) epsilon^(4/3)/d^(2/3) at the T of Theorem 9.
    """
    scale = N ** sp.Rational(7, 3) * eps ** sp.Rational(4, 3) / d ** sp.Rational(2, 3)
    return AtMost(
        3 * size,
        3 * scale,
        given=[sp.Eq(size * d ** sp.Rational(2, 3), N ** sp.Rational(7, 3) * eps ** sp.Rational(4, 3))],
    )


@claim(PAPER, "runtime", at="Section 5", kind="asymptotic")
def time_of_the_reconstruction():
    """Algorithm 4 goes through q <= T/N blocks at each of T steps: T^2/N = N^(11/3) epsilon^(8/3)/d^(4/3),
    which is at most epsilon^(8/3) N^(11/3)/d^(2/3) (the printed rate, O~ hiding epsilon and log2 N nodes for
    each block; d^(4/3) is sharper).
    """
    third = sp.Rational(1, 3)
    blocks = size**2 / N
    stated = N ** (11 * third) * eps ** (8 * third)
    sharp = Equal(blocks, stated / d ** (4 * third))
    return Theorem(
        given=[sp.Eq(size, LENGTH)], shows=AllOf(sharp, AtMost(blocks, stated / d ** (2 * third)))
    ).have(sharp, "put in")
