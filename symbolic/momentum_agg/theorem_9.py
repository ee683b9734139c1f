"""Theorem 9, Appendix E.2, the abstract and Section 5: its proof line by line, where it holds, and what it
costs.

x = sqrt(N/T) = d^(1/3)/(epsilon N)^(2/3) = gamma with the parameters of the theorem, so that sqrt(d) =
epsilon N x^(3/2); bT is log2 T
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import norm, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.reduced_utility import (
    G,
    L,
    N,
    R,
    T,
    alpha,
    bT,
    d,
    deviations,
    ell,
    eps,
    gamma,
    size,
    t,
    x,
)
from dpverify.symbolic.momentum_agg.series import WHOLE
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.symbolic.momentum_agg.theorem_6 import mean_gradient_with, no_gradient_is_above_g
from dpverify.symbolic.momentum_agg.utility import slope
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED


def line_before_alpha(alpha, K):
    """The bound of the proof after 'Set eta = 1/sqrt(NT)', second line."""
    fourth = sp.Rational(1, 4)
    return (
        (3 * R / 2 + 6 * L) * sp.sqrt(N) / sp.sqrt(size)
        + 6 * L / (alpha * sp.sqrt(N * size))
        + 6 * G * sp.sqrt(alpha)
        + 36 * G * K * alpha * sp.sqrt(d) / eps
        + 24 * K * (G + 2 * L) * alpha * size**fourth * sp.sqrt(d) / (eps * N**fourth)
        + 9 * K * alpha * L * sp.sqrt(d) / eps
    )


def line_after_alpha(K):
    """The bound of the proof after 'Set alpha'."""
    third, eighth = sp.Rational(3, 4), sp.Rational(3, 8)
    return (
        (3 * R / 2 + 24 * K * (G + 2 * L) + 6 * L) * sp.sqrt(N) / sp.sqrt(size)
        + 6 * L * size ** sp.Rational(1, 4) * sp.sqrt(d) / (eps * N ** sp.Rational(5, 4))
        + 6 * G * N**eighth * sp.sqrt(eps) / (size**eighth * d ** sp.Rational(1, 4))
        + 36 * G * K * N**third / size**third
        + 9 * K * N**third * L / size**third
    )


def printed(K):
    """The right side of Theorem 9."""
    return (
        (3 * R / 2 + 24 * K * (G + 2 * L) + 12 * L) * d ** sp.Rational(1, 3) / (eps * N) ** sp.Rational(2, 3)
        + 6 * G / sp.sqrt(N)
        + 36 * G * K * sp.sqrt(d) / (eps * N)
        + 9 * K * L * sp.sqrt(d) / (eps * N)
    )


LENGTH = N ** sp.Rational(7, 3) * eps ** sp.Rational(4, 3) / d ** sp.Rational(2, 3)
K = sp.Symbol("K", positive=True)


def weight(power):
    """alpha = N^power epsilon/(T^(3/4) sqrt d)."""
    return N**power * eps / (size ** sp.Rational(3, 4) * sp.sqrt(d))


@claim(
    PAPER,
    "thm-9-alpha",
    at="Theorem 9, proof, 'Set alpha'",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-9-alpha-corrected",
)
def alpha_of_the_appendix():
    """alpha = N^(5/4) epsilon/(T^(3/4) sqrt d), as the appendix has it, is 1/N at the T of the theorem ("we
    must have alpha >= 1/N").
    """
    return Equal(weight(sp.Rational(5, 4)).subs(size, LENGTH), 1 / N)


@claim(PAPER, "thm-9-alpha-corrected", at="Theorem 9, alpha", kind="identity", standing="ours")
def alpha_of_the_theorem():
    """alpha = N^(3/4) epsilon/(T^(3/4) sqrt d), as the theorem has it, is 1/N at T = N^(7/3)
    epsilon^(4/3)/d^(2/3).
    """
    return Equal(weight(sp.Rational(3, 4)), 1 / N, given=[sp.Eq(size, LENGTH)])


@claim(
    PAPER,
    "thm-9-k",
    at="Theorem 9, proof, K",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="thm-9-k-corrected",
)
def k_absorbs_the_root():
    """192 G alpha log2 T sqrt(d l)/epsilon <= 12 K G alpha sqrt(d)/epsilon with K = 16 log2 T l, for
    every delta < 1.
    """
    return AtMost(
        192 * G * alpha * bT * sp.sqrt(d * ell) / eps, 12 * (16 * bT * ell) * G * alpha * sp.sqrt(d) / eps
    )


@claim(
    PAPER, "thm-9-k-corrected", at="Theorem 9, proof, K, for delta <= 1/e", kind="inequality", standing="ours"
)
def k_absorbs_the_root_for_small_delta():
    """It holds if delta <= 1/e, that is l >= 1; K = 16 log2 T sqrt(l) needs no condition."""
    return AllOf(
        AtMost(sp.sqrt(ell), ell, given=[ell >= 1]),
        AtMost(
            192 * G * alpha * bT * sp.sqrt(d * ell) / eps,
            12 * (16 * bT * ell) * G * alpha * sp.sqrt(d) / eps,
            given=[ell >= 1],
        ),
    )


@claim(PAPER, "thm-9-3rt3", at="Theorem 9, proof, last term", kind="inequality")
def three_roots_of_three():
    """3 K alpha L sqrt(3 d)/epsilon <= 9 K alpha L sqrt(d)/epsilon."""
    return AtMost(3 * K * alpha * L * sp.sqrt(3 * d) / eps, 9 * K * alpha * L * sp.sqrt(d) / eps)


@claim(PAPER, "thm-9-algebra", at="Theorem 9, proof, substitutions", kind="identity")
def parameters_are_put_in():
    """With alpha = N^(3/4) epsilon/(T^(3/4) sqrt d) the line before 'Set alpha' is the line after it, and
    with T = N^(7/3) epsilon^(4/3)/d^(2/3) that is the bound of the theorem.
    """
    return AllOf(
        Equal(line_before_alpha(weight(sp.Rational(3, 4)), K), line_after_alpha(K)),
        Equal(line_after_alpha(K).subs(size, LENGTH), printed(K)),
    )


@claim(
    PAPER,
    "thm-9-hyp",
    at="Theorem 9, hypotheses, gamma <= 1/2 of Lemma 7",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="thm-9-hyp-corrected",
)
def gamma_is_at_most_a_half():
    """With gamma = eta N, eta = 1/sqrt(N T) and T of the theorem, gamma <= 1/2, as Lemma 7 asks.

    The case: N = 2, d = 4, epsilon = 1: T = 2, alpha = 1/2, epsilon <= T^(3/4) sqrt(d)/N^(3/4) = 2, and gamma
    = 1.
    """
    case = {N: 2, d: 4, eps: 1}
    length = LENGTH.subs(case)
    return Instance(
        AtMost(2 / sp.sqrt(2 * length), sp.Rational(1, 2)),
        let={"N, d, epsilon": "2, 4, 1", "T": "2"},
        meets=[Equal(length, 2), AtMost(1, 2)],
        because="gamma = d^(1/3)/(epsilon N)^(2/3) is as large as the bound itself",
    )


@claim(PAPER, "thm-9-hyp-corrected", at="Theorem 9, hypotheses, gamma", kind="identity", standing="ours")
def gamma_is_the_rate():
    """gamma = sqrt(N/T) = d^(1/3)/(epsilon N)^(2/3); it is at most 1/2 exactly if T >= 4 N."""
    step = N / sp.sqrt(N * size)
    return AllOf(
        Equal(step, d ** sp.Rational(1, 3) / (eps * N) ** sp.Rational(2, 3), given=[sp.Eq(size, LENGTH)]),
        AtMost(step, sp.Rational(1, 2), given=[size >= 4 * N]),
        AtMost(4 * N, size, given=[step <= sp.Rational(1, 2)]),
    )


@claim(
    PAPER,
    "thm-9",
    at="Theorem 9, first inequality",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="thm-9-small-delta",
)
def explicit_bound_of_theorem_9():
    """E|grad F(w^)| <= (3R/2 + 24K(G + 2L) + 12L) d^(1/3)/(epsilon N)^(2/3) + 6G/sqrt(N) + 36GK
    sqrt(d)/(epsilon N) + 9KL sqrt(d)/(epsilon N), K = 16 log2 T log(1/delta), whatever delta.

    It fails for delta next to 1: the noise has sqrt(l), K has l. For delta <= 1/2 it holds if L <= 21 sqrt(N)
    log2(T) G, or epsilon <= 27000 (log2 T)^3 sqrt(d N) (thm-9-small-delta); where L/G and epsilon are both
    larger it is open. The case: N = 2^k, k = 10^13, x = sqrt(N/T) = 2^-7, d = 2^20, l = log(1/delta) = 1/(100
    k); every record has Huber's loss in the first coordinate, slope clip(w, -1, 1), G = L = 1. All records
    being equal, what is rebuilt is m_t, |m_t| <= 1, plus noise: the nodes of r alone give each coordinate of
    it a variance of at least 16 l k x^3 n/d, n the number of bits 1 among the last k of t, which is at least
    k/4 but for 4/k of all t (Chebyshev). A step goes along the first coordinate by at most eta (1 + |Z|)/Y, Y
    the length of the noise in the others, E(1/Y) <= 2/(s sqrt d), so that T steps go D = (1/x)(4/k +
    2/sqrt(d) + 1/(k sqrt(l) x^(3/2))) on average, and more than 10 D with a chance of 1/10 at most (Markov).
    From w_1 = 1 + 10 D, R = 10 D + 1/2, the mean slope is 9/10 or more.
    """
    x, k, dimension = sp.Rational(1, 128), sp.Integer(10) ** 13, sp.Integer(2) ** 20
    level = 1 / (100 * k)
    factor = 16 * (k + 14) * level  # log2 T = k + 14
    way = (4 / k + 2 / sp.sqrt(dimension) + 1 / (k * sp.sqrt(level) * x ** sp.Rational(3, 2))) / x
    budget, length, at = 2 ** sp.Rational(41, 2) / N, 2**14 * N, {d: dimension}
    gap, noise = 10 * way + sp.Rational(1, 2), 72 * factor * x + 45 * factor * x ** sp.Rational(3, 2)
    return Instance(
        AtMost(sp.Rational(9, 10), (3 * gap / 2 + 12) * x + noise + sp.Rational(1, 100)),
        let={
            "f(w, x)": "Huber's loss of the first coordinate, for every x",
            "d, G, L": "2^20, 1, 1",
            "N, T": "2^(10^13), 2^14 N",
            "epsilon": "2^(41/2)/N, so that T = N^(7/3) epsilon^(4/3)/d^(2/3)",
            "log(1/delta)": "10^-15",
            "w_1, R": "1 + 10 D, 10 D + 1/2",
            "6 G/sqrt(N)": "less than the 1/100 that stands for it",
        },
        meets=[
            Equal(LENGTH.subs(at).subs(eps, budget), length),
            Equal(weight(sp.Rational(3, 4)).subs(at).subs({eps: budget, size: length}), 1 / N),
            AtMost(budget, (length / N) ** sp.Rational(3, 4) * sp.sqrt(dimension), given=[N >= 1]),
            AtMost(sp.sqrt(N / length), sp.Rational(1, 2)),  # gamma
        ],
        because="K has log(1/delta) where the noise has its root",
    )


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
    at_y, at_r, bits = (N / T) ** sp.Rational(1, 4), 1 / sp.sqrt(N), log2(T)
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
    K, cubed, root = SCALE, x ** sp.Rational(3, 2), sp.sqrt(G**2 + x * (G + L) ** 2)
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
