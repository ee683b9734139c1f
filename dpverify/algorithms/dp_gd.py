"""DP-GD: gradient descent with Laplace noise, the budget in equal parts.

    release  g_t = mean_{i in batch} clip_1(grad f(x_{t-1}; i), S1/2) + Lap(b)^d,   b = S1 / (m e0),  e0 =
    ln(1 + (exp(eps/T) - 1) n/m)
    update   x_t = x_{t-1} - alpha (public gradient + g_t)

Citation: dp-accel, Eq (2.4) with the noise of Proposition 3.1; bound: Theorem 3.5, corrected,
with beta = 0, on quadratics.

Calibration. Proposition 3.1 is certified as printed, for a replaced record: both calibrations agree. (The
authors' code takes b for the standard deviation instead of the scale, which is too little noise by sqrt(2).)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.bounds import Printed
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import S1, TARGET, printed_heavy_ball_bound, sampling_variance
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import descent_bound, noise_moments, unclipped
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import noisy_gradient
from dpverify.parts.laplace import even_scales
from dpverify.problems import Problem, Quadratic
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
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = S1 / 2,
    step_size: float | None = None,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1.

    >>> example().algorithm.release(1).scale
    0.2
    """
    problem, data = case or quadratic_case(norm=1)
    eta = step_size if step_size is not None else 1 / smoothness_of(problem)
    scales = even_scales(problem, target, adjacency, clip=clip, steps=steps, batch=batch)
    variance = 2 * scales(1) ** 2 + sampling_variance(2 * clip, batch or problem.count, problem.count)
    fits = unclipped(problem, clip, norm=1)
    algorithm = dp_gd(problem, clip=clip, scales=scales, steps=steps, step_size=eta, batch=batch)
    noise = noise_moments(problem, data, algorithm, clip, batch)
    return Example(
        algorithm,
        "dp-accel",
        problem,
        data,
        adjacency,
        target,
        bound=descent_bound(problem, data, noise, eta) if fits else None,
        printed=printed_heavy_ball(problem, data, variance, steps, eta, 0.0) if as_printed and fits else None,
        limit=("gradient descent", {"step_size": eta}),
    )


def smoothness_of(problem: Problem) -> float:
    """L, from which the step sizes come."""
    if problem.smoothness is None:
        raise ValueError("Expected step_size, because the smoothness of this problem is not known.")
    return problem.smoothness


def printed_heavy_ball(
    problem: Problem, data: Data, variance: float, steps: int, step_size: float, beta: float
) -> Printed | None:
    """Eq (3.17) on a quadratic, whose transient has no factor L."""
    if not isinstance(problem, Quadratic):
        return None
    away = problem.start - problem.optimum(data)[0]
    value = printed_heavy_ball_bound(problem.spectrum, away, step_size, beta, variance, steps)
    return Printed("dp-accel/thm-3.5-ct", value, "Theorem 3.5, Eq (3.17)")
