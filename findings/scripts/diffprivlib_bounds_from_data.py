"""Without bounds, the tools and models take them from the data.

library: diffprivlib 0.6.6
met by: tools.mean (var, std, sum, quantile, ...) without bounds, or models without bounds or data_norm
severity: documented by the library
claim: none: a PrivacyLeakWarning is raised
shown: three records of 0: the mean is 0 in every run; with one of them moved to 1 it is something else in 83
    of 100
cause: bounds = (min, max) of the records, so that equal records have a sensitivity of 0
remedy: give bounds; or let the library raise where it warns
upstream: its own warning; https://github.com/IBM/differential-privacy-library/issues/20
targets: diffprivlib:mean-bounds
"""

import warnings

from diffprivlib import tools

warnings.simplefilter("ignore")
equal = {float(tools.mean([0.0, 0.0, 0.0], epsilon=1.0, random_state=k)) for k in range(100)}
moved = [float(tools.mean([1.0, 0.0, 0.0], epsilon=1.0, random_state=k)) for k in range(100)]
common = sum(value in equal for value in moved)
print(f"equal records: {equal}; one moved: {common} of 100 outputs are among these")
raise SystemExit(0 if len(equal) == 1 and common < 100 else "mended")
