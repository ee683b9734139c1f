"""The weights and costs of trees that Theorem 8 is proved with, against all places of a record."""

from itertools import product

import pytest

from dpverify.symbolic.momentum_agg.reduced import binary_digits, exact_cost, heaviest


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
