"""What a tactic may answer instead of a certificate: simpler relations that imply the one at hand, or a point
against it.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from dpverify.optional import optional
from dpverify.proving.limits import uninterrupted

depth: ContextVar[int] = ContextVar("depth", default=0)  # how many reductions lie above the relation at hand


@dataclass(frozen=True)
class Reduction:
    """Relations that, all proved, imply the relation at hand; `because` names the theorem that says so."""

    steps: tuple[tuple[Any, str], ...]
    because: str


@dataclass(frozen=True)
class Counterpoint:
    """A point that a solver believes to break the relation; the engine verifies and shrinks it."""

    point: dict[Any, Any]


def engine(module: str, extra: str) -> Any:
    """An optional engine, or `Missing` with the command that installs it.

    >>> engine("math", "smt").pi > 3
    True
    """
    with uninterrupted():
        return optional(module, extra)
