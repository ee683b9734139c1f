"""Noise by inversion of a uniform of few bits: the outputs have holes, and the holes move with the data
(diffprivlib #94, opacus #616).

release  s = sum_i clamp(x_i, 0, 1) + F^-1((k + 1/2) / 2^6) / eps,   k uniform on 0..63, F Laplace's law
instead of a full uniform
"""

from __future__ import annotations

import numpy as np

from dpverify.guarantees import PureDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Laplace
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

EPSILON = 1.0


def bug(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum with Laplace noise from a table of 64 values."""
    u = (rng.integers(0, 64, (runs, 1)) + 0.5) / 64 - 0.5
    return np.clip(data, 0, 1).sum() - np.sign(u) * np.log1p(-2 * np.abs(u)) / EPSILON


def twin(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum with Laplace noise."""
    return np.clip(data, 0, 1).sum() + Laplace(scale=1 / EPSILON, sensitivity={ADD_REMOVE: 1.0}).noise(
        rng, (runs, 1)
    )


BUG = Bug(
    what="noise from a coarse uniform leaves holes",
    seen_in="diffprivlib #94; opacus #616",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.25]]), [0.7]),
    claim=PureDP(EPSILON),
    rung="statistics",
)
