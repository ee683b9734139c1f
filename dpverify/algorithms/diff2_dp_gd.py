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

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.formulas.diff2 import TARGET, gradient_bound, largest_step, printed_variances, renyi_order
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import logistic_case
from dpverify.parts.clients import client_sizes, clipped_mean, kept, mean_sensitivity, squared_gradient
from dpverify.problems import Problem
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
    )


def example(*, as_printed: bool = False, rounds: int = 20, clients: int = 4) -> Example:
    """Logistic regression, 80 records, d = 3, 4 clients, 20 rounds, (3, 1e-5)-DP.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    0.8
    """
    problem, data = logistic_case()
    order = renyi_order(TARGET.epsilon, TARGET.delta)
    sigma = math.sqrt(printed_variances(rounds, 1, problem.count, TARGET.epsilon, order, 1)[0])
    eta = largest_step(0.25, 1, 0.0, 0.25, problem.dimension)
    common: dict[str, Any] = {"clip": 1.0, "rounds": rounds, "step_size": eta, "clients": clients}
    if not as_printed:
        sigma = calibrate(lambda m: diff2_dp_gd(problem, sigma=m, **common).ledger(), TARGET, REPLACE)
    return Example(
        diff2_dp_gd(problem, sigma=sigma, **common),
        "diff2",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=gradient_bound(
            float(problem.excess(problem.start[None], data)[0]), eta, rounds, sigma, 1.0, problem.dimension
        ),
        bound_source="Proposition D.2 with the constants of its proof",
        quantity="E |F'(x)|^2",
        measure=squared_gradient(problem, data),
        limit=("gradient descent", {"step_size": eta}),
    )
