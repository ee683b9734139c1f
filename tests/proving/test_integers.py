"""Whole numbers: products and quotients of whole unknowns, floors and ceilings, each with a false twin."""

import pytest
import sympy as sp

from dpverify.proving import prove
from dpverify.relations import AtMost
from dpverify.verdicts import PROVED, REFUTED

N, t, y, z = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "t", "y", "z"))
k, m = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("k", "m"))
x = sp.Symbol("x", positive=True)
EPOCH = sp.floor((t - 1) / N)

TRUE = {
    "a strict comparison of products of whole numbers leaves room for one": AtMost(t, k * N, [t - 1 < k * N]),
    "what is whole and at most x is at most its floor": AtMost(m, sp.floor(x), [m <= x]),
    "the place of a step in its epoch": AtMost(t - EPOCH * N, N),
    "the first epoch that begins in a long interval ends in it": AtMost(
        sp.ceiling((y - 1) / N) * N + N, z, [z - y >= 2 * N - 2]
    ),
    "a number that is not whole beside whole ones": AtMost(m + 1, k, [m < x, x < k]),
}
FALSE = {
    "x is not whole": AtMost(x, k * N, [x - 1 < k * N]),
    "one more": AtMost(m + 1, sp.floor(x), [m <= x]),
    "a place less": AtMost(t - EPOCH * N, N - 1),
    "a step less": AtMost(sp.ceiling((y - 1) / N) * N + N, z, [z - y >= 2 * N - 3]),
    "two more": AtMost(m + 2, k, [m < x, x < k]),
}


@pytest.mark.parametrize("name", TRUE)
def test_truths_are_proved(name):
    result = prove(TRUE[name])
    assert result.verdict is PROVED, result.because


@pytest.mark.parametrize("name", FALSE)
def test_their_false_twins_are_refuted(name):
    assert prove(FALSE[name]).verdict is REFUTED
