"""The accountant rounds a small privacy loss to epsilon = 0 (tensorflow/privacy #166).

claim  (0, 1e-5)-DP for a release that is 0.01-GDP        instead of epsilon = 0.028
"""

from __future__ import annotations

from dpverify.accounting import epsilon
from dpverify.guarantees import GDP, ApproxDP
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, PAIR, descent

DELTA, MU = 1e-5, 0.01
RELEASE = descent(declared=Gaussian(scale=2 * CLIP / MU, sensitivity={REPLACE: 2 * CLIP}), steps=1)

BUG = Bug(
    what="a small loss rounded to epsilon = 0",
    seen_in="tensorflow/privacy #166",
    mechanism=RELEASE,
    twin=RELEASE,
    neighbours=PAIR,
    claim=ApproxDP(0.0, DELTA),
    twin_claim=ApproxDP(epsilon(GDP(MU), DELTA), DELTA),
    rung="accountant",
    runs=2000,
)
