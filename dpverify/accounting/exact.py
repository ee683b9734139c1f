"""Privacy profiles in closed form: delta(eps) of single steps, and of compositions where a finite sum gives
them.

    (P, Q)                       delta(eps) = P(S) - exp(eps) Q(S),   S = {dP/dQ > exp(eps)}, the larger of
    both orders of the pair
    Poisson-subsampled Gaussian  P = (1 - q) N(0, s^2) + q N(1, s^2),  Q = N(0, s^2);  S = {x > b},  b = s^2
    ln(1 + (exp(eps) - 1)/q) + 1/2;
                                 for (Q, P):  S = {x < b},  b = s^2 ln(1 + (exp(-eps) - 1)/q) + 1/2,  empty if
                                 exp(-eps) <= 1 - q
    one replaced by its opposite P = (1 - q) N(0, s^2) + q N(1, s^2),  Q = (1 - q) N(0, s^2) + q N(-1, s^2);
    S = {x > b}
    Laplace                      delta(eps) = 1 - exp((eps - 1/b)/2)                       for eps < 1/b
    a user of several records    P = sum_j c_j N(j, s^2),  Q = N(0, s^2),  c_j the chance that j are in the
    batch;  S = {x > b}, for (Q, P)  S = {x < b}
    T randomised responses       delta(eps) = sum_k C(T, k) p^(T-k) (1-p)^k (1 - exp(eps - (T - 2k) e0))_+,
    e0 = ln(p/(1-p))

Gaussian: Balle and Wang 2018; subsampled Gaussian: Zhu, Dong and Wang 2022 (the pair is dominating for add
and for remove).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpverify.releases.curves import addition_curve, removal_curve, replacement_curve


def subsampled_gaussian(epsilon: float, rate: float, noise: float) -> float:
    """delta of one Gaussian step of that noise multiplier on a Poisson batch, for adding and removing a
    record.

    >>> from dpverify.guarantees import GDP
    >>> abs(subsampled_gaussian(1.0, 1.0, 2.0) - GDP(0.5).delta_at(1.0)) < 1e-12
    True
    """
    return max(removal(epsilon, rate, noise), addition(epsilon, rate, noise))


def removal(epsilon: float, rate: float, noise: float) -> float:
    """The half of `subsampled_gaussian` with the record on the first side.

    >>> abs(removal(0.0, 0.5, 1.0) - addition(0.0, 0.5, 1.0)) < 1e-15
    True
    """
    return float(removal_curve(rate, noise)(np.array(epsilon)))


def addition(epsilon: float, rate: float, noise: float) -> float:
    """The half of `subsampled_gaussian` with the record on the second side.

    >>> addition(1.0, 0.5,
    ...     1.0)  # no event is e times likelier without a record that is in half of the batches
    0.0
    """
    return float(addition_curve(rate, noise)(np.array(epsilon)))


def replacement(epsilon: float, rate: float, noise: float) -> float:
    """delta of one step on a Poisson batch when a record is replaced by its opposite: mixtures with N(1, s^2)
    and with N(-1, s^2).

    >>> from dpverify.guarantees import GDP
    >>> abs(replacement(1.0, 1.0, 2.0) - GDP(1.0).delta_at(1.0)) < 1e-12
    True
    """
    return float(replacement_curve(rate, noise)(np.array(epsilon)))


def participations(epsilon: float, chances: Sequence[float], noise: float) -> float:
    """delta of one Gaussian step in which j records of a user take part with chance `chances[j]`, for a user
    that comes or goes.

    >>> abs(participations(1.0, [0.9, 0.1], 2.0) - subsampled_gaussian(1.0, 0.1, 2.0)) < 1e-12
    True
    >>> participations(0.0, [1.0], 2.0)
    0.0
    """
    import numpy as np
    from scipy.optimize import brentq
    from scipy.special import ndtr

    times = np.flatnonzero(chances)
    weights = np.asarray(chances, dtype=float)[times]
    if not times.any():
        return 0.0

    def loss(x: float) -> float:  # it rises with x, from the logarithm of the chance of none
        powers = (times * x - times**2 / 2) / noise**2
        return float(powers.max() + math.log(weights @ np.exp(powers - powers.max())))

    def bound(level: float) -> float:
        low, high = -1.0, 1.0
        while loss(low) > level:
            low *= 2
        while loss(high) < level:
            high *= 2
        return float(brentq(lambda x: loss(x) - level, low, high, xtol=1e-14))

    with_user = bound(epsilon)
    above = float(weights @ ndtr((times - with_user) / noise))
    removed = above - math.exp(epsilon) * float(ndtr(-with_user / noise))
    if chances[0] >= math.exp(-epsilon):
        return max(0.0, removed)
    without = bound(-epsilon)
    below = float(weights @ ndtr((without - times) / noise))
    return max(0.0, removed, float(ndtr(without / noise)) - math.exp(epsilon) * below)


def laplace(epsilon: float, scale: float) -> float:
    """delta of Laplace noise of that scale on one number of sensitivity 1.

    >>> laplace(0.5, 2.0)
    0.0
    """
    return max(0.0, -math.expm1((epsilon - 1 / scale) / 2))


def randomised_response(epsilon: float, truth: float, times: int = 1) -> float:
    """delta of answering a yes-no question that many times, each time with the truth with that probability
    (above 1/2).

    >>> round(randomised_response(0.0, 0.75), 6), randomised_response(math.log(3), 0.75)
    (0.5, 0.0)
    """
    from scipy.special import gammaln

    e0 = math.log(truth / (1 - truth))
    total = 0.0
    for lies in range(times + 1):
        loss = (times - 2 * lies) * e0
        if loss > epsilon:
            log_chance = gammaln(times + 1) - gammaln(lies + 1) - gammaln(times - lies + 1)
            log_chance += (times - lies) * math.log(truth) + lies * math.log1p(-truth)
            total -= math.exp(log_chance) * math.expm1(epsilon - loss)
    return total
