"""The search finds the pair that a bug needs; shrinking keeps only what the violation needs, each step
refuted on its own.
"""

import functools

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing.search import worst_drawn, worst_neighbours
from dpverify.guarantees import GDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT
from dpverify.verdicts import REFUTED, SUPPORTED


def clipped_but_for_the_last(data, rng):
    rows = np.array(data)
    rows[:, :-1] = np.clip(rows[:, :-1], -1, 1)
    return rows.sum(axis=0) + 4 * rng.normal(size=rows.shape[1])


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE, ZERO_OUT])
def test_search_finds_the_coordinate_without_a_clip(adjacency):
    pair = worst_neighbours(clipped_but_for_the_last, np.zeros((3, 3)), adjacency)
    assert pair.adjacency is adjacency
    assert max(np.abs(pair.data[:, -1]).max(), np.abs(pair.other[:, -1]).max()) > 20
    assert (
        audit(clipped_but_for_the_last, pair, GDP(1.0), budget=Budget(runs=300), smaller=False).verdict
        is REFUTED
    )


def test_search_takes_records_from_a_generator():
    pair = worst_neighbours(
        clipped_but_for_the_last,
        np.zeros((3, 3)),
        REPLACE,
        draw_record=lambda rng: rng.normal(size=3),
        tries=40,
    )
    assert pair.other.shape == (3, 3)
    with pytest.raises(ValueError, match="tries=0"):
        worst_neighbours(clipped_but_for_the_last, np.zeros((3, 3)), REPLACE, tries=0)


def test_hypothesis_searches_for_pairs():
    from dpverify.strategies import datasets, neighbours

    pair = worst_drawn(clipped_but_for_the_last, neighbours(datasets(width=2)), tries=60)
    assert (
        audit(clipped_but_for_the_last, pair, GDP(1.0), budget=Budget(runs=300), smaller=False).verdict
        is REFUTED
    )


def descend(data, rng, runs, steps):
    x = np.zeros((runs, data.shape[1]))
    for _ in range(steps):
        x = x - 0.5 * ((x[:, None] - data).sum(axis=1) + rng.normal(size=x.shape))
    return x


def test_a_violation_is_made_small():
    pair = Neighbours.replace(np.random.default_rng(0).normal(size=(9, 3)), 4, [8.123, 0.5, 0.25])
    result = audit(functools.partial(descend, steps=6), pair, GDP(0.5), budget=Budget(runs=3000))
    assert result.verdict is REFUTED
    assert np.shape(result.witness.exact["data"]) == (1, 1)
    values = np.ravel([result.witness.exact["data"], result.witness.exact["other"]])
    assert np.array_equal(values, np.rint(values))


def test_nothing_is_shrunk_that_is_not_refuted():
    pair = Neighbours.replace(np.zeros((2, 1)), 0, [0.1])
    result = audit(functools.partial(descend, steps=1), pair, GDP(0.5), budget=Budget(runs=500))
    assert result.verdict is SUPPORTED
    assert result.witness is None
