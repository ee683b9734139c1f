"""The weights and costs of trees that Theorem 8 is proved with, against all places of a record; and runs that
stand beside bounds notice one that is too small.
"""

from itertools import product

import pytest

from dpverify.effort import QUICK
from dpverify.symbolic.momentum_agg.runs import (
    _near_the_bound,
    _noise_of_algorithm_1,
    _noise_of_algorithm_2,
    _sampling,
)
from dpverify.symbolic.momentum_agg.theorem_8 import binary_digits, exact_cost, heaviest
from dpverify.verdicts import SUPPORTED, UNDECIDED


def weights_of_all_nodes(count, level):
    """What the occurrences of a record weigh in a node of that level, for every node and every order."""
    length, kept = 2**level, 1 - 1 / count
    for first in range(1, count * length + 1, length):
        last = first + length - 1
        epochs = range((first - 1) // count, (last - 1) // count + 1)
        for places in product(range(1, count + 1), repeat=len(epochs)):
            steps = [epoch * count + place for epoch, place in zip(epochs, places)]
            yield sum(kept ** (last - step) for step in steps if first <= step <= last)


@pytest.mark.parametrize(("count", "level"), [(2, 2), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3), (7, 3)])
def test_no_place_of_a_record_weighs_more_than_the_heaviest(count, level):
    assert max(weights_of_all_nodes(count, level)) == pytest.approx(float(heaviest(count, level)))
    assert heaviest(count, level) <= heaviest(count)


def test_digits_are_below_the_logarithm():
    for count in range(2, 64):
        power = int(1000 * binary_digits(count))
        assert 2**power <= count**1000 < 2 ** (power + 1)


@pytest.mark.parametrize(("count", "steps"), [(2, 24), (3, 13), (3, 24), (5, 21)])
def test_three_trees_cost_less_than_theorem_8_says(count, steps):
    assert exact_cost(count, steps, 1 / count, reduced=True) < 3


@pytest.mark.parametrize(
    ("case", "factor"),
    [
        (_noise_of_algorithm_1(5, 15), 2),
        (_noise_of_algorithm_2(2, 2, 100.0), 5),
        (_sampling(100, 40, 0.1, alike=False), 8),
    ],
)
def test_a_bound_that_is_too_small_is_noticed(case, factor):
    assert _near_the_bound([case], QUICK).verdict is SUPPORTED
    smaller = case._replace(bounds=case.bounds / factor)
    assert _near_the_bound([smaller], QUICK).verdict is UNDECIDED


def test_a_printed_bound_that_holds_is_not_said_to_fail():
    case = _noise_of_algorithm_1(63, 63, above=True)  # from one epoch on Lemma 12 holds as printed
    assert _near_the_bound([case], QUICK).verdict is UNDECIDED
