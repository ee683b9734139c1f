"""LinearRegression without an intercept does not clip to its bounds.

library: diffprivlib 0.6.6
met by: LinearRegression(fit_intercept=False) on data that leave bounds_X or bounds_y
severity: corner case
claim: epsilon-differential privacy for data of these bounds (docstring of LinearRegression, which does not
    say what becomes of values beyond them; with an intercept, as in the other models, they are clipped)
shown: bounds (-1, 1), epsilon 1: with one record at 1e6 the coefficient is within 0.001 of 1 in each of 200
    runs, with one at 1 in none
cause: clip_to_bounds is called within `if fit_intercept` in _preprocess_data
remedy: clip in both cases
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/104 names other lines of this file
targets: diffprivlib:LinearRegression
"""

import numpy as np
from diffprivlib.models import LinearRegression

settings = {"epsilon": 1.0, "bounds_X": (-1.0, 1.0), "bounds_y": (-1.0, 1.0), "fit_intercept": False}


def near_one(x):
    data, targets = np.array([[x], [0.5]]), np.array([x, 0.5])
    fits = [LinearRegression(random_state=i, **settings).fit(data, targets).coef_[0] for i in range(200)]
    return float(np.mean(np.abs(np.array(fits) - 1) < 1e-3))


inside, outside = near_one(1.0), near_one(1e6)
print(
    f"the coefficient is within 0.001 of 1 in {inside:.0%} of runs with a record at 1, {outside:.0%} at 1e6"
)
raise SystemExit(0 if outside > 2.72 * inside + 0.5 else "mended")
