"""Linear models: a record's gradient is a multiple of its features, so that its norm is in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.neighbours import Data
from dpverify.problems.base import Problem
from dpverify.problems.records import Records, finite, limits, scratch, slices, sparse, width_for

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Linear(Problem):
    """F(x) = ridge |x|^2 + (1/N) sum_i loss(a_i'x, y_i): a record's gradient is slope(a_i'x, y_i) a_i, so its
    norm is closed form.

    `kind` is "squares" (u-y)^2/2, "logistic" ln(1+exp(-y u)), or "wavy" (u-y)^2 + 3 sin(u-y)^2, which
    satisfies the Polyak-Lojasiewicz inequality and is not convex.

    >>> least_squares(np.ones((1, 2)), count=1).gradient(np.zeros((1, 2)), (np.ones((1, 2)),
    ...     np.ones(1))).tolist()
    [[-1.0, -1.0]]
    """

    kind: str
    ridge: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("squares", "logistic", "wavy"):
            raise ValueError(f"Expected kind={self.kind!r} to be 'squares', 'logistic' or 'wavy'.")
        if not self.ridge >= 0:
            raise ValueError(f"Expected ridge={self.ridge} >= 0.")

    def public_value(self, x: Array) -> Array:
        return self.ridge * np.einsum("rd,rd->r", x, x)

    def public_gradient(self, x: Array) -> Array | float:
        return 2 * self.ridge * x if self.ridge else 0.0

    def _loss(self, u: Array, y: Array) -> Array:
        if self.kind == "logistic":
            return np.logaddexp(0.0, -y * u)
        r = u - y
        return 0.5 * r * r if self.kind == "squares" else r * r + 3 * np.sin(r) ** 2

    def _slope(self, u: Array, y: Array) -> Array:
        """The derivative of the loss in u, written over u: large arrays that come and go cost more than what
        is computed in them.
        """
        if self.kind == "logistic":
            u *= y
            np.exp(u, out=u)
            u += 1
            return np.divide(-y, u, out=u)
        u -= y
        return u if self.kind == "squares" else 2 * u + 3 * np.sin(2 * u)

    def private_value(self, x: Array, data: Data | Records) -> Array:
        loaded = self.load(data)
        total = np.zeros(len(x))
        for part in slices(len(loaded.features), len(x)):
            total += self._loss(x @ loaded.features[part].T, loaded.targets[part]).sum(axis=1)
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
        limit = limits(clip, loaded.inverse_norms(order))
        total = np.zeros(x.shape)
        batch = sparse(batch)
        if batch is None or batch.dtype == bool:
            for part in slices(len(loaded.features), len(x)):
                a, y = loaded.features[part], loaded.targets[part]
                shape = len(x), len(a)
                with np.errstate(over="ignore", invalid="ignore"):
                    c = self._slope(np.matmul(x, a.T, out=scratch("slopes", shape)), y)
                    if minus is not None:
                        c -= self._slope(np.matmul(minus, a.T, out=scratch("others", shape)), y)
                c = _clipped(c, limit[..., part])
                total += (c if batch is None else c * batch[:, part]) @ a
            return total
        width = width_for(x.size)
        for first in range(0, batch.shape[1], width):
            chosen = batch[:, first : first + width]
            a, y = loaded.features[chosen], loaded.targets[chosen]
            with np.errstate(over="ignore", invalid="ignore"):
                c = self._slope(np.einsum("rmp,rp->rm", a, x), y)
                if minus is not None:
                    c -= self._slope(np.einsum("rmp,rp->rm", a, minus), y)
            most = (
                limit[chosen] if limit.ndim == 1 else np.take_along_axis(limit, np.maximum(chosen, 0), axis=1)
            )
            total += np.einsum("rm,rmp->rp", np.where(chosen >= 0, _clipped(c, most), 0.0), a)
        return total

    def hessian(self, data: Data | Records) -> Array | None:
        rows = self.load(data).features
        identity = np.eye(self.dimension)
        return rows.T @ rows / self.count + 2 * self.ridge * identity if self.kind == "squares" else None

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        loaded = self.load(data)
        curvature = self.hessian(loaded)
        if curvature is not None:
            pull = loaded.features.T @ loaded.targets / self.count
            best = np.linalg.lstsq(curvature, pull, rcond=None)[0]
        elif self.kind == "logistic":
            from scipy.optimize import minimize

            result = minimize(
                lambda x: (self.value(x[None], loaded)[0], self.gradient(x[None], loaded)[0]),
                self.start,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
            )
            best = result.x
        else:
            best = np.linalg.lstsq(loaded.features, loaded.targets, rcond=None)[0]
        return best, float(self.value(best[None], loaded)[0])


def _clipped(c: Array, limit: Array) -> Array:
    """Coefficients cut to their limits, in place; one that overflowed to NaN counts as 0, which is within
    every limit.
    """
    if not np.isfinite(c.sum()):
        np.nan_to_num(c, copy=False, nan=0.0)
    np.minimum(c, limit, out=c)
    return np.maximum(c, np.negative(limit, out=scratch("limits", limit.shape)), out=c)


def _linear(kind: str, features: Any, count: int, ridge: float, start: Any) -> Linear:
    curvature, pl_of_loss = CURVATURE[kind]
    a = finite(features, "features")
    if a.ndim != 2 or len(a) == 0:
        raise ValueError(f"Expected features of shape (records, dimension), got {a.shape}.")
    d = a.shape[1]
    spectrum = np.linalg.eigvalsh(a.T @ a / count) if d <= len(a) else np.linalg.eigvalsh(a @ a.T / count)
    pl = pl_of_loss * max(float(spectrum[0]), 0.0) + 2 * ridge
    slope = {"logistic": 1.0}.get(kind)
    return Linear(
        dimension=d,
        count=count,
        start=np.zeros(d) if start is None else finite(start, "start"),
        smoothness=curvature * float(spectrum[-1]) + 2 * ridge,
        pl=pl if pl > 0 else None,
        lipschitz=None if slope is None else slope * float(np.linalg.norm(a, axis=1).max()),
        lipschitz1=None if slope is None else slope * float(np.abs(a).sum(axis=1).max()),
        kind=kind,
        ridge=ridge,
    )


CURVATURE = {"squares": (1.0, 1.0), "logistic": (0.25, 0.0), "wavy": (8.0, 1 / 32)}  # most, and PL constant


def same_model(problem: Linear, features: Any) -> Linear:
    """The same model with the constants of these features.

    >>> same_model(least_squares(np.eye(2), count=2), 2 * np.eye(2)).smoothness
    2.0
    """
    return _linear(problem.kind, features, problem.count, problem.ridge, problem.start)


def least_squares(features: Any, *, count: int, ridge: float = 0.0, start: Any = None) -> Linear:
    """Least squares with the constants of these features (a public design, or constants that the caller
    vouches for).

    >>> least_squares(np.eye(2), count=2).smoothness
    0.5
    """
    return _linear("squares", features, count, ridge, start)


def logistic(features: Any, *, count: int, ridge: float = 0.0, start: Any = None) -> Linear:
    """Logistic regression, labels -1 and 1; mu comes from the ridge alone.

    >>> logistic(np.eye(2), count=2, ridge=0.01).pl
    0.02
    """
    return _linear("logistic", features, count, ridge, start)


def wavy(features: Any, *, count: int, start: Any = None) -> Linear:
    """A non-convex problem with the PL inequality: the residuals' u^2 + 3 sin(u)^2, at most as many records
    as dimensions.

        |F'|^2 >= 2 mu (F - 0),  mu = lambda_min(A A') / (32 N),  because u^2 + 3 sin(u)^2 has it with 1/32

    >>> wavy(np.eye(2), count=2).pl
    0.015625
    """
    a = finite(features, "features")
    if a.ndim != 2 or len(a) > a.shape[1]:
        raise ValueError(
            f"Expected features of shape (records, dimension) with records <= dimension, got {a.shape}."
        )
    return _linear("wavy", a, count, 0.0, start)
