"""The clip is forgotten: the clipped gradients are computed, the raw ones are summed (smartnoise-sdk #622).

release  s[t] = sum_i g_i(x[t]) + N(0, scale^2 I)        instead of sum_i clip(g_i(x[t]), C)
"""

from __future__ import annotations

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, TWIN, Array, descent, gradients


def raw_sum(x: Array, data: Array) -> Array:
    """The sum without the clip."""
    return gradients(x, data).sum(axis=1)


BUG = Bug(
    what="clipped gradients computed, raw ones summed",
    seen_in="smartnoise-sdk #622",
    mechanism=descent(raw_sum),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
