"""What a law is: a function of a `Subject` and a seed that returns a `Result`, and says what it needs to see.

    @law("algorithm", "claim")
    def my_law(subject, seed):
        \"\"\"What it says, in one sentence.\"\"\"
        return broken("what was seen instead", {"step": "3"}) or held("what was looked at", ceiling="...")

A subject that lacks one of the capabilities is not judged: the outcome is a `NotApplicable` with the reason.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from dpverify.auditing import MechanismError
from dpverify.neighbours import Data
from dpverify.optional import optional
from dpverify.subjects import CAPABILITIES, NotApplicable, Outcome, Subject, as_subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

EXAMPLES = 25  # that Hypothesis tries of a law about an algorithm
ALPHA = 1e-3  # of a false refutation, of each law that is a test


@dataclass(frozen=True)
class Law:
    """A named law; calling it checks it on anything that `as_subject` takes.

    >>> laws()["budget"]("private-gd").verdict
    <Verdict.SUPPORTED: 'SUPPORTED'>
    """

    name: str
    family: str
    statement: str
    needs: tuple[str, ...]
    function: Callable[[Subject, int], Outcome]

    def __call__(self, thing: Any, data: Data = None, *, seed: int = 0, **details: Any) -> Outcome:
        subject = as_subject(thing, data, **details)
        begun = time.perf_counter()
        try:
            outcome = subject.lacks(*self.needs) or self.function(subject, seed)
        except MechanismError as error:
            outcome = Result(UNDECIDED, str(error))
        if isinstance(outcome, NotApplicable):
            return outcome
        witness = outcome.witness
        if witness is not None and not witness.contradicts:
            outcome = outcome.with_(witness=replace(witness, contradicts=self.statement))
        return outcome.with_(seconds=time.perf_counter() - begun)


def law(*needs: str) -> Callable[[Callable[[Subject, int], Outcome]], Law]:
    """Makes a law of a function that needs these capabilities of its subject.

    >>> law("claims")
    Traceback (most recent call last):
    ValueError: Expected needs=claims among algorithm, mechanism, data, neighbours, claim, ...
    """
    for need in needs:
        if need not in CAPABILITIES:
            raise ValueError(f"Expected needs={need} among {', '.join(CAPABILITIES)}.")

    def make(function: Callable[[Subject, int], Outcome]) -> Law:
        family = function.__module__.partition(".properties.")[2].partition(".")[0]
        sentence = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        return Law(function.__name__, family, sentence, needs, function)

    return make


@cache
def laws() -> dict[str, Law]:
    """Every law by its name, family by family; a module of this package that defines one is found by itself.

    >>> laws()["sensitivity"].needs
    ('data', 'releases')
    """
    package = importlib.import_module(__package__)
    collected: dict[str, Law] = {}
    for info in pkgutil.walk_packages(package.__path__, f"{__package__}."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Law) and value.function.__module__ == info.name:
                if value.name in collected:
                    raise ValueError(f"Expected different names of laws, got {value.name} twice.")
                collected[value.name] = value
    return collected


def broken(
    then: str, let: dict[str, str], exact: dict[str, Any] | None = None, contradicts: str = ""
) -> Result:
    """A refuted law: the case, and what follows; it contradicts what the law says.

    >>> broken("x is 2", {"x": "1 + 1"}).because
    'x is 2.'
    """
    return Result(REFUTED, f"{then}.", witness=Witness(let, then, contradicts, exact or {}))


def held(
    because: str, ceiling: str, samples: int | None = None, alpha: float | None = None, **figures: Any
) -> Result:
    """A law that was tested and stands: what was looked at, and the most that could have been seen.

    >>> held("Two runs agree.", "a difference in these runs", samples=2).verdict
    <Verdict.SUPPORTED: 'SUPPORTED'>
    """
    return Result(SUPPORTED, because, Evidence("law", figures, alpha=alpha, samples=samples, ceiling=ceiling))


class _Violated(Exception):
    """Tells Hypothesis to make the case smaller."""


def violation(
    check: Callable[..., Result | None],
    first: Iterable[dict[str, Any]] = (),
    examples: int = EXAMPLES,
    **strategies: Any,
) -> Result | None:
    """The smallest case on which `check` returns a Result, by Hypothesis; None if there is none among
    `first` and those that were drawn. Without randomness between two runs.

    >>> from hypothesis import strategies as st
    >>> violation(lambda n: broken(f"n is {n}", {}) if n > 4 else None, n=st.integers(0, 9)).because
    'n is 5.'
    """
    optional("hypothesis", "tests")
    from hypothesis import HealthCheck, Phase, given, settings

    from dpverify.strategies import drawn_alike

    for arguments in first:
        result = check(**arguments)
        if result is not None:
            return result
    latest: list[Result] = []

    def once(**arguments: Any) -> None:
        result = check(**arguments)
        if result is not None:
            latest.append(result)
            raise _Violated

    once.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in strategies]
    )
    search = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.target, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        with drawn_alike():
            search(given(**strategies)(once))()
    except _Violated:
        return latest[-1]
    return None


def same(a: Any, b: Any, tolerance: float = 0.0) -> bool:
    """Whether two states, answers or releases are equal, arrays and nested tuples included, up to a relative
    tolerance.

    >>> same((1, np.zeros(2)), (1, np.zeros(2))), same((np.zeros(2),), (np.ones(2),))
    (True, False)
    """
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        return a.shape == b.shape and np.allclose(
            a, b, rtol=tolerance, atol=tolerance * (1 + np.max(np.abs(a), initial=0.0)), equal_nan=True
        )
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b))
    return bool(a == b)
