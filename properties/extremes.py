"""Laws of extremes: no record, one record, a huge record, and one that is not a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpverify.auditing import MechanismError
from dpverify.auditing.replay import as_json, describe, replay
from dpverify.auditing.sampling import NotANumber, call
from dpverify.neighbours import ADD_REMOVE, REPLACE, Data, Neighbours
from dpverify.neighbours import records as number_of_records
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED
from dpverify.witnesses import comparison

from .audits import OUTPUTS, audited
from .laws import NotApplicable, Outcome, Result, Subject, broken, held, law
from .noise import noise_on

SEEDS = 8
UNCLIPPED = "its claim is for records within the sensitivity, which whoever calls it has to see to"
FEW = 500  # runs of an audit that looks for a record beyond all bounds, which shows in few


@law("mechanism", "data")
def empty(subject: Subject, seed: int) -> Outcome:
    """An empty data set is released with noise like any other."""
    return _few(subject, 0, seed)


@law("mechanism", "data")
def single(subject: Subject, seed: int) -> Outcome:
    """A single record is released with noise like any other."""
    return _few(subject, 1, seed)


def _cut(data: Data, records: int) -> Data:
    return tuple(part[:records] for part in data) if isinstance(data, tuple) else data[:records]


def _few(subject: Subject, records: int, seed: int) -> Outcome:
    data = _cut(subject.data, records)
    try:
        outputs = [
            call(subject.mechanism, data, np.random.SeedSequence(seed, spawn_key=(11, i)), 1)
            for i in range(SEEDS)
        ]
    except MechanismError as error:
        return Result(
            UNDECIDED, f"It does not accept {records or 'no'} record{'s' * (records != 1)}: {error}"
        )
    if all(np.array_equal(output, outputs[0]) for output in outputs):
        return _without_noise(subject, records, seed)
    if subject.releases:
        return noise_on(subject, data, seed)
    because = f"Published with noise: {SEEDS} seeds, different outputs."
    return held(because, "an output without any noise", samples=SEEDS, records=records)


def _without_noise(subject: Subject, records: int, seed: int) -> Outcome:
    """Equal outputs may be chance (of few values) or a constant: what tells is the audit against a neighbour
    of that many records, if the claim is for so many.
    """
    constant = f"On {describe(_cut(subject.data, records))} {SEEDS} seeds give the same output"
    pair = subject.neighbours
    if pair is None or subject.claim is None:
        return Result(UNDECIDED, f"{constant}; without neighbours and a claim that says nothing.")
    if not subject.any_number and records not in subject.numbers():
        return Result(UNDECIDED, f"{constant}; the claim is not for so few records.")
    if pair.adjacency is not ADD_REMOVE and records == 0:
        return NotApplicable(f"no records have no neighbours under {pair.adjacency}")
    other = _cut(pair.other, records)
    if pair.adjacency is ADD_REMOVE:
        other = _cut(pair.data, records + 1 if number_of_records(pair.data) > records else records - 1)
    small = Neighbours(_cut(pair.data, records), other, pair.adjacency)
    result = audited(subject, subject.claim, seed, neighbours=small, rungs=OUTPUTS)
    return result.with_(because=f"{constant}. {result.because}")


@law("mechanism", "data")
def huge(subject: Subject, seed: int) -> Outcome:
    """A record of huge entries moves the output by no more than declared, or claimed."""
    if not subject.any_record:
        return NotApplicable(UNCLIPPED)
    return _extreme(subject, (1e6, subject.largest), seed)


@law("mechanism", "data")
def nan(subject: Subject, seed: int) -> Outcome:
    """A record that is not a number, or infinite, does not reach the output."""
    return _extreme(subject, (np.nan, np.inf), seed)


def _extreme(subject: Subject, values: tuple[float, ...], seed: int) -> Outcome:
    """Pairs with such a record: the queries compared if they can be seen, the outputs audited if not."""
    refusals = []
    compared = 0
    reach = ""
    pairs = [pair for value in values for pair in _with_record(subject, value)]
    few = replace(subject, runs=min(subject.runs, FEW))
    for pair in pairs:
        try:
            for data in (pair.data, pair.other):  # it may refuse, or give something that is not a number
                call(subject.mechanism, data, np.random.SeedSequence(seed, spawn_key=(12,)), 1)
            result = replay(subject.mechanism, pair, subject.declared, seed, executions=1)
            if result.verdict is UNDECIDED and subject.claim is not None and not np.isnan(values).any():
                result = audited(few, subject.claim, seed, neighbours=pair, rungs=OUTPUTS)
                reach = f" The claim was audited: {result.because}"
        except NotANumber:
            return _not_a_number(pair)
        except MechanismError as error:
            refusals.append(str(error))
            continue
        if result.verdict is REFUTED:
            return result
        compared += result.verdict is SUPPORTED
    if len(refusals) == len(pairs):
        return held(f"Refused: {refusals[0]}", "an output in spite of it", pairs=len(pairs))
    if compared:
        because = f"{compared} of {len(pairs)} pairs compared: none moved further than declared.{reach}"
        return held(
            because, "anything that it moves too far, on these pairs", pairs=len(pairs), compared=compared
        )
    if np.isnan(values).any():
        return held("The output is a number.", "an output that is not a number", pairs=len(pairs))
    return Result(UNDECIDED, f"{len(pairs)} pairs: neither its queries nor a claim could be looked at.")


def _with_record(subject: Subject, value: float) -> Iterator[Neighbours]:
    """The data with a record of that value, which may be the private one: replaced, added, or zeroed."""
    data, adjacency = subject.data, subject.adjacency
    first = np.asarray(data[0] if isinstance(data, tuple) else data, dtype=float)
    if len(first) == 0:
        return
    for row in (
        np.full(first.shape[1:], value),
        np.where(np.arange(first[0].size).reshape(first.shape[1:]) == 0, value, 0.0),
    ):
        record = (row, *(part[0] for part in data[1:])) if isinstance(data, tuple) else row
        replaced = Neighbours.replace(data, 0, record)
        if adjacency is ADD_REMOVE:
            # One record fewer on one side, so that both numbers of records are those of the claim.
            yield Neighbours.remove(replaced.other, 0) if _largest(subject) else Neighbours.add(data, record)
        elif adjacency is REPLACE:
            yield replaced
        else:
            yield Neighbours.zero_out(replaced.other, 0)


def _largest(subject: Subject) -> bool:
    """Whether the data are the larger side of the claim."""
    return number_of_records(subject.data) == max(subject.numbers())


def _not_a_number(pair: Neighbours) -> Result:
    then = "the output is not a number on one side in every run: the record is seen with certainty"
    about = "the shares of runs that end in NaN on the two sides"
    exact = comparison(1.0, "==", 0.0, about=about, **as_json(pair))
    return broken(then, {"D": describe(pair.data), "D'": describe(pair.other)}, exact)
