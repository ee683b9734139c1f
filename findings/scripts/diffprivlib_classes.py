"""Classifiers take their classes from the labels.

library: diffprivlib 0.6.6
met by: GaussianNB or LogisticRegression on labels of which one occurs once
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstrings of GaussianNB and LogisticRegression)
shown: with its only record replaced, a class is gone from the fitted model, in every run
cause: classes_ = unique(y), without noise; no PrivacyLeakWarning, which other values taken from the data
    have
remedy: take the classes as a parameter, as the trees do, and warn without it
upstream: https://github.com/IBM/differential-privacy-library/issues/106
targets: diffprivlib:GaussianNB-class, diffprivlib:LogisticRegression-class
"""

import warnings

import numpy as np
from diffprivlib.models import GaussianNB
from diffprivlib.utils import PrivacyLeakWarning

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    data = np.array([[0.0], [0.0], [1.0]])
    one = GaussianNB(epsilon=1.0, bounds=(0.0, 1.0)).fit(data, [2, 0, 1])
    other = GaussianNB(epsilon=1.0, bounds=(0.0, 1.0)).fit(data, [1, 0, 1])
leaks = sum(issubclass(warning.category, PrivacyLeakWarning) for warning in warned)
print(f"classes {one.classes_.tolist()} and {other.classes_.tolist()}, warnings of a leak: {leaks}")
raise SystemExit(0 if len(one.classes_) != len(other.classes_) else "mended")
