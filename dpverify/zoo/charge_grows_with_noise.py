"""The charge is upside down: less noise is charged a smaller budget (PySyft #6914).

claim  mu = scale / sensitivity        instead of sensitivity / scale
"""

from __future__ import annotations

from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, PAIR, descent

DECLARED = Gaussian(scale=1.0, sensitivity={REPLACE: 2 * CLIP})

BUG = Bug(
    what="less noise is charged a smaller budget",
    seen_in="PySyft #6914",
    mechanism=descent(declared=DECLARED, steps=1),
    twin=descent(declared=DECLARED, steps=1),
    neighbours=PAIR,
    claim=GDP(1 / DECLARED.ratio(REPLACE)),
    twin_claim=GDP(DECLARED.ratio(REPLACE)),
    rung="accountant",
    runs=2000,
)
