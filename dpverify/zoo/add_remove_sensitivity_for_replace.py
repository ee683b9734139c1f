"""The sensitivity of add/remove is used for replace: C instead of 2 C (jax_privacy's guide to pitfalls).

release  s[t] = sum_i clip(g_i(x[t]), C) + N(0, (C sigma)^2 I),   declared to move by C when a record is
replaced
"""

from __future__ import annotations

from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, CLIP, PAIR, SCALE, TWIN, descent

BUG = Bug(
    what="add/remove sensitivity used for replace",
    seen_in="jax_privacy, guide to pitfalls",
    mechanism=descent(declared=Gaussian(scale=SCALE / 2, sensitivity={REPLACE: CLIP})),
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
