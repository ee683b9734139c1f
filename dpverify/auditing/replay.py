"""Rung 1, replay: the same noise on neighbouring data, and how far the query moved against the declared
sensitivity.

With a tape: run on D, then on D' handing back the releases of the first run. Then (a) each query may move by
at most its declared sensitivity (L2 for Gaussian, L1 for Laplace noise), (b) the releases must be declared
alike, and as many, and (c) the output must be the same, since everything else is post-processing. Without a
tape, but with a declared release of the whole output: the same seed on both, and how far the output moved.
This refutes what was *declared*, not privacy itself.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.rungs import Rung
from dpverify.auditing.sampling import Mechanism, call
from dpverify.auditing.tape import Entry, Tape
from dpverify.neighbours import Adjacency, Neighbours
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

SLACK = 1e-9  # relative; rounding of a sum of a few thousand float64 terms stays below it


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


def comparisons(a: Entry, b: Entry, adjacency: Adjacency) -> list[tuple[float, float]]:
    """(moved, allowed) for a release on two data sets; one per node of a tree; none if nothing is declared
    for that relation.

    A record that comes back in every epoch is in a node as often as the node meets epochs.
    """
    declared = a.declared
    if declared is None or adjacency not in declared.sensitivity:
        return []
    allowed = np.asarray(declared.sensitivity[adjacency], dtype=float)
    if allowed.ndim == 0:
        return [(movement(a.query, b.query, declared.norm), float(allowed))]
    if a.query.ndim != 3 or a.query.shape != b.query.shape or a.query.shape[1] != len(allowed):
        return []
    return [pair for gap in a.query - b.query for pair in declared.moved(gap, adjacency)]


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
    >>> print(replay(noisy_sum, pair, Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})).because)
    the output moved by 5 with the same noise; its declared replace sensitivity is 1. This refutes the
    declaration.
    """
    first = execute(mechanism, neighbours.data, seed, 0)
    again = execute(mechanism, neighbours.data, seed, 0)
    if not np.array_equal(first.output, again.output):
        return Result(
            UNDECIDED,
            "The same seed gave two different outputs: the callable does not take its randomness "
            "from rng, so nothing can be replayed.",
        )
    found = [_one(mechanism, neighbours, declared, seed, run) for run in range(executions)]
    bad = next((witness for witness, _ in found if witness is not None), None)
    if bad is not None:
        return Result(REFUTED, f"{bad.then}. This refutes the declaration.", witness=bad)
    compared = sum(count for _, count in found)
    if compared == 0:
        moved = movement(first.output, execute(mechanism, neighbours.other, seed, 0).output)
        return Result(
            UNDECIDED,
            f"No sensitivity is declared for {neighbours.adjacency}; with the same noise the "
            f"output moved by {moved:.4g}.",
        )
    evidence = Evidence(
        "replay",
        {"compared": compared},
        samples=2 * executions,
        seed=seed,
        ceiling="any query that moves too far on this pair and these seeds",
    )
    return Result(
        SUPPORTED,
        f"{compared} releases replayed on the neighbour: none moved further than declared, and "
        "the output depends on nothing else.",
        evidence,
    )


def _one(
    mechanism: Mechanism, neighbours: Neighbours, declared: Any, seed: int, run: int
) -> tuple[Witness | None, int]:
    a = execute(mechanism, neighbours.data, seed, run)
    let = {
        "D": describe(neighbours.data),
        "D'": describe(neighbours.other),
        "seed": f"SeedSequence({seed}, spawn_key=(7, {run}))",
    }
    adjacency = neighbours.adjacency
    case = {**as_json(neighbours), "seed": seed, "run": run}
    if not a.tape.entries:
        other = execute(mechanism, neighbours.other, seed, run)
        found = comparisons(
            Entry(a.output, a.output, declared), Entry(other.output, other.output, declared), adjacency
        )
        if not found:
            return None, 0
        moved, allowed = found[0]
        if moved > allowed * (1 + SLACK):
            return Witness(
                let,
                f"the output moved by {moved:.6g} with the same noise; its declared {adjacency} "
                f"sensitivity is {allowed:.6g}",
                f"at most {allowed:.6g}",
                {**case, "moved": moved, "allowed": allowed},
            ), 1
        return None, 1
    b = execute(mechanism, neighbours.other, seed, run, frozen=a.tape)
    if len(a.tape.entries) != len(b.tape.entries):
        counts = (len(a.tape.entries), len(b.tape.entries))
        return Witness(
            let,
            f"the number of releases depends on the data: {counts[0]} on D, {counts[1]} on D'",
            "as many releases on every data set",
            {**case, "releases": counts},
        ), 1
    # with random queries (batches), two executions are comparable only while they draw alike
    elsewhere = execute(mechanism, neighbours.data, seed, run + 10_000, frozen=a.tape)
    random_queries = len(elsewhere.tape.entries) != len(a.tape.entries) or any(
        not np.array_equal(u.query, v.query) for u, v in zip(a.tape.entries, elsewhere.tape.entries)
    )
    same_size = all(len(u) == len(v) for u, v in zip(_parts(neighbours.data), _parts(neighbours.other)))
    comparable = (
        (not random_queries or a.left == b.left) if same_size else (not random_queries and a.left == b.left)
    )
    compared = 0
    for t, (u, v) in enumerate(zip(a.tape.entries, b.tape.entries)):
        if not _alike(u.declared, v.declared):
            return Witness(
                let,
                f"release {t} is declared as {u.declared} on D and as {v.declared} on D': its "
                "noise depends on the data",
                "noise that does not depend on the data",
                {**case, "release": t},
            ), 1
        for moved, allowed in comparisons(u, v, adjacency) if comparable else []:
            compared += 1
            if moved > allowed * (1 + SLACK):
                size = (
                    "is not finite or changed its shape"
                    if np.isinf(moved)
                    else f"moved by {moved:.6g} at the same state"
                )
                then = (
                    f"the query of release {t} {size}; its declared {adjacency} sensitivity is {allowed:.6g}"
                )
                exact = {**case, "release": t, "moved": moved, "allowed": allowed}
                return Witness(let, then, f"at most {allowed:.6g}", exact), compared
    if not _same(a.output, b.output) and (same_size or (comparable and _same(a.output, elsewhere.output))):
        gap = movement(a.output, b.output)
        then = (
            f"with every release frozen the output still moved by {gap:.6g}: it depends on the data "
            "beyond its declared releases"
        )
        return Witness(
            let, then, "an output computed from the releases alone", {**case, "moved": gap}
        ), compared + 1
    return None, compared


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
        [np.asarray(p).tolist() for p in d] if isinstance(d, tuple) else np.asarray(d).tolist()
        for d in (pair.data, pair.other)
    ]
    return {"data": both[0], "other": both[1], "adjacency": str(pair.adjacency)}


def describe(data: Any, most: int = 12) -> str:
    """A data set in one line: its numbers if they are few, else its shape.

    >>> describe(np.zeros((2, 1))), describe(np.zeros((100, 3)))
    ('[[0.0], [0.0]]', 'array of shape (100, 3)')
    """
    parts = [
        str(np.asarray(p).tolist()) if np.asarray(p).size <= most else f"array of shape {np.asarray(p).shape}"
        for p in _parts(data)
    ]
    return parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"


REPLAY = Rung(
    "replay",
    shows="no query moves further than its declared sensitivity, and the output depends on nothing else",
    needs="releases on a tape, or one declared for the whole output, and all randomness from rng",
    climb=lambda audit: replay(audit.replayed, audit.neighbours, audit.declared, audit.budget.seed),
)
