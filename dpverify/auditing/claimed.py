"""A claimed guarantee as the worst pair of distributions it admits: finitely many likelihood ratios and their
masses.

A guarantee bounds the hockey-stick divergences H(g) = sup_E P(E) - g Q(E) <= h(g), with h(e^eps) = delta(eps)
and, as it holds in both directions, h(1/g) = 1 - (1 - h(g)) / g. H is convex and decreasing with H(0) = 1, so
bounds at finitely many g bound it everywhere by their lower convex hull; the hull's slopes are the law of the
worst likelihood ratio P/Q. For any convex phi, E_Q phi(P/Q) <= sum_i q_i phi(ratio_i) + p_inf phi'(inf).
(Blackwell; Dong, Roth and Su 2022, section 2.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dpverify.guarantees import ApproxDP, Guarantee, PureDP


@dataclass(frozen=True, eq=False)
class WorstPair:
    """Masses under P and Q at each likelihood ratio, from 0 to infinity; `ratios[-1]` is infinity with q
    = 0.
    """

    ratios: np.ndarray
    p: np.ndarray
    q: np.ndarray

    def tpr(self, fpr: float) -> float:
        """The largest P(E) that the claim allows an event with Q(E) = fpr.

        >>> round(worst_pair(PureDP(1.0)).tpr(0.1), 4)
        0.2718
        """
        return float(np.interp(fpr, *self.curve))

    @cached_property
    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners (Q(E), P(E)) of the claimed trade-off curve, from rare events to common ones."""
        return np.cumsum(self.q[::-1]), np.cumsum(self.p[::-1])

    @cached_property
    def sides(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points along the sides of the curve: log P, log (1 - P), log Q, log (1 - Q) as rows, the slope
        there, and H at that slope.
        """
        fpr, tpr = self.curve
        slopes = self.ratios[-2::-1]
        u = np.sin(np.linspace(0, np.pi / 2, max(4, 1024 // len(slopes)) + 2)[1:-1]) ** 2
        q, p = ((v[:-1, None] + np.diff(v)[:, None] * u).ravel() for v in (fpr, tpr))
        logs = np.log(np.clip([p, 1 - p, q, 1 - q], 1e-15, 1.0))
        heights = np.maximum(tpr - slopes[:, None] * fpr, 0).max(axis=1)
        return logs, np.repeat(slopes, len(u)), np.repeat(heights, len(u))


def _grid(claim: Guarantee, points: int) -> np.ndarray:
    if isinstance(claim, PureDP | ApproxDP):
        return np.array([claim.epsilon])
    top = 1e-3
    now = claim.delta_at(top)
    while now > 1e-12 and top < 60:
        top, before = 1.25 * top, now
        now = claim.delta_at(top)
        if now < 1e-3 and now > 0.99 * before:  # a floor that no epsilon gets below
            break
    # denser where delta falls, that is towards 0
    return top * np.linspace(0, 1, points) ** 1.5


def _hull(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1 and (y[kept[-1]] - y[kept[-2]]) * (x[i] - x[kept[-2]]) >= (y[i] - y[kept[-2]]) * (
            x[kept[-1]] - x[kept[-2]]
        ):
            kept.pop()
        kept.append(i)
    return x[kept], y[kept]


@lru_cache(maxsize=256)
def worst_pair(claim: Guarantee, points: int = 128) -> WorstPair:
    """The worst pair that the guarantee admits; exact for a point, and never stricter than the claim for a
    profile.

    >>> pair = worst_pair(ApproxDP(1.0, 1e-5))
    >>> [round(float(r), 3) for r in pair.ratios], [round(float(p), 5) for p in pair.p]
    ([0.0, 0.368, 2.718, inf], [0.0, 0.26894, 0.73105, 1e-05])
    """
    epsilons = _grid(claim, points)
    deltas = np.array([min(max(claim.delta_at(float(e)), 0.0), 1.0) for e in epsilons])
    g = np.exp(epsilons)
    above, below = (g, deltas), (1 / g[::-1], (1 - (1 - deltas) / g)[::-1])
    if epsilons[0] == 0:
        below = (below[0][:-1], below[1][:-1])
    x = np.concatenate([[0.0], below[0], above[0]])
    y = np.minimum.accumulate(np.concatenate([[1.0], below[1], above[1]]))
    x, y = _hull(x, y)
    slopes = np.append(np.diff(y) / np.diff(x), 0.0)  # beyond the last point H is at most its last bound
    q = np.maximum(np.diff(np.concatenate([[-1.0], slopes])), 0.0)
    q /= math.fsum(q)
    p = q * x
    infinite = max(0.0, 1 - math.fsum(p))
    return WorstPair(np.append(x, np.inf), np.append(p, infinite), np.append(q, 0.0))
