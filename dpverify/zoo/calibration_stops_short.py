"""The search for the noise stops within a tolerance and returns the end on which epsilon still exceeds its
target (opacus #346, #308).

scale  the lower end of the bracket, epsilon > 1        instead of the upper end, epsilon <= 1
"""

from __future__ import annotations

from dpverify.guarantees import GDP, ApproxDP
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, PAIR, STEPS, descent

TARGET = ApproxDP(1.0, 1e-5)


def _bracket(tolerance: float = 0.1) -> tuple[float, float]:
    """Two scales, the first too small for the target, the second large enough."""
    low, high = 1.0, 100.0
    while high - low > tolerance:
        middle = (low + high) / 2
        enough = GDP(STEPS**0.5 * 2 * CLIP / middle).delta_at(TARGET.epsilon) <= TARGET.delta
        low, high = (low, middle) if enough else (middle, high)
    return low, high


SHORT, ENOUGH = (Gaussian(scale=scale, sensitivity={REPLACE: 2 * CLIP}) for scale in _bracket())

BUG = Bug(
    what="calibration returns noise whose epsilon exceeds the target",
    seen_in="opacus #346, #308",
    mechanism=descent(declared=SHORT),
    twin=descent(declared=ENOUGH),
    neighbours=PAIR,
    claim=TARGET,
    rung="accountant",
    runs=2000,
)
