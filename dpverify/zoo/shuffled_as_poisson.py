"""Batches by shuffling are accounted as Poisson samples (tensorflow/privacy #483; arXiv 2403.17673,
2411.10614).

release  s[t] = record p(t) + N(0, sigma^2), p a random order        instead of a fresh Poisson batch of rate
1/T at every step

A shuffled record is in exactly one of T batches; a Poisson record is in none with probability (1 - 1/T)^T.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, epoch, profile

STEPS, SIGMA = 3, 0.6
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ZERO_OUT: CLIP}), size=1, of=STEPS, how="poisson"
)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """An epoch of shuffled batches."""
    places = np.argsort(rng.random((runs, max(len(data), STEPS))), axis=1)[:, : len(data)]
    return epoch(data, lambda t: places % STEPS == t, rng, tape, DECLARED)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """As many Poisson batches."""
    return epoch(data, lambda t: DECLARED.batch(rng, runs, len(data)), rng, tape, DECLARED)


BUG = Bug(
    what="shuffled batches accounted as Poisson",
    seen_in="tensorflow/privacy #483; arXiv 2411.10614",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.zero_out(np.array([[1.0], [0.0], [0.0]]), 0),
    claim=profile([DECLARED] * STEPS, ZERO_OUT, f"{STEPS} Poisson steps"),
    rung="statistics",
)
