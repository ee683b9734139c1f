"""The guard looks at what was spent before the step, not after it: the last step overdraws the budget.

while spent <= budget: step        instead of  while spent + cost <= budget: step
"""

from __future__ import annotations

from dpverify.accounting import epsilon
from dpverify.guarantees import ApproxDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, CLIP, PAIR, SCALE, descent

COST = (2 * CLIP / SCALE) ** 2  # of one step; the squared ratios add up to mu^2


def _steps(careful: bool) -> int:
    spent, steps = 0.0, 0
    while (spent + COST if careful else spent) <= CLAIM.mu**2:
        spent, steps = spent + COST, steps + 1
    return steps


BUG = Bug(
    what="budget guard off by one",
    seen_in="design variant",
    mechanism=descent(steps=_steps(careful=False)),
    twin=descent(steps=_steps(careful=True)),
    neighbours=PAIR,
    claim=ApproxDP(epsilon(CLAIM, 1e-5), 1e-5),
    rung="accountant",
    runs=2000,
)
