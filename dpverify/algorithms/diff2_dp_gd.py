"""DP-GD as diff2 runs it: clipped means of P clients' gradients with Gaussian noise in every round; the
output is a random iterate.

    release  v_r = (1/P) sum_p ClippedMean(grad l(x_{r-1}, z), C_1) + N(0, (sigma_1 C_1)^2 I)
    update   x_r = x_{r-1} - eta (public gradient + v_r);   output x_{r-1} for a random r

Citation: diff2, Algorithm 1 with T = 1 and Algorithm 3; noise: Proposition 4.1 with u = 1; bound: Proposition
D.2.

Calibration. Proposition 4.1 is enough; exact Gaussian composition needs 0.80 of its noise at (3, 1e-5)-DP.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nsgd import point
from dpverify.bounds import Bound
from dpverify.engine import Algorithm
from dpverify.formulas.diff2 import TARGET, largest_step, printed_variances, renyi_order
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import first_gap, unclipped
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import logistic_case
from dpverify.parts.clients import client_sizes, clipped_mean, kept, mean_sensitivity, squared_gradient
from dpverify.problems import Linear, Problem
from dpverify.releases import Gaussian

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    chosen: Array  # (runs, d)
    t: int


def diff2_dp_gd(
    problem: Problem,
    *,
    clip: float,
    sigma: float,
    rounds: int,
    step_size: float,
    clients: int | tuple[int, ...],
) -> Algorithm:
    """Gradient descent on the noisy clipped means of the clients; `clip` is C_1.

    >>> diff2_dp_gd(logistic_case()[0], clip=1.0, sigma=2.0, rounds=3, step_size=0.1,
    ...     clients=4).release(1).scale
    2.0
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    sizes = client_sizes(problem, clients)
    release = Gaussian(sigma * clip, mean_sensitivity(sizes, clip))

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        return State(x, x, 1)

    def query(data: Any, state: State) -> Array:
        return clipped_mean(problem, state.x, data, clip, sizes)

    def update(state: State, released: Array) -> State:
        return State(
            state.x - step_size * (problem.public_gradient(state.x) + released), state.chosen, state.t + 1
        )

    return Algorithm(
        "diff2-dp-gd",
        rounds,
        init,
        query,
        lambda t: release,
        update,
        load=problem.load,
        coins=kept,
        output=lambda state: state.chosen,
        work=problem.work,
    )


def record_smoothness(problem: Problem) -> float:
    """L of every record's loss with the ridge, which may be above that of their mean: 1/4 for logistic loss
    on the unit ball.

    >>> round(record_smoothness(logistic_case()[0]), 9), round(logistic_case()[0].smoothness, 3)
    (0.25, 0.093)
    """
    if isinstance(problem, Linear) and problem.kind == "logistic" and problem.lipschitz is not None:
        return problem.lipschitz**2 / 4 + 2 * problem.ridge
    if problem.smoothness is None:
        raise ValueError("Expected a problem with known smoothness, from which the step size comes.")
    return problem.smoothness


def gradient_bound(
    problem: Problem,
    data: Data,
    *,
    eta: float,
    rounds: int,
    restart: int,
    sigma: tuple[float, float],
    clips: tuple[float, float],
    L: float,
) -> Bound | None:
    """Proposition D.2 where no gradient is clipped and the step is small enough."""
    if not unclipped(problem, clips[0]) or clips[1] < L * (1 - 1e-12):
        return None
    left = [0 if r % restart == 0 else min(rounds - r, restart - r % restart) for r in range(rounds + 1)]
    values = {"eta": eta, "L": L, "R": rounds, "T": restart, "n": left, "e": [first_gap(problem, data)]}
    values |= {"s2": [0.0], "w2": [0.0]}  # before the first round
    values |= {"a": problem.dimension * (sigma[0] * clips[0]) ** 2}
    values |= {"c": problem.dimension * (sigma[1] * clips[1]) ** 2}
    bound = Bound("diff2/bound-gradient", values)
    return None if bound.broken else bound


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = 1.0,
    clients: int | None = None,
    step_size: float | None = None,
) -> Example:
    """Logistic regression, 80 records, d = 3, 4 clients, 20 rounds, (3, 1e-5)-DP; one client for data of
    one's own.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    0.8
    """
    problem, data = case or logistic_case()
    clients = clients or (4 if case is None else 1)
    L = record_smoothness(problem)
    eta = largest_step(L, 1, 0.0, L, problem.dimension) if step_size is None else step_size
    common: dict[str, Any] = {"clip": clip, "rounds": steps, "step_size": eta, "clients": clients}
    if as_printed:
        order = renyi_order(point(target).epsilon, point(target).delta)
        sigma = math.sqrt(printed_variances(steps, 1, problem.count, point(target).epsilon, order, 1)[0])
    else:
        sigma = certified_noise(diff2_dp_gd(problem, sigma=1.0, **common).ledger(), target, adjacency)
    return Example(
        diff2_dp_gd(problem, sigma=sigma, **common),
        "diff2",
        problem,
        data,
        adjacency,
        target,
        bound=gradient_bound(
            problem, data, eta=eta, rounds=steps, restart=1, sigma=(sigma, 0.0), clips=(clip, L), L=L
        ),
        quantity="E |F'(x)|^2",
        measure=squared_gradient(problem, data),
        limit=("gradient descent", {"step_size": eta}),
    )
