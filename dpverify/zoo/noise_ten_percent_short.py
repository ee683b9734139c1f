"""The noise is 1.1 times too small: what a test of the outputs needs tens of thousands of runs for, the noise shows in hundreds.

release  s = sum_i clip(x_i, C) + N(0, (C sigma / 1.1)^2)        instead of (C sigma)^2
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug

CLIP, SIGMA = 1.0, 3.7306
DECLARED = Gaussian(scale=CLIP * SIGMA, sensitivity={ADD_REMOVE: CLIP})


def _noisy_sum(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape, factor: float) -> np.ndarray:
    total = np.tile(np.clip(data, -CLIP, CLIP).sum(axis=0), (runs, 1))
    return tape.record(total, total + factor * DECLARED.noise(rng, total.shape), DECLARED)


def bug(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape) -> np.ndarray:
    """A noisy sum with a little too little noise."""
    return _noisy_sum(data, rng, runs, tape, 1 / 1.1)


def twin(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape) -> np.ndarray:
    """The same with the declared noise."""
    return _noisy_sum(data, rng, runs, tape, 1.0)


BUG = Bug(
    what="noise std 1.1 times too small",
    seen_in="calibrates power",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.3], [-0.7]]), [1.0]),
    claim=GDP(1 / SIGMA),
    rung="noise",
)
