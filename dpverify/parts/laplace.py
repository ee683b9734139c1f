"""Noisy gradients with Laplace noise on a budget of pure epsilon: what the examples of dp-accel share."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.accounting import calibrate
from dpverify.formulas.dp_accel import noise_scale, sampling_variance, uniform_epsilons
from dpverify.guarantees import Guarantee, PureDP
from dpverify.neighbours import REPLACE, Adjacency
from dpverify.parts.gradients import noisy_gradient
from dpverify.problems import Problem
from dpverify.releases import Release
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def epsilon_of(target: Guarantee) -> float:
    """The epsilon of a target of pure DP, which Laplace noise is calibrated to.

    >>> epsilon_of(PureDP(2.0))
    2.0
    """
    if isinstance(target, PureDP):
        return target.epsilon
    raise ValueError(f"Expected target={target} of pure DP (delta = 0): the scales of the paper are for it.")


def even_scales(
    problem: Problem, target: Guarantee, adjacency: Adjacency, *, clip: float, steps: int, batch: int | None
) -> Schedule:
    """The scales that spend eps/T in every step: Proposition 3.1 where a record is replaced and the target is
    pure, else the accountant's.
    """
    m, n = batch or problem.count, problem.count
    if adjacency is REPLACE and isinstance(target, PureDP):
        split = uniform_epsilons(target.epsilon, steps)
        return Schedule([float(noise_scale(e, 2 * clip, m, n)) for e in split.values(steps).tolist()])

    def ledger(scale: float) -> list[Release]:
        return noisy_gradient(problem, clip=clip, scales=Schedule(scale), steps=steps, batch=batch)[0]

    return Schedule(calibrate(ledger, target, adjacency, tolerance=1e-3))


def gradient_moments(
    problem: Problem, scales: Schedule, steps: int, clip: float, batch: int | None
) -> list[float]:
    """E|noise|^2 of every step: 2 d b_t^2 of Laplace noise, and at most twice (3.13) for the batch (its
    trace).

    >>> from dpverify.parts.cases import quadratic_case
    >>> gradient_moments(quadratic_case(norm=1)[0], Schedule(1.0), 1, 1.0, None)
    [10.0]
    """
    m, n = batch or problem.count, problem.count
    batch_part = 2 * float(sampling_variance(2 * clip, m, n))
    return [2 * problem.dimension * b**2 + batch_part for b in scales.values(steps).tolist()]
