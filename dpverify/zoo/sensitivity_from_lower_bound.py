"""The sensitivity of a bounded sum is taken from the lower bound alone (a regression model in a published
library).

release  s = sum_i clamp(x_i, low, high) + Lap(|low| / eps),   which moves by max(|low|, |high|) when a record
is added
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
LOW = -1.0
HIGH = 5.0


def _bounded_sum(data: Array, rng: np.random.Generator, runs: int, tape: Tape, sensitivity: float) -> Array:
    declared = Laplace(scale=sensitivity / EPSILON, sensitivity={ADD_REMOVE: sensitivity})
    value = np.full((runs, 1), np.clip(data, LOW, HIGH).sum())
    return tape.record(value, value + declared.noise(rng, value.shape), declared)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum with the sensitivity of its lower bound."""
    return _bounded_sum(data, rng, runs, tape, abs(LOW))


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """The same with the larger of the two."""
    return _bounded_sum(data, rng, runs, tape, max(abs(LOW), abs(HIGH)))


BUG = Bug(
    what="sensitivity from the lower bound only",
    seen_in="a regression model in a published library",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[-0.5], [2.0]]), [5.0]),
    claim=PureDP(EPSILON),
    rung="replay",
    runs=2000,
)
