"""Private stochastic gradient descent with momentum: a bias-corrected average of noisy gradients of fresh
secret batches.

    release  g_t = (1/n) sum_{i in batch} clip(grad f(x_t; i), G) + N(0, (G sigma_t / n)^2 I)
    update   v_{t+1} = beta v_t + (1 - beta) (public gradient + g_t),   x_{t+1} = x_t - eta v_{t+1} / (1 -
    beta^t)

Citation: dynamic-noise, section 4.3 and Theorem 4.8, which bounds it by Theorem 4.4's bound plus alpha_g
sigma_g^2.

Calibration. As for private-sgd: for a replaced record and Poisson batches, sigma is 1.75 times the printed
one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.private_gd_momentum import State, momentum_step, start
from dpverify.algorithms.private_sgd import certified_factor, printed_batch, private_sgd, sampling_variance
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import (
    PRINTED_R,
    TARGET,
    alpha_of,
    erub,
    largest_eta0,
    momentum_influence,
    uniform,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import batch_releases
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def private_sgd_momentum(
    problem: Problem,
    *,
    clip: float,
    batch: int,
    variances: Schedule,
    steps: int,
    beta: float,
    step_size: float,
    how: str = "poisson",
) -> Algorithm:
    """Private SGD with momentum on batches of (about) `batch` records.

    >>> private_sgd_momentum(quadratic_case()[0], clip=1.0, batch=10, variances=Schedule(4.0), steps=3,
    ...     beta=0.9, step_size=0.1).steps
    3
    """
    if not 0 <= beta < 1:
        raise ValueError(f"Expected 0 <= beta={beta} < 1.")
    releases = batch_releases(problem, clip, batch, variances, steps, how)

    def init(runs: int) -> State:
        return start(problem, runs)

    def query(data: Any, state: State, chosen: Array) -> Array:
        return problem.private_sum(state.x, data, clip, batch=chosen) / batch

    def update(state: State, released: Array) -> State:
        return momentum_step(problem, state, released, beta, step_size)

    return Algorithm(
        "private-sgd-momentum", steps, init, query, lambda t: releases[t - 1], update, load=problem.load
    )


def example(*, as_printed: bool = False, steps: int = 10, beta: float = 0.5) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, n = 126, uniform schedule.

    >>> example(as_printed=True).algorithm.steps
    10
    """
    problem, data = quadratic_case()
    M, mu, kappa = 1.0, 0.1, 10.0
    n = printed_batch(problem.count, PRINTED_R)
    printed = uniform(steps, PRINTED_R * (problem.count / n) ** 2)
    how = "with replacement" if as_printed else "poisson"
    factor = (
        1.0
        if as_printed
        else certified_factor(
            lambda m: batch_releases(problem, 1.0, n, Schedule(m**2 * printed(1)), steps, how)
        )
    )
    variances = Schedule(factor**2 * printed(1))
    eta0 = largest_eta0(beta, kappa, as_printed=as_printed)
    gamma = 1 - eta0 / kappa
    gap = float(problem.excess(problem.start[None], data)[0])
    spent = steps / variances(1)
    alpha = 2 * eta0 * alpha_of(problem.dimension, 1.0, spent, M, n, gap)
    drift = problem.dimension / (2 * mu * n**2 * gap) * sampling_variance(problem, data, n)
    influence = momentum_influence(beta, gamma, steps).values(steps)
    return Example(
        private_sgd_momentum(
            problem,
            clip=1.0,
            batch=n,
            variances=variances,
            steps=steps,
            beta=beta,
            step_size=eta0 / (2 * M),
            how=how,
        ),
        "dynamic-noise",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=gap * (erub(variances.values(steps), influence, gamma, spent, alpha) + drift),
        bound_source="Theorem 4.8, Eq (15), its noise model with sigma_g of this data",
        limit=("bias-corrected momentum", {"step_size": eta0 / (2 * M), "beta": beta}),
        forms=lambda: {
            "with beta = 0 it is private SGD": (
                private_sgd_momentum(
                    problem,
                    clip=1.0,
                    batch=n,
                    variances=variances,
                    steps=steps,
                    beta=0.0,
                    step_size=0.5,
                    how=how,
                ),
                private_sgd(
                    problem, clip=1.0, batch=n, variances=variances, steps=steps, step_size=0.5, how=how
                ),
            )
        },
    )
