"""The normalisation is taken from the private data: one record rescales all the others (google/dpsynth #34,
arXiv 2405.10994).

release  s = sum_i x_i / max_j |x_j| + N(0, scale^2)        instead of x_i / bound clipped to [-1, 1], the
bound public
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

SCALE, BOUND = 4.0, 1.0
DECLARED = Gaussian(scale=SCALE, sensitivity={REPLACE: 2.0})


def _normalised_sum(data: Array, rng: np.random.Generator, runs: int, tape: Tape, bound: float) -> Array:
    value = np.full((runs, 1), np.clip(data / bound, -1, 1).sum())
    return tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum of values divided by the largest one seen."""
    return _normalised_sum(data, rng, runs, tape, max(float(np.abs(data).max()), 1e-12))


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum of values divided by a public bound."""
    return _normalised_sum(data, rng, runs, tape, BOUND)


BUG = Bug(
    what="normalisation computed from the data",
    seen_in="google/dpsynth #34",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.ones((12, 1)), 0, [-100.0]),
    claim=GDP(2.0 / SCALE),
    rung="replay",
    runs=2000,
)
