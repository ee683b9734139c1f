"""Laplace noise is drawn with the standard deviation that its scale should be.

release  s = sum_i clamp(x_i, 0, 1) + Laplace noise of standard deviation b        instead of scale b
(standard deviation sqrt(2) b)
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import PureDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Laplace
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

EPSILON = 1.0
DECLARED = Laplace(scale=1 / EPSILON, sensitivity={ADD_REMOVE: 1.0})


def _bounded_sum(data: Array, rng: np.random.Generator, runs: int, tape: Tape, factor: float) -> Array:
    value = np.full((runs, 1), np.clip(data, 0, 1).sum())
    return tape.record(value, value + factor * DECLARED.noise(rng, value.shape), DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum with noise of standard deviation b."""
    return _bounded_sum(data, rng, runs, tape, 0.5**0.5)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum with noise of scale b."""
    return _bounded_sum(data, rng, runs, tape, 1.0)


BUG = Bug(
    what="Laplace scale taken for a standard deviation",
    seen_in="design variant of smartnoise-core #316",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.5], [0.25]]), [1.0]),
    claim=PureDP(EPSILON),
    rung="noise",
    runs=2000,
)
