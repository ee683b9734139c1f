"""A sampler whose batches have the right rate and are not independent: the batch is drawn once for all steps
(jax_privacy #121).

release  s[t] = sum over the batch of clip(record_i, C) + N(0, (C sigma)^2), the batch drawn once
instead of afresh at every step
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip, profile

STEPS, SIGMA = 8, 1.2
DECLARED = Subsampled(Gaussian(scale=SIGMA * CLIP, sensitivity={ZERO_OUT: CLIP}), size=1, of=4, how="poisson")


def _train(data: Array, rng: np.random.Generator, runs: int, tape: Tape, once: bool) -> Array:
    batch = DECLARED.batch(rng, runs, len(data))
    shown = []
    for _ in range(STEPS):
        value = batch @ clip(data)
        shown.append(tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED))
        batch = batch if once else DECLARED.batch(rng, runs, len(data))
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Steps on one and the same batch."""
    return _train(data, rng, runs, tape, once=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Steps on fresh batches."""
    return _train(data, rng, runs, tape, once=False)


BUG = Bug(
    what="Poisson sampler whose batches are not independent",
    seen_in="jax_privacy #121",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.zero_out(np.array([[1.0], [0.0]]), 0),
    claim=profile([DECLARED] * STEPS, ZERO_OUT, f"{STEPS} Poisson steps"),
    rung="statistics",
)
