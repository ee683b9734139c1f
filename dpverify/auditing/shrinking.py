"""Make a violation small: fewer records, fewer dimensions, fewer steps, simpler numbers, each confirmed on
fresh runs.

Attempt k = 1, 2, ... is an audit of its own with alpha / (k (k + 1)), which add up to alpha, and with its own
seed: a smaller case stands because it was refuted itself. A case that the mechanism rejects is not smaller,
it is no case. What is public stays: a claim for 100 records says nothing of one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import Mechanism
from dpverify.neighbours import ADD_REMOVE, Data, Neighbours, records
from dpverify.verdicts import REFUTED, Result


def _each(data: Data, change: Callable[[np.ndarray], np.ndarray]) -> Data:
    return (
        tuple(change(np.asarray(part)) for part in data)
        if isinstance(data, tuple)
        else change(np.asarray(data))
    )


def _changed(pair: Neighbours, change: Callable[[np.ndarray], np.ndarray]) -> Neighbours:
    return replace(pair, data=_each(pair.data, change), other=_each(pair.other, change))


def _common(pair: Neighbours) -> list[int]:
    """The records that both data sets hold at the same place."""
    if records(pair.data) == 0 or records(pair.other) == 0:
        return []
    n = min(records(pair.data), records(pair.other))
    a, b = (d if isinstance(d, tuple) else (d,) for d in (pair.data, pair.other))
    return [
        i for i in range(n) if all(np.array_equal(np.asarray(u)[i], np.asarray(v)[i]) for u, v in zip(a, b))
    ]


def _without(pair: Neighbours, rows: list[int]) -> Neighbours:
    def drop(part: np.ndarray) -> np.ndarray:
        return np.delete(part, rows, axis=0)

    return _changed(pair, drop)


def _fewer_records(pair: Neighbours) -> Iterator[Neighbours]:
    rows = _common(pair)
    if pair.adjacency is ADD_REMOVE and len(rows) == min(records(pair.data), records(pair.other)):
        rows = (
            rows[:-1] if rows else rows
        )  # an empty data set is a case that few mechanisms accept; it is tried last
    size = len(rows)
    while size >= 1:
        for start in range(0, len(rows), size):
            yield _without(pair, rows[start : start + size])
        size //= 2


def _fewer_dimensions(pair: Neighbours) -> Iterator[Neighbours]:
    first = np.asarray(pair.data[0] if isinstance(pair.data, tuple) else pair.data)
    if first.ndim == 2 and first.shape[1] > 1:
        for keep in ([0], list(range(first.shape[1] // 2))):
            if 0 < len(keep) < first.shape[1]:

                def cut(part: np.ndarray, keep: list[int] = keep) -> np.ndarray:
                    return part[:, keep] if part.ndim == 2 and part.shape[1] == first.shape[1] else part

                yield _changed(pair, cut)


def _equal_records(pair: Neighbours) -> Iterator[Neighbours]:
    """All records that both data sets hold made equal to one of them: no value that was not there before."""
    rows = _common(pair)
    for row in rows[:4]:

        def repeat(part: np.ndarray, row: int = row) -> np.ndarray:
            new = np.array(part)
            new[rows] = part[row]
            return new

        yield _changed(pair, repeat)


def _simpler_numbers(pair: Neighbours) -> Iterator[Neighbours]:
    def floats(change: Callable[[np.ndarray], np.ndarray]) -> Neighbours:
        def only(part: np.ndarray) -> np.ndarray:
            return change(part) if np.issubdtype(part.dtype, np.floating) else part

        return _changed(pair, only)

    rows = _common(pair)
    if rows:

        def zero(part: np.ndarray) -> np.ndarray:
            new = np.array(part)
            new[rows] = 0
            return new

        yield floats(zero)
    yield floats(np.rint)
    yield floats(lambda part: np.round(part, 1))
    yield floats(np.sign)


def _fewer_steps(mechanism: Mechanism) -> Iterator[Mechanism]:
    if isinstance(mechanism, functools.partial) and isinstance(mechanism.keywords.get("steps"), int):
        steps = mechanism.keywords["steps"]
        for fewer in sorted({1, steps // 2, steps - 1}):
            if 0 < fewer < steps:
                yield functools.partial(
                    mechanism.func, *mechanism.args, **{**mechanism.keywords, "steps": fewer}
                )


def size(pair: Neighbours) -> tuple[int, int, float]:
    """How large a pair is: its numbers, how many of them are different, then the digits it takes to write
    them.

    >>> size(Neighbours.replace(np.zeros((2, 1)), 0, [0.25]))[:2]
    (4, 2)
    """
    parts = [np.asarray(p) for d in (pair.data, pair.other) for p in (d if isinstance(d, tuple) else (d,))]
    values = [f"{v:.12g}" if isinstance(v, float) else str(v) for p in parts for v in p.ravel().tolist()]
    return len(values), len(set(values)), float(sum(map(len, values)))


def _different(pair: Neighbours) -> bool:
    a, b = (d if isinstance(d, tuple) else (d,) for d in (pair.data, pair.other))
    return not all(np.array_equal(np.asarray(u), np.asarray(v)) for u, v in zip(a, b))


def _are_arrays(pair: Neighbours) -> bool:
    """Whether both data sets are arrays with one row per record, not objects of a kind of their own."""
    try:
        parts = [
            np.asarray(p) for d in (pair.data, pair.other) for p in (d if isinstance(d, tuple) else (d,))
        ]
    except ValueError:  # records of different lengths
        return False
    return all(part.ndim and part.dtype.kind != "O" for part in parts)


CHANGES = {"records": _fewer_records, "dimensions": _fewer_dimensions, "domain": _simpler_numbers}


def shrink(audit: Audit, rung: Rung, refuted: Result, attempts: int = 40) -> Result:
    """The result of the same rung on a smaller pair (and, if it has `steps`, a shorter mechanism) that it
    still refutes.

    >>> from dpverify.auditing.replay import REPLAY
    >>> from dpverify.guarantees import GDP
    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> audit = Audit(lambda data, rng: data.sum() + rng.normal(),
    ...     Neighbours.replace(np.full((6, 1), 0.3), 2, [7.7]), GDP(1.0),
    ...     declared=Gaussian(scale=1.0, sensitivity={REPLACE: 1.0}), public=())
    >>> shrink(audit, REPLAY, REPLAY.climb(audit)).witness.exact["other"]
    [[8.0]]
    """
    if not _are_arrays(audit.neighbours):
        return refuted
    runs = audit.budget.runs
    if rung.share and refuted.evidence is not None and refuted.evidence.samples is not None:
        runs = min(runs, 4 * refuted.evidence.samples + 64)
    spent = 0

    def confirm(candidate: Mechanism, smaller: Neighbours) -> Result | None:
        nonlocal spent
        spent += 1
        budget = replace(
            audit.budget,
            runs=runs,
            alpha=audit.alpha / (spent * (spent + 1)),
            seed=audit.budget.seed + 1_000_003 * spent,
            chunks=None,
        )
        asked = audit.with_(mechanism=candidate, neighbours=smaller, budget=budget, progress=False)
        try:
            result = rung.climb(asked)
        except Exception:  # the mechanism, the accountant or the algorithm does not take such data
            return None
        return result if result.verdict is REFUTED else None

    mechanism = audit.mechanism
    pair = audit.neighbours
    public = audit.public or ()
    kinds = [_equal_records, *(kind for name, kind in CHANGES.items() if name not in public)]
    progress = True
    while progress and spent < attempts:
        progress = False
        for kind in kinds:
            for smaller in kind(pair):
                if spent >= attempts:
                    break
                if size(smaller) >= size(pair) or not _different(smaller):
                    continue
                result = confirm(mechanism, smaller)
                if result is not None:
                    pair = smaller
                    refuted = result
                    progress = True
                    break
        for shorter in [] if "steps" in public else _fewer_steps(mechanism):
            result = confirm(shorter, pair) if spent < attempts else None
            if result is not None:
                mechanism = shorter
                refuted = result
                progress = True
                break
    return refuted
