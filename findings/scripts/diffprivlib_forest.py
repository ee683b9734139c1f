"""RandomForestClassifier cuts the records among its trees by their number.

library: diffprivlib 0.6.6
met by: RandomForestClassifier as it comes, where a record is added or removed
severity: breaks for an ordinary user
claim: epsilon-differential privacy, where each datapoint is used to train exactly one tree (docstring of
    RandomForestClassifier, under shuffle), so that every tree has all of epsilon
shown: without its first record, the fourth of six changes from the second tree to the first: two trees see
    the change of one record, 2 epsilon instead of epsilon
cause: the parts are slices of the array, whose ends move with the number of records. If records are replaced
    instead, the slices stay, but two counts of a leaf change by one each, with noise for one (the finding on
    replaced counts)
remedy: assign each record to a tree by itself (at random), or state the relation and double the sensitivity
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:RandomForestClassifier
"""

import warnings

import numpy as np
from diffprivlib.models import RandomForestClassifier, forest

warnings.simplefilter("ignore")
parts = []
fit = forest.DecisionTreeClassifier.fit


def watched(self, X, y, **named):
    parts.append(sorted(np.ravel(X).round(3).tolist()))
    return fit(self, X, y, **named)


forest.DecisionTreeClassifier.fit = watched


def trees(rows):
    parts.clear()
    settings = {"epsilon": 1.0, "bounds": (0.0, 1.0), "classes": [0, 1], "n_estimators": 2, "max_depth": 1}
    RandomForestClassifier(random_state=0, shuffle=False, **settings).fit(rows, np.arange(len(rows)) % 2)
    return sorted(parts)


rows = np.arange(6)[:, None] / 10
whole, without = trees(rows), trees(rows[1:])
changed = sum(part not in whole for part in without)
print(f"{whole} and, without the first record, {without}: {changed} trees see the change")
raise SystemExit(0 if changed > 1 else "mended")
