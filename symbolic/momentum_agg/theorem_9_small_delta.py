"""Theorem 9, first inequality, for delta <= 1/2: where it holds as printed.

y = (N/T)^(1/4), r = 1/sqrt(N);   L <= 21 sqrt(N) log2(T) G, or epsilon is not large
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.full_batches import G, L, N, R, T, d, ell, eps, t
from dpverify.symbolic.momentum_agg.lemma_5 import slope
from dpverify.symbolic.momentum_agg.lemma_7_proof import bT
from dpverify.symbolic.momentum_agg.series import WHOLE
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.symbolic.momentum_agg.theorem_6 import no_gradient_is_above_g
from dpverify.symbolic.momentum_agg.theorem_9_corrected import c, noise_9, run_of_theorem_9
from dpverify.symbolic.momentum_agg.theorem_9_proof import LENGTH, K, printed
from dpverify.theorems import AllOf, ForEvery, Theorem

y, r = sp.symbols("y r", positive=True)  # (N/T)^(1/4) and 1/sqrt(N)


def _printed_in(y, r):
    """The right side of Theorem 9 with y = sqrt(gamma) = d^(1/6)/(epsilon N)^(1/3) and r = 1/sqrt(N)."""
    return (3 * R / 2 + 24 * K * (G + 2 * L) + 12 * L) * y**2 + 6 * G * r + (36 * G + 9 * L) * K * y**3


def _spread(y):
    return sp.sqrt(G**2 + y**2 * (G + L) ** 2)


PAID = 429 * bT * L * y**2 + 166 * bT * G * y**3  # what K leaves of the printed bound beside the noise


def _paid(y, r):
    """The sampling error of Theorem 9 is paid for by 6G/sqrt(N) and what K leaves."""
    return AtMost(3 * WHOLE * _spread(y) * r, 6 * G * r + PAID)


@claim(
    PAPER,
    "thm-9-sampling-noise",
    at="Theorem 9, first inequality, the sampling error where there is much noise",
    kind="inequality",
    uses=["scaled", "scaled-twice"],
    standing="ours",
)
def sampling_error_beside_the_noise():
    """If r <= 30 y log2 T and y <= 1, then 3 sqrt(G^2 + y^2 (G+L)^2) r/(1 - 1/e) <= 6 G r + (429 L y^2 + 166
    G y^3) log2 T; bT is log2 T, at least 1.
    """
    wide, factor = (1 + y**2) * G + sp.Rational(3, 2) * y * L, sp.Rational(19, 4)
    return (
        Theorem(given=[y <= 1, bT >= 1, r <= 30 * bT * y], shows=_paid(y, r))
        .have(AtMost(_spread(y), wide), "squared")
        .have(AtMost(3 * WHOLE, factor), "e/(e - 1)")
        .use("scaled-twice", "the sampling error", a=3 * WHOLE, b=factor, y=_spread(y), z=wide)
        .use("scaled", "times r", p=r, s=3 * WHOLE * _spread(y), b=factor * wide)
        .use("scaled", "times G y^2", p=G * y**2, s=r, b=30 * bT * y)
        .use("scaled", "times L y", p=L * y, s=r, b=30 * bT * y)
    )


@claim(
    PAPER,
    "thm-9-sampling-little",
    at="Theorem 9, first inequality, the sampling error where there is little noise",
    kind="inequality",
    uses=["scaled", "scaled-twice"],
    standing="ours",
)
def sampling_error_without_much_noise():
    """The same if r > 30 y log2 T, r <= 1 and L r <= 21 G log2 T: then y <= 1/30 and L y <= 7 G/10, so that
    sqrt(G^2 + y^2 (G+L)^2) <= 5 G/4.
    """
    near, factor = sp.Rational(5, 4) * G, sp.Rational(19, 4)
    return (
        Theorem(given=[r <= 1, bT >= 1, L * r <= 21 * bT * G, r > 30 * bT * y], shows=_paid(y, r))
        .have(AtMost(30 * y, 1), "log2 T >= 1")
        .use("scaled", "times L", p=L, s=30 * bT * y, b=r)
        .have(AtMost(30 * bT * L * y, 21 * bT * G), "L r <= 21 G log2 T")
        .have(AtMost(L * y, sp.Rational(7, 10) * G), "over 30 log2 T")
        .have(AtMost(y * (G + L), sp.Rational(3, 4) * G), "1/30 + 7/10 <= 3/4")
        .have(AtMost(_spread(y), near), "squared")
        .have(AtMost(3 * WHOLE, factor), "e/(e - 1)")
        .use("scaled-twice", "the sampling error", a=3 * WHOLE, b=factor, y=_spread(y), z=near)
        .use("scaled", "times r", p=r, s=3 * WHOLE * _spread(y), b=factor * near)
    )


@claim(
    PAPER,
    "thm-9-sampling-smooth",
    at="Theorem 9, first inequality, the sampling error where L <= 21 sqrt(N) log2(T) G",
    kind="inequality",
    uses=["thm-9-sampling-noise", "thm-9-sampling-little"],
    standing="ours",
)
def sampling_error_of_losses_that_turn_slowly():
    """The same, whatever the noise, if L r <= 21 G log2 T, r <= 1 and y <= 1."""
    much, little = r <= 30 * bT * y, r > 30 * bT * y
    return (
        Theorem(given=[y <= 1, r <= 1, bT >= 1, L * r <= 21 * bT * G], shows=_paid(y, r))
        .use("thm-9-sampling-noise", "much noise", when=much)
        .use("thm-9-sampling-little", "little noise", when=little)
        .cases(much, little)
    )


def _term_by_term(condition, paid):
    """The bound of Theorem 9 from what its steps are known to do, where the sampling error is paid for."""
    mean, c = sp.Symbol("g", real=True), sp.Symbol("c", nonnegative=True)
    less = sp.Symbol("K_1", positive=True)
    sizes = [sp.Eq(less, 16 * bT * sp.sqrt(ell)), sp.Eq(K, 16 * bT * ell), bT >= 1, ell >= sp.log(2)]
    steps = [
        mean <= 3 * R * y**2 / 2 + 3 * L * y**2 * r**2 / 4 + 3 * c + 3 * G * y**4,
        c <= WHOLE * _spread(y) * r + 3 * y**2 * L + less * noise_9(y),
    ]
    root = sp.Rational(83, 100)  # at most sqrt(log 2)
    allowed, gain = 24 * (G + 2 * L) * y**2 + (36 * G + 9 * L) * y**3, 33 * L * y**2 + 13 * G * y**3
    rest = 3 * L * y**2 * r**2 / 4 + 9 * y**2 * L + 3 * G * y**4
    return (
        Theorem(
            given=[*steps, *sizes, y <= 1, r <= 1, condition],
            shows=AtMost(mean, _printed_in(y, r)),
        )
        .use(paid, "the sampling error")
        .have(AtMost(root, sp.sqrt(ell)), "l >= log 2")
        .have(AtMost(13 * bT, less), "16 sqrt(l) >= 13")
        .have(AtMost(root * less, K), "l >= log 2")
        .have(AtMost(3 * noise_9(y) + gain, root * allowed), "term by term")
        .use("scaled", "times K_1", p=less, s=3 * noise_9(y) + gain, b=root * allowed)
        .use("scaled", "K_1 >= 13 log2 T", p=gain, s=13 * bT, b=less)
        .use("scaled", "K >= sqrt(l) K_1", p=allowed, s=root * less, b=K)
        .have(AtMost(3 * less * noise_9(y) + 13 * bT * gain, K * allowed), "together")
        .have(AtMost(L * y**2 * r**2, L * y**2), "r <= 1")
        .have(AtMost(G * y**4, bT * G * y**3), "y <= 1")
        .have(AtMost(rest, 12 * L * y**2 + 3 * bT * G * y**3), "log2 T >= 1")
    )


@claim(
    PAPER,
    "thm-9-small-delta-terms",
    at="Theorem 9, first inequality, term by term",
    kind="inequality",
    uses=["scaled", "thm-9-sampling-noise"],
    standing="ours",
)
def terms_of_theorem_9_for_small_delta():
    """If the mean gradient g is at most 3R y^2/2 + 3L y^2 r^2/4 + 3c + 3G y^4, c at most the sampling error,
    3 y^2 L and the noise, y <= 1, r <= 1 and r <= 30 y log2 T, then it is at most the bound of Theorem 9, K =
    16 log2 T l, l >= log 2. bT is log2 T, K_1 = 16 log2 T sqrt(l).
    """
    return _term_by_term(r <= 30 * bT * y, "thm-9-sampling-noise")


@claim(
    PAPER,
    "thm-9-smooth-terms",
    at="Theorem 9, first inequality, term by term, for L <= 21 sqrt(N) log2(T) G",
    kind="inequality",
    uses=["scaled", "thm-9-sampling-smooth"],
    standing="ours",
)
def terms_of_theorem_9_for_losses_that_turn_slowly():
    """The same with L r <= 21 G log2 T for r <= 30 y log2 T."""
    return _term_by_term(L * r <= 21 * bT * G, "thm-9-sampling-smooth")


@claim(
    PAPER,
    "thm-9-small-delta-far",
    at="Theorem 9, first inequality, for T < N",
    kind="inequality",
    standing="ours",
)
def bound_of_theorem_9_is_above_every_gradient():
    """For y > 1, that is T < N, and K >= 11 the bound of Theorem 9 is more than G."""
    return AtMost(G, _printed_in(y, r), given=[K >= 11, y > 1])


@claim(
    PAPER,
    "thm-9-small-delta",
    at="Theorem 9, first inequality, for delta <= 1/2, and L <= 21 sqrt(N) log2(T) G or epsilon <= 27000 "
    "(log2 T)^3 sqrt(d N), given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="inequality",
    uses=[
        "lemma-5",
        "thm-9-corrected",
        "thm-9-small-delta-terms",
        "thm-9-smooth-terms",
        "thm-9-small-delta-far",
        "thm-9-sampling",
        "thm-9-sharper-noise",
    ],
    standing="ours",
)
def explicit_bound_of_theorem_9_for_small_delta():
    """For delta <= 1/2, N, T >= 2, the parameters of Theorem 9, eta = 1/sqrt(N T), alpha = 1/N, T = N^(7/3)
    epsilon^(4/3)/d^(2/3) (solved for epsilon: the last two parts), and L <= 21 sqrt(N) log2(T) G (any
    epsilon, the first part) or epsilon <= 27000 (log2 T)^3 sqrt(d N) (any L, the second): E|grad F(w^)| is at
    most the bound that is printed, K = 16 log2 T log(1/delta), for Algorithm 2 with fresh orders and
    delta_Delta = delta_r = 2 eta N L.

    The steps are normalised steps on an L-smooth F (Lemma 5), E|m^_t - grad F(w_t)| <= c + (1-alpha)^t G, c
    at most the sampling error (thm-9-sampling), 3 eta N L (l11-anchor-step, l11-unroll-corrected) and the
    noise (thm-9-sharper-noise), R bounds E[F(w_1) - F(w_{T+1})], and no gradient is above G. y = (N/T)^(1/4):
    for T < N the bound is more than G. Where both L/G and epsilon are larger the proof ends, and the
    statement is open: the sampling error, up to about (1 + L y/G) G/sqrt(N) as fresh orders add up over
    1/gamma epochs, may be more than the 6G/sqrt(N) and the terms in K L y^2 that are printed.
    """
    at_y = (N / T) ** sp.Rational(1, 4)
    at_r = 1 / sp.sqrt(N)
    bits = log2(T)
    budget = sp.sqrt(d) * (T / N) ** sp.Rational(3, 4) / N
    less = 16 * bits * sp.sqrt(ell)
    run = run_of_theorem_9()
    mean = run.shows.lhs
    known = [
        ForEvery(AtMost(slope[t], G), t, 1, T),
        c <= WHOLE * _spread(at_y) * at_r + 3 * at_y**2 * L + less * noise_9(at_y),
        sp.Eq(K, 16 * bits * ell),
        ell >= sp.log(2),
        T >= 2,
    ]

    def bounded(condition, fact, why, terms):
        theorem = no_gradient_is_above_g(
            Theorem(given=[*run.given, *known, condition], shows=AtMost(mean, _printed_in(at_y, at_r)))
        )
        return (
            replace(theorem, proof=(*theorem.proof, *run.proof))
            .have(run.shows, "as in thm-9-corrected")
            .have(AtMost(1, bits), "T >= 2")
            .have(fact, why)
            .use(terms, "for T >= N", when=N <= T, g=mean, c=c, y=at_y, r=at_r, K_1=less, bT=bits)
            .have(AtMost(11, K), "16 log 2 > 11")
            .use("thm-9-small-delta-far", "for T < N", when=N > T, y=at_y, r=at_r)
            .cases(N <= T, N > T)
        )

    put = [sp.Eq(eps, budget)]
    return AllOf(
        bounded(
            L <= 21 * sp.sqrt(N) * bits * G,
            AtMost(L * at_r, 21 * bits * G),
            "over sqrt N",
            "thm-9-smooth-terms",
        ),
        bounded(
            budget <= 27000 * bits**3 * sp.sqrt(d * N),
            AtMost(at_r, 30 * bits * at_y),
            "the cube of both sides",
            "thm-9-small-delta-terms",
        ),
        Equal(LENGTH, T, given=put),
        Equal(printed(K), _printed_in(at_y, at_r), given=put),
    )
