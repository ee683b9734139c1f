"""The small problems on which the examples of the papers run, and their records."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.problems import Linear, Quadratic, logistic, quadratic

Array = np.ndarray[Any, Any]


def quadratic_case(
    norm: int = 2, count: int = 200, dimension: int = 5, seed: int = 0
) -> tuple[Quadratic, Array]:
    """A quadratic with kappa = 10 and its records, in the unit ball of that norm.

    >>> problem, rows = quadratic_case(norm=1)
    >>> rows.shape, bool(np.abs(rows).sum(axis=1).max() <= 1 + 1e-12)
    ((200, 5), True)
    """
    problem = quadratic(np.linspace(0.1, 1.0, dimension), count=count, start=np.ones(dimension), radius=1.0)
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return problem, rows / np.maximum(1.0, np.linalg.norm(rows, ord=norm, axis=1))[:, None]


def logistic_case(
    count: int = 80,
    dimension: int = 3,
    *,
    start: float = 2.0,
    ridge: float = 0.0,
    doubt: float = 0.5,
    sphere: bool = False,
    seed: int = 0,
) -> tuple[Linear, tuple[Array, Array]]:
    """Logistic regression and its records, features in the unit ball (or on the sphere): G = 1,
    L = 1/4 a record.

    The labels are the sign of the first feature plus noise of deviation `doubt`.

    >>> problem, (rows, labels) = logistic_case(20)
    >>> rows.shape, sorted(set(labels.tolist()))
    ((20, 3), [-1.0, 1.0])
    """
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension))
    lengths = np.linalg.norm(rows, axis=1)[:, None]
    rows /= lengths if sphere else np.maximum(1.0, lengths)
    labels = np.where(rows[:, 0] + doubt * rng.standard_normal(count) > 0, 1.0, -1.0)
    return logistic(rows, count=count, ridge=ridge, start=np.full(dimension, start)), (rows, labels)
