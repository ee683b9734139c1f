"""Appendices A and B: COMPOSE (Algorithm 3, Proposition 18), the reconstruction (Algorithm 4).

    COMPOSE(a, b): the block [a, a + 2^k - 1] with the largest k such that 2^k divides a - 1 and the block
    ends at b or before; then COMPOSE(a + 2^k, b) if that is not empty

k is the level of a block. While divisibility limits it, levels rise; once the length limits it, they fall.
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.momentum_agg import compose
from dpverify.relations import AtMost, Equal, Induction, Tested
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.setting import log2
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness

a, b, n, q = (sp.Symbol(name, integer=True, positive=True) for name in ("a", "b", "n", "q"))
h, j, k, r, up, down = (
    sp.Symbol(name, integer=True, nonnegative=True) for name in ("h", "j", "k", "r", "p", "d")
)
i = sp.Symbol("i", integer=True, positive=True)
even, odd = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("v", "w"))
# Along the blocks of COMPOSE: the steps before a block, the half of an odd quotient, the levels that rise,
# those that fall, and the steps that are left.
start, half, rising, falling, left = (
    sp.IndexedBase(name, integer=True, nonnegative=True) for name in ("x", "h", "u", "v", "y")
)


@claim(PAPER, "alg-3", at="Algorithm 3", kind="algorithm property")
def the_largest_block_exists():
    """On every a <= b Algorithm 3 is defined and ends: k = 0 is admissible; if 2^k divides a - 1 so does 2^j
    for j <= k; an admissible k has 2^k <= b-a+1, so that it is at most floor(log2(b-a+1)) (power-level); a
    block that starts at h 2^k + 1 is the node [h 2^k + 1, (h+1) 2^k], and the next one starts right behind
    it, further on.
    """
    length = b - a + 1
    return AllOf(
        AtMost(a + 2**k - 1, b, given=[sp.Eq(k, 0), a <= b]),
        Equal(h * 2**k, (h * 2 ** (k - j)) * 2**j, given=[j <= k]),
        AtMost(2**k, length, given=[a + 2**k - 1 <= b]),
        Equal((h * 2**k + 1) + 2**k - 1, (h + 1) * 2**k),
        AtMost(a, a + 2**k, strict=True),
    )


@claim(PAPER, "alg-3-empty", at="Algorithm 4 calls COMPOSE(1, 0)", kind="algorithm property", standing="ours")
def an_empty_interval_has_no_block():
    """For COMPOSE(1, 0), which Algorithm 4 asks for at every t = qN, no k is admissible: 0 < 1 + 2^k - 1. It
    has to be read as no interval.
    """
    return AtMost(0, 1 + 2**k - 1, strict=True)


@claim(PAPER, "alg-3-cover", at="Algorithm 3, disjoint and all of [a, b]", kind="identity", standing="ours")
def the_blocks_cover_the_interval():
    """If q blocks of s_i steps start right behind one another, x_(i+1) = x_i + s_i, from x_1 + 1 = a to
    x_(q+1) = b, they have b - a + 1 steps together: all of [a, b], each once.
    """
    x, s = sp.IndexedBase("x", real=True), sp.IndexedBase("s", positive=True)
    behind = ForEvery(Equal(x[i + 1], x[i] + s[i]), i, 1, q)
    return (
        Theorem(
            given=[behind, sp.Eq(x[1], a - 1), sp.Eq(x[q + 1], b)],
            shows=Equal(sp.Sum(s[i], (i, 1, q)), b - a + 1),
        )
        .sum(Equal(s[i], x[i + 1] - x[i]), (i, 1, q), "each block")
        .have(Equal(sp.Sum(x[i + 1] - x[i], (i, 1, q)), x[q + 1] - x[1]), "it telescopes")
    )


@claim(PAPER, "power-order", at="Powers of two", kind="inequality", standing="ours")
def powers_of_two_increase():
    """2^j <= 2^k for whole j <= k."""
    return AtMost(2**j, 2**k, given=[j <= k])


@claim(PAPER, "power-level", at="The largest power of two", kind="inequality", standing="ours")
def a_power_of_two_is_at_most_its_number():
    """If 2^k <= n, then k <= floor(log2 n)."""
    return Theorem(given=[2**k <= n], shows=AtMost(k, sp.floor(log2(n)))).have(
        AtMost(k, log2(n)), "logarithms"
    )


@claim(
    PAPER,
    "power-between",
    at="A number between two powers of two",
    kind="inequality",
    uses=["power-order"],
    standing="ours",
)
def a_number_between_two_powers_of_two():
    """If 2^j <= r < 2^k, then j + 1 <= k."""
    return (
        Theorem(given=[2**j <= r, r < 2**k], shows=AtMost(j + 1, k))
        .use("power-order", "if j were k or more", when=j >= k, j=k, k=j)
        .cases(j + 1 <= k, j >= k)
    )


@claim(PAPER, "even-odd", at="Even and odd numbers", kind="inequality", standing="ours")
def an_odd_number_is_not_even():
    """2 w + 1 and 2 v differ by 1 at least."""
    return Theorem(shows=AtMost(1, (2 * odd + 1 - 2 * even) ** 2)).cases(even <= odd, even >= odd + 1)


@claim(
    PAPER,
    "even-odd-multiples",
    at="Odd multiples of a power of two",
    kind="inequality",
    uses=["even-odd"],
    standing="ours",
)
def an_odd_multiple_is_no_multiple_of_a_higher_power():
    """(2 w + 1) 2^j and 2 h 2^(j+r) differ by 2^j at least."""
    apart = (2 * odd + 1) * 2**j - 2 * h * 2 ** (j + r)
    return (
        Theorem(shows=AtMost(4**j, apart**2))
        .use("even-odd", "the factors", w=odd, v=h * 2**r)
        .have(Equal(apart**2, 4**j * (2 * odd + 1 - 2 * h * 2**r) ** 2), "the factor 2^j")
    )


@claim(
    PAPER,
    "odd-multiple",
    at="An odd multiple of one power of two that is an even multiple of another",
    kind="inequality",
    uses=["even-odd-multiples"],
    standing="ours",
)
def an_odd_multiple_is_of_a_higher_power():
    """If (2 w + 1) 2^j = 2 h 2^k, then k + 1 <= j."""
    return (
        Theorem(given=[sp.Eq((2 * odd + 1) * 2**j, 2 * h * 2**k)], shows=AtMost(k + 1, j))
        .use("even-odd-multiples", "if j were k or less", when=j <= k, r=k - j)
        .cases(j >= k + 1, j <= k)
    )


def limited_by_divisibility():
    """p + 1 blocks one behind the other, x_i the steps before block i, u_i its level: x_i is an odd multiple
    of 2^(u_i), so that no higher power divides it.
    """
    return [
        ForEvery(Equal(start[i], (2 * half[i] + 1) * 2 ** rising[i]), i, 1, up),
        ForEvery(Equal(start[i + 1], (2 * half[i + 1] + 1) * 2 ** rising[i + 1]), i, 1, up),
        ForEvery(Equal(start[i + 1], start[i] + 2 ** rising[i]), i, 1, up),
    ]


def limited_by_length():
    """d + 1 blocks one behind the other, y_i the steps that are left before block i, v_i its level: 2^(v_i)
    is the largest power up to y_i.
    """
    return [
        2 ** falling[1] <= left[1],
        ForEvery(AtMost(2 ** falling[i + 1], left[i + 1]), i, 1, down),
        ForEvery(AtMost(left[i], 2 * 2 ** falling[i], strict=True), i, 1, down),
        ForEvery(Equal(left[i + 1], left[i] - 2 ** falling[i]), i, 1, down),
    ]


@claim(
    PAPER,
    "compose-up",
    at="Proposition 18, while divisibility limits the block",
    kind="inequality",
    uses=["odd-multiple", "power-level"],
    standing="ours",
)
def levels_rise_while_divisibility_limits_them():
    """p + 1 blocks that divisibility limits, the last of at most n steps, are at most 1 + floor(log2 n):
    x_(i+1) = (2 h_i + 1) 2^(u_i) + 2^(u_i) = 2 (h_i + 1) 2^(u_i) is an odd multiple of 2^(u_(i+1)), so that
    u_(i+1) >= u_i + 1.
    """
    return (
        Theorem(
            given=[*limited_by_divisibility(), 2 ** rising[up + 1] <= n],
            shows=AtMost(up + 1, 1 + sp.floor(log2(n))),
        )
        .use(
            "odd-multiple",
            "each block is of a higher level",
            over=(i, 1, up),
            w=half[i + 1],
            j=rising[i + 1],
            k=rising[i],
            h=half[i] + 1,
        )
        .unroll(-rising[i], 1, -1, (i, 1, up), "p levels")
        .use("power-level", "the last level", k=rising[up + 1])
    )


@claim(
    PAPER,
    "compose-down",
    at="Proposition 18, once the length limits the block",
    kind="inequality",
    uses=["power-between", "power-level"],
    standing="ours",
)
def levels_fall_once_the_length_limits_them():
    """d + 1 blocks that the length limits, with at most n steps left before the first, are at most 1 +
    floor(log2 n): 2^(v_(i+1)) <= y_(i+1) = y_i - 2^(v_i) < 2^(v_i), so that v_(i+1) <= v_i - 1.
    """
    return (
        Theorem(given=[*limited_by_length(), left[1] <= n], shows=AtMost(down + 1, 1 + sp.floor(log2(n))))
        .use(
            "power-between",
            "each block is of a lower level",
            over=(i, 1, down),
            j=falling[i + 1],
            k=falling[i],
            r=left[i + 1],
        )
        .unroll(falling[i], 1, -1, (i, 1, down), "d levels")
        .use("power-level", "the first level", k=falling[1])
    )


@claim(
    PAPER,
    "compose-turn",
    at="Proposition 18, from the first block on that the length limits",
    kind="inequality",
    uses=["power-between", "even-odd-multiples"],
    standing="ours",
)
def the_length_limits_every_later_block():
    """If the length limits the block of level k, y < 2 2^k, the next one, 2^j <= y - 2^k, has a level j < k;
    and then its start, (h + 1) 2^k steps on, is no odd multiple of 2^j: not divisibility but the length
    limits it too.
    """
    return (
        Theorem(
            given=[n < 2 * 2**k, 2**j <= n - 2**k],
            shows=AllOf(AtMost(j + 1, k), AtMost(4**j, ((2 * odd + 1) * 2**j - (h + 1) * 2**k) ** 2)),
        )
        .use("power-between", "the next level", r=n - 2**k)
        .use("even-odd-multiples", "the next start", h=h + 1, r=k - j - 1)
    )


@claim(
    PAPER,
    "prop-18",
    at="Proposition 18, the count, for blocks that divisibility limits and then the length",
    kind="inequality",
    uses=["alg-3", "alg-3-cover", "compose-up", "compose-down", "compose-turn"],
)
def compose_has_at_most_twice_one_plus_log_intervals():
    """COMPOSE(a, b) with b - a + 1 = n has at most 2 (1 + floor(log2 n)) intervals, and at most 1 +
    floor(log2 b) if a = 1.

    The level k of a block is the largest with 2^k dividing the a - 1 steps before it and 2^k <= b - a + 1: so
    either a - 1 is an odd multiple of 2^k, or b - a + 1 < 2^(k+1). From the first block on that the length
    limits it limits all (compose-turn): first there are p + 1 blocks that divisibility limits, then d + 1
    that the length limits (a run may be missing: compose-up, compose-down alone). At a = 1 every 2^k divides
    a - 1 = 0, and there is the second run alone (the second part). That the intervals are nodes is alg-3,
    that they are disjoint and cover [a, b] alg-3-cover.
    """
    top = sp.floor(log2(n))
    first = [*limited_by_divisibility(), 2 ** rising[up + 1] <= n]
    second = [*limited_by_length(), left[1] <= n]
    return AllOf(
        Theorem(given=[*first, *second], shows=AtMost((up + 1) + (down + 1), 2 * (1 + top)))
        .use("compose-up", "the first run")
        .use("compose-down", "the second run"),
        Theorem(given=second, shows=AtMost(down + 1, 1 + top)).use("compose-down", "the second run alone"),
    )


@claim(
    PAPER,
    "prop-18-run",
    at="Proposition 18, run",
    kind="inequality",
    uses=["prop-18"],
    standing="ours",
    expect=SUPPORTED,
)
def compose_counted_on_every_small_interval(effort: Effort):
    """Proposition 18, and that levels rise strictly and then fall strictly, on every interval [a, b] with b
    <= 96 (quick) or 400 (full), by running Algorithm 3.
    """
    most = 96 if effort.name == "quick" else 400

    def fails(first: int, final: int) -> bool:
        parts = compose(first, final)
        sizes = [y - x + 1 for x, y in parts]
        dyadic = all(size & (size - 1) == 0 and (x - 1) % size == 0 for (x, _), size in zip(parts, sizes))
        joined = parts[0][0] == first and parts[-1][1] == final
        joined = joined and all(later[0] == early[1] + 1 for early, later in pairwise(parts))
        few = len(parts) <= 2 * (final - first + 1).bit_length()
        few = few and (first > 1 or len(parts) <= final.bit_length())
        turn = next((at for at, (x, y) in enumerate(pairwise(sizes)) if x >= y), len(sizes)) + 1
        rises = all(x < y for x, y in pairwise(sizes[:turn]))
        falls = all(x > y for x, y in pairwise(sizes[turn:]))
        return not (dyadic and joined and few and rises and falls)

    def run(effort: Effort) -> Result:
        for final in range(1, most + 1):
            for first in range(1, final + 1):
                if fails(first, final):
                    shown = f"COMPOSE(a, b) = {compose(first, final)}"
                    witness = Witness({"a": str(first), "b": str(final)}, shown, "Proposition 18")
                    return Result(REFUTED, f"it fails at [{first}, {final}]", witness=witness)
        count = most * (most + 1) // 2
        ceiling = f"a counterexample with b <= {most} would have been found"
        evidence = Evidence("enumeration", samples=count, ceiling=ceiling)
        return Result(SUPPORTED, f"it holds on each of the {count} intervals with b <= {most}", evidence)

    return Tested("Proposition 18 on every small interval", run)


@claim(PAPER, "alg-4", at="Algorithm 4", kind="algorithm property", uses=["alg-3-empty"])
def the_printed_loop_is_eq_3():
    """What the loop over i = 0..q-1 of Algorithm 4 adds up is the two sums of Eq (3): its round i = 0 has the
    empty sum c_0 = 0 for coefficient (of a block t+1..t+N that is not there yet, and has to be left out).

    X_i is (1-gamma) Delta + gamma G of block i, A the first block, v_i its coefficient.
    """
    c, blocks, v = (sp.IndexedBase(name, real=True) for name in ("c", "X", "v"))
    first = sp.Symbol("A", real=True)
    loop = sp.Sum(c[j] * blocks[j] + v[j] * first, (j, 0, q - 1))
    stated = sp.Sum(v[j], (j, 0, q - 1)) * first + sp.Sum(c[j] * blocks[j], (j, 1, q - 1))
    return (
        Theorem(given=[sp.Eq(c[0], 0)], shows=Equal(loop, stated))
        .have(
            Equal(loop, sp.Sum(c[j] * blocks[j], (j, 0, q - 1)) + first * sp.Sum(v[j], (j, 0, q - 1))),
            "split",
        )
        .have(
            Equal(
                sp.Sum(c[j] * blocks[j], (j, 0, q - 1)),
                c[0] * blocks[0] + sp.Sum(c[j] * blocks[j], (j, 1, q - 1)),
            ),
            "the round i = 0",
        )
    )


@claim(PAPER, "alg-4-fast", at="Algorithm 4, in O(log T) a step", kind="identity", standing="ours")
def the_fast_reconstruction_is_the_literal_one():
    """B_1 = A, B_(q+1) = (1-gamma) B_q + X_(q+1) and S_0 = G[1,r], S_(q+1) = rho S_q + B_(q+1), one step for
    each epoch, give what Eq (3) gives, for every q >= 1, whatever the blocks A, X_k hold (noise too).

    Blocks are counted from the first; c_m = sum_{j<m} (1-gamma)^j rho^(m-1-j) is ((1-gamma)^m -
    rho^m)/((1-gamma) - rho), or m (1-gamma)^(m-1) where rho = 1-gamma (the last two parts).
    """
    kept, rho = sp.symbols("beta rho", positive=True)  # 1 - gamma and (1-alpha)^N
    start, first, value = sp.symbols("S_0 A B", real=True)
    X = sp.IndexedBase("X", real=True)
    apart = [sp.Ne(rho, kept), kept < 1]

    def c(m):
        return (kept**m - rho**m) / (kept - rho)

    def together(m):
        return m * kept ** (m - 1)

    def gathered(m):
        return kept ** (m - 1) * first + sp.Sum(kept ** (m - k) * X[k], (k, 2, m))

    def stated(m, c, rho):
        return rho**m * start + c(m) * first + sp.Sum(c(m - k + 1) * X[k], (k, 2, m))

    return AllOf(
        Equal(sp.Sum((kept / rho) ** j, (j, 0, q - 1)) * rho ** (q - 1), c(q), apart),
        Induction(
            Equal(value, gathered(q)), value=value, over=q, start=1, first=first, next=kept * value + X[q + 1]
        ),
        Equal(stated(sp.Integer(1), c, rho), rho * start + first, apart),
        Equal(stated(q + 1, c, rho), rho * stated(q, c, rho) + gathered(q + 1), apart),
        Equal(sp.Sum(kept**j * kept ** (q - 1 - j), (j, 0, q - 1)), together(q)),
        Equal(stated(q + 1, together, kept), kept * stated(q, together, kept) + gathered(q + 1)),
    )


@claim(
    PAPER,
    "alg-4-fast-nodes",
    at="Algorithm 4, nodes that the fast form asks for",
    kind="inequality",
    uses=["prop-18", "alg-4-fast"],
    standing="ours",
)
def nodes_of_one_step_of_the_fast_reconstruction():
    """A step of the fast form asks for G and Delta over the last N steps, at most 2 (1 + floor(log2 N)) nodes
    each, and for r over 1..t, at most 1 + floor(log2 t) nodes (Proposition 18): 5 + 4 log2 N + log2 T in all,
    where Algorithm 4 goes through up to T/N blocks.
    """
    T, N, t = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "N", "t"))
    asked = 2 * 2 * (1 + sp.floor(log2(N))) + 1 + sp.floor(log2(t))
    return (
        Theorem(given=[t <= T], shows=AtMost(asked, 5 + 4 * log2(N) + log2(T)))
        .have(AtMost(sp.floor(log2(t)), log2(T)), "t <= T")
        .have(AtMost(sp.floor(log2(N)), log2(N)), "a floor")
    )
