"""The laws that every target is put through, from per-example gradients to audits, and what came of them.

gradients    per-example gradients are those of one record at a time
sensitivity  no record moves a query further than declared: every declared relation, one to three records
noise        scale, law and independence of the noise (across steps, parameters, runs) are as declared
empty        an empty data set is released with noise like any other
single       a single record is released with noise like any other
huge         a record of 1e200 moves no query further than declared
nan          a record that is not a number does not reach the output
step         one step keeps the claim
training     a short training keeps the claim
half         half the claimed epsilon is refuted: the reach of these audits
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.adapters import Law, Subject, Target, halved
from dpverify.adapters.gradients import gradients_agree
from dpverify.auditing import Budget, MechanismError, audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import as_json, comparisons, describe, execute, replay
from dpverify.auditing.sampling import call
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency, Data, Neighbours
from dpverify.neighbours import records as size_of
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Verdict, Witness

ALPHA = 1e-3  # of each law that is a test
PAIRS = 40  # of each relation and number of records
UNSEEN = "its queries cannot be seen from outside, only what it publishes"


def _gradients(target: Target, seed: int) -> Result | str:
    subject = target()
    if subject.gradients is None:
        return "it computes no per-example gradients of its own"
    results = [
        gradients_agree(found, reference, model=name)
        for name, (found, reference) in subject.gradients().items()
    ]
    wrong = [result for result in results if result.verdict is REFUTED]
    if wrong:
        return wrong[0].with_(because=" ".join(result.because for result in wrong))
    largest = max(result.evidence.certificate["largest"] for result in results if result.evidence)
    evidence = Evidence(
        "per-example gradients",
        {"models": len(results), "largest": largest},
        ceiling=results[0].evidence.ceiling,  # type: ignore[union-attr]
    )
    return Result(
        SUPPORTED,
        f"{len(results)} models agree with one record at a time (largest relative gap {largest:.2g}).",
        evidence,
    )


def _releases(subject: Subject) -> list[Any]:
    """What is declared: on the tape, or of the whole output."""
    entries = execute(subject.mechanism, subject.neighbours.data, 0, 0).tape.entries
    return [entry.declared for entry in entries if entry.declared is not None] or (
        [subject.declared] if subject.declared is not None else []
    )


def _sensitivity(target: Target, seed: int) -> Result | str:
    subject = target()
    releases = _releases(subject)
    if not releases:
        return UNSEEN
    relations = list(releases[0].sensitivity)
    largest: dict[str, float] = {}
    tried = 0
    for relation in relations:
        for count in (1, 2, 3):
            seen, bad = _search(subject, relation, count)
            tried += len(seen)
            if bad is not None:
                return bad
            largest[relation.value] = max(largest.get(relation.value, 0.0), *seen, 0.0)
    if not any(largest.values()):
        return Result(
            UNDECIDED, f"{tried} pairs of one to three records: no two executions could be compared."
        )
    reached = ", ".join(f"{name}: {value:.4g}" for name, value in largest.items())
    ceiling = "any of these pairs that moves a query too far"
    evidence = Evidence(
        "replay", {"pairs": tried, "largest": largest}, samples=2 * tried, seed=seed, ceiling=ceiling
    )
    return Result(
        SUPPORTED,
        f"{tried} pairs of one to three records: no query moved further than declared (largest "
        f"share of it, {reached}).",
        evidence,
    )


def _search(subject: Subject, relation: Adjacency, count: int) -> tuple[list[float], Result | None]:
    """How far queries moved, as shares of what is declared, over pairs that Hypothesis draws; and the
    smallest that moved too far.
    """
    import hypothesis

    from dpverify.strategies import datasets, neighbours, shape

    width, _, labels = shape(subject.neighbours.data)
    shares: list[float] = []
    found: list[Result] = []

    @hypothesis.settings(
        max_examples=PAIRS,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(
        neighbours(
            datasets(width=width, count=count, labels=labels, largest=1e6), relations=[relation], largest=1e6
        )
    )
    def look(pair: Neighbours) -> None:
        try:
            share = _share(subject, pair)
        except MechanismError:  # it refuses these data
            return
        shares.append(share)
        hypothesis.target(min(share, 1e9))
        result = replay(subject.mechanism, pair, subject.declared, executions=1)
        if result.verdict is REFUTED:
            found.append(result)
            raise AssertionError

    try:
        look()
    except AssertionError:
        return shares, found[-1]
    return shares, None


def _share(subject: Subject, pair: Neighbours) -> float:
    a = execute(subject.mechanism, pair.data, 0, 0)
    b = execute(subject.mechanism, pair.other, 0, 0, frozen=a.tape if a.tape.entries else None)
    moves = (
        [move for u, v in zip(a.tape.entries, b.tape.entries) for move in comparisons(u, v, pair.adjacency)]
        if a.left == b.left
        else []
    )
    return max((moved / allowed for moved, allowed in moves if allowed > 0), default=0.0)


def _noise(target: Target, seed: int) -> Result | str:
    return _noise_on(target, target().neighbours.data, seed)


def _noise_on(target: Target, data: Data, seed: int) -> Result | str:
    subject = target()
    if not _releases(subject):
        return UNSEEN
    return noise_as_declared(subject.mechanism, data, subject.declared, ALPHA, seed, most=subject.runs)


def _cut(data: Data, records: int) -> Data:
    return tuple(part[:records] for part in data) if isinstance(data, tuple) else data[:records]


def _small(records: int) -> Law:
    def law(target: Target, seed: int) -> Result | str:
        subject = target()
        data = _cut(subject.neighbours.data, records)
        try:
            outputs = np.concatenate(
                [
                    call(subject.mechanism, data, np.random.SeedSequence(seed, spawn_key=(11, i)), 1)
                    for i in range(8)
                ]
            )
        except MechanismError as error:
            return Result(
                UNDECIDED, f"It does not accept {records or 'no'} record{'s' * (records != 1)}: {error}"
            )
        if (outputs == outputs[0]).all():
            return _without_noise(subject, records, seed)
        noise = _noise_on(target, data, seed)
        if not isinstance(noise, str):
            return noise
        evidence = Evidence(
            "eight seeds", {"records": records}, samples=8, seed=seed, ceiling="an output without any noise"
        )
        return Result(SUPPORTED, "Published with noise: eight seeds, different outputs.", evidence)

    return law


def _without_noise(subject: Subject, records: int, seed: int) -> Result | str:
    """Eight equal outputs may be chance (of few values) or a constant: what tells is the audit against a
    neighbour of that many records.
    """
    pair = subject.neighbours
    if pair.adjacency is not ADD_REMOVE and records == 0:
        return (
            f"eight seeds give the same output on no records, which have no neighbours under {pair.adjacency}"
        )
    other = _cut(pair.other, records)
    if pair.adjacency is ADD_REMOVE:
        other = _cut(pair.data, records + 1 if size_of(pair.data) > records else records - 1)
    small = Neighbours(_cut(pair.data, records), other, pair.adjacency)
    result = audit(
        subject.mechanism,
        small,
        subject.claim,
        budget=Budget(runs=subject.runs, alpha=ALPHA, seed=seed),
        rungs=["statistics"],
        smaller=False,
    )
    return result.with_(
        because=f"On {describe(small.data)} eight seeds give the same output. {result.because}"
    )


def _extreme(value: float) -> Law:
    def law(target: Target, seed: int) -> Result | str:
        subject = target()
        pairs = list(_with_record(subject.neighbours, value))
        refusals, seen = [], 0
        for pair in pairs:
            try:
                result = replay(subject.mechanism, pair, subject.declared, seed, executions=1)
            except MechanismError as error:
                if "returned NaN" in str(error):
                    return _not_a_number(pair)
                refusals.append(str(error))
                continue
            if result.verdict is REFUTED:
                return result
            seen += result.verdict is SUPPORTED
        if len(refusals) == len(pairs):
            return Result(
                SUPPORTED,
                f"Refused: {refusals[0]}",
                Evidence("replay", {"pairs": len(pairs)}, ceiling="an output in spite of it"),
            )
        if not seen:
            return Result(
                SUPPORTED,
                "The output is finite.",
                Evidence("replay", {"pairs": len(pairs)}, ceiling="an output that is not a number"),
            )
        evidence = Evidence(
            "replay",
            {"pairs": len(pairs), "compared": seen},
            ceiling="any query that it moves too far, on these pairs",
        )
        return Result(SUPPORTED, f"{seen} pairs compared: no query moved further than declared.", evidence)

    return law


def _with_record(pair: Neighbours, value: float) -> Iterator[Neighbours]:
    """The data with a record of that value, which may be the private one: replaced, or added, as the pair of
    the claim has it.
    """
    data = pair.data
    first = np.asarray(data[0] if isinstance(data, tuple) else data, dtype=float)
    for row in (
        np.full(first.shape[1:], value),
        np.where(np.arange(first[0].size).reshape(first.shape[1:]) == 0, value, 0.0),
    ):
        record = (row, *(part[0] for part in data[1:])) if isinstance(data, tuple) else row
        yield (
            Neighbours.add(data, record)
            if pair.adjacency is ADD_REMOVE
            else Neighbours.replace(data, 0, record)
        )
    if pair.adjacency is not ADD_REMOVE and pair.adjacency is not REPLACE:
        changed = Neighbours.replace(data, 0, record).other
        yield Neighbours.zero_out(changed, 0)


def _not_a_number(pair: Neighbours) -> Result:
    let = {"D": describe(pair.data), "D'": describe(pair.other)}
    then = (
        "the output is not a number on D' in every run, and a number on D: the record is seen with certainty"
    )
    return Result(
        REFUTED, f"{then}.", witness=Witness(let, then, "an output that hides one record", as_json(pair))
    )


def _audit(steps: int | None, claim: Callable[[Any], Any] | None = None) -> Law:
    def law(target: Target, seed: int) -> Result | str:
        if steps is not None and "steps" not in target.settings:
            return "it has no steps"
        subject = target() if steps is None else target(steps=steps)
        budget = Budget(runs=subject.runs, alpha=ALPHA, seed=seed)
        if claim is None:
            return audit(
                subject.mechanism, subject.neighbours, subject.claim, budget=budget, declared=subject.declared
            )
        return audit(
            subject.mechanism,
            subject.neighbours,
            claim(subject.claim),
            budget=budget,
            rungs=["statistics"],
            smaller=False,
        )

    return law


LAWS: Mapping[str, Law] = {
    "gradients": _gradients,
    "sensitivity": _sensitivity,
    "noise": _noise,
    "empty": _small(0),
    "single": _small(1),
    "huge": _extreme(1e200),
    "nan": _extreme(float("nan")),
    "step": _audit(1),
    "training": _audit(None),
    "half": _audit(None, halved),
}


def meaning(name: str, law: Law) -> str:
    """What a law says, as the table at the head of its module has it.

    >>> meaning("single", LAWS["single"])
    'a single record is released with noise like any other'
    """
    table = (
        line.split(None, 1)
        for line in (sys.modules[law.__module__].__doc__ or "").splitlines()
        if line.startswith("    ")
    )
    return next((words[1] for words in table if words[0] == name and len(words) == 2), "")


@dataclass(frozen=True)
class Examination:
    """What came of every law on one target: a result, or why the law does not apply."""

    target: Target
    seed: int
    results: Mapping[str, Result | str]
    claim: str
    said_by: str
    seconds: float

    def expected(self, law: str) -> Verdict:
        """The verdict that is known for that law on this target: half the claim falls, everything else
        stands.
        """
        return self.target.expect.get(law, REFUTED if law == "half" else SUPPORTED)

    @property
    def surprises(self) -> list[str]:
        """The laws that did not end as known."""
        return [
            law
            for law, result in self.results.items()
            if not isinstance(result, str) and result.verdict is not self.expected(law)
        ]

    def to_json(self) -> dict[str, Any]:
        target = self.target
        laws = {
            law: {"what": meaning(law, (target.laws or LAWS)[law]), "applies": False, "because": result}
            if isinstance(result, str)
            else {
                "what": meaning(law, (target.laws or LAWS)[law]),
                "applies": True,
                "expected": self.expected(law).value,
                **result.to_json(),
            }
            for law, result in self.results.items()
        }
        settings = {
            name: value for name, value in target.settings.items() if isinstance(value, int | float | str)
        }
        return {
            "target": target.name,
            "about": target.about,
            "notes": inspect.getdoc(target.build) or "",
            "claims": target.claims,
            "claim": self.claim,
            "said_by": self.said_by,
            "settings": settings,
            "versions": target.versions,
            "install": target.install,
            "seed": self.seed,
            "laws": laws,
            "seconds": round(self.seconds, 1),
        }


def examine(target: Target, *, seed: int = 0, progress: Callable[[str], None] | None = None) -> Examination:
    """Put a target through its laws.

    >>> from dpverify.adapters import select
    >>> examine(select("published:*")[0]).surprises
    []
    """
    started = time.perf_counter()
    results: dict[str, Result | str] = {}
    for name, law in (target.laws or LAWS).items():
        if progress is not None:
            progress(name)
        begun = time.perf_counter()
        outcome = law(target, seed)
        results[name] = (
            outcome if isinstance(outcome, str) else outcome.with_(seconds=time.perf_counter() - begun)
        )
    subject = target() if target.laws is None else None
    claim, said_by = (str(subject.claim), subject.said_by) if subject else (target.claims, target.about)
    return Examination(target, seed, results, claim, said_by, time.perf_counter() - started)
