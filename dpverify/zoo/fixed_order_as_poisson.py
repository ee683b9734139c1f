"""Batches in a fixed order, claimed to be amplified by sampling.

release  s[t] = sum over batch t of clip(record_i, C) + N(0, (C sigma)^2)        instead of a fresh Poisson
batch at every step

A record that is known to be in the first batch has no amplification at all.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, epoch, profile

STEPS, SIGMA = 4, 1.5
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ZERO_OUT: CLIP}), size=1, of=STEPS, how="poisson"
)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """An epoch in the order of the file."""
    order = np.arange(len(data))
    return epoch(data, lambda t: np.tile(order % STEPS == t, (runs, 1)), rng, tape, DECLARED)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """As many Poisson batches."""
    return epoch(data, lambda t: DECLARED.batch(rng, runs, len(data)), rng, tape, DECLARED)


BUG = Bug(
    what="amplification claimed for a fixed order",
    seen_in="opacus #128 asks about the order",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.zero_out(np.array([[1.0], [0.0], [0.0], [0.0]]), 0),
    claim=profile([DECLARED] * STEPS, ZERO_OUT, f"{STEPS} Poisson steps"),
    rung="statistics",
)
