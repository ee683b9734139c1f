"""Quadratics with public curvature and one private vector a record, among them the mean of the records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.neighbours import Data
from dpverify.problems.base import Problem, repeated
from dpverify.problems.records import Records, finite, limits, scratch, width_for

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Quadratic(Problem):
    """F(x) = sum_j spectrum_j x_j^2 / 2 - (1/N) sum_i b_i'x: public curvature, one private vector b_i per
    record.

    A record's gradient is -b_i, so the query does not depend on x and the privacy loss of Gaussian releases
    is exactly normal.

    >>> problem = quadratic([1.0, 4.0], count=2)
    >>> problem.gradient(np.array([[1.0, 1.0]]), np.array([[2.0, 0.0], [0.0, 2.0]])).tolist()
    [[0.0, 3.0]]
    """

    spectrum: Array
    _memo: dict[str, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.all(finite(self.spectrum, "spectrum") > 0):
            raise ValueError(f"Expected spectrum > 0, got spectrum={self.spectrum.tolist()}.")

    @property
    def work(self) -> int:
        return 1

    def public_value(self, x: Array) -> Array:
        return 0.5 * (x * x) @ self.spectrum

    def public_gradient(self, x: Array) -> Array:
        return x * self.spectrum

    def with_public(self, x: Array, private: Array) -> Array:
        total = x * self._curvatures(len(x))
        total += private
        return total

    def _curvatures(self, runs: int) -> Array:
        """The spectrum written out for every run of a block, which is multiplied faster than one row is; of
        more runs, that one row.
        """
        if runs * self.dimension > CACHED:
            return self.spectrum
        if len(self._memo.get("curvatures", ())) < runs:
            self._memo["curvatures"] = np.tile(self.spectrum, (runs, 1))
        return self._memo["curvatures"][:runs]

    def private_value(self, x: Array, data: Data | Records) -> Array:
        return -x @ self.load(data).features.sum(axis=0)

    def private_sum(
        self,
        x: Array,
        data: Data | Records,
        clip: Any = np.inf,
        *,
        batch: Array | None = None,
        minus: Array | None = None,
        order: int = 2,
    ) -> Array:
        loaded = self.load(data)
        if minus is not None:
            return np.zeros(x.shape)
        if isinstance(clip, np.ndarray) and clip.ndim:
            weights = -np.minimum(limits(clip, loaded.inverse_norms(order)), 1.0)
            if batch is None or batch.dtype == bool:
                return (weights if batch is None else weights * batch) @ loaded.features
            return _gather(weights, loaded.features, batch)
        rows, total = self._clipped(loaded, float(clip), order)
        return repeated(total, len(x)) if batch is None else _sums(batch, rows)

    def private_mean(
        self, x: Array, data: Data | Records, clip: float, count: float, *, batch: Array | None = None
    ) -> Array:
        loaded = self.load(data)
        rows, mean = self._clipped(loaded, float(clip), 2, float(count))
        if batch is not None:
            return _sums(batch, rows)
        # The same for all runs: written out once, it is added faster than one row to each.
        key = ("mean", float(clip), float(count), len(x))
        if key not in loaded.memo:
            loaded.memo[key] = np.tile(mean, (len(x), 1))
            loaded.memo[key].setflags(write=False)
        return loaded.memo[key]

    def _clipped(self, loaded: Records, clip: float, order: int, count: float = 1.0) -> tuple[Array, Array]:
        """The clipped gradients over `count`, and their sum."""
        key = ("clipped", clip, order, count)
        if key not in loaded.memo:
            shares = -np.minimum(limits(clip, loaded.inverse_norms(order)), 1.0) / count
            rows = shares[:, None] * loaded.features
            loaded.memo[key] = rows, rows.sum(axis=0)
            loaded.memo[key][1].setflags(write=False)
        return loaded.memo[key]

    def hessian(self, data: Data | Records) -> Array:
        return np.diag(self.spectrum)

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        best = self.load(data).features.sum(axis=0) / self.count / self.spectrum
        return best, float(self.value(best[None], data)[0])


def quadratic(spectrum: Any, *, count: int, start: Any = None, radius: float | None = None) -> Quadratic:
    """A quadratic with that spectrum and `count` records; `radius` bounds the L2 norm of a record, if known.

    >>> quadratic([1.0, 2.0], count=10).smoothness
    2.0
    """
    spectrum = np.atleast_1d(finite(spectrum, "spectrum"))
    d = len(spectrum)
    return Quadratic(
        dimension=d,
        count=count,
        start=np.ones(d) if start is None else finite(start, "start"),
        smoothness=float(spectrum.max()),
        pl=float(spectrum.min()),
        lipschitz=radius,
        lipschitz1=None if radius is None else radius * d**0.5,
        spectrum=spectrum,
    )


def mean_estimation(
    dimension: int, *, count: int, start: Any = None, radius: float | None = None
) -> Quadratic:
    """F(x) = |x|^2 / 2 - (1/N) sum_i y_i'x, whose minimiser is the mean of the records.

    >>> mean_estimation(2, count=2).optimum(np.array([[0.0, 2.0], [2.0, 2.0]]))[0].tolist()
    [1.0, 2.0]
    """
    start = np.zeros(dimension) if start is None else start
    return quadratic(np.ones(dimension), count=count, start=start, radius=radius)


CACHED = 2**15  # entries of a temporary array that stays in the processor's cache


def _sums(batch: Array, rows: Array) -> Array:
    """The sum of the rows in each run's batch."""
    return _masked(batch, rows) if batch.dtype == bool else _gather(None, rows, batch)


def _masked(batch: Array, rows: Array) -> Array:
    """The sum of the rows in each run's batch, some runs at a time, so that what is multiplied stays in the
    processor's cache.
    """
    total = np.empty((len(batch), rows.shape[1]))
    width = max(1, -(-len(batch) // max(1, round(batch.size / CACHED))))
    numbers = batch.view(np.uint8)  # which become floats sooner than True and False do
    room = scratch("times", (width, batch.shape[1]))
    for a in range(0, len(batch), width):
        part = numbers[a : a + width]
        times = room[: len(part)]
        times[...] = part
        np.matmul(times, rows, out=total[a : a + width])
    return total


def _counted(batch: Array, rows: Array) -> Array:
    """The same for lists of records, which may stand in a list several times."""
    total = np.empty((len(batch), rows.shape[1]))
    width = max(1, CACHED // len(rows))
    for a in range(0, len(batch), width):
        part = batch[a : a + width]
        flat = (part + len(rows) * np.arange(len(part))[:, None]).ravel()
        times = np.zeros(len(part) * len(rows))
        times[flat] = 1.0
        if times.sum() < len(flat):
            times = np.bincount(flat, minlength=len(times)).astype(float)
        np.matmul(times.reshape(len(part), -1), rows, out=total[a : a + width])
    return total


def _added(batch: Array, rows: Array) -> Array:
    """The same for short lists: their rows one after the other."""
    numbers = np.ascontiguousarray(batch.T)
    total = rows.take(numbers[0], axis=0)
    next_one = scratch("next", total.shape)
    for row in numbers[1:]:
        total += rows.take(row, axis=0, out=next_one, mode="clip")
    return total


def _gather(weights: Array | None, rows: Array, batch: Array) -> Array:
    """sum over each run's batch of weights[run, record] * rows[record]; -1 counts as nobody."""
    runs, m = batch.shape
    if weights is None and m and batch.min(initial=0) >= 0 and batch.max(initial=0) < len(rows):
        return _counted(batch, rows) if 4 * m >= len(rows) else _added(batch, rows)
    total = np.zeros((runs, rows.shape[1]))
    width = width_for(runs * rows.shape[1])
    for a in range(0, m, width):
        part = batch[:, a : a + width]
        factor = (part >= 0).astype(float)
        if weights is not None:
            factor *= np.take_along_axis(weights, np.maximum(part, 0), axis=1)
        total += np.einsum("rm,rmp->rp", factor, rows[part])
    return total
