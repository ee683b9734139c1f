"""Theorem 4, first sentence, and Appendix D.1: the Renyi privacy of Algorithm 1.

(z, z/(2 sigma^2))-RDP for every z > 1

A record occurs once in every epoch, steps qN+1..(q+1)N, anywhere in it. COMPOSE(1, t) is made of left
children of the tree alone, so that the output is a function of the left nodes. R is at least floor(log2 T) +
1, or the algorithm would look for noise that it has not drawn; then the last sum of V has all of its terms.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import RDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.algorithm_1 import G, N, T, alpha, beta, i, n, q, sigma, t
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

z = sp.Symbol("z", positive=True)  # the order of Renyi DP
y, last = sp.Symbol("y", integer=True, positive=True), sp.Symbol("z", integer=True, positive=True)
third = sp.Rational(20, 3)


@claim(
    PAPER,
    "sens-count",
    at="Theorem 4, proof: at most ceil(|y-z|/N) terms",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="sens-count-corrected",
)
def occurrences_of_a_record_in_a_node():
    """A record contributes at most ceil((z-y+1)/N) terms to the node [y, z] (with the length of the node for
    the printed |y-z|, which says none for a leaf).

    The case: N = 3 and the node [3, 4]. Step 3 is the last of epoch 0, step 4 the first of epoch 1: a record
    that comes last and then first has two terms.
    """
    return Instance(
        AtMost(2, sp.ceiling(sp.Rational(4 - 3 + 1, 3))),
        let={"N": "3", "[y, z]": "[3, 4], a node of level 1", "epochs": "(1, 2, 3), (3, 1, 2)"},
        because="record 3 is the sample of steps 3 and 4",
    )


@claim(
    PAPER,
    "sens-count-corrected",
    at="Theorem 4, proof: number of terms, corrected",
    kind="inequality",
    standing="ours",
)
def epochs_that_a_node_meets():
    """The node [y, z] meets at most ceil((z-y)/N) + 1 epochs, and a record occurs once in each."""
    met = sp.floor((last - 1) / N) - sp.floor((y - 1) / N) + 1
    return AtMost(met, sp.ceiling((last - y) / N) + 1, given=[y <= last])


@claim(
    PAPER,
    "sens-scale",
    at="Theorem 4, proof: the j-th term is scaled by (1-alpha)^(jN)",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="sens-scale-corrected",
)
def weight_of_the_jth_occurrence():
    """The j-th term of a record in a node, counted from 0 at the latest, has weight at most alpha
    (1-alpha)^(jN).

    The case: N = 3, the node [3, 4], a record at both steps, j = 1, alpha = 1/2.
    """
    half = sp.Rational(1, 2)
    return Instance(
        AtMost(half * half ** (4 - 3), half * half ** (1 * 3)),
        let={"N": "3", "[y, z]": "[3, 4]", "j": "1, the term of step 3", "alpha": "1/2"},
        because="two occurrences in neighbouring epochs may be one step apart",
    )


@claim(
    PAPER,
    "sens-scale-corrected",
    at="Theorem 4, proof: the j-th term, corrected",
    kind="inequality",
    standing="ours",
)
def distance_of_the_jth_occurrence():
    """Occurrences of a record in epochs q and q - j are at least (j-1) N + 1 steps apart (j >= 1)."""
    later = sp.Symbol("j", integer=True, positive=True)
    return AtMost((later - 1) * N + 1, last - y, given=[q * N + 1 <= last, y <= (q - later + 1) * N])


def moved_across_epochs(weight):
    """That a record moves a node whose terms weigh `weight` at most by no more than 4 weight, in a case where
    it comes last in one epoch and first in the next.
    """
    kept = sp.Rational(4, 5)
    moved = 2 * weight * sum(kept ** (16 - step) for step in (5, 10, 15, 16))
    return Instance(
        AtMost(moved, 4 * weight),
        let={
            "N": "5",
            "alpha": "1/5",
            "G": "1",
            "[y, z]": "[1, 16]",
            "f(w, x)": "x w, x = 1 or -1",
            "steps of the record": "5, 10, 15, 16, one in each epoch",
        },
        because="a record may come last in one epoch and first in the next",
    )


@claim(
    PAPER,
    "sens-4ag",
    at="Theorem 4, proof: sensitivity 4 alpha G",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="sens-4ag-corrected",
)
def sensitivity_of_a_node():
    """For alpha >= 1/N no node moves by more than 4 alpha G if one record is replaced.

    The case: f(w, x) = G x w, a record x = 1 replaced by -1 that is the sample of steps 5, 10, 15 and 16
    moves every term by 2 G; N = 5, alpha = 1/5, the node [1, 16].
    """
    return moved_across_epochs(sp.Rational(1, 5))


@claim(
    PAPER,
    "sens-4ag-corrected",
    at="Theorem 4, proof: sensitivity, corrected",
    kind="inequality",
    uses=["sens-scale-corrected", "prop-13-power"],
    standing="ours",
)
def sensitivity_of_a_node_corrected():
    """For alpha >= 1/N a node moves by at most 2 alpha G (1 + 1/(1 - 1/e)) <= 2 alpha G sqrt(20/3) < 5.17
    alpha G: each occurrence of a record in it, n + 1 of them, moves it by 2 alpha G times its weight, which
    is at most 1 for the latest, and beta^((j-1) N + 1 + s_j) for the j-th before it, beta = 1-alpha, as it
    is (j-1) N + 1 steps or more away (sens-scale-corrected).
    """
    kept, later = sp.Symbol("beta", positive=True), sp.Symbol("j", integer=True, positive=True)
    more = sp.IndexedBase("s", integer=True, nonnegative=True)
    term = kept ** ((later - 1) * N + 1 + more[later])
    power = kept ** ((later - 1) * N)
    limit = sp.exp(-1)
    weights, series = (sp.Sum(each, (later, 1, n)) for each in (term, power))
    most = 1 + 1 / (1 - limit)
    return AllOf(
        Theorem(
            given=[kept < 1, (1 - kept) * N >= 1],
            shows=AtMost(2 * (1 - kept) * G * (1 + weights), 2 * (1 - kept) * G * most),
        )
        .sum(AtMost(term, power), (later, 1, n), "each occurrence")
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=1 - kept, N=N)
        .have(AtMost(sp.exp(-(1 - kept) * N), limit), "alpha N >= 1")
        .have(AtMost(kept**N, limit), "both")
        .have(Equal(series * (1 - kept**N), 1 - kept ** (N * n)), "a geometric series")
        .have(AtMost(series * (1 - kept**N), 1), "its last term is not negative")
        .have(AtMost(series * (1 - limit), series * (1 - kept**N)), "its terms are not negative")
        .have(AtMost(series, 1 / (1 - limit)), "divided")
        .have(AtMost(1 + weights, most), "all occurrences"),
        AtMost(most**2, third),
    )


@claim(
    PAPER,
    "v-t-over-n",
    at="Theorem 4, proof: at most T/N nodes of a low level",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="v-t-over-n-corrected",
)
def nodes_of_a_low_level_with_the_record():
    """On a level b <= floor(log2 N) at most T/N nodes hold a given record.

    The case: N = 2, T = 3, b = 0, a record that comes first in both epochs: the leaves 1 and 3.
    """
    return Instance(
        AtMost(2, sp.Rational(3, 2)),
        let={"N": "2", "T": "3", "b": "0", "nodes with record 1": "[1,1], [3,3]"},
        because="epochs 0 and 1 both begin with record 1",
    )


@claim(
    PAPER,
    "v-t-over-n-corrected",
    at="Theorem 4, proof: nodes of a low level, corrected",
    kind="inequality",
    standing="ours",
)
def nodes_of_a_level_with_the_record():
    """On every level at most ceil(T/N) nodes hold a record: it occurs once in each of the epochs that have
    begun, 0, ..., u with uN + 1 <= T, and each occurrence is in one node.
    """
    u = sp.Symbol("u", integer=True, nonnegative=True)
    return Theorem(given=[u * N + 1 <= T], shows=AtMost(u + 1, sp.ceiling(T / N))).have(
        AtMost(u, T / N, strict=True), "divide"
    )


@claim(
    PAPER,
    "v-s-full",
    at="Theorem 4, proof: a high node holds every record",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="v-s-full-corrected",
)
def high_nodes_hold_every_record():
    """For b > floor(log2 N) every node of level b holds all N records.

    The case: N = 3, b = 2, the node [5, 8]; epoch 1 is steps 4, 5, 6 and epoch 2 steps 7, 8, 9. A record at
    steps 4 and 9 is not in it: it holds two records. (For the count of nodes an upper bound is enough.)
    """
    return Instance(
        Equal(2, 3),
        let={"N": "3", "b": "2", "[y, z]": "[5, 8]", "epochs": "1: (1, 2, 3), 2: (2, 3, 1)"},
        because="steps 5, 6, 7, 8 take records 2, 3, 2, 3",
    )


@claim(
    PAPER,
    "v-s-full-corrected",
    at="Theorem 4, proof: high nodes, corrected",
    kind="inequality",
    standing="ours",
)
def long_nodes_hold_every_record():
    """A node of 2N - 1 steps or more holds a whole epoch, hence every record."""
    first = sp.ceiling((y - 1) / N)  # the first epoch that begins in it
    return AtMost(first * N + N, last, given=[last - y + 1 >= 2 * N - 1])


@claim(
    PAPER,
    "thm-4-equiv",
    at="Theorem 4, proof: Algorithm 1 is Algorithm 5",
    kind="algorithm property",
    uses=["eq-mt-compose", "eq-mhat"],
)
def algorithm_1_is_a_function_of_noisy_nodes():
    """The noisy momentum after a block of steps is (1-alpha)^T times that before it, plus the block's node
    with its noise: so m_t, and w_1, ..., w_T, are functions of the noisy nodes (post-processing); and a node
    [y, z] asks for w_i, i <= z, alone, which are functions of the nodes that end at z - 1 or before: ordered
    by their ends the nodes are the adaptive queries of Algorithm 5, for any orders of the epochs.
    """
    before, zeta, end, step = sp.symbols("m_0 zeta e s", real=True)
    g = sp.IndexedBase("g", real=True)
    node = alpha * sp.Sum(beta ** (t - i) * g[i], (i, 1, t))
    exact = sp.Symbol("x", real=True)
    return AllOf(
        Equal(
            (beta**t * exact + node) + (beta**t * (before - exact) + zeta), beta**t * before + (node + zeta)
        ),
        AtMost(end, last - 1, given=[end <= step, step <= y - 1, y <= last]),
    )


@claim(
    PAPER,
    "thm-4-rdp",
    at="Theorem 4, first sentence",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="privacy",
    correction="thm-4-rdp-corrected",
)
def renyi_privacy_of_algorithm_1():
    """If f is G-Lipschitz, Algorithm 1 is (z, z/(2 sigma^2))-RDP for all z, whatever T, N and alpha.

    The case has less than one epoch: N = 65536 records, T = 2, alpha = 1, d = 1, f(w, x) = G x w with all x =
    1, or one x = -1; sigma = 1, z = 2. V = (16 + 1) 2/65536 (its largest value, over every R) counts T/N of a
    record's one occurrence, so that the sign of the step is all but that of the first record: the event w_2 >
    w_1 has chance p, and with the other data set p + (1 - 2p)/N.
    """
    count, steps = 2**16, 2
    V = sp.Rational((16 + 1) * steps, count)
    p = chance_of_a_turned_sign(sp.Integer(1), V)
    other = p + (1 - 2 * p) / count
    return Instance(
        AtMost(other**2 / p + (1 - other) ** 2 / (1 - p), sp.exp(1)),
        let={
            "N, T, R": "65536, 2, any from 16 on",
            "alpha, G, sigma, d": "1",
            "f(w, x)": "x w, x = 1 for every record, x = -1 for one of D'",
            "z": "2",
        },
        because="(2, 1)-RDP says that the mean of (P'/P)^2 over P is at most exp(1)",
    )


def _nodes(scale, counts):
    """Gaussian releases of nodes, by their sensitivity in units of 2 alpha G and how many hold the record."""
    return Composed(
        *(
            Repeated(Gaussian(scale, {REPLACE: 2 * alpha * G * size}), i, 1, most, participations=times)
            for size, times, most in counts
        )
    )


def _counted(second):
    """The left nodes of Algorithm 1, their noise, and what is known of their numbers.

    k: occurrences of the record; leaves, one, two: left nodes of the levels 0 and 1..L that hold it, once or
    twice; m: left nodes of higher levels; U: the second sum of V.
    """
    L, k, m, leaves, one, two, U = (
        sp.Symbol(name, integer=True, nonnegative=True)
        for name in ("L", "k", "m", "leaves", "one", "two", "U")
    )
    x = sp.Symbol("x", positive=True)  # T/N
    V = (L + 1) * x + U
    scale = 4 * alpha * G * sigma * sp.sqrt(V)
    counts = [(1, leaves + one, leaves + one), (2, two, two), (second, m, m)]
    known = [leaves <= k, one + 2 * two <= L * k, k <= x + 1]
    return _nodes(scale, counts), known, (L, k, m, leaves, one, two, U, x)


@claim(
    PAPER,
    "thm-4-rdp-corrected",
    at="Theorem 4, first sentence, corrected: T >= N, alpha >= 1/N",
    kind="privacy guarantee",
    uses=["thm-4-equiv", "sens-count-corrected", "sens-4ag-corrected", "v-t-over-n-corrected", "v-left"],
    standing="ours",
)
def renyi_privacy_of_whole_passes():
    """For T >= N and alpha >= 1/N, N not a power of two too, Algorithm 1 is (z, z/(2 sigma^2))-RDP for every
    z > 1.

    The output is a function of the left nodes; x = T/N. A record occurs k <= x + 1 times; at most k leaves
    hold it; on each of the levels 1..L, whose nodes meet two epochs at most, it is in `one` nodes once and in
    `two` twice, one + 2 two <= L k; m left nodes are above level L. If x >= 2, each of those moves by at most
    2 alpha G sqrt(20/3), and 5 m/3 <= U + 1. If 1 <= x <= 2, a record occurs twice at most, no node moves by
    more than 4 alpha G, whatever alpha, and m <= U.
    """
    several, known, (_, _, m, *_, U, x) = _counted(sp.sqrt(third))
    two, _, (_, k, *_) = _counted(2)
    promised = RDP(z, z / (2 * sigma**2))
    return AllOf(
        Private(several, promised, REPLACE, given=[z > 1, *known, x >= 2, 5 * m / 3 <= U + 1]),
        Private(two, promised, REPLACE, given=[z > 1, *known, k <= 2, x >= 1, m <= U]),
    )


@claim(
    PAPER, "v-left", at="Theorem 4: the left nodes of the levels above L", kind="inequality", standing="ours"
)
def left_nodes_of_the_high_levels():
    """Of p nodes of a level ceil(p/2) = p - floor(p/2) are left ones, and the next level has floor(p/2): all
    levels above L together have m = floor(T/2^(L+1)) left nodes; and U >= m + floor(m/2) + floor(m/4) gives
    5 m/3 <= U + 1.
    """
    p, m, U = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("p", "m", "U"))
    return AllOf(
        AtMost(sp.ceiling(p / 2), p - sp.floor(p / 2)),
        AtMost(p - sp.floor(p / 2), sp.ceiling(p / 2)),
        AtMost(5 * m / 3, U + 1, given=[m + sp.floor(m / 2) + sp.floor(m / 4) <= U]),
    )


@claim(PAPER, "v-high", at="Theorem 4: all nodes of the levels above L", kind="inequality", standing="ours")
def nodes_of_the_high_levels():
    """The levels l + 1, ..., l + c have sum_j floor(T/2^j) <= T/2^l nodes together."""
    low, level = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("l", "j"))
    top = sp.Symbol("c", integer=True, positive=True)
    floors, halves = (high_nodes(term, level, low, top) for term in (sp.floor(T / 2**level), T / 2**level))
    return (
        Theorem(shows=AtMost(floors, T / 2**low))
        .sum(AtMost(sp.floor(T / 2**level), T / 2**level), (level, low + 1, low + top), "level by level")
        .have(Equal(halves, T / 2**low - T / 2 ** (low + top)), "a geometric series")
    )


def high_nodes(term, level, low, top):
    """The sum of a term over the levels low + 1, ..., low + top."""
    return sp.Sum(term, (level, low + 1, low + top))


def chance_of_a_turned_sign(sigma, V):
    """The chance that the noise turns the sign of the first step, on the line with slopes of size G."""
    return sp.erfc(1 / (4 * sigma * sp.sqrt(V)) / sp.sqrt(2)) / 2
