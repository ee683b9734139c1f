"""The mini-batch gradient is clipped instead of every example's (APPFL #349).

release  m[t] = clip((1/N) sum_i g_i(x[t]), C) + N(0, (scale/N)^2 I)        instead of (1/N) sum_i
clip(g_i(x[t]), C)
"""

from __future__ import annotations

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, MEAN, PAIR, RECORDS, Array, clip, clipped_mean, descent, gradients


def mean_then_clip(x: Array, data: Array) -> Array:
    """The mean, clipped: one record can turn it around."""
    return clip(gradients(x, data).sum(axis=1) / RECORDS)


BUG = Bug(
    what="the averaged gradient is clipped, not every example's",
    seen_in="APPFL #349",
    mechanism=descent(mean_then_clip, declared=MEAN),
    twin=descent(clipped_mean, declared=MEAN),
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
