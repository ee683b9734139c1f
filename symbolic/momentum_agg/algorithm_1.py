"""Section 3: Algorithm 1, DP-NSGD.

node      f_[y,z] = alpha sum_{i=y..z} (1-alpha)^(z-i) grad f(w_i, x_i),   noise N(0, 16 alpha^2 G^2
          sigma^2 V I)
output    m_t = sum_{[y,z] in COMPOSE(1,t)} (1-alpha)^(t-z) (f_[y,z] + noise),   w_(t+1) = w_t - eta
          m_t/|m_t|
V = (min(R, L) + 1) T/N + sum_{j=L+1..R} floor(T/2^j),   L = floor(log2 N)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.vectors import norm, norm2, vectors
from dpverify.relations import AtMost, Equal, Induction
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

alpha, eps, delta, G, eta, sigma = sp.symbols("alpha epsilon delta G eta sigma", positive=True)
N, T, t, n = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "T", "t", "n"))
a, b, q, i, j = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("a", "b", "q", "i", "j"))
beta = 1 - alpha


@claim(PAPER, "set-i", at="Section 3, the set I", kind="definition")
def nodes_of_the_tree():
    """I is the set of all [a 2^b + 1, (a+1) 2^b] inside of {1..T}, a and b whole.

    A sanity example: such an interval has 2^b steps. (Of the b < 0 that the text admits none has whole ends.)
    """
    return Equal((a + 1) * 2**b - (a * 2**b + 1) + 1, 2**b)


@claim(PAPER, "compose-log", at="Section 3, O(log T) disjoint subsets", kind="asymptotic", uses=["prop-18"])
def an_interval_is_a_union_of_few_nodes():
    """The at most 2 (1 + floor(log2 m)) nodes of an interval of m <= T steps (Proposition 18) are at most 2 +
    2 log2 T, which is at most 4 log2 T for T >= 2.
    """
    m = sp.Symbol("m", integer=True, positive=True)
    few = 2 * (1 + sp.floor(log2(m)))
    return AllOf(
        Theorem(given=[m <= T], shows=AtMost(few, 2 + 2 * log2(T))).have(
            AtMost(sp.floor(log2(m)), log2(T)), "m <= T"
        ),
        AtMost(2 + 2 * log2(T), 4 * log2(T), given=[T >= 2]),
    )


@claim(PAPER, "eq-mt-compose", at="Section 3, and Appendix D.1, Eq (4)", kind="identity")
def momentum_over_a_block_of_steps():
    """If m goes on by (1-alpha) m + alpha g, then after a block of T steps it is (1-alpha)^T times its value
    before the block, plus the block's node alpha sum_{i=1..T} (1-alpha)^(T-i) g_i, in every coordinate.

    One block from m_0 = 0 is the unrolled sum; the blocks of COMPOSE(1, t) one after the other are Eq (4).
    """
    m, start = sp.symbols("m m_0", real=True)
    g = sp.IndexedBase("g", real=True)
    steps = sp.Symbol("T", integer=True, nonnegative=True)
    node = alpha * sp.Sum(beta ** (steps - i) * g[i], (i, 1, steps))
    return Induction(
        Equal(m, beta**steps * start + node, given=[alpha < 1]),
        value=m,
        over=steps,
        start=0,
        first=start,
        next=beta * m + alpha * g[steps + 1],
    )


@claim(PAPER, "eq-mhat", at="Section 3, the noisy momentum", kind="identity", uses=["eq-mt-compose"])
def noise_adds_up_as_the_nodes_do():
    """With n blocks that end at z_1, ..., z_n = t: sum_j (1-alpha)^(t-z_j) (f_j + zeta_j) = sum_j
    (1-alpha)^(t-z_j) f_j + sum_j (1-alpha)^(t-z_j) zeta_j.
    """
    f, zeta = sp.IndexedBase("f", real=True), sp.IndexedBase("zeta", real=True)
    ends = sp.IndexedBase("z", integer=True)
    weight = beta ** (t - ends[j])

    def total(term):
        return sp.Sum(weight * term, (j, 1, n))

    return Equal(total(f[j] + zeta[j]), total(f[j]) + total(zeta[j]), given=[alpha < 1])


@claim(PAPER, "alg-1-v", at="Algorithm 1 and the proof of Theorem 4: two forms of V", kind="numeric constant")
def two_printed_forms_of_v_agree():
    """min(R, floor(log2 N)) + 1 = min(R + 1, floor(log2 N + 1)), for every R and N."""
    R = sp.Symbol("R", integer=True, nonnegative=True)
    return Equal(sp.Min(R, sp.floor(log2(N))) + 1, sp.Min(R + 1, sp.floor(log2(N) + 1)))


@claim(PAPER, "alg-1-bar", at="Algorithm 1, the update", kind="algorithm property", standing="misprint")
def the_step_has_length_eta():
    """The update divides by |m| of a bar m_t that is nowhere defined; with the noisy momentum m_t in its
    place every step has length eta.
    """
    (m,), factor = vectors("m"), sp.Symbol("c", positive=True)  # w_(t+1) = w_t - c m_t
    return Equal(norm2(factor * m), eta**2, given=[sp.Eq(factor * norm(m), eta), norm(m) > 0])


@claim(
    PAPER,
    "alg-1-index",
    at="Section 3, q_i = floor(i/N), against Algorithm 1",
    kind="definition",
    standing="misprint",
    expect=REFUTED,
    breaks="misprint",
    correction="alg-1-index-corrected",
)
def place_of_a_step_in_its_epoch():
    """With q = floor(t/N) and r = t - qN every step has a place r in 1..N of its epoch, as in Algorithm 1."""
    return AtMost(1, t - sp.floor(t / N) * N)


@claim(PAPER, "alg-1-index-corrected", at="Algorithm 1, t = qN + i", kind="definition", standing="ours")
def place_of_a_step_counted_from_one():
    """With q = floor((t-1)/N) and r = t - qN every step has a place r in 1..N, as Algorithm 1 counts."""
    place = t - sp.floor((t - 1) / N) * N
    return AllOf(AtMost(1, place), AtMost(place, N))
