"""The sensitivity is too small by the batch size: a sum is released, the sensitivity of its mean is declared
(arXiv 2202.12219).

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, (scale/N)^2 I),   declared to move by 2 C / N instead of 2 C
"""

from __future__ import annotations

from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, MEAN, PAIR, clipped_mean, descent

BUG = Bug(
    what="sensitivity too small by the batch size",
    seen_in="Backpropagation Clipping, arXiv 2202.12219",
    mechanism=descent(declared=MEAN),
    twin=descent(clipped_mean, declared=MEAN),
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
