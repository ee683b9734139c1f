"""Papers and their claims: found by path, named by string; nothing registers itself at import.

A claim is a function that returns a relation (see `dpverify.relations`); its docstring is the statement.
"""

from __future__ import annotations

import fnmatch
import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.places import shown_path
from dpverify.suggestions import did_you_mean
from dpverify.verdicts import PROVED, Verdict

BREAKS = ("privacy", "theorem", "proof", "text", "misprint")
STANDINGS = ("statement", "definition", "remark", "misprint", "ours")


class ClaimError(ValueError):
    """A mistake in a collection of claims; the message names the file."""


@dataclass(frozen=True)
class Paper:
    """A paper: its key, how to cite it, and the modules (in the order of the paper) that hold its claims.

    >>> Paper("dp-accel", "Kuru et al. (2022)").key
    'dp-accel'
    """

    key: str
    citation: str
    parts: Sequence[str] = ()


@dataclass(frozen=True)
class Claim:
    """One statement of a paper: where it stands, what it leans on, what we expect, and the function that
    restates it.
    """

    id: str
    paper: Paper
    at: str
    kind: str
    statement: str
    expect: Verdict
    uses: tuple[str, ...]
    correction: str | None
    breaks: str | None
    function: Callable[..., Any] = field(repr=False)
    standing: str = "statement"

    @property
    def file(self) -> str:
        """The file that defines it."""
        return inspect.getsourcefile(self.function) or "?"

    @property
    def line(self) -> int:
        """The line of that file at which its function begins."""
        return self.function.__code__.co_firstlineno

    @property
    def shown_file(self) -> str:
        """Its file as reports show it."""
        return shown_path(self.file)

    @property
    def location(self) -> str:
        """Its file and line, as editors read them."""
        return f"{self.file}:{self.line}"


def claim(
    paper: Paper,
    name: str,
    *,
    at: str,
    kind: str = "identity",
    uses: Sequence[str] = (),
    expect: Verdict = PROVED,
    correction: str | None = None,
    breaks: str | None = None,
    standing: str | None = None,
) -> Callable[[Callable[..., Any]], Claim]:
    """Make a claim of a function that returns a relation; ids without a slash are of the same paper.

    `breaks` says what a refutation of it breaks: "privacy" (a guarantee that the paper states fails for its
    algorithm), "theorem" (a numbered result), "proof" (a printed step; the result may stand), "text" (a
    sentence of the discussion, a figure) or "misprint". `standing` is "statement" for what the paper asserts;
    what is no assertion of the paper is counted apart: a "definition", a "remark", a "misprint" that no
    reader is misled by, and "ours", a question or a correction of our own, which breaks nothing.

    >>> @claim(Paper("p", "P (2020)"), "eq-1", at="Eq (1)")
    ... def one_is_one():
    ...     "1 = 1"
    >>> one_is_one.id, one_is_one.statement
    ('p/eq-1', '1 = 1')
    """

    def full(id: str) -> str:
        return id if "/" in id else f"{paper.key}/{id}"

    def make(function: Callable[..., Any]) -> Claim:
        where = f"{inspect.getsourcefile(function)}:{function.__code__.co_firstlineno}, {function.__name__}"
        if not function.__doc__:
            raise ClaimError(f"Expected a docstring with the statement of {full(name)} in {where}.")
        if breaks is not None and breaks not in BREAKS:
            raise ClaimError(f"Expected breaks={breaks!r} to be one of {', '.join(BREAKS)} in {where}.")
        stands = standing or {"definition": "definition", "(priority)": "remark"}.get(kind, "statement")
        if stands not in STANDINGS:
            raise ClaimError(
                f"Expected standing={standing!r} to be one of {', '.join(STANDINGS)} in {where}."
            )
        if stands == "ours" and breaks is not None:
            raise ClaimError(
                f"Expected no breaks={breaks!r} in {where}: what is ours breaks nothing that the paper says."
            )
        if isinstance(uses, str):
            raise ClaimError(f"Expected uses={uses!r} to be a list of claim ids in {where}.")
        statement = " ".join(function.__doc__.split())
        leans = tuple(full(id) for id in uses)
        item = Claim(
            full(name),
            paper,
            at,
            kind,
            statement,
            Verdict(expect),
            leans,
            full(correction) if correction else None,
            breaks,
            function,
            stands,
        )
        if (made := _made.get()) is not None:
            made.append(item)
        return item

    return make


_made: ContextVar[list[Claim] | None] = ContextVar("made", default=None)  # while a file of claims is loaded


def _claims_of(module: ModuleType) -> list[Claim]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, Claim) and value.function.__module__ == module.__name__
    ]
    return sorted(own, key=lambda c: c.function.__code__.co_firstlineno)


def _modules_at(path: Path) -> Iterable[ModuleType]:
    """The module or package of claims at a path outside the installed package."""
    source = path / "__init__.py" if path.is_dir() else path
    if not source.exists():
        raise ClaimError(f"Expected claims at {path}: no such file or package.")
    name = f"dpverify_claims_{path.stem}_{zlib.crc32(bytes(path.resolve())):08x}"
    spec = importlib.util.spec_from_file_location(
        name, source, submodule_search_locations=[str(path)] if path.is_dir() else None
    )
    if spec is None or spec.loader is None:
        raise ClaimError(f"Expected a Python file of claims at {path}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # helpers beside the file are found, as they are beside a script
    with _no_claim_lost():
        with _errors_named(source):
            spec.loader.exec_module(module)
        modules = list(_with_parts(module))
    if not any(_claims_of(part) for part in modules):
        raise ClaimError(
            f"Expected claims in {source}:1, there are none: a claim is a function under "
            "@claim(PAPER, ...) at the top of its module."
        )
    return modules


@contextmanager
def _errors_named(source: Path) -> Iterator[None]:
    """Turn whatever a file of claims raises into a `ClaimError` with the line of that file."""
    try:
        yield
    except ClaimError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, SyntaxError) and error.filename:
            where = f"{error.filename}:{error.lineno}"
        else:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if Path(frame.filename).is_relative_to(source.parent)]
            where = f"{own[-1].filename}:{own[-1].lineno}" if own else str(source)
        raise ClaimError(f"Cannot load {where}: {type(error).__name__}: {error}") from error


@contextmanager
def _no_claim_lost() -> Iterator[None]:
    """A claim that is made while modules are loaded, and cannot be reached by a name of its module, would
    never be checked: an error.
    """
    made: list[Claim] = []
    token = _made.set(made)
    try:
        yield
    finally:
        _made.reset(token)
    for item in made:
        module = sys.modules.get(item.function.__module__)
        if module is not None and not any(item is other for other in vars(module).values()):
            other = vars(module).get(item.function.__name__)
            why = (
                f"line {other.line} gives its name to {other.id}"
                if isinstance(other, Claim)
                else "it has no name at the top of its module"
            )
            raise ClaimError(
                f"The claim {item.id} at {item.location} is lost: {why}. "
                "Expected a function name of its own for each claim."
            )


def _with_parts(module: ModuleType) -> Iterable[ModuleType]:
    yield module
    paper = getattr(module, "PAPER", None)
    if paper is None:
        raise ClaimError(f"Expected a PAPER in {module.__file__}.")
    if not isinstance(paper, Paper):
        raise ClaimError(f"Expected PAPER={paper!r} in {module.__file__} to be a Paper.")
    for part in paper.parts:
        with _errors_named(Path(module.__file__ or "")):
            loaded = importlib.import_module(f"{module.__name__}.{part}")
        yield loaded


def _installed(keys: Iterable[str] | None) -> Iterable[ModuleType]:
    import dpverify.symbolic as home

    wanted = None if keys is None else {key.replace("-", "_") for key in keys}
    for info in sorted(pkgutil.iter_modules(home.__path__), key=lambda info: info.name):
        if wanted is None or info.name in wanted:
            with _no_claim_lost():
                modules = list(_with_parts(importlib.import_module(f"{home.__name__}.{info.name}")))
            yield from modules


def find(*paths: str | Path, papers: Iterable[str] | None = None) -> dict[str, Claim]:
    """All claims by id, in the order of their papers: those at `paths`, or the installed papers (all, or
    those named).

    Duplicate ids, unknown ids in `uses` or `correction`, and cycles are errors that name the file.

    >>> "dynamic-noise/lemma-4.1" in find(papers=["dynamic-noise"])
    True
    """
    modules = [m for path in paths for m in _modules_at(Path(path))] if paths else list(_installed(papers))
    claims: dict[str, Claim] = {}
    for module in modules:
        for item in _claims_of(module):
            if item.id in claims:
                raise ClaimError(
                    f"Duplicate claim id {item.id!r} at {item.location} and {claims[item.id].location}."
                )
            claims[item.id] = item
    _validate(claims, partial=papers is not None)
    return claims


def _validate(claims: dict[str, Claim], partial: bool) -> None:
    keys = {item.paper.key for item in claims.values()}
    for item in claims.values():
        for id in (*item.uses, *([item.correction] if item.correction else [])):
            elsewhere = partial and id.split("/")[0] not in keys
            if id not in claims and not elsewhere:
                raise ClaimError(
                    f"Unknown claim id {id!r} in {item.id} ({item.location}).{did_you_mean(id, claims)}"
                )
    state: dict[str, int] = {}

    def visit(id: str, trail: tuple[str, ...]) -> None:
        if state.get(id) == 2 or id not in claims:
            return
        if state.get(id) == 1:
            raise ClaimError(
                f"Cycle of claims {' -> '.join((*trail[trail.index(id) :], id))} at {claims[id].location}."
            )
        state[id] = 1
        for other in claims[id].uses:
            visit(other, (*trail, id))
        state[id] = 2

    for id in claims:
        visit(id, ())


def select(claims: dict[str, Claim], patterns: Sequence[str]) -> list[Claim]:
    """The claims whose id matches one of the patterns (an id, or a glob such as `dp-accel/eq-*`); all if
    there are none.

    >>> select({}, [])
    []
    """
    if not patterns:
        return list(claims.values())
    chosen: dict[str, Claim] = {}
    for pattern in patterns:
        hits = [item for item in claims.values() if fnmatch.fnmatchcase(item.id, pattern)]
        if not hits:
            raise ClaimError(f"No claim matches {pattern!r}.{did_you_mean(pattern, claims)}")
        chosen.update((item.id, item) for item in hits)
    return [item for item in claims.values() if item.id in chosen]
