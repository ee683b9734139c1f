"""KMeans spends more than epsilon, the more the more features there are.

library: diffprivlib 0.6.6
met by: KMeans as it comes, on data of several features
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstring of KMeans)
shown: 1 claimed; its mechanisms are called with epsilons that add up to 1.21 (10 features), 2.28 (64), 5.38
    (784)
cause: _split_epsilon in models/k_means.py returns (of a dimension, of the count), and the caller takes it
    for (of the count, of a dimension)
remedy: return the two in the order in which they are taken
upstream: https://github.com/IBM/differential-privacy-library/issues/104
targets: diffprivlib:KMeans-features
"""

import warnings

import numpy as np
from diffprivlib import mechanisms, models

warnings.simplefilter("ignore")
spent = []


def watched(kind):
    original = kind.randomise

    def randomise(self, value):
        before = list(spent)
        output = original(self, value)  # what it calls itself is part of it
        spent[:] = [*before, self.epsilon]
        return output

    kind.randomise = randomise


for kind in (mechanisms.GeometricFolded, mechanisms.LaplaceBoundedDomain):
    watched(kind)
for features in (10, 64, 784):
    spent.clear()
    data = np.random.default_rng(0).random((1000, features))
    models.KMeans(n_clusters=1, epsilon=1.0, bounds=(0.0, 1.0), random_state=0).fit(data)
    print(f"{features} features: 1 claimed, {len(spent)} calls with epsilons that add up to {sum(spent):.2f}")
raise SystemExit(0 if sum(spent) > 1.01 else "mended")
