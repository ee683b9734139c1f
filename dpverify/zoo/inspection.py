"""Audit one planted bug and its correct twin, and say whether both ended as they should."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dpverify.auditing import Budget, audit
from dpverify.auditing.sampling import Mechanism
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED, Result
from dpverify.zoo import Bug, find


@dataclass(frozen=True)
class Inspection:
    """How the audits of a planted bug and of its twin ended."""

    bug: Bug
    result: Result
    twin: Result
    seconds: float

    @property
    def found(self) -> bool:
        return self.result.verdict is REFUTED

    @property
    def rung(self) -> str:
        return (
            str(self.result.evidence.certificate.get("rung", ""))
            if self.found and self.result.evidence
            else ""
        )

    @property
    def samples(self) -> int | None:
        return self.result.evidence.samples if self.found and self.result.evidence else None

    @property
    def witness_size(self) -> int | None:
        """Numbers in the two data sets of the witness."""
        if self.result.witness is None or "data" not in self.result.witness.exact:
            return None
        return sum(_numbers(self.result.witness.exact[side]) for side in ("data", "other"))

    @property
    def accused(self) -> bool:
        return self.twin.verdict is REFUTED

    @property
    def as_expected(self) -> bool:
        return self.result.verdict is self.bug.expect and (not self.found or self.rung == self.bug.rung)

    def to_json(self) -> dict[str, Any]:
        return {
            "bug": self.bug.name,
            "what": self.bug.what,
            "found": self.found,
            "rung": self.rung,
            "expected_rung": self.bug.rung,
            "samples": self.samples,
            "witness": self.witness_size,
            "twin": self.twin.verdict.value,
            "seconds": round(self.seconds, 3),
            "as_expected": self.as_expected,
            "why": self.bug.why,
            "because": self.result.because,
        }


def _numbers(nested: Any) -> int:
    return sum(_numbers(part) for part in nested) if isinstance(nested, list) else 1


@lru_cache(maxsize=64)
def _twin(mechanism: Mechanism, neighbours: Neighbours, claim: Guarantee, budget: Budget) -> Result:
    """The audit of a twin; many bugs share one."""
    return audit(mechanism, neighbours, claim, budget=budget, smaller=False)


def inspect(bug: Bug, *, alpha: float = 1e-3, seed: int = 0) -> Inspection:
    """Audit a planted bug and its correct twin.

    >>> from dpverify.zoo import find
    >>> row = inspect(find("forgotten_clip"))
    >>> row.rung, row.accused
    ('replay', False)
    """
    started = time.perf_counter()
    budget = Budget(runs=bug.runs, alpha=alpha, seed=seed)
    result = audit(bug.mechanism, bug.neighbours, bug.claim, budget=budget)
    seconds = time.perf_counter() - started
    twin_claim = bug.claim if bug.twin_claim is None else bug.twin_claim
    twin = _twin(bug.twin, bug.neighbours, twin_claim, budget)
    return Inspection(bug, result, twin, seconds)


def inspect_by_name(alpha: float, seed: int, name: str) -> Inspection:
    """The same for a bug that is known by its name: what travels to a worker.

    >>> inspect_by_name(1e-3, 0, "forgotten_clip").found
    True
    """
    return inspect(find(name), alpha=alpha, seed=seed)
