"""The noise lands on the wrong index: the last coordinate is released as it is (NVFlare #343).

release  s[t] = sum_i clip(g_i(x[t]), C) + noise on every coordinate but the last        instead of on every
one
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, TWIN, Array, descent


def all_but_the_last(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise with a hole in it."""
    noise = DECLARED.noise(rng, shape)
    noise[..., -1] = 0
    return noise


BUG = Bug(
    what="a coordinate released without noise",
    seen_in="NVFlare #343",
    mechanism=descent(noise=all_but_the_last),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
