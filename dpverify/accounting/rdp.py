"""Renyi DP by dp-accounting: a second opinion, an upper bound on delta(eps).

    D_a(ledger) <= sum_t D_a(release_t),   delta(eps) <= min over the orders a

Pure epsilons enter by the Renyi divergence of randomised response, which dominates them in any dimension.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.neighbours import Adjacency
from dpverify.releases import Release


def rdp_profile(ledger: Sequence[Release], adjacency: Adjacency) -> Callable[[float], float]:
    """delta as a function of eps for the whole ledger.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> 0.1269 < rdp_profile([Gaussian(1.0, {REPLACE: 1.0})], REPLACE)(1.0) < 1
    True
    """
    from dp_accounting.rdp import rdp_privacy_accountant as rdp

    orders = np.array([1.1, 1.25, 1.5, 1.75, *range(2, 33), 40, 48, 64, 80, 96, 128, 192, 256])
    total = np.zeros(len(orders))
    gaussian = [release for release in ledger if release.gaussian]
    if gaussian:
        total += orders * gaussian_mu(gaussian, adjacency) ** 2 / 2
    others = {release.key(): release for release in ledger if not release.gaussian}
    for key, count in Counter(release.key() for release in ledger if not release.gaussian).items():
        total += count * others[key].renyi(adjacency, orders)

    def delta(epsilon: float) -> float:
        return float(rdp.compute_delta(orders, total, epsilon)[0])

    return delta
