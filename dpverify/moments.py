"""Exact mean and covariance of the iterates where every step is affine in the state and the noise, as on
quadratics.

    s_{t+1} = A_t s_t + B_t xi_t + c_t   =>   m_{t+1} = A_t m_t + c_t,   P_{t+1} = A_t P_t A_t' + B_t V_t B_t'

A_t, B_t and c_t are read off the algorithm itself, by running its query and update on unit vectors, and
checked on random states near and far, where a clip would show; V_t is the covariance of the noise and of the
secret batch. An algorithm that is not affine is refused, with the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.engine import Algorithm, State, count_of
from dpverify.neighbours import Data
from dpverify.problems import Problem
from dpverify.releases import Release

Array = np.ndarray[Any, Any]
FAR = np.array([[1.0], [1e3], [1e6]])  # how far from the mean an affine step is looked at


class NotAffine(ValueError):
    """A step is not affine in the state and the noise, so that the recursion of moments does not close."""


class NotQuadratic(ValueError):
    """The objective is not quadratic, so that its mean is not a function of the first two moments."""


@dataclass(frozen=True, eq=False)
class Moments:
    """The exact mean (steps + 1, d) and covariance (steps + 1, d, d) of the iterate, the start first; and A_t
    and B_t of each step, with the matrix that takes the last state to its iterate.
    """

    mean: Array
    covariance: Array
    steps: list[tuple[Array, Array]]
    output: Array

    def expected_value(self, problem: Problem, data: Data) -> Array:
        """E F(x_t) at every iterate, for a quadratic F: F(mean) + tr(H covariance)/2."""
        return problem.value(self.mean, problem.load(data)) + self._spread(problem, data)

    def expected_excess(self, problem: Problem, data: Data) -> Array:
        """E F(x_t) - F* at every iterate, for a quadratic F, without cancellation."""
        return problem.excess(self.mean, data) + self._spread(problem, data)

    def influence(self, problem: Problem, data: Data) -> Array:
        """What a unit of variance in the noise of step t = 1, ..., T adds to E F(x_T), for a quadratic F."""
        weight, owed = 0.5 * self.output.T @ _hessian(problem, data) @ self.output, []
        for a, b in reversed(self.steps):
            owed.append(float(np.einsum("ij,ik,kj->", b, weight, b)))
            weight = a.T @ weight @ a
        return np.array(owed[::-1])

    def _spread(self, problem: Problem, data: Data) -> Array:
        return 0.5 * np.einsum("ij,tij->t", _hessian(problem, data), self.covariance)


def _hessian(problem: Problem, data: Data) -> Array:
    """The second derivative of a quadratic; others are refused."""
    hessian = problem.hessian(data)
    if hessian is None:
        raise NotQuadratic(f"Expected a quadratic problem, got {type(problem).__name__}.")
    return hessian


def exact_moments(algorithm: Algorithm, data: Data, *, tolerance: float = 1e-8) -> Moments:
    """The exact moments of the iterates of an algorithm that is affine on this data.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> moments = exact_moments(case.algorithm, case.data)
    >>> moments.mean.shape, bool(moments.expected_excess(case.problem, case.data)[-1] <= case.bound.value)
    ((21, 5), True)
    """
    if algorithm.memory is not None or algorithm.coins is not None or algorithm.solve is not None:
        raise NotAffine(
            f"{algorithm.name} has a secret memory, public coins or an equation to solve, which "
            "the recursion "
            "of moments does not follow"
        )
    loaded = algorithm.load(data)
    state = algorithm.init(1)
    rng = np.random.default_rng(0)
    mean = _pack(state)[0]
    cov = np.zeros((len(mean), len(mean)))
    means = []
    covs = []
    steps = []

    def look() -> Array:
        here = state

        def output(rows: Array, _: Array) -> Array:
            return algorithm.output(_unpack(here, rows))

        value, matrix, _ = _affine(output, mean, 0, rng, tolerance, f"the output of {algorithm.name}")
        means.append(value)
        covs.append(matrix @ cov @ matrix.T)
        return matrix

    seen = look()
    for t in range(1, algorithm.steps + 1):
        step = _Advance(algorithm, loaded, state, t, mean, rng)
        mean_next, a, b = _affine(step, mean, step.width, rng, tolerance, f"step {t} of {algorithm.name}")
        mean, cov = mean_next, a @ cov @ a.T + b @ step.noise_covariance @ b.T
        steps.append((a, b))
        state = _unpack(step.reached, mean[None])
        seen = look()
    return Moments(np.array(means), np.array(covs), steps, seen)


class _Advance:
    """One step as a function of rows of states and rows of noise, with the covariance of its noise and secret
    batch.
    """

    def __init__(
        self, algorithm: Algorithm, loaded: Any, state: State, t: int, mean: Array, rng: np.random.Generator
    ) -> None:
        self.algorithm = algorithm
        self.loaded = loaded
        self.state = state
        self.t = t
        self.release = algorithm.release(t)
        self.batch_mean: Array | None = None
        batch_cov: Array | float = 0.0
        if self.release.sampled:
            self.batch_mean, batch_cov = _batch_moments(algorithm, loaded, state, mean, self.release, rng)
            self.width = len(self.batch_mean)
        else:
            value = algorithm.ask(loaded, state, self.release).value
            if value.ndim != 2:
                raise NotAffine(f"step {t} of {algorithm.name} releases several vectors at once")
            self.width = value.shape[1]
        self.noise_covariance = self.release.variance() * np.eye(self.width) + batch_cov
        self.reached: State = None

    def __call__(self, rows: Array, noise: Array) -> Array:
        here = _unpack(self.state, rows)
        if self.batch_mean is not None:
            value: Array = np.broadcast_to(self.batch_mean, noise.shape)
        else:
            answer = self.algorithm.ask(self.loaded, here, self.release)
            if answer.unit is not None:
                raise NotAffine(f"the noise of step {self.t} of {self.algorithm.name} is scaled by the state")
            value = answer.value
        self.reached = self.algorithm.update(here, value + noise)
        return _pack(self.reached)


def _affine(
    function: Callable[[Array, Array], Array],
    at: Array,
    width: int,
    rng: np.random.Generator,
    tolerance: float,
    what: str,
) -> tuple[Array, Array, Array]:
    """The value at (`at`, 0) and the two matrices of an affine function of (state, noise), read off unit
    vectors and checked.
    """
    k = len(at)
    rows = np.tile(at, (1 + k + width + 3, 1))
    noise = np.zeros((len(rows), width))
    rows[1 : 1 + k] += np.eye(k)
    noise[1 + k : 1 + k + width] = np.eye(width)
    rows[-3:] += FAR * rng.standard_normal((3, k))
    noise[-3:] = FAR * rng.standard_normal((3, width))
    values = function(rows, noise)
    a, b = (values[1 : 1 + k] - values[0]).T, (values[1 + k : 1 + k + width] - values[0]).T
    predicted = values[0] + (rows[-3:] - at) @ a.T + noise[-3:] @ b.T
    size = 1 + float(np.max(np.abs(values[:-3]), initial=0.0))
    worst = float(np.max(np.abs(predicted - values[-3:]) / (size * FAR), initial=0.0))
    if worst > tolerance:
        raise NotAffine(f"{what} is not affine: off by {worst:.3g} of its size at a random point")
    return values[0], a, b


def _batch_moments(
    algorithm: Algorithm,
    loaded: Any,
    state: State,
    mean: Array,
    release: Release,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Mean and covariance of the query over the secret batch, where each record adds its own vector whatever
    the state.
    """
    first, n = release.shard or (0, count_of(loaded))
    single = np.arange(first, first + n)[:, None]

    def vectors(row: Array) -> Array:
        return algorithm.ask(loaded, _unpack(state, np.tile(row, (n, 1))), release, batch=single).value

    rows = vectors(mean)
    elsewhere = [vectors(mean + far * rng.standard_normal(len(mean))) for far in FAR.flat]
    if not all(np.allclose(rows, other, rtol=1e-9, atol=1e-12) for other in elsewhere):
        raise NotAffine(f"the batch noise of {algorithm.name} depends on the state")
    return release.batch_moments(rows)


def _fields(state: State) -> list[str]:
    """The fields of a state that are arrays of floats, one row per run."""
    names = []
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            if value.dtype.kind != "f":
                raise NotAffine(f"the state has {name!r} of type {value.dtype}, which has no mean")
            names.append(name)
    return names


def _pack(state: State) -> Array:
    parts = [getattr(state, name) for name in _fields(state)]
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def _unpack(template: State, rows: Array) -> State:
    """The state with those rows in place of its arrays, everything else as in the template."""
    changes, column = {}, 0
    for name in _fields(template):
        shape = getattr(template, name).shape[1:]
        size = int(np.prod(shape, dtype=int))
        changes[name] = rows[:, column : column + size].reshape(len(rows), *shape)
        column += size
    return template._replace(**changes)
