"""Section 4: full batches, the anchors, and how far the iterates move.

x = sqrt(N/T) = d^(1/3)/(epsilon N)^(2/3) = gamma with the parameters of Theorem 9, so that sqrt(d) = epsilon
N x^(3/2)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.vectors import norm, vectors
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

alpha, gamma, eta, L, G, R, ell, eps = sp.symbols("alpha gamma eta L G R l epsilon", positive=True)
beta, rho, x = sp.symbols("beta rho x", positive=True)  # 1 - gamma, (1-alpha)^N, sqrt(N/T)
N, T, d, t, i, k, q = (
    sp.Symbol(name, integer=True, positive=True) for name in ("N", "T", "d", "t", "i", "k", "q")
)
size = sp.Symbol("T", positive=True)  # T, where it need not be whole
entry = sp.IndexedBase("v", real=True)  # one coordinate of a sequence of vectors


@claim(PAPER, "fb-telescope", at="Section 4, full batch", kind="identity")
def full_gradient_is_a_sum_of_differences():
    """grad F(w_t) = grad F(w_1) + sum_{i=2..t} (grad F(w_i) - grad F(w_{i-1})), in every coordinate."""
    return Equal(entry[t], entry[1] + sp.Sum(entry[i] - entry[i - 1], (i, 2, t)))


@claim(PAPER, "fb-gamma", at="Section 4, full batch with gamma", kind="identity")
def full_gradient_with_a_restart():
    """If g_{t-1} = grad F(w_{t-1}), then (1-gamma)(g_{t-1} + grad F(w_t) - grad F(w_{t-1})) + gamma grad
    F(w_t) is grad F(w_t), in every coordinate.
    """
    before = sp.Symbol("g", real=True)
    derived = (1 - gamma) * (before + entry[t] - entry[t - 1]) + gamma * entry[t]
    return Equal(derived, entry[t], given=[sp.Eq(before, entry[t - 1])])


@claim(PAPER, "sec4-step", at="Section 4, below Eq (3)", kind="inequality")
def iterates_of_one_epoch_are_near():
    """|w_t - w_s| <= eta N for |t - s| <= N: a step of length eta adds at most eta to the distance D, and k
    <= N steps from D = 0 at most eta N.
    """
    w, start, u = vectors("w s u")
    D = sp.IndexedBase("D", nonnegative=True)
    step = ForEvery(AtMost(D[i + 1], D[i] + eta), i, 1, k)
    return AllOf(
        AtMost(norm(w - eta * u - start), norm(w - start) + eta, given=[sp.Eq(norm(u), 1)]),
        Theorem(given=[step, sp.Eq(D[1], 0), k <= N], shows=AtMost(D[k + 1], eta * N)).unroll(
            D[i], sp.Integer(1), eta, (i, 1, k), "k steps"
        ),
    )


@claim(
    PAPER,
    "sec4-iter-dist",
    at="Section 4, motivation",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="sec4-step",
)
def same_sample_in_consecutive_epochs():
    """Two iterates evaluated on the same sample in consecutive epochs are at most eta N apart.

    The case: N = 2, orders (1, 2) and (2, 1), so record 1 is used at t = 1 and t = 4; f(w, x) = w, so that
    all steps go the same way. (Algorithm 2 compares anchors, which are N steps apart.)
    """
    return Instance(
        AtMost(3 * eta, 2 * eta),
        let={"N": "2", "epoch 0": "x_1, x_2", "epoch 1": "x_2, x_1", "f(w, x)": "w"},
        because="up to 2N - 1 steps lie between two uses of a record",
    )


@claim(PAPER, "eq-1-eq-2", at="Section 4, Eqs (1), (2)", kind="identity")
def momentum_is_anchored_part_and_rest():
    """m_t = alpha sum_i (1-alpha)^(t-i) h_i obeys the recursion of the momentum, and is alpha G[1,t] + alpha
    r[1,t], with h the gradients at the iterates and g those at the anchors, in every coordinate; beta =
    1-alpha.
    """
    at_anchor, at_iterate = sp.IndexedBase("g", real=True), sp.IndexedBase("h", real=True)

    def average(term):
        return sp.Sum(beta ** (t - i) * term, (i, 1, t))

    whole = average(at_iterate[i])
    return AllOf(
        Equal(
            (1 - beta) * whole.subs(t, t + 1),
            beta * (1 - beta) * whole + (1 - beta) * at_iterate[t + 1],
        ),
        Equal(
            (1 - beta) * whole,
            (1 - beta) * average(at_anchor[i]) + (1 - beta) * average(at_iterate[i] - at_anchor[i]),
        ),
    )


@claim(PAPER, "sec4-noise", at="Section 4, above Lemma 7", kind="asymptotic")
def noise_is_smaller_than_in_section_3():
    """With gamma = eta N < 1 and T >= N: alpha/epsilon + alpha sqrt(eta T)/epsilon + alpha eta N
    sqrt(T)/(epsilon sqrt N) is at most 3 alpha sqrt(T)/(epsilon sqrt N), the noise of Section 3.
    (lemma-7-corrected has these three terms.)
    """
    before = alpha * sp.sqrt(size) / (eps * sp.sqrt(N))
    terms = [1, sp.sqrt(eta * size), eta * N * sp.sqrt(size) / sp.sqrt(N)]
    given = [eta * N < 1, size >= N]
    return (
        Theorem(given=given, shows=AtMost(alpha / eps * sum(terms), 3 * before))
        .have(AtMost(1, sp.sqrt(size) / sp.sqrt(N)), "T >= N")
        .have(AtMost(sp.sqrt(eta * size), sp.sqrt(size) / sp.sqrt(N)), "eta <= 1/N")
        .have(AtMost(eta * N * sp.sqrt(size) / sp.sqrt(N), sp.sqrt(size) / sp.sqrt(N)), "eta N <= 1")
    )
