"""Hypothesis strategies for data sets, neighbours, points, schedules and problems: what the laws of
`properties` search over.

They look for structure, not for seeds: few distinct records, all equal, zero, tiny, huge, one record; smaller
cases shrink out first.

    @given(pair=neighbours(datasets(width=2)))
    def test_my_query(pair): ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Data, Neighbours
from dpverify.neighbours import records as count_records
from dpverify.optional import optional
from dpverify.problems import Problem, least_squares, logistic, network, quadratic, wavy
from dpverify.schedules import Schedule, step

if TYPE_CHECKING:
    from hypothesis import strategies as st
else:
    st = optional("hypothesis.strategies", "tests")

Array = np.ndarray[Any, Any]

RELATIONS = (REPLACE, ZERO_OUT, ADD_REMOVE)


@contextmanager
def drawn_alike() -> Iterator[None]:
    """Within it, what Hypothesis draws does not depend on the modules that happen to be loaded. It would now
    and then draw a constant that it read in one of them, if they are not installed but come from a clone.

    >>> from hypothesis.internal.conjecture import providers
    >>> with drawn_alike():
    ...     len(providers._get_local_constants())
    0
    """
    from hypothesis.internal.conjecture import providers

    usual = getattr(providers, "_get_local_constants", None)
    if usual is None:  # before Hypothesis 6.131
        yield
        return
    nothing = providers.Constants()
    providers._get_local_constants = lambda: nothing
    providers.CONSTANTS_CACHE.cache.clear()  # of constants by what they are asked for, whoever asked
    try:
        yield
    finally:
        providers._get_local_constants = usual
        providers.CONSTANTS_CACHE.cache.clear()


def numbers(largest: float = 1e150) -> st.SearchStrategy[float]:
    """Numbers of every size up to `largest`: 0 and 1 first, then ordinary, tiny and huge ones.

    >>> from hypothesis import find
    >>> find(numbers(), lambda x: x > 5) > 5
    True
    """
    if not largest > 0:
        raise ValueError(f"Expected largest={largest} > 0.")
    ordinary = min(10.0, largest)
    special = [0.0, min(1.0, largest), -min(1.0, largest), 1e-300, largest, -largest]
    return st.one_of(st.sampled_from(special), st.floats(-ordinary, ordinary, allow_subnormal=False))


def shape(like: Data) -> tuple[int, int, str | None]:
    """The width, the number of records and the kind of labels of a data set.

    >>> shape((np.zeros((5, 2)), np.ones(5)))
    (2, 5, 'signs')
    """
    parts = like if isinstance(like, tuple) else (like,)
    width = int(np.prod(np.shape(parts[0])[1:], dtype=int))
    labels = (
        None
        if len(parts) == 1
        else "signs"
        if set(np.unique(np.asarray(parts[1])).tolist()) <= {-1.0, 0.0, 1.0}
        else "numbers"
    )
    return width, count_records(like), labels


def one_record(width: int, labels: str | None = None, largest: float = 1e150) -> st.SearchStrategy[Any]:
    """One record: a row of that width, or (row, label) with `labels` "signs" or "numbers"; along an axis, a
    diagonal, or any.

    >>> from hypothesis import find
    >>> find(one_record(2), lambda row: row[1] > 0).shape
    (2,)
    """
    shapes = [np.eye(width)[0], np.ones(width), (-1.0) ** np.arange(width), np.arange(width) == width - 1]
    along = st.tuples(numbers(largest), st.sampled_from(shapes)).map(lambda pair: pair[0] * pair[1])
    row = st.one_of(along, st.lists(numbers(largest), min_size=width, max_size=width).map(np.array))
    if labels is None:
        return row
    label = st.sampled_from([1.0, -1.0]) if labels == "signs" else numbers(min(largest, 1e6))
    return st.tuples(row, label)


def datasets(
    *,
    like: Data = None,
    width: int = 2,
    count: int | None = None,
    labels: str | None = None,
    largest: float = 1e150,
) -> st.SearchStrategy[Data]:
    """Data sets of one to four distinct records, repeated in some pattern; as many as `count`, or one to
    eight.

    `like` gives width, count and labels by example.

    >>> from hypothesis import find
    >>> find(datasets(width=1), lambda data: len(data) == 2 and data[0] != data[1]).shape
    (2, 1)
    """
    if like is not None:
        width, count, labels = shape(like)
    if width < 1 or (count is not None and count < 1):
        raise ValueError(f"Expected width={width} >= 1 and count={count} >= 1.")

    @st.composite
    def build(draw: Any) -> Data:
        distinct = draw(st.lists(one_record(width, labels, largest), min_size=1, max_size=4))
        pattern = draw(
            st.lists(st.integers(0, len(distinct) - 1), min_size=1, max_size=8 if count is None else 3)
        )
        chosen = np.resize(pattern, count or len(pattern))
        if labels is None:
            return np.array(distinct)[chosen]
        rows, signs = zip(*distinct)
        return np.array(rows)[chosen], np.array(signs)[chosen]

    return build()


def neighbours(
    data: st.SearchStrategy[Data] | None = None,
    *,
    like: Data = None,
    relations: Sequence[Adjacency] = RELATIONS,
    largest: float = 1e150,
) -> st.SearchStrategy[Neighbours]:
    """Two neighbouring data sets under one of the relations, either way round.

    >>> from hypothesis import find
    >>> pair = find(neighbours(datasets(width=1), relations=[REPLACE]), lambda pair: pair.other[0, 0] > 0)
    >>> pair.data.shape == pair.other.shape, str(pair.adjacency)
    (True, 'replace')
    """
    if not relations:
        raise ValueError("Expected relations with at least one neighbouring relation, got relations=().")
    source = datasets(like=like, largest=largest) if data is None else data

    @st.composite
    def build(draw: Any) -> Neighbours:
        first = draw(source)
        width, n, labels = shape(first)
        if like is not None:
            labels = shape(like)[2]
        relation = draw(st.sampled_from(list(relations)))
        index = draw(st.integers(0, n - 1))
        if relation is ZERO_OUT:
            pair = Neighbours.zero_out(first, index)
        elif relation is REPLACE:
            opposite = (-first[0][index], first[1][index]) if isinstance(first, tuple) else -first[index]
            pair = Neighbours.replace(
                first, index, draw(st.one_of(one_record(width, labels, largest), st.just(opposite)))
            )
        elif n > 1 and draw(st.booleans()):
            pair = Neighbours.remove(first, index)
        else:
            pair = Neighbours.add(first, draw(one_record(width, labels, largest)))
        return pair.swapped() if draw(st.booleans()) else pair

    return build()


def points(dimension: int, *, runs: int = 1, largest: float = 1e6) -> st.SearchStrategy[Array]:
    """Iterates, one row per run.

    >>> from hypothesis import find
    >>> find(points(2), lambda x: x[0, 1] > 0).shape
    (1, 2)
    """
    row = st.lists(numbers(largest), min_size=dimension, max_size=dimension)
    return st.lists(row, min_size=runs, max_size=runs).map(np.array)


def schedules(steps: int, *, smallest: float = 1e-3, largest: float = 1e3) -> st.SearchStrategy[Schedule]:
    """Positive schedules of t = 1..steps: constants, arrays, geometric and polynomial formulas.

    >>> from hypothesis import find
    >>> find(schedules(3), lambda s: s(3) < s(1)).values(3).shape
    (3,)
    """
    if not 0 < smallest <= largest:
        raise ValueError(f"Expected 0 < smallest={smallest} <= largest={largest}.")
    value = st.floats(smallest, largest, allow_subnormal=False)
    ratio = (largest / smallest) ** (1 / max(steps, 1))

    def geometric(pair: tuple[float, float]) -> Schedule:
        import sympy

        return Schedule(sympy.Float(pair[0]) * sympy.Float(pair[1]) ** (step() - 1))

    def polynomial(pair: tuple[float, float]) -> Schedule:
        return Schedule(pair[0] + pair[1] * step())

    return st.one_of(
        value.map(Schedule),
        st.lists(value, min_size=steps, max_size=steps).map(Schedule),
        st.tuples(st.just(smallest), st.floats(1.0, ratio)).map(geometric),
        st.tuples(st.just(largest), st.floats(1 / ratio, 1.0)).map(geometric),
        st.tuples(value, st.floats(0.0, largest)).map(polynomial),
    )


def problems(count: int = 4) -> st.SearchStrategy[tuple[Problem, Data]]:
    """Problems of every kind with `count` records and one to three dimensions, each with ordinary data that
    fit it.

    >>> from hypothesis import find
    >>> find(problems(), lambda pair: pair[0].dimension == 2)[1].shape
    (4, 2)
    """
    if count < 1:
        raise ValueError(f"Expected count={count} >= 1.")
    ordinary = st.floats(-4.0, 4.0, allow_subnormal=False)

    @st.composite
    def build(draw: Any) -> tuple[Problem, Data]:
        kinds = ["quadratic", "squares", "logistic", "network", "wavy"]
        kind = draw(st.sampled_from(kinds))
        d = draw(st.integers(1, 3))
        if kind == "wavy":
            d = max(d, count)
        rows = np.array(
            draw(st.lists(st.lists(ordinary, min_size=d, max_size=d), min_size=count, max_size=count))
        )
        if kind == "quadratic":
            return quadratic(draw(st.lists(st.floats(0.125, 8.0), min_size=d, max_size=d)), count=count), rows
        labels = draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=count, max_size=count))
        if kind == "logistic":
            return logistic(rows, count=count, ridge=draw(st.sampled_from([0.0, 0.125]))), (
                rows,
                np.array(labels),
            )
        if kind == "squares":
            return least_squares(rows, count=count), (rows, np.array(labels))
        if kind == "wavy":
            return wavy(rows, count=count), (rows, np.array(labels))
        return network(d, hidden=2, count=count), (rows, np.array(labels))

    return build()
