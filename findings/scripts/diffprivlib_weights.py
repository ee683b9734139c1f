"""histogram accepts weights, and adds noise as if all were 1.

library: diffprivlib 0.6.6
met by: tools.histogram(..., weights=...)
severity: breaks for a documented option
claim: epsilon-differential privacy (docstring of histogram, which documents weights)
shown: a record of weight 100 moves a count by 100; the noise has scale 1
cause: the geometric mechanism is made with sensitivity 1
remedy: take a bound on the weights as a parameter, or refuse them
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:histogram-weights
"""

import numpy as np
from diffprivlib import tools


def count(x):
    out, _ = tools.histogram(
        np.array([x, 0.0]), epsilon=1.0, bins=2, range=(0.0, 1.0), weights=[100.0, 1.0], random_state=0
    )
    return out[0]


print(f"first bin: {count(0.0)} with the record, {count(2.0)} without; sensitivity 1 is charged")
raise SystemExit(0 if count(0.0) - count(2.0) > 2 else "mended")
