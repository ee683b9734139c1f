"""A layer that mixes examples: the batch is centred, so that one record changes every other's gradient
(opacus #308).

release  s[t] = sum_i clip(g(x[t], record_i - mean_j record_j), C) + N(0, scale^2 I)        instead of g(x[t],
record_i)
"""

from __future__ import annotations

import numpy as np

from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, TWIN, Array, clipped_sum, descent


def normalised_clipped_sum(x: Array, data: Array) -> Array:
    """The sum of clipped gradients of records centred in their batch."""
    return clipped_sum(x, data - data.mean(axis=0))


BUG = Bug(
    what="batch normalisation: one record changes every gradient",
    seen_in="opacus #308; jax_privacy, guide to pitfalls",
    mechanism=descent(normalised_clipped_sum),
    twin=TWIN,
    neighbours=Neighbours.replace(np.array([[-30.0, 40.0], *([[0.25, 0.25]] * 4)]), 0, [30.0, -40.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
