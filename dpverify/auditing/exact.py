"""The fixed-sample test of one event: exact for two binomial counts, and the lower bounds that its inversion
gives.

An event E fixed beforehand has x of n outputs on one data set and y of m on the other. The claim allows P(E)
<= g(Q(E)), g the claimed trade-off curve, concave and increasing. Counts are ordered by their deviance from
the tangent P = h + s Q of that curve (its slope s fixed beforehand),

    T = min over q of  n KL(x/n, h + s q) + m KL(y/m, q)   above the tangent, else 0,
    p-value = beta + sup over q in a 1 - beta interval of Pr[T >= observed | x ~ Bin(n, g(q)), y ~ Bin(m, q)]

(Berger and Boos 1994). T grows in x and falls in y, so on a cell [a, b] the probability is at most that of
(g(b), a): the supremum is bounded by finitely many cells, halved until they decide. No approximation enters.
Any such order is valid; this one has nearly the same law for all q, and so loses little by the supremum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.guarantees import GDP, ApproxDP
from dpverify.roots import bisect, first_at_most

Curve = Callable[[np.ndarray], np.ndarray]


def clopper_pearson(x: int, n: int, alpha: float) -> tuple[float, float]:
    """One-sided bounds at level alpha each: (lower, upper).

    >>> [round(v, 4) for v in clopper_pearson(3, 10, 0.05)]
    [0.0873, 0.6066]
    """
    from scipy.special import betainccinv, betaincinv

    lower = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, alpha))
    upper = 1.0 if x == n else float(betainccinv(x + 1, n - x, alpha))
    return lower, upper


SLACK = 1e-3  # the share of alpha that is added to every tail for counts outside of their window
# groups of counts per standard deviation; where there are no more counts than that, the tail is exact but for
# the window
FINE = 32
BLOCK = 8192
STEPS = 12  # by which counts of a given deviance are found, to a small part of one
# what is given away, far above what rounding takes: parts of a deviance, of the runs in it, and of a share
ROUNDED = 1e-9
ROUNDED_RUNS = 1e-12
ROUNDED_SHARE = 1e-14


def _window(n: int, p: np.ndarray, reach: float) -> tuple[int, int]:
    """Counts that a Binomial(n, p) leaves, for any of the p, with probability below 2 e^-reach
    (Bernstein).
    """
    t = reach / 3 + np.sqrt((reach / 3) ** 2 + 2 * reach * n * p * (1 - p))
    return max(0, math.floor((n * p - t).min())), min(n, math.ceil((n * p + t).max()))


@lru_cache(maxsize=64)
def _log_choose(n: int, block: int) -> np.ndarray:
    from scipy.special import gammaln

    k = np.minimum(np.arange(block * BLOCK, (block + 1) * BLOCK, dtype=float), n)
    return gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1)


def _pmf(n: int, p: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Binomial probabilities of the counts k (evenly spaced), one row per p."""
    first = int(k[0]) // BLOCK
    last = int(k[-1]) // BLOCK
    step = int(k[1] - k[0]) if len(k) > 1 else 1
    choose = np.concatenate([_log_choose(n, block) for block in range(first, last + 1)])
    log = np.multiply.outer(np.log(p) - np.log1p(-p), k)
    log += choose[int(k[0]) - first * BLOCK : int(k[-1]) - first * BLOCK + 1 : step]
    log += (n * np.log1p(-p))[:, None]
    return np.exp(log, out=log)


def _groups(n: int, p: np.ndarray, reach: float) -> tuple[np.ndarray, int, np.ndarray]:
    """Groups of neighbouring counts: the first of each, how many, and a bound on the probability of each, one
    row per p.

    Binomial probabilities rise up to the mode and fall from there: none in a group is above both of its ends,
    unless it is the mode.
    """
    from scipy.special import gammaln

    p = np.clip(p, 1e-300, 1 - 1e-16)
    low, high = _window(n, p, reach)
    size = max(1, int(math.sqrt(n * float((p * (1 - p)).min())) / FINE))
    k = np.arange(low, high + 1, size, dtype=float)
    bounds = _pmf(n, p, k)
    if size > 1:
        ends = k + (size - 1)
        inside = int(
            np.searchsorted(ends, n, side="right")
        )  # beyond it the last group is cut off by n, where they fall
        np.maximum(bounds[:, :inside], _pmf(n, p, ends[:inside]), out=bounds[:, :inside])
        mode = np.minimum(np.floor((n + 1) * p), n)
        rows, at = np.arange(len(p)), ((mode - low) // size).astype(int)
        peak = (
            gammaln(n + 1.0)
            - gammaln(mode + 1)
            - gammaln(n - mode + 1)
            + mode * np.log(p)
            + (n - mode) * np.log1p(-p)
        )
        bounds[rows, at] = np.maximum(bounds[rows, at], np.exp(peak))
        bounds *= size
    return k, size, bounds


class Tangent(NamedTuple):
    """The line P = height + slope Q, and how far counts of n and m outputs lie above it."""

    n: int
    m: int
    slope: float
    height: float

    def likeliest(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The share of x for which, beside the share q of y, the likeliest point of the line has Q = u."""
        v = self.height + self.slope * u
        with np.errstate(divide="ignore", invalid="ignore"):
            more = (u - q) * v * (1 - v) / (u * (1 - u))
        return np.clip(v + self.m / (self.n * self.slope) * np.where(u > q, more, 0.0), 0.0, 1.0)

    def deviance(self, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Of these shares from the point of the line that has Q = u."""
        from scipy.special import rel_entr

        v = np.clip(self.height + self.slope * u, 0.0, 1.0)
        first = rel_entr(p, v) + rel_entr(1 - p, 1 - v)
        return np.asarray(self.n * first + self.m * (rel_entr(q, u) + rel_entr(1 - q, 1 - u)))

    def _ends(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the likeliest point may lie: from the share of y to where the line ends."""
        return q.copy(), np.maximum(q, min(1.0, (1 - self.height) / self.slope))

    def least(self, x: int, y: int) -> float:
        """A deviance that these counts have at least, however it is rounded, and no others that lie clearly
        nearer; 0 below the line and so near to it that rounding would tell.
        """
        p, q = x / self.n, np.array([y / self.m])
        if p <= self.height + self.slope * q[0]:
            return 0.0
        low, high = self._ends(q)
        for _ in range(60):
            u = (low + high) / 2
            short = self.likeliest(q, u) < p
            low, high = np.where(short, u, low), np.where(short, high, u)
        found = float(self.deviance(np.array([p]), q, high)[0])
        return max(0.0, (1 - ROUNDED) * found - ROUNDED_RUNS * (self.n + self.m))

    def needed(self, y: np.ndarray, least: float) -> np.ndarray:
        """How many x it takes at these y for that deviance: never more than it does, and but for rounding no
        fewer.

        >>> line = Tangent(1000, 1000, math.e, 0.0)
        >>> line.needed(np.array([0.0, 1.0, 10.0]), line.least(33, 0)).tolist()
        [33.0, 44.0, 96.0]
        """
        q = y / self.m
        low, high = self._ends(q)
        below = np.zeros(len(q))  # roots of the deviance at the ends, nearly linear between them
        farthest = self.deviance(np.ones(len(q)), q, high)  # that all x together have at most
        above = np.sqrt(farthest)
        goal = math.sqrt(least)
        for step in range(STEPS):
            share = (goal - below) / np.maximum(above - below, 1e-300)
            share = np.where((step % 3 < 2) & np.isfinite(above), np.clip(share, 0.02, 0.98), 0.5)
            u = low + share * (high - low)
            reached = np.sqrt(np.maximum(self.deviance(self.likeliest(q, u), q, u), 0.0))
            short = reached < goal
            low, below = np.where(short, u, low), np.where(short, reached, below)
            high, above = np.where(short, high, u), np.where(short, above, reached)
        short = self.likeliest(q, low)  # a share that has too small a deviance from a point of the line
        short = np.where((short == 1) | (farthest < least), 1.0, (1 - ROUNDED_SHARE) * short)
        return np.floor(self.n * short) + 1


def tangent(curve: Curve, slope: float, n: int, m: int) -> Tangent:
    """The line of that slope that touches the curve from above, as nearly as a grid shows it.

    >>> round(tangent(lambda q: np.minimum(1, math.e * q + 0.1), math.e, 10, 10).height, 6)
    0.1
    """
    q = np.concatenate([[0.0], np.geomspace(1e-9, 0.5, 200), 1 - np.geomspace(1e-9, 0.5, 200)[::-1], [1.0]])
    return Tangent(n, m, slope, max(float((curve(q) - slope * q).max()), 0.0))


def _tails(line: Tangent, least: float, p: np.ndarray, q: np.ndarray, slack: float) -> np.ndarray:
    """Upper bounds on Pr[deviance >= least] for each (p, q): by `slack`, and by the grouping of large counts,
    above it.
    """
    reach = math.log(4 / slack)
    (kx, size, px), (ky, _, py) = _groups(line.n, p, reach), _groups(line.m, q, reach)
    survival = np.zeros((len(p), len(kx) + 1))
    np.cumsum(px[:, ::-1], axis=1, out=survival[:, -2::-1])
    need = line.needed(ky, least) - kx[0]  # of x, at the least y of each group
    at = np.clip(need // size, 0, len(kx)).astype(np.int64)
    return np.einsum("ij,ij->i", py, survival[:, at]) + slack


def refutes(x: int, n: int, y: int, m: int, curve: Curve, slope: float, alpha: float) -> bool:
    """Whether the counts refute P(E) <= curve(Q(E)) at level alpha.

    >>> refutes(90, 100, 10, 100, lambda q: np.minimum(1, math.e * q), math.e, 0.05)
    True
    >>> refutes(30, 100, 10, 100, lambda q: np.minimum(1, math.e * q), math.e, 0.05)
    False
    """
    return _beyond(x, y, curve, tangent(curve, slope, n, m), alpha)


def _beyond(x: int, y: int, curve: Curve, line: Tangent, alpha: float) -> bool:
    """Whether the counts refute P(E) <= curve(Q(E)), ordered by their deviance from a line that may touch
    another curve.
    """
    least = line.least(x, y)
    if least <= 0 or x / line.n <= float(curve(np.array([y / line.m]))[0]):
        return False
    beta = alpha / 50
    low, high = clopper_pearson(y, line.m, beta / 2)
    level, slack = alpha - beta, SLACK * alpha
    edges = np.linspace(low, high, 13)
    if _tails(line, least, curve(edges[2::4]), edges[2::4], slack).max() > level:
        return False
    a, b = edges[:-1], edges[1:]
    for _ in range(4):
        bounds = _tails(line, least, curve(b), a, slack)
        open_ = bounds > level
        if not open_.any():
            return True
        worst = [int(bounds.argmax())]
        if open_.sum() > 40 or _tails(line, least, curve(a[worst]), a[worst], slack).max() > level:
            return (
                False  # a pair that the claim admits explains the counts, or finer cells would change little
            )
        a, b, middle = a[open_], b[open_], (a[open_] + b[open_]) / 2
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return False


SLOT = 0.05  # of the parameters, how many are tested by one line; above 2 the more the larger they are


def _largest(
    curve: Callable[[float], Curve],
    slope: Callable[[float], float],
    counts: tuple[int, int, int, int],
    alpha: float,
    tolerance: float,
) -> float:
    """The largest parameter refuted, with all below it (0 if none is).

    A larger parameter allows more, so that counts that refute it refute all below it, if all are tested by
    one line. No line is good for all: each slot of parameters, fixed beforehand, has that of its lower end,
    and the first slot that is not refuted as a whole ends the search. So the bound is above the true
    parameter only if the one test that belongs to this one refutes it.
    """
    x, n, y, m = counts
    low = 0.0
    line = tangent(curve(low), slope(low), n, m)

    def explained(parameter: float) -> bool:
        return not _beyond(x, y, curve(parameter), line, alpha)

    while not explained(high := low + SLOT * max(1.0, low / 2)):
        low = high
        line = tangent(curve(low), slope(low), n, m)
    return bisect(explained, low, high, absolute=tolerance)[0]


def point_curve(epsilon: float, delta: float) -> Curve:
    """The trade-off curve of (epsilon, delta)-DP: min(e^eps q + delta, 1 - e^-eps (1 - q - delta), 1)."""
    pair = worst_pair(ApproxDP(epsilon, delta))
    return lambda q: np.interp(q, *pair.curve)


def epsilon_lower_bound(
    x: int, n: int, y: int, m: int, delta: float, alpha: float, tolerance: float = 1e-3
) -> float:
    """The largest epsilon for which (epsilon, delta)-DP is refuted by the counts of a fixed event: valid with
    confidence 1 - alpha.

    >>> round(epsilon_lower_bound(900, 1000, 100, 1000, 0.0, 0.05), 2)
    2.04
    """
    from scipy.special import ndtri

    if x / n - delta <= y / m:
        return 0.0
    p, q = max(x, 0.5) / n, max(y, 0.5) / m
    spread = -float(ndtri(alpha)) * math.sqrt((1 - p) / (n * p) + (1 - q) / (m * q))

    def curve(epsilon: float) -> Curve:
        return point_curve(epsilon, delta)

    return _largest(curve, math.exp, (x, n, y, m), alpha, max(tolerance, 0.05 * min(spread, 1.0)))


def mu_lower_bound(
    x: int, n: int, y: int, m: int, alpha: float, expected: tuple[float, float], tolerance: float = 2e-4
) -> float:
    """The largest mu for which mu-GDP is refuted by the counts of a fixed event: valid with confidence 1 -
    alpha.

    `expected` are the event's two probabilities as they were believed beforehand; they choose the slope of
    the statistic.

    >>> 0.9 < mu_lower_bound(6915, 10_000, 3085, 10_000, 0.05, (0.7, 0.3)) < 1.0
    True
    """
    from scipy.special import ndtr, ndtri

    p, q = min(max(x, 0.5) / n, 1 - 0.5 / n), min(max(y, 0.5) / m, 1 - 0.5 / m)
    full = float(ndtri(p) - ndtri(q))
    if full <= 0:
        return 0.0

    def density(u: float) -> float:
        return math.exp(-(float(ndtri(u)) ** 2) / 2) / math.sqrt(2 * math.pi)

    spread = -float(ndtri(alpha)) * math.sqrt(
        p * (1 - p) / n / density(p) ** 2 + q * (1 - q) / m / density(q) ** 2
    )

    middle = sum(float(ndtri(min(max(u, 1e-9), 1 - 1e-9))) for u in expected) / 2

    def curve(mu: float) -> Curve:
        return lambda u: ndtr(ndtri(u) + mu)

    def slope(mu: float) -> float:
        """That of the curve half-way between what was expected and the claim."""
        return math.exp(-mu * middle)

    return _largest(curve, slope, (x, n, y, m), alpha, max(tolerance, 0.05 * spread))


def equivalent_epsilon(mu: float, delta: float) -> float:
    """The epsilon at which mu-GDP promises delta.

    >>> round(equivalent_epsilon(0.26805, 1e-5), 3)
    1.0
    """
    return first_at_most(GDP(mu).delta_at, delta)
