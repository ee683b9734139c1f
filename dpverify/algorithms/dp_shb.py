"""DP-SHB: the stochastic heavy ball with Laplace noise, the budget in equal parts.

    release  g_t = mean_{i in batch} clip_1(grad f(x_{t-1}; i), S1/2) + Lap(b)^d,   b = S1 / (m e0),  e0 =
    ln(1 + (exp(eps/T) - 1) n/m)
    update   x_t = x_{t-1} - alpha (public gradient + g_t) + beta (x_{t-1} - x_{t-2}),   x_{-1} = x_0

Citation: dp-accel, Eq (3.1), Proposition 3.1; the averaged form is Eqs (3.6) and (3.7); bound: Theorem 3.5,
on quadratics.

Calibration. Proposition 3.1 is certified as printed, for a replaced record: both calibrations agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_gd import dp_gd
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    certified_scales,
    heavy_ball_bound,
    momentum_of,
    sampling_variance,
    uniform_epsilons,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import noisy_gradient
from dpverify.parts.nesterov import Accelerated
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def dp_shb(
    problem: Problem,
    *,
    clip: float,
    scales: Schedule,
    steps: int,
    step_size: float,
    beta: float,
    batch: int | None = None,
    averaged: bool = False,
) -> Algorithm:
    """The heavy ball with Laplace noise of scale b_t; `averaged` computes it as Eqs (3.6) and (3.7) do,
    with the average of the past gradients in the place of the previous iterate.

    >>> dp_shb(quadratic_case(norm=1)[0], clip=1.0, scales=Schedule(0.5), steps=3, step_size=1.0,
    ...     beta=0.5).release(1).scale
    0.5
    """
    if not 0 <= beta < 1:
        raise ValueError(f"Expected 0 <= beta={beta} < 1.")
    releases, gradient = noisy_gradient(problem, clip=clip, scales=scales, steps=steps, batch=batch)

    def init(runs: int) -> Accelerated:
        x = np.tile(problem.start, (runs, 1))
        return Accelerated(x, np.zeros_like(x) if averaged else x, 1)

    def query(data: Any, state: Accelerated, chosen: Array | None = None) -> Array:
        return gradient(data, state.x, chosen)

    def update(state: Accelerated, released: Array) -> Accelerated:
        noisy = problem.public_gradient(state.x) + released
        if averaged:
            average = beta * state.previous + (1 - beta) * noisy
            return Accelerated(state.x - step_size / (1 - beta) * average, average, state.t + 1)
        return Accelerated(
            state.x - step_size * noisy + beta * (state.x - state.previous), state.x, state.t + 1
        )

    return Algorithm("dp-shb", steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


def example(
    *,
    as_printed: bool = False,
    steps: int = 20,
    step_size: float = 1.0,
    beta: float | None = None,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1; beta as in section 5, (1 - sqrt(mu alpha))/(1 +
    sqrt(mu alpha)).

    >>> example().algorithm.steps
    20
    """
    problem, data = quadratic_case(norm=1)
    m = batch or problem.count
    beta = momentum_of(0.1, step_size) if beta is None else beta
    scales = certified_scales(uniform_epsilons(TARGET.epsilon, steps), steps, m, problem.count)
    variance = 2 * scales(1) ** 2 + sampling_variance(S1, m, problem.count)
    common: dict[str, Any] = {
        "clip": S1 / 2,
        "scales": scales,
        "steps": steps,
        "step_size": step_size,
        "batch": batch,
    }
    return Example(
        dp_shb(problem, beta=beta, **common),
        "dp-accel",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=heavy_ball_bound(
            problem.spectrum, problem.start - problem.optimum(data)[0], step_size, beta, variance, steps
        ),
        bound_source="Theorem 3.5, Eq (3.17)",
        limit=("heavy ball", {"step_size": step_size, "beta": beta}),
        forms=lambda: {
            "beta = 0 is DP-GD": (dp_shb(problem, beta=0.0, **common), dp_gd(problem, **common)),
            "Eqs (3.6) and (3.7): a step along the average": (
                dp_shb(problem, beta=beta, **common),
                dp_shb(problem, beta=beta, averaged=True, **common),
            ),
        },
    )
