"""The strategies reach the degenerate and extreme cases, and only what they promise."""

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, records
from dpverify.strategies import datasets, neighbours, numbers, one_record, points, problems, schedules

quick = settings(max_examples=60, derandomize=True, database=None, deadline=None)
search = settings(
    derandomize=True, database=None, max_examples=2000, phases=[Phase.generate]
)  # found is enough, small is not asked for


@pytest.mark.parametrize(
    "wanted",
    [
        lambda data: len(data) == 1,
        lambda data: len(data) > 2 and len(np.unique(data, axis=0)) == 1,
        lambda data: not data.any(),
        lambda data: np.abs(data).max() >= 1e150,
        lambda data: 0 < np.abs(data).max() < 1e-200,
        lambda data: len(np.unique(data, axis=0)) == 3,
        lambda data: data[0, 0] > 0 > data[0, 1],
    ],
)
def test_every_degenerate_data_set_is_reached(wanted):
    assert wanted(find(datasets(width=2), wanted, settings=search))


@quick
@given(pair=neighbours(datasets(width=2, labels="signs")))
def test_neighbours_are_neighbours(pair):
    (a, p), (b, q) = pair.data, pair.other
    if pair.adjacency is ADD_REMOVE:
        assert abs(len(a) - len(b)) == 1
        short, long = (a, b) if len(a) < len(b) else (b, a)
        assert any(np.array_equal(short, np.delete(long, i, axis=0)) for i in range(len(long)))
        return
    assert len(a) == len(b)
    changed = np.any(a != b, axis=1) | (p != q)
    assert changed.sum() <= 1
    if pair.adjacency is ZERO_OUT:
        assert all(not (a[i].any() or p[i]) or not (b[i].any() or q[i]) for i in np.flatnonzero(changed))


@pytest.mark.parametrize("relation", [REPLACE, ZERO_OUT, ADD_REMOVE])
def test_every_relation_is_reached(relation):
    assert (
        find(
            neighbours(datasets(width=1)), lambda pair: pair.adjacency is relation, settings=search
        ).adjacency
        is relation
    )


@quick
@given(data=datasets(like=(np.zeros((7, 3)), np.ones(7))))
def test_data_like_an_example_have_its_shape(data):
    rows, labels = data
    assert rows.shape == (7, 3)
    assert set(labels.tolist()) <= {1.0, -1.0}


@quick
@given(schedule=schedules(5))
def test_schedules_are_positive_and_finite(schedule):
    values = schedule.values(5)
    assert values.shape == (5,)
    assert np.all(values > 0)


@quick
@given(pair=problems(3))
def test_problems_come_with_data_that_fit(pair):
    problem, data = pair
    assert records(data) == problem.count == 3
    gradient = problem.gradient(problem.start[None], data)
    assert gradient.shape == (1, problem.dimension)
    assert np.all(np.isfinite(gradient))


@quick
@given(x=points(3, runs=2, largest=5.0))
def test_points_have_one_row_per_run(x):
    assert x.shape == (2, 3)
    assert np.abs(x).max() <= 5.0


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="width=0"):
        datasets(width=0)
    with pytest.raises(ValueError, match=r"relations=\(\)"):
        neighbours(relations=())
    with pytest.raises(ValueError, match="largest=0"):
        numbers(0)
    with pytest.raises(ValueError, match="smallest=0"):
        schedules(3, smallest=0)
    with pytest.raises(ValueError, match="count=0"):
        problems(0)
    assert find(one_record(1, "numbers"), lambda record: record[1] > 1, settings=search)[1] > 1
