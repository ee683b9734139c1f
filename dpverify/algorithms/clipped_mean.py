"""The private mean of clipped vectors over P clients: ClippedMean and one Gaussian release.

    release  (1/P) sum_p (1/n_p) sum_{z in D_p} min(C/|z|, 1) z + N(0, (sigma C)^2 I)

Citation: diff2, Algorithm 2, Lemma C.1, and one round of Proposition 4.1 (R = T = 1, u = 1).

Calibration. As printed sigma^2 = 4 a/(n_min^2 P^2 eps), a = 1 + ceil(2 ln(1/delta)/eps), which is enough; the
exact Gaussian mechanism needs 0.80 of that noise at (3, 1e-5)-DP.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nsgd import point
from dpverify.engine import Algorithm
from dpverify.formulas.diff2 import TARGET, printed_variances, renyi_order
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import mean_case
from dpverify.parts.clients import client_sizes, clipped_mean, mean_sensitivity
from dpverify.problems import Problem
from dpverify.releases import Gaussian

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def private_mean(problem: Problem, *, clip: float, sigma: float, clients: int | tuple[int, ...]) -> Algorithm:
    """One step of gradient descent from the origin on |x|^2/2 - mean of y'x: the clipped mean of the y, with
    noise sigma C.

    >>> private_mean(mean_case(4, 2)[0], clip=2.0, sigma=3.0, clients=2).release(1).scale
    6.0
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    sizes = client_sizes(problem, clients)
    release = Gaussian(sigma * clip, mean_sensitivity(sizes, clip))

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Any, state: State) -> Array:
        return clipped_mean(problem, state.x, data, clip, sizes)

    def update(state: State, released: Array) -> State:
        return State(state.x - (problem.public_gradient(state.x) + released), state.t + 1)

    return Algorithm("clipped-mean", 1, init, query, lambda t: release, update, load=problem.load)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    clip: float = 1.0,
    clients: int | None = None,
) -> Example:
    """The mean of 200 records in the unit ball of 3 dimensions, 4 clients.

    >>> round(example().algorithm.release(1).scale / example(as_printed=True).algorithm.release(1).scale, 2)
    0.8
    """
    problem, data = case or mean_case(200, 3)
    clients = clients or (4 if case is None else 1)
    if as_printed:
        order = renyi_order(point(target).epsilon, point(target).delta)
        sigma = math.sqrt(printed_variances(1, 1, problem.count, point(target).epsilon, order, 1)[0])
    else:
        ledger = private_mean(problem, clip=clip, sigma=1.0, clients=clients).ledger()
        sigma = certified_noise(ledger, target, adjacency)
    return Example(
        private_mean(problem, clip=clip, sigma=sigma, clients=clients),
        "diff2",
        problem,
        data,
        adjacency,
        target,
        no_bound="its error is the variance of its noise, d (sigma C)^2/2, which the exact figure says",
        limit=("gradient descent", {"step_size": 1.0}),
    )
