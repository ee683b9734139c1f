"""The exam of the provers: relations known to be true, falsehoods that look like them, what has no meaning.

    soundness   not one falsehood is PROVED, nor anything with a side that is not defined or with hypotheses
                that contradict each other
    power       at least 95 % of the truths are PROVED, none REFUTED

A module here has TRUE and FALSE, lists of (name, function that builds the relation): falsehoods are true
relations perturbed by a sign, an exponent, a constant times 1.01, a strict for a non-strict sign at equality,
a hypothesis dropped. Or it has CAUSES: questions of all kinds (`kinds`), by what a prover may overlook.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dpverify.effort import PROFILES, QUICK, Effort
from dpverify.exam.kinds import FALSE, OPEN, TRUE, Kind
from dpverify.parallel import each
from dpverify.verdicts import PROVED, REFUTED, Result


@dataclass(frozen=True)
class Case:
    """One question of the exam: its name, where it belongs, what kind it is of."""

    name: str
    cause: str
    kind: Kind
    build: Callable[[], Any] = field(repr=False)

    @property
    def truth(self) -> bool:
        """Whether the relation is true."""
        return self.kind in (TRUE, OPEN)


@dataclass(frozen=True)
class Grade:
    """How one question was answered."""

    case: Case
    result: Result

    @property
    def wrong(self) -> bool:
        """A falsehood proved, a truth refuted, or something without a meaning that was not seen to be so."""
        return self.result.verdict in self.case.kind.wrong_answers

    @property
    def right(self) -> bool:
        """A truth proved, a falsehood refuted, nothing said of the rest."""
        best = {TRUE: PROVED, OPEN: self.result.verdict, FALSE: REFUTED}
        return not self.wrong and self.result.verdict is best.get(self.case.kind, self.result.verdict)


def cases() -> list[Case]:
    """All questions, by module and by cause.

    >>> {case.kind for case in cases()} >= {TRUE, FALSE}
    True
    """
    all_cases = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cause, questions in getattr(module, "CAUSES", {}).items():
            all_cases += [
                Case(f"{cause}, {i + 1}", cause, k, build) for i, (k, build) in enumerate(questions)
            ]
        for kind in (TRUE, FALSE) if isinstance(getattr(module, "TRUE", None), list) else ():
            listed = getattr(module, kind.name)
            all_cases += [Case(f"{info.name}: {name}", info.name, kind, build) for name, build in listed]
    return all_cases


@cache
def _by_name() -> dict[str, Case]:
    return {case.name: case for case in cases()}


def _answer(effort: Effort, name: str) -> Result:
    from dpverify.proving import prove

    return prove(_by_name()[name].build(), effort)


def sit(effort: Effort = QUICK, jobs: int = 1, seconds: float | None = None) -> Iterator[Grade]:
    """Answer every question; with a limit of `seconds` for each, in processes of their own."""
    questions = _by_name()
    for name, result in each(
        _answer,
        list(questions),
        shared=(effort,),
        workers=jobs,
        ordered=False,
        seconds=seconds,
        ready=_by_name,
    ):
        yield Grade(questions[name], result)


def report(grades: list[Grade]) -> str:
    """The counts, in all and by cause, and every answer that is wrong or open.

    >>> report([])
    'truths: 0 of 0 proved, 0 refuted; falsehoods: 0 of 0 refuted, 0 proved; without meaning: 0 of 0 proved'
    """
    lines = [_counts(grades)]
    for cause in dict.fromkeys(g.case.cause for g in grades):
        lines.append(f"  {cause}: {_counts([g for g in grades if g.case.cause == cause])}")
    lines += [
        f"  {'WRONG' if g.wrong else 'open'}: {g.case.name} ({g.case.kind}) is {g.result.verdict}: "
        f"{g.result.because[:200]}"
        for g in sorted(grades, key=lambda g: (not g.wrong, g.case.name))
        if not g.right
    ]
    return "\n".join(lines)


def _counts(grades: list[Grade]) -> str:
    true = Counter(g.result.verdict for g in grades if g.case.truth)
    false = Counter(g.result.verdict for g in grades if g.case.kind is FALSE)
    other = Counter(g.result.verdict for g in grades if not g.case.truth and g.case.kind is not FALSE)
    return (
        f"truths: {true[PROVED]} of {true.total()} proved, {true[REFUTED]} refuted; "
        f"falsehoods: {false[REFUTED]} of {false.total()} refuted, {false[PROVED]} proved; "
        f"without meaning: {other[PROVED]} of {other.total()} proved"
    )


def main(profile: str = "quick") -> int:
    """Sit the exam with a progress bar, print the counts; 0 if it is passed, else 1."""
    from dpverify.progress import progress_bar

    grades = []
    with progress_bar("exam", len(cases())) as advance:
        for grade in sit(PROFILES[profile], jobs=2):
            grades.append(grade)
            advance()
    print(report(grades))
    truths = [g for g in grades if g.case.kind is TRUE]
    power = sum(g.result.verdict is PROVED for g in truths) / max(len(truths), 1)
    return 0 if power >= 0.95 and not any(g.wrong for g in grades) else 1
