"""Laws that every algorithm, every adapter and anybody's optimizer must obey: one function each, one file per
family.

    from dpverify.properties import LAWS, check, hold

    check("dp-nag")                                       # what became of every law, by its name
    hold(my_mechanism, data, declared=release)            # the same in a test: raises if one is refuted
    LAWS["sensitivity"](my_algorithm, data)               # one law

The outcome of a law is a Result, or NotApplicable with the reason.
"""

from __future__ import annotations

from typing import Any

from dpverify.parallel import each, stop
from dpverify.properties.laws import Law, law
from dpverify.properties.laws import laws as every_law
from dpverify.subjects import SHOWN, NotApplicable, Outcome, Subject, as_subject
from dpverify.verdicts import REFUTED

__all__ = ["LAWS", "Law", "NotApplicable", "Outcome", "Subject", "as_subject", "check", "hold", "law"]


def __getattr__(name: str) -> Any:
    if name == "LAWS":
        return every_law()
    raise AttributeError(
        f"module 'dpverify.properties' has no attribute {name!r}; it has {', '.join(__all__)}"
    )


def check(
    thing: Any, data: Any = None, *, family: str | None = None, seed: int = 0, **details: Any
) -> dict[str, Outcome]:
    """Checks every law (of a family) on an algorithm or mechanism: what became of each, by its name.

    >>> check("private-gd", family="sensitivity")["sensitivity"].verdict
    <Verdict.SUPPORTED: 'SUPPORTED'>
    """
    families = sorted({one.family for one in every_law().values()})
    if family is not None and family not in families:
        raise ValueError(f"Expected family={family!r} among {', '.join(families)}.")
    subject = as_subject(thing, data, **details)
    chosen = {name: one for name, one in every_law().items() if family in (None, one.family)}
    return dict(each(_outcome, list(chosen), shared=(subject, seed), instead=stop))


def _outcome(subject: Subject, seed: int, name: str) -> Outcome:
    """One law, by its name: what travels to a worker."""
    return every_law()[name](subject, seed=seed)


def hold(thing: Any, data: Any = None, **details: Any) -> dict[str, Outcome]:
    """The same for a test: raises AssertionError with the witness of every law that is refuted. Half of
    the claimed epsilon may fall, and records that are not numbers may show: these laws judge nobody.

    >>> sorted(hold("private-gd", family="limits"))
    ['affine', 'forms', 'noiseless']
    """
    outcomes = check(thing, data, **details)
    refuted = [
        f"{name}: {outcome}"
        for name, outcome in outcomes.items()
        if not isinstance(outcome, NotApplicable) and outcome.verdict is REFUTED and name not in SHOWN
    ]
    if refuted:
        raise AssertionError("\n".join(refuted))
    return outcomes
