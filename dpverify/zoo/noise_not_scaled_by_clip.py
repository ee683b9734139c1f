"""The noise is not scaled by the clip norm (SPRINT_gan #5, smartnoise-core #316).

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, sigma^2 I)        instead of N(0, (C sigma)^2 I), C = 4
"""

from __future__ import annotations

import numpy as np

from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, Array, clip, descent, gradients

LIMIT = 4.0
DECLARED = Gaussian(scale=LIMIT * SCALE, sensitivity={REPLACE: 2 * LIMIT})


def clipped_sum(x: Array, data: Array) -> Array:
    """The sum of gradients clipped to a norm other than 1."""
    return clip(gradients(x, data), LIMIT).sum(axis=1)


def unscaled(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise for clip norm 1."""
    return SCALE * rng.standard_normal(shape)


BUG = Bug(
    what="noise not scaled by the clip norm",
    seen_in="SPRINT_gan #5",
    mechanism=descent(clipped_sum, unscaled, DECLARED),
    twin=descent(clipped_sum, declared=DECLARED),
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
