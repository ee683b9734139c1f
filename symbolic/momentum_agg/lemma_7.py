"""Lemma 7, for the noise: the weights of the blocks, and the bound that follows.

E|m^_t - E m^_t| <= sqrt(d) alpha sigma log2 T (48 G + 32 (G + 2 L) sqrt(eta T) + 4 sqrt(3) L eta sqrt(T N))
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import Noise
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.full_batches import (
    G,
    L,
    N,
    alpha,
    beta,
    d,
    ell,
    eps,
    eta,
    gamma,
    k,
    q,
    rho,
    size,
)
from dpverify.symbolic.momentum_agg.lemma_7_proof import (
    LOGS,
    bN,
    bT,
    coefficient,
    coefficients,
    right_side_of_lemma_7,
)
from dpverify.symbolic.momentum_agg.series import WHOLE
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem


def deviations(u, v):
    """What the noise is at most, over sqrt(d) alpha sigma log2 T, u = sqrt(eta T), v = eta sqrt(T N): as it
    follows, and as Lemma 7 has it.
    """
    last = 4 * sp.sqrt(3) * L * v
    return 22 * G + (sp.Rational(51, 2) * G + 9 * L) * u + last, 48 * G + 32 * (G + 2 * L) * u + last


@claim(
    PAPER,
    "lemma-7-weights",
    at="Lemma 7, proof, weights of the blocks",
    kind="inequality",
    uses=["l7-coefficient", "l7-coefficients", "scaled-twice"],
    standing="ours",
)
def squared_weights_of_the_blocks():
    """With u = 1/(1-rho): p = rho^q, c = c_q <= (1-p) u (l7-coefficient), S the sum of c_i^2,
    gamma (2-gamma) S <= u^2 (l7-coefficients) and gamma <= 1 have p^2 + c^2 <= u^2, gamma S <= u^2 and 2
    (1-gamma)^2 gamma S <= u^2.
    """
    S, c, p = sp.symbols("S c p", nonnegative=True)
    u = sp.Symbol("u", positive=True)
    given = [S * gamma * (2 - gamma) <= u**2, c <= (1 - p) * u, p <= 1, u >= 1, gamma <= 1]
    return (
        Theorem(
            given=given,
            shows=AllOf(
                AtMost(p**2 + c**2, u**2),
                AtMost(S * gamma, u**2),
                AtMost(2 * (1 - gamma) ** 2 * (S * gamma), u**2),
            ),
        )
        .have(AtMost(c**2, (1 - p) ** 2 * u**2), "squared")
        .have(AtMost(p**2, p**2 * u**2), "u >= 1")
        .have(AtMost(p**2 + (1 - p) ** 2, 1), "p <= 1")
        .have(AtMost(2 * (1 - gamma) ** 2, 2 - gamma), "gamma <= 1")
        .use("scaled-twice", "times S", a=2 * (1 - gamma) ** 2, b=2 - gamma, y=S * gamma, z=S * gamma)
    )


@claim(
    PAPER,
    "lemma-7-sharper",
    at="Lemma 7, for the noise, with the constants that follow",
    kind="inequality",
    uses=["lemma-7-weights", "lemma-7-squares", "l7-eq7", "prop-18", "scaled", "scaled-twice"],
    standing="ours",
)
def noise_of_the_rebuilt_momentum_sharper():
    """For 1/N <= alpha <= 1, gamma = eta N <= 1, 2 <= N <= T the noise n = E|m^_t - E m^_t| in what Algorithm
    2 rebuilds, the mean over the noises, is at most sqrt(d) alpha sigma log2 T (22 G + (51 G/2 + 9 L)
    sqrt(eta T) + 4 sqrt(3) L eta sqrt(T N)), sigma = 4 sqrt(l)/epsilon.

    n <= sqrt(d) alpha sigma s, s^2 the sum of the variances over alpha^2 sigma^2. COMPOSE of a block of N
    steps has at most 2 (1 + log2 N) nodes (Proposition 18), that of 1..t at most J <= 1 + log2 T. With A =
    p^2 + c^2, B = gamma S and C = 2 (1-gamma)^2 gamma S, at most w = 1/(1-rho)^2 <= 1/(1 - 1/e)^2
    (lemma-7-weights, l7-eq7), the first two terms of Eq (3) have A 16 G^2 * 3 log2 N a node, the others
    gamma^2 S 16 G^2 * 4 (T/N) log2 N and (1-gamma)^2 S (2 gamma L)^2 * 4 (T/N) log2 N, and r has (2 gamma
    L)^2 * 4 (T/N) log2 N; u^2 = gamma T/N and v^2 = gamma^2 T/N.
    """
    n, s, w, A, B, C, J = sp.symbols("n s w A B C J", nonnegative=True)
    u, v = sp.symbols("u v", positive=True)
    scale, most = sp.sqrt(d) * alpha * 4 * sp.sqrt(ell) / eps, deviations(u, v)[0] * bT
    nodes = bN * (1 + bN)
    variance = (96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2) * nodes
    given = [*LOGS, A <= w, B <= w, C <= w, w <= WHOLE**2, J <= 1 + bT]
    given += [s**2 <= variance + 16 * J * bN * L**2 * v**2, n <= scale * s]
    sizes = 96 * G**2 + 128 * G**2 * u**2 + 16 * L**2 * u**2
    return (
        Theorem(given=given, shows=AtMost(n, scale * most))
        .have(AtMost(WHOLE**2, sp.Rational(63, 25)), "e/(e - 1)")
        .have(AtMost(w, sp.Rational(63, 25)), "w")
        .have(AtMost(nodes, 2 * bT**2), "1 <= log2 N <= log2 T")
        .have(AtMost(J * bN, 2 * bT**2), "1 + log2 T <= 2 log2 T")
        .have(AtMost(96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2, w * sizes), "A, B, C <= w")
        .use(
            "scaled",
            "times the nodes",
            p=nodes,
            s=96 * A * G**2 + 128 * B * G**2 * u**2 + 16 * C * L**2 * u**2,
            b=w * sizes,
        )
        .use("scaled-twice", "the nodes of r", a=J * bN, b=2 * bT**2, y=16 * L**2 * v**2, z=16 * L**2 * v**2)
        .use("scaled-twice", "W times the nodes", a=w, b=sp.Rational(63, 25), y=nodes, z=2 * bT**2)
        .use("lemma-7-squares", "the squares", B=w * nodes, C=bT**2, G=G, L=L, u=u, v=v)
        .have(AtMost(s**2, most**2), "the sum of the variances")
        .have(AtMost(s, most), "the root")
        .use("scaled", "times sqrt(d) alpha sigma", p=scale, s=s, b=most)
    )


@claim(PAPER, "lemma-7-squares", at="Lemma 7, proof, squares", kind="inequality", standing="ours")
def sum_of_variances_is_at_most_a_square():
    """96 G^2 B + 128 G^2 u^2 B + 16 L^2 u^2 B + 32 L^2 v^2 C <= (22 G + (51 G/2 + 9 L) u + 4 sqrt(3) L v)^2 C
    for B <= (126/25) C.
    """
    B, C, u, v = sp.symbols("B C u v", nonnegative=True)
    total = (96 * G**2 + 128 * G**2 * u**2 + 16 * L**2 * u**2) * B
    squares = 484 * G**2 + (sp.Rational(2601, 4) * G**2 + 81 * L**2) * u**2 + 48 * L**2 * v**2
    most = deviations(u, v)[0] ** 2 * C
    return (
        Theorem(given=[25 * B <= 126 * C], shows=AtMost(total + 32 * L**2 * v**2 * C, most))
        .have(AtMost(total + 32 * L**2 * v**2 * C, squares * C), "term by term")
        .have(AtMost(squares * C, most), "a sum of squares is at most the square of the sum")
    )


@claim(
    PAPER,
    "lemma-7-corrected",
    at="Lemma 7, for the noise",
    kind="inequality",
    uses=["l7-sqrt", "l7-coefficient", "l7-coefficients", "lemma-7-weights", "lemma-7-sharper", "scaled"],
    standing="ours",
)
def noise_of_the_rebuilt_momentum():
    """For 1/N <= alpha <= 1, gamma = eta N < 1, 2 <= N <= T and floor(t/N) = q + 1 >= 2 the noise X in what
    Algorithm 2 rebuilds has n = E|X| at most the bound of Lemma 7 (which is E|m^_t - m_t| if all epochs have
    one order). (Earlier there are no blocks: lemma-7-sharper with S = 0.)

    X is a sum of independent Gaussian noises: s_1 is E|.|^2 of those of G[1,r], with rho^(q+1), of
    G[r+1,r+N], with c_{q+1}, and of r over 1..t, at most J <= 1 + log2 T nodes; the block i = 1..q adds alpha
    c_i zeta_i, zeta_i the noise of at most 2 (1 + log2 N) nodes of (1-gamma) Delta + gamma G (Proposition
    18). gamma = 1-beta, rho = (1-alpha)^N <= 1/e (l7-eq7).
    """
    n, J = sp.symbols("n J", nonnegative=True)
    gamma = 1 - beta
    X = Vector("X")
    square = sp.IndexedBase("s", nonnegative=True)
    c = coefficient
    sigma, nodes = 4 * sp.sqrt(ell) / eps, bN * (1 + bN)
    u = sp.sqrt(eta * size)
    v = eta * sp.sqrt(size * N)
    unit = d * alpha**2 * sigma**2
    each = nodes * (128 * gamma * G**2 * u**2 + 32 * beta**2 * gamma * L**2 * u**2)
    zeta = Noise("zeta", variance=d * sigma**2 * each, law="Gaussian")
    run = Iterates(square, norm2(X), [X], [X + alpha * c[k] * zeta], [zeta], k, 1, q)
    power = rho ** (q + 1)
    most = 1 / (1 - rho)
    S = sp.Sum(c[k] ** 2, (k, 1, q))
    first = 96 * (power**2 + c[q + 1] ** 2) * G**2 * nodes + 16 * J * bN * L**2 * v**2
    start = [square[1] <= unit * first, n <= sp.sqrt(square[q + 1])]
    sizes = [beta < 1, rho <= sp.exp(-1), J <= 1 + bT, *LOGS]
    added = unit * each * c[k] ** 2
    ends = (
        Theorem(
            given=[run, *coefficients(q), *start, *sizes],
            shows=AtMost(n, sp.sqrt(d) * alpha * sigma * deviations(u, v)[1] * bT),
        )
        .have(AtMost(sp.exp(-1), sp.Rational(1, 2)), "e > 2")
        .have(AtMost(rho, sp.Rational(1, 2)), "rho <= 1/e")
        .have(ForEvery(AtMost(beta**k, 1), k, 1, q), "beta < 1")
        .have(ForEvery(AtMost(c[k + 1], rho * c[k] + 1), k, 1, q), "the recursion")
        .descend(run, 1, added, "independent noises")
        .unroll(square[k], sp.Integer(1), added, (k, 1, q), "all blocks")
        .have(Equal(sp.Sum(added, (k, 1, q)), unit * each * S), "the factor comes out")
        .have(AtMost(square[q + 1], unit * (first + each * S)), "added up")
        .use("l7-coefficient", "c_q", rho=rho, q=q)
        .use("l7-coefficients", "the squares", rho=rho, beta=beta, q=q)
        .have(AtMost(c[q + 1], (1 - power) * most), "divided")
        .have(AtMost(S * gamma * (2 - gamma), most**2), "1 - beta^2 = gamma (2-gamma)")
        .use("lemma-7-weights", "the weights", S=S, c=c[q + 1], p=power, u=most, gamma=gamma)
        .have(AtMost(most**2, WHOLE**2), "rho <= 1/e")
        .use(
            "lemma-7-sharper",
            "the constants",
            n=n,
            s=sp.sqrt(square[q + 1] / unit),
            w=most**2,
            A=power**2 + c[q + 1] ** 2,
            B=S * gamma,
            C=2 * beta**2 * (S * gamma),
            J=J,
            u=u,
            v=v,
        )
    )
    return AllOf(
        ends,
        Equal(
            sp.sqrt(d) * alpha * sigma * deviations(u, v)[1] * bT, right_side_of_lemma_7(eta, size, ell, eps)
        ),
    )
