"""What laws are about: a Subject holds whatever there is to be looked at, and None where there is nothing.

as_subject("dp-nag")                              an algorithm of the papers, by name
as_subject(my_algorithm, data)                    any Algorithm
as_subject(train, data, declared=release)         any callable (data, rng[, runs][, tape]) -> output
as_subject(train, neighbours=pair, claim=claim)   the same on a pair of neighbours, with what is claimed
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpverify.accountant import Accountant
from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.guarantees import Guarantee
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Data, Neighbours, records
from dpverify.verdicts import Result

CAPABILITIES = {
    "algorithm": "the four functions of an Algorithm; a mechanism shows its output alone",
    "mechanism": "something that can be run",
    "data": "data to run on",
    "neighbours": "a pair of neighbours",
    "claim": "a claimed guarantee",
    "releases": "queries that can be seen: a tape, or a declared release of the whole output",
    "gradients": "per-example gradients of its own",
    "accountant": "an accountant",
    "spending": "a list of what its own mechanisms were called with, a tape, or an Algorithm",
    "shorter": "a number of steps that can be chosen",
    "problem": "an example with a problem",
    "limit": "an example that names the method it is without noise",
    "forms": "an example with two forms of the algorithm",
    "bound": "an example with a bound",
}


@dataclass(frozen=True)
class NotApplicable:
    """A law says nothing about a subject, and why.

    >>> str(NotApplicable("it has no steps"))
    'does not apply: it has no steps'
    """

    because: str

    def __str__(self) -> str:
        return f"does not apply: {self.because}"


Outcome = Result | NotApplicable
SHOWN = {"half": "reach", "nan": "behaviour"}  # what these laws show; they judge nobody
RUNS = 2000  # of an algorithm of ours, whose exact losses show more in fewer runs than outputs do
Spent = Sequence[tuple[str, float]]  # what was called, and with which epsilon


@dataclass(frozen=True, eq=False)
class Subject:
    """What a law is about: what it publishes, what it claims, and where that claim comes from.

    `mechanism` is `(data, rng[, runs][, tape]) -> everything that is published`; with a tape, its releases
    can be replayed and their noise looked at. `declared` is the release of the whole output where there is no
    tape. `gradients` gives by the name of a model how its per-example gradients compare with their reference.
    `calls` says with which epsilons the mechanisms of a library were called on a data set of which all of
    them see every record. `runs` is a budget that shows half the claim. `any_number` says that the claim is
    for data sets of any number of records: only then may a witness have fewer than `neighbours`. `any_record`
    says that it is for records of any size, which are clipped; a bare mechanism asks for values within its
    sensitivity. `largest`
    is the size of a huge record in the number format in use. `shorter` is the same with so many steps.
    """

    mechanism: Callable[..., Any] | None = None
    claim: Guarantee | None = None
    neighbours: Neighbours | None = None
    said_by: str = ""
    name: str = ""
    data: Data = None
    adjacency: Adjacency = REPLACE
    declared: Any = None
    algorithm: Algorithm | None = None
    example: Example | None = None
    gradients: Callable[[], Mapping[str, Result]] | None = None
    accountant: Accountant | None = None
    calls: Callable[[Data], Spent] | None = None
    shorter: Callable[[int], Subject] | None = None
    runs: int = 20_000
    any_number: bool = False
    any_record: bool = True
    shrinks: bool = True  # a violation is worth the time that a smaller witness takes
    largest: float = 1e200

    def __post_init__(self) -> None:
        if self.neighbours is not None:
            object.__setattr__(self, "adjacency", self.neighbours.adjacency)
            if self.data is None:
                object.__setattr__(self, "data", self.neighbours.data)

    def lacks(self, *needs: str) -> NotApplicable | None:
        """The first of these capabilities that is not there, as the reason why a law does not apply.

        >>> Subject().lacks("claim")
        NotApplicable(because='it needs a claimed guarantee')
        """
        for need in needs:
            value = getattr(self, need)
            if value is None or (isinstance(value, list) and not value):
                return NotApplicable(f"it needs {CAPABILITIES[need]}")
        return None

    @cached_property
    def releases(self) -> list[Any]:
        """What is declared: on the tape, or of the whole output."""
        if self.mechanism is None or self.data is None:
            return []
        from dpverify.auditing.replay import execute

        entries = execute(self.mechanism, self.data, 0, 0).tape.entries
        return [entry.declared for entry in entries if entry.declared is not None] or (
            [self.declared] if self.declared is not None else []
        )

    @property
    def spending(self) -> Any:
        """Whatever tells what is spent: calls of a library's mechanisms, a ledger, or a tape."""
        return self.calls or self.algorithm or self.releases

    @property
    def problem(self) -> Any:
        return getattr(self.example, "problem", None)

    @property
    def limit(self) -> Any:
        return getattr(self.example, "limit", None)

    @property
    def forms(self) -> Any:
        return getattr(self.example, "forms", None)

    @property
    def bound(self) -> Any:
        return getattr(self.example, "bound", None)

    def relations(self) -> list[Adjacency]:
        """The neighbouring relations for which every release declares a sensitivity, and for which data sets
        of that many records make sense.
        """
        if self.algorithm is not None:
            ledger = self.algorithm.ledger()
            return [adjacency for adjacency in Adjacency if all(adjacency in r.adjacencies for r in ledger)]
        return [
            adjacency
            for adjacency in Adjacency
            if all(adjacency in (getattr(r, "sensitivity", None) or ()) for r in self.releases)
        ]

    def numbers(self) -> set[int]:
        """The numbers of records for which the claim was computed, unless it is for any."""
        pair = self.neighbours
        return {records(data) for data in ((pair.data, pair.other) if pair is not None else (self.data,))}

    @cached_property
    def within(self) -> Any:
        """The mechanism, which refuses data of a number of records that its claim is not for: what is shown
        there would not be shown of the claim.
        """
        if self.any_number or self.mechanism is None or self.data is None:
            return self.mechanism
        mechanism, numbers = self.mechanism, self.numbers()

        @functools.wraps(mechanism)
        def run(data: Data, *arguments: Any, **named: Any) -> Any:
            if records(data) not in numbers:
                wanted = " or ".join(str(number) for number in sorted(numbers))
                raise ValueError(f"Expected {wanted} records, which the claim is for, got {records(data)}.")
            return mechanism(data, *arguments, **named)

        return run


def turned(data: Data, adjacency: Adjacency) -> Neighbours:
    """All records equal, and one of them turned round, zeroed or removed, as the relation has it: few
    distinct records, so that mixtures over secret batches can be listed.

    >>> turned(np.array([[1.0], [2.0]]), REPLACE).other.tolist()
    [[-1.0], [1.0]]
    """
    parts = data if isinstance(data, tuple) else (data,)
    few = tuple(np.asarray(part)[np.zeros(records(data), dtype=int)] for part in parts)
    alike: Data = few if isinstance(data, tuple) else few[0]
    if adjacency is ADD_REMOVE:
        return Neighbours.remove(alike, 0)
    if adjacency is ZERO_OUT:
        return Neighbours.zero_out(alike, 0)
    opposite = (-few[0][0], *(part[0] for part in few[1:]))
    return Neighbours.replace(alike, 0, opposite if isinstance(data, tuple) else opposite[0])


def as_subject(thing: Any, data: Data = None, **details: Any) -> Subject:
    """A subject from the name of an algorithm, an Example, an Algorithm with data, or a mechanism (data, rng)
    -> output with data or neighbours; `details` are fields of a Subject.

    >>> as_subject("private-gd").name
    'private-gd'
    """
    if isinstance(thing, Subject):
        return replace(thing, **details) if details else thing
    if isinstance(thing, str):
        from dpverify.algorithms import example

        thing = example(thing)
    if isinstance(thing, Example):
        known = {"data": thing.data, "adjacency": thing.adjacency, "claim": thing.claimed, "example": thing}
        return as_subject(thing.algorithm, **{**known, **details})
    if data is None and details.get("neighbours") is None:
        raise ValueError(f"Expected data or neighbours for {thing!r}, got data=None.")
    if isinstance(thing, Algorithm):
        from dpverify.auditing.algorithm import as_mechanism

        if details.get("neighbours") is None:
            details["neighbours"] = turned(data, details.get("adjacency", REPLACE))
        transcript = as_mechanism(thing, "transcript")
        known = {"name": thing.name, "data": data, "algorithm": thing, "runs": RUNS}
        return Subject(transcript, **{**known, **details})
    if not callable(thing):
        raise TypeError(
            f"Expected the name of an algorithm, an Example, an Algorithm or a mechanism, got {thing!r}."
        )
    name = details.pop("name", "") or getattr(thing, "__qualname__", type(thing).__name__)
    return Subject(thing, name=name, data=data, **details)
