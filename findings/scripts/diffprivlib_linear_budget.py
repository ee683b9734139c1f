"""LinearRegression with its default intercept spends one share of the budget twice.

library: diffprivlib 0.6.6
met by: LinearRegression as it comes (fit_intercept=True)
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstring of LinearRegression)
shown: 1 claimed; its mechanisms are called with epsilons that add up to 1.5 (1 feature), 1.09 (10)
cause: the means of X and of y each get epsilon / (features + 1), and the rest only makes room for one of
    them
remedy: give both means together one share
upstream: https://github.com/IBM/differential-privacy-library/issues/104
targets: diffprivlib:LinearRegression-default
"""

import numpy as np
from diffprivlib import mechanisms, models

spent = []


def watched(kind):
    original = kind.randomise

    def randomise(self, value):
        before = list(spent)
        output = original(self, value)  # what it calls itself is part of it
        spent[:] = [*before, self.epsilon]
        return output

    kind.randomise = randomise


for kind in (mechanisms.Laplace, mechanisms.LaplaceFolded, mechanisms.LaplaceTruncated):
    if "randomise" in vars(kind):
        watched(kind)
rng = np.random.default_rng(0)
for features in (1, 10):
    spent.clear()
    model = models.LinearRegression(epsilon=1.0, bounds_X=(-1.0, 1.0), bounds_y=(-1.0, 1.0), random_state=0)
    model.fit(rng.uniform(-1, 1, (100, features)), rng.uniform(-1, 1, 100))
    print(f"features {features}: 1 claimed, {len(spent)} calls with epsilons that add up to {sum(spent):.2f}")
raise SystemExit(0 if sum(spent) > 1.01 else "mended")
