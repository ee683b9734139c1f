"""LogisticRegression with its default intercept is not regularised where its proof needs it.

library: diffprivlib 0.6.6
met by: LogisticRegression as it comes (fit_intercept=True)
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstring of LogisticRegression)
shown: epsilon 1, two records: an event is seen in 80 of 3000 fits, and in 5 with one record replaced; epsilon
    is above 1.5
cause: the intercept is a parameter of the objective that is perturbed, but neither its L2 term nor the norm
    of a record with the constant 1 appended is accounted for
remedy: regularise the intercept, and clip records with the constant appended
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/10 and
    https://github.com/IBM/differential-privacy-library/issues/71 are about other terms of the same proof
targets: diffprivlib:LogisticRegression-intercept
"""

import warnings

import numpy as np
from diffprivlib.models import LogisticRegression
from scipy.stats import beta

warnings.simplefilter("ignore")
RUNS = 3000
state = np.random.RandomState(0)


def seen(x):
    """How often the intercept is beyond 3 while the decision at 1 is within 3 of 0."""
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, tol=1e-6, max_iter=500, random_state=state)
    data, labels, count = np.array([[x], [0.0]]), np.array([1, 0]), 0
    for _ in range(RUNS):
        model.fit(data, labels)
        intercept, slope = model.intercept_[0], model.coef_[0, 0]
        count += abs(intercept) > 3 > abs(intercept + slope)
    return count


many, few = seen(1.0), seen(-1.0)
least = beta.ppf(1e-2, many, RUNS - many + 1)
most = beta.ppf(1 - 1e-2, few + 1, RUNS - few)
print(f"{many} and {few} of {RUNS}: epsilon is at least {np.log(least / most):.2f}, 1 claimed")
raise SystemExit(0 if np.log(least / most) > 1 else "mended")
