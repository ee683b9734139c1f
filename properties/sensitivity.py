"""The law of sensitivity: one record moves a query by no more than its release declares, on any data.

An algorithm is replayed step by step, from any start; a mechanism along its tape, or by its whole output if
that is declared (`dpverify.auditing.replay`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.auditing import MechanismError
from dpverify.auditing.replay import comparisons, describe, execute, replay
from dpverify.auditing.tape import Entry
from dpverify.engine import Algorithm, Answer, Step, walk
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Neighbours, records
from dpverify.optional import optional
from dpverify.strategies import datasets, neighbours, points, shape
from dpverify.verdicts import REFUTED, UNDECIDED

from .laws import NotApplicable, Outcome, Result, Subject, broken, held, law, violation

Array = np.ndarray[Any, Any]

SLACK = 1e-9  # relative, for the rounding of sums of a few thousand terms
RUNS = 2
PAIRS = 40  # of each relation and number of records, for a mechanism
ORDINARY = 1e6  # the largest entry of a record that is drawn for a mechanism; larger ones are another law


@law("data", "releases")
def sensitivity(subject: Subject, seed: int) -> Outcome:
    """One record moves no query further than its release declares: at every step, on any data, under every
    declared relation.
    """
    relations = subject.relations()
    if not relations:
        return NotApplicable("its releases declare no sensitivity")
    search = _of_mechanism if subject.algorithm is None else _of_algorithm
    shares: dict[str, list[float]] = {relation.value: [] for relation in relations}
    result = search(subject, relations, seed, shares)
    if result is not None:
        return result
    tried = sum(len(values) for values in shares.values())
    largest = {name: max(values, default=0.0) for name, values in shares.items()}
    if not any(largest.values()):
        return Result(UNDECIDED, f"{tried} pairs: no two executions could be compared.")
    reached = ", ".join(f"{name}: {value:.4g}" for name, value in largest.items())
    return held(
        f"{tried} pairs: no query moved further than declared (largest share of it, {reached}).",
        "any of these pairs that moves a query too far",
        samples=2 * tried,
        pairs=tried,
        largest=largest,
    )


def _of_mechanism(
    subject: Subject, relations: list[Adjacency], seed: int, shares: dict[str, list[float]]
) -> Result | None:
    hypothesis = optional("hypothesis", "tests")

    width, _, labels = shape(subject.data)
    counts = (1, 2, 3) if subject.any_number else (min(subject.numbers()) or 1,)

    def check(pair: Neighbours) -> Result | None:
        try:
            share = _share(subject, pair, seed)
            result = replay(subject.within, pair, subject.declared, seed, executions=1)
        except MechanismError:  # it refuses these data
            return None
        shares[pair.adjacency.value].append(share)
        if hypothesis.currently_in_test_context():
            hypothesis.target(min(share, 1e9))
        return result if result.verdict is REFUTED else None

    for relation in relations:
        for number in counts:
            drawn = datasets(width=width, count=number, labels=labels, largest=ORDINARY)
            result = violation(
                check, examples=PAIRS, pair=neighbours(drawn, relations=[relation], largest=ORDINARY)
            )
            if result is not None:
                return result
    for pair in turning(subject, relations):
        result = check(pair)
        if result is not None:
            return result
    return None


def turning(subject: Subject, relations: list[Adjacency]) -> list[Neighbours]:
    """Equal records, and one against them that outweighs them, which is removed, zeroed or turned to their
    side: their sum turns round. A sum that is clipped as a whole moves too far on such pairs, and few draws
    are one.
    """
    width, _, labels = shape(subject.data)
    pairs = []
    for number in sorted({1, 2, 3} if subject.any_number else subject.numbers()):
        for row in (size * way for size in (8.0, ORDINARY) for way in (np.eye(width)[0], np.ones(width))):
            rows = np.vstack([np.tile(row / (2 * number), (number - 1, 1)), -row])
            data: Any = rows if labels is None else (rows, np.ones(number))
            if REPLACE in relations:
                pairs.append(Neighbours.replace(data, number - 1, row if labels is None else (row, 1.0)))
            if ZERO_OUT in relations:
                pairs.append(Neighbours.zero_out(data, number - 1))
            if ADD_REMOVE in relations and number > 1:
                pairs.append(Neighbours.remove(data, number - 1))
    return pairs


def _share(subject: Subject, pair: Neighbours, seed: int) -> float:
    """The largest move of a query as a share of what is declared."""
    a = execute(subject.within, pair.data, seed, 0)
    b = execute(subject.within, pair.other, seed, 0, frozen=a.tape if a.tape.entries else None)
    if a.left != b.left:  # they drew differently
        return 0.0
    first, second = (run.tape.entries or [Entry(run.output, run.output, subject.declared)] for run in (a, b))
    moves = [move for u, v in zip(first, second) for move in comparisons(u, v, pair.adjacency)]
    return max((move.moved / move.allowed for move in moves if move.allowed > 0), default=0.0)


def _of_algorithm(
    subject: Subject, relations: list[Adjacency], seed: int, shares: dict[str, list[float]]
) -> Result | None:
    algorithm: Any = subject.algorithm
    width, _, labels = shape(subject.data)
    # Under add/remove the number of records is private, so any number will do.
    drawn = datasets(width=width, labels=labels) if ADD_REMOVE in relations else datasets(like=subject.data)

    def check(pair: Neighbours, start: Array) -> Result | None:
        largest = 0.0
        for step, other in replayed(started_at(algorithm, start), pair, seed):
            rounding = 1e-12 * float(np.max(np.abs(step.answer.value), initial=0.0))
            for far, allowed in moved(step, other, pair.adjacency):
                largest = max(largest, far / allowed if allowed > 0 else 0.0)
                if far > allowed * (1 + SLACK) + rounding:
                    then = (
                        f"a record moved the query of step {step.t} by {far:.6g}, declared {pair.adjacency} "
                        f"sensitivity {allowed:.6g}"
                    )
                    let = {"D": describe(pair.data), "D'": describe(pair.other), "start": str(start)}
                    return broken(then, {"algorithm": subject.name, **let})
        shares[pair.adjacency.value].append(largest)
        return None

    return violation(
        check,
        hardest(subject, relations),
        pair=neighbours(drawn, like=subject.data, relations=relations),
        start=points(algorithm.output(algorithm.init(1)).shape[1]),
    )


def started_at(algorithm: Algorithm, x: Array) -> Algorithm:
    """The algorithm from another start (its state must have an iterate `x`)."""

    def init(runs: int) -> Any:
        state = algorithm.init(runs)
        return state._replace(x=np.tile(x, (runs, 1))) if hasattr(state, "x") else state

    return replace(algorithm, init=init)


def replayed(algorithm: Algorithm, pair: Neighbours, seed: int = 0) -> list[tuple[Step, Answer]]:
    """Every step of a few runs on the smaller data set of a pair, with the answer of the other at the same
    states and batches.
    """
    few, many = (
        (pair.data, pair.other) if records(pair.data) <= records(pair.other) else (pair.other, pair.data)
    )
    other = algorithm.load(many)
    twin = algorithm.memory(other, RUNS) if algorithm.memory is not None else None
    steps = []
    for step in walk(algorithm, few, RUNS, np.random.default_rng(seed)):
        if isinstance(step, Step):
            batch = step.batch if records(few) == records(many) else _with_one_more(step.batch, few, many)
            answer = algorithm.ask(other, step.state, step.release, batch=batch, memory=twin)
            twin = answer.memory
            steps.append((step, answer))
    return steps


def _with_one_more(batch: Array | None, few: Any, many: Any) -> Array | None:
    """The same batch with the record that only the larger data set has."""
    if batch is None:
        return None
    a, b = (few, many) if isinstance(few, tuple) else ((few,), (many,))
    n = records(few)
    place = next((i for i in range(n) if any(not np.array_equal(p[i], q[i]) for p, q in zip(a, b))), n)
    if batch.dtype == bool:
        return np.insert(batch, place, True, axis=1)
    return np.column_stack([np.where(batch >= place, batch + 1, batch), np.full(len(batch), place)])


def moved(step: Step, other: Answer, adjacency: Adjacency) -> list[tuple[float, float]]:
    """(how far the query moved, how far it may move), per run, and per node of a tree."""
    release, unit = (
        step.release,
        np.ones(len(step.released)) if step.answer.unit is None else step.answer.unit,
    )
    gap = step.answer.value - other.value
    return [(length, most * u) for row, u in zip(gap, unit) for length, most in release.moved(row, adjacency)]


def hardest(subject: Subject, relations: list[Adjacency]) -> list[dict[str, Any]]:
    """Equal records, one of them turned round, zeroed, removed or joined by its opposite; ordinary from 0,
    huge from the usual start.
    """
    algorithm: Any = subject.algorithm
    width, count, labels = shape(subject.data)
    start = algorithm.output(algorithm.init(1))
    cases = []
    for size, begin in ((8.0, np.zeros_like(start)), (1e150, start)):
        for direction in (np.eye(width)[0], np.ones(width)):
            row, label = size * direction, () if labels is None else (np.ones(count),)
            data = np.tile(row, (count, 1)) if labels is None else (np.tile(row, (count, 1)), *label)
            opposite: Any = -row if labels is None else (-row, 1.0)
            pairs = {
                REPLACE: lambda d=data, o=opposite: Neighbours.replace(d, 0, o),
                ZERO_OUT: lambda d=data: Neighbours.zero_out(d, 0),
                ADD_REMOVE: lambda d=data, o=opposite: Neighbours.add(d, o),
            }
            cases += [{"pair": pairs[relation](), "start": begin} for relation in relations]
    return cases
