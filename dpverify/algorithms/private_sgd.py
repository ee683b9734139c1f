"""Private stochastic gradient descent: the clipped gradients of a fresh secret batch of n records on average,
with Gaussian noise.

    release  g_t = (1/n) sum_{i in batch} clip(grad f(x_t; i), G) + N(0, (G sigma_t / n)^2 I)
    update   x_{t+1} = x_t - eta (public gradient + g_t),   eta = 1/M

Citation: dynamic-noise, section 4.3, n = max(N sqrt(R), 1), sum_t 1/sigma_t^2 = R' = R N^2/n^2; bound:
Theorem 4.7, with the variance of the batches as they are drawn.

Calibration. As printed, a batch drawn with replacement costs p^2/sigma_t^2, p = n/N (the constant c is
dropped), for a zeroed sample. For Poisson batches and a zeroed sample the accountant agrees (p = 0.63, T =
10: epsilon 3.81 of the claimed 4). For a replaced sample, sigma must be 1.75 times the printed one for
Poisson batches, 1.93 without replacement, and 3.9 with replacement by the bound that is known. The default
draws Poisson batches, whose accounting is tight, and is certified for a replaced record.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.algorithms.private_gd import State, budget, known_constants, private_gd
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import TARGET, uniform
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import descent_bound, noise_moments, unclipped
from dpverify.parts.budgets import guarded_as_printed
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import batch_releases
from dpverify.problems import Problem
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
        return problem.private_mean(state.x, data, clip, batch, batch=chosen)

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


def batch_setting(
    problem: Problem,
    target: Guarantee,
    adjacency: Adjacency,
    *,
    batch: int | None,
    steps: int,
    clip: float,
    as_printed: bool,
) -> tuple[int, Schedule, str]:
    """The batch size n, the squared noise multipliers and how batches are drawn: the paper's, or
    certified.
    """
    R = budget(target, ZERO_OUT, True) if as_printed or batch is None else 1.0
    n = batch or printed_batch(problem.count, R)
    how = "with replacement" if as_printed else "poisson"
    printed = uniform(steps, R * (problem.count / n) ** 2)
    if as_printed:
        return n, printed, how
    factor = calibrate(
        lambda m: batch_releases(problem, clip, n, Schedule(m**2 * printed(1)), steps, how),
        target,
        adjacency,
        tolerance=1e-2,
    )
    return n, Schedule(factor**2 * printed(1)), how


def other_batch(n: int, count: int, target: Guarantee) -> str:
    """What Theorem 4.7 says of the batch where n is another one, or would be more than all records, in
    words.

    >>> other_batch(10, 200, TARGET)
    'Theorem 4.7 is for n = max(N sqrt(R), 1) = 125.3, not for n=10'
    """
    printed = max(1.0, count * math.sqrt(budget(target, ZERO_OUT, True)))
    return f"Theorem 4.7 is for n = max(N sqrt(R), 1) = {printed:.4g}, not for n={n}" * (
        n != math.ceil(printed)
    )


def batches_in_words(n: int, how: str) -> str:
    """How many records a batch has, and how they are drawn.

    >>> batches_in_words(50, "poisson")
    'batches of about 50 records, poisson'
    """
    return f"batches of {'about ' if how == 'poisson' else ''}{n} records, {how}"


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency | None = None,
    batch: int | None = None,
    steps: int = 10,
    clip: float = 1.0,
    step_size: float | None = None,
) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, n = 126, uniform schedule; as printed, under the strict
    guard.

    >>> example(as_printed=True).algorithm.release(1).how
    'with replacement'
    """
    problem, data = case or quadratic_case()
    adjacency = adjacency or (ZERO_OUT if as_printed else REPLACE)
    n, variances, how = batch_setting(
        problem, target, adjacency, batch=batch, steps=steps, clip=clip, as_printed=as_printed
    )
    M, _ = known_constants(problem)
    eta = 1 / M if step_size is None else step_size
    algorithm = private_sgd(
        problem, clip=clip, batch=n, variances=variances, steps=steps, step_size=eta, how=how
    )
    guard = ""
    if as_printed:
        algorithm, guard = guarded_as_printed(algorithm, steps / variances(1))
        guard = "; ".join(filter(None, [guard, other_batch(n, problem.count, target)]))
    noise = noise_moments(problem, data, algorithm, clip, n)
    return Example(
        algorithm,
        "dynamic-noise",
        problem,
        data,
        adjacency,
        target,
        bound=descent_bound(problem, data, noise, eta) if unclipped(problem, clip) else None,
        note="; ".join(filter(None, [batches_in_words(n, how), guard])),
        limit=("gradient descent", {"step_size": eta}),
        forms=lambda: {
            "with everybody in the batch it is gradient descent": (
                private_sgd(
                    problem,
                    clip=clip,
                    batch=problem.count,
                    variances=variances,
                    steps=steps,
                    step_size=eta,
                    how="without replacement",
                ),
                private_gd(problem, clip=clip, variances=variances, steps=steps, step_size=eta),
            )
        },
    )
