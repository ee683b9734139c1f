"""A network with one hidden layer whose records have gradient norms in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.neighbours import Data
from dpverify.problems.base import Problem
from dpverify.problems.records import Records, finite, slices, sparse

Array = np.ndarray[Any, Any]


def _nobody(data: Records) -> Array:
    """Which records are all zero."""
    if "nobody" not in data.memo:
        data.memo["nobody"] = (data.norms(1) == 0) & (data.targets == 0)
    return data.memo["nobody"]


@dataclass(frozen=True, kw_only=True)
class Network(Problem):
    """One hidden layer: F(x) = (1/N) sum_i (v'softplus(W a_i) - y_i)^2 / 2, x = (W row by row, v); norms in
    closed form.

    A record of zeros, target included, is nobody: it adds nothing to the sum, as zeroing a record out means.

    >>> network(2, hidden=3, count=4).dimension
    9
    """

    hidden: int

    @property
    def width(self) -> int:
        return self.dimension // self.hidden - 1

    def _parts(self, x: Array, a: Array, y: Array) -> tuple[Array, Array, Array]:
        """The residuals (runs, n), and the factors P, Q of a record's gradient: (P a' for W, Q for v)."""
        weights = x[:, : -self.hidden].reshape(len(x), self.hidden, self.width)
        v = x[:, -self.hidden :]
        u = a @ weights.transpose(0, 2, 1)
        tail = np.exp(-np.abs(u))  # softplus and its slope, neither of which overflows
        out = np.maximum(u, 0.0) + np.log1p(tail)
        slope = np.where(u > 0, 1.0, tail) / (1 + tail)
        r = (out @ v[:, :, None])[..., 0] - y
        return r, r[..., None] * (v[:, None, :] * slope), r[..., None] * out

    def _factors(self, x: Array, minus: Array | None, a: Array, y: Array) -> tuple[Array, Array]:
        """The factors of every record's gradient at x, less those at `minus`; where all runs have the same
        records, both are found in one go.
        """
        if minus is None:
            return self._parts(x, a, y)[1:]
        if a.ndim == 3:
            (_, p, q), (_, p2, q2) = self._parts(x, a, y), self._parts(minus, a, y)
            return p - p2, q - q2
        _, p, q = self._parts(np.concatenate([x, minus]), a, y)
        return p[: len(x)] - p[len(x) :], q[: len(x)] - q[len(x) :]

    def private_value(self, x: Array, data: Data | Records) -> Array:
        loaded = self.load(data)
        total = np.zeros(len(x))
        for part in slices(len(loaded), len(x) * self.hidden):
            r = self._parts(x, loaded.features[part], loaded.targets[part])[0]
            total += 0.5 * np.einsum("nm,nm,m->n", r, r, 1.0 - _nobody(loaded)[part])
        return total

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
        norms = loaded.norms(order)
        clip = np.asarray(clip, dtype=float)
        if not np.all(clip >= 0):
            raise ValueError(f"Expected clip={clip.min()} >= 0.")
        runs = len(x)
        total = np.zeros((runs, self.dimension))
        batch = sparse(batch)
        whole = batch is None or batch.dtype == bool
        columns = len(loaded) if batch is None else batch.shape[1]
        inner = self.hidden * (1 if whole else self.width)
        for columns_here in slices(columns, runs * inner):
            rows: Any = columns_here if batch is None or whole else batch[:, columns_here]
            a = loaded.features[rows]
            y = loaded.targets[rows]
            norm = norms[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                p, q = self._factors(x, minus, a, y)
                if order == 2:
                    length = np.sqrt((p * p).sum(axis=2) * norm**2 + (q * q).sum(axis=2))
                else:
                    length = np.abs(p).sum(axis=2) * norm + np.abs(q).sum(axis=2)
                bound = clip[:, None] if clip.ndim else clip
                factor = np.where(length > bound, bound / np.where(length > 0, length, 1.0), 1.0)
            bad = ~np.isfinite(length) | _nobody(loaded)[rows]  # a gradient that overflows counts as 0
            if batch is not None:
                bad |= ~batch[:, columns_here] if whole else rows < 0
            if bad.any():
                p, q = np.where(bad[..., None], 0.0, p), np.where(bad[..., None], 0.0, q)
            p, q = p * factor[..., None], q * factor[..., None]
            total[:, : -self.hidden] += (p.transpose(0, 2, 1) @ a).reshape(runs, -1)
            total[:, -self.hidden :] += q.sum(axis=1)
        return total

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        """The best of a few local searches: an upper bound on the minimum, since the problem is not
        convex.
        """
        from scipy.optimize import minimize

        loaded = self.load(data)
        rng = np.random.default_rng(0)
        starts = [self.start, *(self.start + rng.standard_normal(self.dimension) for _ in range(4))]
        results = [
            minimize(
                lambda x: (self.value(x[None], loaded)[0], self.gradient(x[None], loaded)[0]),
                s,
                jac=True,
                options={"maxiter": 2000},
            )
            for s in starts
        ]
        best = min(results, key=lambda result: result.fun)
        return best.x, float(best.fun)


def network(features: int, *, hidden: int, count: int, start: Any = None) -> Network:
    """A softplus network with that many features and hidden units; it starts at a fixed random point.

    >>> network(2, hidden=3, count=4).start.shape
    (9,)
    """
    if hidden < 1:
        raise ValueError(f"Expected hidden={hidden} >= 1.")
    d = hidden * (features + 1)
    if start is None:
        start = np.random.default_rng(0).standard_normal(d) / np.sqrt(max(features, hidden))
    return Network(dimension=d, count=count, start=finite(start, "start"), hidden=hidden)
