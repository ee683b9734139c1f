"""The small problems on which the examples of the papers run, and their records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.problems import (
    Linear,
    Problem,
    Quadratic,
    finite,
    least_squares,
    logistic,
    mean_estimation,
    quadratic,
)

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
    problem = replace(problem, lipschitz1=1.0) if norm == 1 else problem
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return problem, rows / np.maximum(1.0, np.linalg.norm(rows, ord=norm, axis=1))[:, None]


def mean_case(count: int, dimension: int, seed: int = 0) -> tuple[Quadratic, Array]:
    """The mean of records in the unit ball.

    >>> mean_case(50, 3)[1].shape
    (50, 3)
    """
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, None]
    return mean_estimation(dimension, count=count, radius=1.0), rows


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


def baseline_case() -> tuple[Problem, Any]:
    """Logistic regression on 200 records with a ridge, on which baselines and comparisons run.

    >>> baseline_case()[0].pl
    0.1
    """
    rows, labels = logistic_case(200)[1]
    return own_case(rows, labels, ridge=0.05)


def own_case(
    features: Any, targets: Any = None, *, radius: float = 1.0, ridge: float = 0.01
) -> tuple[Problem, Any]:
    """A problem of one's own: logistic regression for two kinds of targets, least squares for numbers, and
    the mean of the records without targets.

    A record longer than `radius` is cut to it, so that the constants of the problem are public: they follow
    from `radius` and `ridge`, not from the data.

    >>> problem, (rows, labels) = own_case([[3.0, 4.0], [0.3, 0.4]], ["yes", "no"])
    >>> rows.round(2).tolist(), labels.tolist(), problem.smoothness, problem.pl
    ([[0.6, 0.8], [0.3, 0.4]], [1.0, -1.0], 0.27, 0.02)
    """
    rows = finite(features, "data")
    rows = rows.reshape(len(rows), -1)
    if len(rows) == 0:
        raise ValueError("Expected data with at least one record, got data with 0.")
    if not radius > 0:
        raise ValueError(f"Expected radius={radius} > 0.")
    lengths = np.linalg.norm(rows, axis=1)[:, None]
    rows = rows * np.minimum(1.0, radius / np.where(lengths > 0, lengths, 1.0))
    count, d = rows.shape
    if targets is None:
        return mean_estimation(d, count=count, radius=radius), rows
    values = np.asarray(targets).reshape(-1)
    if len(values) != count:
        raise ValueError(f"Expected one target for each of {count} records, got {len(values)}.")
    kinds = np.unique(values)
    if len(kinds) == 2:
        labels = np.where(values == kinds[1], 1.0, -1.0)
        problem = logistic(rows, count=count, ridge=ridge)
        known = {"smoothness": radius**2 / 4 + 2 * ridge, "lipschitz": radius, "lipschitz1": radius * d**0.5}
        return replace(problem, pl=2 * ridge or None, **known), (rows, labels)
    if values.dtype.kind not in "biuf":
        named = ", ".join(map(str, kinds[:5]))
        raise ValueError(
            f"Expected target with numbers, or with two kinds of names, got {len(kinds)}: {named}."
        )
    problem = least_squares(rows, count=count, ridge=ridge)
    known = {"smoothness": radius**2 + 2 * ridge, "pl": 2 * ridge or None}
    return replace(problem, **known), (rows, finite(values, "target"))


def described(features: Any, targets: Any = None, *, radius: float = 1.0, ridge: float = 0.01) -> str:
    """What `own_case` makes of these records, in words.

    >>> described([[0.6, 0.4], [0.3, 0.4]], ["yes", "no"])
    "logistic regression ('yes' against 'no') on 2 records of 2 columns, ridge 0.01"
    """
    rows = np.asarray(features, dtype=float)
    rows = rows.reshape(len(rows), -1)
    kinds: Any = np.unique(np.asarray(targets)) if targets is not None else []
    names = f"{str(kinds[-1])!r} against {str(kinds[0])!r}" if len(kinds) == 2 else ""
    what = "the mean" if targets is None else f"logistic regression ({names})" if names else "least squares"
    count, d = rows.shape
    size = f"{count} record{'s' * (count > 1)} of {d} column{'s' * (d > 1)}"
    text = f"{what} {'of' if targets is None else 'on'} {size}"
    text += "" if targets is None else f", ridge {ridge:g}"
    long = int(np.sum(np.linalg.norm(rows, axis=1) > radius * (1 + 1e-12)))
    if long:
        was = "was" if long == 1 else "were"
        text += f"; {long} of them {was} longer than {radius:g} and {was} cut to that length"
        text += ": columns of large numbers hide the others" if d > 1 else ""
    return text
