"""Rung 3, the accountant: the releases that were recorded, composed by an accountant of ours, against the
guarantee that is claimed.

Gaussian releases compose exactly. Others go through privacy loss distributions, which bound from above; so
that their rounding cannot refute, the claim must fall short by a clear margin: even at epsilon + 0.01 (1 +
epsilon) and with 1 % more delta. If it does, the claim charges less than it declares to release: the ledger
is wrong, whatever the outputs look like.
"""

from __future__ import annotations

import math

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.replay import describe, execute
from dpverify.auditing.rungs import Audit, Rung
from dpverify.guarantees import GDP, PureDP
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness


def charged(audit: Audit) -> Result:
    """Rung 3 alone.

    >>> import numpy as np
    >>> from dpverify.neighbours import REPLACE, Neighbours
    >>> from dpverify.releases import Gaussian
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    >>> declared = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})
    >>> print(charged(Audit(lambda data, rng: data.sum() + rng.normal(), pair, GDP(0.5),
    ...     declared=declared)).verdict)
    REFUTED
    """
    from dpverify.accounting import account

    claim, neighbours = audit.claim, audit.neighbours
    execution = execute(audit.replayed, neighbours.data, audit.budget.seed, 0)
    ledger = [entry.declared for entry in execution.tape.entries]
    ledger = ledger or ([audit.declared] if audit.declared is not None else [])
    if not ledger or any(release is None for release in ledger):
        return Result(UNDECIDED, "No release was recorded or declared.")
    adjacency = neighbours.adjacency
    try:
        cost = account(ledger, adjacency)
    except (ValueError, TypeError) as error:
        return Result(UNDECIDED, f"The accountant cannot compose the recorded releases: {error}")
    pair = worst_pair(claim, 32)
    epsilons = [math.log(r) for r in pair.ratios[1:-1] if r >= 1]
    exact = isinstance(cost, GDP)

    def gap(epsilon: float) -> float:
        if exact:
            return cost.delta_at(epsilon) - claim.delta_at(epsilon) * (1 + 1e-6) - 1e-12
        return cost.delta_at(epsilon + 0.01 * (1 + epsilon)) - 1.01 * claim.delta_at(epsilon) - 1e-9

    epsilon = max(epsilons, key=gap, default=0.0)
    found = {"releases": len(ledger), "cost": str(cost) if exact else getattr(cost, "source", str(cost))}
    short = (
        f"{len(ledger)} releases cost delta = {cost.delta_at(epsilon):.4g} at epsilon = {epsilon:.4g} "
        f"({found['cost']})"
    )
    if gap(epsilon) > 0:
        then = f"{short}; the claim has delta = {claim.delta_at(epsilon):.4g} there"
        if not all(release.tight(adjacency, isinstance(claim, PureDP)) for release in ledger):
            return Result(UNDECIDED, f"{then}; but our accountant only bounds such releases from above.")
        let = {
            "D": describe(neighbours.data),
            "relation": str(adjacency),
            "releases": f"{len(ledger)}, the first {ledger[0]}",
        }
        witness = Witness(
            let, then, str(claim), {**found, "epsilon": epsilon, "cost_delta": cost.delta_at(epsilon)}
        )
        return Result(REFUTED, f"{then}. This refutes the accounting.", witness=witness)
    evidence = Evidence(
        "accountant", found, ceiling="any epsilon at which the recorded releases cost more than is claimed"
    )
    return Result(SUPPORTED, f"{short}, within the claim.", evidence)


ACCOUNTANT = Rung(
    "accountant",
    shows="the recorded releases cost no more than is claimed",
    needs="releases on a tape, or one declared for the whole output",
    climb=charged,
)
