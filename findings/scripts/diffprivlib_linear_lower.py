"""LinearRegression takes the sensitivity of the squares from the lower bound alone.

library: diffprivlib 0.6.6
met by: LinearRegression with bounds_X whose lower end is the smaller in size, such as (0, 1)
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstring of LinearRegression)
shown: bounds (0, 1), no intercept: the sum of squares is published without noise, so that one record shows
cause: models/linear_regression.py takes bounds_X[0][i] twice where the larger of both ends is meant
remedy: max(|lower|, |upper|) ** 2
upstream: https://github.com/IBM/differential-privacy-library/issues/104,
    https://github.com/IBM/differential-privacy-library/issues/105;
    https://github.com/IBM/differential-privacy-library/pull/110 (open) proposes a remedy
targets: diffprivlib:LinearRegression-lower
"""

import numpy as np
from diffprivlib.models import LinearRegression

settings = {"epsilon": 1.0, "bounds_X": (0.0, 1.0), "bounds_y": (-1.0, 1.0), "fit_intercept": False}


def squares(x):
    """What the model publishes as the sum of squares, over twenty seeds."""
    fits = [LinearRegression(random_state=i, **settings).fit([[x]], [0.0]) for i in range(20)]
    return {round(float(np.ravel(fit._obj_coefs[2])[0]), 12) for fit in fits}


one, other = squares(1.0), squares(0.1)
print(f"twenty seeds: the sum of squares is {one} for a record at 1 and {other} for one at 0.1")
raise SystemExit(0 if len(one) == len(other) == 1 else "mended")
