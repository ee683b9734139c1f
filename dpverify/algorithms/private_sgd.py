"""Private stochastic gradient descent: the clipped gradients of a fresh secret batch of n records on average,
with Gaussian noise.

    release  g_t = (1/n) sum_{i in batch} clip(grad f(x_t; i), G) + N(0, (G sigma_t / n)^2 I)
    update   x_{t+1} = x_t - eta (public gradient + g_t),   eta = 1/M

Citation: dynamic-noise, section 4.3, n = max(N sqrt(R), 1), sum_t 1/sigma_t^2 = R' = R N^2/n^2; bound:
Theorem 4.7, Eq (14).

Calibration. As printed, a batch drawn with replacement costs p^2/sigma_t^2, p = n/N (the constant c is
dropped), for a zeroed sample. For Poisson batches and a zeroed sample the accountant agrees (p = 0.63, T =
10: epsilon 3.81 of the claimed 4). For a replaced sample, sigma must be 1.75 times the printed one for
Poisson batches, 1.93 without replacement, and 3.9 with replacement by the bound that is known. The default
draws Poisson batches, whose accounting is tight, and is certified for a replaced record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.algorithms.private_gd import State, private_gd
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import (
    PRINTED_R,
    TARGET,
    alpha_of,
    erub,
    gd_influence,
    uniform,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import batch_releases
from dpverify.problems import Problem
from dpverify.releases import Subsampled
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def private_sgd(
    problem: Problem,
    *,
    clip: float,
    batch: int,
    variances: Schedule,
    steps: int,
    step_size: float | None = None,
    how: str = "poisson",
) -> Algorithm:
    """Private SGD with squared noise multipliers sigma_t^2 on batches of (about) `batch` records; the step
    size is 1/M unless given.

    >>> private_sgd(quadratic_case()[0], clip=1.0, batch=10, variances=Schedule(4.0), steps=3).release(1).rate
    0.05
    """
    releases = batch_releases(problem, clip, batch, variances, steps, how)
    if step_size is None and problem.smoothness is None:
        raise ValueError("Expected step_size, because the smoothness of this problem is not known.")
    eta = step_size if step_size is not None else 1 / float(problem.smoothness or 1.0)

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Any, state: State, chosen: Array) -> Array:
        return problem.private_sum(state.x, data, clip, batch=chosen) / batch

    def update(state: State, released: Array) -> State:
        move = problem.with_public(state.x, released)
        move *= eta
        return State(np.subtract(state.x, move, out=move), state.t + 1)

    return Algorithm("private-sgd", steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


def printed_batch(count: int, R: float) -> int:
    """n = max(N sqrt(R), 1), rounded up (Theorem 4.7).

    >>> printed_batch(200, 0.3927)
    126
    """
    return min(count, max(1, math.ceil(count * math.sqrt(R))))


def certified_factor(releases: Callable[[float], list[Subsampled]]) -> float:
    """The factor on sigma, to 1 % and on the safe side, for which the accountant certifies the target for a
    replaced record.
    """
    return calibrate(releases, TARGET, REPLACE, tolerance=1e-2)


def sampling_variance(problem: Problem, data: Array, batch: int) -> float:
    """sigma_g^2 of section 4.3 for a batch with replacement: (n^2/D) E|batch gradient - gradient|^2 = (n/D)
    tr Cov(record gradients).
    """
    centred = data - data.mean(axis=0)
    return batch * float(np.mean(np.sum(centred**2, axis=1))) / problem.dimension


def example(*, as_printed: bool = False, steps: int = 10) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, n = 126, uniform schedule.

    >>> example(as_printed=True).algorithm.release(1).how
    'with replacement'
    """
    problem, data = quadratic_case()
    M, mu = 1.0, 0.1
    gamma = 1 - mu / M
    n = printed_batch(problem.count, PRINTED_R)
    R_prime = PRINTED_R * (problem.count / n) ** 2
    printed = uniform(steps, R_prime)
    how = "with replacement" if as_printed else "poisson"
    factor = (
        1.0
        if as_printed
        else certified_factor(
            lambda m: batch_releases(problem, 1.0, n, Schedule(m**2 * printed(1)), steps, how)
        )
    )
    variances = Schedule(factor**2 * printed(1))
    gap = float(problem.excess(problem.start[None], data)[0])
    spent = steps / variances(1)
    alpha = alpha_of(problem.dimension, 1.0, spent, M, n, gap)
    alpha_g = problem.dimension / (2 * mu * n**2 * gap)
    drift = alpha_g * sampling_variance(problem, data, n)
    return Example(
        private_sgd(problem, clip=1.0, batch=n, variances=variances, steps=steps, how=how),
        "dynamic-noise",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=gap
        * (
            erub(variances.values(steps), gd_influence(gamma, steps).values(steps), gamma, spent, alpha)
            + drift
        ),
        bound_source="Theorem 4.7, Eq (14), its noise model with sigma_g of this data",
        limit=("gradient descent", {"step_size": 1 / M}),
        forms=lambda: {
            "with everybody in the batch it is gradient descent": (
                private_sgd(
                    problem,
                    clip=1.0,
                    batch=problem.count,
                    variances=variances,
                    steps=steps,
                    how="without replacement",
                ),
                private_gd(problem, clip=1.0, variances=variances, steps=steps),
            )
        },
    )
