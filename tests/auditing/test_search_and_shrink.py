"""The search finds the pair that a bug needs; shrinking keeps only what the violation needs, each step
refuted on its own.
"""

import functools

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing.search import worst_drawn, worst_neighbours
from dpverify.guarantees import GDP, PureDP
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
    result = audit(functools.partial(descend, steps=6), pair, GDP(0.5), budget=Budget(runs=3000), public=())
    assert result.verdict is REFUTED
    assert np.shape(result.witness.exact["data"]) == (1, 1)
    values = np.ravel([result.witness.exact["data"], result.witness.exact["other"]])
    assert np.array_equal(values, np.rint(values))


def test_nothing_is_shrunk_that_is_not_refuted():
    pair = Neighbours.replace(np.zeros((2, 1)), 0, [0.1])
    result = audit(functools.partial(descend, steps=1), pair, GDP(0.5), budget=Budget(runs=500))
    assert result.verdict is SUPPORTED
    assert result.witness is None


def noisy_mean(data, rng, runs):
    return data.mean() + rng.normal(size=(runs, 1)) / 4


@pytest.mark.parametrize("public", [None, ("records",)])
def test_what_is_public_stays_when_a_violation_is_made_small(public):
    """With 8 records the mean is 2-GDP as claimed, with fewer it is not: no witness may say so."""
    pair = Neighbours.replace(np.linspace(0, 1, 8)[:, None], 3, [8.0])
    result = audit(noisy_mean, pair, GDP(2.0), budget=Budget(runs=3000), public=public)
    assert result.verdict is REFUTED
    assert len(result.witness.exact["data"]) == 8
    free = audit(noisy_mean, pair, GDP(2.0), budget=Budget(runs=3000), public=())
    assert len(free.witness.exact["data"]) < 8


def test_by_default_a_smaller_witness_holds_no_value_that_was_not_there():
    pair = Neighbours.replace(np.array([[0.31], [0.47], [0.62], [0.55]]), 0, [0.98])

    def in_the_unit_interval(data, rng, runs):
        assert (data >= 0.3).all() and (data <= 0.99).all()
        return 20 * data.sum() + rng.normal(size=(runs, 1))

    result = audit(in_the_unit_interval, pair, GDP(1.0), budget=Budget(runs=1000))
    exact = result.witness.exact
    assert set(np.ravel([exact["data"], exact["other"]])) <= {0.31, 0.47, 0.62, 0.55, 0.98}
    assert len(set(np.ravel(exact["data"]))) == 2


def test_under_add_remove_the_number_of_records_may_change():
    pair = Neighbours.add(np.zeros((6, 1)), [9.0])
    result = audit(lambda data, rng, runs: data.sum() + rng.normal(size=(runs, 1)), pair, GDP(1.0))
    assert len(result.witness.exact["data"]) < 6


def test_the_search_stays_where_records_are_drawn():
    def bounded_sum(data, rng):
        return data.sum() + rng.laplace()

    def draw(rng):
        return rng.uniform(0, 1, 1)

    pair = worst_neighbours(bounded_sum, np.full((3, 1), 0.5), REPLACE, draw_record=draw, tries=60)
    assert 0 <= pair.other.min() and pair.other.max() <= 1
    assert audit(bounded_sum, pair, PureDP(1.0), budget=Budget(runs=2000)).verdict is SUPPORTED
    pair = worst_neighbours(
        bounded_sum, np.full((3, 1), 0.5), REPLACE, domain=lambda record: 0 <= record[0] <= 1, tries=60
    )
    assert 0 <= pair.other.min() and pair.other.max() <= 1


def test_the_search_keeps_whole_numbers_and_labels_to_the_values_they_have():
    data = (np.array([[0], [1], [3]]), np.array(["a", "b", "a"]))
    pair = worst_neighbours(lambda data, rng: data[0].sum() + rng.normal(), data, REPLACE, tries=40)
    assert set(np.ravel(pair.other[0])) <= {0, 1, 3}
    assert set(pair.other[1]) <= {"a", "b"}


def test_with_a_claim_the_search_finds_a_pair_that_leaks_without_moving_the_mean():
    """A record that is 0 exactly is released without noise of its own: the mean stays, the spread shrinks."""

    def mechanism(data, rng, runs):
        spread = 0.2 if (np.abs(data) < 1e-9).any() else 1.0
        return spread * rng.standard_normal((runs, 1))

    data = np.linspace(1.0, 2.0, 5)[:, None]
    pair = worst_neighbours(mechanism, data, REPLACE, claim=PureDP(1.0), tries=20)
    assert (pair.other == 0).any()
    result = audit(mechanism, pair, PureDP(1.0), budget=Budget(runs=2000), smaller=False)
    assert result.verdict is REFUTED


@pytest.mark.parametrize("labels", [np.array([-1, 1, 1, -1]), np.array([-1.0, 1.0, 1.0, -1.0])])
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_with_a_claim_the_search_keeps_labels_to_the_values_they_have(adjacency, labels):
    def counted(data, rng):
        assert set(data[1].tolist()) <= {-1, 1}
        return (data[0].sum(axis=1) * data[1]).sum() + rng.laplace()

    features = np.random.default_rng(0).random((4, 2))
    pair = worst_neighbours(counted, (features, labels), adjacency, claim=PureDP(1.0), tries=20)
    assert np.isin(pair.other[1], [-1, 1]).all()


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_the_search_takes_texts(adjacency):
    def count(data, rng):
        return 9 * float((data == "a").sum()) + rng.laplace()

    pair = worst_neighbours(count, np.array(["a", "b", "a"]), adjacency, claim=PureDP(1.0), tries=20)
    assert audit(count, pair, PureDP(1.0), budget=Budget(runs=300)).verdict is REFUTED


def test_a_search_from_nothing_needs_records_to_add():
    def largest(data, rng):
        return 9 * data.max(initial=0) + rng.laplace()

    nothing = np.zeros((0, 1))
    with pytest.raises(ValueError, match="at least one record, or draw_record"):
        worst_neighbours(largest, nothing, ADD_REMOVE, claim=PureDP(1.0))
    pair = worst_neighbours(
        largest, nothing, ADD_REMOVE, claim=PureDP(1.0), draw_record=lambda rng: rng.random(1), tries=20
    )
    assert pair.other.shape == (1, 1)


def test_with_a_claim_hypothesis_searches_for_what_an_audit_gains():
    from dpverify.strategies import datasets, neighbours

    def louder_on_zeros(data, rng):  # moves no mean
        return (1 + 30 * (data == 0).all(axis=1).any()) * rng.laplace()

    pairs = neighbours(datasets(width=1))
    pair = worst_drawn(louder_on_zeros, pairs, claim=PureDP(1.0), tries=60)
    budget = Budget(runs=500)
    assert audit(louder_on_zeros, pair, PureDP(1.0), budget=budget, smaller=False).verdict is REFUTED
