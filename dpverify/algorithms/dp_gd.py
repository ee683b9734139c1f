"""DP-GD: gradient descent with Laplace noise, the budget in equal parts.

    release  g_t = mean_{i in batch} clip_1(grad f(x_{t-1}; i), S1/2) + Lap(b)^d,   b = S1 / (m e0),  e0 =
    ln(1 + (exp(eps/T) - 1) n/m)
    update   x_t = x_{t-1} - alpha (public gradient + g_t)

Citation: dp-accel, Eq (2.4) with the noise of Proposition 3.1; bound: Theorem 3.5 with beta = 0, on
quadratics.

Calibration. Proposition 3.1 is certified as printed, for a replaced record: both calibrations agree. (The
authors' code takes b for the standard deviation instead of the scale, which is too little noise by sqrt(2).)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    certified_scales,
    heavy_ball_bound,
    sampling_variance,
    uniform_epsilons,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import noisy_gradient
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def dp_gd(
    problem: Problem, *, clip: float, scales: Schedule, steps: int, step_size: float, batch: int | None = None
) -> Algorithm:
    """Gradient descent with Laplace noise of scale b_t; `clip` is in the L1 norm, `batch` the size of a
    secret batch (None: all records).

    >>> problem = quadratic_case(norm=1)[0]
    >>> dp_gd(problem, clip=1.0, scales=Schedule(0.5), steps=3, step_size=1.0).release(1).scale
    0.5
    """
    releases, gradient = noisy_gradient(problem, clip=clip, scales=scales, steps=steps, batch=batch)

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Any, state: State, chosen: Array | None = None) -> Array:
        return gradient(data, state.x, chosen)

    def update(state: State, released: Array) -> State:
        return State(state.x - step_size * (problem.public_gradient(state.x) + released), state.t + 1)

    return Algorithm("dp-gd", steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


def example(
    *, as_printed: bool = False, steps: int = 20, step_size: float = 1.0, batch: int | None = None
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1.

    >>> example().algorithm.release(1).scale
    0.2
    """
    problem, data = quadratic_case(norm=1)
    m = batch or problem.count
    scales = certified_scales(uniform_epsilons(TARGET.epsilon, steps), steps, m, problem.count)
    variance = 2 * scales(1) ** 2 + sampling_variance(S1, m, problem.count)
    return Example(
        dp_gd(problem, clip=S1 / 2, scales=scales, steps=steps, step_size=step_size, batch=batch),
        "dp-accel",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=heavy_ball_bound(
            problem.spectrum, problem.start - problem.optimum(data)[0], step_size, 0.0, variance, steps
        ),
        bound_source="Theorem 3.5, Eq (3.17), beta = 0",
        limit=("gradient descent", {"step_size": step_size}),
    )
