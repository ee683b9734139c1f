"""What a tactic answers: a certificate, simpler relations that imply the one at hand, a point against it, the
result of a scan, or why it gave up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from dpverify.optional import optional
from dpverify.proving.limits import uninterrupted
from dpverify.proving.replays import Replay
from dpverify.verdicts import Result

depth: ContextVar[int] = ContextVar("depth", default=0)  # how many relations lean on the one at hand
# How many reductions lie between what somebody wrote, a statement or a step of a proof, and the relation.
reductions: ContextVar[int] = ContextVar("reductions", default=0)


@contextmanager
def nested(as_written: bool = False) -> Iterator[None]:
    """Inside, relations lean on one another; one that was written by an author begins afresh.

    >>> with nested():
    ...     depth.get(), reductions.get()
    (1, 1)
    """
    token, count = depth.set(depth.get() + 1), reductions.set(0 if as_written else reductions.get() + 1)
    try:
        yield
    finally:
        depth.reset(token)
        reductions.reset(count)


@dataclass(frozen=True)
class Reduction:
    """Relations that, all proved, imply the relation at hand; `because` names the theorem that says so.

    Steps that hold expressions `as_written` by the author of the statement pass the gate once more. What the
    tactic chose is `shown` in the certificate. What calculus or algebra gave to the steps is replayed by
    numbers (`replays`) before it is believed. With the `recipe`, as JSON, the tactic makes the reduction
    `again` without a search.
    """

    steps: tuple[tuple[Any, str], ...]
    because: str
    as_written: bool = False
    shown: dict[str, str] = field(default_factory=dict)
    replays: tuple[Replay, ...] = ()
    recipe: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ways:
    """Reductions to be tried in turn, the next one made only when the one before did not close."""

    reductions: Iterable[Reduction]


@dataclass(frozen=True)
class Certificate:
    """What the tactic's `check` accepts as a proof, as JSON; its `summary` says it in words."""

    content: dict[str, Any]


@dataclass(frozen=True)
class Counterpoint:
    """A point that a solver believes to break the relation; the engine verifies and shrinks it."""

    point: dict[Any, Any]


@dataclass(frozen=True)
class Scanned:
    """The result of a scan, which is never PROVED."""

    result: Result


@dataclass(frozen=True)
class GaveUp:
    """Why the tactic does not decide the relation; `cut_short` if more time might have."""

    why: str
    cut_short: bool = False


Outcome = Certificate | Ways | Counterpoint | Scanned | GaveUp


def engine(module: str, extra: str) -> Any:
    """An optional engine, or `Missing` with the command that installs it.

    >>> engine("math", "smt").pi > 3
    True
    """
    with uninterrupted():
        return optional(module, extra)
