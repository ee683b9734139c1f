"""What a question of the exam is, and which answers to it are wrong.

TRUE         true, and within reach: to be PROVED
OPEN         true, and perhaps beyond the engine: never REFUTED
FALSE        false at a point that meets every hypothesis: never PROVED
UNDEFINED    a side has no value, or no real one, on part of the domain, or the form has no meaning: never
             PROVED and never SUPPORTED
EMPTY        the hypotheses contradict each other: UNDECIDED
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, Verdict


class Kind(StrEnum):
    """One of TRUE, OPEN, FALSE, UNDEFINED, EMPTY.

    >>> PROVED in Kind.FALSE.wrong_answers
    True
    """

    TRUE = "true"
    OPEN = "true, open"
    FALSE = "false"
    UNDEFINED = "undefined"
    EMPTY = "empty"

    @property
    def wrong_answers(self) -> tuple[Verdict, ...]:
        """Verdicts that show a fault of the engine."""
        return {
            Kind.TRUE: (REFUTED,),
            Kind.OPEN: (REFUTED,),
            Kind.FALSE: (PROVED,),
            Kind.UNDEFINED: (PROVED, SUPPORTED),
            Kind.EMPTY: (PROVED, SUPPORTED, REFUTED),
        }[self]


TRUE = Kind.TRUE
OPEN = Kind.OPEN
FALSE = Kind.FALSE
UNDEFINED = Kind.UNDEFINED
EMPTY = Kind.EMPTY

Question = tuple[Kind, Callable[[], Any]]  # of which kind it is, and a function that builds the relation
