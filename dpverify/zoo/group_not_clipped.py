"""One parameter group is left out of the clip: the weights are clipped, the bias is not.

release  s[t] = sum_i (clip(g_i^weights, C), g_i^bias) + N(0, scale^2 I)        instead of clip((g_i^weights,
g_i^bias), C)
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, TWIN, Array, clip, descent, gradients


def sum_with_raw_bias(x: Array, data: Array) -> Array:
    """The sum, its last coordinate not clipped."""
    rows = gradients(x, data)
    return np.concatenate([clip(rows[..., :-1]), rows[..., -1:]], axis=-1).sum(axis=1)


BUG = Bug(
    what="one parameter group is not clipped",
    seen_in="design variant of fedbiomed #1443",
    mechanism=descent(sum_with_raw_bias),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
