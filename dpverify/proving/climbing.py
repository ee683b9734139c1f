"""The climb from points at which a comparison nearly fails to points at which it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dpverify.proving.domain import Domain

ROUNDS, TRIES = 16, 48  # of the local search


def climb(
    domain: Domain,
    names: list[Any],
    rows: np.ndarray,
    violation: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
) -> Iterable[np.ndarray]:
    """Rows with a violation, by a local search from the best rows, in coordinates without bounds: random
    steps, many at once, that grow shorter.

    >>> import sympy as sp
    >>> x = sp.Symbol("x", positive=True)
    >>> rng, start = np.random.default_rng(0), np.array([[1.0]])
    >>> found = climb(Domain([x], []), [x], start, lambda rows: rows[:, 0] - 2, rng)
    >>> bool(next(iter(found))[0] > 2)
    True
    """
    free = [j for j, n in enumerate(names) if not n.is_integer]
    if not free:
        return
    lows = np.array([_finite(domain, n, "low", -np.inf) for n in names])[free]
    highs = np.array([_finite(domain, n, "high", np.inf) for n in names])[free]
    for row in rows:
        best, value = row, violation(row[None])[0]
        if not np.isfinite(value):
            continue
        size = 1.0
        for _ in range(ROUNDS):
            z = _pack(best[free], lows, highs)
            steps = rng.normal(size=(TRIES, len(free))) * size * rng.choice([1.0, 0.1], size=(TRIES, 1))
            tried = np.tile(best, (TRIES, 1))
            tried[:, free] = _unpack(z + steps, lows, highs)
            scores = violation(tried)
            k = int(np.argmax(scores))
            if scores[k] > value:
                best, value = tried[k], scores[k]
            else:
                size /= 3
        if value > 1e-13:
            yield best


def _finite(domain: Domain, name: Any, end: str, default: float) -> float:
    value = getattr(domain.interval(name), end)
    return float(value) if value.is_finite else default


def _pack(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        both = np.log(np.maximum(x - low, 1e-12) / np.maximum(high - x, 1e-12))
        return np.where(
            np.isfinite(low) & np.isfinite(high),
            both,
            np.where(
                np.isfinite(low),
                np.log(np.maximum(x - low, 1e-12)),
                np.where(np.isfinite(high), -np.log(np.maximum(high - x, 1e-12)), x),
            ),
        )


def _unpack(z: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    z = np.clip(z, -60, 60)
    with np.errstate(all="ignore"):
        return np.where(
            np.isfinite(low) & np.isfinite(high),
            low + (high - low) / (1 + np.exp(-z)),
            np.where(np.isfinite(low), low + np.exp(z), np.where(np.isfinite(high), high - np.exp(-z), z)),
        )
