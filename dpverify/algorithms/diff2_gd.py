"""DIFF2-GD: a private gradient now and then, private gradient differences in between, whose noise shrinks
with the distance travelled.

    release  every T rounds  d_r = (1/P) sum_p ClippedMean(grad l(x_{r-1}), C_1) + N(0, (sigma_1 C_1)^2 I)
             otherwise       d_r = (1/P) sum_p ClippedMean(grad l(x_{r-1}) - grad l(x_{r-2}), C) + N(0,
             (sigma_2 C)^2 I)
                             C = C_2 |x_{r-1} - x_{r-2}|, which is public
    update   v_r = d_r every T rounds, v_{r-1} + d_r otherwise
             x_r = x_{r-1} - eta (public gradient + v_r);   output x_{r-1} for a random r

Citation: diff2, Algorithms 1 and 3; noise: Proposition 4.1; bound: Proposition D.2 (C_1 >= G, C_2 >= L).

Calibration. Proposition 4.1 (u = 1.25, as in section 6) is enough; exact Gaussian composition needs 0.80 of
its noise at (3, 1e-5)-DP.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.diff2_dp_gd import diff2_dp_gd, gradient_bound, record_smoothness
from dpverify.algorithms.dp_nsgd import point
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.diff2 import (
    TARGET,
    largest_step,
    printed_variances,
    renyi_order,
    round_variances,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import logistic_case
from dpverify.parts.clients import (
    client_sizes,
    clipped_mean,
    distance,
    kept,
    mean_sensitivity,
    squared_gradient,
)
from dpverify.problems import Problem
from dpverify.releases import Gaussian
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    previous: Array  # (runs, d)
    v: Array  # (runs, d), the gradient as far as the differences tell
    chosen: Array  # (runs, d)
    t: int


def server_releases(
    sizes: tuple[int, ...], variances: Schedule, rounds: int, restart: int, clip: float
) -> list[Gaussian]:
    """The releases of the server: in units of C_1 at restarts, in units of the public C otherwise."""
    if restart < 1:
        raise ValueError(f"Expected restart={restart} >= 1.")
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    sigma = np.sqrt(variances.values(rounds)).tolist()
    units = [clip if r % restart == 0 else 1.0 for r in range(rounds)]
    return [Gaussian(s * unit, mean_sensitivity(sizes, unit)) for s, unit in zip(sigma, units)]


def diff2_gd(
    problem: Problem,
    *,
    clip: float,
    difference_clip: float,
    variances: Schedule,
    restart: int,
    rounds: int,
    step_size: float,
    clients: int | tuple[int, ...],
) -> Algorithm:
    """DIFF2 with gradient steps: `clip` is C_1, `difference_clip` C_2, `restart` T, `variances` sigma_1^2 or
    sigma_2^2 of every round.

    >>> algorithm = diff2_gd(logistic_case()[0], clip=2.0, difference_clip=0.25,
    ...     variances=round_variances(1.0, 9.0, 5), restart=5,
    ...     rounds=10, step_size=0.1, clients=4)
    >>> algorithm.release(1).scale, algorithm.release(2).scale
    (2.0, 3.0)
    """
    if not difference_clip > 0:
        raise ValueError(f"Expected difference_clip={difference_clip} > 0.")
    sizes = client_sizes(problem, clients)
    releases = server_releases(sizes, variances, rounds, restart, clip)

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        return State(x, x, np.zeros_like(x), x, 1)

    def query(data: Any, state: State) -> Answer:
        if (state.t - 1) % restart == 0:
            return Answer(clipped_mean(problem, state.x, data, clip, sizes))
        unit = difference_clip * distance(state.x, state.previous)
        return Answer(clipped_mean(problem, state.x, data, unit, sizes, minus=state.previous), unit)

    def update(state: State, released: Array) -> State:
        v = released if (state.t - 1) % restart == 0 else state.v + released
        x = state.x - step_size * (problem.public_gradient(state.x) + v)
        return State(x, state.x, v, state.chosen, state.t + 1)

    return Algorithm(
        "diff2-gd",
        rounds,
        init,
        query,
        lambda t: releases[t - 1],
        update,
        load=problem.load,
        coins=kept,
        output=lambda state: state.chosen,
        work=problem.work,
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = 1.0,
    restart: int = 5,
    clients: int | None = None,
    step_size: float | None = None,
    u: float = 1.25,
) -> Example:
    """Logistic regression, 80 records, d = 3, 4 clients, 20 rounds, a restart every 5, (3, 1e-5)-DP; one
    client for data of one's own.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    0.8
    """
    problem, data = case or logistic_case()
    clients = clients or (4 if case is None else 1)
    d, L = problem.dimension, record_smoothness(problem)
    epsilon, delta = point(target).epsilon, point(target).delta
    first, second = printed_variances(
        steps, restart, problem.count, epsilon, renyi_order(epsilon, delta), 1 if restart == 1 else u
    )
    sizes = client_sizes(problem, clients)
    factor = 1.0
    if not as_printed:
        ledger = server_releases(sizes, round_variances(first, second, restart), steps, restart, clip)
        factor = certified_noise(ledger, target, adjacency)
    sigma_1, sigma_2 = factor * math.sqrt(first), factor * math.sqrt(second)
    eta = largest_step(L, restart, sigma_2, L, d) if step_size is None else step_size
    common: dict[str, Any] = {"clip": clip, "rounds": steps, "step_size": eta, "clients": clients}
    return Example(
        diff2_gd(
            problem,
            difference_clip=L,
            variances=round_variances(sigma_1**2, sigma_2**2, restart),
            restart=restart,
            **common,
        ),
        "diff2",
        problem,
        data,
        adjacency,
        target,
        bound=gradient_bound(
            problem,
            data,
            eta=eta,
            rounds=steps,
            restart=restart,
            sigma=(sigma_1, sigma_2),
            clips=(clip, L),
            L=L,
        ),
        quantity="E |F'(x)|^2",
        measure=squared_gradient(problem, data),
        limit=("gradient descent", {"step_size": eta}),
        forms=lambda: {
            "T = 1 is DP-GD": (
                diff2_gd(problem, difference_clip=L, variances=Schedule(sigma_1**2), restart=1, **common),
                diff2_dp_gd(problem, sigma=sigma_1, **common),
            )
        },
    )
