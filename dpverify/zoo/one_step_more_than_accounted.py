"""The optimizer takes one step more than the accountant was told.

ledger  T + 1 releases        instead of T
"""

from __future__ import annotations

from dpverify.accounting import epsilon
from dpverify.guarantees import ApproxDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, STEPS, TWIN, descent

BUG = Bug(
    what="one step more than accounted",
    seen_in="design variant",
    mechanism=descent(steps=STEPS + 1),
    twin=TWIN,
    neighbours=PAIR,
    claim=ApproxDP(epsilon(CLAIM, 1e-5), 1e-5),
    rung="accountant",
    runs=2000,
)
