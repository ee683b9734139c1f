"""When the tree restarts, the noise of the finished tree is dropped: later prefix sums hold its sum exactly
(DP-FTRL #2).

output  prefix sums at steps 1..4 of two trees of two steps; at steps 3, 4:  sum(1, 2) + node'        instead
of node(1, 2) + node'
"""

from __future__ import annotations

import numpy as np

from dpverify.guarantees import GDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, Array
from dpverify.zoo._tree import PAIR, steps

SCALE = 2.0


def _prefix_sums(data: Array, rng: np.random.Generator, runs: int, kept: bool) -> Array:
    exact = np.cumsum(steps(data), axis=0)
    noise = SCALE * rng.standard_normal((runs, *exact.shape))
    if kept:
        noise[:, 2:] += noise[:, 1:2]
    return (exact + noise).reshape(runs, -1)


def bug(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """Prefix sums that forget the finished tree's noise."""
    return _prefix_sums(data, rng, runs, kept=False)


def twin(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """Prefix sums that keep it."""
    return _prefix_sums(data, rng, runs, kept=True)


BUG = Bug(
    what="noise of finished trees dropped at restart",
    seen_in="google-research/DP-FTRL #2 (reported)",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=GDP(2**0.5 * 2 * CLIP / SCALE),
    rung="statistics",
    runs=6000,
)
