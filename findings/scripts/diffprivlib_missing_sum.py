"""nansum counts a missing record as 0, which its bounds need not contain.

library: diffprivlib 0.6.6
met by: tools.nansum on data with missing values, where 0 is outside of the bounds, such as ages in (18, 100)
severity: breaks for an ordinary user
claim: epsilon-differential privacy, ignoring missing values (docstring of nansum)
shown: bounds (9, 10), epsilon 1: a record that is there instead of missing moves the sum by 10, its noise is
    for 1; 80 % of the outputs of one are above 18, none of the other
cause: the sensitivity is the width of the bounds, as if every record were within them
remedy: the larger of the width and of both bounds in size, or put a missing value at a bound
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/80 takes the treatment of missing values in
    these tools for right
targets: diffprivlib:nansum-missing
"""

import numpy as np
from diffprivlib import tools


def above(data):
    """How many of 500 sums are above 18, the smallest that two records within the bounds have."""
    sums = [tools.nansum(data, epsilon=1.0, bounds=(9.0, 10.0), random_state=k) for k in range(500)]
    return sum(value > 18 for value in sums)


missing, there = above([np.nan, 9.0]), above([10.0, 9.0])
print(f"epsilon 1; sums above 18: {missing} of 500 with one record missing, {there} with that record at 10")
raise SystemExit(0 if there > 20 * missing + 100 else "mended")
