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
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.accounting.gaussian import gaussian_mu, is_gaussian
from dpverify.accounting.pure import chance, pure_epsilon, sampled_ratio
from dpverify.guarantees import PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency
from dpverify.releases import Laplace, Release, Subsampled

_GRID = 100_000  # losses on one side of a curve's grid, at most


def pld_profile(
    ledger: Sequence[Release], adjacency: Adjacency, interval: float | None = None
) -> Callable[[float], float]:
    """delta as a function of eps for the whole ledger, rounded up by its grid of losses: 1e-4, or 1e-3 if
    many releases differ.

    The grid is refined for small epsilons and coarsened for long tails.

    >>> from dpverify.releases import Gaussian
    >>> ledger = [Gaussian(1.0, {REPLACE: 1.0}), Laplace(1.0, {REPLACE: 0.5})]
    >>> 0.13 < pld_profile(ledger, REPLACE)(1.0) < 0.3
    True
    """
    gaussian = [release for release in ledger if is_gaussian([release])]
    others = Counter(_key(release, adjacency) for release in ledger if not is_gaussian([release]))
    mu = gaussian_mu(gaussian, adjacency) if gaussian else 0.0
    if math.isinf(mu) or any(math.isinf(key[1]) for key in others):
        return lambda epsilon: 1.0
    interval = interval or (1e-4 if len(others) <= 4 else 1e-3)
    smallest = min((key[1] for key in others if key[0] == "pure"), default=1.0)
    interval = min(interval, smallest / 10) if smallest > 0 else interval
    interval = max(
        [
            interval,
            *(
                _top(_fixed_size_curve(*key[1:])) / _GRID
                for key in others
                if key[0] == "fixed" and key[1] > 0
            ),
        ]
    )
    parts = [_distribution(key, interval).self_compose(count) for key, count in others.items() if key[1] > 0]
    if mu > 0:
        parts.append(_from_curve(lambda epsilon: _gaussian_curve(mu, epsilon), interval))
    if not parts:
        return lambda epsilon: 0.0
    while len(parts) > 1:
        parts = [a.compose(b) for a, b in zip(parts[::2], parts[1::2])] + parts[len(parts) // 2 * 2 :]
    total = parts[0]
    return lambda epsilon: float(total.get_delta_for_epsilon(epsilon))


def _key(release: Release, adjacency: Adjacency) -> tuple[Any, ...]:
    """What decides a release's distribution, so that equal ones are composed at once."""
    if isinstance(release, Laplace) or (
        isinstance(release, Subsampled) and isinstance(release.inner, Laplace)
    ):
        return ("pure", pure_epsilon([release], adjacency))
    if not isinstance(release, Subsampled):
        raise TypeError(f"Expected a release that the accountant knows, got {type(release).__name__}.")
    if release.how == "poisson" and adjacency is REPLACE:
        return ("poisson-replace", release.ratio(ADD_REMOVE), release.rate)
    if release.how == "poisson":
        return ("poisson", release.ratio(adjacency), release.rate)
    return (
        "fixed",
        sampled_ratio(release, adjacency),
        chance(release),
        release.how,
        int(release.size),
        release.of,
    )


@lru_cache(maxsize=16)
def _distribution(key: tuple[Any, ...], interval: float) -> Any:
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as pld

    kind, ratio = key[0], key[1]
    if kind == "pure":
        return _from_curve(np.vectorize(PureDP(ratio).delta_at), interval, top=ratio)
    if kind in ("poisson", "poisson-replace"):
        relation = (
            NeighboringRelation.REPLACE_ONE
            if kind == "poisson-replace"
            else NeighboringRelation.ADD_OR_REMOVE_ONE
        )
        return pld.from_gaussian_mechanism(
            1 / ratio,
            value_discretization_interval=interval,
            sampling_prob=key[2],
            neighboring_relation=relation,
        )
    return _from_curve(_fixed_size_curve(*key[1:]), interval)


def _fixed_size_curve(
    ratio: float, q: float, how: str, size: int, of: int
) -> Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """delta at eps >= 0 of a Gaussian step on a batch of fixed size."""
    from scipy.stats import binom

    times = (
        [(1, q)]
        if how == "without replacement"
        else [(j, float(binom.pmf(j, size, 1 / of))) for j in range(1, size + 1)]
    )
    times = [(j, p) for j, p in times if p > 1e-18]
    rest = max(0.0, q - sum(p for _, p in times))

    def curve(epsilon: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        inner = np.log1p(np.expm1(epsilon) / q)
        return rest + np.sum([p * _gaussian_curve(j * ratio, inner) for j, p in times], axis=0)

    return curve


def _gaussian_curve(mu: float, epsilon: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """delta of mu-Gaussian DP at every eps."""
    from scipy.special import log_ndtr

    a = log_ndtr(mu / 2 - epsilon / mu)
    b = epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return -np.expm1(np.minimum(b - a, 0.0)) * np.exp(a)


def _top(curve: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> float:
    """An eps beyond which the curve is as good as 0; what is left there counts as certain disclosure."""
    top = 1.0
    while curve(np.array([top]))[0] > 1e-14 and top < 100:
        top *= 1.25
    return top


def _from_curve(
    curve: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]], interval: float, top: float | None = None
) -> Any:
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld import privacy_loss_distribution as pld

    upper = math.ceil((_top(curve) if top is None else top) / interval)
    positive = curve(np.arange(upper + 1) * interval)
    epsilon = np.arange(1, upper + 1) * interval
    negative = -np.expm1(-epsilon) + np.exp(-epsilon) * positive[1:]
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
        interval, -upper, upper, np.concatenate([negative[::-1], positive])
    )
    return pld.PrivacyLossDistribution(pmf)
