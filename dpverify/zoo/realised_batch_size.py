"""A Poisson batch is averaged over its realised size, which shows in the width of the noise (opacus #420).

release  s / max(|batch|, 1),   s = sum over the batch of clip(record_i, C) + N(0, (C sigma)^2 I)
instead of s / E|batch|
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip, profile

SIGMA = 4.0
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ADD_REMOVE: CLIP}), size=1, of=2, how="poisson"
)


def _step(data: Array, rng: np.random.Generator, runs: int, tape: Tape, realised: bool) -> Array:
    batch = DECLARED.batch(rng, runs, len(data))
    value = batch @ clip(data)
    noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
    return noisy / (np.maximum(batch.sum(axis=1, keepdims=True), 1) if realised else DECLARED.size)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A noisy sum over the number of records drawn."""
    return _step(data, rng, runs, tape, realised=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A noisy sum over the expected number of records."""
    return _step(data, rng, runs, tape, realised=False)


BUG = Bug(
    what="divided by the realised batch size",
    seen_in="opacus #420",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.zeros((1, 2)), [0.0, 0.0]),
    claim=profile([DECLARED], ADD_REMOVE, "a Poisson step"),
    rung="statistics",
    runs=20_000,
)
