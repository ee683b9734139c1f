"""Gradient accumulation: steps on eight accumulated batches are accounted at the size of one (jax_privacy PR
#271, #234).

claim  epsilon = 0.348 at sampling rate 1/16        instead of 2.53 at the rate 8/16 at which a record is in
an accumulated step
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import ApproxDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, RATE, Array, clip, gradients

STEPS = 4
SIGMA = 2.0
RECORDS = 16
PHYSICAL = 1
ACCUMULATED = 8
STEP = Gaussian(scale=SIGMA * CLIP, sensitivity={ADD_REMOVE: CLIP})
LOGICAL = Subsampled(STEP, size=PHYSICAL * ACCUMULATED, of=RECORDS, how="poisson")
BELIEVED = Subsampled(STEP, size=PHYSICAL, of=RECORDS, how="poisson")
DELTA = 1e-5


def accumulated(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent on accumulated Poisson batches."""
    x = np.zeros((runs, data.shape[1]))
    for _ in range(STEPS):
        batch = LOGICAL.batch(rng, runs, len(data))
        value = np.einsum("rn,rnd->rd", batch, clip(gradients(x, data)))
        x = x - RATE * tape.record(value, value + LOGICAL.noise(rng, value.shape), LOGICAL)
    return x


BUG = Bug(
    what="accumulated steps accounted at the physical batch size",
    seen_in="jax_privacy PR #271, #234",
    mechanism=accumulated,
    twin=accumulated,
    neighbours=Neighbours.add(np.zeros((RECORDS - 1, 1)), [5.0]),
    claim=ApproxDP(0.348, DELTA),
    twin_claim=ApproxDP(2.53, DELTA),
    rung="accountant",
    runs=1000,
)
