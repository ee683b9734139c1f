"""Appendix D.2: Lemma 12, the noise in the momentum, and its proof line by line.

E|m^_t - m_t| <= 4 alpha G sigma sqrt(d V log2 T), as printed; COMPOSE(1, t) has up to 1 + log2 t nodes
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import gaussian, gaussian_norm
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.lemma_5 import G, N, T, alpha, d
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED

sigma, V = sp.symbols("sigma V", positive=True)
BITS = sp.log(T) / sp.log(2)  # log2 T


@claim(
    PAPER,
    "lemma-12",
    at="Lemma 12",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-12-corrected",
)
def noise_of_the_momentum():
    """If alpha >= 1/N: E|m^_t - m_t| <= 4 alpha G sigma sqrt(d V log2 T).

    The case: t = T = 3, so COMPOSE(1, 3) is [1, 2], [3, 3], N = 100, alpha = 1/100, d = 3. Both sides are
    divided by 4 alpha G sigma sqrt(V). (At T = 1 the right side is 0. For 2 <= N <= T it holds as printed:
    lemma-12-passes.)
    """
    spread = sp.sqrt(1 + sp.Rational(99, 100) ** 2)
    return Instance(
        AtMost(gaussian_norm(spread, 3), sp.sqrt(3 * sp.log(3) / sp.log(2))),
        let={"t, T": "3", "N": "100", "alpha": "1/100", "d": "3", "G, sigma, R": "any"},
        because="two nodes with weights 1 and 99/100, and log2 3 < 1.59",
    )


@claim(
    PAPER,
    "l12-noise",
    at="Lemma 12, proof, first lines",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-12-corrected",
)
def noise_without_weights():
    """NOISE_t = sum over COMPOSE(1, t) of zeta, without the weights (1-alpha)^(t-z) of Algorithm 1: the
    variances agree.
    """
    return Instance(
        Equal(1 + (1 - alpha) ** 2, 2, given=[alpha < 1]),
        let={"t": "3", "COMPOSE(1, t)": "[1, 2], [3, 3]"},
        because="both sides are in units of the variance of a node",
    )


@claim(
    PAPER,
    "l12-count",
    at="Lemma 12, proof, Eq (6)",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="prop-18",
)
def prefix_has_at_most_log_intervals():
    """COMPOSE(1, t) has at most log2 T intervals for t <= T."""
    return Instance(
        AtMost(2, sp.log(3) / sp.log(2)),
        let={"t, T": "3", "COMPOSE(1, 3)": "[1, 2], [3, 3]"},
        because="the number of set bits of t, which is at most 1 + floor(log2 t)",
    )


@claim(
    PAPER,
    "lemma-12-corrected",
    at="Lemma 12, corrected",
    kind="inequality",
    uses=["prop-18"],
    standing="ours",
)
def noise_of_the_momentum_with_one_more_node():
    """E|m^_t - m_t| <= 4 alpha G sigma sqrt(d V (1 + log2 T)): n is E|NOISE_t|, NOISE_t the sum of c_j zeta_j
    over the J <= 1 + log2 T nodes of COMPOSE(1, t) (Proposition 18), zeta_j ~ N(0, 16 alpha^2 G^2 sigma^2 V
    I), independent, with weights c_j <= 1.
    """
    j, J = (sp.Symbol(name, integer=True, positive=True) for name in ("j", "J"))
    X, c = Vector("X"), sp.IndexedBase("c", nonnegative=True)
    square, n = sp.IndexedBase("s", nonnegative=True), sp.Symbol("n", positive=True)
    node = 16 * alpha**2 * G**2 * sigma**2 * V * d
    zeta = gaussian("zeta", 4 * alpha * G * sigma * sp.sqrt(V), d)
    run = Iterates(square, norm2(X), [X], [X + c[j] * zeta], [zeta], j, 1, J)
    few = 1 + BITS
    return (
        Theorem(
            given=[
                run,
                sp.Eq(square[1], 0),
                ForEvery(AtMost(c[j] ** 2, 1), j, 1, J),
                few >= J,
                n <= sp.sqrt(square[J + 1]),
            ],
            shows=AtMost(n, 4 * alpha * G * sigma * sp.sqrt(d * V * few)),
        )
        .descend(run, 1, c[j] ** 2 * node, "independent noises")
        .unroll(square[j], sp.Integer(1), c[j] ** 2 * node, (j, 1, J), "all nodes")
        .sum(AtMost(c[j] ** 2 * node, node), (j, 1, J), "weights at most 1")
        .have(AtMost(square[J + 1], J * node), "J nodes")
        .have(AtMost(square[J + 1], few * node), "J <= 1 + log2 T")
        .calc(
            n,
            ("<=", sp.sqrt(square[J + 1]), "Jensen"),
            ("<=", 4 * alpha * G * sigma * sp.sqrt(d * V * few), "the root of the second moment"),
        )
    )


@claim(PAPER, "lemma-12-bits", at="Lemma 12, the two highest bits", kind="inequality", standing="ours")
def two_highest_bits_weigh_less_than_one_more():
    """exp(-theta) + exp(-theta/2) + log2 theta <= 1 for theta <= 1."""
    theta = sp.Symbol("theta", positive=True)
    return AtMost(sp.exp(-theta) + sp.exp(-theta / 2) + sp.log(theta) / sp.log(2), 1, given=[theta <= 1])


@claim(
    PAPER,
    "lemma-12-passes",
    at="Lemma 12, for 2 <= N <= T",
    kind="inequality",
    uses=["lemma-12-bits", "prop-13-power", "prop-16", "prop-18"],
    standing="ours",
)
def noise_of_the_momentum_in_whole_passes():
    """For 2 <= N <= T, at least one pass over the data, Lemma 12 holds as it is printed: n = E|NOISE_t| is
    at most 4 alpha G sigma sqrt(d V W), W the sum of the squared weights (1-alpha)^(2 (t mod 2^i)) over the
    bits i of t that are 1, and W <= log2 T.

    If t has m + 1 bits and 2^(m+1) <= T, W is at most their number. Otherwise t has as many bits as T; if
    these are k + 2, k >= 1, Proposition 16 gives W <= k + (1-alpha)^(2^k) + (1-alpha)^(2^(k+1)), which is at
    most log2 T as alpha >= 1/T. For T = 3, t = 3: 1 + (1-alpha)^2 <= log2 3 as alpha >= 1/3. (W is 1 for t =
    2 and for alpha = 1.)
    """
    k, m = sp.Symbol("k", integer=True, positive=True), sp.Symbol("m", integer=True, nonnegative=True)
    n, W = sp.symbols("n W", positive=True)
    low = 2**k
    high = 2 ** (k + 1)
    scale = 4 * alpha * G * sigma
    beta = 1 - alpha
    return AllOf(
        Theorem(given=[2 ** (m + 1) <= T], shows=AtMost(m + 1, BITS)),
        Theorem(
            given=[
                alpha < 1,
                alpha * N >= 1,
                N <= T,
                high <= T,
                W <= k + beta**low + beta**high,
                n <= scale * sp.sqrt(d * V * W),
            ],
            shows=AtMost(n, scale * sp.sqrt(d * V * BITS)),
        )
        .have(AtMost(1 / T, alpha), "N <= T")
        .have(AtMost(low / T, alpha * low), "times 2^k")
        .have(AtMost(high / T, alpha * high), "times 2^(k+1)")
        .have(AtMost(sp.exp(-alpha * low), sp.exp(-low / T)), "exponentials")
        .have(AtMost(sp.exp(-alpha * high), sp.exp(-high / T)), "exponentials")
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=low)
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=high)
        .use("lemma-12-bits", "the two highest bits", theta=high / T)
        .have(Equal(sp.log(high / T) / sp.log(2), k + 1 - BITS), "logarithms")
        .have(AtMost(W, BITS), "added up")
        .have(AtMost(sp.sqrt(d * V * W), sp.sqrt(d * V * BITS)), "the root"),
        AtMost(1 + beta**2, sp.log(3) / sp.log(2), given=[alpha < 1, 3 * alpha >= 1]),
    )


@claim(
    PAPER,
    "err-disc",
    at="Section 3, below Theorem 6",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="lemma-11-corrected",
)
def error_of_the_noisy_momentum():
    """E|m^_t - grad F(w_t)| is O~(sqrt(alpha) + eta N + eta/alpha + alpha sqrt(d T)/(epsilon sqrt N)) at
    every t.

    The path: f(w, x) = w, t = 1, d = epsilon = 1, T = N^2, alpha = 1/N, eta = 1/sqrt(N T): every term of the
    bound is N^(-1/2), and |E m^_1 - grad F| = 1 - 1/N. No power of log N mends it.
    """
    return BigO(1 - 1 / N, 1 / sp.sqrt(N), [N >= 2], hiding=[N])
