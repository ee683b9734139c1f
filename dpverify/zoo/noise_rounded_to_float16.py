"""The noise is rounded to half precision before it is added: the low bits of the output are those of the data
(arXiv 2207.13793).

release  s = sum_i clamp(x_i, 0, 1) + fl16(N(0, sigma^2))        instead of N(0, sigma^2)
"""

from __future__ import annotations

import numpy as np

from dpverify.guarantees import GDP
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

SIGMA = 2.0


def bug(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum with noise of eleven bits."""
    return np.clip(data, 0, 1).sum() + (SIGMA * rng.standard_normal((runs, 1))).astype(np.float16)


def twin(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A sum with noise of 53 bits."""
    return np.clip(data, 0, 1).sum() + SIGMA * rng.standard_normal((runs, 1))


BUG = Bug(
    what="noise rounded to float16",
    seen_in="opacus #616; arXiv 2207.13793",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.25]]), [0.7]),
    claim=GDP(1 / SIGMA),
    rung="statistics",
    runs=6000,
)
