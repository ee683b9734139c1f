"""Theorem 9, corrected: the sampling error and the noise of what is rebuilt, and the bound that follows.

E|grad F(w^)| <= (3R/2 + 9L + 24K(G + 2L)) x + (36G + 9L) K x^(3/2) + 3G x^2 + 3L x/(4N) + the sampling error
x = sqrt(N/T),  K = 16 log2(T) sqrt(ln(1/delta))
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import norm, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.full_batches import G, L, N, R, T, alpha, d, ell, eps, gamma, x
from dpverify.symbolic.momentum_agg.lemma_7 import deviations
from dpverify.symbolic.momentum_agg.lemma_7_proof import bT
from dpverify.symbolic.momentum_agg.series import WHOLE
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.symbolic.momentum_agg.theorem_6 import mean_gradient_with
from dpverify.theorems import AllOf, Theorem


@claim(
    PAPER, "thm-9-difference", at="Algorithm 2, a record in two epochs", kind="inequality", standing="ours"
)
def difference_of_two_anchors():
    """For f L-smooth with |grad f(w')| <= G and |w' - w| <= gamma = eta N <= 1: |grad f(w') - (1-gamma) grad
    f(w)| <= gamma (G + L), the size of what a record adds to (1-gamma) Delta + gamma G.
    """
    f, (w, after, u, v) = Function("f", smooth=L), vectors("w w1 u v")
    moved = norm(f.gradient(after) - f.gradient(w))
    # u = grad f(w') and v = grad f(w') - grad f(w): grad f(w') - (1-gamma) grad f(w) is gamma u + (1-gamma) v
    sizes = [norm(u) <= G, norm(v) <= L * gamma, gamma <= 1]
    return AllOf(
        AtMost(moved, L * gamma, given=[norm(after - w) <= gamma]),
        Theorem(given=sizes, shows=AtMost(norm(gamma * u + (1 - gamma) * v), gamma * (G + L))).have(
            AtMost(norm(gamma * u + (1 - gamma) * v), gamma * G + (1 - gamma) * L * gamma), "the triangle"
        ),
    )


@claim(
    PAPER,
    "thm-9-sampling",
    at="Algorithm 2, sampling error of what is rebuilt",
    kind="inequality",
    uses=[
        "thm-9-difference",
        "l11-cross-same",
        "l11-cross-diff",
        "lemma-7-weights",
        "scaled-twice",
    ],
    standing="ours",
)
def sampling_error_of_the_rebuilt_momentum():
    """s, the second moment of the sampling error in the noiseless m^_t of Algorithm 2 with fresh orders, is
    at most alpha u^2 (G^2 + gamma (G+L)^2), u = 1/(1-rho).

    The error is alpha times a sum of centred gradients with weights that are not negative: p (1-alpha)^j and
    c_q (1-alpha)^j on vectors of size G (p = rho^q), c_i (1-alpha)^j on vectors of size gamma (G+L)
    (thm-9-difference), j = 0..N-1. Cross terms are not positive (l11-cross-same) or vanish (l11-cross-diff),
    so that the squares add: W is the sum of (1-alpha)^(2j), alpha W <= 1, S the sum of c_i^2, and what is
    known of S and c_q is that of lemma-7-weights.
    """
    s, W, S, c, p = sp.symbols("s W S c p", nonnegative=True)
    u = sp.Symbol("u", positive=True)
    given = [
        s <= alpha**2 * W * ((p**2 + c**2) * G**2 + S * gamma**2 * (G + L) ** 2),
        alpha * W <= 1,
        S * gamma * (2 - gamma) <= u**2,
        c <= (1 - p) * u,
        p <= 1,
        u >= 1,
        gamma <= 1,
    ]
    first, second = (p**2 + c**2) * G**2, S * gamma**2 * (G + L) ** 2
    return (
        Theorem(given=given, shows=AtMost(s, alpha * u**2 * (G**2 + gamma * (G + L) ** 2)))
        .use("lemma-7-weights", "the weights", S=S, c=c, p=p, u=u, gamma=gamma)
        .have(AtMost(first, u**2 * G**2), "times G^2")
        .have(AtMost(second, u**2 * gamma * (G + L) ** 2), "times gamma (G+L)^2")
        .have(AtMost(alpha**2 * W, alpha), "alpha W <= 1")
        .have(AtMost(first + second, u**2 * (G**2 + gamma * (G + L) ** 2)), "added")
        .use(
            "scaled-twice",
            "times alpha",
            a=alpha**2 * W,
            b=alpha,
            y=first + second,
            z=u**2 * (G**2 + gamma * (G + L) ** 2),
        )
    )


@claim(PAPER, "scaled-twice", at="Two bounds multiplied", kind="inequality", standing="ours")
def product_of_two_bounds():
    """If 0 <= a <= b and 0 <= y <= z, then a y <= b z."""
    a, b, y, z = sp.symbols("a b y z", nonnegative=True)
    return AtMost(a * y, b * z, given=[a <= b, y <= z])


SCALE = sp.Symbol("K", positive=True)
K_9 = sp.Eq(SCALE, 16 * log2(T) * sp.sqrt(ell))  # log2 T sqrt(l) > 0: T >= 2


@claim(
    PAPER,
    "thm-9-noise",
    at="Theorem 9, noise term in x",
    kind="identity",
    uses=["lemma-7-corrected"],
    standing="ours",
)
def noise_of_theorem_9():
    """With alpha = 1/N, eta = x/N, T = N/x^2, sqrt(d) = epsilon N x^(3/2) the bound of Lemma 7 is 12 K G
    x^(3/2) + 8 K (G + 2L) x + sqrt(3) K L x^(3/2), K = 16 log2 T sqrt(l).
    """
    root = eps * N * x ** sp.Rational(3, 2)  # sqrt(d)
    length, step = N / x**2, x / N
    noise = (
        192 * G / N * bT * root * sp.sqrt(ell)
        + 128 * (G + 2 * L) / N * sp.sqrt(step * length) * root * sp.sqrt(ell) * bT
        + 16 * step * L / N * bT * root * sp.sqrt(3 * length * N * ell)
    ) / eps
    K = 16 * bT * sp.sqrt(ell)
    cubed = x ** sp.Rational(3, 2)
    return Equal(noise, 12 * K * G * cubed + 8 * K * (G + 2 * L) * x + sp.sqrt(3) * K * L * cubed)


@claim(
    PAPER,
    "thm-9-sharper-noise",
    at="Theorem 9, noise term in y",
    kind="identity",
    uses=["lemma-7-sharper"],
    standing="ours",
)
def sharper_noise_of_theorem_9():
    """With alpha = 1/N, eta = y^2/N, T = N/y^4, sqrt(d) = epsilon N y^3 the bound of lemma-7-sharper is K (11
    G y^3/2 + (51 G/8 + 9 L/4) y^2 + sqrt(3) L y^3), K = 16 log2 T sqrt(l).
    """
    y, step, length = sp.symbols("y eta T", positive=True)
    put = [
        sp.Eq(step, y**2 / N),
        sp.Eq(length, N / y**4),
        sp.Eq(alpha, 1 / N),
        sp.Eq(d, (eps * N * y**3) ** 2),
    ]
    scale = sp.sqrt(d) * alpha * 4 * sp.sqrt(ell) / eps
    noise = scale * bT * deviations(sp.sqrt(step * length), step * sp.sqrt(length * N))[0]
    return Equal(noise, 16 * bT * sp.sqrt(ell) * noise_9(y), given=put)


def noise_9(y):
    """The noise of Theorem 9 over 16 log2 T sqrt(l)."""
    near = sp.Rational(51, 8) * G + sp.Rational(9, 4) * L
    return sp.Rational(11, 2) * G * y**3 + near * y**2 + sp.sqrt(3) * L * y**3


def error_9(x):
    """What the rebuilt momentum errs by, but for its start: the sampling error, and the noise."""
    cubed = x ** sp.Rational(3, 2)
    noise = 12 * SCALE * G * cubed + 8 * SCALE * (G + 2 * L) * x + sp.sqrt(3) * SCALE * L * cubed
    return WHOLE * sp.sqrt(G**2 + x * (G + L) ** 2) / sp.sqrt(N) + 3 * x * L + noise


def bound_9(x):
    """The right side of Theorem 9, corrected."""
    sampling = WHOLE * sp.sqrt(G**2 + x * (G + L) ** 2) / sp.sqrt(N)
    lead = 3 * R / 2 + 9 * L + 24 * SCALE * (G + 2 * L)
    late = (36 * G + 9 * L) * SCALE * x ** sp.Rational(3, 2)
    return lead * x + late + 3 * G * x**2 + 3 * L * x / (4 * N) + 3 * sampling


c = sp.Symbol("c", nonnegative=True)
SIZE = sp.sqrt(N / T)


def reached_9(x):
    """The mean gradient of the steps of Theorem 9 whose momentum errs by c, but for its start."""
    return 3 * R * x / 2 + 3 * L * x / (4 * N) + 3 * c + 3 * G * x**2


def run_of_theorem_9():
    """The steps with the eta and alpha of Theorem 9, whose momentum errs by c + (1-alpha)^t G."""
    return mean_gradient_with(1 / sp.sqrt(N * T), 1 - 1 / N, c, [N >= 2], reached_9(SIZE))


@claim(
    PAPER, "thm-9-corrected-terms", at="Theorem 9, corrected, c put in", kind="inequality", standing="ours"
)
def terms_of_theorem_9_corrected():
    """What is at most 3R x/2 + 3L x/(4N) + 3c + 3G x^2, c at most the sampling error, 3 x L and the noise, is
    at most the bound of thm-9-corrected.
    """
    mean, last = sp.Symbol("g", real=True), SCALE * L * x ** sp.Rational(3, 2)
    known = [mean <= reached_9(x), c <= error_9(x)]
    return Theorem(given=known, shows=AtMost(mean, bound_9(x))).have(
        AtMost(3 * sp.sqrt(3) * last, 9 * last), "sqrt(3) <= 3"
    )


@claim(
    PAPER,
    "thm-9-corrected",
    at="Theorem 9, corrected, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="inequality",
    uses=[
        "lemma-5",
        "thm-9-sampling",
        "thm-9-noise",
        "l11-unroll-corrected",
        "l11-anchor-step",
        "lemma-17-corrected",
        "thm-9-corrected-terms",
    ],
    standing="ours",
)
def explicit_bound_of_theorem_9_corrected():
    """For Algorithm 2 with fresh orders, delta_Delta = delta_r = 2 eta N L, sigma = 4 sqrt(l)/epsilon, the
    parameters of Theorem 9 and 2 <= N <= T: E|grad F(w^)| <= (3R/2 + 9L + 24K(G + 2L)) x + (36G + 9L) K
    x^(3/2) + 3G x^2 + 3L x/(4N) + 3 sqrt(G^2 + x (G+L)^2)/((1 - 1/e) sqrt N), x = d^(1/3)/(epsilon
    N)^(2/3) = gamma = sqrt(N/T), K = 16 log2 T sqrt(l).

    First as in thm-6-general, with c in E|m^_t - grad F(w_t)| <= c + (1-alpha)^t G, then with c put in: the
    sum of the sampling error (thm-9-sampling, u <= 1/(1 - 1/e)), eta N L for r, eta N L + eta L/alpha +
    (1-alpha)^t G for the mean of what is rebuilt, which is that of Lemma 11 (lemma-17-corrected), and the
    noise (thm-9-noise). No m_t is compared with: what is rebuilt is not m_t.
    """
    run = run_of_theorem_9()
    mean = run.shows.lhs
    theorem = Theorem(given=[*run.given, c <= error_9(SIZE), K_9], shows=AtMost(mean, bound_9(SIZE)))
    return (
        replace(theorem, proof=run.proof)
        .have(run.shows, "as in thm-6-general")
        .use("thm-9-corrected-terms", "c put in", g=mean, c=c, x=SIZE)
    )
