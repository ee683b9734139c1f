"""Appendix F: Proposition 16, the weights of the blocks of COMPOSE.

F(s) = sum_i b_i gamma^(2 (s mod 2^i)),  b_R ... b_0 the bits of s
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.relations import AtMost, Equal, Tested
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.compose import h, i, k, r
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import SUPPORTED, UNDECIDED, Evidence, Result

gamma, alpha = sp.symbols("gamma alpha", positive=True)


@claim(PAPER, "p16-pow", at="Proposition 16, proof: 2 (2^i - 1) >= 2^i", kind="inequality")
def powers_of_gamma():
    """gamma^(2 (2^i - 1)) <= gamma^(2^i) for gamma < 1 and i >= 1."""
    return AtMost(gamma ** (2 * (2**i - 1)), gamma ** (2**i), given=[gamma < 1])


@claim(PAPER, "p16-shift", at="Proposition 16, proof: F(s) <= F(s')", kind="monotonicity")
def a_gap_in_the_bits_can_be_closed():
    """If bit j of s is 0, s = A + 2 C with A < 2^j and 2^j dividing C, closing the gap gives s' = A + C: the
    bit i >= j of s' is the bit i + 1 of s, and its term gamma^(2 (A + C mod 2^i)) is at least that of s,
    gamma^(2 (A + 2 (C mod 2^i))). r is C mod 2^i, with C = h 2^i + r: 2C mod 2^(i+1) = 2r.
    """
    A = sp.Symbol("A", integer=True, nonnegative=True)
    return AllOf(
        AtMost(gamma ** (2 * (A + 2 * r)), gamma ** (2 * (A + r)), given=[gamma < 1]),
        Equal(2 * (h * 2**k + r), h * 2 ** (k + 1) + 2 * r),
        AtMost(2 * r, 2 ** (k + 1), given=[r < 2**k], strict=True),
    )


@claim(PAPER, "p16-bit", at="Proposition 16: the lowest bit", kind="identity", standing="ours")
def the_lowest_bit_is_split_off():
    """For s = 2 s' + b, b = 0 or 1: s mod 2^(k+1) = b + 2 (s' mod 2^k), so that F(s) with gamma is b +
    gamma^(2b) times F(s') with gamma^2. (s' = h 2^k + r.)
    """
    bit = sp.Symbol("b", integer=True, nonnegative=True)
    return AllOf(
        Equal(2 * (h * 2**k + r) + bit, h * 2 ** (k + 1) + (bit + 2 * r)),
        AtMost(bit + 2 * r, 2 ** (k + 1), given=[r < 2**k, bit <= 1], strict=True),
        Equal(gamma ** (2 * (bit + 2 * r)), gamma ** (2 * bit) * (gamma**2) ** (2 * r)),
    )


@claim(PAPER, "prop-16", at="Proposition 16", kind="inequality", uses=["p16-bit"])
def discounted_bits_are_at_most_a_doubly_exponential_sum():
    """For gamma in (0, 1) and s with bits b_R = 1, ..., b_0: sum_i b_i gamma^(2 (s mod 2^i)) <= 1 + g_1 + ...
    + g_R, where g_1, ..., g_R are gamma^(2^R), ..., gamma^(2^1), any numbers in (0, 1].

    Read from the top bit down (p16-bit), F is 1 after the bit b_R, and bit b with g takes F to b +
    (gamma^(2b)) F = b + (1 - b + b g) F, never below 1. (With leading zeros F is that of fewer bits.)
    """
    F, g = sp.IndexedBase("F", positive=True), sp.IndexedBase("g", positive=True)
    bits, R = sp.IndexedBase("b", nonnegative=True), sp.Symbol("R", integer=True, nonnegative=True)
    x, bit, ratio = sp.symbols("x b g", nonnegative=True)

    def after(bit, ratio, value):
        return bit + (1 - bit + bit * ratio) * value

    given = [
        ForEvery(Equal(F[i + 1], after(bits[i], g[i], F[i])), i, 1, R),
        ForEvery(AtMost(bits[i], 1), i, 1, R),
        ForEvery(AtMost(g[i], 1), i, 1, R),
        ForEvery(AtMost(1, F[i]), i, 1, R),
        sp.Eq(F[1], 1),
    ]
    return AllOf(
        Theorem(given=given, shows=AtMost(F[R + 1], 1 + sp.Sum(g[i], (i, 1, R)))).unroll(
            F[i], 1, g[i], (i, 1, R), "a bit adds at most its g"
        ),
        AtMost(1, after(bit, ratio, x), given=[bit <= 1, x >= 1]),
    )


@claim(
    PAPER,
    "prop-16-run",
    at="Proposition 16, run",
    kind="inequality",
    uses=["prop-16"],
    standing="ours",
    expect=SUPPORTED,
)
def bits_of_every_small_number():
    """Proposition 16 for every s < 1024 with its own R and gamma = .05, .1, ..., .95, by the printed sums."""

    def run(effort: Effort) -> Result:
        gammas, worst = np.arange(1, 20) / 20, 0.0
        for s in range(1, 1024):
            R = s.bit_length() - 1
            left = sum(gammas ** (2 * (s % 2**bit)) for bit in range(R + 1) if s >> bit & 1)
            right = 1 + sum((gammas ** (2**bit) for bit in range(1, R + 1)), np.zeros(len(gammas)))
            worst = max(worst, float(np.max(left / right)))
        evidence = Evidence(
            "enumeration", samples=1023 * 19, ceiling="a sum above its bound for one of these s and gamma"
        )
        said = f"the sum is at most {worst:.12g} of its bound (1 at s = 1, 3: the rest is below)"
        return Result(SUPPORTED if worst <= 1 + 1e-12 else UNDECIDED, said, evidence)

    return Tested("Proposition 16 on every s < 1024", run)
