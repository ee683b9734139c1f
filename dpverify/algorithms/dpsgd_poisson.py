"""DP-SGD as people run it: Poisson batches, clipped gradients, one noise multiplier, a constant step size.

    release  g_t = (1/b) sum_{i in batch} clip(grad f(x_t; i), C) + N(0, (C sigma / b)^2 I)
    update   x_{t+1} = x_t - eta (public gradient + g_t)

Citation: Abadi et al. 2016, Algorithm 1. Calibration: the accountant's sigma, for a record replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.algorithms.private_sgd import private_sgd
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.cases import baseline_case
from dpverify.parts.gradients import batch_releases
from dpverify.problems import Problem
from dpverify.schedules import Schedule

TARGET = ApproxDP(2.0, 1e-5)


def certified_multiplier(
    problem: Problem, target: Guarantee, adjacency: Adjacency, *, batch: int, steps: int, clip: float
) -> Schedule:
    """The squared noise multiplier, the same in every step, that the accountant certifies (to 1 %)."""
    sigma = calibrate(
        lambda m: batch_releases(problem, clip, batch, Schedule(m**2), steps, "poisson"),
        target,
        adjacency,
        tolerance=1e-2,
    )
    return Schedule(sigma**2)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    batch: int | None = None,
    steps: int = 10,
    clip: float = 1.0,
    step_size: float = 1.0,
) -> Example:
    """Logistic regression, 200 records, d = 3, batches of about 50.

    >>> example().algorithm.release(1).rate
    0.25
    """
    problem, data = case or baseline_case()
    size = batch or max(1, problem.count // 4)
    settings: dict[str, Any] = {"batch": size, "steps": steps, "clip": clip}
    variances = certified_multiplier(problem, target, adjacency, **settings)
    algorithm = private_sgd(problem, variances=variances, step_size=step_size, how="poisson", **settings)
    return Example(
        replace(algorithm, name="dpsgd-poisson"),
        "baseline",
        problem,
        data,
        adjacency,
        target,
        no_bound="a baseline",
        note=f"batches of about {size} records",
        limit=("gradient descent", {"step_size": step_size}),
    )
