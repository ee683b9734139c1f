"""Search for neighbours on which a mechanism moves most: climb, or let Hypothesis draw; the pair found is
audited on fresh runs alone.

    separation(pair) = |mean over a few seeds of M(D; seed) - M(D'; seed)| / noise,     the same seeds on both
    sides
    promise(pair)    = by how many standard deviations the most telling event exceeds the claim, learned on
    one half of some runs and counted on the other

With a claim, those that move most and those that are special (a record once more, the default 0, the
smallest and largest values; beside the given records, all of them at an extreme, half at each, and under
add/remove one record or none) are compared by their promise: what does not move the mean may still leak. The
search sees its own seeds only, and the audit that follows never reuses them, so the number of pairs tried
costs no alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.drawing import Sampler
from dpverify.auditing.ratios import excess
from dpverify.auditing.sampling import Budget, Mechanism, MechanismError, call
from dpverify.auditing.sequential import Sequential
from dpverify.guarantees import Guarantee
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Data, Neighbours, equal, records
from dpverify.optional import optional

DrawRecord = Callable[[np.random.Generator], Any]


def separation(mechanism: Mechanism, pair: Neighbours, seeds: int = 4, seed: int = 0) -> float:
    """How far the mean output moves between the two data sets with the same seeds, in units of the spread of
    the output.

    >>> noisy = lambda data, rng: data.sum() + rng.normal()
    >>> pairs = [Neighbours.replace(np.zeros((2, 1)), 0, [value]) for value in (4.0, 1.0)]
    >>> separation(noisy, pairs[0]) > separation(noisy, pairs[1])
    True
    """
    runs = [np.random.SeedSequence(seed, spawn_key=(9, i)) for i in range(seeds)]
    try:
        a = np.concatenate([call(mechanism, pair.data, s) for s in runs])
        b = np.concatenate([call(mechanism, pair.other, s) for s in runs])
    except MechanismError:
        return -np.inf
    if a.shape != b.shape:
        return np.inf
    spread = np.sqrt((a.var(axis=0) + b.var(axis=0)) / 2) + 1e-12
    with np.errstate(over="ignore"):
        return float(np.linalg.norm((a - b).mean(axis=0) / spread))


def promise(
    mechanism: Mechanism, pair: Neighbours, claim: Guarantee, runs: int = 1000, seed: int = 0
) -> float:
    """By how many standard deviations the most telling event of some runs exceeds what the claim allows.

    >>> from dpverify.guarantees import PureDP
    >>> scaled = lambda data, rng, runs: (1 + data.sum()) * rng.normal(size=(runs, 1))
    >>> pairs = [Neighbours.replace(np.zeros((2, 1)), 0, [value]) for value in (9.0, 0.1)]
    >>> promise(scaled, pairs[0], PureDP(1.0)) > promise(scaled, pairs[1], PureDP(1.0))
    True
    """
    fresh = int(np.random.SeedSequence(seed, spawn_key=(11,)).generate_state(1)[0])
    test = Sequential(worst_pair(claim))
    try:
        for a, b in Sampler(mechanism, pair, Budget(runs=runs, seed=fresh)):
            test.feed(a, b)
    except MechanismError:
        return -np.inf
    return max((excess(*counts, test.pair) for _, _, counts in test.books), default=-np.inf)


def _pair(data: Data, adjacency: Adjacency, index: int, record: Any) -> Neighbours:
    if adjacency is REPLACE:
        return Neighbours.replace(data, index, record)
    if adjacency is ZERO_OUT:
        return Neighbours.zero_out(Neighbours.replace(data, index, record).other, index)
    return Neighbours.add(data, record)


def _start(data: Data, rng: np.random.Generator) -> Iterable[Any]:
    """Records to begin with: each record of the data mirrored and stretched, zero, and far along each
    axis.
    """
    parts = [np.asarray(p) for p in (data if isinstance(data, tuple) else (data,))]
    first = parts[0]

    def record(row: int, values: np.ndarray) -> Any:
        return (values, *(p[row] for p in parts[1:])) if isinstance(data, tuple) else values

    for row in range(min(len(first), 4)):
        yield record(row, first[row])
        if not np.issubdtype(first.dtype, np.floating):
            continue
        for factor in (-1.0, 10.0, -100.0, 0.0):
            yield record(row, first[row] * factor)
    if first.ndim == 2 and np.issubdtype(first.dtype, np.floating):
        for axis in range(min(first.shape[1], 8)):
            unit = np.zeros(first.shape[1])
            unit[axis] = 100.0
            yield record(0, unit)


def _special(data: Data) -> Iterable[Any]:
    """Records that are special: the first and the last once more, the default 0, and the smallest and largest
    values of every column.
    """
    parts = [np.asarray(p) for p in (data if isinstance(data, tuple) else (data,))]
    records = [
        [p[0] for p in parts],
        [p[-1] for p in parts],
        [_default(p, free=at == 0) for at, p in enumerate(parts)],
        [_end(p, 0) for p in parts],
        [_end(p, -1) for p in parts],
    ]
    for values in records:
        yield tuple(values) if isinstance(data, tuple) else values[0]


def _default(part: np.ndarray, free: bool) -> np.ndarray:
    """Zeros; in columns that keep to the values that they have, where 0 (or "") is one of them."""
    zero = np.zeros_like(part[0])
    if free and np.issubdtype(part.dtype, np.floating):
        return zero
    return np.where((part == zero).any(axis=0), zero, part[0])


def _end(part: np.ndarray, at: int) -> np.ndarray:
    """The smallest (0) or the largest (-1) value of every column; of things of all kinds, the first or the
    last.
    """
    return part[at] if part.dtype.kind == "O" else np.sort(part, axis=0)[at]


def _perturbed(record: Any, data: Data, rng: np.random.Generator) -> Any:
    parts = [np.asarray(p) for p in (data if isinstance(data, tuple) else (data,))]

    def one(values: Any, part: np.ndarray) -> np.ndarray:
        values = np.asarray(values)
        if not np.issubdtype(part.dtype, np.floating):  # values that the column has
            return part[rng.integers(len(part))]
        size = np.abs(values).max(initial=0) + 0.1
        if rng.integers(3) == 0:
            return values * rng.choice([-1, 0.5, 2, 5])
        return values + size * rng.normal(size=values.shape) * rng.choice([0.1, 1, 3])

    if isinstance(record, tuple):
        return (one(record[0], parts[0]), *(p[rng.integers(len(p))] for p in parts[1:]))
    return one(record, parts[0])


def worst_neighbours(
    mechanism: Mechanism,
    data: Data,
    adjacency: Adjacency,
    *,
    claim: Guarantee | None = None,
    draw_record: DrawRecord | None = None,
    domain: Callable[[Any], bool] | None = None,
    tries: int = 200,
    seed: int = 0,
) -> Neighbours:
    """The pair, among `tries`, on which the mechanism moves most, or, with a `claim`, the one that promises
    most to refute it; audit it with `audit`, whose runs are fresh.

    Records come from `draw_record` alone, if it is given, and otherwise from the data, mirrored, stretched
    and shifted, as far as `domain(record)` allows. Without either, every real number is taken to be in the
    domain; labels, texts, whole numbers and truth values keep to the values that their column has.

    >>> clipped = lambda data, rng: np.clip(data[:, 0], -1, 1).sum() + data[:, 1].sum() + rng.normal()
    >>> pair = worst_neighbours(clipped, np.zeros((3, 2)), REPLACE)
    >>> bool(np.abs(pair.other[:, 1]).max() > 10)
    True
    """
    if tries < 1:
        raise ValueError(f"Expected tries={tries} >= 1.")
    if adjacency not in (ADD_REMOVE, REPLACE, ZERO_OUT):
        raise ValueError(f"Expected adjacency={adjacency!r} to be one of add/remove, replace, zero-out.")
    count = records(data)
    if count == 0 and (draw_record is None or adjacency is not ADD_REMOVE):
        raise ValueError("Expected data with at least one record, or draw_record under add/remove; got none.")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(10,)))
    best: tuple[float, Any, int] | None = None
    most: list[tuple[float, int, Any, int]] = []
    tried = 0

    def look(record: Any, index: int) -> None:
        nonlocal best, tried
        tried += 1
        if domain is not None and not domain(record):
            return
        try:
            moved = separation(mechanism, _pair(data, adjacency, index, record), seed=seed)
        except (ValueError, IndexError):
            return
        most.append((moved, -tried, record, index))
        if best is None or moved > best[0]:
            best = (moved, record, index)

    if draw_record is not None:
        while tried < tries:
            look(draw_record(rng), int(rng.integers(max(1, count))))
    else:
        for record in list(_start(data, rng))[: max(1, tries // 2)]:
            look(record, int(rng.integers(count)))
        while tried < tries and best is not None:
            look(_perturbed(best[1], data, rng), best[2])
    if best is None:
        raise ValueError(
            "Expected data on which the mechanism runs; it rejected every neighbour that was tried."
        )
    if claim is None:
        return _pair(data, adjacency, best[2], best[1])
    most.sort(key=lambda entry: entry[:2], reverse=True)
    pairs = [_pair(data, adjacency, index, record) for _, _, record, index in most[:4]]
    for record in _special(data) if draw_record is None else [draw_record(rng) for _ in range(4)]:
        if domain is None or domain(record):
            bases = [data, head(data, 1), head(data, 0)] if adjacency is ADD_REMOVE else [data]
            pairs += [_pair(base, adjacency, 0, record) for base in bases if base is data or count]
    if draw_record is None:
        low, high = list(_special(data))[-2:]
        if domain is None or (domain(low) and domain(high)):
            pairs += [_pair(base, adjacency, 0, end) for base in _crowds(data) for end in (low, high)]
    return worst_of(mechanism, pairs, claim, seed=seed)


def worst_of(
    mechanism: Mechanism, pairs: Iterable[Neighbours], claim: Guarantee, *, seed: int = 0
) -> Neighbours:
    """The pair, among these, that promises most to refute the claim; audit it with `audit`, whose runs are
    fresh.

    >>> from dpverify.guarantees import PureDP
    >>> from dpverify.neighbours import patterns
    >>> def noisy_largest(data, rng):  # the value of the largest, where its place alone is paid for
    ...     return (data.sum(axis=0) + rng.laplace(scale=2.0, size=data.shape[1])).max()
    >>> pair = worst_of(noisy_largest, patterns(5).values(), PureDP(1.0))
    >>> pair.other.sum(axis=0).tolist() in ([2, 2, 2, 2, 2], [0, 0, 0, 0, 0])
    True
    """
    different = [pair for pair in pairs if not equal(pair)]
    if not different:
        raise ValueError("Expected pairs of data sets that differ, got none.")
    return max(different, key=lambda pair: promise(mechanism, pair, claim, seed=seed))


def _crowds(data: Data) -> Iterable[Data]:
    """As many records: all at the smallest values of the columns, all at the largest, half at each."""
    parts = [np.asarray(p) for p in (data if isinstance(data, tuple) else (data,))]
    for low, high in ((1, 0), (0, 1), (1, 1)):

        def crowd(part: np.ndarray, low: int = low, high: int = high) -> np.ndarray:
            ends = [_end(part, 0)] * low + [_end(part, -1)] * high
            return np.stack([ends[i * len(ends) // len(part)] for i in range(len(part))])

        yield tuple(map(crowd, parts)) if isinstance(data, tuple) else crowd(parts[0])


def head(data: Data, count: int) -> Data:
    """The first records of the data."""
    return tuple(part[:count] for part in data) if isinstance(data, tuple) else data[:count]


FEW = 200  # runs of each pair that is drawn


def worst_drawn(
    mechanism: Mechanism, pairs: Any, *, claim: Guarantee | None = None, tries: int = 200, seed: int = 0
) -> Neighbours:
    """The pair on which the mechanism moves most (with a `claim`: that promises most to refute it) among
    those that a Hypothesis strategy draws, which is steered towards such.

    >>> from dpverify.strategies import datasets, neighbours
    >>> pair = worst_drawn(lambda data, rng: np.clip(data, -1, 1).sum() + rng.normal(),
    ...     neighbours(datasets(width=1)), tries=50)
    >>> pair.adjacency in (ADD_REMOVE, REPLACE, ZERO_OUT)
    True
    """
    hypothesis = optional("hypothesis", "tests")

    best: tuple[float, Neighbours] | None = None

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=tries, database=None, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
    )
    @hypothesis.given(pairs)
    def look(pair: Neighbours) -> None:
        nonlocal best
        if claim is None:
            moved = separation(mechanism, pair, seed=seed)
        else:
            moved = promise(mechanism, pair, claim, runs=FEW, seed=seed)
        if np.isfinite(moved):
            hypothesis.target(min(moved, 1e9))
        if moved > -np.inf and (best is None or moved > best[0]):
            best = (moved, pair)

    look()
    if best is None:
        raise ValueError("Expected pairs on which the mechanism runs; it rejected every one that was drawn.")
    return best[1]
