"""Output perturbation: the minimiser of a strongly convex objective, with Gaussian noise.

    release  x = argmin F + N(0, s^2 I),   one record moves the minimiser by at most 2 G/(N mu) if replaced,
    G/(N mu)
             if zeroed or added with N fixed

Citation: Chaudhuri, Monteleoni and Sarwate 2011, with Gaussian noise. G bounds the length of a record, which
is cut to it, and with it the slope of its loss; mu comes from the regulariser. Calibration: the accountant's
s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import baseline_case
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.parts.logistic import cut_records, perturbed_minimiser
from dpverify.problems import Linear, Problem, Quadratic, Records
from dpverify.releases import Gaussian

Array = np.ndarray[Any, Any]

TARGET = ApproxDP(2.0, 1e-5)


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def output_perturbation(problem: Problem, *, scale: float) -> Algorithm:
    """The minimiser with noise of that scale on every coordinate.

    >>> output_perturbation(baseline_case()[0], scale=1.0).steps
    1
    """
    longest, mu = problem.lipschitz, problem.pl
    logistic = isinstance(problem, Linear) and problem.kind == "logistic"
    if longest is None or mu is None or not (logistic or isinstance(problem, Quadratic)):
        raise ValueError(
            "Expected logistic regression with a ridge, or a quadratic: of bounded slope, strongly convex."
        )
    release = Gaussian(scale, full_batch_sensitivity(longest / (problem.count * mu)))

    def query(data: Records, state: State) -> Array:
        if "minimiser" not in data.memo:
            data.memo["minimiser"] = minimiser(problem, data)
        return np.broadcast_to(data.memo["minimiser"], state.x.shape)

    return Algorithm(
        "output-perturbation",
        1,
        lambda runs: State(np.tile(problem.start, (runs, 1)), 1),
        query,
        lambda t: release,
        lambda state, released: State(released, state.t + 1),
        load=lambda data: cut_records(problem.load(data), longest),
    )


def minimiser(problem: Problem, data: Records) -> Array:
    """The minimiser of F, to rounding; labels are -1 and 1.

    >>> problem, data = baseline_case()
    >>> x = minimiser(problem, problem.load(data))
    >>> bool(np.abs(problem.gradient(x[None], data)).max() < 1e-12)
    True
    """
    if not isinstance(problem, Linear):
        return problem.optimum(data)[0]
    nothing = np.zeros((1, problem.dimension))
    return perturbed_minimiser(data, nothing, 2 * problem.count * problem.ridge)[0]


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
) -> Example:
    """Logistic regression, 200 records, d = 3, with its ridge.

    >>> example().algorithm.name
    'output-perturbation'
    """
    problem, data = case or baseline_case()
    scale = certified_noise(output_perturbation(problem, scale=1.0).ledger(), target, adjacency)
    return Example(
        output_perturbation(problem, scale=scale),
        "baseline",
        problem,
        data,
        adjacency,
        target,
        no_bound="a baseline",
    )
