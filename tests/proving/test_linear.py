"""The search of `linear` multiplies powers where its checker multiplies expressions: both say the same."""

from __future__ import annotations

import itertools

import sympy as sp

from dpverify.effort import QUICK
from dpverify.proving import linear, prove
from dpverify.proving.evaluate import rational
from dpverify.relations import AtMost, Equal
from dpverify.verdicts import PROVED, REFUTED

x, y = sp.symbols("x y", positive=True)
n, T = sp.symbols("n T", integer=True, positive=True)
t = sp.Symbol("t", integer=True)
q = sp.IndexedBase("q", positive=True)
FACTORS = [
    x - 1,
    1 / x - y**2 / 3,
    sp.sqrt(x) + sp.sqrt(2) * y,
    sp.sqrt(2) - x / y,
    sp.sqrt(x + y) - 2,
    x**n - y * x ** (n + 1),
    sp.log(x) ** 2 - sp.ceiling(y),
    sp.exp(-x) + 1,
    q[t] - sp.Sum(q[t], (t, 1, T)),
    sp.Sum(q[t], (t, 1, T)) * x - 1,
    sp.Integer(0),
]


def test_powers_multiply_as_the_checker_multiplies():
    for first, second in itertools.combinations_with_replacement(FACTORS, 2):
        by_checker = {
            linear._powers(term): rational(c) for term, c in linear._multiplied(first, second) if c != 0
        }
        assert linear._product(first, second) == by_checker, (first, second)


def test_a_combination_of_products_is_found_and_one_that_is_none_is_not():
    given = [x >= 1, y >= 2]
    assert linear.attempt(AtMost(2 * x + y - 2, x * y, given), QUICK).content["products"]
    assert prove(AtMost(2 * x + y - 2, x * y, given)).verdict is PROVED
    assert prove(AtMost(2 * x + y - 2 + sp.Rational(1, 10**9), x * y, given)).verdict is REFUTED


def test_a_difference_that_vanishes_needs_no_multipliers():
    total = sp.Sum(q[t], (t, 1, T))
    same = Equal(x * total, sp.Sum(x * q[t], (t, 1, T)), [x <= 1])
    assert linear.attempt(same, QUICK).content["below"] == {}
