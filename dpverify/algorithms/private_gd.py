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
    dynamic,
    noise_multipliers,
    uniform,
    zcdp_budget,
)
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import descent_bound, noise_moments, unclipped
from dpverify.parts.budgets import certified_budget, guarded_as_printed
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.problems import Problem
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
        return problem.private_mean(state.x, data, clip, problem.count)

    def update(state: State, released: Array) -> State:
        move = problem.with_public(state.x, released)
        move *= eta
        return State(np.subtract(state.x, move, out=move), state.t + 1)

    return Algorithm(
        "private-gd",
        steps,
        init,
        query,
        lambda t: releases[t - 1],
        update,
        load=problem.load,
        work=problem.work,
    )


def _smoothness(problem: Problem) -> float:
    if problem.smoothness is None:
        raise ValueError("Expected step_size, because the smoothness of this problem is not known.")
    return problem.smoothness


def known_constants(problem: Problem) -> tuple[float, float]:
    """M and mu, which the schedules and steps of dynamic-noise need."""
    if problem.smoothness is None or problem.pl is None:
        raise ValueError(
            "Expected a problem with known smoothness and PL constant (a ridge has one), for the schedule "
            "and the steps."
        )
    return problem.smoothness, problem.pl


def budget(target: Guarantee, adjacency: Adjacency, as_printed: bool) -> float:
    """R = sum 1/sigma_t^2: the paper's (App D), by the conversion from zCDP, or the accountant's.

    >>> budget(TARGET, REPLACE, True)
    0.3927
    """
    if not as_printed:
        return certified_budget(target, adjacency)
    if not isinstance(target, ApproxDP):
        raise ValueError(f"Expected target={target} of the form (epsilon, delta), as the paper converts it.")
    return PRINTED_R if target == TARGET else zcdp_budget(target.epsilon, target.delta)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency | None = None,
    schedule: str = "dynamic",
    steps: int = 20,
    clip: float = 1.0,
    step_size: float | None = None,
) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5, under Eq (7)'s schedule or the uniform one.

    As printed, the record is zeroed, and the guard of Algorithm 1 is strict: it drops the last step.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    1.75
    """
    if schedule not in ("dynamic", "uniform"):
        raise ValueError(f"Expected schedule={schedule!r} to be 'dynamic' or 'uniform'.")
    problem, data = case or quadratic_case()
    adjacency = adjacency or (ZERO_OUT if as_printed else REPLACE)
    R = budget(target, adjacency, as_printed)
    M, mu = known_constants(problem)
    eta = 1 / M if step_size is None else step_size
    variances = dynamic(1 - mu / M, steps, R) if schedule == "dynamic" and mu < M else uniform(steps, R)
    algorithm = private_gd(problem, clip=clip, variances=variances, steps=steps, step_size=eta)
    algorithm, note = guarded_as_printed(algorithm, R) if as_printed else (algorithm, "")
    noise = noise_moments(problem, data, algorithm, clip)
    return Example(
        algorithm,
        "dynamic-noise",
        problem,
        data,
        adjacency,
        target,
        bound=descent_bound(problem, data, noise, eta) if unclipped(problem, clip) else None,
        note=note,
        limit=("gradient descent", {"step_size": eta}),
    )
