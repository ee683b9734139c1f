"""Private stochastic gradient descent with momentum: a bias-corrected average of noisy gradients of fresh
secret batches.

    release  g_t = (1/n) sum_{i in batch} clip(grad f(x_t; i), G) + N(0, (G sigma_t / n)^2 I)
    update   v_{t+1} = beta v_t + (1 - beta) (public gradient + g_t),   x_{t+1} = x_t - eta v_{t+1} / (1 -
    beta^t)

Citation: dynamic-noise, section 4.3 and Theorem 4.8, bound: Theorem 4.4, corrected, with the
variance of the batches as they are drawn.

Calibration. As for private-sgd: for a replaced record and Poisson batches, sigma is 1.75 times the printed
one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.private_gd import known_constants
from dpverify.algorithms.private_gd_momentum import (
    State,
    momentum_erub,
    momentum_step,
    momentum_steps,
    outside_of_theorem,
    start,
)
from dpverify.algorithms.private_sgd import batch_setting, batches_in_words, other_batch, private_sgd
from dpverify.bounds import Printed
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import TARGET, alpha_of
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import batch_moment, first_gap, momentum_bound, noise_moments, unclipped
from dpverify.parts.budgets import guarded_as_printed
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
        return problem.private_mean(state.x, data, clip, batch, batch=chosen)

    def update(state: State, released: Array) -> State:
        return momentum_step(problem, state, released, beta, step_size)

    return Algorithm(
        "private-sgd-momentum", steps, init, query, lambda t: releases[t - 1], update, load=problem.load
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency | None = None,
    batch: int | None = None,
    steps: int = 10,
    clip: float = 1.0,
    beta: float = 0.5,
    step_size: float | None = None,
) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, n = 126, uniform schedule.

    >>> example().algorithm.steps, example(as_printed=True).algorithm.steps  # the guard is strict
    (10, 9)
    """
    problem, data = case or quadratic_case()
    adjacency = adjacency or (ZERO_OUT if as_printed else REPLACE)
    n, variances, how = batch_setting(
        problem, target, adjacency, batch=batch, steps=steps, clip=clip, as_printed=as_printed
    )
    eta0, gamma, eta = momentum_steps(problem, beta, step_size, as_printed)
    common: dict[str, Any] = {
        "clip": clip,
        "batch": n,
        "variances": variances,
        "steps": steps,
        "how": how,
    }
    algorithm = private_sgd_momentum(problem, beta=beta, step_size=eta, **common)
    guard = ""
    outside = ""
    R = steps / variances(1)
    if as_printed:
        algorithm, guard = guarded_as_printed(algorithm, R)
        outside = outside_of_theorem(beta, gamma, step_size) or other_batch(n, problem.count, target)
    noise, printed = noise_moments(problem, data, algorithm, clip, n), None
    if as_printed and not outside and unclipped(problem, clip):
        gap, (M, mu) = first_gap(problem, data), known_constants(problem)
        drift = batch_moment(problem, data, algorithm.release(1), clip, n) / (2 * mu * gap)
        factor = 2 * eta0 * alpha_of(problem.dimension, clip, R, M, n, gap)
        kept = momentum_erub(variances, algorithm.steps, beta, gamma, R, factor)
        printed = Printed("dynamic-noise/thm-4.8", gap * (kept + drift), "Theorem 4.8, Eq (15)")
    return Example(
        algorithm,
        "dynamic-noise",
        problem,
        data,
        adjacency,
        target,
        bound=momentum_bound(problem, data, noise, eta, beta) if unclipped(problem, clip) else None,
        printed=printed,
        note="; ".join(filter(None, [batches_in_words(n, how), guard, outside])),
        limit=("bias-corrected momentum", {"step_size": eta, "beta": beta}),
        forms=lambda: {
            "with beta = 0 it is private SGD": (
                private_sgd_momentum(problem, beta=0.0, step_size=0.5, **common),
                private_sgd(problem, step_size=0.5, **common),
            )
        },
    )
