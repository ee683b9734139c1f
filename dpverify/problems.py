"""Objectives whose records have clipped gradient sums in closed form, without ever building a (runs, records,
d) array.

    F(x) = public(x) + (1/N) sum_i f(x; record_i),    query  sum_i clip(grad f(x; record_i), C)

Only the second part depends on data. `public` (curvature, regulariser) is added by the update, so one record
moves the query by at most C when added, removed or zeroed, and by at most 2C when replaced. N is public: it
is a constant of the problem, not `len(data)`, which is private under add/remove. Each problem knows its
constants and its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.neighbours import Data, records

Array = np.ndarray[Any, Any]

_ELEMENTS = 2**21  # a temporary array has at most about this many entries


def finite(value: Any, name: str) -> Array:
    """`value` as an array of floats; NaN and infinity are refused by name.

    >>> finite([1, 2], "data").tolist()
    [1.0, 2.0]
    """
    array = np.asarray(value, dtype=float)
    if not np.all(np.isfinite(array)):
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"Expected finite numbers in {name}, got {name} with {bad}.")
    return array


@dataclass(frozen=True, eq=False)
class Records:
    """A checked data set with what does not depend on the iterate: the norms of its rows, and memoised
    sums.
    """

    features: Array  # (n, p)
    targets: Array  # (n,)
    memo: dict[Any, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.features)

    def norms(self, order: int) -> Array:
        """The L1 or L2 norm of every row, without overflow."""
        if order not in (1, 2):
            raise ValueError(f"Expected order={order} to be 1 or 2.")
        if ("norms", order) not in self.memo:
            largest = np.max(np.abs(self.features), axis=1, initial=0.0)
            scaled = self.features / np.where(largest > 0, largest, 1.0)[:, None]
            with np.errstate(over="ignore"):
                self.memo["norms", order] = np.minimum(
                    largest * np.linalg.norm(scaled, ord=order, axis=1), np.finfo(float).max
                )
        return self.memo["norms", order]

    def groups(self) -> Array:
        """For every record the number of its distinct value: equal records have equal numbers."""
        return np.unique(np.column_stack([self.features, self.targets]), axis=0, return_inverse=True)[
            1
        ].reshape(-1)


def _limits(clip: Any, norms: Array) -> Array:
    """The largest coefficient c with |c| norm <= clip; (n,) or, for one clip per run, (runs, n)."""
    clip = np.asarray(clip, dtype=float)
    if not np.all(clip >= 0):
        raise ValueError(f"Expected clip={clip if clip.ndim == 0 else clip.min()} >= 0.")
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(
            norms > 0, (clip[:, None] if clip.ndim else clip) / np.where(norms > 0, norms, 1.0), np.inf
        )


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
        of record numbers, -1 for nobody, or (runs, records) of True and False.
        """
        raise NotImplementedError

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        """A minimiser of F and its value."""
        raise NotImplementedError

    def value(self, x: Array, data: Data | Records) -> Array:
        """F at each row of x."""
        return self.public_value(x) + self.private_value(x, data) / self.count

    def gradient(self, x: Array, data: Data | Records) -> Array:
        """The gradient of F at each row of x, nothing clipped."""
        return self.public_gradient(x) + self.private_sum(x, data) / self.count

    def excess(self, x: Array, data: Data | Records) -> Array:
        """F(x) - F* at each row of x."""
        loaded = self.load(data)
        if "optimum" not in loaded.memo:
            loaded.memo["optimum"] = self.optimum(loaded)
        return self.value(x, loaded) - loaded.memo["optimum"][1]


def divided(total: Array, by: float) -> Array:
    """total / by; an answer that is the same for all runs is not spread out.

    >>> divided(np.broadcast_to(np.ones(2), (3, 2)), 2.0).strides[0]
    0
    """
    if total.ndim == 2 and total.strides[0] == 0 and len(total):
        return np.broadcast_to(total[0] / by, total.shape)
    return total / by


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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.all(finite(self.spectrum, "spectrum") > 0):
            raise ValueError(f"Expected spectrum > 0, got spectrum={self.spectrum.tolist()}.")

    def public_value(self, x: Array) -> Array:
        return 0.5 * (x * x) @ self.spectrum

    def public_gradient(self, x: Array) -> Array:
        return x * self.spectrum

    def with_public(self, x: Array, private: Array) -> Array:
        total = x * self.spectrum
        total += private
        return total

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
        if np.ndim(clip):
            weights = -np.minimum(_limits(clip, loaded.norms(order)), 1.0)
            if batch is None or batch.dtype == bool:
                return (weights if batch is None else weights * batch) @ loaded.features
            return _gather(weights, loaded.features, batch)
        key = ("clipped", float(clip), order)
        if key not in loaded.memo:
            rows = -np.minimum(_limits(clip, loaded.norms(order)), 1.0)[:, None] * loaded.features
            loaded.memo[key] = rows, rows.sum(axis=0)
        rows, total = loaded.memo[key]
        if batch is None:
            return np.broadcast_to(total, x.shape)
        return batch.astype(float) @ rows if batch.dtype == bool else _gather(None, rows, batch)

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


def _gather(weights: Array | None, rows: Array, batch: Array) -> Array:
    """sum over each run's batch of weights[run, record] * rows[record]; -1 counts as nobody."""
    runs, m = batch.shape
    everybody = weights is None and batch.min(initial=0) >= 0
    if m == 1 and everybody:
        return rows[batch[:, 0]]
    total = np.zeros((runs, rows.shape[1]))
    width = max(1, _ELEMENTS // max(1, runs * rows.shape[1]))
    for a in range(0, m, width):
        part = batch[:, a : a + width]
        if everybody:
            total += np.einsum("rmp->rp", rows[part])
            continue
        factor = (part >= 0).astype(float)
        if weights is not None:
            factor *= np.take_along_axis(weights, np.maximum(part, 0), axis=1)
        total += np.einsum("rm,rmp->rp", factor, rows[part])
    return total


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
        if self.kind == "logistic":
            slope = y * u
            np.exp(slope, out=slope)
            slope += 1
            return np.divide(-y, slope, out=slope)
        r = u - y
        return r if self.kind == "squares" else 2 * r + 3 * np.sin(2 * r)

    def private_value(self, x: Array, data: Data | Records) -> Array:
        loaded = self.load(data)
        total = np.zeros(len(x))
        for part in _slices(len(loaded), len(x)):
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
        limit = _limits(clip, loaded.norms(order))
        total = np.zeros(x.shape)
        batch = _sparse(batch)
        if batch is None or batch.dtype == bool:
            for part in _slices(len(loaded), len(x)):
                a, y = loaded.features[part], loaded.targets[part]
                with np.errstate(over="ignore", invalid="ignore"):
                    c = self._slope(x @ a.T, y)
                    if minus is not None:
                        c -= self._slope(minus @ a.T, y)
                c = _clipped(c, limit[..., part])
                total += (c if batch is None else c * batch[:, part]) @ a
            return total
        width = max(1, _ELEMENTS // max(1, x.size))
        for first in range(0, batch.shape[1], width):
            chosen = batch[:, first : first + width]
            a, y = loaded.features[chosen], loaded.targets[chosen]
            with np.errstate(over="ignore", invalid="ignore"):
                c = self._slope(np.einsum("rmp,rp->rm", a, x), y)
                if minus is not None:
                    c -= self._slope(np.einsum("rmp,rp->rm", a, minus), y)
            limits = (
                limit[chosen] if limit.ndim == 1 else np.take_along_axis(limit, np.maximum(chosen, 0), axis=1)
            )
            total += np.einsum("rm,rmp->rp", np.where(chosen >= 0, _clipped(c, limits), 0.0), a)
        return total

    def optimum(self, data: Data | Records) -> tuple[Array, float]:
        loaded = self.load(data)
        if self.kind == "squares":
            gram = loaded.features.T @ loaded.features / self.count + 2 * self.ridge * np.eye(self.dimension)
            best = np.linalg.lstsq(gram, loaded.features.T @ loaded.targets / self.count, rcond=None)[0]
        elif self.kind == "logistic":
            from scipy.optimize import minimize

            found = minimize(
                lambda x: (self.value(x[None], loaded)[0], self.gradient(x[None], loaded)[0]),
                self.start,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10},
            )
            best = found.x
        else:
            best = np.linalg.lstsq(loaded.features, loaded.targets, rcond=None)[0]
        return best, float(self.value(best[None], loaded)[0])


def _sparse(batch: Array | None) -> Array | None:
    """Record numbers instead of True and False where few are True: then only their gradients are computed."""
    if batch is None or batch.dtype != bool or 3 * np.count_nonzero(batch) > batch.size:
        return batch
    runs, chosen = np.divmod(np.flatnonzero(batch), batch.shape[1])
    sizes = np.bincount(runs, minlength=len(batch))
    first = np.cumsum(sizes) - sizes
    numbers = np.full((len(batch), int(sizes.max(initial=1))), -1)
    numbers[runs, np.arange(len(runs)) - first[runs]] = chosen
    return numbers


def _slices(n: int, runs: int) -> list[slice]:
    width = max(1, _ELEMENTS // max(1, runs))
    return [slice(a, min(a + width, n)) for a in range(0, n, width)]


def _clipped(c: Array, limit: Array) -> Array:
    """Coefficients cut to their limits; one that overflowed to NaN counts as 0, which is within every
    limit.
    """
    if not np.all(np.isfinite(c)):
        c = np.nan_to_num(c, nan=0.0)
    return np.clip(c, -limit, limit)


def _linear(
    kind: str, features: Any, count: int, ridge: float, start: Any, curvature: float, pl_of_loss: float
) -> Linear:
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


def least_squares(features: Any, *, count: int, ridge: float = 0.0, start: Any = None) -> Linear:
    """Least squares with the constants of these features (a public design, or constants that the caller
    vouches for).

    >>> least_squares(np.eye(2), count=2).smoothness
    0.5
    """
    return _linear("squares", features, count, ridge, start, 1.0, 1.0)


def logistic(features: Any, *, count: int, ridge: float = 0.0, start: Any = None) -> Linear:
    """Logistic regression, labels -1 and 1; mu comes from the ridge alone.

    >>> logistic(np.eye(2), count=2, ridge=0.01).pl
    0.02
    """
    return _linear("logistic", features, count, ridge, start, 0.25, 0.0)


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
    return _linear("wavy", a, count, 0.0, start, 8.0, 1 / 32)


def _nobody(data: Records) -> Array:
    """Which records are all zero."""
    return (data.norms(1) == 0) & (data.targets == 0)


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
        u = np.einsum("nmp,nhp->nmh", a, weights) if a.ndim == 3 else np.einsum("mp,nhp->nmh", a, weights)
        out = np.logaddexp(0.0, u)
        r = np.einsum("nmh,nh->nm", out, v) - y
        return r, r[..., None] * v[:, None, :] * 0.5 * (1 + np.tanh(0.5 * u)), r[..., None] * out

    def private_value(self, x: Array, data: Data | Records) -> Array:
        loaded = self.load(data)
        total = np.zeros(len(x))
        for part in _slices(len(loaded), len(x) * self.hidden):
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
        batch = _sparse(batch)
        whole = batch is None or batch.dtype == bool
        columns = len(loaded) if batch is None else batch.shape[1]
        inner = self.hidden * (1 if whole else self.width)
        for columns_here in _slices(columns, runs * inner):
            rows: Any = columns_here if batch is None or whole else batch[:, columns_here]
            a, y, norm = loaded.features[rows], loaded.targets[rows], norms[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                _, p, q = self._parts(x, a, y)
                if minus is not None:
                    _, p2, q2 = self._parts(minus, a, y)
                    p, q = p - p2, q - q2
                if order == 2:
                    length = np.sqrt((p * p).sum(axis=2) * norm**2 + (q * q).sum(axis=2))
                else:
                    length = np.abs(p).sum(axis=2) * norm + np.abs(q).sum(axis=2)
                bound = clip[:, None] if clip.ndim else clip
                factor = np.where(length > bound, bound / np.where(length > 0, length, 1.0), 1.0)
            bad = ~np.isfinite(length) | _nobody(loaded)[rows]  # a gradient that overflows counts as 0
            if batch is not None:
                bad |= ~batch[:, columns_here] if whole else rows < 0
            factor = np.where(bad, 0.0, factor)[..., None]
            p, q = np.where(bad[..., None], 0.0, p) * factor, np.where(bad[..., None], 0.0, q) * factor
            spec = "nmh,mp->nhp" if whole else "nmh,nmp->nhp"
            total[:, : -self.hidden] += np.einsum(spec, p, a).reshape(runs, -1)
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
        found = [
            minimize(
                lambda x: (self.value(x[None], loaded)[0], self.gradient(x[None], loaded)[0]),
                s,
                jac=True,
                options={"maxiter": 2000},
            )
            for s in starts
        ]
        best = min(found, key=lambda result: result.fun)
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
