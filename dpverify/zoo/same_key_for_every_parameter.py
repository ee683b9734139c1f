"""The same random key is used for every parameter, so that their noise is the same (jax PR #3646).

release  s[t] = sum_i clip(g_i(x[t]), C) + scale z (1, ..., 1),   z ~ N(0, 1)        instead of N(0, scale^2
I)
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, TWIN, Array, descent


def one_draw_for_all(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """One draw, broadcast to every parameter."""
    return SCALE * np.broadcast_to(rng.standard_normal((shape[0], 1)), shape)


BUG = Bug(
    what="same random key for every parameter",
    seen_in="jax PR #3646",
    mechanism=descent(noise=one_draw_for_all),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
