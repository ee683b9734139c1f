"""Laws of limits: without noise an algorithm is the plain method it is named after, and two forms of one
algorithm agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.engine import Algorithm, Step, walk
from dpverify.problems import Quadratic

from .laws import NotApplicable, Outcome, Result, Subject, broken, held, law, same

Array = np.ndarray[Any, Any]
Gradient = Callable[[int, Array], Array]  # (step, point) -> the gradient that the step sees there
RUNS = 2


def louder(algorithm: Algorithm, factor: float) -> Algorithm:
    """The same algorithm with that much more noise, for the same sensitivity."""
    return replace(algorithm, release=lambda t: algorithm.release(t).scaled(factor))


def gradient_descent(gradient: Gradient, x: Array, steps: int, *, step_size: Any) -> list[Array]:
    """x - step_size g."""
    path = [x]
    for t in range(1, steps + 1):
        path.append(path[-1] - _at(step_size, t) * gradient(t, path[-1]))
    return path


def heavy_ball(gradient: Gradient, x: Array, steps: int, *, step_size: float, beta: float) -> list[Array]:
    """x - step_size g + beta (x - the one before)."""
    path = [x, x]
    for t in range(1, steps + 1):
        path.append(path[-1] - step_size * gradient(t, path[-1]) + beta * (path[-1] - path[-2]))
    return path[1:]


def nesterov(
    gradient: Gradient, x: Array, steps: int, *, step_size: Any, beta: Any, restarts: Any = ()
) -> list[Array]:
    """z - step_size g(z), z ahead by beta times the last move; no last move after a restart."""
    path = [x]
    last = np.zeros_like(x)
    for t in range(1, steps + 1):
        z = path[-1] + _at(beta, t) * (np.zeros_like(x) if t in restarts else last)
        path.append(z - _at(step_size, t) * gradient(t, z))
        last = path[-1] - path[-2]
    return path


def corrected_momentum(
    gradient: Gradient, x: Array, steps: int, *, step_size: float, beta: float
) -> list[Array]:
    """A step along the average of the past gradients with weights beta^age, which add up to one."""
    path, past = [x], []
    for t in range(1, steps + 1):
        past.append(gradient(t, path[-1]))
        weights = beta ** np.arange(t - 1, -1, -1, dtype=float)
        path.append(path[-1] - step_size * np.average(past, axis=0, weights=weights))
    return path


def normalised_momentum(
    gradient: Gradient, x: Array, steps: int, *, step_size: float, alpha: float
) -> list[Array]:
    """A step of fixed length along alpha times the sum of the past gradients with weights (1 - alpha)^age."""
    path, past = [x], []
    for t in range(1, steps + 1):
        past.append(gradient(t, path[-1]))
        m = alpha * np.sum([(1 - alpha) ** (t - 1 - i) * g for i, g in enumerate(past)], axis=0)
        path.append(path[-1] - step_size * m / np.linalg.norm(m))
    return path


def prefix_sums(gradient: Gradient, x: Array, steps: int, *, count: int) -> list[Array]:
    """The sum of the first t records' gradients at the start, divided by the number of records and taken away
    from the start.
    """
    terms = [gradient(t, x) / count for t in range(1, steps + 1)]
    return [x - sum(terms[:t], start=np.zeros_like(x)) for t in range(steps + 1)]


def _at(setting: Any, t: int) -> float:
    return float(setting[t - 1]) if isinstance(setting, list | tuple | np.ndarray) else float(setting)


METHODS: dict[str, Callable[..., list[Array]]] = {
    "gradient descent": gradient_descent,
    "heavy ball": heavy_ball,
    "Nesterov": nesterov,
    "bias-corrected momentum": corrected_momentum,
    "normalised momentum": normalised_momentum,
    "prefix sums": prefix_sums,
}
LINEAR = ("gradient descent", "heavy ball", "Nesterov", "bias-corrected momentum", "prefix sums")


def _gradient(subject: Subject, steps: list[Step], run: int) -> Gradient:
    """The plain gradient that each step sees in one run: of all records, of its batch, or of the record whose
    turn it is.
    """
    problem = subject.problem
    data = problem.load(subject.data)

    def gradient(t: int, x: Array) -> Array:
        step = steps[t - 1]
        rows = np.arange(len(data))
        divisor = float(problem.count)
        if step.batch is not None:
            own = step.batch[run]
            rows = np.flatnonzero(own) if own.dtype == bool else own[own >= 0]
            divisor = step.release.size
        elif hasattr(step.state, "order"):
            rows, divisor = step.state.order[run, [(t - 1) % len(data)]], 1.0
        total = sum(problem.private_sum(x[None], data, batch=np.array([[i]]))[0] for i in rows)
        return np.reshape(problem.public_gradient(x[None]) + total / divisor, x.shape)

    return gradient


@law("algorithm", "problem", "limit")
def noiseless(subject: Subject, seed: int) -> Outcome:
    """With its noise set to zero and nothing clipped, the algorithm takes the steps of the non-private method
    that it names.
    """
    algorithm: Any = subject.algorithm
    name, settings = subject.limit
    *steps, last = walk(louder(algorithm, 0.0), subject.data, RUNS, np.random.default_rng(seed))
    for run in range(RUNS):
        gradient = _gradient(subject, steps, run)
        path = METHODS[name](gradient, algorithm.init(1).x[0], algorithm.steps, **settings)
        for t, state in enumerate([*(step.state for step in steps), last]):
            if not same(path[t], state.x[run], 1e-9):
                then = f"without noise it leaves {name} at step {t}: {state.x[run]}, not {path[t]}"
                return broken(then, {"algorithm": subject.name, "step": str(t)})
    return held(f"{len(steps)} steps of {name}.", "an iterate that is off by 1e-9", samples=RUNS)


@law("algorithm", "forms")
def forms(subject: Subject, seed: int) -> Outcome:
    """Two forms of the same algorithm give the same iterates from the same random numbers."""
    pairs = subject.forms()
    for reason, (one, other) in pairs.items():
        result = compare(one, other, subject.data, reason, seed)
        if result is not None:
            return result
    return held(f"The same iterates: {'; '.join(pairs)}.", "an iterate that is off by 1e-9", samples=RUNS)


def compare(one: Algorithm, other: Algorithm, data: Any, reason: str, seed: int = 0) -> Result | None:
    """Where two algorithms first differ in what they publish or where they are, from the same random numbers;
    None if nowhere.
    """
    *a, end_a = walk(one, data, RUNS, np.random.default_rng(seed))
    *b, end_b = walk(other, data, RUNS, np.random.default_rng(seed))
    let = {"forms": reason, "algorithms": f"{one.name} and {other.name}"}
    if len(a) != len(b):
        return broken(f"one has {len(a)} steps, the other {len(b)}", let)
    for u, v in zip(a, b):
        for what, left, right in (("publishes", u.released, v.released), ("begins at", u.state.x, v.state.x)):
            if not same(left, right, 1e-9):
                return broken(f"step {u.t} {what} {left[0]} and {right[0]}", let)
    if not same(end_a.x, end_b.x, 1e-9):
        return broken(f"they end at {end_a.x[0]} and {end_b.x[0]}", let)
    return None


@law("algorithm", "problem", "limit")
def affine(subject: Subject, seed: int) -> Outcome:
    """On a quadratic, equal steps of the noise's scale move the iterates by equal steps, from the same random
    numbers.
    """
    algorithm: Any = subject.algorithm
    if not isinstance(subject.problem, Quadratic) or subject.limit[0] not in LINEAR:
        return NotApplicable("it is no linear method on a quadratic with public curvature")
    ends = []
    for factor in (1.0, 2.0, 3.0):
        *_, last = walk(louder(algorithm, factor), subject.data, RUNS, np.random.default_rng(seed))
        ends.append(algorithm.output(last))
    if not same(ends[2] - ends[1], ends[1] - ends[0], 1e-9):
        then = (
            "as the noise grows from 1 to 2 to 3 times its scale, the iterates move by "
            f"{ends[1][0] - ends[0][0]}, then by {ends[2][0] - ends[1][0]}"
        )
        return broken(then, {"algorithm": subject.name})
    return held(
        "Noise of 1, 2 and 3 times its scale moves the output by equal steps.", "a bend of 1e-9", RUNS
    )
