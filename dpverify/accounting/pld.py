"""Privacy loss distributions: an upper bound on delta(eps) of any ledger, tight up to the grid.

Each release becomes a pair that dominates it; the pairs are composed on a grid of losses (dp-accounting).

    Gaussian, trees         N(0, 1) against N(mu, 1), all steps at once
    Laplace                 randomised response at sensitivity/scale, which dominates every mechanism of that
    epsilon in any dimension
    Poisson batches         the subsampled Gaussian in both directions
    batches of fixed size   delta(eps') = sum_j P(record drawn j times) delta_j(eps),  exp(eps') = 1 + q
    (exp(eps) - 1)

The last line is Balle, Barthe and Gaboardi 2018 (Theorems 9 and 10); negative eps by symmetry; the curve
becomes a distribution by connecting the dots (Doroshenko et al. 2022).
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.neighbours import Adjacency
from dpverify.releases import Release
from dpverify.releases.curves import composed, from_curve, gaussian_curve, repeated

_GRID = 100_000  # losses on one side of a curve's grid, at most


def pld_profile(
    ledger: Sequence[Release], adjacency: Adjacency, interval: float | None = None
) -> Callable[[float], float]:
    """delta as a function of eps for the whole ledger, rounded up by its grid of losses: 1e-4, or 1e-3 if
    many releases differ.

    The grid is refined for small epsilons and coarsened for long tails.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian, Laplace
    >>> ledger = [Gaussian(1.0, {REPLACE: 1.0}), Laplace(1.0, {REPLACE: 0.5})]
    >>> 0.13 < pld_profile(ledger, REPLACE)(1.0) < 0.3
    True
    """
    gaussian = [release for release in ledger if release.gaussian]
    others = {release.key(): release for release in ledger if not release.gaussian}
    count = Counter(release.key() for release in ledger if not release.gaussian)
    mu = gaussian_mu(gaussian, adjacency) if gaussian else 0.0
    ratios = {key: release.ratio(adjacency) for key, release in others.items()}
    if math.isinf(mu) or any(math.isinf(ratio) for ratio in ratios.values()):
        return lambda epsilon: 1.0
    others = {key: release for key, release in others.items() if ratios[key] > 0}
    reaches = [release.reach(adjacency) for release in others.values()]
    interval = interval or (1e-4 if len(others) <= 4 else 1e-3)
    interval = max(min([interval, *(reach / 10 for reach in reaches)]), *(r / _GRID for r in reaches), 0.0)
    parts = [_composed(key, adjacency, interval, count[key], others[key]) for key in others]
    if mu > 0:
        parts.append(from_curve(gaussian_curve(mu), interval))
    if not parts:
        return lambda epsilon: 0.0
    while len(parts) > 1:
        parts = [composed(a, b) for a, b in zip(parts[::2], parts[1::2])] + parts[len(parts) // 2 * 2 :]
    total = parts[0]
    return lambda epsilon: float(total.get_delta_for_epsilon(epsilon))


_known: OrderedDict[tuple[str, Adjacency, float, int], Any] = OrderedDict()
_REMEMBERED = 64  # distributions, of one or two megabytes each


def _composed(key: str, adjacency: Adjacency, interval: float, times: int, release: Release) -> Any:
    """The distribution of so many equal releases, the last ones remembered: a calibration asks for the same
    ones again.
    """
    at = (key, adjacency, interval, times)
    if at not in _known:
        with np.errstate(over="ignore"):  # of masses that are next to nothing
            one = release.distribution(adjacency, interval)
            _known[at] = repeated(one, times) if times > 1 else one
        if len(_known) > _REMEMBERED:
            _known.popitem(last=False)
    _known.move_to_end(at)
    return _known[at]
