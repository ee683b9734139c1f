"""The noise is 1.1 times too small: what a test of the outputs needs tens of thousands of runs for, the noise
shows in hundreds.

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, (scale / 1.1)^2 I)        instead of N(0, scale^2 I)
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, TWIN, Array, descent


def short(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A little too little noise."""
    return DECLARED.noise(rng, shape) / 1.1


BUG = Bug(
    what="noise std 1.1 times too small",
    seen_in="calibrates power",
    mechanism=descent(noise=short),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
