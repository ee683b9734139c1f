"""Laws of sensitivity: one record moves a query by no more than its release declares, on any data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.engine import Algorithm, Answer, Step, walk
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Neighbours, records
from dpverify.releases import Laplace, Subsampled, TreeNode
from dpverify.strategies import datasets, neighbours, points, shape

from .laws import NotApplicable, Subject, law, same

Array = np.ndarray[Any, Any]

SLACK = 1e-9  # relative, for the rounding of sums of a few thousand terms
RUNS = 2


def _pairs(about: Subject) -> Any:
    if about.algorithm is None:
        return neighbours(like=about.data, relations=[about.adjacency])
    relations = about.relations()
    if not relations:
        raise NotApplicable("its releases declare no sensitivity")
    if ADD_REMOVE not in relations:
        return neighbours(like=about.data, relations=relations)
    width, _, labels = shape(about.data)  # the number of records is private, so any number will do
    return neighbours(datasets(width=width, labels=labels), like=about.data, relations=relations)


def _starts(about: Subject) -> Any:
    if about.algorithm is None:
        from hypothesis import strategies as st

        return st.none()
    return points(about.algorithm.output(about.algorithm.init(1)).shape[1])


def started_at(algorithm: Algorithm, x: Array) -> Algorithm:
    """The algorithm from another start (its state must have an iterate `x`)."""

    def init(runs: int) -> Any:
        state = algorithm.init(runs)
        return state._replace(x=np.tile(x, (runs, 1))) if hasattr(state, "x") else state

    return replace(algorithm, init=init)


def replayed(algorithm: Algorithm, pair: Neighbours, seed: int = 0) -> list[tuple[Step, Answer]]:
    """Every step of a few runs on the smaller data set of a pair, with the answer of the other at the same
    states and batches.
    """
    few, many = (
        (pair.data, pair.other) if records(pair.data) <= records(pair.other) else (pair.other, pair.data)
    )
    other = algorithm.load(many)
    twin = algorithm.memory(other, RUNS) if algorithm.memory is not None else None
    found = []
    for step in walk(algorithm, few, RUNS, np.random.default_rng(seed)):
        if isinstance(step, Step):
            batch = step.batch if records(few) == records(many) else _with_one_more(step.batch, few, many)
            answer = algorithm.ask(other, step.state, step.release, batch=batch, memory=twin)
            twin = answer.memory
            found.append((step, answer))
    return found


def _with_one_more(batch: Array | None, few: Any, many: Any) -> Array | None:
    """The same batch with the record that only the larger data set has."""
    if batch is None:
        return None
    a, b = (few, many) if isinstance(few, tuple) else ((few,), (many,))
    n = records(few)
    place = next((i for i in range(n) if any(not np.array_equal(p[i], q[i]) for p, q in zip(a, b))), n)
    if batch.dtype == bool:
        return np.insert(batch, place, True, axis=1)
    return np.column_stack([np.where(batch >= place, batch + 1, batch), np.full(len(batch), place)])


def moved(step: Step, other: Answer, adjacency: Adjacency) -> list[tuple[float, float]]:
    """(how far the query moved, how far it may move), per run, and per node of a tree."""
    release, unit = (
        step.release,
        np.ones(len(step.released)) if step.answer.unit is None else step.answer.unit,
    )
    gap = step.answer.value - other.value
    inner = release.inner if isinstance(release, Subsampled) else release
    if isinstance(inner, TreeNode):
        allowed = [s * inner.most(k) for k, s in enumerate(inner.sensitivity[adjacency])]
        return [
            (float(np.linalg.norm(gap[r, k])), most * unit[r])
            for r in range(len(gap))
            for k, most in enumerate(allowed)
        ]
    order = 1 if isinstance(inner, Laplace) else 2
    allowed = inner.sensitivity[adjacency]
    return [(float(np.linalg.norm(row.ravel(), ord=order)), allowed * u) for row, u in zip(gap, unit)]


def hardest(about: Subject) -> list[dict[str, Any]]:
    """Equal records, one of them turned round, zeroed, removed or joined by its opposite; ordinary from 0,
    huge from the usual start.
    """
    width, count, labels = shape(about.data)
    relations = [about.adjacency] if about.algorithm is None else about.relations()
    start = None if about.algorithm is None else about.algorithm.output(about.algorithm.init(1))
    found = []
    for size, begin in ((8.0, None if start is None else np.zeros_like(start)), (1e150, start)):
        for direction in (np.eye(width)[0], np.ones(width)):
            row, label = size * direction, () if labels is None else (np.ones(count),)
            data = np.tile(row, (count, 1)) if labels is None else (np.tile(row, (count, 1)), *label)
            opposite: Any = -row if labels is None else (-row, 1.0)
            pairs = {
                REPLACE: lambda d=data, o=opposite: Neighbours.replace(d, 0, o),
                ZERO_OUT: lambda d=data: Neighbours.zero_out(d, 0),
                ADD_REMOVE: lambda d=data, o=opposite: Neighbours.add(d, o),
            }
            found += [{"pair": pairs[relation](), "start": begin} for relation in relations]
    return found


@law(first=hardest, pair=_pairs, start=_starts)
def one_record_moves_the_query_by_at_most_its_sensitivity(
    about: Subject, pair: Neighbours, start: Any
) -> None:
    """One record moves the query by at most the sensitivity its release declares, at every step, on any data,
    under every relation.
    """
    if about.algorithm is None:
        _replay_mechanism(about, pair)
        return
    for step, other in replayed(started_at(about.algorithm, start), pair):
        rounding = 1e-12 * float(np.max(np.abs(step.answer.value), initial=0.0))
        for far, allowed in moved(step, other, pair.adjacency):
            assert far <= allowed * (1 + SLACK) + rounding, (
                f"step {step.t} of {about.name}: a record moved the query by {far:.6g}, declared "
                f"{pair.adjacency} sensitivity {allowed:.6g}"
            )


def _replay_mechanism(about: Subject, pair: Neighbours) -> None:
    from dpverify.auditing.replay import replay
    from dpverify.verdicts import REFUTED, UNDECIDED

    result = replay(about.mechanism, pair, about.declared, executions=1)
    if result.verdict is UNDECIDED:
        raise NotApplicable(result.because)
    assert result.verdict is not REFUTED, result.because


@law()
def the_noise_depends_on_no_record(about: Subject) -> None:
    """The scale of the noise is the same on neighbouring data sets: neither the release nor its unit sees a
    record.
    """
    algorithm = about.needs_algorithm()
    parts = about.data if isinstance(about.data, tuple) else (about.data,)
    for factor in (0.0, -3.0, 100.0):
        other = tuple(np.array(part, dtype=float) for part in parts)
        other[0][0] *= factor
        pair = Neighbours(about.data, other if isinstance(about.data, tuple) else other[0], about.adjacency)
        for step, answer in replayed(algorithm, pair):
            assert same(step.answer.unit, answer.unit), (
                f"step {step.t} of {about.name}: the unit of the noise depends on the data"
            )
            assert repr(algorithm.release(step.t)) == repr(step.release), (
                f"step {step.t} of {about.name}: its release depends on the data"
            )


@law()
def data_that_are_not_finite_are_refused(about: Subject) -> None:
    """NaN and infinity have no sensitivity: data that contain them are refused before anything is
    computed.
    """
    algorithm = about.needs_algorithm()
    for bad in (np.nan, np.inf, -np.inf):
        parts = [
            np.array(part, dtype=float)
            for part in (about.data if isinstance(about.data, tuple) else (about.data,))
        ]
        parts[0].reshape(-1)[0] = bad
        data = tuple(parts) if isinstance(about.data, tuple) else parts[0]
        try:
            next(iter(walk(algorithm, data, RUNS, np.random.default_rng(0))))
        except ValueError:
            continue
        raise AssertionError(f"{about.name} runs on data with {bad}")
