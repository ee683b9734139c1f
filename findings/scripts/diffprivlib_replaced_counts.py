"""Counts have noise for one record more or less, other tools for one that is replaced: no relation fits all.

library: diffprivlib 0.6.6
met by: tools.histogram, histogram2d, histogramdd, DecisionTreeClassifier or RandomForestClassifier, where a
    record is replaced; that is the relation which mean, var, sum and quantile need, since they use the number
    of records as it is
severity: corner case
claim: epsilon-differential privacy (docstrings of histogram, DecisionTreeClassifier and
    RandomForestClassifier, which name no relation)
shown: epsilon 1, one of two records moved to another bin: an event is e^2 times as likely
cause: every count has noise for a sensitivity of 1, and two counts change where a record is replaced
remedy: state the relation of every tool, or give counts the sensitivity 2 that replacing needs
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:histogram-replace, diffprivlib:DecisionTreeClassifier-replace,
    diffprivlib:RandomForestClassifier-replace
"""

import math

import numpy as np
from diffprivlib import tools

RUNS = 4000


def share(data):
    """How often the first bin shows two or more and the second none."""
    state = np.random.RandomState(0)
    shown = [tools.histogram(data, 1.0, bins=2, range=(0, 1), random_state=state)[0] for _ in range(RUNS)]
    return np.mean([first >= 2 and second <= 0 for first, second in shown])


here, there = share([0.1, 0.1]), share([0.1, 0.9])
print(f"epsilon 1 claimed; {here:.3f} against {there:.3f}, a loss of {math.log(here / there):.2f} (exact: 2)")
raise SystemExit(0 if here > 1.5 * math.e * there else "mended")
