"""Canaries for the audit of one training: records that are easy to notice, and gradients that nothing hides.

    in data       `data_canaries`: records at random corners of the data, with a label drawn anew, or equal to
                  another record but for its label; each is put in or left out by `one_run`
    crafted       `craft`: a record whose gradient is as long as the clip allows and orthogonal to those of
                  other records, so that only the noise hides it:
                  min_z  sum_i (g_i . g_z)^2 / (n clip^2) + max(1 - |g_z| / clip, 0)^2
                  (as in CANIFE: Maddock, Sablayrolles and Stock 2023)
    in gradients  `GradientCanaries`: directions of the clip's length that are added to the clipped sum of
                  each step, and looked for in what is released (as in Andrew et al. 2024)

A training loop of any library adds one vector and shows what it released; torch and JAX arrays are taken as
they are. Which canaries are in is decided by fair coins; the judgement is that of `one_run.score_audit`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpverify.auditing.one_run import score_audit
from dpverify.auditing.outcomes import plain
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Data
from dpverify.verdicts import Result

KINDS = ("corner", "mislabelled")


def flat(value: Any) -> np.ndarray:
    """The numbers of an array, or of a list, tuple or dict of arrays (by key), one after the other.

    >>> flat({"weights": np.ones((2, 2)), "bias": np.zeros(1)}).tolist()
    [0.0, 1.0, 1.0, 1.0, 1.0]
    """
    return plain([value]).numbers[0]


def shaped(vector: np.ndarray, like: Any) -> Any:
    """A flat vector in the shapes of an array, or of a list, tuple or dict of them (by key).

    >>> parts = shaped(np.arange(5.0), {"weights": np.ones((2, 2)), "bias": np.zeros(1)})
    >>> parts["bias"].tolist(), parts["weights"].tolist()
    ([0.0], [[1.0, 2.0], [3.0, 4.0]])
    """
    if isinstance(like, Mapping):
        names = sorted(like, key=repr)
        parts = shaped(vector, [like[name] for name in names])
        return dict(zip(names, parts))
    if isinstance(like, list | tuple):
        ends = np.cumsum([int(np.prod(np.shape(part))) for part in like])
        return [shaped(piece, part) for piece, part in zip(np.split(vector, ends[:-1]), like)]
    return vector.reshape(np.shape(like))


class GradientCanaries:
    """Directions of the clip's length, each in or out by a fair coin; add `total()` to the clipped sum of
    every step, `observe` what the step releases, and `audit` the claim at the end.

    >>> canaries, rng = GradientCanaries.random(200, 3000, clip=1.0), np.random.default_rng(0)
    >>> for _ in range(4):
    ...     canaries.observe(canaries.total() + 0.5 * rng.normal(size=3000))
    >>> from dpverify.guarantees import GDP
    >>> str(canaries.audit(GDP(0.5)).verdict)  # four steps of 2-GDP each are 4-GDP
    'REFUTED'
    """

    def __init__(self, directions: Any, *, seed: int = 0) -> None:
        self.directions = np.asarray(directions, dtype=float)
        if self.directions.ndim != 2 or len(self.directions) < 2:
            shape = self.directions.shape
            raise ValueError(f"Expected directions of shape (canaries >= 2, width), got shape {shape}.")
        if not np.isfinite(self.directions).all():
            raise ValueError("Expected directions that are finite.")
        coins, self._seed = np.random.SeedSequence(seed, spawn_key=(13,)), seed
        self.included = np.random.default_rng(coins).random(len(self.directions)) < 0.5
        self.scores = np.zeros(len(self.directions))

    @classmethod
    def random(cls, count: int, width: int, *, clip: float, seed: int = 0) -> GradientCanaries:
        """Random directions of length `clip`: nearly orthogonal to each other, and to whatever else there is,
        if the width is large.
        """
        if not clip > 0:
            raise ValueError(f"Expected clip={clip} > 0.")
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(14,)))
        directions = rng.standard_normal((count, width))
        return cls(clip * directions / np.linalg.norm(directions, axis=1, keepdims=True), seed=seed)

    def total(self, like: Any = None, *, rate: float = 1.0, rng: np.random.Generator | None = None) -> Any:
        """The sum of the canaries that are in, to be added to the clipped sum of gradients before the noise,
        in the shapes of `like`; with a sampling `rate`, of those that `rng` chooses for this step.
        """
        inside = self.included
        if not 0 < rate <= 1:
            raise ValueError(f"Expected rate={rate} in (0, 1].")
        if rate < 1:
            if rng is None:
                raise ValueError(f"Expected an rng with rate={rate}, to choose the canaries of this step.")
            inside = inside & (rng.random(len(inside)) < rate)
        vector = inside @ self.directions
        if like is None:
            return vector
        if (width := len(flat(like))) != len(vector):
            raise ValueError(f"Expected like of {len(vector)} numbers, as directions are, got {width}.")
        return shaped(vector, like)

    def observe(self, release: Any) -> None:
        """Look for every canary in what a step released (the noisy sum, or anything linear in it)."""
        vector = flat(release)
        if vector.shape != self.directions.shape[1:]:
            width = self.directions.shape[1]
            raise ValueError(f"Expected a release of {width} numbers, got {len(vector)}.")
        self.scores += self.directions @ vector

    def audit(self, claim: Guarantee, *, alpha: float = 1e-3) -> Result:
        """Judge the training by the scores: the claim is about adding or removing one canary."""
        inside, outside = self.scores[self.included].tolist(), self.scores[~self.included].tolist()
        return score_audit(inside, outside, claim, alpha=alpha, seed=self._seed, name="a training loop")


def craft(
    gradient: Callable[[np.ndarray], Any],
    start: Any,
    others: Any,
    *,
    clip: float,
    steps: int = 50,
) -> np.ndarray:
    """A record near `start` whose gradient is as long as the clip allows, and orthogonal to those of other
    records (one row each, or anything that `gradient` gave for them).

    >>> weights = np.array([1.0, -1.0, 0.5])
    >>> squares = lambda record: (record[:3] @ weights - record[3]) * record[:3]  # of a linear regression
    >>> others = [squares(np.array([1.0, 0.2, 0.0, 2.0])), squares(np.array([0.4, 1.0, 0.0, 1.0]))]
    >>> crafted = squares(craft(squares, np.array([1.0, 1.0, 0.3, 0.0]), others, clip=1.0))
    >>> bool(np.linalg.norm(crafted) > 0.99), bool(max(abs(other @ crafted) for other in others) < 0.05)
    (True, True)
    """
    from scipy.optimize import minimize

    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    first = np.asarray(start, dtype=float)
    rows = np.stack([flat(other) for other in others]) if len(others) else np.zeros((1, 1))
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    def hidden(values: np.ndarray) -> float:
        own = flat(gradient(values.reshape(first.shape)))
        length = float(np.linalg.norm(own))
        overlap = units @ (own / max(length, 1e-12)) if len(others) else np.zeros(1)
        return float((overlap**2).mean() + max(1 - length / clip, 0.0) ** 2)

    best = minimize(hidden, first.ravel(), method="L-BFGS-B", options={"maxiter": steps})
    return np.asarray(best.x).reshape(first.shape)


def data_canaries(data: Data, count: int, *, kind: str = "corner", seed: int = 0) -> list[Any]:
    """Records that are easy to notice: random `corner`s of the range of every column, or, for a tuple of
    features and labels, records of the data that are `mislabelled`.

    >>> features, labels = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    >>> [(record.tolist(), int(label)) for record, label in data_canaries((features, labels), 2)]
    [([0.0, 1.0], 0), ([6.0, 1.0], 1)]
    """
    if kind not in KINDS:
        raise ValueError(f"Expected kind={kind!r} among {', '.join(KINDS)}.")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(15,)))
    parts = [np.asarray(part) for part in (data if isinstance(data, tuple) else (data,))]
    if len(parts[0]) == 0:
        raise ValueError("Expected data with at least one record, got none.")
    if kind == "mislabelled":
        if len(parts) < 2 or len(np.unique(parts[-1])) < 2:
            raise ValueError("Expected data=(features, labels) with two labels or more, to mislabel.")
        known = np.unique(parts[-1])
        rows = rng.integers(len(parts[0]), size=count)
        wrong = [rng.choice(known[known != parts[-1][row]]) for row in rows]
        return [(*(part[row] for part in parts[:-1]), label) for row, label in zip(rows, wrong)]
    low, high = parts[0].min(axis=0), parts[0].max(axis=0)
    shape = (count, *parts[0].shape[1:])
    corners = np.where(rng.random(shape) < 0.5, low, high)
    if not isinstance(data, tuple):
        return list(corners)
    rest = [part[rng.integers(len(part), size=count)] for part in parts[1:]]
    return list(zip(corners, *rest))
