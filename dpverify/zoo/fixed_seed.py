"""The seed is fixed by default: every run adds the same noise (tapas #101, diffprivlib #31).

release  s[t] = sum_i clip(g_i(x[t]), C) + w,   w a constant        instead of a draw
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, TWIN, Array, descent


def of_seed_0(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """What a generator of seed 0 draws, in every run."""
    return SCALE * np.broadcast_to(np.random.default_rng(0).standard_normal((1, *shape[1:])), shape)


BUG = Bug(
    what="seed fixed by default, noise deterministic",
    seen_in="tapas #101; diffprivlib #31",
    mechanism=descent(noise=of_seed_0),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
