"""Privacy curves of one release, delta as a function of epsilon >= 0, and the distributions they become.

    gaussian   delta(eps) = Phi(mu/2 - eps/mu) - exp(eps) Phi(-mu/2 - eps/mu)
    pure       that of randomised response, which dominates every mechanism of its epsilon in any dimension
    Poisson    P = (1 - q) N(0, s^2) + q N(1, s^2) against Q = N(0, s^2), Q against P, P against its mirror
               image: P(S) - exp(eps) Q(S), S = {x > b} or {x < b}, where ln dP/dQ is eps at b

A curve becomes a privacy loss distribution by connecting the dots (Doroshenko et al. 2022); at negative
epsilon it follows by symmetry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Curve = Callable[[Array], Array]


def gaussian_curve(mu: float) -> Curve:
    """The curve of mu-Gaussian DP.

    >>> gaussian_curve(1.0)(np.array([1.0])).round(4).tolist()
    [0.1269]
    """
    from scipy.special import log_ndtr

    def curve(epsilon: Array) -> Array:
        if mu == 0:
            return np.zeros(np.shape(epsilon))
        a = log_ndtr(mu / 2 - epsilon / mu)
        b = epsilon + log_ndtr(-mu / 2 - epsilon / mu)
        return -np.expm1(np.minimum(b - a, 0.0)) * np.exp(a)

    return curve


def pure_curve(top: float) -> Curve:
    """The curve of pure DP with that epsilon.

    >>> pure_curve(1.0)(np.array([0.0, 1.0])).round(4).tolist()
    [0.4621, 0.0]
    """

    def curve(epsilon: Array) -> Array:
        return np.abs(np.expm1(np.minimum(epsilon - top, 0.0))) / (1 + math.exp(-top))

    return curve


def top_of(curve: Curve) -> float:
    """An epsilon beyond which the curve is as good as 0; what is left there counts as certain disclosure."""
    top = 1.0
    while curve(np.array([top]))[0] > 1e-14 and top < 100:
        top *= 1.25
    return top


def removal_curve(rate: float, noise: float) -> Curve:
    """Gaussian noise of that multiplier on a Poisson batch of that rate, a record removed; at any epsilon.

    >>> removal_curve(0.5, 1.0)(np.array([0.0, 1.0])).round(4).tolist()
    [0.1915, 0.0289]
    """
    from scipy.special import ndtr

    def curve(epsilon: Array) -> Array:
        bound = noise**2 * _log_share(epsilon, rate) + 0.5
        without = ndtr(-bound / noise)
        return np.maximum(rate * (ndtr((1 - bound) / noise) - without) - _grown(epsilon, without), 0.0)

    return curve


def addition_curve(rate: float, noise: float) -> Curve:
    """The same, a record added: nothing is lost beyond -ln(1 - rate).

    >>> addition_curve(0.5, 1.0)(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.1915, 0.0092, 0.0]
    """
    from scipy.special import ndtr

    def curve(epsilon: Array) -> Array:
        bound = noise**2 * _log_share(-epsilon, rate) + 0.5
        without, with_ = ndtr(bound / noise), ndtr((bound - 1) / noise)
        difference = rate * (without - with_)
        return np.maximum(difference + _grown(epsilon, difference) - _grown(epsilon, without), 0.0)

    return curve


def replacement_curve(rate: float, noise: float) -> Curve:
    """The same, a record replaced by its opposite; at epsilon >= 0.

    ln dP/dQ is eps at  b = s^2 (eps/2 + asinh(sinh(eps/2) exp(1/(2 s^2)) (1 - q)/q)).

    >>> replacement_curve(1.0, 2.0)(np.array([1.0])).round(4).tolist()  # all records: 1-GDP
    [0.1269]
    """
    from scipy.special import ndtr

    log_alpha = 0.5 / noise**2 + math.log1p(-rate) - math.log(rate) if rate < 1 else -math.inf

    def curve(epsilon: Array) -> Array:
        with np.errstate(divide="ignore"):  # at epsilon = 0
            log_sinh = log_alpha + epsilon / 2 + np.log(-np.expm1(-epsilon) / 2)
        large = log_sinh + math.log(2)  # asinh(x) is ln(2 x) where x is large
        asinh = np.where(log_sinh > 300, large, np.arcsinh(np.exp(np.minimum(log_sinh, 300.0))))
        bound = noise**2 * (epsilon / 2 + asinh)
        none, up, down = (ndtr((at - bound) / noise) for at in (0.0, 1.0, -1.0))
        return np.maximum(rate * (up - down) - _grown(epsilon, (1 - rate) * none + rate * down), 0.0)

    return curve


def _log_share(epsilon: Array, rate: float) -> Array:
    """ln(1 + (exp(eps) - 1)/rate), -inf where no loss is that small."""
    with np.errstate(divide="ignore"):
        small = np.log1p(np.maximum(np.expm1(np.minimum(epsilon, 30.0)) / rate, -1.0))
    large = np.maximum(epsilon, 30.0)
    return np.where(epsilon > 30, large - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-large)), small)


def _grown(epsilon: Array, mass: Array) -> Array:
    """(exp(eps) - 1) mass, also where exp(eps) is beyond all numbers and the mass is nothing."""
    with np.errstate(divide="ignore"):
        far = np.exp(np.minimum(epsilon + np.log(mass), 700.0))
    return np.where(epsilon > 700, far, np.expm1(np.minimum(epsilon, 700.0)) * mass)


def from_curve(curve: Curve, interval: float, top: float | None = None) -> Any:
    """The privacy loss distribution of a curve on a grid of losses, never smaller than the curve."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    upper = math.ceil((top_of(curve) if top is None else top) / interval)
    positive = curve(np.arange(upper + 1) * interval)
    epsilon = np.arange(1, upper + 1) * interval
    negative = -np.expm1(-epsilon) + np.exp(-epsilon) * positive[1:]
    return pld.PrivacyLossDistribution(
        _connected(np.concatenate([negative[::-1], positive]), -upper, interval)
    )


def from_both_curves(removal: Curve, addition: Curve, interval: float, bottom: float, top: float) -> Any:
    """The privacy loss distributions of both orders of a pair, whose losses, the record removed, are between
    `bottom` and `top`.
    """
    from dp_accounting.pld import privacy_loss_distribution as pld

    low, high = math.floor(bottom / interval), math.ceil(top / interval)
    removed = removal(np.arange(low, high + 1) * interval)
    added = addition(np.arange(-high, -low + 1) * interval)
    return pld.PrivacyLossDistribution(_connected(removed, low, interval), _connected(added, -high, interval))


def _connected(deltas: Array, first: int, interval: float) -> Any:
    """The masses on `first * interval` and the following, whose delta is linear in exp(eps) between the dots.

    They are handed over as an array: dp-accounting itself goes through a dict, which takes longer than all
    the rest.
    """
    from dp_accounting.pld import pld_pmf

    deltas = np.minimum.accumulate(np.clip(deltas, 0.0, 1.0))
    falls = -np.diff(deltas)
    mass = np.zeros(len(deltas))
    mass[0] = 1 - deltas[0]
    mass[:-1] -= falls / math.expm1(interval)
    mass[1:] += falls / -math.expm1(-interval)
    return pld_pmf.DensePLDPmf(interval, first, np.maximum(mass, 0.0), float(deltas[-1]), True)


def composed(one: Any, other: Any) -> Any:
    """Both distributions together, to the bit as `one.compose(other)` has it, which looks for the ends of the
    tails one loss at a time and takes most of its time for that.

    >>> a, b = (from_curve(gaussian_curve(mu), 1e-3) for mu in (0.5, 1.0))
    >>> bool(composed(a, b).get_delta_for_epsilon(1.0) == a.compose(b).get_delta_for_epsilon(1.0))
    True
    """
    whole = one.compose(other, tail_mass_truncation=0.0)
    return _each_order(whole, _without_tails) or one.compose(other)


def repeated(one: Any, times: int) -> Any:
    """So many equal distributions together, as `one.self_compose(times)` has it up to rounding, which takes
    most of its time for the moments that tell it where the tails are.

    >>> one = from_curve(gaussian_curve(0.5), 1e-3)
    >>> bool(np.isclose(repeated(one, 9).get_delta_for_epsilon(1.0), gaussian_curve(1.5)(np.array([1.0]))[0]))
    True
    """
    return _each_order(one, lambda masses: _power(masses, times)) or one.self_compose(times)


_TAILS = 1e-15  # of the mass; those of dp-accounting


def _each_order(distribution: Any, change: Callable[[Any], Any]) -> Any:
    """The distribution with a change to the masses of each order of the pair; None if they are few, in a
    dict.
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld import privacy_loss_distribution as pld

    orders = (
        [distribution._pmf_remove]
        if distribution._symmetric
        else [distribution._pmf_remove, distribution._pmf_add]
    )
    if not all(isinstance(masses, pld_pmf.DensePLDPmf) for masses in orders):
        return None
    return pld.PrivacyLossDistribution(*map(change, orders))


def _with_masses(like: Any, first: int, mass: Array, infinity: float) -> Any:
    from dp_accounting.pld import pld_pmf

    return pld_pmf.DensePLDPmf(like._discretization, first, mass, infinity, True)


def _without_tails(masses: Any) -> Any:
    """The same with the lower tail moved up to the first loss that is left, and the upper one to infinity."""
    mass = masses._probs
    low, high = _length_of_tail(mass), len(mass) - _length_of_tail(mass[::-1])
    high = max(high, low + 1)
    kept = mass[low:high].copy()
    kept[0] += mass[:low].sum()
    return _with_masses(masses, masses._lower_loss + low, kept, masses._infinity_mass + mass[high:].sum())


def _length_of_tail(mass: Array) -> int:
    """How many masses from the left are no more than half of the tails together."""
    more = np.cumsum(mass) > _TAILS / 2
    return int(more.argmax()) if more.any() else len(mass)


def _power(masses: Any, times: int) -> Any:
    """The masses of that many sums, by one Fourier transform; what is outside of the range that holds all but
    the tails comes in at its other end, and the tails are counted at infinity too.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    mass = masses._probs
    low, high = _range_of_sums(mass, times)
    size = next_fast_len(max(high - low + 1, len(mass)), real=True)
    sums = np.roll(irfft(rfft(mass, size) ** times, size), -low)[: high - low + 1]
    infinity = _TAILS - math.expm1(times * math.log1p(-masses._infinity_mass))
    return _with_masses(masses, masses._lower_loss * times + low, sums, infinity)


def _range_of_sums(mass: Array, times: int) -> tuple[int, int]:
    """The first and the last sum of that many independent places between which all but the tails of the mass
    is, by Chernoff's bound at several orders.
    """
    places = np.arange(len(mass)) / len(mass)
    low, high = 0, (len(mass) - 1) * times
    for sign in (1, -1):
        factor = np.exp(sign * places)
        moment = mass.copy()
        for order in range(1, 21):
            moment *= factor
            end = (times * math.log(moment.sum()) - math.log(_TAILS / 2)) * len(mass) / order
            low, high = (low, min(high, math.ceil(end))) if sign > 0 else (max(low, math.floor(-end)), high)
    return low, high
