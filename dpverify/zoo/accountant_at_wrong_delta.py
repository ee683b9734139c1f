"""Epsilon is computed at delta = 1e-3 and stated beside delta = 1e-5.

claim  (epsilon(1e-3), 1e-5)-DP        instead of (epsilon(1e-5), 1e-5)-DP
"""

from __future__ import annotations

from dpverify.accounting import epsilon
from dpverify.guarantees import ApproxDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, TWIN, descent

BUG = Bug(
    what="accountant asked at the wrong delta",
    seen_in="design variant of fast-differential-privacy #46",
    mechanism=descent(),
    twin=TWIN,
    neighbours=PAIR,
    claim=ApproxDP(epsilon(CLAIM, 1e-3), 1e-5),
    twin_claim=ApproxDP(epsilon(CLAIM, 1e-5), 1e-5),
    rung="accountant",
    runs=2000,
)
