"""Noise calibrated for the mean is added to the sum (tensorflow/privacy #153).

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, (scale/N)^2 I)        instead of N(0, scale^2 I)
"""

from __future__ import annotations

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, MEAN, PAIR, TWIN, descent

BUG = Bug(
    what="noise calibrated for the mean added to the sum",
    seen_in="tensorflow/privacy #153",
    mechanism=descent(noise=MEAN.noise),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
