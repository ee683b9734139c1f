"""The clip comes after the noise: what is released is bounded, and what was protected is not (NVFlare #462).

release  sum_i clip(record_i + N(0, scale^2 I), C)        instead of sum_i clip(record_i, C) + N(0, scale^2 I)
"""

from __future__ import annotations

import numpy as np

from dpverify.guarantees import GDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, PAIR, SCALE, Array, clip


def bug(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum of records that were clipped with their noise."""
    return clip(data + SCALE * rng.standard_normal((runs, *data.shape))).sum(axis=1)


def twin(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum of clipped records with noise on it."""
    return clip(data).sum(axis=0) + SCALE * rng.standard_normal((runs, data.shape[1]))


BUG = Bug(
    what="output clipped after the noise, analysed as before it",
    seen_in="NVFlare #462",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=GDP(2 * CLIP / SCALE),
    rung="statistics",
    runs=6000,
)
