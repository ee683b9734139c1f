"""Bounds within 1e-8 of each other are taken for equal, and all features are clipped at the widest.

library: diffprivlib 0.6.6
met by: GaussianNB, KMeans, LinearRegression or DecisionTreeClassifier on features of different tiny scales,
    such as bounds (0, 1e-10) and (0, 1e-8)
severity: corner case
claim: bounds may have one entry per feature (docstrings of these models), from which each feature gets its
    sensitivity
shown: bounds (0, 1e-10) and (0, 1e-8): the first feature is clipped at 1e-8, a hundred times its sensitivity
cause: clip_to_bounds in validation.py compares the bounds by numpy.allclose, whose absolute tolerance is 1e-8
remedy: clip every feature to its own bounds, without comparing them
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:GaussianNB-tiny
"""

import numpy as np
from diffprivlib.validation import clip_to_bounds

bounds = (np.zeros(2), np.array([1e-10, 1e-8]))
clipped = clip_to_bounds(np.ones((1, 2)), bounds)[0]
print(f"upper bounds {bounds[1]}, a record of ones is clipped to {clipped}")
raise SystemExit(0 if clipped[0] > 2 * bounds[1][0] else "mended")
