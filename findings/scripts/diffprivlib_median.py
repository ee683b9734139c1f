"""median of equal records raises, and of equal records but one it does not.

library: diffprivlib 0.6.6
met by: tools.median, quantile or percentile of many equal records (746 at epsilon 4, 2982 at epsilon 1)
severity: corner case
claim: epsilon-differential privacy (docstring of median)
shown: 746 records at 0.9, epsilon 4: RuntimeError in every run; one of them moved to 0: an output in every
    run
cause: the best interval has length 0 where records are equal; the weights of all others underflow to 0
remedy: add the logarithm of the length to the utility before the largest is subtracted
upstream: https://github.com/IBM/differential-privacy-library/issues/107;
    https://github.com/IBM/differential-privacy-library/pull/108 proposes a remedy
targets: diffprivlib:median-constant
"""

import numpy as np
from diffprivlib import tools


def answers(data):
    try:
        tools.median(data, epsilon=4.0, bounds=(0.0, 1.0), random_state=0)
        return True
    except RuntimeError:
        return False


equal = np.full(746, 0.9)
moved = np.append(equal[:-1], 0.0)
print(f"an output for 746 equal records: {answers(equal)}; with one of them moved: {answers(moved)}")
raise SystemExit(0 if answers(equal) != answers(moved) else "mended")
