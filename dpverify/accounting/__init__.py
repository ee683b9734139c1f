"""From a ledger of releases to a guarantee, per neighbouring relation, and back: the noise that a guarantee
needs.

    ledger (releases) -> account -> guarantee;     meets(ledger, target);     calibrate(build, target) ->
    noise multiplier

Gaussian ledgers are exact and in closed form; everything else goes through privacy loss distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.accounting.pure import pure_epsilon
from dpverify.guarantees import GDP, ZCDP, ApproxDP, Guarantee, Profile, PureDP
from dpverify.neighbours import Adjacency
from dpverify.releases import Release
from dpverify.roots import first_at_most

Ledger = Sequence[Release]

__all__ = ["Ledger", "account", "calibrate", "epsilon", "meets", "overspend"]


def account(ledger: Ledger, adjacency: Adjacency, method: str = "auto") -> Guarantee:
    """What the releases of a ledger guarantee together under that neighbouring relation.

    `method` is "gaussian" (exact, Gaussian ledgers), "pure" (sum of epsilons, Laplace ledgers), "pld" or
    "rdp" (upper bounds), or "auto": the first of "gaussian" and "pld" that applies.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> account([Gaussian(2.0, {REPLACE: 1.0})] * 4, REPLACE)
    GDP(mu=1.0)
    """
    if not ledger:
        raise ValueError("Expected ledger with at least one release, got ledger=[].")
    if method not in ("auto", "gaussian", "pure", "pld", "rdp"):
        raise ValueError(f"Expected method={method!r} to be 'auto', 'gaussian', 'pure', 'pld' or 'rdp'.")
    shards = _shards(ledger)
    if len(shards) > 1:
        each = [account(shard, adjacency, method) for shard in shards]
        return Profile(
            lambda epsilon: max(part.delta_at(epsilon) for part in each),
            f"the worst of {len(each)} shards, {adjacency}",
        )
    ledger = shards[0]
    if method == "gaussian" or (method == "auto" and all(release.gaussian for release in ledger)):
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


def _shards(ledger: Ledger) -> list[list[Release]]:
    """What the records of each shard pay: the releases on everybody, and those on batches of their own shard;
    equal bills once.
    """
    bills: dict[str, list[Release]] = {}
    for shard in sorted({release.shard for release in ledger if release.shard is not None}):
        bill = [release for release in ledger if release.shard in (None, shard)]
        bills.setdefault("; ".join(sorted(release.key() for release in bill)), bill)
    return list(bills.values()) or [list(ledger)]


def _nothing(adjacency: Adjacency) -> Profile:
    return Profile(
        lambda epsilon: 1.0,
        f"no guarantee under {adjacency}: a release without noise, or of unbounded sensitivity",
    )


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
    return first_at_most(guarantee.delta_at, delta, longest=1e4)


def overspend(ledger: Ledger, adjacency: Adjacency, target: Guarantee) -> float:
    """ln of what the ledger spends over what `target` allows (of delta, mu, rho or epsilon, as the target has
    it): <= 0 is enough.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> overspend([Gaussian(2.0, {REPLACE: 1.0})], REPLACE, GDP(0.5))
    0.0
    """
    shards = _shards(ledger)
    if len(shards) > 1:
        return max(overspend(shard, adjacency, target) for shard in shards)
    ledger = shards[0]
    if isinstance(target, ApproxDP) and target.delta == 0:
        target = PureDP(target.epsilon)
    if isinstance(target, PureDP):
        spent, allowed = pure_epsilon(ledger, adjacency), target.epsilon
    elif isinstance(target, GDP):
        spent, allowed = gaussian_mu(ledger, adjacency), target.mu
    elif isinstance(target, ZCDP):
        # eps-DP implies eps^2/2-zCDP (Bun and Steinke 2016, Proposition 1.4)
        gaussian = [release for release in ledger if release.gaussian]
        others = [release for release in ledger if not release.gaussian]
        spent = gaussian_mu(gaussian, adjacency) ** 2 / 2 + sum(
            pure_epsilon([release], adjacency) ** 2 / 2 for release in others
        )
        allowed = target.rho
    elif isinstance(target, ApproxDP):
        spent, allowed = account(ledger, adjacency).delta_at(target.epsilon), target.delta
    else:
        raise TypeError(f"Expected target={target!r} to be PureDP, ApproxDP, GDP or ZCDP.")
    if spent <= 0:
        return -math.inf
    return math.log(spent / allowed) if allowed > 0 else math.inf


def meets(ledger: Ledger, adjacency: Adjacency, target: Guarantee) -> bool:
    """Whether the accountant certifies `target` for this ledger (up to rounding, 1e-9).

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> meets([Gaussian(2.0, {REPLACE: 1.0})], REPLACE, GDP(0.5)), meets([Gaussian(1.9, {REPLACE: 1.0})],
    ...     REPLACE, GDP(0.5))
    (True, False)
    """
    return overspend(ledger, adjacency, target) <= 1e-9


def calibrate(
    build: Callable[[float], Ledger], target: Guarantee, adjacency: Adjacency, *, tolerance: float = 1e-6
) -> float:
    """The smallest multiplier m, up to `tolerance` and on the safe side, for which `build(m)` meets the
    target.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> round(calibrate(lambda m: [Gaussian(m, {REPLACE: 1.0})], GDP(0.5), REPLACE), 4)
    2.0
    """

    def over(log_multiplier: float) -> float:
        return max(-700.0, min(700.0, overspend(build(math.exp(log_multiplier)), adjacency, target)))

    low = high = 0.0
    at_low = at_high = over(0.0)
    while at_high > 0:
        low = high
        at_low = at_high
        high = high + 1.0
        if high > 28:
            raise ValueError(
                f"Expected target={target!r} to be reachable under {adjacency}; noise 1e12 times "
                "larger does not meet it."
            )
        at_high = over(high)
    while at_low <= 0:
        high = low
        at_high = at_low
        low = low - 1.0
        if low < -28:
            raise ValueError(f"Expected a target that some noise is needed for, got target={target!r}.")
        at_low = over(low)
    side = 0
    while high - low > tolerance:
        # False position, halving the weight of an end that stays (Illinois); the middle where the curve is
        # flat.
        middle = (
            (low * at_high - high * at_low) / (at_high - at_low)
            if -600 < at_high < at_low < 600
            else 0.5 * (low + high)
        )
        middle = min(max(middle, low + 0.45 * tolerance), high - 0.45 * tolerance)
        value = over(middle)
        if value <= 0:
            high = middle
            at_high = value
            at_low = at_low / 2 if side == 1 else at_low
            side = 1
        else:
            low = middle
            at_low = value
            at_high = at_high / 2 if side == -1 else at_high
            side = -1
    return math.exp(high)
