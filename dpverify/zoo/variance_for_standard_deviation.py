"""A standard deviation is handed to a sampler that wants a variance (smartnoise-core #316).

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, scale I)        instead of N(0, scale^2 I), scale = 4
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, TWIN, Array, descent


def of_variance_scale(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise whose variance is what its standard deviation should be."""
    return SCALE**0.5 * rng.standard_normal(shape)


BUG = Bug(
    what="standard deviation taken for a variance",
    seen_in="smartnoise-core #316",
    mechanism=descent(noise=of_variance_scale),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
