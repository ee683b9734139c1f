"""A target put through every law that applies to it, and what came of it against what is known."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.adapters import Target, select
from dpverify.subjects import NotApplicable, Outcome, Subject
from dpverify.verdicts import REFUTED, SUPPORTED, Verdict

from .laws import Law, laws


@dataclass(frozen=True)
class Examination:
    """What came of every law on one target, and what was expected."""

    target: Target
    subject: Subject
    seed: int
    outcomes: Mapping[str, Outcome]
    seconds: float

    def __reduce__(self) -> Any:
        # What a target is made of stays where it is; its name travels.
        return _rebuilt, (self.target.name, self.seed, dict(self.outcomes), self.seconds)

    def expected(self, law: str) -> Verdict:
        """The verdict that is known for that law on this target: half the claim falls, everything else
        stands.
        """
        return self.target.expect.get(law, REFUTED if law == "half" else SUPPORTED)

    @property
    def surprises(self) -> list[str]:
        """The laws that did not end as known, and those that were known for something and do not apply."""
        return [
            law
            for law, outcome in self.outcomes.items()
            if (
                law in self.target.expect
                if isinstance(outcome, NotApplicable)
                else outcome.verdict is not self.expected(law)
            )
        ]

    def to_json(self) -> dict[str, Any]:
        target, subject = self.target, self.subject
        settings = {
            name: value for name, value in target.settings.items() if isinstance(value, int | float | str)
        }
        return {
            "target": target.name,
            "about": target.about,
            "notes": target.notes,
            "claims": target.claims,
            "claim": target.claims if subject.claim is None else str(subject.claim),
            "said_by": subject.said_by,
            "settings": settings,
            "versions": target.versions,
            "install": target.install,
            "seed": self.seed,
            "laws": {law: self._outcome(law, outcome) for law, outcome in self.outcomes.items()},
            "seconds": round(self.seconds, 1),
        }

    def _outcome(self, law: str, outcome: Outcome) -> dict[str, Any]:
        what = laws()[law].statement
        if isinstance(outcome, NotApplicable):
            return {"what": what, "applies": False, "because": outcome.because}
        return {"what": what, "applies": True, "expected": self.expected(law).value, **outcome.to_json()}


def laws_for(subject: Subject) -> dict[str, Law]:
    """The laws that are about such a subject: those of accountants for an accountant, the others for what
    runs. Laws of our algorithms' four functions are left out where there are none.
    """
    return {
        name: law
        for name, law in laws().items()
        if ("accountant" in law.needs) == (subject.accountant is not None)
        and not ("algorithm" in law.needs and subject.algorithm is None)
        and not (subject.mechanism is None and subject.lacks(*law.needs))
    }


def examine(target: Target, *, seed: int = 0) -> Examination:
    """Put a target through the laws.

    >>> from dpverify.adapters import select
    >>> examine(select("published:adp-erm-norm")[0]).surprises
    []
    """
    started = time.perf_counter()
    subject = target()
    outcomes = {name: law(subject, seed=seed) for name, law in laws_for(subject).items()}
    return Examination(target, subject, seed, outcomes, time.perf_counter() - started)


def _rebuilt(name: str, seed: int, outcomes: Mapping[str, Outcome], seconds: float) -> Examination:
    (target,) = select(name)
    return Examination(target, target(), seed, outcomes, seconds)


def examine_by_name(seed: int, name: str) -> Examination:
    """The same for a target that is known by its name: what travels to a worker.

    >>> examine_by_name(0, "published:adp-erm-norm").surprises
    []
    """
    (target,) = select(name)
    return examine(target, seed=seed)
