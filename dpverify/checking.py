"""Check claims: call each, decide what it returns, and say what the verdict leans on.

check("dp-accel/prop-4.2")      one claim (and, unseen, the claims it uses)
"""

from __future__ import annotations

import gc
import inspect
import textwrap
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.claims import Claim, find, select
from dpverify.effort import QUICK, Effort
from dpverify.memory import Memory, watch_files
from dpverify.optional import Missing, noting_missing
from dpverify.parallel import each, workers_in_use
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Result, crash
from dpverify.workers import Stopped, WorkersDied

if TYPE_CHECKING:
    from dpverify.proving.kept import Book


@dataclass(frozen=True)
class Checked:
    """A claim with its result: `given` the unproved claims it leans on, `tainted` the refuted ones."""

    claim: Claim
    result: Result
    given: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the claim expects; a crash never is."""
        return self.result.verdict is self.claim.expect and not self.result.crashed

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
            "file": c.shown_file,
            "line": c.line,
            "kind": c.kind,
            "statement": c.statement,
            "expect": c.expect.value,
            "uses": list(c.uses),
            "correction": c.correction,
            "breaks": c.breaks,
            "standing": c.standing,
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


def stated(item: Claim, effort: Effort = QUICK) -> Any:
    """What the claim asserts, with its proof: what its function returns."""
    return item.function(effort) if inspect.signature(item.function).parameters else item.function()


@contextmanager
def _statements_of(item: Claim, effort: Effort, claims: dict[str, Claim] | None) -> Iterator[None]:
    """Inside, a proof may use the statements of the claims that it names in `uses`."""
    from dpverify.proving.instances import statements
    from dpverify.proving.proof import Stuck

    def lookup(id: str) -> tuple[str, Any]:
        full = id if "/" in id else f"{item.paper.key}/{id}"
        if full not in item.uses:
            raise Stuck(f"{full} is used in the proof but not named in uses=[...] of {item.id}")
        if claims is None or full not in claims:
            raise Stuck(f"there is no claim {full} among those that are being checked")
        return full, stated(claims[full], effort)

    token = statements.set(lookup)
    try:
        yield
    finally:
        statements.reset(token)


def decide(item: Claim, effort: Effort = QUICK, claims: dict[str, Claim] | None = None) -> Result:
    """The result of one claim on its own; an error inside it is its result, with the traceback.

    A proof may use the statements of the claims that it names in `uses`, which are looked up among `claims`.
    The proofs that are kept beside the claim are checked before any is searched for.
    """
    return decide_and_note(item, effort, claims)[0]


def decide_and_note(
    item: Claim, effort: Effort = QUICK, claims: dict[str, Claim] | None = None
) -> tuple[Result, Book]:
    """The same, with what closed each relation on the way."""
    from dpverify.proving import kept, prove
    from dpverify.theorems import without_content

    start = time.perf_counter()
    book = kept.Book()
    with noting_missing() as missing:
        try:
            known = {} if effort.search else kept.read(Path(item.file).parent)
            with _rarely_collected(), _statements_of(item, effort, claims), kept.open_book(known) as book:
                relation = stated(item, effort)
                _expect_relation(item, relation)
                empty = without_content(relation)
                result = prove(relation, effort) if empty is None else _says_nothing(empty)
        except Missing as why:
            result = Result(UNDECIDED, str(why))
        except (Exception, SystemExit) as error:
            result = crash(f"{type(error).__name__}: {error}", traceback.format_exc())
    return result.with_(seconds=time.perf_counter() - start, missing=tuple(sorted(missing))), book


def _says_nothing(part: Any) -> Result:
    """The result of a claim whose conclusion has a part that says nothing."""
    return Result(
        UNDECIDED,
        f"the two sides of {textwrap.shorten(str(part), 200)} are the same expression, which says nothing: "
        "put what is put in among the hypotheses, as in Theorem(given=[Eq(a, ...)], shows=Equal(...))",
    )


def _expect_relation(item: Claim, value: Any) -> None:
    """A claim asserts something that can be decided; a truth value, a SymPy relation or a list would be
    passed over in silence.
    """
    kind = type(value)
    if not kind.__module__.startswith("dpverify.") or isinstance(value, Result | Claim | str):
        shown = textwrap.shorten(repr(value), 80)
        raise TypeError(
            f"Expected {item.id} ({item.location}) to return a relation of dpverify, such as Equal or "
            f"AtMost; it returned {shown} of type {kind.__name__}."
        )


@lru_cache(maxsize=8)
def claims_in(paths: tuple[str, ...]) -> dict[str, Claim]:
    return find(*paths)


def load_prover() -> None:
    """What every claim needs. A file of claims is not loaded before its claims are: it may change."""
    import dpverify.proving  # noqa: F401


def load_prover_and_papers() -> None:
    load_prover()
    claims_in(())


def _lost(id: str, error: Exception) -> Result:
    """The result of a claim that nobody could finish: it took too long, or killed its process."""
    if isinstance(error, Stopped):
        return Result(UNDECIDED, str(error), cut_short=True)
    return crash(str(error) if isinstance(error, WorkersDied) else f"{type(error).__name__}: {error}")


def _recall_or_decide(
    paths: tuple[str, ...], effort: Effort, memory: Memory | None, in_worker: bool, id: str
) -> tuple[Result, bool]:
    """The result of a claim, and whether it was recalled."""
    if memory is not None:
        watch_files()
    claims = claims_in(paths)
    item = claims[id]
    used = [claims[other] for other in _closure([id], claims) if other != id]
    if memory is not None:
        known = memory.recall(item, used, effort)
        if known is not None and _stands(item, known, effort, claims):
            return known, True
    result = decide(item, effort, claims)
    if memory is not None:
        memory.keep(item, used, effort, result, {other.file for other in claims.values()})
    if in_worker:
        gc.freeze()  # what algebra keeps for later need not be searched for garbage each time
    return result, False


def _stands(item: Claim, known: Result, effort: Effort, claims: dict[str, Claim]) -> bool:
    """Whether a kept result is accepted again by the checkers of its witness or its certificates."""
    from dpverify.proving.recheck import stands

    try:
        with _statements_of(item, effort, claims):
            return stands(stated(item, effort), known, effort)
    except Exception:  # it is decided anew, and what is wrong is said there
        return False


def _closure(ids: Iterable[str], claims: dict[str, Claim]) -> list[str]:
    """The claims and all that they use, in the order of the papers."""
    needed: set[str] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in needed:
            needed.add(id)
            todo.extend(claims[id].uses)
    return [id for id in claims if id in needed]


def check(
    *patterns: str,
    paper: str | None = None,
    paths: Sequence[str | Path] = (),
    effort: Effort = QUICK,
    jobs: int = 1,
    seconds: float | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    watch: Callable[[dict[str, float]], None] | None = None,
    memory: Memory | None = None,
) -> list[Checked]:
    """Check the claims that match the patterns (ids or globs; all if there are none), and what they lean on.

    With more than one job, or a limit of `seconds` per claim, claims are checked in processes of their own:
    one that takes longer, or dies, is UNDECIDED and the others are not touched. `progress(id, done, total)`
    is called after each, `watch` now and then with the seconds that each running claim has taken. The result
    does not depend on the number of jobs. With a `memory`, claims of which nothing changed since they were
    last checked are not checked again.

    >>> [c.result.verdict.value for c in check("dynamic-noise/lemma-4.1")]
    ['PROVED']
    """
    where = tuple(str(path) for path in paths)
    all_claims = claims_in(where)
    if paper is not None:
        keys = {item.paper.key for item in all_claims.values()}
        if paper not in keys:
            raise ValueError(f"Expected paper={paper!r} to be one of {', '.join(sorted(keys))}.")
    chosen = [item for item in select(all_claims, patterns) if paper is None or item.paper.key == paper]
    ids = _closure((item.id for item in chosen), all_claims)
    first = sorted(ids, key=lambda id: all_claims[id].expect is not SUPPORTED)  # runs take longest
    apart = seconds is not None or workers_in_use(jobs) > 1
    results: dict[str, Result] = {}
    for id, (result, recalled) in each(
        _recall_or_decide,
        first,
        shared=(where, effort, memory, apart),
        workers=jobs,
        ordered=False,
        instead=lambda id, error: (_lost(id, error), False),
        seconds=seconds,
        watch=watch,
        ready=load_prover if where else load_prover_and_papers,
    ):
        results[id] = result
        if memory:
            memory.hits += recalled
        if progress:
            progress(id, len(results), len(ids))
    return [_leaning(item, results, all_claims) for item in chosen]


def _leaning(item: Claim, results: dict[str, Result], claims: dict[str, Claim]) -> Checked:
    """What stands below a claim: unproved claims it is given, refuted ones that taint it.

    A refuted claim whose correction is among the uses does not count, unless a proof uses it all the same.
    """
    given: dict[str, None] = {}
    tainted: dict[str, None] = {}

    def visit(id: str, seen: frozenset[str]) -> None:
        for used in claims[id].uses:
            if used in seen:
                continue
            verdict, correction = results[used].verdict, claims[used].correction
            if verdict is REFUTED:
                if correction not in claims[id].uses or used in results[id].depends:
                    tainted[used] = None
                continue
            if verdict is not PROVED:
                given[used] = None
            visit(used, seen | {used})

    visit(item.id, frozenset([item.id]))
    return Checked(item, results[item.id], tuple(given), tuple(tainted))
