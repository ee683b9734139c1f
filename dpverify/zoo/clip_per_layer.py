"""Each layer is clipped to C, and the sensitivity is declared as if the whole gradient were (fedbiomed #1443,
opacus #202).

release  s[t] = sum_i (clip(g_i^1, C), clip(g_i^2, C)) + N(0, scale^2 I),   which moves by up to 2 sqrt(2) C,
declared as 2 C
"""

from __future__ import annotations

import numpy as np

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, TWIN, Array, clip, descent, gradients


def layerwise_clipped_sum(x: Array, data: Array) -> Array:
    """The sum, the first parameter and the others clipped apart."""
    rows = gradients(x, data)
    return np.concatenate([clip(rows[..., :1]), clip(rows[..., 1:])], axis=-1).sum(axis=1)


BUG = Bug(
    what="clip per layer, accounted as a global norm",
    seen_in="fedbiomed #1443",
    mechanism=descent(layerwise_clipped_sum),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
