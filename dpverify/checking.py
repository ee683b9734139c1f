"""Check claims: call each, decide what it returns, and say what the verdict leans on.

check("dp-accel/prop-4.2")      one claim (and, unseen, the claims it uses)
"""

from __future__ import annotations

import gc
import inspect
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpverify.claims import Claim, find, select
from dpverify.effort import QUICK, Effort
from dpverify.memory import Memory
from dpverify.parallel import each, workers_in_use
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result


@dataclass(frozen=True)
class Checked:
    """A claim with its result: `given` the unproved claims it leans on, `tainted` the refuted ones."""

    claim: Claim
    result: Result
    given: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the claim expects."""
        return self.result.verdict is self.claim.expect

    @property
    def summary(self) -> str:
        """The reason in one line, with what it leans on."""
        lean = (
            f" (proved, given {', '.join(self.given)})"
            if self.given and self.result.verdict is PROVED
            else ""
        )
        taint = f" (tainted: leans on {', '.join(self.tainted)}, which is refuted)" if self.tainted else ""
        return self.result.because + lean + taint

    def to_json(self) -> dict[str, Any]:
        """The contract of `dpverify check --json`: one object per claim."""
        c = self.claim
        return {
            "id": c.id,
            "paper": c.paper.key,
            "at": c.at,
            "kind": c.kind,
            "statement": c.statement,
            "expect": c.expect.value,
            "uses": list(c.uses),
            "correction": c.correction,
            "breaks": c.breaks,
            "given": list(self.given),
            "tainted": list(self.tainted),
            **self.result.to_json(),
        }


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Garbage collected seldom: algebra makes many small objects, and next to none in cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def decide(item: Claim, effort: Effort = QUICK) -> Result:
    """The result of one claim on its own; an error inside it is its result, with the traceback."""
    from dpverify.proving import prove

    start = time.perf_counter()
    try:
        wants = inspect.signature(item.function).parameters
        with _rarely_collected():
            relation = item.function(effort) if wants else item.function()
            result = prove(relation, effort)
    except Exception as error:
        evidence = Evidence("crash", details=traceback.format_exc())
        result = Result(UNDECIDED, f"crashed: {type(error).__name__}: {error}", evidence)
    return result.with_(seconds=time.perf_counter() - start)


@lru_cache(maxsize=8)
def _found(paths: tuple[str, ...]) -> dict[str, Claim]:
    return find(*paths)


def _lost(id: str, error: Exception) -> Result:
    """The result of a claim that nobody could finish: it took its worker's memory, or killed it."""
    return Result(UNDECIDED, f"crashed: {type(error).__name__}: {error}")


def _by_id(paths: tuple[str, ...], effort: Effort, in_worker: bool, id: str) -> Result:
    result = decide(_found(paths)[id], effort)
    if in_worker:
        # joblib collects garbage every second in a worker: what algebra keeps for later need not be searched
        # each time
        gc.freeze()
    return result


def _closure(ids: Iterable[str], found: dict[str, Claim]) -> list[str]:
    """The claims and all that they use, in the order of the papers."""
    needed: set[str] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in needed:
            needed.add(id)
            todo.extend(found[id].uses)
    return [id for id in found if id in needed]


def check(
    *patterns: str,
    paper: str | None = None,
    paths: Sequence[str | Path] = (),
    effort: Effort = QUICK,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
    memory: Memory | None = None,
) -> list[Checked]:
    """Check the claims that match the patterns (ids or globs; all if there are none), and what they lean on.

    `progress(id, done, total)` is called after each. The result does not depend on the number of jobs. With a
    `memory`, claims of which nothing changed since they were last checked are not checked again.

    >>> [c.result.verdict.value for c in check("dynamic-noise/lemma-4.1")]
    ['PROVED']
    """
    where = tuple(str(path) for path in paths)
    found = _found(where)
    if paper is not None:
        keys = {item.paper.key for item in found.values()}
        if paper not in keys:
            raise ValueError(f"Expected paper={paper!r} to be one of {', '.join(sorted(keys))}.")
    chosen = [item for item in select(found, patterns) if paper is None or item.paper.key == paper]
    ids = _closure((item.id for item in chosen), found)
    results: dict[str, Result] = {}
    if memory:
        results = {id: known for id in ids if (known := memory.recall(found[id], effort)) is not None}
    todo = sorted(
        (id for id in ids if id not in results), key=lambda id: found[id].expect is not SUPPORTED
    )  # runs first: they take longest
    shared = (where, effort, workers_in_use(jobs) > 1)
    for id, result in each(_by_id, todo, shared=shared, workers=jobs, ordered=False, instead=_lost):
        results[id] = result
        if memory:
            memory.keep(found[id], effort, result)
        if progress:
            progress(id, len(results), len(ids))
    return [_leaning(item, results, found) for item in chosen]


def _leaning(item: Claim, results: dict[str, Result], found: dict[str, Claim]) -> Checked:
    """What stands below a claim: unproved claims it is given, refuted ones that taint it.

    A refuted claim whose correction is among the uses does not count: the correction is what is leaned on.
    """
    given: dict[str, None] = {}
    tainted: dict[str, None] = {}

    def visit(id: str, seen: frozenset[str]) -> None:
        for used in found[id].uses:
            if used in seen:
                continue
            verdict, correction = results[used].verdict, found[used].correction
            if verdict is REFUTED:
                if correction not in found[id].uses:
                    tainted[used] = None
                continue
            if verdict is not PROVED:
                given[used] = None
            visit(used, seen | {used})

    visit(item.id, frozenset([item.id]))
    return Checked(item, results[item.id], tuple(given), tuple(tainted))
