"""Privacy guarantees as data: what somebody claims, in the form in which they claim it.

Each knows the privacy profile it implies: `delta(eps)` is the smallest delta that the guarantee promises at
that eps, for every pair of neighbours and both directions. To refute a guarantee is to show an event whose
probabilities under two neighbours lie above the profile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol


class Guarantee(Hashable, Protocol):
    """Anything with a name and a privacy profile."""

    def delta_at(self, epsilon: float) -> float: ...


def _expect(within: Callable[[Any], Any], name: str, value: Any, range_: str) -> None:
    """Refuse a value that is surely outside of its range, or no number; a formula may leave that open."""
    try:
        ok = within(value)
        if isinstance(value, bool) or bool(getattr(ok, "shape", False)):  # an array
            raise TypeError
    except TypeError:
        raise TypeError(f"Expected {name}={value!r} to be a number {range_}.") from None
    undecided = bool(getattr(ok, "free_symbols", None))
    if not undecided and not ok:
        raise ValueError(f"Expected {name}={value} {range_}.")


def _in_digits(value: Any) -> str:
    """A number in a few digits, a formula as it is."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class PureDP:
    """epsilon-DP.

    >>> PureDP(1.0).delta_at(0.5) > 0, PureDP(1.0).delta_at(1.0)
    (True, 0.0)
    """

    epsilon: float

    def __post_init__(self) -> None:
        _expect(lambda v: v >= 0, "epsilon", self.epsilon, ">= 0")

    def __str__(self) -> str:
        return f"{_in_digits(self.epsilon)}-DP"

    def delta_at(self, epsilon: float) -> float:
        """The profile of randomised response, the worst mechanism of that guarantee."""
        if epsilon >= self.epsilon:
            return 0.0
        return -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))


@dataclass(frozen=True)
class ApproxDP:
    """(epsilon, delta)-DP, one point of a profile.

    >>> ApproxDP(1.0, 1e-5).delta_at(1.0)
    1e-05
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        _expect(lambda v: v >= 0, "epsilon", self.epsilon, ">= 0")
        _expect(lambda v: v >= 0, "delta", self.delta, "in [0, 1]")
        _expect(lambda v: v <= 1, "delta", self.delta, "in [0, 1]")

    def __str__(self) -> str:
        return f"({_in_digits(self.epsilon)}, {_in_digits(self.delta)})-DP"

    def delta_at(self, epsilon: float) -> float:
        """Beyond epsilon the same delta; below it, what the worst such mechanism reaches."""
        if epsilon >= self.epsilon:
            return self.delta
        return self.delta + (1 - self.delta) * PureDP(self.epsilon).delta_at(epsilon)


@dataclass(frozen=True)
class GDP:
    """mu-Gaussian DP: no easier to tell apart than N(0, 1) and N(mu, 1).

    >>> round(GDP(1.0).delta_at(1.0), 4)
    0.1269
    """

    mu: float

    def __post_init__(self) -> None:
        _expect(lambda v: v >= 0, "mu", self.mu, ">= 0")

    def __str__(self) -> str:
        return f"{_in_digits(self.mu)}-GDP"

    def delta_at(self, epsilon: float) -> float:
        if self.mu == 0:
            return 0.0
        from scipy.special import log_ndtr

        a = log_ndtr(self.mu / 2 - epsilon / self.mu)
        b = epsilon + log_ndtr(-self.mu / 2 - epsilon / self.mu)
        return float(-math.expm1(min(b - a, 0.0)) * math.exp(a))


@dataclass(frozen=True)
class RDP:
    """(order, epsilon)-Renyi DP at one order > 1.

    >>> RDP(2.0, 1.0).delta_at(3.0) < RDP(2.0, 1.0).delta_at(1.0)
    True
    """

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        _expect(lambda v: v > 1, "order", self.order, "> 1")
        _expect(lambda v: v >= 0, "epsilon", self.epsilon, ">= 0")

    def __str__(self) -> str:
        return f"({_in_digits(self.order)}, {_in_digits(self.epsilon)})-RDP"

    def delta_at(self, epsilon: float) -> float:
        """An upper bound on the profile: delta <= exp((a-1)(eps_a - eps)) (1 - 1/a)^(a-1) / a (for eps >=
        0).
        """
        a = self.order
        return min(1.0, math.exp((a - 1) * (self.epsilon - epsilon + math.log1p(-1 / a)) - math.log(a)))


@dataclass(frozen=True)
class ZCDP:
    """rho-zero-concentrated DP: (a, rho a)-RDP for every a > 1.

    >>> 0 < ZCDP(0.5).delta_at(2.0) < 1
    True
    """

    rho: float

    def __post_init__(self) -> None:
        _expect(lambda v: v >= 0, "rho", self.rho, ">= 0")

    def __str__(self) -> str:
        return f"{_in_digits(self.rho)}-zCDP"

    def delta_at(self, epsilon: float) -> float:
        """An upper bound on the profile, the best over the orders."""
        if self.rho == 0:
            return 0.0
        from scipy.optimize import minimize_scalar

        def log_delta(u: float) -> float:
            a = 1 + math.exp(u)
            return (a - 1) * (a * self.rho - epsilon + math.log1p(-1 / a)) - math.log(a)

        return min(1.0, math.exp(minimize_scalar(log_delta, bounds=(-12, 12), method="bounded").fun))


@dataclass(frozen=True)
class Profile:
    """A whole privacy profile: every (eps, delta(eps)) at once, as an accountant gives it.

    >>> Profile(GDP(1.0).delta_at, "exact Gaussian composition").delta_at(1.0) == GDP(1.0).delta_at(1.0)
    True
    """

    curve: Callable[[float], float]
    source: str = "accountant"

    def __str__(self) -> str:
        return f"the privacy profile of {self.source}"

    def delta_at(self, epsilon: float) -> float:
        return self.curve(epsilon)


@dataclass(frozen=True)
class TradeOff:
    """f-DP: an event of probability x on one data set has probability at most 1 - f(x) on the other; f convex
    and decreasing.

    >>> e = 2.718281828
    >>> round(TradeOff(lambda x: max(0.0, 1 - e * x, (1 - x) / e), "1-DP").delta_at(0.5), 3)
    0.288
    """

    f: Callable[[float], float]
    source: str = "a trade-off function"

    def __str__(self) -> str:
        return f"f-DP with {self.source}"

    def delta_at(self, epsilon: float) -> float:
        """sup over x of 1 - f(x) - e^eps x, bounded from above cell by cell (f decreases), so that it is
        never too strict.
        """
        cells, values = _sampled(self.f)
        return max(0.0, float((1 - values[1:] - math.exp(epsilon) * cells[:-1]).max()))


@lru_cache(maxsize=64)
def _sampled(f: Callable[[float], float]) -> tuple[Any, Any]:
    import numpy as np

    cells = np.concatenate([[0.0], np.geomspace(1e-14, 1e-2, 4000)[:-1], np.linspace(1e-2, 1, 20_000)])
    return cells, np.array([f(float(x)) for x in cells])
