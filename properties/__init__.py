"""Laws that every algorithm and every adapter must obey, one function each, one file per family.

    from dpverify.properties import LAWS, hold

    hold("dp-nag")                                        # an algorithm of the papers, by name
    hold(my_algorithm, data)                              # any Algorithm
    hold(my_mechanism, data, declared=release)            # any callable (data, rng) -> output
    LAWS["one_record_moves_the_query_by_at_most_its_sensitivity"](my_algorithm, data)

A law that is broken raises AssertionError with the smallest example found; one that cannot apply raises
`NotApplicable` with the reason.
"""

from __future__ import annotations

from typing import Any

from .laws import FAMILIES, Law, NotApplicable, Subject, law, laws, subject

__all__ = ["FAMILIES", "LAWS", "Law", "NotApplicable", "Subject", "hold", "law", "subject"]


def __getattr__(name: str) -> Any:
    if name == "LAWS":
        return laws()
    raise AttributeError(
        f"module 'dpverify.properties' has no attribute {name!r}; it has {', '.join(__all__)}"
    )


def hold(thing: Any, data: Any = None, *, family: str | None = None, **details: Any) -> dict[str, str]:
    """Checks every law (of a family) on an algorithm or mechanism; what became of each: "holds", or why it
    does not apply.

    >>> hold("private-gd", family="sensitivity")["one_record_moves_the_query_by_at_most_its_sensitivity"]
    'holds'
    """
    about = subject(thing, data, **details)
    found = {}
    for name, one in laws().items():
        if family is None or one.family == family:
            try:
                one.check(about)
                found[name] = "holds"
            except NotApplicable as reason:
                found[name] = f"does not apply: {reason}"
    if not found:
        raise ValueError(f"Expected family={family!r} among {', '.join(FAMILIES)}.")
    return found
