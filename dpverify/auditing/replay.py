"""Rung 1, replay: how far a query moves between neighbouring data sets against its declared sensitivity.

With a tape: run on D, then on D' handing back the releases of the first run. Then (a) each query may move by
at most its declared sensitivity (L2 for Gaussian, L1 for Laplace noise), (b) the releases must be declared
alike, and as many, and (c) the output must be the same, since everything else is post-processing. Without a
tape, but with a declared release of the whole output: if the output is its query plus noise that rng drew
(see `recorded`), how far that query moved. This refutes what was *declared*, not privacy itself.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.recorded import split
from dpverify.auditing.rungs import Rung
from dpverify.auditing.sampling import Mechanism, call
from dpverify.auditing.tape import Entry, Tape, precision_of
from dpverify.neighbours import Adjacency, Neighbours
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

SLACK = 1e-9  # relative; what a declared sensitivity may be rounded by


class Execution(NamedTuple):
    """One execution: its output, its tape, and where it left the random stream."""

    output: np.ndarray
    tape: Tape
    left: dict[str, Any]


def execute(mechanism: Mechanism, data: Any, seed: int, run: int, frozen: Tape | None = None) -> Execution:
    """Run once with a tape, from scratch or along the frozen releases of an earlier execution."""
    tape = Tape(frozen=frozen.entries if frozen else None)
    sequence = np.random.SeedSequence(seed, spawn_key=(7, run))
    rng = np.random.default_rng(sequence)
    output = call(mechanism, data, sequence, 1, tape, rng)
    return Execution(output, tape, dict(rng.bit_generator.state))


def movement(a: np.ndarray, b: np.ndarray, norm: int = 2) -> float:
    """How far a query moved in that norm (infinite if it is not finite or changed its shape).

    >>> movement(np.array([3.0, 4.0]), np.zeros(2))
    5.0
    """
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    with np.errstate(over="ignore"):
        return float(np.linalg.norm((a - b).ravel(), ord=norm))


class Comparison(NamedTuple):
    """How far a query moved, how far it may, and how much of that may be rounding."""

    moved: float
    allowed: float
    rounding: float

    @property
    def too_far(self) -> bool:
        return self.moved > self.allowed * (1 + SLACK) + self.rounding


def comparisons(a: Entry, b: Entry, adjacency: Adjacency, count: int = 0) -> list[Comparison]:
    """What a release on two data sets of `count` records shows; one for each node of a tree; nothing if no
    sensitivity is declared for that relation.

    A record that comes back in every epoch is in a node as often as the node meets epochs. A sum of n numbers
    may be off by n roundings in the precision that it was computed in.
    """
    declared = a.declared
    if declared is None or adjacency not in declared.sensitivity:
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        size = max(float(np.linalg.norm(np.ravel(query), ord=declared.norm)) for query in (a.query, b.query))
    rounding = max(a.precision, b.precision) * (8 + count) * size if np.isfinite(size) else 0.0
    allowed = np.asarray(declared.sensitivity[adjacency], dtype=float)
    if allowed.ndim == 0:
        return [Comparison(movement(a.query, b.query, declared.norm), float(allowed), rounding)]
    if a.query.ndim != 3 or a.query.shape != b.query.shape or a.query.shape[1] != len(allowed):
        return []
    gaps = a.query - b.query
    return [Comparison(m, most, rounding) for gap in gaps for m, most in declared.moved(gap, adjacency)]


def _alike(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if dataclasses.is_dataclass(a):
        return repr(a) == repr(b)
    return bool(a == b)


def replay(
    mechanism: Mechanism, neighbours: Neighbours, declared: Any = None, seed: int = 0, executions: int = 4
) -> Result:
    """Rung 1 alone.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> noisy_sum = lambda data, rng: data.sum() + rng.normal()
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [5.0])
    >>> replay(noisy_sum, pair, Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})).witness.contradicts
    'at most 1'
    """
    first = execute(mechanism, neighbours.data, seed, 0)
    again = execute(mechanism, neighbours.data, seed, 0)
    if not np.array_equal(first.output, again.output):
        return Result(
            UNDECIDED,
            "The same seed gave two different outputs: the callable does not take its randomness "
            "from rng, so nothing can be replayed.",
        )
    if not first.tape.entries:
        return _replayed_output(mechanism, neighbours, declared, seed)
    compared, outputs = 0, True
    for run in range(executions):
        witness, count, same = _compare_executions(_Case(mechanism, neighbours, seed, run))
        compared += count
        outputs = outputs and same
        if witness is not None:
            return Result(REFUTED, f"{witness.then}. This refutes the declaration.", witness=witness)
    if compared == 0:
        return Result(UNDECIDED, f"No release declares a sensitivity for {neighbours.adjacency}.")
    evidence = Evidence(
        "replay",
        {"compared": compared},
        samples=2 * executions,
        seed=seed,
        ceiling="any query that moves too far on this pair and these seeds",
    )
    return Result(
        SUPPORTED,
        f"{compared} releases replayed on the neighbour: none moved further than declared"
        + (", and the output depends on nothing else." if outputs else ". " + NOT_COMPARED),
        evidence,
    )


NOT_COMPARED = (
    "Whether the output depends on nothing else was not seen: it is random beyond its releases, and how much "
    "is drawn depends on the data."
)
RUNS = 8  # of a whole output, from which its query is told


def _replayed_output(mechanism: Mechanism, neighbours: Neighbours, declared: Any, seed: int) -> Result:
    """Without a tape: the query of the whole output, if the output is that and the noise."""
    sequence = np.random.SeedSequence(seed, spawn_key=(7,))
    if declared is None or neighbours.adjacency not in (getattr(declared, "sensitivity", None) or {}):
        return Result(UNDECIDED, f"No release declares a sensitivity for {neighbours.adjacency}.")
    splits = [split(mechanism, d, declared, sequence, RUNS) for d in (neighbours.data, neighbours.other)]
    if splits[0] is None or splits[1] is None:
        return Result(
            UNDECIDED,
            "The output is not its query plus noise that rng drew: record the release on a tape, so that its "
            "query can be compared.",
        )
    case = _Case(mechanism, neighbours, seed, 0)
    entries = [
        Entry(part.query, part.query, declared, precision_of(part.query, 16 * part.rounding))
        for part in splits
        if part
    ]
    rounding = 4 * float(sum(part.rounding for part in splits if part)) * max(1, entries[0].query.size)
    for comparison in _compared(entries[0], entries[1], neighbours):
        comparison = comparison._replace(rounding=comparison.rounding + rounding)
        if comparison.too_far:
            witness = case.moved_too_far(
                "the query of the output, where its noise has the declared scale,",
                entries[0],
                entries[1],
                comparison,
            )
            return Result(REFUTED, f"{witness.then}. This refutes the declaration.", witness=witness)
    evidence = Evidence(
        "replay",
        {"compared": 1},
        samples=2 * RUNS,
        seed=seed,
        ceiling="a query that moves too far on this pair",
    )
    return Result(SUPPORTED, "The query of the output moves no further than declared.", evidence)


def _compared(a: Entry, b: Entry, neighbours: Neighbours) -> list[Comparison]:
    """A group of k records may move a query k times as far as one; what is declared for users is theirs."""
    times = neighbours.size if neighbours.user is None else 1
    pairs = comparisons(a, b, neighbours.adjacency, _count(neighbours))
    return [one._replace(allowed=times * one.allowed) for one in pairs]


def _count(neighbours: Neighbours) -> int:
    return max(_length(_parts(data)[0]) for data in (neighbours.data, neighbours.other))


def _length(part: Any) -> int:
    """How many records there are; 1 of what has no length."""
    return len(part) if hasattr(part, "__len__") and np.ndim(_array(part)) else 1


def _array(part: Any) -> np.ndarray:
    """An array of the records; of records of different lengths, one of objects."""
    try:
        return np.asarray(part)
    except ValueError:
        array = np.empty(len(part), dtype=object)
        array[:] = part
        return array


class _Case(NamedTuple):
    """One pair of executions, and the witnesses that it can give."""

    mechanism: Mechanism
    neighbours: Neighbours
    seed: int
    run: int

    def witness(self, shows: str, then: str, contradicts: str, **figures: Any) -> Witness:
        let = {
            "D": describe(self.neighbours.data, self.neighbours.other),
            "D'": describe(self.neighbours.other, self.neighbours.data),
            "seed": f"SeedSequence({self.seed}, spawn_key=(7, {self.run}))",
        }
        exact = {"kind": "replay", "shows": shows, **as_json(self.neighbours), "seed": self.seed, **figures}
        return Witness(let, then, contradicts, {**exact, "run": self.run})

    def moved_too_far(self, what: str, a: Entry, b: Entry, comparison: Comparison, **figures: Any) -> Witness:
        moved, allowed, rounding = comparison
        size = "is not finite or changed its shape" if np.isinf(moved) else f"moved by {moved:.6g}"
        then = f"{what} {size}; its declared {self.neighbours.adjacency} sensitivity is {allowed:.6g}"
        return self.witness(
            "sensitivity",
            then,
            f"at most {allowed:.6g}",
            queries=[_listed(np.ravel(a.query)), _listed(np.ravel(b.query))],
            norm=2 if a.declared is None else a.declared.norm,
            allowed=allowed,
            rounding=rounding,
            **figures,
        )


def _compare_executions(case: _Case) -> tuple[Witness | None, int, bool]:
    """A witness of one pair of executions, if there is one, how many releases were compared, and whether the
    outputs were the same.
    """
    mechanism, neighbours, seed, run = case
    a = execute(mechanism, neighbours.data, seed, run)
    b = execute(mechanism, neighbours.other, seed, run, frozen=a.tape)
    counts = [len(a.tape.entries), len(b.tape.entries)]
    if counts[0] != counts[1]:
        then = f"the number of releases depends on the data: {counts[0]} on D, {counts[1]} on D'"
        return case.witness("count", then, "as many releases on every data set", releases=counts), 1, False
    # with random queries (batches), two executions are comparable only while they draw alike
    elsewhere = execute(mechanism, neighbours.data, seed, run + 10_000, frozen=a.tape)
    random_queries = _has_batches(a.tape) or not _same_queries(a.tape, elsewhere.tape)
    same_size = all(
        _length(u) == _length(v) for u, v in zip(_parts(neighbours.data), _parts(neighbours.other))
    )
    comparable = (
        (not random_queries or a.left == b.left) if same_size else (not random_queries and a.left == b.left)
    )
    compared = 0
    for t, (u, v) in enumerate(zip(a.tape.entries, b.tape.entries)):
        if not _alike(u.declared, v.declared):
            declared = [str(u.declared), str(v.declared)]
            then = (
                f"release {t} is declared as {declared[0]} on D and as {declared[1]} on D': its noise "
                "depends on the data"
            )
            stated = "noise that does not depend on the data"
            return case.witness("declaration", then, stated, release=t, declared=declared), 1, False
        pairs = _compared(u, v, neighbours) if comparable else []
        compared += len(pairs)
        for node, one in enumerate(pairs):
            if one.too_far:
                if not same_size and _drawn_otherwise(case, a.tape):
                    return None, 0, False
                queries = (u, v) if len(pairs) == 1 else (_node(u, node), _node(v, node))
                what = f"the query of release {t}"
                return case.moved_too_far(what, *queries, one, release=t), compared, False
    # what else is random in the output is alike only if as much was drawn; nothing may be random in it
    alike = a.left == b.left if same_size else comparable and _same(a.output, elsewhere.output)
    if not _same(a.output, b.output) and (alike or (same_size and _is_fixed(case, a))):
        gap = movement(a.output, b.output)
        then = (
            f"with every release frozen the output still moved by {gap:.6g}: it depends on the data "
            "beyond its declared releases"
        )
        outputs = [_listed(np.ravel(a.output)), _listed(np.ravel(b.output))]
        stated = "an output computed from the releases alone"
        return case.witness("output", then, stated, outputs=outputs), compared + 1, False
    return None, compared, _same(a.output, b.output)


def _has_batches(tape: Tape) -> bool:
    """Whether a release is declared as one of a random batch: then its query is random, seen or not."""
    return any(hasattr(entry.declared, "inner") for entry in tape.entries)


def _same_queries(a: Tape, b: Tape) -> bool:
    return len(a.entries) == len(b.entries) and all(
        np.array_equal(u.query, v.query) for u, v in zip(a.entries, b.entries)
    )


def _drawn_otherwise(case: _Case, tape: Tape) -> bool:
    """Whether one of eight more seeds has other queries: two that agree may have drawn the same batch by
    chance, and a move between data sets of two sizes would be that of a batch.
    """
    return any(not _same_queries(tape, one.tape) for one in _elsewhere(case, tape))


def _is_fixed(case: _Case, first: Execution) -> bool:
    """Whether eight more seeds give the same output along the same releases: then only these are random."""
    return all(_same(first.output, one.output) for one in _elsewhere(case, first.tape))


def _elsewhere(case: _Case, tape: Tape) -> Iterator[Execution]:
    """Executions with eight more seeds, along the same releases."""
    for k in range(2, 10):
        run = case.run + 10_000 * k
        yield execute(case.mechanism, case.neighbours.data, case.seed, run, frozen=tape)


def _node(entry: Entry, node: int) -> Entry:
    """The query of one node of a tree, which is compared in the Euclidean norm; they stand run after run."""
    run, node = divmod(node, entry.query.shape[1])
    return Entry(entry.query[run, node], entry.released, None, entry.precision)


def _listed(array: Any) -> Any:
    """An array as JSON holds it: nested lists, and what is not finite, or of another kind, as text."""
    if not isinstance(array, np.ndarray | np.generic):
        return str(array)
    array = np.asarray(array)
    if array.ndim:
        return [_listed(part) for part in array] if not _ordinary(array) else array.tolist()
    return array.item() if _ordinary(array) else str(array.item())


def _ordinary(array: np.ndarray) -> bool:
    return array.dtype.kind in "biu" or (array.dtype.kind == "f" and bool(np.isfinite(array).all()))


def verify(exact: dict[str, Any]) -> bool:
    """Whether what a replay recorded breaks the declaration: recomputed from the two queries, counts,
    declarations or outputs.
    """
    shows = exact["shows"]
    if shows == "count":
        return exact["releases"][0] != exact["releases"][1]
    if shows == "declaration":
        return exact["declared"][0] != exact["declared"][1]
    if shows not in ("sensitivity", "output"):
        return False
    a, b = (np.array(side, dtype=float) for side in exact["queries" if shows == "sensitivity" else "outputs"])
    if shows == "output":
        return not _same(a, b)
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return True
    moved = float(np.linalg.norm(a - b, ord=exact["norm"]))
    return Comparison(moved, exact["allowed"], exact["rounding"]).too_far


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def _parts(data: Any) -> tuple[Any, ...]:
    return data if isinstance(data, tuple) else (data,)


def as_json(pair: Neighbours) -> dict[str, Any]:
    """A pair of neighbours as plain lists.

    >>> as_json(Neighbours.replace(np.zeros((1, 1)), 0, [2.0]))
    {'data': [[0.0]], 'other': [[2.0]], 'adjacency': 'replace'}
    """
    both = [
        [_listed(_array(p)) for p in d] if isinstance(d, tuple) else _listed(_array(d))
        for d in (pair.data, pair.other)
    ]
    return {"data": both[0], "other": both[1], "adjacency": str(pair.adjacency)}


def describe(data: Any, other: Any = None, most: int = 12) -> str:
    """A data set in one line: its numbers if they are few, else its shape and, if there is another to compare
    it with, the records that this one does not have.

    >>> describe(np.zeros((2, 1))), describe(np.zeros((100, 3)))
    ('[[0.0], [0.0]]', 'array of shape (100, 3)')
    >>> describe(np.eye(20), np.eye(20)[1:])[:46]
    'array of shape (20, 20) with record 0 = [1.0, '
    >>> describe(np.eye(20)[1:], np.eye(20))
    'array of shape (19, 20)'
    """
    arrays = [_array(part) for part in _parts(data)]
    parts = [str(a.tolist()) if a.size <= most else f"array of shape {a.shape}" for a in arrays]
    whole = parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"
    if other is None or all(a.size <= most for a in arrays):
        return whole
    own, rest = (
        [", ".join(str(_array(part).tolist()) for part in record) for record in zip(*_parts(d))]
        for d in (data, other)
    )
    alone = list(Counter(own) - Counter(rest))
    return whole + "".join(f" with record {own.index(one)} = {shorten(one, 120)}" for one in alone[:1])


REPLAY = Rung(
    "replay",
    shows="no query moves further than its declared sensitivity, and the output depends on nothing else",
    needs="releases on a tape, or one declared for the whole output, and all randomness from rng",
    climb=lambda audit: replay(audit.replayed, audit.neighbours, audit.declared, audit.budget.seed),
)
