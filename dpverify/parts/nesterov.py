"""Nesterov's method along stages, with noisy gradients at the point ahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import Stages, momentum_of
from dpverify.parts.gradients import noisy_gradient
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class Accelerated(NamedTuple):
    """The iterate and the one before it."""

    x: Array  # (runs, d)
    previous: Array  # (runs, d)
    t: int


def check_step_sizes(stages: Stages, steps: int, mu: float) -> None:
    """Refuses a curvature that is not positive, and steps for which the momentum is not defined.

    >>> from dpverify.formulas.dp_accel import one_stage
    >>> check_step_sizes(one_stage(4.0, 3), 3, 0.5)
    Traceback (most recent call last):
    ...
    ValueError: Expected step_size=4.0 <= 1/mu=2.0, for which the momentum is defined.
    """
    if not mu > 0:
        raise ValueError(f"Expected mu={mu} > 0.")
    largest = float(max(stages.alpha.values(steps)))
    if not largest * mu <= 1:
        raise ValueError(f"Expected step_size={largest} <= 1/mu={1 / mu}, for which the momentum is defined.")


def nesterov(
    name: str,
    problem: Problem,
    *,
    clip: float,
    scales: Schedule,
    stages: Stages,
    steps: int,
    mu: float,
    batch: int | None,
) -> Algorithm:
    """Nesterov's method along stages, momentum restarted at the first step of every new stage.

    >>> from dpverify.formulas.dp_accel import one_stage
    >>> from dpverify.parts.cases import quadratic_case
    >>> problem = quadratic_case(norm=1)[0]
    >>> nesterov("nag", problem, clip=1.0, scales=Schedule(1.0), stages=one_stage(1.0, 3), steps=3, mu=0.1,
    ...     batch=None).steps
    3
    """
    check_step_sizes(stages, steps, mu)
    alpha, stage = stages.alpha.values(steps).tolist(), stages.stage.values(steps).tolist()
    beta = [momentum_of(mu, a) for a in alpha]
    releases, gradient = noisy_gradient(problem, clip=clip, scales=scales, steps=steps, batch=batch)

    def init(runs: int) -> Accelerated:
        x = np.tile(problem.start, (runs, 1))
        return Accelerated(x, x, 1)

    def ahead(state: Accelerated) -> Array:
        i = state.t - 1
        if i == 0 or stage[i] != stage[i - 1]:
            return state.x
        return (1 + beta[i]) * state.x - beta[i] * state.previous

    def query(data: Any, state: Accelerated, chosen: Array | None = None) -> Array:
        return gradient(data, ahead(state), chosen)

    def update(state: Accelerated, released: Array) -> Accelerated:
        z = ahead(state)
        return Accelerated(
            z - alpha[state.t - 1] * (problem.public_gradient(z) + released), state.x, state.t + 1
        )

    return Algorithm(name, steps, init, query, lambda t: releases[t - 1], update, load=problem.load)
