"""Sections 1 and 2: the definitions, what is said of other work, and tree aggregation.

A node of the tree is an interval [a 2^b + 1, (a+1) 2^b] of steps; a leaf is a step. l = log(1/delta).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import ApproxDP
from dpverify.language.expectations import gaussian
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import Vector, norm, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance, Quoted
from dpverify.releases import Gaussian
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

eps, delta, G, eta, c = sp.symbols("epsilon delta G eta c", positive=True)
t, T, N, n, d = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T", "N", "n", "d"))
a, b, h, i = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("a", "b", "h", "i"))
ell = sp.log(1 / delta)


def log2(x):
    """The logarithm to base 2."""
    return sp.log(x) / sp.log(2)


@claim(PAPER, "prior-rates", at="Section 1", kind="asymptotic", standing="remark", expect=UNDECIDED)
def rates_of_other_work():
    """Convex ERM sqrt(d)/(eps N); non-convex: RRSGD, full-batch DP-GD and DP-SRM at about
    d^(1/4)/sqrt(eps N), with N^2 d, full-batch and (eps N)^(3/2)/d^(3/4) gradient evaluations.
    """
    return Quoted("rates of other papers, whose algorithms and hypotheses are not restated in this one")


@claim(
    PAPER,
    "prior-rates-factor",
    at="Section 4, DP-SRM improves the bound by a factor of log(n/delta)",
    kind="identity",
    standing="remark",
    expect=REFUTED,
    breaks="text",
    correction="prior-rates-factor-corrected",
)
def recursive_momentum_gains_a_logarithm():
    """The bound (d log(n/delta) log(1/delta))^(1/4)/sqrt(eps n) of RRSGD is log(n/delta) times the bound (d
    log(1/delta))^(1/4)/sqrt(eps n) of DP-SRM, both as Section 1 gives them.
    """
    whole = sp.log(n / delta)
    return Equal(_rate(d * whole * ell), whole * _rate(d * ell), given=[delta < 1])


@claim(
    PAPER,
    "prior-rates-factor-corrected",
    at="Section 1, by a factor of log(n/delta)^(1/4)",
    kind="identity",
    standing="ours",
)
def recursive_momentum_gains_a_fourth_root():
    """The factor between the two bounds is log(n/delta)^(1/4), as Section 1 has it."""
    whole = sp.log(n / delta)
    return Equal(_rate(d * whole * ell), whole ** sp.Rational(1, 4) * _rate(d * ell), given=[delta < 1])


def _rate(x):
    return x ** sp.Rational(1, 4) / sp.sqrt(eps * n)


@claim(PAPER, "contrib-noise", at="Section 1, contributions", kind="asymptotic", uses=["v-high"])
def noise_of_a_node_is_of_order_root_t_over_n():
    """With sigma = 2 sqrt(l)/eps the noise 4 alpha G sigma sqrt(V) of a node is at most 8 alpha G sqrt(l (3 +
    log2 N)) sqrt(T)/(eps sqrt(N)), for every V = (L + 1) T/N + sum_{j=L+1..L+c} floor(T/2^j), L = floor(log2
    N).
    """
    alpha, ln = sp.symbols("alpha l", positive=True)
    L, j = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("L", "j"))
    top = sp.Symbol("c", integer=True, positive=True)
    rest = sp.Sum(sp.floor(T / 2**j), (j, L + 1, L + top))
    V, most = (L + 1) * T / N + rest, (log2(N) + 3) * T / N
    return (
        Theorem(
            given=[2**L <= N, N < 2 ** (L + 1)],
            shows=AtMost(
                4 * alpha * G * (2 * sp.sqrt(ln) / eps) * sp.sqrt(V),
                8 * alpha * G * sp.sqrt(ln * (log2(N) + 3)) * sp.sqrt(T) / (eps * sp.sqrt(N)),
            ),
        )
        .have(AtMost(L, log2(N)), "logarithms")
        .have(AtMost(1 / 2**L, 2 / N), "2^L > N/2")
        .have(AtMost(T / 2**L, 2 * T / N), "times T")
        .have(AtMost((L + 1) * T / N, (log2(N) + 1) * T / N), "the low levels")
        .use("v-high", "the high levels", T=T, l=L, c=top)
        .have(AtMost(V, most), "add up")
    )


@claim(
    PAPER,
    "contrib-batch",
    at="Section 1, contributions",
    kind="algorithm property",
    standing="remark",
    expect=UNDECIDED,
)
def utility_for_any_batch_size():
    """DP-NSGD has a utility guarantee for any batch size."""
    return Quoted(
        "Algorithm 1 takes one record a step, and no theorem of the paper has a batch size: there is nothing "
        "that could be checked for a batch of another size"
    )


@claim(PAPER, "def-1-dp", at="Definition 1", kind="definition")
def definition_of_approximate_privacy():
    """(eps, delta)-DP: P[M(D) in E] <= exp(eps) P[M(D') in E] + delta.

    A sanity example: a mechanism that shows one bit with chance delta and tosses a coin otherwise.
    """
    truth = delta + (1 - delta) / 2
    return AllOf(
        AtMost(truth, sp.exp(eps) * (1 - truth) + delta, given=[delta <= 1]),
        AtMost(1 - truth, sp.exp(eps) * truth + delta, given=[delta <= 1]),
    )


@claim(PAPER, "asm", at="Section 2, assumptions", kind="definition")
def assumptions():
    """f(., x) is G-Lipschitz (|grad f| <= G), L-smooth, and sup_w F(w_1) - F(w) <= R.

    A sanity example: if the mean m of t gradients and a further one are bounded by G, so is the mean of all.
    (The text calls R a bound on F(w_1); the formula bounds the gap.)
    """
    m, g = vectors("m g")
    return AtMost(norm((t * m + g) / (t + 1)), G, given=[norm(m) <= G, norm(g) <= G])


@claim(PAPER, "def-2-sens", at="Definition 2", kind="definition")
def definition_of_sensitivity():
    """Delta(f) = sup |f(D) - f(D')| over neighbours, which differ in one entry.

    A sanity example: one replaced vector of the ball of radius G moves a sum by at most 2 G.
    """
    rest, x, y = vectors("s x y")
    return AtMost(norm((rest + x) - (rest + y)), 2 * G, given=[norm(x) <= G, norm(y) <= G])


@claim(PAPER, "def-3-rdp", at="Definition 3", kind="definition")
def definition_of_renyi_privacy():
    """D_alpha(P||Q) = log(E_Q (P/Q)^alpha)/(alpha - 1) <= eps, alpha > 1.

    A sanity example: two coins of bias p and q have 1 <= E_Q (P/Q)^2, so that D_2 >= 0.
    """
    p, q = sp.symbols("p q", positive=True)
    return AtMost(1, p**2 / q + (1 - p) ** 2 / (1 - q), given=[p < 1, q < 1])


@claim(PAPER, "naive-sum", at="Section 2, the simplest solution", kind="asymptotic")
def noise_on_every_term_adds_up_to_root_t():
    """If each of T vectors gets its own noise N(0, (c/eps)^2 I), the noise S of their sum has E|S|^2 = T d
    c^2/eps^2, a root mean square of sqrt(T) c sqrt(d)/eps (A_t is E|S|^2 before the t-th noise).
    """
    whole, noise = Vector("S"), gaussian("zeta", c / eps, d)
    each, A = d * c**2 / eps**2, sp.IndexedBase("A", nonnegative=True)
    t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
    sums = Iterates(A, norm2(whole), [whole], [whole + noise], [noise], t, 1, T)
    return (
        Theorem(given=[sums, sp.Eq(A[1], 0)], shows=Equal(A[T + 1], T * d * c**2 / eps**2))
        .descend(sums, 1, each, "one noise", exact=True)
        .sum(Equal(A[t + 1] - A[t], each), (t, 1, T), "T noises")
    )


@claim(PAPER, "tree-ancestors", at="Section 2, each g_i affects only its ancestors", kind="inequality")
def a_leaf_has_one_ancestor_on_each_level():
    """A leaf i lies in one node of each level b only, and a level b that has a node inside of {1..t} is one
    of the ceil(log2 t) + 1 levels 0..ceil(log2 t): a leaf has at most ceil(log2 t) + 1 ancestors, itself
    counted.
    """
    leaf = [a * 2**b < i, i <= (a + 1) * 2**b, h * 2**b < i, i <= (h + 1) * 2**b]
    return AllOf(
        Theorem(given=leaf, shows=AtMost(a, h))
        .have(AtMost(a * 2**b, (h + 1) * 2**b, strict=True), "both hold i")
        .have(AtMost(a, h + 1, strict=True), "divide by 2^b"),
        Theorem(given=[2**b <= t], shows=AtMost(b + 1, sp.ceiling(log2(t)) + 1)).have(
            AtMost(b, log2(t)), "logarithms"
        ),
    )


@claim(
    PAPER,
    "tree-logt-nodes",
    at="Section 2, at most log t nodes",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="prop-18",
)
def a_partial_sum_needs_log_t_nodes():
    """Any partial sum of g_1, ..., g_t needs at most log2 t nodes.

    The case: t = 3 and g_1 + g_2 + g_3, which is no node of the tree of the leaves 1..3 (nor of 1..4), so
    that at least two are needed, with differences of nodes too.
    """
    return Instance(
        AtMost(2, log2(sp.Integer(3))),
        let={"t": "3", "[y, z]": "[1, 3]", "nodes": "[1,1], [2,2], [3,3], [1,2] (and [4,4], [3,4], [1,4])"},
        because="the sum of the leaves 1..3 is not the value of one node",
    )


@claim(
    PAPER,
    "tree-noise",
    at="Section 2, noise of the tree, for delta <= exp(-eps)",
    kind="privacy guarantee",
    uses=["prop-18"],
)
def noise_of_order_log_t_makes_the_tree_private():
    """If a record is in one leaf, hence in k nodes of the tree (k = ceil(log2 t) + 1), noise of scale 4 G k
    sqrt(l)/eps at every node makes the tree (eps, delta)-DP (delta <= exp(-eps)), and the noise of a sum of
    up to 2 k nodes has standard deviation at most 8 G k^(3/2) sqrt(l)/eps: O(log t/eps), O(log^1.5 t/eps).
    """
    k, m = (sp.Symbol(name, integer=True, positive=True) for name in ("k", "m"))
    scale = 4 * G * k * sp.sqrt(ell) / eps
    tree = Repeated(Gaussian(scale, {REPLACE: 2 * G}), i, 1, 2 * t, participations=k)
    given = [delta < 1, eps <= ell]
    private = (
        Theorem(given=given, shows=Private(tree, ApproxDP(eps, delta), REPLACE))
        .have(AtMost(eps**2 / (8 * k * ell), eps / 8), "epsilon <= l")
        .have(AtMost(sp.sqrt(2) * eps / (2 * sp.sqrt(k)), sp.sqrt(2) * eps / 2), "k >= 1")
    )
    return AllOf(
        private,
        AtMost(sp.sqrt(m) * scale, 8 * G * k ** sp.Rational(3, 2) * sp.sqrt(ell) / eps, [*given, m <= 2 * k]),
    )


@claim(PAPER, "sgd-unroll", at="Section 2, the update of SGD", kind="identity")
def iterates_of_sgd_are_sums_of_gradients():
    """If w_1 = 0 and w_(i+1) = w_i - eta g_i, then w_(t+1) = -eta sum_{i=1..t} g_i, in every coordinate.

    (The line below prints s_t = sum_i grad f(w_t, x_t) for sum_i grad f(w_i, x_i).)
    """
    w, g = sp.IndexedBase("w", real=True), sp.IndexedBase("g", real=True)
    run = ForEvery(Equal(w[i + 1] - w[i], -eta * g[i]), i, 1, t)
    return Theorem(given=[run, sp.Eq(w[1], 0)], shows=Equal(w[t + 1], -eta * sp.Sum(g[i], (i, 1, t)))).sum(
        Equal(w[i + 1] - w[i], -eta * g[i]), (i, 1, t), "telescopes"
    )
