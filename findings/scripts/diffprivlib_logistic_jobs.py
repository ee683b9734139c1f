"""LogisticRegression in several processes draws the same noise for all classes and all fits.

library: diffprivlib 0.6.6
met by: LogisticRegression with n_jobs=2, -1 or any but 1; with the default n_jobs=None there is none of it
severity: breaks for a documented option
claim: epsilon-differential privacy of every fit, n_jobs being the number of cores (docstring of
    LogisticRegression)
shown: epsilon 1, no random_state: two fits of a program on the same records give the same coefficients, so
    that a third, with one record changed, differs from them by what that record does and by no noise
cause: _logistic_regression_path gets the program's RandomState through joblib, which copies it to each
    worker: what is drawn there does not advance it, so that the next class and the next fit draw the same
remedy: draw a seed for every class before the work is given out, as scikit-learn does
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/40 is about mechanisms that could not be sent
    to processes
targets: diffprivlib:LogisticRegression
"""

import warnings

import numpy as np
from diffprivlib.models import LogisticRegression

warnings.simplefilter("ignore")
rows, labels = np.array([[1.0], [0.5], [-0.5]]), np.array([0, 1, 2])


def fitted(features, jobs):
    settings = {"epsilon": 1.0, "data_norm": 1.0, "fit_intercept": False, "n_jobs": jobs}
    return LogisticRegression(**settings).fit(features, labels).coef_.ravel()


if __name__ == "__main__":
    moved = np.array([[1.0], [0.5], [0.5]])
    for jobs in (None, 2):
        one, again, other = fitted(rows, jobs), fitted(rows, jobs), fitted(moved, jobs)
        print(f"n_jobs={jobs}: {one.round(4)}, again {again.round(4)}, one record moved {other.round(4)}")
    raise SystemExit(0 if np.array_equal(one, again) and not np.array_equal(one, other) else "mended")
