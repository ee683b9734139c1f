"""Private gradient descent with momentum: a bias-corrected moving average of the noisy gradients.

    release  g_t = (1/N) sum_i clip(grad f(x_t; i), G) + N(0, (G sigma_t / N)^2 I)
    update   v_{t+1} = beta v_t + (1 - beta) (public gradient + g_t),   x_{t+1} = x_t - eta v_{t+1} / (1 -
    beta^t),   v_1 = 0

Citation: dynamic-noise, Algorithm 1 with phi of Eq (10); bound: Theorem 4.4, Eq (11), corrected,
without the (non-positive) momentum term.

Calibration. As for private-gd: the printed budget sum 1/sigma_t^2 = R is for a zeroed sample; for a replaced
one the certified budget is 0.327 of it (sigma 1.75 times larger on one schedule). Step size: eta_0/(2M) as
printed, with the printed condition on eta_0; the default is eta_0/M, with the smaller eta_0 for which the
proof, corrected, goes through.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.private_gd import budget, known_constants, private_gd
from dpverify.bounds import Printed
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import (
    TARGET,
    alpha_of,
    erub,
    largest_eta0,
    momentum_influence,
    noise_multipliers,
    piecewise_influence,
    t_hat,
    uniform,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import first_gap, momentum_bound, noise_moments, unclipped
from dpverify.parts.budgets import guarded_as_printed
from dpverify.parts.cases import quadratic_case
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.problems import Problem
from dpverify.problems.records import scratch
from dpverify.releases import Gaussian
from dpverify.schedules import Schedule, from_influence

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    v: Array  # (runs, d), the decayed sum, (1 - beta) times which is the raw average
    t: int


def start(problem: Problem, runs: int) -> State:
    """The start of every run: no average yet."""
    return State(np.tile(problem.start, (runs, 1)), np.zeros((runs, problem.dimension)), 1)


def momentum_step(problem: Problem, state: State, released: Array, beta: float, step_size: float) -> State:
    """One step along the bias-corrected average.

    >>> problem = quadratic_case()[0]
    >>> first = momentum_step(problem, start(problem, 1), np.zeros((1, 5)), 0.9, 1.0)
    >>> bool(np.allclose(first.x, problem.start * (1 - problem.spectrum)))
    True
    """
    v = problem.with_public(state.x, released)
    v += np.multiply(state.v, beta, out=scratch("decayed", v.shape))
    move = v * (step_size * (1 - beta) / (1 - beta**state.t))
    return State(np.subtract(state.x, move, out=move), v, state.t + 1)


def private_gd_momentum(
    problem: Problem, *, clip: float, variances: Schedule, steps: int, beta: float, step_size: float
) -> Algorithm:
    """Private gradient descent with momentum and squared noise multipliers sigma_t^2.

    >>> private_gd_momentum(quadratic_case()[0], clip=1.0, variances=Schedule(4.0), steps=3, beta=0.9,
    ...     step_size=0.1).steps
    3
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    if not 0 <= beta < 1:
        raise ValueError(f"Expected 0 <= beta={beta} < 1.")
    largest = clip / problem.count
    sensitivity = full_batch_sensitivity(largest)
    releases = [Gaussian(largest * s, sensitivity) for s in noise_multipliers(variances, steps)]

    def init(runs: int) -> State:
        return start(problem, runs)

    def query(data: Any, state: State) -> Array:
        return problem.private_mean(state.x, data, clip, problem.count)

    def update(state: State, released: Array) -> State:
        return momentum_step(problem, state, released, beta, step_size)

    return Algorithm(
        "private-gd-momentum", steps, init, query, lambda t: releases[t - 1], update, load=problem.load
    )


def momentum_schedule(schedule: str, beta: float, gamma: float, steps: int, R: float) -> Schedule:
    """The schedules for momentum: "uniform", "exact" (Lemma 4.1 on the exact influence), "piecewise" (Theorem
    4.6).

    >>> momentum_schedule("uniform", 0.9, 0.95, 10, 1.0)(1)
    10.0
    """
    if schedule == "uniform":
        return uniform(steps, R)
    if schedule == "exact":
        return from_influence(Schedule(momentum_influence(beta, gamma, steps).values(steps)), steps, R)
    if schedule == "piecewise":
        return from_influence(piecewise_influence(beta, gamma, steps, t_hat(beta, gamma)), steps, R)
    raise ValueError(f"Expected schedule={schedule!r} to be 'uniform', 'exact' or 'piecewise'.")


def outside_of_theorem(beta: float, gamma: float, step_size: float | None) -> str:
    """Which setting the printed Theorem 4.4 does not cover, in words; empty if it covers all of them.

    >>> outside_of_theorem(0.0, 0.9, None)
    'the paper says nothing here: Theorem 4.4 is for beta in (0, 1), not for beta=0'
    >>> outside_of_theorem(0.5, 0.9, None)
    ''
    """
    nothing = "the paper says nothing here: Theorem 4.4 is for"
    if step_size is not None:
        return f"{nothing} the step eta_0/(2M), not for step_size={step_size:g}"
    if beta == 0:
        return f"{nothing} beta in (0, 1), not for beta=0"
    return f"{nothing} beta other than gamma={gamma:g}" if beta == gamma else ""


def momentum_steps(
    problem: Problem, beta: float, step_size: float | None, as_printed: bool
) -> tuple[float, float, float]:
    """eta_0, the gamma = 1 - eta_0 mu/M that goes with it, and the step: eta_0/M, or eta_0/(2M) as printed,
    unless one is given.

    >>> eta0, gamma, eta = momentum_steps(quadratic_case()[0], 0.5, None, False)
    >>> round(gamma, 3) == round(1 - eta0 / 10, 3), eta == eta0
    (True, True)
    """
    M, mu = known_constants(problem)
    eta0 = largest_eta0(beta, M / mu, as_printed=as_printed)
    eta = step_size if step_size is not None else eta0 / (2 * M) if as_printed else eta0 / M
    return eta0, 1 - eta0 * mu / M, eta


def momentum_erub(
    variances: Schedule, steps: int, beta: float, gamma: float, R: float, factor: float
) -> float:
    """The share of the first gap that the printed theorems leave after so many steps with momentum.

    >>> momentum_erub(Schedule(1.0), 2, 0.5, 0.9, 1.0, 0.0) == 0.9**2
    True
    """
    influence = momentum_influence(beta, gamma, steps).values(steps)
    return erub(variances.values(steps), influence, gamma, R, factor)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency | None = None,
    schedule: str | None = None,
    steps: int = 20,
    clip: float = 1.0,
    beta: float = 0.5,
    step_size: float | None = None,
) -> Example:
    """A quadratic with kappa = 10, N = 200, d = 5; the exact schedule and steps eta_0/M, or Theorem 4.6's
    schedule and steps eta_0/(2M) as printed.

    >>> example().algorithm.name
    'private-gd-momentum'
    """
    problem, data = case or quadratic_case()
    adjacency = adjacency or (ZERO_OUT if as_printed else REPLACE)
    R = budget(target, adjacency, as_printed)
    eta0, gamma, eta = momentum_steps(problem, beta, step_size, as_printed)
    kind = schedule or ("piecewise" if as_printed else "exact")
    variances = momentum_schedule(kind, beta, gamma, steps, R)
    common: dict[str, Any] = {"clip": clip, "variances": variances, "steps": steps}
    algorithm = private_gd_momentum(problem, beta=beta, step_size=eta, **common)
    algorithm, note = guarded_as_printed(algorithm, R) if as_printed else (algorithm, "")
    noise, printed = noise_moments(problem, data, algorithm, clip), None
    outside = outside_of_theorem(beta, gamma, step_size) if as_printed else ""
    if as_printed and not outside and unclipped(problem, clip):
        gap = first_gap(problem, data)
        alpha = alpha_of(problem.dimension, clip, R, known_constants(problem)[0], problem.count, gap)
        kept = momentum_erub(variances, algorithm.steps, beta, gamma, R, 2 * eta0 * alpha)
        printed = Printed("dynamic-noise/thm-4.4", gap * kept, "Theorem 4.4, Eq (11), first term")
    return Example(
        algorithm,
        "dynamic-noise",
        problem,
        data,
        adjacency,
        target,
        bound=momentum_bound(problem, data, noise, eta, beta) if unclipped(problem, clip) else None,
        printed=printed,
        note="; ".join(filter(None, [note, outside])),
        limit=("bias-corrected momentum", {"step_size": eta, "beta": beta}),
        forms=lambda: {
            "with beta = 0 it is gradient descent": (
                private_gd_momentum(problem, beta=0.0, step_size=0.5, **common),
                private_gd(problem, step_size=0.5, **common),
            )
        },
    )
