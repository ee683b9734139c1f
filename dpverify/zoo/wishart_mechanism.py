"""A mechanism whose proof is wrong: Wishart noise on a covariance matrix, claimed to be pure (diffprivlib
#23).

release  A + W,   A = sum_i x_i x_i^T, |x_i| <= 1, W ~ Wishart(d + 1, 3 / (2 eps) I)        instead of Laplace
noise on the entries

Its density is bounded where both data sets have one; but A + W exceeds A, so some outputs are possible on one
data set alone.
"""

from __future__ import annotations

import numpy as np

from dpverify.guarantees import PureDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Laplace
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array, clip

EPSILON = 1.0


def _covariance(data: Array) -> Array:
    rows = clip(data)
    return rows.T @ rows


def _upper(matrices: Array) -> Array:
    return matrices[(..., *np.triu_indices(matrices.shape[-1]))]


def bug(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A covariance matrix with Wishart noise."""
    d = data.shape[1]
    roots = np.sqrt(3 / (2 * EPSILON)) * rng.standard_normal((runs, d, d + 1))
    return _upper(_covariance(data) + roots @ roots.swapaxes(1, 2))


def twin(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """A covariance matrix with Laplace noise on its upper half, which moves by at most (1 + d) / 2 in L1."""
    exact = _upper(_covariance(data))
    moves = (1 + data.shape[1]) / 2
    return exact + Laplace(scale=moves / EPSILON, sensitivity={ADD_REMOVE: moves}).noise(
        rng, (runs, len(exact))
    )


BUG = Bug(
    what="Wishart noise, whose proof of pure privacy is wrong",
    seen_in="diffprivlib #23",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.add(np.array([[0.5, 0.5]]), [1.0, 0.0]),
    claim=PureDP(EPSILON),
    rung="statistics",
    runs=6000,
)
