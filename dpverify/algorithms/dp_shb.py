"""DP-SHB: the stochastic heavy ball with Laplace noise, the budget in equal parts.

    release  g_t = mean_{i in batch} clip_1(grad f(x_{t-1}; i), S1/2) + Lap(b)^d,   b = S1 / (m e0),  e0 =
    ln(1 + (exp(eps/T) - 1) n/m)
    update   x_t = x_{t-1} - alpha (public gradient + g_t) + beta (x_{t-1} - x_{t-2}),   x_{-1} = x_0

Citation: dp-accel, Eq (3.1), Proposition 3.1; the averaged form is Eqs (3.6) and (3.7); bound: Theorem 3.5,
corrected, on quadratics.

Calibration. Proposition 3.1 is certified as printed, for a replaced record: both calibrations agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_gd import dp_gd, printed_heavy_ball, smoothness_of
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import S1, TARGET, momentum_of, sampling_variance
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import heavy_ball_bound, unclipped
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import noisy_gradient
from dpverify.parts.laplace import even_scales
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
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = S1 / 2,
    step_size: float | None = None,
    batch: int | None = None,
    beta: float | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1; beta as in section 5, (1 - sqrt(mu alpha))/(1 +
    sqrt(mu alpha)).

    >>> example().algorithm.steps
    20
    """
    problem, data = case or quadratic_case(norm=1)
    eta = step_size if step_size is not None else 1 / smoothness_of(problem)
    mu = problem.pl or 0.0
    if beta is None and eta * mu > 1:
        raise ValueError(f"Expected step_size={eta} <= 1/mu={1 / mu}, or a beta of one's own beside it.")
    beta = momentum_of(mu, eta) if beta is None else beta
    scales = even_scales(problem, target, adjacency, clip=clip, steps=steps, batch=batch)
    variance = 2 * scales(1) ** 2 + sampling_variance(2 * clip, batch or problem.count, problem.count)
    common: dict[str, Any] = {
        "clip": clip,
        "scales": scales,
        "steps": steps,
        "step_size": eta,
        "batch": batch,
    }
    fits = unclipped(problem, clip, norm=1)
    return Example(
        dp_shb(problem, beta=beta, **common),
        "dp-accel",
        problem,
        data,
        adjacency,
        target,
        bound=heavy_ball_bound(problem, data, variance, steps, eta, beta) if fits else None,
        printed=printed_heavy_ball(problem, data, variance, steps, eta, beta)
        if as_printed and fits
        else None,
        limit=("heavy ball", {"step_size": eta, "beta": beta}),
        forms=lambda: {
            "beta = 0 is DP-GD": (dp_shb(problem, beta=0.0, **common), dp_gd(problem, **common)),
            "Eqs (3.6) and (3.7): a step along the average": (
                dp_shb(problem, beta=beta, **common),
                dp_shb(problem, beta=beta, averaged=True, **common),
            ),
        },
    )
