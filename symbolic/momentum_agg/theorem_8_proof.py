"""Appendix E.1: the printed proof of Theorem 8, line by line, and its first sentence as printed.

The proof releases all nodes of the three trees, left and right: a record occurs once in each epoch.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import RDP
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Composed, Private
from dpverify.language.vectors import norm, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.algorithm_2 import G, L, N, T, V, eta, sigma, tree_nodes, z
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.symbolic.momentum_agg.theorem_4_rdp import high_nodes, moved_across_epochs, third
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


@claim(
    PAPER,
    "t8-sens-g",
    at="Theorem 8, proof: sensitivity 4 G",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="t8-sens-g-corrected",
)
def sensitivity_of_a_node_of_gradients():
    """For alpha >= 1/N no node of F^G moves by more than 4 G (the case of sens-4ag)."""
    return moved_across_epochs(sp.Integer(1))


@claim(
    PAPER,
    "t8-sens-g-corrected",
    at="Theorem 8, proof: sensitivity of F^G, corrected",
    kind="inequality",
    uses=["sens-4ag-corrected"],
    standing="ours",
)
def sensitivity_of_a_node_of_gradients_corrected():
    """For alpha >= 1/N a node of F^G moves by at most 2 G sqrt(20/3) < 5.17 G: its occurrences weigh at most
    1 + 1/(1 - 1/e), whose square is at most 20/3 (sens-4ag-corrected).
    """
    weight = sp.Symbol("f", nonnegative=True)
    return Theorem(
        given=[weight <= 1 + 1 / (1 - sp.exp(-1))], shows=AtMost(2 * G * weight, 2 * G * sp.sqrt(third))
    ).have(AtMost(1 + 1 / (1 - sp.exp(-1)), sp.sqrt(third)), "a number")


@claim(PAPER, "t8-diff", at="Theorem 8, proof: a difference of gradients", kind="inequality")
def difference_of_gradients_within_an_epoch():
    """Over at most N steps of length eta, |w - v| <= eta N, the gradient of an L-smooth loss moves by at most
    eta N L.
    """
    f = Function("f", smooth=L)
    w, v = vectors("w v")
    return AtMost(norm(f.gradient(w) - f.gradient(v)), eta * N * L, given=[norm(w - v) <= eta * N])


@claim(
    PAPER,
    "t8-sens-delta",
    at="Theorem 8, proof: F^Delta and F^r have sensitivity 2 eta N L",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="t8-sens-delta-corrected",
)
def sensitivity_of_a_node_of_differences():
    """For alpha >= 1/N no node of F^Delta moves by more than 2 eta N L.

    The case: N = 8, alpha = 1/8, the node [17, 32], the record last in epochs 2 and 3 (steps 24 and 32).
    Anchors eta N apart, losses x L w^2/2 near them, x = 1 replaced by -1: each difference moves by 2 eta N L,
    and the node by 1 + (7/8)^8 times that.
    """
    return Instance(
        AtMost(2 * (1 + sp.Rational(7, 8) ** 8), 2),
        let={
            "N": "8",
            "alpha": "1/8",
            "eta N L": "1",
            "[y, z]": "[17, 32]",
            "steps of the record": "24, 32",
            "f(w, x)": "x L w^2/2 where the iterates are",
        },
        because="2 eta N L is what one occurrence moves, and the node has two",
    )


@claim(
    PAPER,
    "t8-sens-delta-corrected",
    at="Theorem 8, proof: sensitivity of differences, corrected",
    kind="inequality",
    uses=["sens-4ag-corrected", "t8-diff"],
    standing="ours",
)
def sensitivity_of_a_node_of_differences_corrected():
    """For alpha >= 1/N a node of F^Delta or F^r moves by at most 2 eta N L sqrt(20/3): one occurrence moves
    it by at most 2 eta N L (two differences of t8-diff), and the occurrences weigh at most 1 + 1/(1 - 1/e).
    """
    a, b = vectors("a b")
    weight = sp.Symbol("f", nonnegative=True)
    each = eta * N * L
    return AllOf(
        AtMost(norm(a - b), 2 * each, given=[norm(a) <= each, norm(b) <= each]),
        Theorem(
            given=[weight <= 1 + 1 / (1 - sp.exp(-1))],
            shows=AtMost(2 * each * weight, 2 * each * sp.sqrt(third)),
        ).have(AtMost(1 + 1 / (1 - sp.exp(-1)), sp.sqrt(third)), "a number"),
    )


@claim(
    PAPER,
    "t8-count2n",
    at="Theorem 8, proof: nodes with x_i inside of [1, 2N]",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="t8-count2n-corrected",
)
def nodes_of_two_epochs_with_the_record():
    """A record is in at most 1 + floor(log2(2N)) nodes inside of [1, 2N].

    The case: N = 2, a record last in the first epoch and first in the second, steps 2 and 3: it is in [2,2],
    [1,2], [3,3], [3,4] and [1,4].
    """
    return Instance(
        AtMost(5, 1 + sp.floor(log2(sp.Integer(4)))),
        let={"N": "2", "steps of the record": "2, 3", "nodes": "[2,2], [1,2], [3,3], [3,4], [1,4]"},
        because="the record occurs twice in two epochs",
    )


@claim(
    PAPER,
    "t8-count2n-corrected",
    at="Theorem 8, proof: nodes inside of [1, 2N], corrected",
    kind="inequality",
    uses=["tree-ancestors"],
    standing="ours",
)
def nodes_of_two_epochs_with_the_record_corrected():
    """A record occurs twice in two epochs, each time in one node of each level 0..b, 2^b <= 2N: in at most 2
    (b + 1) <= 2 (1 + floor(log2(2N))) nodes.
    """
    b, n = sp.Symbol("b", integer=True, nonnegative=True), sp.Symbol("n", integer=True, positive=True)
    count = Theorem(given=[2**b <= n], shows=AtMost(2 * (b + 1), 2 * (1 + sp.floor(log2(n)))))
    return count.have(AtMost(b, log2(n)), "logarithms, n = 2N")


@claim(
    PAPER,
    "t8-countgt",
    at="Theorem 8, proof: nodes with x_i in all",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="t8-countgt-corrected",
)
def nodes_of_all_epochs_with_the_record():
    """(floor(log2 N) + 1) T/N + sum_{j > floor(log2 N)} floor(T/2^j) <= 4 (T/N) log2 N, for every N and T.

    At N = T = 1 the left side is 1 and the right side 0.
    """
    return Instance(
        AtMost((0 + 1) * 1 + 0, 4 * log2(sp.Integer(1))), let={"N": "1", "T": "1"}, because="log2 1 = 0"
    )


@claim(
    PAPER,
    "t8-countgt-corrected",
    at="Theorem 8, proof: nodes with x_i in all, for N >= 2",
    kind="inequality",
    uses=["v-high"],
    standing="ours",
)
def nodes_of_all_epochs_with_the_record_for_two_records():
    """For N >= 2 (l = floor(log2 N) >= 1): (l + 1) T/N + sum_{j=l+1..l+c} floor(T/2^j) <= 4 (T/N) log2 N,
    however many levels there are.
    """
    low, top = (sp.Symbol(name, integer=True, positive=True) for name in ("l", "c"))
    j = sp.Symbol("j", integer=True, nonnegative=True)
    rest = high_nodes(sp.floor(T / 2**j), j, low, top)
    return (
        Theorem(
            given=[2**low <= N, N < 2 ** (low + 1)],
            shows=AtMost((low + 1) * T / N + rest, 4 * T / N * log2(N)),
        )
        .have(AtMost(low, log2(N)), "logarithms")
        .have(AtMost(1 / 2**low, 2 / N), "2^l > N/2")
        .have(AtMost(T / 2**low, 2 * T / N), "times T")
        .have(AtMost((low + 3) * T / N, 4 * T / N * log2(N)), "l >= 1")
        .use("v-high", "the high levels", T=T, l=low, c=top)
    )


@claim(PAPER, "t8-compose", at="Theorem 8, proof: the whole mechanism", kind="privacy guarantee")
def three_components_compose():
    """Three trees, each of V nodes with the record and noise sqrt(V) sigma times its sensitivity, are (z, 3
    z/(2 sigma^2))-RDP together.
    """
    sizes = sp.symbols("delta_G delta_Delta delta_r", positive=True)
    parts = [tree_nodes(sp.sqrt(V) * sigma * size, size, V) for size in sizes]
    return Private(Composed(*parts), RDP(z, 3 * z / (2 * sigma**2)), REPLACE, given=[z > 1])


@claim(
    PAPER,
    "t8-two-streams",
    at="Theorem 8, proof: F^G and F^Delta are one component",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="proof",
    correction="t8-two-streams-corrected",
)
def two_trees_cost_as_much_as_one():
    """Noise sqrt(V) sigma delta_G on the nodes of F^G and sqrt(V) sigma delta_Delta on those of F^Delta, V of
    each with the record, make both together (z, z/(2 sigma^2))-RDP (said of [1, 2N], and of the rest).
    """
    sizes = sp.symbols("delta_G delta_Delta", positive=True)
    parts = [tree_nodes(sp.sqrt(V) * sigma * size, size, V) for size in sizes]
    return Private(Composed(*parts), RDP(z, z / (2 * sigma**2)), REPLACE, given=[z > 1])


@claim(
    PAPER,
    "t8-two-streams-corrected",
    at="Theorem 8, proof: F^G and F^Delta, corrected",
    kind="privacy guarantee",
    standing="ours",
)
def two_trees_cost_twice():
    """The two trees together are (z, z/sigma^2)-RDP."""
    sizes = sp.symbols("delta_G delta_Delta", positive=True)
    parts = [tree_nodes(sp.sqrt(V) * sigma * size, size, V) for size in sizes]
    return Private(Composed(*parts), RDP(z, z / sigma**2), REPLACE, given=[z > 1])


@claim(
    PAPER,
    "thm-8-rdp",
    at="Theorem 8, first sentence",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="theorem",
    correction="thm-8-rdp-corrected",
)
def renyi_privacy_of_algorithm_2():
    """If alpha >= 1/N and f is G-Lipschitz and L-smooth, Algorithm 2 is (z, 3 z/(2 sigma^2))-RDP for all z.

    The case: N = 1, alpha = 1, d = 1, f(w, x) = G x w with x = 1 or -1. V is 0 and no noise is added; the
    first step goes down for one data set and up for the other. (z, c)-RDP says P(E) <= (exp(c)
    P'(E))^((z-1)/z); here z = 2, sigma = 1, c = 3. It is a corner: for N >= 2 and 2 eta N L for 2 eta N the
    sentence holds as it is printed (thm-8-rdp-corrected).
    """
    first, other = sp.Integer(1), sp.Integer(0)
    return Instance(
        AtMost(first, sp.sqrt(sp.exp(3) * other)),
        let={
            "N": "1",
            "T": "2",
            "alpha, sigma, G, d": "1",
            "f(w, x)": "x w, x = 1 or -1",
            "z": "2",
            "E": "the first step goes down",
        },
        because="3 log2 1 = 4 (T/N) log2 1 = 0: the gradient is published as it is",
    )
