"""Pure DP: epsilons add up; a secret batch helps.

eps = sum_t eps_t,   eps_t = ln(1 + q (exp(sensitivity/scale) - 1))   (q: the chance that the record is in
the batch)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpverify.neighbours import Adjacency
from dpverify.releases import Release


def pure_epsilon(ledger: Sequence[Release], adjacency: Adjacency) -> float:
    """The sum of the epsilons of the releases, secret batches taken into account; inf for Gaussian noise.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Laplace
    >>> pure_epsilon([Laplace(2.0, {REPLACE: 1.0})] * 4, REPLACE)
    2.0
    """
    return math.fsum(release.epsilon(adjacency) for release in ledger)
