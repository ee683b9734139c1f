"""The noise of a count is divided by the number of records, as if it were a frequency (DataSynthesizer #34).

release  c = #{i : x_i > 0} + Lap(1 / (n eps))        instead of Lap(1 / eps)
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import PureDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Laplace
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

EPSILON, RECORDS = 1.0, 5
DECLARED = Laplace(scale=1 / EPSILON, sensitivity={REPLACE: 1.0})


def _count(data: Array, rng: np.random.Generator, runs: int, tape: Tape, factor: float) -> Array:
    value = np.full((runs, 1), float(np.count_nonzero(data > 0)))
    return tape.record(value, value + factor * DECLARED.noise(rng, value.shape), DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A count with the noise of a frequency."""
    return _count(data, rng, runs, tape, 1 / RECORDS)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A count with its own noise."""
    return _count(data, rng, runs, tape, 1.0)


BUG = Bug(
    what="noise of a count divided by the number of records",
    seen_in="DataSynthesizer #34",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.array([[1.0], [1.0], [-1.0], [-1.0], [-1.0]]), 0, [-1.0]),
    claim=PureDP(EPSILON),
    rung="noise",
    runs=2000,
)
