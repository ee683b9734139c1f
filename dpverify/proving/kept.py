"""Proofs that were found before, relation by relation: looked at before anything is searched for.

A kept proof is a suggestion and no more: which tactic closed a relation, and its certificate, or the simpler
relations to which it was reduced. The gate, the checker of the certificate, the point that meets the
hypotheses, the hard search for a counterexample and the judges have their turn as with a proof that was found
a moment ago; a suggestion that its checker does not accept is as good as none, and the search begins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import sympy as sp

FILE = "proofs.json"  # beside the claims whose proofs it holds


@dataclass(frozen=True)
class Suggestion:
    """The tactic that closed a relation, with the certificate that its checker accepted, or with the
    reduction (its theorem, and the keys of its steps) whose steps were closed.
    """

    tactic: str
    certificate: Mapping[str, Any]


@dataclass
class Book:
    """The suggestions that may be used, those that were, and what was closed without one."""

    known: Mapping[str, Suggestion] = field(default_factory=dict)
    used: dict[str, Suggestion] = field(default_factory=dict)
    found: dict[str, Suggestion] = field(default_factory=dict)


_book: ContextVar[Book | None] = ContextVar("book", default=None)


@contextmanager
def open_book(known: Mapping[str, Suggestion]) -> Iterator[Book]:
    """Inside, relations are first looked up among these suggestions; the book notes what closed which.

    >>> from dpverify.proving import prove
    >>> from dpverify.relations import AtMost
    >>> x, y = sp.symbols("x y", positive=True)
    >>> square = AtMost(2 * x * y, x**2 + y**2)
    >>> with open_book({}) as first:
    ...     verdict = prove(square).verdict
    >>> with open_book(first.found) as second:
    ...     verdict = prove(square).verdict
    >>> list(first.found) == list(second.used) == [key(square)], second.found
    (True, {})
    """
    book = Book(known)
    token = _book.set(book)
    try:
        yield book
    finally:
        _book.reset(token)


def some_known() -> bool:
    """Whether there are suggestions that may be used.

    >>> some_known()
    False
    """
    book = _book.get()
    return book is not None and bool(book.known)


def suggestion(relation: Any) -> Suggestion | None:
    """What closed the relation before, if that is known."""
    book = _book.get()
    return book.known.get(key(relation)) if book is not None and book.known else None


def note(relation: Any, tactic: str, certificate: Mapping[str, Any]) -> None:
    """Note what closed a relation."""
    book = _book.get()
    if book is None:
        return
    name = key(relation)
    closed = Suggestion(tactic, certificate)
    (book.used if book.known.get(name) == closed else book.found)[name] = closed


def key(relation: Any) -> str:
    """A relation by its text and by what is assumed of its symbols, as a short name.

    >>> x, X = sp.Symbol("x", positive=True), sp.Symbol("x", real=True)
    >>> from dpverify.relations import AtMost
    >>> key(AtMost(x, 1)) == key(AtMost(x, 1)), key(AtMost(x, 1)) == key(AtMost(X, 1))
    (True, False)
    """
    return _joined(
        type(relation).__name__, [_digest(getattr(relation, part.name)) for part in fields(relation)]
    )


def _joined(name: str, parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join([name, *parts]).encode()).hexdigest()[:24]


def _digest(value: Any) -> str:
    if isinstance(value, list | tuple):
        return _joined("", [_digest(part) for part in value])
    return _of_expression(value) if isinstance(value, sp.Basic) else str(value)


@lru_cache(maxsize=200_000)  # relations of one proof have most of their parts in common
def _of_expression(e: sp.Basic) -> str:
    if isinstance(e, sp.Symbol):  # all that follows from what was said of it: equal symbols have one name
        return _joined(e.name, [str(sorted(e.assumptions0.items()))])
    return _joined(type(e).__name__, [_digest(part) for part in e.args] or [sp.sstr(e)])


def read(folder: Path) -> Mapping[str, Suggestion]:
    """The proofs that are kept in a folder of claims; none if there is no such file.

    >>> read(Path("no such folder"))
    {}
    """
    path = folder / FILE
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Mapping[str, Suggestion]:
    try:
        records = json.loads(path.read_text())
        return {name: Suggestion(tactic, certificate) for name, (tactic, certificate) in records.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"Expected proofs in {path}, as `dpverify proofs` writes them: {error}.") from error


def write(folder: Path, proofs: Mapping[str, Suggestion]) -> Path:
    """Keep proofs in a folder of claims, one to a line, sorted, so that a change is seen."""
    lines = [
        f"{json.dumps(name)}: {json.dumps([proof.tactic, proof.certificate])}"
        for name, proof in sorted(proofs.items())
    ]
    path = folder / FILE
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return path
