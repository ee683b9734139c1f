"""The exam of the provers: relations known to be true, and falsehoods that look like them.

    soundness   not one falsehood is PROVED
    power       at least 95 % of the truths are PROVED, none REFUTED

Each module here has TRUE and FALSE: lists of (name, function that builds the relation). Falsehoods are true
relations perturbed: a sign, an exponent, a constant times 1.01, a strict for a non-strict sign at equality, a
hypothesis dropped.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dpverify.effort import PROFILES, QUICK, Effort
from dpverify.parallel import each
from dpverify.verdicts import PROVED, REFUTED, Result


@dataclass(frozen=True)
class Case:
    """One question of the exam, and whether it is true."""

    name: str
    truth: bool
    build: Callable[[], Any] = field(repr=False)


@dataclass(frozen=True)
class Grade:
    """How one question was answered."""

    case: Case
    result: Result

    @property
    def wrong(self) -> bool:
        """A falsehood proved, or a truth refuted."""
        return self.result.verdict is (REFUTED if self.case.truth else PROVED)


def cases() -> list[Case]:
    """All questions, by module.

    >>> len(cases()) >= 240
    True
    """
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for truth, questions in ((True, module.TRUE), (False, module.FALSE)):
            found += [Case(f"{info.name}: {name}", truth, build) for name, build in questions]
    return found


def _answer(effort: Effort, i: int) -> Result:
    from dpverify.proving import prove

    return prove(cases()[i].build(), effort)


def sit(effort: Effort = QUICK, jobs: int = 1) -> Iterator[Grade]:
    """Answer every question."""
    questions = cases()
    for i, result in each(_answer, range(len(questions)), shared=(effort,), workers=jobs, ordered=False):
        yield Grade(questions[i], result)


def report(grades: list[Grade]) -> str:
    """The counts, and every answer that is wrong or open.

    >>> report([])
    'truths: 0 of 0 proved, 0 refuted; falsehoods: 0 of 0 refuted, 0 proved'
    """
    true = Counter(g.result.verdict.value for g in grades if g.case.truth)
    false = Counter(g.result.verdict.value for g in grades if not g.case.truth)
    head = (
        f"truths: {true['PROVED']} of {true.total()} proved, {true['REFUTED']} refuted; "
        f"falsehoods: {false['REFUTED']} of {false.total()} refuted, {false['PROVED']} proved"
    )
    notes = [
        f"  {'WRONG' if g.wrong else 'open'}: {g.case.name} "
        f"({'true' if g.case.truth else 'false'}) is {g.result.verdict}: {g.result.because[:200]}"
        for g in sorted(grades, key=lambda g: (not g.wrong, g.case.name))
        if g.wrong or g.result.verdict is not (PROVED if g.case.truth else REFUTED)
    ]
    return "\n".join([head, *notes])


def main(profile: str = "quick") -> int:
    """Sit the exam with a progress bar, print the counts; 0 if it is passed, else 1."""
    from rich.progress import track

    effort, total = PROFILES[profile], len(cases())
    grades = list(track(sit(effort, jobs=2), "exam", total=total, console=_stderr()))
    print(report(grades))
    truths = [g for g in grades if g.case.truth]
    power = sum(g.result.verdict is PROVED for g in truths) / max(len(truths), 1)
    return 0 if power >= 0.95 and not any(g.wrong for g in grades) else 1


def _stderr() -> Any:
    from rich.console import Console

    return Console(file=sys.stderr)
