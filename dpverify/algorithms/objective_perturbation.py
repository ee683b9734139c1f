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
from dpverify.algorithms.output_perturbation import TARGET, cut_records
from dpverify.engine import Algorithm, Answer
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.cases import baseline_case
from dpverify.parts.gradients import full_batch_sensitivity
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


def derivatives(x: Array, data: Records) -> tuple[Array, Array]:
    """The gradient and the Hessian of the sum of the logistic losses, one for each row of x."""
    a, y = data.features, np.sign(data.targets)
    chance = 0.5 * (1 - np.tanh(0.5 * y * (x @ a.T)))  # of the other label
    return -(y * chance) @ a, np.einsum("rn,ni,nj->rij", chance * (1 - chance), a, a, optimize=True)


def perturbed_minimiser(data: Records, linear: Array, weight: float) -> Array:
    """The minimiser of sum of losses + <linear, x> + weight/2 |x|^2, one for each row of `linear`, by
    Newton's method; where a step does not bring the gradient down it is halved.

    >>> problem, data = baseline_case()
    >>> loaded, noise = problem.load(data), np.array([[30.0, 0.0, -5.0]])
    >>> x = perturbed_minimiser(loaded, noise, 20.0)
    >>> bool(np.abs(derivatives(x, loaded)[0] + noise + 20 * x).max() < 1e-10)
    True
    """
    x = linear / -weight
    slope, curvature = derivatives(x, data)
    slope = slope + linear + weight * x
    for _ in range(100):
        size = np.linalg.norm(slope, axis=1)
        if np.all(size <= 1e-13 * (1 + np.linalg.norm(linear, axis=1))):
            break
        step = np.linalg.solve(curvature + weight * np.eye(x.shape[1]), slope[:, :, None])[:, :, 0]
        length = np.ones((len(x), 1))
        for _ in range(30):
            there = x - length * step
            new, bent = derivatives(there, data)
            new = new + linear + weight * there
            worse = np.linalg.norm(new, axis=1) > size
            if not worse.any():
                break
            length[worse] /= 2
        if np.array_equal(there, x):
            break
        x, slope, curvature = there, new, bent
    return x


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
        note="no bound: a baseline; the guarantee needs the exact minimum, which every run is checked for",
    )
