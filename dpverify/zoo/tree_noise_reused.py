"""Stale noise: the right child of a node has the noise of the left one.

release  the nodes with w(2, 2) = w(1, 1), w(4, 4) = w(3, 3), w(3, 4) = w(1, 2)        instead of a draw for
every node
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array
from dpverify.zoo._tree import CLAIM, PAIR, SCALE, tree


def stale(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise of every left child, handed on to its sibling."""
    noise = SCALE * rng.standard_normal(shape)
    noise[:, [1, 3, 5]] = noise[:, [0, 2, 4]]
    return noise


BUG = Bug(
    what="stale tree noise reused by the sibling",
    seen_in="design variant of DP-FTRL #2",
    mechanism=tree(stale),
    twin=tree(),
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
