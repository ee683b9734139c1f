"""Pure DP: epsilons add up; a secret batch helps.

    eps = sum_t eps_t,   eps_t = ln(1 + q (exp(sensitivity/scale) - 1))   (q: the chance that the record is in
    the batch)

Sampling: Balle, Barthe and Gaboardi 2018. Without replacement the number of records is public and a batch
with the record faces one with another record instead, so the sensitivity is that of replacement, also when
the record is zeroed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency
from dpverify.releases import Laplace, Release, Subsampled, TreeNode


def sampled_ratio(release: Subsampled, adjacency: Adjacency) -> float:
    """Sensitivity over scale of the inner release that the amplification has to assume under that
    relation.
    """
    if release.how == "poisson":
        return release.ratio(adjacency)
    if adjacency is ADD_REMOVE:
        raise ValueError(
            f"Expected adjacency='replace' or 'zero-out' for sampling {release.how}: the batch "
            "size fixes the data set's."
        )
    return release.ratio(REPLACE)


def chance(release: Subsampled) -> float:
    """The probability that a record is in the batch."""
    if release.how == "with replacement":
        return -math.expm1(release.size * math.log1p(-1 / release.of)) if release.of > 1 else 1.0
    return release.rate


def pure_epsilon(ledger: Sequence[Release], adjacency: Adjacency) -> float:
    """The sum of the epsilons of Laplace releases, secret batches taken into account; inf for Gaussian noise.

    >>> pure_epsilon([Laplace(2.0, {REPLACE: 1.0})] * 4, REPLACE)
    2.0
    """
    return math.fsum(_one(release, adjacency) for release in ledger)


def _one(release: Release, adjacency: Adjacency) -> float:
    if isinstance(release, Laplace):
        return release.ratio(adjacency)
    if isinstance(release, Subsampled) and isinstance(release.inner, Laplace):
        ratio = sampled_ratio(release, adjacency)
        if release.how == "with replacement":
            ratio *= release.size  # the record may be drawn `size` times
        if ratio > 700:
            return ratio
        return math.log1p(chance(release) * math.expm1(ratio))
    ratios = release.ratios(adjacency) if isinstance(release, TreeNode) else (release.ratio(adjacency),)
    return 0.0 if max(ratios) == 0 else math.inf
