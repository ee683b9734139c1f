"""Rung 3, the accountant: the releases that were recorded, composed by an accountant of ours, against the
guarantee that is claimed.

Gaussian releases compose exactly. Others go through privacy loss distributions, which bound from above; so
that their rounding cannot refute, the claim must fall short by a clear margin: even at epsilon + 0.01 (1 +
epsilon) and with 1 % more delta. If it does, the claim charges less than it declares to release: the ledger
is wrong, whatever the outputs look like.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.replay import describe, execute
from dpverify.auditing.rungs import Audit, Rung
from dpverify.guarantees import GDP, Guarantee, PureDP
from dpverify.neighbours import Adjacency
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

    execution = execute(audit.replayed, audit.neighbours.data, audit.budget.seed, 0)
    ledger = [entry.declared for entry in execution.tape.entries]
    ledger = ledger or ([audit.declared] if audit.declared is not None else [])
    if not ledger or any(release is None for release in ledger):
        return Result(UNDECIDED, "No release was recorded or declared.")
    if audit.neighbours.size > 1 and audit.neighbours.user is None:
        return Result(UNDECIDED, "Our accountant charges single records, not groups of them.")
    claim, adjacency = audit.claim, audit.neighbours.adjacency
    try:
        cost = account(ledger, adjacency)
    except (ValueError, TypeError) as error:
        return Result(UNDECIDED, f"The accountant cannot compose the recorded releases: {error}")
    epsilons = [math.log(r) for r in worst_pair(claim, 32).ratios[1:-1] if r >= 1]
    epsilon = max(epsilons, key=lambda e: _gap(cost, claim.delta_at(e), e), default=0.0)
    name = str(cost) if isinstance(cost, GDP) else getattr(cost, "source", str(cost))
    content = {"releases": len(ledger), "cost": name}
    spent = f"delta = {cost.delta_at(epsilon):.4g} at epsilon = {epsilon:.4g} ({name})"
    short = f"{len(ledger)} releases cost {spent}"
    if _gap(cost, claim.delta_at(epsilon), epsilon) <= 0:
        ceiling = "any epsilon at which the recorded releases cost more than is claimed"
        return Result(
            SUPPORTED, f"{short}, within the claim.", Evidence("accountant", content, ceiling=ceiling)
        )
    then = f"{short}; the claim has delta = {claim.delta_at(epsilon):.4g} there"
    if not all(release.tight(adjacency, isinstance(claim, PureDP)) for release in ledger):
        return Result(UNDECIDED, f"{then}; but our accountant only bounds such releases from above.")
    let = {
        "D": describe(audit.neighbours.data),
        "relation": str(adjacency),
        "releases": f"{len(ledger)}, the first {ledger[0]}",
    }
    exact = {
        "kind": "accountant",
        **content,
        "adjacency": str(adjacency),
        "ledger": [to_json(release) for release in ledger],
        "epsilon": epsilon,
        "cost_delta": cost.delta_at(epsilon),
        "claimed_delta": claim.delta_at(epsilon),
    }
    witness = Witness(let, then, str(claim), exact)
    return Result(REFUTED, f"{then}. This refutes the accounting.", witness=witness)


def _gap(cost: Guarantee, claimed: float, epsilon: float) -> float:
    """By how much the cost at epsilon lies above the claimed delta, with the margin that rounding needs."""
    if isinstance(cost, GDP):
        return cost.delta_at(epsilon) - claimed * (1 + 1e-6) - 1e-12
    return cost.delta_at(epsilon + 0.01 * (1 + epsilon)) - 1.01 * claimed - 1e-9


def to_json(release: Any) -> dict[str, Any]:
    """A release as plain JSON: the name of its class, and its fields.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> to_json(Gaussian(scale=2.0, sensitivity={REPLACE: 1.0}))
    {'release': 'Gaussian', 'scale': 2.0, 'sensitivity': {'replace': 1.0}}
    """

    def plain(value: Any) -> Any:
        if dataclasses.is_dataclass(value):
            return to_json(value)
        if isinstance(value, Mapping):
            return {str(key): plain(part) for key, part in value.items()}
        if isinstance(value, tuple | list):
            return [plain(part) for part in value]
        return value.item() if hasattr(value, "item") else value

    fields = {field.name: plain(getattr(release, field.name)) for field in dataclasses.fields(release)}
    return {"release": type(release).__name__, **fields}


def from_json(record: dict[str, Any]) -> Any:
    """The release that `to_json` wrote."""
    from dpverify import releases

    def rich(name: str, value: Any) -> Any:
        if name == "sensitivity":
            return {Adjacency(key): rich("", part) for key, part in value.items()}
        if isinstance(value, dict):
            return from_json(value)
        return tuple(rich("", part) for part in value) if isinstance(value, list) else value

    kind = getattr(releases, record["release"])
    return kind(**{name: rich(name, value) for name, value in record.items() if name != "release"})


def verify(exact: dict[str, Any]) -> bool:
    """Whether the ledger of a witness costs more than was claimed: composed anew."""
    from dpverify.accounting import account

    cost = account([from_json(record) for record in exact["ledger"]], Adjacency(exact["adjacency"]))
    return _gap(cost, float(exact["claimed_delta"]), float(exact["epsilon"])) > 0


ACCOUNTANT = Rung(
    "accountant",
    shows="the recorded releases cost no more than is claimed",
    needs="releases on a tape, or one declared for the whole output",
    climb=charged,
)
