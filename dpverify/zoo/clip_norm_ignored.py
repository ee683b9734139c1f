"""The clip norm that the user asks for is ignored, a default is used, and the noise follows the user's
(opacus PR #664).

release  s[t] = sum_i clip(g_i(x[t]), 1) + N(0, (C sigma)^2 I)        instead of clip(g_i(x[t]), C), C = 0.1
"""

from __future__ import annotations

from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, Array, clip, clipped_sum, descent, gradients

MAX_GRAD_NORM = 0.1
DECLARED = Gaussian(scale=MAX_GRAD_NORM * SCALE, sensitivity={REPLACE: 2 * MAX_GRAD_NORM})


def clipped_sum_as_asked(x: Array, data: Array) -> Array:
    """The sum with the clip norm that was asked for."""
    return clip(gradients(x, data), MAX_GRAD_NORM).sum(axis=1)


BUG = Bug(
    what="max_grad_norm is ignored, the default is used",
    seen_in="opacus PR #664",
    mechanism=descent(clipped_sum, declared=DECLARED),
    twin=descent(clipped_sum_as_asked, declared=DECLARED),
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
