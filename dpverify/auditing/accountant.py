"""Rung 4, the accountant: the releases that were recorded, composed exactly, against the guarantee that is claimed.

Gaussian releases compose to mu = sqrt(sum (sensitivity / scale)^2), exactly; Laplace releases alone to at most the sum of
sensitivity / scale, attained. If the exact profile of what was recorded lies above the claim at some epsilon, the claim charges
less than it declares to release: the ledger is wrong, whatever the outputs look like.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.replay import allowed_movement, describe, execute
from dpverify.auditing.sampling import Mechanism
from dpverify.guarantees import GDP, Guarantee, PureDP
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness


def charged(mechanism: Mechanism, neighbours: Neighbours, claim: Guarantee, declared: Any = None, seed: int = 0) -> Result:
    """Rung 4 alone.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    >>> print(charged(lambda data, rng: data.sum() + rng.normal(), pair, GDP(0.5), Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})).verdict)
    REFUTED
    """
    entries = [entry.declared for entry in execute(mechanism, neighbours.data, seed, 0).tape.entries] or (
        [declared] if declared is not None else []
    )
    if not entries:
        return Result(UNDECIDED, "No release was recorded or declared.")
    kinds = {type(entry).__name__ for entry in entries}
    ratios = []
    for entry in entries:
        allowed, scale = allowed_movement(entry, neighbours.adjacency), getattr(entry, "scale", None)
        if allowed is None or scale is None or np.size(scale) != 1:
            return Result(UNDECIDED, f"{type(entry).__name__} releases are left to the accountants: no exact composition here.")
        if float(scale) == 0 and allowed > 0:
            return _wrong(
                neighbours, claim, f"a {type(entry).__name__} release of sensitivity {allowed:g} has scale 0: no guarantee at all", {}
            )
        ratios.append(0.0 if allowed == 0 else allowed / float(scale))
    if kinds == {"Gaussian"}:
        cost: Guarantee = GDP(math.sqrt(math.fsum(r * r for r in ratios)))
    elif kinds == {"Laplace"} and len(ratios) == 1:
        cost = PureDP(ratios[0])
    else:
        return Result(UNDECIDED, f"{' and '.join(sorted(kinds))} releases are left to the accountants: no exact composition here.")
    pair = worst_pair(claim)
    epsilons = [math.log(r) for r in pair.ratios[1:-1] if r >= 1]
    gaps = [(cost.delta(e) - claim.delta(e), e) for e in epsilons]
    gap, epsilon = max(gaps, default=(0.0, 0.0))
    if gap > 1e-12 + 1e-6 * claim.delta(epsilon):
        return _wrong(
            neighbours, claim,
            f"{len(entries)} releases compose exactly to {cost}, that is delta = {cost.delta(epsilon):.4g} at epsilon = {epsilon:.4g}; the claim has delta = {claim.delta(epsilon):.4g} there",
            {"releases": len(entries), "cost": repr(cost), "epsilon": epsilon},
        )  # fmt: skip
    evidence = Evidence(
        "accountant",
        {"releases": len(entries), "cost": repr(cost)},
        ceiling="any epsilon at which the recorded releases cost more than is claimed",
    )
    return Result(SUPPORTED, f"{len(entries)} recorded releases compose exactly to {cost}, within the claim.", evidence)


def _wrong(neighbours: Neighbours, claim: Guarantee, then: str, exact: dict[str, Any]) -> Result:
    witness = Witness({"D": describe(neighbours.data), "relation": str(neighbours.adjacency)}, then, str(claim), exact)
    return Result(REFUTED, f"{then}. This refutes the accounting.", witness=witness)
