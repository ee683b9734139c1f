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
from dpverify.zoo._optimizer import CLIP, Array, clip, profile

STEPS, SIGMA = 3, 0.6
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ZERO_OUT: CLIP}), size=1, of=STEPS, how="poisson"
)


def _epoch(data: Array, rng: np.random.Generator, runs: int, tape: Tape, shuffled: bool) -> Array:
    places = np.argsort(rng.random((runs, max(len(data), STEPS))), axis=1)[:, : len(data)]
    shown = []
    for t in range(STEPS):
        batch = places % STEPS == t if shuffled else DECLARED.batch(rng, runs, len(data))
        value = batch @ clip(data)
        shown.append(tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED))
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """An epoch of shuffled batches."""
    return _epoch(data, rng, runs, tape, shuffled=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """As many Poisson batches."""
    return _epoch(data, rng, runs, tape, shuffled=False)


BUG = Bug(
    what="shuffled batches accounted as Poisson",
    seen_in="tensorflow/privacy #483; arXiv 2411.10614",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.zero_out(np.array([[1.0], [0.0], [0.0]]), 0),
    claim=profile([DECLARED] * STEPS, ZERO_OUT, f"{STEPS} Poisson steps"),
    rung="statistics",
)
