"""Scores: one number per output, learned on earlier draws, by which the two data sets are told apart; and
bins on it.

linear      w . x, w = (S + ridge)^-1 (mean_x - mean_y)       (S the pooled covariance)
quadratic   log-ratio of Gaussians fitted to the two sides (means and covariances; many coordinates: means and
variances)
classifier  ridge regression of the side on 64 random cosines of the standardised output (fixed seed): what is
not Gaussian
coordinate  the coordinate that separates the two sides best
low bits    how many trailing bits of that coordinate are zero: what rounding leaves behind
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dpverify.auditing.cells import outer_gaps


class Steps(NamedTuple):
    """A score that is constant between the edges of a column: the sentence of that, the edges, the values."""

    column: str
    edges: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Score:
    """A map from outputs (n, k) to numbers (n,), with a name that stays when it is learned anew.

    One that is `dear` to apply is chosen only where it promises more than the others by a few parts in a
    hundred: where they tell the same, a cheap one is taken. A `plain` one can be computed by a stranger, by
    hand, from its name, or from what it `says` where numbers belong to it; if it has `steps`, an event of it
    is told as one of their column.
    """

    text: str
    apply: Callable[[np.ndarray], np.ndarray]
    dear: bool = False
    plain: bool = True
    says: str = ""
    steps: Steps | None = None

    @property
    def sentence(self) -> str:
        """What it is, with the numbers that belong to it."""
        return self.says or self.text

    def on_the_first(self, columns: int) -> Score:
        """The same score, of the first columns of outputs that may have more."""
        return replace(self, apply=lambda out: self.apply(out[:, :columns]))


class Moments(NamedTuple):
    """Mean and variance of each coordinate of so many outputs."""

    n: int
    mean: np.ndarray
    variance: np.ndarray


def _moments(side: np.ndarray) -> Moments:
    return Moments(len(side), side.mean(axis=0), side.var(axis=0))


def _separation(x: Moments, y: Moments) -> np.ndarray:
    """Squared t-statistic of the means plus that of the variances, per coordinate."""
    both = (x.variance + y.variance) / 2 + 1e-300
    with np.errstate(over="ignore"):  # infinitely far apart is far enough
        means = (x.mean - y.mean) ** 2 / both
    variances = np.log((x.variance + 1e-12 * both) / (y.variance + 1e-12 * both)) ** 2 / 2
    return (x.n + y.n) / 2 * (means + variances)


SHOWN = 6  # numbers of a longer row that are written out


def listed(values: np.ndarray) -> str:
    shown = ", ".join(f"{v:.4g}" for v in values[:SHOWN])
    return f"[{shown}, ...]" if len(values) > SHOWN else f"[{shown}]"


def _trailing_zero_bits(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values).view(np.uint64)
    low = (bits & (~bits + np.uint64(1))).astype(float)
    return np.where(bits == 0, 64.0, np.log2(np.maximum(low, 1.0)))


def bits_score(column: int) -> Score:
    """The number of trailing zero bits of one coordinate: rounded or coarse numbers have many.

    >>> bits_score(0).apply(np.array([[0.5], [0.1]])).tolist()
    [53.0, 1.0]
    """
    return Score(f"trailing zero bits of output[{column}]", lambda out: _trailing_zero_bits(out[:, column]))


def _low_bits(x: np.ndarray, y: np.ndarray, column: int) -> list[Score]:
    """The low bits as one more score, where on one side they are emptier than those of draws in full
    precision.
    """
    empty = max(float(np.median(_trailing_zero_bits(side[:256, column]))) for side in (x, y))
    return [bits_score(column)] if empty >= 4 else []


def _quadratic(x: Moments, y: Moments, pooled: np.ndarray, covariances: list[np.ndarray]) -> Score:
    """The covariances are known if the coordinates are not too many for the outputs."""
    mx = x.mean
    my = y.mean
    k = len(pooled)
    if k <= 32 and x.n > 8 * k:
        ridge = np.diag(pooled) * (0.1 * k / x.n + 1e-9)
        ax, ay = (np.linalg.inv(covariance + ridge) for covariance in covariances)
        along = ax @ (mx - my)

        def apply(out: np.ndarray) -> np.ndarray:
            u = out - my
            half: np.ndarray = u @ ((ay - ax) / 2)
            half += along
            return np.asarray(np.einsum("ij,ij->i", half, u)) - along @ (mx - my) / 2

        text = f"log-ratio of Gaussians with means {listed(mx)} and {listed(my)} and full covariances"
        return Score(text, apply, dear=True, plain=False)
    sx, sy = x.variance + 1e-6 * pooled, y.variance + 1e-6 * pooled
    text = (
        f"log-ratio of Gaussians with means {listed(mx)} and {listed(my)}, variances "
        f"{listed(sx)} and {listed(sy)}"
    )
    return Score(text, lambda out: ((out - my) ** 2 / sy - (out - mx) ** 2 / sx).sum(axis=1) / 2, plain=False)


def _classifier(x: np.ndarray, y: np.ndarray, features: int = 64, most: int = 8192) -> Score:
    x, y = x[:most], y[:most]
    both = np.concatenate([x, y])
    centre, spread = both.mean(axis=0), both.std(axis=0) + 1e-12
    rng = np.random.default_rng(0)
    frequencies = rng.normal(size=(x.shape[1], features)).astype(np.float32)
    phases = rng.uniform(0, 2 * np.pi, features).astype(np.float32)

    def lift(out: np.ndarray) -> np.ndarray:
        standard = out - centre
        standard /= spread
        waves = np.clip(standard, -1e6, 1e6, out=standard).astype(np.float32) @ frequencies
        waves += phases
        return np.cos(waves, out=waves)

    lifted = lift(both)
    side = np.repeat(np.array([1, -1], dtype=np.float32), [len(x), len(y)])
    lifted -= lifted.mean(axis=0)
    gram = (lifted.T @ lifted).astype(float)
    weights = np.linalg.solve(gram + np.eye(features) * 1e-2 * len(both), lifted.T @ side)
    text = f"ridge classifier on {features} random cosines (seed 0), weights {listed(weights)}"
    return Score(
        text, lambda out: (lift(out) @ weights.astype(np.float32)).astype(float), dear=True, plain=False
    )


def learn_scores(x: np.ndarray, y: np.ndarray) -> list[Score]:
    """Candidate scores from the outputs on the two data sets.

    >>> rng = np.random.default_rng(0)
    >>> [s.text.split(" ")[0] for s in learn_scores(rng.normal(size=(50, 1)), rng.normal(size=(50, 1)))]
    ['output[0]']
    """
    k = x.shape[1]
    finite = np.isfinite(x).all() and np.isfinite(y).all()
    if k == 1:
        return [Score("output[0]", lambda out: out[:, 0]), *_low_bits(x, y, 0)]
    if not finite:
        x, y = np.nan_to_num(x), np.nan_to_num(y)
    first, second = _moments(x), _moments(y)
    best = int(_separation(first, second).argmax())
    scores = [Score(f"output[{best}]", lambda out: out[:, best]), *_low_bits(x, y, best)]
    delta = first.mean - second.mean
    pooled = (first.variance + second.variance) / 2 + 1e-12 * (1 + np.abs(delta)) ** 2
    covariances = [np.cov(side.T) for side in (x, y)] if k <= 200 and len(x) > 4 * k else []
    if covariances:
        ridge = np.diag(pooled) * (k / len(x) + 1e-9)
        direction = np.linalg.solve((covariances[0] + covariances[1]) / 2 + ridge, delta)
    else:
        direction = delta / pooled
    text = f"w . output, w = {listed(direction)}"
    scores.append(Score(text, lambda out: out @ direction, plain=k <= SHOWN))
    scores.append(_quadratic(first, second, pooled, covariances))
    if len(x) >= 512 and k <= 64:
        scores.append(_classifier(x, y))
    return scores


FEW = 768  # values that are soonest looked up among the edges
MANY = 8192  # values that are soonest compared with every edge; those between are sorted
LEVELS = (0.5, 0.425, 0.35, 0.275, 0.2, 0.14, 0.1, 0.05, 0.02, 0.01, 0.004, 0.0015, 0.0005)


def edges_of(values: np.ndarray, most: int = 24) -> np.ndarray:
    """Edges of the bins of a score: between its values if they are few, else at quantiles (finer in the
    tails), atoms and what lies far out apart.

    >>> edges_of(np.array([0.0, 1.0, 1.0, 3.0] * 10)).tolist()
    [0.5, 2.0]
    """
    values = np.sort(values)
    jumps = np.flatnonzero(values[1:] > values[:-1])
    if len(jumps) < most:
        middle = values[jumps] / 2 + values[jumps + 1] / 2
        return np.where(np.isfinite(middle), middle, values[jumps])
    n = len(values)
    levels = [level for level in LEVELS if level * n >= 5]
    at = np.unique([level for l in levels for level in (l, 1 - l)])
    cuts = values[np.minimum((at * n).astype(int), n - 1)]
    atoms = cuts[
        np.searchsorted(values, cuts, "right") - np.searchsorted(values, cuts, "left") > max(2, 0.01 * n)
    ]
    edges = np.unique(np.concatenate([cuts, atoms, np.nextafter(atoms, -np.inf), outer_gaps(values)]))
    return edges[edges < values[-1]]


def exceedances(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How many values lie in each bin (edge[i-1], edge[i]].

    >>> values, edges = np.array([0.0, np.nan, 1.0, 2.0, 2.0]), np.array([0.0, 1.5])
    >>> [exceedances(np.repeat(values, times), edges).tolist() for times in (1, 200, 2000)]
    [[2, 1, 2], [400, 200, 400], [4000, 2000, 4000]]
    """
    if len(values) < MANY:
        values = np.where(np.isnan(values), -np.inf, values)
        if len(values) < FEW:
            return np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1)
        return np.diff(np.searchsorted(np.sort(values), edges, "right"), prepend=0, append=len(values))
    values = np.ascontiguousarray(values)
    above = [np.count_nonzero(values > edge) for edge in edges]
    return -np.diff([len(values), *above, 0])
