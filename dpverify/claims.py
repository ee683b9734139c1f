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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.verdicts import PROVED, Verdict


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

    @property
    def file(self) -> str:
        """The file that defines it."""
        return inspect.getsourcefile(self.function) or "?"


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
) -> Callable[[Callable[..., Any]], Claim]:
    """Make a claim of a function that returns a relation; ids without a slash are of the same paper.

    `breaks` says what a refutation of it breaks: "privacy", "theorem" or "proof".

    >>> @claim(Paper("p", "P (2020)"), "eq-1", at="Eq (1)")
    ... def one_is_one():
    ...     "1 = 1"
    >>> one_is_one.id, one_is_one.statement
    ('p/eq-1', '1 = 1')
    """

    def full(id: str) -> str:
        return id if "/" in id else f"{paper.key}/{id}"

    def make(function: Callable[..., Any]) -> Claim:
        where = f"{inspect.getsourcefile(function)}, {function.__name__}"
        if not function.__doc__:
            raise ClaimError(f"Expected a docstring with the statement of {full(name)} in {where}.")
        if breaks not in (None, "privacy", "theorem", "proof"):
            raise ClaimError(f"Expected breaks={breaks!r} to be 'privacy', 'theorem' or 'proof' in {where}.")
        statement = " ".join(function.__doc__.split())
        leans = tuple(full(id) for id in uses)
        return Claim(
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
        )

    return make


def _claims_of(module: ModuleType) -> list[Claim]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, Claim) and value.function.__module__ == module.__name__
    ]
    return sorted(own, key=lambda c: c.function.__code__.co_firstlineno)


def _modules_at(path: Path) -> Iterable[ModuleType]:
    """The module or package of claims at a path outside the installed package."""
    name = f"dpverify_claims_{path.stem}"
    source = path / "__init__.py" if path.is_dir() else path
    if not source.exists():
        raise ClaimError(f"Expected claims at {path}: no such file or package.")
    spec = importlib.util.spec_from_file_location(
        name, source, submodule_search_locations=[str(path)] if path.is_dir() else None
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    yield from _with_parts(module)


def _with_parts(module: ModuleType) -> Iterable[ModuleType]:
    yield module
    paper = getattr(module, "PAPER", None)
    if paper is None:
        raise ClaimError(f"Expected a PAPER in {module.__file__}.")
    for part in paper.parts:
        yield importlib.import_module(f"{module.__name__}.{part}")


def _installed(keys: Iterable[str] | None) -> Iterable[ModuleType]:
    import dpverify.symbolic as home

    wanted = None if keys is None else {key.replace("-", "_") for key in keys}
    for info in sorted(pkgutil.iter_modules(home.__path__), key=lambda info: info.name):
        if wanted is None or info.name in wanted:
            yield from _with_parts(importlib.import_module(f"{home.__name__}.{info.name}"))


def find(*paths: str | Path, papers: Iterable[str] | None = None) -> dict[str, Claim]:
    """All claims by id, in the order of their papers: those at `paths`, or the installed papers (all, or
    those named).

    Duplicate ids, unknown ids in `uses` or `correction`, and cycles are errors that name the file.

    >>> "dynamic-noise/lemma-4.1" in find(papers=["dynamic-noise"])
    True
    """
    modules = [m for path in paths for m in _modules_at(Path(path))] if paths else list(_installed(papers))
    found: dict[str, Claim] = {}
    for module in modules:
        for item in _claims_of(module):
            if item.id in found:
                raise ClaimError(f"Duplicate claim id {item.id!r} in {item.file} and {found[item.id].file}.")
            found[item.id] = item
    _validate(found, partial=papers is not None)
    return found


def _validate(found: dict[str, Claim], partial: bool) -> None:
    keys = {item.paper.key for item in found.values()}
    for item in found.values():
        for id in (*item.uses, *([item.correction] if item.correction else [])):
            elsewhere = partial and id.split("/")[0] not in keys
            if id not in found and not elsewhere:
                raise ClaimError(f"Unknown claim id {id!r} in {item.id} ({item.file}).")
    state: dict[str, int] = {}

    def visit(id: str, trail: tuple[str, ...]) -> None:
        if state.get(id) == 2 or id not in found:
            return
        if state.get(id) == 1:
            raise ClaimError(
                f"Cycle of claims {' -> '.join((*trail[trail.index(id) :], id))} in {found[id].file}."
            )
        state[id] = 1
        for other in found[id].uses:
            visit(other, (*trail, id))
        state[id] = 2

    for id in found:
        visit(id, ())


def select(found: dict[str, Claim], patterns: Sequence[str]) -> list[Claim]:
    """The claims whose id matches one of the patterns (an id, or a glob such as `dp-accel/eq-*`); all if
    there are none.

    >>> select({}, [])
    []
    """
    if not patterns:
        return list(found.values())
    chosen: dict[str, Claim] = {}
    for pattern in patterns:
        hits = [item for item in found.values() if fnmatch.fnmatchcase(item.id, pattern)]
        if not hits:
            import difflib

            near = difflib.get_close_matches(pattern, found, n=3, cutoff=0.5)
            raise ClaimError(
                f"No claim matches {pattern!r}.{' Did you mean ' + ', '.join(near) + '?' if near else ''}"
            )
        chosen.update((item.id, item) for item in hits)
    return [item for item in found.values() if item.id in chosen]
