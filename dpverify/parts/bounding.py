"""The bounds of the algorithms: for each family the claim, and the values of its symbols in this run.

A bound is given only where the hypotheses of its claim are met: the constants are known, no gradient is
clipped, and the step size is the theorem's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.bounds import Bound
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import Stages
from dpverify.neighbours import Data
from dpverify.problems import Linear, Problem, Quadratic, same_model
from dpverify.releases import Release

Array = np.ndarray[Any, Any]


def first_gap(problem: Problem, data: Data) -> float:
    """F(start) - F*.

    >>> from dpverify.parts.cases import quadratic_case
    >>> round(first_gap(*quadratic_case()), 2)
    1.51
    """
    return float(problem.excess(problem.start[None], data)[0])


def unclipped(problem: Problem, clip: float, norm: int = 2) -> bool:
    """Whether no gradient of the problem is longer than `clip`, so that a theorem without clipping
    applies.
    """
    longest = problem.lipschitz if norm == 2 else problem.lipschitz1
    return longest is not None and longest <= clip * (1 + 1e-12)


def contradicted(problem: Problem, data: Data) -> str:
    """The constant of the problem that these records do not keep to, in words; empty if they keep to all.

    >>> from dpverify.problems import mean_estimation
    >>> contradicted(mean_estimation(1, count=2, radius=1.0), np.array([[3.0], [0.5]]))
    'records up to 3 long, where the problem says 1'
    """
    rows, room = problem.load(data), 1 + 1e-9
    if len(rows) > problem.count:
        return f"{len(rows)} records, where the problem says {problem.count}"
    for order, said, what in ((2, problem.lipschitz, "long"), (1, problem.lipschitz1, "in the L1 norm")):
        longest = float(rows.norms(order).max())
        if said is not None and isinstance(problem, Quadratic | Linear) and longest > said * room:
            return f"records up to {longest:.3g} {what}, where the problem says {said:.3g}"
    if isinstance(problem, Linear):
        again = same_model(problem, rows.features)
        steep, flat = again.smoothness or 0.0, again.pl or 0.0
        if steep > (problem.smoothness or np.inf) * room:
            return f"a smoothness of {steep:.3g}, where the problem says {problem.smoothness:.3g}"
        if flat * room < (problem.pl or 0.0):
            return f"a PL constant of {flat:.3g}, where the problem says {problem.pl:.3g}"
    return ""


def has_public_part(problem: Problem) -> bool:
    """Whether F has a part that no record enters (a ridge, a public curvature), of which no clip bounds the
    slope.

    >>> from dpverify.parts.cases import logistic_case, quadratic_case
    >>> has_public_part(quadratic_case()[0]), has_public_part(logistic_case()[0])
    (True, False)
    """
    return bool(np.any(problem.public_gradient(np.ones((1, problem.dimension)))))


def batch_moment(problem: Problem, data: Data, release: Release, clip: float, divisor: float) -> float:
    """E|mean over a secret batch - mean over all|^2: exact on a quadratic, else at most for gradients of
    length `clip`.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.parts.cases import quadratic_case
    >>> from dpverify.releases import Gaussian, Subsampled
    >>> release = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=200, of=200)
    >>> batch_moment(*quadratic_case(), release, 1.0, 200)
    0.0
    """
    if release.full_batch:
        return 0.0
    if isinstance(problem, Quadratic) and unclipped(problem, clip):
        rows = problem.load(data).features
    else:
        turn = 2 * np.pi * np.arange(problem.count) / problem.count  # spread as far as can be
        rows = clip * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return float(np.trace(release.batch_moments(rows)[1])) / divisor**2


def noise_moments(
    problem: Problem, data: Data, algorithm: Algorithm, clip: float, divisor: float | None = None
) -> list[float]:
    """E|noise|^2 of every step of noisy gradients: that of the release, and that of the batch."""
    d, moments = problem.dimension, []
    for release in algorithm.ledger():
        batch = batch_moment(problem, data, release, clip, divisor or problem.count)
        moments.append(d * release.variance() + batch)
    return moments


def descent_bound(problem: Problem, data: Data, noise: Sequence[float], step_size: float) -> Bound | None:
    """Theorem 4.1 of dynamic-noise, for steps of at most 1/M on a problem with a known mu."""
    M, mu = problem.smoothness, problem.pl
    if M is None or mu is None:
        return None
    values: dict[str, Any] = {"M": M, "mu": mu, "eta": step_size, "T": len(noise)}
    values |= {"e": [first_gap(problem, data)], "c": list(noise)}
    bound = Bound("dynamic-noise/bound-gd", values)
    return None if bound.broken else bound


def momentum_bound(
    problem: Problem, data: Data, noise: Sequence[float], step_size: float, beta: float
) -> Bound | None:
    """Theorem 4.4 of dynamic-noise, corrected, for steps eta_0/M."""
    M, mu = problem.smoothness, problem.pl
    if M is None or mu is None:
        return None
    old = [(beta - beta**t) / (1 - beta**t) for t in range(1, len(noise) + 1)]  # bias corrected
    averaged = [0.0]  # the second moment of the noise in the average
    for weight, moment in zip(old, noise):
        averaged.append(weight**2 * averaged[-1] + (1 - weight) ** 2 * moment)
    values: dict[str, Any] = {"M": M, "mu": mu, "eta_0": step_size * M, "T": len(noise), "a": old}
    values |= {"beta": max(beta, 1e-12), "e": [first_gap(problem, data)], "u": averaged}
    values |= {"s2": [0.0], "r2": [0.0]}  # before the first step
    bound = Bound("dynamic-noise/bound-momentum", values)
    return None if bound.broken else bound


def heavy_ball_bound(
    problem: Problem, data: Data, variance: float, steps: int, step_size: float, beta: float
) -> Bound | None:
    """Theorem 3.5 of dp-accel, corrected, on a quadratic; `variance` bounds the covariance of the noise in
    norm.
    """
    if not isinstance(problem, Quadratic):
        return None
    kept = 0.0
    for curvature in problem.spectrum:
        one = np.array([[1 + beta - step_size * curvature, -beta], [1.0, 0.0]])
        kept = max(kept, float(np.linalg.norm(np.linalg.matrix_power(one, steps), 2)) ** 2)
    away = problem.start - problem.optimum(data)[0]
    values = {"alpha": step_size, "beta": beta, "lambda": problem.spectrum, "d": problem.dimension}
    values |= {"P": kept, "x2": float(away @ away), "sigma2": variance, "L": float(problem.spectrum.max())}
    level = (1 - beta) * problem.spectrum * (2 + 2 * beta - step_size * problem.spectrum)
    if not np.all(level > 0):
        return None
    values["v"] = variance * step_size * (1 + beta) / level * (1 + 1e-12)  # enough in spite of rounding
    bound = Bound("dp-accel/bound-heavy-ball", values)
    return None if bound.broken else bound


def nesterov_bound(problem: Problem, data: Data, noise: Sequence[float], stages: Stages) -> Bound | None:
    """Theorem 4.1 of dp-accel, corrected, stage after stage; each begins where the last one ends."""
    L = problem.smoothness
    mu = problem.pl
    T = len(noise)
    if L is None or mu is None:
        return None
    alpha, stage = stages.alpha.values(T), stages.stage.values(T)
    ends = [*(np.flatnonzero(np.diff(stage)) + 1).tolist(), T]
    parts: list[dict[str, Any]] = []
    first = 0
    for end in ends:
        size = float(alpha[first])
        values = {"alpha": size, "L": L, "s": math.sqrt(mu * size), "T": end - first}
        parts.append(values | {"c": list(noise[first:end])})
        first = end
    parts[0]["e"] = [first_gap(problem, data)]
    bound = Bound("dp-accel/bound-nag", parts[0], tuple(parts[1:]), "e")
    return None if bound.broken else bound
