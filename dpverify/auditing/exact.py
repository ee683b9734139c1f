"""The fixed-sample test of one event: exact for two binomial counts, and the lower bounds that its inversion gives.

An event E fixed beforehand has x of n outputs on one data set and y of m on the other. The claim allows P(E) <= g(Q(E)), g the
claimed trade-off curve, concave and increasing. With the statistic T = x/n - s y/m (s a slope fixed beforehand),

    p-value = beta + sup over q in a 1 - beta interval of Pr[T >= observed | x ~ Bin(n, g(q)), y ~ Bin(m, q)]

(Berger and Boos 1994). T grows in x and falls in y, so on a cell [a, b] the probability is at most that of (g(b), a): the
supremum is bounded by finitely many cells, halved until they decide. No approximation enters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.guarantees import GDP, ApproxDP

Curve = Callable[[np.ndarray], np.ndarray]


def clopper_pearson(x: int, n: int, alpha: float) -> tuple[float, float]:
    """One-sided bounds at level alpha each: (lower, upper).

    >>> [round(v, 4) for v in clopper_pearson(3, 10, 0.05)]
    [0.0873, 0.6066]
    """
    from scipy.special import betaincinv

    lower = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, alpha))
    upper = 1.0 if x == n else float(betaincinv(x + 1, n - x, 1 - alpha))
    return lower, upper


REACH = 24.0  # in nats: outside of its window a count falls with probability below 2 e^-24 < 1e-10


def _window(n: int, p_low: float, p_high: float) -> tuple[int, int]:
    """Counts that a Binomial(n, p), p_low <= p <= p_high, leaves with probability below 2 e^-REACH (Bernstein)."""
    spread = max(p * (1 - p) for p in (p_low, p_high, min(max(0.5, p_low), p_high)))
    t = REACH / 3 + math.sqrt((REACH / 3) ** 2 + 2 * REACH * n * spread)
    return max(0, math.floor(n * p_low - t)), min(n, math.ceil(n * p_high + t))


@lru_cache(maxsize=16)
def _log_choose(n: int, low: int, high: int) -> np.ndarray:
    from scipy.special import gammaln

    k = np.arange(low, high + 1, dtype=float)
    return gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1)


def _pmf(n: int, p: np.ndarray, low: int, high: int) -> np.ndarray:
    """Binomial probabilities, one row per p."""
    p = np.clip(p, 1e-300, 1 - 1e-16)[:, None]
    log = np.arange(low, high + 1, dtype=float) * (np.log(p) - np.log1p(-p))
    log += _log_choose(n, low, high) + n * np.log1p(-p)
    return np.exp(log, out=log)


def _tails(observed: float, slope: float, n: int, m: int, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """An upper bound on Pr[x/n - slope y/m >= observed] for each (p, q): exact but for what lies outside the windows."""
    (xl, xh), (yl, yh) = _window(n, float(p.min()), float(p.max())), _window(m, float(q.min()), float(q.max()))
    survival = np.cumsum(_pmf(n, p, xl, xh)[:, ::-1], axis=1)[:, ::-1]
    need = np.ceil(n * (observed + slope * np.arange(yl, yh + 1) / m) - 1e-9) - xl
    reached = np.where(need > xh - xl, 0.0, survival[:, np.clip(need, 0, xh - xl).astype(np.int64)])
    return np.einsum("ij,ij->i", _pmf(m, q, yl, yh), reached) + 1e-9


def refutes(x: int, n: int, y: int, m: int, curve: Curve, slope: float, alpha: float) -> bool:
    """Whether the counts refute P(E) <= curve(Q(E)) at level alpha.

    >>> refutes(90, 100, 10, 100, lambda q: np.minimum(1, math.e * q), math.e, 0.05)
    True
    >>> refutes(30, 100, 10, 100, lambda q: np.minimum(1, math.e * q), math.e, 0.05)
    False
    """
    observed = x / n - slope * y / m
    beta = alpha / 50
    low, high = clopper_pearson(y, m, beta / 2)
    if x / n <= float(curve(np.array([y / m]))[0]):
        return False
    level = alpha - beta
    edges = np.linspace(low, high, 13)
    a, b = edges[:-1], edges[1:]
    for _ in range(4):
        bounds = _tails(observed, slope, n, m, curve(b), a)
        if bounds.max() <= level:
            return True
        worst = np.argsort(-bounds)[:2]
        if _tails(observed, slope, n, m, curve(a[worst]), a[worst]).max() > level:
            return False
        open_ = bounds > level
        if open_.sum() > 40:  # finer cells would change little: leave it unrefuted
            return False
        a, b, middle = a[open_], b[open_], (a[open_] + b[open_]) / 2
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return False


def _largest(refuted: Callable[[float], bool], guess: float, step: float, tolerance: float) -> float:
    """The largest parameter refuted, by bracketing from a guess and bisection (0 if none is)."""
    step = max(step, tolerance)
    if guess > 0 and refuted(guess):
        low, high = guess, guess + step
        while refuted(high):
            step *= 2
            low, high = high, high + step
    else:
        low, high = max(guess - step, 0.0), guess
        while low > 0 and not refuted(low):
            step *= 2
            low, high = max(low - step, 0.0), low
        if low == 0:
            return 0.0
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def point_curve(epsilon: float, delta: float) -> Curve:
    """The trade-off curve of (epsilon, delta)-DP: min(e^eps q + delta, 1 - e^-eps (1 - q - delta), 1)."""
    pair = worst_pair(ApproxDP(epsilon, delta))
    fpr, tpr = np.cumsum(pair.q[::-1]), np.cumsum(pair.p[::-1])
    return lambda q: np.interp(q, fpr, tpr)


def epsilon_lower_bound(x: int, n: int, y: int, m: int, delta: float, alpha: float, tolerance: float = 1e-3) -> float:
    """The largest epsilon for which (epsilon, delta)-DP is refuted by the counts of a fixed event: valid with confidence 1 - alpha.

    >>> round(epsilon_lower_bound(900, 1000, 100, 1000, 0.0, 0.05), 2)
    2.04
    """
    from scipy.special import ndtri

    p, q = max(x, 0.5) / n, max(y, 0.5) / m
    if x / n - delta <= y / m:
        return 0.0
    z = -float(ndtri(alpha))
    spread = z * math.sqrt(p * (1 - p) / n + (p / q) ** 2 * q * (1 - q) / m)
    guess = max(0.0, math.log(max(p - delta - spread, 1e-12) / q))

    def refuted(epsilon: float) -> bool:
        return refutes(x, n, y, m, point_curve(epsilon, delta), math.exp(epsilon), alpha)

    return _largest(refuted, guess, 0.1 * spread / p, max(tolerance, 0.02 * spread / p))


def mu_lower_bound(x: int, n: int, y: int, m: int, alpha: float, expected: tuple[float, float], tolerance: float = 2e-4) -> float:
    """The largest mu for which mu-GDP is refuted by the counts of a fixed event: valid with confidence 1 - alpha.

    `expected` are the event's two probabilities as they were believed beforehand; they choose the slope of the statistic.

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

    spread = -float(ndtri(alpha)) * math.sqrt(p * (1 - p) / n / density(p) ** 2 + q * (1 - q) / m / density(q) ** 2)

    believed = [float(ndtri(min(max(u, 1e-9), 1 - 1e-9))) for u in expected]

    def refuted(mu: float) -> bool:
        if mu <= 0:
            return False
        # the slope of the curve half-way between what was expected and the claim
        at = believed[1] + (believed[0] - believed[1] - mu) / 2
        return refutes(x, n, y, m, lambda u: ndtr(ndtri(u) + mu), math.exp(-mu * at - mu * mu / 2), alpha)

    return _largest(refuted, max(full - spread, 0.0), 0.1 * spread, max(tolerance, 0.02 * spread))


def equivalent_epsilon(mu: float, delta: float) -> float:
    """The epsilon at which mu-GDP promises delta.

    >>> round(equivalent_epsilon(0.26805, 1e-5), 3)
    1.0
    """
    if mu == 0:
        return 0.0
    claim = GDP(mu)
    low, high = 0.0, 1.0
    while claim.delta(high) > delta:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if claim.delta(middle) > delta else (low, middle)
    return high
