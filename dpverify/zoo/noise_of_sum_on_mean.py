"""Noise calibrated for the sum is added to the mean (jax_privacy #383): too much, which costs accuracy and no
privacy.

release  m[t] = (1/N) sum_i clip(g_i(x[t]), C) + N(0, scale^2 I)        instead of N(0, (scale/N)^2 I)
"""

from __future__ import annotations

from dpverify.verdicts import SUPPORTED
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, MEAN, PAIR, clipped_mean, descent

BUG = Bug(
    what="noise calibrated for the sum added to the mean",
    seen_in="jax_privacy #383",
    mechanism=descent(clipped_mean, DECLARED.noise, MEAN),
    twin=descent(clipped_mean, declared=MEAN),
    neighbours=PAIR,
    claim=CLAIM,
    rung="",
    expect=SUPPORTED,
    why="errs on the safe side: more noise than declared is no violation",
    runs=2000,
)
