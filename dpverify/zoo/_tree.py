"""The correct tree that some planted bugs change: sums over a binary tree of four steps, each node with its
own noise.

release  node (a, b) = sum over steps a..b of clip(record of that step, C) + N(0, scale^2 I)

Each record is in one node of every level: sqrt(3) 2 C / scale-GDP under replace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import TreeNode
from dpverify.zoo._optimizer import CLIP, Array, Noise, clip

NODES = ((1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (3, 4), (1, 4))
SCALE = 4.0
CLAIM = GDP(3**0.5 * 2 * CLIP / SCALE)
PAIR = Neighbours.replace(np.array([[1.0], [-0.5], [0.5], [0.25]]), 0, [-1.0])


def declare(scale: float, period: int) -> TreeNode:
    """Every node with that noise, for records that occur once in `period` steps."""
    return TreeNode((scale,) * len(NODES), {REPLACE: (2 * CLIP,) * len(NODES)}, NODES, period)


def steps(data: Array, epochs: int = 1) -> Array:
    """What each of the four steps reads: the clipped records one by one, in every epoch again; nothing where
    there are too few.
    """
    rows = np.zeros((4 // epochs, data.shape[1]))
    rows[: len(data)] = clip(data)[: len(rows)]
    return np.tile(rows, (epochs, 1))


def tree(noise: Noise | None = None, declared: TreeNode | None = None, epochs: int = 1) -> Any:
    """The noisy nodes as a mechanism in batched form."""
    release = declare(SCALE, period=4) if declared is None else declared

    def mechanism(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        leaves = steps(data, epochs)
        value = np.tile(
            np.stack([leaves[first - 1 : last].sum(axis=0) for first, last in NODES]), (runs, 1, 1)
        )
        drawn = release.noise(rng, value.shape) if noise is None else noise(rng, value.shape)
        return tape.record(value, value + drawn, release).reshape(runs, -1)

    mechanism.__qualname__ = mechanism.__name__ = "tree of four steps"
    return mechanism
