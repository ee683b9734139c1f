"""var with dtype=int is computed in whole numbers, with the noise of the exact variance.

library: diffprivlib 0.6.6
met by: tools.var or std with dtype=int
severity: corner case
claim: epsilon-differential privacy (docstring of var)
shown: twenty records of 2, one of them moved to 0: the variance goes from 0 to 1, the sensitivity is 0.19
cause: dtype is handed to numpy.var, which rounds mean and squares; the sensitivity does not know of it
remedy: compute in floating point, and round what is published
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:var-int
"""

import numpy as np
from diffprivlib import tools


def variances(data):
    return [tools.var(data, epsilon=1e6, bounds=(0, 2), dtype=int, random_state=k) for k in range(20)]


equal = np.full(20, 2.0)
moved = np.append(equal[:-1], 0.0)
change = np.median(variances(moved)) - np.median(variances(equal))  # hardly any noise: the query
charged = 2**2 * 19 / 20**2
print(f"one record moves the variance by {change:.2f}; the noise is for {charged:.2f}")
raise SystemExit(0 if change > 2 * charged else "mended")
