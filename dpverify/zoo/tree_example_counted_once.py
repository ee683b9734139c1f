"""Two epochs in one tree: an example occurs twice in a node whose sensitivity is counted once.

release  the node over steps 1..4 of two epochs, which moves by 2 * 2 C, declared as 2 C

With two occurrences the nodes cost 2 + 2 + 4 = 8 squared ratios, not 3: the twin has the noise for that.
"""

from __future__ import annotations

import numpy as np

from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._tree import CLAIM, SCALE, declare, tree

BUG = Bug(
    what="a node's sensitivity counted once for an example that occurs twice",
    seen_in="design variant of DP-FTRL #2",
    mechanism=tree(declared=declare(SCALE, period=4), epochs=2),
    twin=tree(declared=declare(SCALE * (8 / 3) ** 0.5, period=2), epochs=2),
    neighbours=Neighbours.replace(np.array([[1.0], [0.5]]), 0, [-1.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
