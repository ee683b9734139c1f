"""Renyi DP by dp-accounting: a second opinion, an upper bound on delta(eps).

    D_a(ledger) <= sum_t D_a(release_t),   delta(eps) <= min over the orders a

Pure epsilons enter by the Renyi divergence of randomised response, which dominates them in any dimension.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.accounting.gaussian import gaussian_mu, is_gaussian
from dpverify.accounting.pure import pure_epsilon, sampled_ratio
from dpverify.neighbours import REPLACE, Adjacency
from dpverify.releases import Laplace, Release, Subsampled


def rdp_profile(ledger: Sequence[Release], adjacency: Adjacency) -> Callable[[float], float]:
    """delta as a function of eps for the whole ledger.

    >>> from dpverify.releases import Gaussian
    >>> 0.1269 < rdp_profile([Gaussian(1.0, {REPLACE: 1.0})], REPLACE)(1.0) < 1
    True
    """
    from dp_accounting.rdp import rdp_privacy_accountant as rdp

    orders = np.array([1.1, 1.25, 1.5, 1.75, *range(2, 33), 40, 48, 64, 80, 96, 128, 192, 256])
    total = np.zeros(len(orders))
    gaussian = [release for release in ledger if is_gaussian([release])]
    if gaussian:
        total += orders * gaussian_mu(gaussian, adjacency) ** 2 / 2
    others = Counter(_event(release, adjacency) for release in ledger if not is_gaussian([release]))
    for (kind, ratio, rate), count in others.items():
        if kind == "pure":
            total += count * _randomised_response(ratio, orders)
        elif not np.isfinite(ratio):
            total += np.inf
        elif ratio > 0:
            compute = (
                rdp._compute_rdp_poisson_subsampled_gaussian
                if kind == "poisson"
                else rdp._compute_rdp_sample_wor_gaussian
            )
            total += count * np.asarray(compute(q=rate, noise_multiplier=1 / ratio, orders=orders))

    def delta(epsilon: float) -> float:
        return float(rdp.compute_delta(orders, total, epsilon)[0])

    return delta


def _event(release: Release, adjacency: Adjacency) -> tuple[str, float, float]:
    if isinstance(release, Laplace) or (
        isinstance(release, Subsampled) and isinstance(release.inner, Laplace)
    ):
        return ("pure", pure_epsilon([release], adjacency), 1.0)
    if isinstance(release, Subsampled) and release.how == "without replacement":
        return ("fixed", sampled_ratio(release, adjacency), release.rate)
    if isinstance(release, Subsampled) and release.how == "poisson" and adjacency is not REPLACE:
        return ("poisson", release.ratio(adjacency), release.rate)
    raise ValueError(
        f"Expected a release with an RDP accountant under {adjacency}, got {_described(release)}; "
        "use method='pld'."
    )


def _described(release: Release) -> str:
    return f"sampling {release.how}" if isinstance(release, Subsampled) else type(release).__name__


def _randomised_response(epsilon: float, orders: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    p, q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    return np.minimum(
        np.logaddexp(orders * p + (1 - orders) * q, orders * q + (1 - orders) * p) / (orders - 1), epsilon
    )
