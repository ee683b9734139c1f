"""The sum is divided by the number of records, which add/remove keeps private (opacus #420).

release  m = (1/n) sum_i clip(record_i, C) + N(0, (C sigma / N)^2 I), n the number of records        instead
of 1/N, N public
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip

EXPECTED, SIGMA = 4, 2.0
DECLARED = Gaussian(scale=SIGMA * CLIP / EXPECTED, sensitivity={ADD_REMOVE: CLIP / EXPECTED})


def _mean(data: Array, rng: np.random.Generator, runs: int, tape: Tape, divisor: int) -> Array:
    value = np.tile(clip(data).sum(axis=0) / divisor, (runs, 1))
    return tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A mean over as many records as there are."""
    return _mean(data, rng, runs, tape, len(data))


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum over a public number."""
    return _mean(data, rng, runs, tape, EXPECTED)


BUG = Bug(
    what="batch size leaked by the divisor",
    seen_in="opacus #420",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.remove(np.array([[-1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), 0),
    claim=GDP(1 / SIGMA),
    rung="replay",
    runs=2000,
)
