"""The noise on a mean is divided by the batch size twice.

release  m[t] = (1/N) sum_i clip(g_i(x[t]), C) + N(0, (scale/N^2)^2 I)        instead of N(0, (scale/N)^2 I)
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, MEAN, PAIR, RECORDS, Array, clipped_mean, descent


def divided_again(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise for the mean, divided by the number of records once more."""
    return MEAN.noise(rng, shape) / RECORDS


BUG = Bug(
    what="noise divided by the batch size twice",
    seen_in="opacus #753 asks where to divide",
    mechanism=descent(clipped_mean, divided_again, MEAN),
    twin=descent(clipped_mean, declared=MEAN),
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
