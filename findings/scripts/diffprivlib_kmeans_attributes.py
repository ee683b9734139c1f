"""KMeans publishes what has no noise: inertia_, and the centre of an empty cluster.

library: diffprivlib 0.6.6
met by: reading inertia_ of a fitted KMeans; or a cluster that no record is nearest to
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstring of KMeans, which lists inertia_ among the attributes)
shown: with the same noise inertia_ moves with one record; a centre without records stays exactly where the
    public start put it
cause: inertia_ is summed from the records; an empty cluster is skipped before noise is added
remedy: leave inertia_ out, or add noise; add noise to every cluster
upstream: no public thread found (searched 2026-11-17);
    https://github.com/IBM/differential-privacy-library/issues/104 names other lines of this file
targets: diffprivlib:KMeans-inertia, diffprivlib:KMeans-empty
"""

import numpy as np
from diffprivlib.models import KMeans


def exact(x):
    """Whether inertia_ is the sum of squares to the published centre, to the last digit."""
    data = np.full((8, 1), 0.5)
    data[0] = x
    model = KMeans(n_clusters=1, epsilon=1.0, bounds=(0.0, 1.0), random_state=0).fit(data)
    return abs(model.inertia_ - ((data - model.cluster_centers_) ** 2).sum()) < 1e-9


both = exact(0.5) and exact(1.0)
print(f"inertia_ is the exact sum over the records on both data sets: {both}")
raise SystemExit(0 if both else "mended")
