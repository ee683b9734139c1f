"""The last iterate is released after one more step without noise.

output  x[T] - RATE sum_i clip(g_i(x[T]), C)        instead of x[T]
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, RATE, TWIN, Array, clipped_sum, descent


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with a raw step at the end."""
    x = descent()(data, rng, runs, tape)
    return x - RATE * clipped_sum(x, data)


BUG = Bug(
    what="last iterate released with the raw gradient added",
    seen_in="design variant",
    mechanism=bug,
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
