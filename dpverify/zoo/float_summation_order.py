"""A sum in half precision rounds up at every addition once it is large: one record moves it further than its
bound (arXiv 2207.10635).

release  s = fl16(... fl16(fl16(x_1) + x_2) ... + x_n) + N(0, (B sigma)^2),   0 <= x_i <= B = 1024
instead of the exact sum
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

BOUND, SIGMA = 1024.0, 2.0
DECLARED = Gaussian(scale=BOUND * SIGMA, sensitivity={REPLACE: BOUND})


def _bounded_sum(data: Array, rng: np.random.Generator, runs: int, tape: Tape, dtype: type) -> Array:
    running = np.add.accumulate(np.clip(data, 0, BOUND).ravel().astype(dtype), dtype=dtype)
    value = np.full((runs, 1), float(running[-1]))
    return tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A sum in float16."""
    return _bounded_sum(data, rng, runs, tape, np.float16)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """The same in float64."""
    return _bounded_sum(data, rng, runs, tape, np.float64)


BUG = Bug(
    what="rounding in a float16 sum raises its sensitivity",
    seen_in="opacus #616; arXiv 2207.10635",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.concatenate([[[1024.0]], np.full((400, 1), 0.6)]), 0, [0.0]),
    claim=GDP(1 / SIGMA),
    rung="replay",
    runs=2000,
)
