"""One level of the tree is left without noise.

release  nodes (1, 2) and (3, 4) as they are        instead of with N(0, scale^2 I)
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array
from dpverify.zoo._tree import CLAIM, NODES, PAIR, SCALE, tree


def but_one_level(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Noise on every node that is not two steps long."""
    return (
        SCALE * rng.standard_normal(shape) * np.array([last - first != 1 for first, last in NODES])[:, None]
    )


BUG = Bug(
    what="tree nodes without noise at one level",
    seen_in="design variant of DP-FTRL #2",
    mechanism=tree(but_one_level),
    twin=tree(),
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
