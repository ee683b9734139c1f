"""From a ledger of releases to a guarantee, per neighbouring relation, and back: the noise that a guarantee needs.

    ledger (releases) -> account -> guarantee;     meets(ledger, target);     calibrate(build, target) -> noise multiplier

Gaussian ledgers are exact and in closed form; everything else goes through privacy loss distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dpverify.accounting.gaussian import gaussian_mu, is_gaussian
from dpverify.accounting.pure import pure_epsilon
from dpverify.guarantees import GDP, ZCDP, ApproxDP, Guarantee, Profile, PureDP
from dpverify.neighbours import Adjacency
from dpverify.releases import Release

Ledger = Sequence[Release]

__all__ = ["Ledger", "account", "calibrate", "epsilon", "meets"]


def account(ledger: Ledger, adjacency: Adjacency, method: str = "auto") -> Guarantee:
    """What the releases of a ledger guarantee together under that neighbouring relation.

    `method` is "gaussian" (exact, Gaussian ledgers), "pure" (sum of epsilons, Laplace ledgers), "pld" or "rdp" (upper bounds), or
    "auto": the first of "gaussian" and "pld" that applies.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> account([Gaussian(2.0, {REPLACE: 1.0})] * 4, REPLACE)
    GDP(mu=1.0)
    """
    if not ledger:
        raise ValueError("Expected ledger with at least one release, got ledger=[].")
    if method not in ("auto", "gaussian", "pure", "pld", "rdp"):
        raise ValueError(f"Expected method={method!r} to be 'auto', 'gaussian', 'pure', 'pld' or 'rdp'.")
    if method == "gaussian" or (method == "auto" and is_gaussian(ledger)):
        mu = gaussian_mu(ledger, adjacency)
        return GDP(mu) if math.isfinite(mu) else _nothing(adjacency)
    if method == "pure":
        total = pure_epsilon(ledger, adjacency)
        return PureDP(total) if math.isfinite(total) else _nothing(adjacency)
    if method == "rdp":
        from dpverify.accounting.rdp import rdp_profile

        return Profile(rdp_profile(ledger, adjacency), f"RDP, {adjacency}")
    from dpverify.accounting.pld import pld_profile

    return Profile(pld_profile(ledger, adjacency), f"PLD, {adjacency}")


def _nothing(adjacency: Adjacency) -> Profile:
    return Profile(lambda epsilon: 1.0, f"no guarantee under {adjacency}: a release without noise, or of unbounded sensitivity")


def epsilon(guarantee: Guarantee, delta: float) -> float:
    """The smallest epsilon whose delta is at most `delta` (inf if none up to 10^4 is).

    >>> from dpverify.guarantees import GDP
    >>> round(epsilon(GDP(0.26805), 1e-5), 3)
    1.0
    """
    if not 0 <= delta < 1:
        raise ValueError(f"Expected 0 <= delta={delta} < 1.")
    if isinstance(guarantee, PureDP) and delta == 0:
        return guarantee.epsilon
    if guarantee.delta(0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while guarantee.delta(high) > delta:
        low, high = high, 2 * high
        if high > 1e4:
            return math.inf
    while high - low > 1e-9 * max(high, 1e-3):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if guarantee.delta(middle) <= delta else (middle, high)
    return high


def meets(ledger: Ledger, adjacency: Adjacency, target: Guarantee) -> bool:
    """Whether the accountant certifies `target` for this ledger.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> meets([Gaussian(2.0, {REPLACE: 1.0})], REPLACE, GDP(0.5)), meets([Gaussian(1.9, {REPLACE: 1.0})], REPLACE, GDP(0.5))
    (True, False)
    """
    slack = 1 + 1e-12
    if isinstance(target, PureDP):
        return pure_epsilon(ledger, adjacency) <= target.epsilon * slack
    if isinstance(target, GDP):
        return gaussian_mu(ledger, adjacency) <= target.mu * slack
    if isinstance(target, ZCDP):
        # eps-DP implies eps^2/2-zCDP (Bun and Steinke 2016, Proposition 1.4)
        gaussian = [release for release in ledger if is_gaussian([release])]
        others = [release for release in ledger if not is_gaussian([release])]
        spent = gaussian_mu(gaussian, adjacency) ** 2 / 2 + sum(pure_epsilon([release], adjacency) ** 2 / 2 for release in others)
        return spent <= target.rho * slack
    if isinstance(target, ApproxDP):
        if target.delta_ == 0:
            return meets(ledger, adjacency, PureDP(target.epsilon))
        return account(ledger, adjacency).delta(target.epsilon) <= target.delta_
    raise TypeError(f"Expected target={target!r} to be PureDP, ApproxDP, GDP or ZCDP.")


def calibrate(build: Callable[[float], Ledger], target: Guarantee, adjacency: Adjacency, *, tolerance: float = 1e-6) -> float:
    """The smallest multiplier m, up to `tolerance` and on the safe side, for which `build(m)` meets the target.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> round(calibrate(lambda m: [Gaussian(m, {REPLACE: 1.0})], GDP(0.5), REPLACE), 4)
    2.0
    """
    low, high = 0.0, 1.0
    while not meets(build(high), adjacency, target):
        low, high = high, 2 * high
        if high > 1e12:
            raise ValueError(f"Expected target={target!r} to be reachable under {adjacency}; noise 1e12 times larger does not meet it.")
    if low == 0.0:
        low = high / 2
        while low > 1e-12 and meets(build(low), adjacency, target):
            low, high = low / 2, low
    while high / low - 1 > tolerance:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if meets(build(middle), adjacency, target) else (middle, high)
    return high
