"""Objectives whose records have clipped gradient sums in closed form, without ever building a (runs, records,
d) array.

    F(x) = public(x) + (1/N) sum_i f(x; record_i),    query  sum_i clip(grad f(x; record_i), C)

Only the second part depends on data. `public` (curvature, regulariser) is added by the update, so one record
moves the query by at most C when added, removed or zeroed, and by at most 2C when replaced. N is public: it
is a constant of the problem, not `len(data)`, which is private under add/remove. Each problem knows its
constants and its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.neighbours import Data, records
from dpverify.problems.records import Records, finite

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What the problems share: the dimension, the public number of records N, the start, the constants.

    `smoothness` is M (or L), `pl` the Polyak-Lojasiewicz (or strong convexity) constant mu, `lipschitz` a
    bound G on the L2 norm and `lipschitz1` on the L1 norm of a record's gradient (S1 = 2 lipschitz1 under
    replacement); None where there is none.
    """

    dimension: int
    count: int
    start: Array
    smoothness: float | None = None
    pl: float | None = None
    lipschitz: float | None = None
    lipschitz1: float | None = None

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ValueError(f"Expected dimension={self.dimension} >= 1.")
        if self.count < 1:
            raise ValueError(f"Expected count={self.count} >= 1.")
        if finite(self.start, "start").shape != (self.dimension,):
            raise ValueError(f"Expected start of shape ({self.dimension},), got {np.shape(self.start)}.")

    def load(self, data: Data | Records) -> Records:
        """The data set, checked; an already loaded one is returned as it is."""
        if isinstance(data, Records):
            return data
        if records(data) == 0:
            raise ValueError("Expected data with at least one record, got data with 0.")
        parts = data if isinstance(data, tuple) else (data,)
        features = finite(parts[0], "data")
        features = features.reshape(len(features), -1)
        if features.shape[1] != self.width:
            raise ValueError(
                f"Expected data with records of width {self.width}, got data of shape {np.shape(parts[0])}."
            )
        targets = finite(parts[1], "targets").reshape(-1) if len(parts) > 1 else np.zeros(len(features))
        return Records(features, targets)

    @property
    def width(self) -> int:
        """The number of features of a record."""
        return self.dimension

    def public_value(self, x: Array) -> Array:
        """The part of F that no record enters, at each row of x."""
        return np.zeros(len(x))

    def public_gradient(self, x: Array) -> Array | float:
        """The gradient of the part of F that no record enters."""
        return 0.0

    def with_public(self, x: Array, private: Array) -> Array:
        """The public gradient at x plus `private`, in a new array that the caller may change."""
        total = np.array(np.broadcast_to(self.public_gradient(x), x.shape))
        total += private
        return total

    def private_value(self, x: Array, data: Data | Records) -> Array:
        """sum_i f(x; record_i) at each row of x."""
        raise NotImplementedError

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
        """sum_i clip(grad f(x; record_i) - grad f(minus; record_i), clip) over all records, or over each
        run's own batch.

        `clip` is a number or one per run; `order` is the norm that is clipped. `batch` is an array (runs, m)
        of record numbers, -1 for nobody, or (runs, records) of True and False. The sum is a new array, or the
        same row for all runs.
        """
        raise NotImplementedError

    def private_mean(
        self, x: Array, data: Data | Records, clip: float, count: float, *, batch: Array | None = None
    ) -> Array:
        """The clipped sum of `private_sum` over `count`; read it, do not change it."""
        total = self.private_sum(x, data, clip, batch=batch)
        return np.divide(total, count, out=total if total.flags.writeable else None)

    @property
    def work(self) -> int:
        """How many records a sum over all of them goes through; 1 where it is known in closed form."""
        return self.count

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        """A minimiser of F and its value."""
        raise NotImplementedError

    def value(self, x: Array, data: Data | Records) -> Array:
        """F at each row of x."""
        return self.public_value(x) + self.private_value(x, data) / self.count

    def gradient(self, x: Array, data: Data | Records) -> Array:
        """The gradient of F at each row of x, nothing clipped."""
        return self.public_gradient(x) + self.private_sum(x, data) / self.count

    def hessian(self, data: Data | Records) -> Array | None:
        """The second derivative of F where F is quadratic, else None."""
        return None

    def excess(self, x: Array, data: Data | Records) -> Array:
        """F(x) - F* at each row of x; of a quadratic without cancellation, (x - x*)'H(x - x*)/2."""
        loaded = self.load(data)
        if "optimum" not in loaded.memo:
            loaded.memo["optimum"] = *self.optimum(loaded), self.hessian(loaded)
        best, least, hessian = loaded.memo["optimum"]
        if hessian is None:
            return self.value(x, loaded) - least
        away = x - best
        return 0.5 * np.einsum("ri,ri->r", away @ hessian, away)


def repeated(row: Array, runs: int) -> Array:
    """The same row for every run, without a copy of it; read-only if the row is.

    >>> repeated(np.ones(2), 3).strides[0]
    0
    """
    return np.ndarray((runs, len(row)), buffer=row, strides=(0, row.itemsize))
