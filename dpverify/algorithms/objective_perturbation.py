"""Objective perturbation: the exact minimiser of a regularised objective to which a random linear term was
added.

    release  r = sum_i grad l(x; i) + b  at  x = -r/(2 N ridge),   b ~ N(0, s^2 I)
    update   x = -r/(2 N ridge),   the minimiser of  sum_i l(x; i)/N + ridge |x|^2 + <b, x>/N

Citation: Chaudhuri, Monteleoni and Sarwate 2011; Kifer, Smith and Thakurta 2012, with Gaussian noise. The
noise enters the argmin, so the query is asked at the point to which its own release leads: `solve` finds it,
and the engine checks that it did.

Conditions of the guarantee: l is a convex loss of a linear prediction (here logistic), with slope at most G
and second derivative at most G^2/4 along the record, which is cut to length G; the ridge is not 0; the
minimum is exact, to rounding. The Jacobians of neighbouring data sets differ by a factor of at most 1 +
G^2/(8 N ridge). Calibration: the accountant's s.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.algorithms.output_perturbation import TARGET
from dpverify.engine import Algorithm, Answer
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.cases import baseline_case
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.parts.logistic import cut_records, derivatives, perturbed_minimiser
from dpverify.problems import Linear, Problem, Records
from dpverify.releases import Implicit

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def objective_release(problem: Problem, scale: float) -> Implicit:
    """What is published, for noise of that scale."""
    longest = problem.lipschitz
    if not (isinstance(problem, Linear) and problem.kind == "logistic" and longest and problem.ridge > 0):
        raise ValueError("Expected logistic regression with a ridge: convex, of bounded slope and curvature.")
    stretch = 1 + longest**2 / 4 / (2 * problem.count * problem.ridge)
    return Implicit(scale, full_batch_sensitivity(longest), stretch)


def objective_perturbation(problem: Problem, *, scale: float) -> Algorithm:
    """The minimiser of the objective with a random linear term of that scale.

    >>> objective_perturbation(baseline_case()[0], scale=1.0).steps
    1
    """
    release = objective_release(problem, scale)
    assert isinstance(problem, Linear) and problem.lipschitz is not None
    weight, longest = 2 * problem.count * problem.ridge, problem.lipschitz

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Records, state: State) -> Answer:
        slope, curvature = derivatives(state.x, data)
        identity = np.eye(problem.dimension)
        return Answer(slope, volume=np.linalg.slogdet(identity + curvature / weight)[1])

    def update(state: State, released: Array) -> State:
        return State(released / -weight, state.t + 1)

    def solve(data: Records, state: State, noise: Array) -> Array:
        return -weight * perturbed_minimiser(data, noise, weight)

    return Algorithm(
        "objective-perturbation",
        1,
        init,
        query,
        lambda t: release,
        update,
        load=lambda data: cut_records(problem.load(data), longest),
        solve=solve,
        work=problem.work,
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
) -> Example:
    """Logistic regression, 200 records, d = 3, with its ridge.

    >>> example().algorithm.name
    'objective-perturbation'
    """
    problem, data = case or baseline_case()
    least = math.log(objective_release(problem, 1.0).stretch)
    if isinstance(target, ApproxDP) and -math.expm1(target.epsilon - least) > target.delta:
        raise ValueError(
            f"Expected epsilon={target.epsilon} above ln(1 + G^2/(8 N ridge)) = {least:.4g}, which the "
            "Jacobian costs whatever the noise: a larger ridge lowers it."
        )
    scale = calibrate(lambda m: [objective_release(problem, m)], target, adjacency, tolerance=1e-3)
    return Example(
        objective_perturbation(problem, scale=scale),
        "baseline",
        problem,
        data,
        adjacency,
        target,
        no_bound="a baseline",
        note="the guarantee needs the exact minimum, which every run is checked for",
    )
