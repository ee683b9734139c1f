"""What a step publishes: the noise that is drawn is the noise that is charged.

    released = value + scale * unit * noise,     noise ~ N(0, I) (Gaussian) or Lap(1)^k (Laplace)

A release knows its scale and, per neighbouring relation, the sensitivity of the query it protects (L2 for
Gaussian, L1 for Laplace). The sampler draws from it, the privacy loss evaluates its density, and every
accountant reads it. `unit` is 1, or one factor per run that multiplies scale and sensitivity alike (a clip
norm that follows the public iterates).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from dpverify.neighbours import Adjacency

Array = np.ndarray[Any, Any]

BATCH_LIMIT = 20_000  # batches that an exact mixture enumerates at most


class NotEnumerable(ValueError):
    """The exact mixture over secret batches has too many components; the message says how many."""


def _check_sensitivity(sensitivity: Mapping[Adjacency, Any]) -> None:
    if not sensitivity:
        raise ValueError("Expected sensitivity for at least one neighbouring relation, got sensitivity={}.")
    for adjacency, value in sensitivity.items():
        if not np.all(np.asarray(value) >= 0):
            raise ValueError(f"Expected sensitivity[{adjacency}]={value} >= 0.")


def _look_up(sensitivity: Mapping[Adjacency, Any], adjacency: Adjacency) -> Any:
    if adjacency not in sensitivity:
        declared = ", ".join(str(known) for known in sensitivity)
        raise ValueError(
            f"Expected adjacency={str(adjacency)!r} among the relations whose sensitivity is "
            f"declared: {declared}."
        )
    return sensitivity[adjacency]


def _rows(residual: Array) -> Array:
    return residual.reshape(len(residual), -1)


def _degenerate(residual: Array) -> Array:
    return np.where(np.any(_rows(residual) != 0, axis=1), -np.inf, 0.0)


@dataclass(frozen=True)
class _Noisy:
    """The value of a query plus independent noise of one scale on each coordinate."""

    scale: float
    sensitivity: Mapping[Adjacency, float]

    def __post_init__(self) -> None:
        if not self.scale >= 0:
            raise ValueError(f"Expected scale={self.scale} >= 0.")
        _check_sensitivity(self.sensitivity)

    def ratio(self, adjacency: Adjacency) -> float:
        """Sensitivity over scale: all that an accountant of this release needs (for Laplace, its epsilon)."""
        sensitivity = _look_up(self.sensitivity, adjacency)
        return 0.0 if sensitivity == 0 else math.inf if self.scale == 0 else float(sensitivity / self.scale)


@dataclass(frozen=True)
class Gaussian(_Noisy):
    """The query's value plus N(0, scale^2 I); `sensitivity` is in the L2 norm.

    >>> from dpverify.neighbours import REPLACE
    >>> Gaussian(scale=2.0, sensitivity={REPLACE: 1.0}).ratio(REPLACE)
    0.5
    """

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise for a value of that shape, at unit 1."""
        if self.scale == 0:
            return np.zeros(shape)
        drawn = rng.standard_normal(shape)
        drawn *= self.scale
        return drawn

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, one per run; at scale 0 it is 0 where the residual is 0,
        else -inf.
        """
        scale = np.full(len(residual), self.scale) if unit is None else self.scale * unit
        safe = np.where(scale > 0, scale, 1.0)
        rows = _rows(residual)
        log = -0.5 * np.einsum("rk,rk->r", rows, rows) / safe**2 - rows.shape[1] * np.log(
            safe * math.sqrt(2 * math.pi)
        )
        return np.where(scale > 0, log, _degenerate(residual))

    def variance(self) -> float:
        """The variance of one coordinate of the noise."""
        return self.scale**2


@dataclass(frozen=True)
class Laplace(_Noisy):
    """The query's value plus i.i.d. Laplace noise of that *scale* (density exp(-|u|/b) / 2b, variance 2 b^2);
    L1 sensitivity.

    >>> from dpverify.neighbours import REPLACE
    >>> Laplace(scale=2.0, sensitivity={REPLACE: 1.0}).variance()
    8.0
    """

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise for a value of that shape, at unit 1: an exponential with a random sign."""
        if self.scale == 0:
            return np.zeros(shape)
        drawn = rng.standard_exponential(shape)
        drawn *= self.scale
        signs = rng.integers(0, 256, size=(drawn.size + 7) // 8, dtype=np.uint8)
        np.negative(drawn, out=drawn, where=np.unpackbits(signs, count=drawn.size).reshape(shape).view(bool))
        return drawn

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, one per run; at scale 0 it is 0 where the residual is 0,
        else -inf.
        """
        scale = np.full(len(residual), self.scale) if unit is None else self.scale * unit
        safe = np.where(scale > 0, scale, 1.0)
        rows = _rows(residual)
        log = -np.abs(rows).sum(axis=1) / safe - rows.shape[1] * np.log(2 * safe)
        return np.where(scale > 0, log, _degenerate(residual))

    def variance(self) -> float:
        """The variance of one coordinate of the noise."""
        return 2 * self.scale**2


def occurrences(first: int, last: int, period: int, decay: float = 1.0) -> list[float]:
    """What 0, 1, 2, ... occurrences, one in an epoch, weigh in a node at most: each as late as its epoch and
    the node let it be.

    >>> occurrences(1, 4, period=2), occurrences(2, 3, period=2, decay=0.5)
    ([0.0, 1.0, 2.0], [0.0, 1.0, 1.5])
    """
    sums, place = [0.0], last
    while place >= first:
        sums.append(sums[-1] + decay ** (last - place))
        place = (place - 1) // period * period  # the end of the epoch before
    return sums


@dataclass(frozen=True)
class TreeNode:
    """Sums over some nodes of a binary tree of steps, each with its own Gaussian noise; the value has shape
    (runs, nodes, d).

    `nodes` are the intervals (first, last) of steps summed; `scale` has one entry per node; `sensitivity`
    (one entry per node) is
    what *one occurrence* of a record moves that node's sum by, at its last step; at step i it is decay^(last
    - i) times that. A
    record occurs once in every epoch (steps 1..period, period+1..2 period, ...), anywhere in it.

    >>> from dpverify.neighbours import REPLACE
    >>> node = TreeNode(scale=(2.0, 2.0), sensitivity={REPLACE: (1.0, 1.0)}, nodes=((2, 2), (1, 2)), period=4)
    >>> node.noise(np.random.default_rng(0), (5, 2, 3)).shape
    (5, 2, 3)
    """

    scale: tuple[float, ...]
    sensitivity: Mapping[Adjacency, tuple[float, ...]]
    nodes: tuple[tuple[int, int], ...]
    period: int
    decay: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise ValueError(f"Expected 0 <= decay={self.decay} <= 1.")
        if len(self.scale) != len(self.nodes):
            raise ValueError(
                f"Expected one scale per node, got scale={self.scale} for {len(self.nodes)} nodes."
            )
        if not all(s >= 0 for s in self.scale):
            raise ValueError(f"Expected scale={self.scale} >= 0.")
        _check_sensitivity(self.sensitivity)
        for adjacency, per_node in self.sensitivity.items():
            if len(per_node) != len(self.nodes):
                raise ValueError(
                    f"Expected one sensitivity per node, got sensitivity[{adjacency}]={per_node} "
                    f"for {len(self.nodes)} nodes."
                )
        for first, last in self.nodes:
            if not 1 <= first <= last:
                raise ValueError(
                    f"Expected nodes (first, last) with 1 <= first <= last, got {(first, last)}."
                )
        if self.period < 1:
            raise ValueError(f"Expected period={self.period} >= 1.")

    def ratios(self, adjacency: Adjacency) -> tuple[float, ...]:
        """Sensitivity over scale of every node, for one occurrence of the record."""
        pairs = zip(_look_up(self.sensitivity, adjacency), self.scale)
        return tuple(0.0 if s == 0 else math.inf if scale == 0 else float(s / scale) for s, scale in pairs)

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise for a value of shape (runs, nodes, d), at unit 1."""
        drawn = rng.standard_normal(shape)
        drawn *= np.asarray(self.scale)[:, None]
        return drawn

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, one per run."""
        total = np.zeros(len(residual))
        for k, scale in enumerate(self.scale):
            total += Gaussian(scale, self.sensitivity_of(k)).log_density(residual[:, k], unit)
        return total

    def sensitivity_of(self, k: int) -> dict[Adjacency, float]:
        """The sensitivity of node k to one occurrence."""
        return {adjacency: per_node[k] for adjacency, per_node in self.sensitivity.items()}

    def most(self, k: int) -> float:
        """What all occurrences of a record move node k by at most, in units of its sensitivity to one."""
        return occurrences(*self.nodes[k], self.period, self.decay)[-1]


@dataclass(frozen=True)
class Subsampled:
    """A release on a fresh secret batch: `size` of `of` records, drawn in one of three ways.

    `how` is "without replacement", "with replacement", or "poisson" (every record with probability size/of,
    so that `size` is the expected size). A batch is an array (runs, width) of record numbers, -1 for nobody,
    or, for large batches, an array (runs, records) of True and False. With `first`, the batch is drawn from
    the records first, ..., first + of - 1 alone (one client's), and the others pay nothing for it.

    >>> from dpverify.neighbours import REPLACE
    >>> step = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=2, of=50)
    >>> step.batch(np.random.default_rng(0), 3).shape
    (3, 2)
    """

    inner: Gaussian | Laplace
    size: float
    of: int
    how: str = "without replacement"
    first: int | None = None

    def __post_init__(self) -> None:
        if self.how not in ("without replacement", "with replacement", "poisson"):
            raise ValueError(
                f"Expected how={self.how!r} to be 'without replacement', 'with replacement' or 'poisson'."
            )
        if not 0 < self.size <= self.of:
            raise ValueError(f"Expected 0 < size={self.size} <= of={self.of}, the number of records.")
        if self.how != "poisson" and self.size != int(self.size):
            raise ValueError(f"Expected a whole size={self.size} for how={self.how!r}.")

    @property
    def scale(self) -> float:
        return self.inner.scale

    @property
    def sensitivity(self) -> Mapping[Adjacency, float]:
        return self.inner.sensitivity

    @property
    def rate(self) -> float:
        """The probability that a record is in the batch (for "with replacement": the mean number of times it
        is).
        """
        return self.size / self.of

    def ratio(self, adjacency: Adjacency) -> float:
        """Sensitivity over scale, the batch given."""
        return self.inner.ratio(adjacency)

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise for a value of that shape, at unit 1."""
        return self.inner.noise(rng, shape)

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, the batch given, one per run."""
        return self.inner.log_density(residual, unit)

    def variance(self) -> float:
        """The variance of one coordinate of the noise."""
        return self.inner.variance()

    def batch(self, rng: np.random.Generator, runs: int, records: int | None = None) -> Array:
        """One batch of record numbers per run; `records` is the size of the data set at hand where it is not
        `of` (Poisson only).
        """
        n = self.of if records is None else records
        if self.first is not None:
            if n < self.first + self.of:
                raise ValueError(f"Expected a data set of at least {self.first + self.of} records, got {n}.")
            inside = replace(self, first=None).batch(rng, runs)
            if inside.dtype != bool:
                return np.where(inside >= 0, inside + self.first, -1)
            batch = np.zeros((runs, n), dtype=bool)
            batch[:, self.first : self.first + self.of] = inside
            return batch
        if self.how == "poisson":
            if self.rate > 1 / 16:
                return rng.random((runs, n)) < self.rate
            sizes = rng.binomial(n, self.rate, size=runs)
            batch = _distinct(rng, runs, max(int(sizes.max(initial=0)), 1), n)
            batch[np.arange(batch.shape[1]) >= sizes[:, None]] = -1
            return batch
        if n != self.of:
            raise ValueError(f"Expected a data set of of={self.of} records for sampling {self.how}, got {n}.")
        if self.how == "with replacement":
            return rng.integers(0, n, size=(runs, int(self.size)))
        if self.size > max(1, n // 8):
            return _subset(rng, runs, int(self.size), n)
        return (
            _floyd(rng, runs, int(self.size), n)
            if self.size <= 256
            else _distinct(rng, runs, int(self.size), n)
        )

    def batches(self, groups: Array) -> tuple[Array, Array]:
        """Every batch that matters and its log probability; `groups[i]` numbers the distinct value that
        record i has.
        """
        start, records = self.first or 0, len(groups)
        groups = (
            np.unique(groups[start : start + self.of], return_inverse=True)[1]
            if self.first is not None
            else groups
        )
        outcomes = list(self._counts(np.bincount(groups)))
        members = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
        numbers = [
            start + np.concatenate([np.resize(rows, c) for rows, c in zip(members, counts)]).astype(int)
            for counts, _ in outcomes
        ]
        log = np.array([log for _, log in outcomes])
        if self.how == "with replacement":
            return np.array(numbers), log
        batch = np.zeros((len(outcomes), records), dtype=bool)
        for row, chosen in zip(batch, numbers):
            row[chosen] = True
        return batch, log

    def _counts(self, sizes: Array) -> Iterator[tuple[tuple[int, ...], float]]:
        """How often each distinct value may be drawn, with its log probability."""
        n, m = int(sizes.sum()), int(self.size)
        poisson = self.how == "poisson"
        bound = math.prod(min(int(c), n if poisson else m) + 1 for c in sizes[: -1 if not poisson else None])
        if self.how == "with replacement":
            bound = (m + 1) ** (len(sizes) - 1)
        exact = math.comb(m + len(sizes) - 1, m)
        if (bound if poisson else min(bound, exact)) > BATCH_LIMIT:
            raise NotEnumerable(
                f"the exact mixture over secret batches of {self.size:g} of {n} records with "
                f"{len(sizes)} distinct values "
                f"has more than {BATCH_LIMIT} components"
            )
        if poisson:
            for counts in product(*(range(int(c) + 1) for c in sizes)):
                k = sum(counts)
                log = sum(_log_comb(int(c), b) for c, b in zip(sizes, counts))
                q = self.rate
                yield (
                    counts,
                    log + (k * math.log(q) if k else 0.0) + ((n - k) * math.log1p(-q) if k < n else 0.0),
                )
            return
        with_replacement = self.how == "with replacement"
        for counts in _compositions(m, tuple(m if with_replacement else int(c) for c in sizes)):
            if with_replacement:
                log = math.lgamma(m + 1) + sum(
                    b * math.log(c / n) - math.lgamma(b + 1) for c, b in zip(sizes, counts)
                )
            else:
                log = sum(_log_comb(int(c), b) for c, b in zip(sizes, counts)) - _log_comb(n, m)
            yield counts, log


Release = Gaussian | Laplace | TreeNode | Subsampled


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _compositions(total: int, caps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The tuples of len(caps) whole numbers, each at most its cap, that add up to `total`."""
    if len(caps) == 1:
        if total <= caps[0]:
            yield (total,)
        return
    rest = sum(caps[1:])
    for first in range(max(0, total - rest), min(total, caps[0]) + 1):
        for tail in _compositions(total - first, caps[1:]):
            yield (first, *tail)


def _subset(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """A uniformly random subset of that size for every run, as True and False."""
    if size == n:
        return np.ones((runs, n), dtype=bool)
    keys = rng.random((runs, n))
    chosen = np.zeros((runs, n), dtype=bool)
    np.put_along_axis(chosen, np.argpartition(keys, size - 1, axis=1)[:, :size], True, axis=1)
    return chosen


def _floyd(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """A uniformly random subset for every run by Floyd's method: a number that was drawn before gives way to
    the newest one.
    """
    chosen = np.empty((size, runs), dtype=np.int64)
    for k, newest in enumerate(range(n - size, n)):
        drawn = rng.integers(0, newest + 1, size=runs)
        drawn[(chosen[:k] == drawn).any(axis=0)] = newest
        chosen[k] = drawn
    return chosen.T


def _distinct(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """`size` distinct numbers below n for every run, in random order."""
    if size == 1:
        return rng.integers(0, n, size=(runs, 1))
    if size > n // 8:
        return np.argsort(rng.random((runs, n)), axis=1)[:, :size]
    # Draw with replacement and keep the first `size` distinct ones; every value is treated alike, so the
    # subset is uniform.
    width = size + 4 + int(2 * size * size / n)
    result = np.empty((runs, size), dtype=np.int64)
    todo = np.arange(runs)
    while len(todo):
        drawn = rng.integers(0, n, size=(len(todo), width))
        order = np.argsort(drawn, axis=1, kind="stable")
        ranked = np.take_along_axis(drawn, order, axis=1)
        first = np.ones(drawn.shape, dtype=bool)
        np.put_along_axis(first, order[:, 1:], ranked[:, 1:] != ranked[:, :-1], axis=1)
        enough = first.sum(axis=1) >= size
        kept = first[enough] & (np.cumsum(first[enough], axis=1) <= size)
        result[todo[enough]] = drawn[enough][kept].reshape(-1, size)
        todo = todo[~enough]
    return result
