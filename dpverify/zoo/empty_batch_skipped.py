"""An empty Poisson batch is skipped: that step releases exactly 0, without noise (opacus #161, PR #164).

release  s = sum over the batch of clip(record_i, C) + N(0, (C sigma)^2 I) if the batch is not empty, else 0
instead of noise alone
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip, profile

SIGMA = 2.0
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ADD_REMOVE: CLIP}), size=1, of=2, how="poisson"
)


def _step(data: Array, rng: np.random.Generator, runs: int, tape: Tape, skips: bool) -> Array:
    batch = DECLARED.batch(rng, runs, len(data))
    value = batch @ clip(data)
    noise = DECLARED.noise(rng, value.shape)
    if skips:
        noise[~batch.any(axis=1)] = 0
    return tape.record(value, value + noise, DECLARED)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A step that is left out when nobody is drawn."""
    return _step(data, rng, runs, tape, skips=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """A step that is always taken."""
    return _step(data, rng, runs, tape, skips=False)


BUG = Bug(
    what="empty batch skipped, no noise released",
    seen_in="opacus #161, PR #164",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.5, 0.0]]), [1.0, 0.0]),
    claim=profile([DECLARED], ADD_REMOVE, "a Poisson step"),
    rung="noise",
    runs=2000,
)
