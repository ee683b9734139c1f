"""Quotients of whole numbers, rounded; binomials; facts for every index. Each with a false twin."""

import pytest
import sympy as sp

from dpverify.proving import prove
from dpverify.relations import AtMost, Equal
from dpverify.theorems import ForEvery, Theorem
from dpverify.verdicts import PROVED, REFUTED

R, T, a, j = (sp.Symbol(name, integer=True, positive=True) for name in "RTaj")
restarts = sp.ceiling(R / T)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (AtMost(restarts, R), AtMost(restarts, R - 1)),
        (AtMost(restarts, sp.floor((R - 1) / T) + 1), AtMost(restarts, sp.floor(R / T))),
        (AtMost(sp.floor((R - 1) / T) + 1, restarts), AtMost(sp.floor(R / T) + 1, restarts)),
        (AtMost(restarts * T, R + T - 1), AtMost(restarts * T, R + T - 2)),
        (AtMost(sp.binomial(a, j), a**j / 6, [j >= 3]), AtMost(sp.binomial(a, j), a**j / 7, [j >= 3])),
        (AtMost(sp.binomial(a, j), a**j), AtMost(sp.binomial(a, j), j**a)),
    ],
)
def test_rounded_quotients_and_binomials(true, false):
    assert prove(true).verdict is PROVED
    assert prove(false).verdict is REFUTED


def test_a_point_that_cannot_be_judged_does_not_end_the_search():
    """At T = 2, where the search looks first, no enclosure says what ceiling(log2 T) is."""
    power = 2 ** sp.ceiling(sp.log(T) / sp.log(2))
    assert prove(AtMost(power, 2 * T - 3, [T >= 2])).witness.let == {"T": "3"}
    assert prove(AtMost(power, 2 * T - 1)).verdict is not REFUTED


def test_a_quotient_of_reals_is_not_rounded_as_one_of_whole_numbers():
    x = sp.Symbol("x", positive=True)
    assert prove(AtMost(sp.ceiling(x / T) * T, x + T, strict=True)).verdict is PROVED
    assert prove(AtMost(sp.ceiling(x / T) * T, x + T - 1)).verdict is REFUTED


def test_a_fact_for_every_index_is_shown_before_it_is_used():
    w, v = (sp.IndexedBase(name, nonnegative=True) for name in "wv")
    limits = (j, 1, R)
    small = ForEvery(AtMost(w[j], 2), *limits)
    wanted = AtMost(sp.Sum(w[j] * v[j], limits), sp.Sum(2 * v[j], limits))
    product = ForEvery(AtMost(w[j] * v[j], 2 * v[j]), *limits)
    proof = Theorem(given=[small], shows=wanted).have(product, "times v")
    assert prove(proof.sum(AtMost(w[j] * v[j], 2 * v[j]), limits, "added")).verdict is PROVED
    wrong = Theorem(given=[small], shows=wanted).have(ForEvery(AtMost(w[j] * v[j], v[j]), *limits), "no")
    assert prove(wrong.sum(AtMost(w[j] * v[j], 2 * v[j]), limits, "added")).verdict is not PROVED


def test_how_many_rounds_restart():
    both = Theorem(shows=Equal(sp.floor((R - 1) / T) + 1, restarts))
    both = both.have(AtMost(sp.floor((R - 1) / T) + 1, restarts), "at most")
    assert prove(both.have(AtMost(restarts, sp.floor((R - 1) / T) + 1), "at least")).verdict is PROVED
