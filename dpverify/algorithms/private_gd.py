"""Private gradient descent: clip each record's gradient, average over N, add Gaussian noise, step.

    release  g_t = (1/N) sum_i clip(grad f(x_t; i), G) + N(0, (G sigma_t / N)^2 I)
    update   x_{t+1} = x_t - eta (public gradient + g_t),   eta = 1/M

Citation: dynamic-noise, Algorithm 1 with phi(m, g) = g; bound: Theorem 4.1.

Calibration. As printed, sum 1/sigma_t^2 = R = 0.3927 is to give (4, 1e-8)-DP for data sets that "only differ
in one sample". That holds
if the sample is zeroed (sensitivity G/N, Def B.1); if it is replaced the sensitivity is 2G/N and the noise is
too small by a factor 2.
The default is calibrated for replacement by exact Gaussian composition: sigma is 1.75 times the printed one
(2 for the relation,
0.875 because the exact composition is tighter than the conversion from zCDP).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import (
    PRINTED_R,
    TARGET,
    alpha_of,
    dynamic,
    erub,
    gd_influence,
    noise_multipliers,
    uniform,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.budgets import certified_budget
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.problems import Problem, divided
from dpverify.releases import Gaussian
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def private_gd(
    problem: Problem, *, clip: float, variances: Schedule, steps: int, step_size: float | None = None
) -> Algorithm:
    """Private gradient descent with squared noise multipliers sigma_t^2; the step size is 1/M unless given.

    >>> problem = quadratic_case()[0]
    >>> private_gd(problem, clip=1.0, variances=Schedule(4.0), steps=3).release(1).scale
    0.01
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    eta = step_size if step_size is not None else 1 / _smoothness(problem)
    largest = clip / problem.count
    sensitivity = full_batch_sensitivity(largest)
    releases = [Gaussian(largest * s, sensitivity) for s in noise_multipliers(variances, steps)]

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Any, state: State) -> Array:
        return divided(problem.private_sum(state.x, data, clip), problem.count)

    def update(state: State, released: Array) -> State:
        move = problem.with_public(state.x, released)
        move *= eta
        return State(np.subtract(state.x, move, out=move), state.t + 1)

    return Algorithm("private-gd", steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


def _smoothness(problem: Problem) -> float:
    if problem.smoothness is None:
        raise ValueError("Expected step_size, because the smoothness of this problem is not known.")
    return problem.smoothness


def example(*, as_printed: bool = False, schedule: str = "dynamic", steps: int = 20) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, under Eq (7)'s schedule or the uniform one.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    1.75
    """
    if schedule not in ("dynamic", "uniform"):
        raise ValueError(f"Expected schedule={schedule!r} to be 'dynamic' or 'uniform'.")
    problem, data = quadratic_case()
    R = PRINTED_R if as_printed else certified_budget(TARGET, REPLACE)
    M, mu = 1.0, 0.1
    gamma = 1 - mu / M
    variances = dynamic(gamma, steps, R) if schedule == "dynamic" else uniform(steps, R)
    gap = float(problem.excess(problem.start[None], data)[0])
    alpha = alpha_of(problem.dimension, 1.0, R, M, problem.count, gap)
    return Example(
        private_gd(problem, clip=1.0, variances=variances, steps=steps),
        "dynamic-noise",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=gap * erub(variances.values(steps), gd_influence(gamma, steps).values(steps), gamma, R, alpha),
        bound_source="Theorem 4.1, Eq (3)",
        limit=("gradient descent", {"step_size": 1 / M}),
    )
