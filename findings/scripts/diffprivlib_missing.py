"""The nan tools divide by records that are missing.

library: diffprivlib 0.6.6
met by: tools.nanmean, nanvar or nanstd on data with missing values, which is what they are for
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstrings of nanmean, nanvar, nanstd)
shown: one record of ten left: the mean moves by 1, its noise is for 0.1; it is above 0.9 in 82 % of runs
    where that record is 1, and in none of 2000 where it is 0
cause: the sensitivity is divided by the size of the array, the statistic by the number of values that are
    there
remedy: a noisy count of the values that are there
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/80 takes these tools for right
targets: diffprivlib:nanmean-missing, diffprivlib:nanvar-missing, diffprivlib:nanstd-missing
"""

import numpy as np
from diffprivlib import tools

state = np.random.RandomState(0)


def spread(data):
    return np.array(
        [tools.nanmean(data, epsilon=1.0, bounds=(0.0, 1.0), random_state=state) for _ in range(2000)]
    )


missing = np.full(9, np.nan)
low, high = spread(np.append(missing, 0.0)), spread(np.append(missing, 1.0))
a, b = (high > 0.9).mean(), (low > 0.9).mean()
print(f"epsilon 1; an output is above 0.9 in {a:.1%} of runs if the record is 1, {b:.1%} if it is 0")
raise SystemExit(0 if a > 2.72 * b + 0.1 else "mended")
