"""Privacy curves of one release, delta as a function of epsilon >= 0, and the distributions they become.

    gaussian   delta(eps) = Phi(mu/2 - eps/mu) - exp(eps) Phi(-mu/2 - eps/mu)
    pure       that of randomised response, which dominates every mechanism of its epsilon in any dimension

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


def from_curve(curve: Curve, interval: float, top: float | None = None) -> Any:
    """The privacy loss distribution of a curve on a grid of losses, never smaller than the curve."""
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld import privacy_loss_distribution as pld

    upper = math.ceil((top_of(curve) if top is None else top) / interval)
    positive = curve(np.arange(upper + 1) * interval)
    epsilon = np.arange(1, upper + 1) * interval
    negative = -np.expm1(-epsilon) + np.exp(-epsilon) * positive[1:]
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
        interval, -upper, upper, np.concatenate([negative[::-1], positive])
    )
    return pld.PrivacyLossDistribution(pmf)
