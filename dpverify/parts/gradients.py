"""Clipped sums and means of the records' gradients, and the releases that protect them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.formulas.dynamic_noise import noise_multipliers
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency
from dpverify.problems import Problem
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def full_batch_sensitivity(largest: float) -> dict[Adjacency, float]:
    """What a clipped sum moves by, `largest` being one record's most: as much if it is added, removed or
    zeroed, twice if replaced.
    """
    return {ADD_REMOVE: largest, REPLACE: 2 * largest, ZERO_OUT: largest}


def noisy_gradient(
    problem: Problem, *, clip: float, scales: Schedule, steps: int, batch: int | None
) -> tuple[list[Any], Callable[..., Array]]:
    """The releases of steps 1..T, and the query: the mean of the records' gradients, clipped in the L1 norm,
    over all or a secret batch.
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    m = problem.count if batch is None else batch
    if not 1 <= m <= problem.count:
        raise ValueError(f"Expected 1 <= batch={batch} <= {problem.count}, the number of records.")
    sensitivity = full_batch_sensitivity(clip / m)
    releases: list[Any] = [Laplace(b, sensitivity) for b in scales.values(steps).tolist()]
    if batch is None:
        return releases, lambda data, x, chosen=None: problem.private_sum(x, data, clip, order=1) / m
    sampled = [Subsampled(release, size=m, of=problem.count) for release in releases]
    return sampled, lambda data, x, chosen: problem.private_sum(x, data, clip, batch=chosen, order=1) / m


def batch_release(sigma: float, *, G: float, batch: int, of: int, bounded: bool = True) -> Subsampled:
    """A mean of clipped gradients over a secret batch without replacement; one record moves it by 2G/batch if
    replaced.

    With `bounded=False` the sensitivity is infinite: the query scales its noise by private data, so that no
    number bounds it.
    """
    if not G > 0:
        raise ValueError(f"Expected G={G} > 0.")
    most = G / batch if bounded else math.inf
    sensitivity = {REPLACE: 2 * most, ADD_REMOVE: most, ZERO_OUT: most}
    return Subsampled(Gaussian(sigma, sensitivity), size=batch, of=of)


def batch_releases(
    problem: Problem, clip: float, batch: int, variances: Schedule, steps: int, how: str
) -> list[Subsampled]:
    """The releases of the averages over secret batches of n records with squared noise multipliers
    sigma_t^2.
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    if not 1 <= batch <= problem.count:
        raise ValueError(f"Expected 1 <= batch={batch} <= {problem.count}, the number of records.")
    largest = clip / batch
    sensitivity = full_batch_sensitivity(largest)
    return [
        Subsampled(Gaussian(largest * s, sensitivity), size=batch, of=problem.count, how=how)
        for s in noise_multipliers(variances, steps)
    ]
