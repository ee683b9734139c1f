"""Each of several queries gets the whole budget (diffprivlib #104).

release  K queries with Lap(1 / eps) each        instead of Lap(K / eps) each
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import PureDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Laplace
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

EPSILON, QUERIES = 1.0, 4


def _moments(data: Array, rng: np.random.Generator, runs: int, tape: Tape, epsilon: float) -> Array:
    declared = Laplace(scale=1 / epsilon, sensitivity={ADD_REMOVE: 1.0})
    shown = []
    for power in range(QUERIES):
        value = np.full((runs, 1), (np.clip(data, 0, 1) ** power).sum())
        shown.append(tape.record(value, value + declared.noise(rng, value.shape), declared))
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Four moments, each with the whole epsilon."""
    return _moments(data, rng, runs, tape, EPSILON)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Four moments with a quarter of it each."""
    return _moments(data, rng, runs, tape, EPSILON / QUERIES)


BUG = Bug(
    what="budget spent in full on each of several queries",
    seen_in="diffprivlib #104",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.5], [0.25]]), [1.0]),
    claim=PureDP(EPSILON),
    rung="accountant",
    runs=6000,
)
