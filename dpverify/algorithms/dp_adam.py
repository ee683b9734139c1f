"""DP-Adam: the noisy gradients of DP-SGD, with Adam's moments of them as post-processing.

    release  g_t = (1/b) sum_{i in batch} clip(grad f(x_t; i), C) + N(0, (C sigma / b)^2 I)
    update   m = beta_1 m + (1 - beta_1) g,   v = beta_2 v + (1 - beta_2) g^2,   g with the public gradient
             x = x - eta (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + small)

Citation: Kingma and Ba 2015 on the release of Abadi et al. 2016. Calibration: the accountant's sigma, for a
record replaced.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dpsgd_poisson import TARGET, certified_multiplier
from dpverify.engine import Algorithm
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.cases import baseline_case
from dpverify.parts.gradients import batch_releases
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    first: Array  # (runs, d), the average of the noisy gradients
    second: Array  # (runs, d), the average of their squares
    t: int


def dp_adam(
    problem: Problem,
    *,
    clip: float,
    batch: int,
    variances: Schedule,
    steps: int,
    step_size: float,
    betas: tuple[float, float] = (0.9, 0.999),
    small: float = 1e-8,
) -> Algorithm:
    """Adam on the noisy gradients of Poisson batches of about `batch` records.

    >>> dp_adam(baseline_case()[0], clip=1.0, batch=50, variances=Schedule(1.0), steps=3, step_size=0.1).steps
    3
    """
    if not all(0 <= beta < 1 for beta in betas):
        raise ValueError(f"Expected betas={betas} in [0, 1).")
    releases = batch_releases(problem, clip, batch, variances, steps, "poisson")

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        return State(x, np.zeros_like(x), np.zeros_like(x), 1)

    def query(data: Any, state: State, chosen: Array) -> Array:
        return problem.private_sum(state.x, data, clip, batch=chosen) / batch

    def update(state: State, released: Array) -> State:
        g = problem.with_public(state.x, released)
        first = betas[0] * state.first + (1 - betas[0]) * g
        second = betas[1] * state.second + (1 - betas[1]) * g**2
        mean, square = first / (1 - betas[0] ** state.t), second / (1 - betas[1] ** state.t)
        return State(state.x - step_size * mean / (np.sqrt(square) + small), first, second, state.t + 1)

    return Algorithm("dp-adam", steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    batch: int | None = None,
    steps: int = 10,
    clip: float = 1.0,
    step_size: float = 0.1,
) -> Example:
    """Logistic regression, 200 records, d = 3, batches of about 50.

    >>> example().algorithm.name
    'dp-adam'
    """
    problem, data = case or baseline_case()
    size = batch or max(1, problem.count // 4)
    settings: dict[str, Any] = {"batch": size, "steps": steps, "clip": clip}
    variances = certified_multiplier(problem, target, adjacency, **settings)
    return Example(
        dp_adam(problem, variances=variances, step_size=step_size, **settings),
        "baseline",
        problem,
        data,
        adjacency,
        target,
        no_bound="a baseline",
        note=f"batches of about {size} records",
    )
