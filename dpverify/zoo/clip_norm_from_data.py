"""The clip norm is the median gradient norm of the private data, and the noise follows it.

release  s = sum_i clip(record_i, C(data)) + N(0, (C(data) sigma)^2 I),   C(data) = median_i |record_i|
instead of a public C
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip

SIGMA = 4.0


def _noisy_sum(data: Array, rng: np.random.Generator, runs: int, tape: Tape, limit: float) -> Array:
    declared = Gaussian(scale=SIGMA * limit, sensitivity={REPLACE: 2 * limit})
    value = np.tile(clip(data, limit).sum(axis=0), (runs, 1))
    return tape.record(value, value + declared.noise(rng, value.shape), declared)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A noisy sum clipped to the median norm."""
    return _noisy_sum(data, rng, runs, tape, float(np.median(np.linalg.norm(data, axis=1))))


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A noisy sum clipped to a public norm."""
    return _noisy_sum(data, rng, runs, tape, CLIP)


BUG = Bug(
    what="clip norm computed from the data",
    seen_in="opacus #757 discusses the adaptive clip",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.array([[0.1, 0.0], [0.0, 0.1], [3.0, 4.0]]), 0, [6.0, 8.0]),
    claim=GDP(2 / SIGMA),
    rung="replay",
    runs=2000,
)
