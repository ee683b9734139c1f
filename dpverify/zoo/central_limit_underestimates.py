"""The central limit theorem for subsampled steps is used where it does not hold, and underestimates the tail
(opacus PR #400).

claim  mu-GDP with mu = q sqrt(T (exp(1 / sigma^2) - 1)), the limit for many steps        instead of the
composition of T steps
"""

from __future__ import annotations

import math

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array, clip, profile

STEPS, SIGMA = 4, 2.0
DECLARED = Subsampled(
    Gaussian(scale=SIGMA * CLIP, sensitivity={ADD_REMOVE: CLIP}), size=1, of=32, how="poisson"
)


def steps(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Noisy sums of Poisson batches."""
    shown = []
    for _ in range(STEPS):
        value = (rng.random((runs, len(data))) < DECLARED.rate) @ clip(data)
        shown.append(tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED))
    return np.concatenate(shown, axis=1)


BUG = Bug(
    what="central limit accounting underestimates the tail",
    seen_in="opacus PR #400",
    mechanism=steps,
    twin=steps,
    neighbours=Neighbours.add(np.zeros((1, 1)), [1.0]),
    claim=GDP(DECLARED.rate * math.sqrt(STEPS * math.expm1(SIGMA**-2))),
    twin_claim=profile([DECLARED] * STEPS, ADD_REMOVE, f"{STEPS} Poisson steps"),
    rung="accountant",
    runs=2000,
)
