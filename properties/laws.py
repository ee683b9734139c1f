"""What a law is, and what it is about.

A law is a function of a `Subject` and of drawn arguments; `@law(name=strategy_of(subject))` makes Hypothesis
search for the arguments that break it, without randomness between two runs.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency, Data
from dpverify.releases import Subsampled, TreeNode

Array = np.ndarray[Any, Any]

FAMILIES = ("privacy", "sensitivity", "utility", "limits", "reproducibility")
EXAMPLES = 25  # that Hypothesis tries of every law


class NotApplicable(Exception):
    """The law says nothing about this subject; the message says why."""


@dataclass(frozen=True)
class Subject:
    """What a law is about: an algorithm or a mechanism, data that fit it, and what is claimed of it."""

    name: str
    data: Data
    algorithm: Algorithm | None = None
    mechanism: Callable[..., Any] | None = None
    adjacency: Adjacency = REPLACE
    claimed: Any = None
    declared: Any = None
    example: Example | None = None

    def needs_algorithm(self) -> Algorithm:
        """The algorithm, for laws that need its four functions."""
        if self.algorithm is None:
            raise NotApplicable(
                "it needs the four functions of an Algorithm; a mechanism shows its output alone"
            )
        return self.algorithm

    def needs_example(self, field: str) -> Any:
        """A field of the example that the subject comes from, which must be there."""
        value = getattr(self.example, field, None)
        if value is None:
            raise NotApplicable(f"it needs an example with {field!r}")
        return value

    def relations(self) -> list[Adjacency]:
        """The neighbouring relations for which a sensitivity is declared and data sets of that many records
        make sense.
        """
        algorithm = self.needs_algorithm()
        ledger = algorithm.ledger()
        shared = [a for a in Adjacency if all(a in release.sensitivity for release in ledger)]
        fixed = any(
            isinstance(r, TreeNode) or (isinstance(r, Subsampled) and r.how != "poisson") for r in ledger
        )
        return [a for a in shared if not (fixed and a is ADD_REMOVE)]


def subject(
    thing: Any,
    data: Data = None,
    *,
    adjacency: Adjacency = REPLACE,
    claimed: Any = None,
    declared: Any = None,
) -> Subject:
    """A subject from the name of an algorithm, an Example, an Algorithm with data, or a mechanism (data, rng)
    -> output with data.

    >>> subject("private-gd").name
    'private-gd'
    """
    if isinstance(thing, Subject):
        return thing
    if isinstance(thing, str):
        from dpverify.algorithms import example

        thing = example(thing)
    if isinstance(thing, Example):
        return Subject(
            thing.algorithm.name,
            thing.data,
            thing.algorithm,
            adjacency=thing.adjacency,
            claimed=thing.claimed,
            example=thing,
        )
    if data is None:
        raise ValueError(f"Expected data for {thing!r}, got data=None.")
    if isinstance(thing, Algorithm):
        return Subject(thing.name, data, thing, adjacency=adjacency, claimed=claimed)
    if not callable(thing):
        raise TypeError(
            f"Expected the name of an algorithm, an Example, an Algorithm or a mechanism, got {thing!r}."
        )
    name = getattr(thing, "__qualname__", type(thing).__name__)
    return Subject(name, data, mechanism=thing, adjacency=adjacency, claimed=claimed, declared=declared)


@dataclass(frozen=True)
class Law:
    """A named law; calling it checks it on anything that `subject` takes."""

    name: str
    family: str
    statement: str
    check: Callable[[Subject], None]

    def __call__(self, thing: Any, data: Data = None, **details: Any) -> None:
        self.check(subject(thing, data, **details))


def law(
    *, first: Callable[[Subject], list[dict[str, Any]]] | None = None, **drawn: Callable[[Subject], Any]
) -> Callable[[Callable[..., None]], Law]:
    """Makes a law of a function; `drawn` gives for each further argument its strategy, as a function of the
    subject.

    `first` lists arguments that are always tried, before the search: what it finds depends on the modules
    that are loaded.
    """

    def make(function: Callable[..., None]) -> Law:
        def check(about: Subject) -> None:
            if not drawn:
                function(about)
                return
            from hypothesis import HealthCheck, Phase, example, given, settings

            strategies = {name: strategy(about) for name, strategy in drawn.items()}

            def once(**arguments: Any) -> None:
                function(about, **arguments)

            once.__name__ = function.__name__
            once.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
                [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in drawn]
            )
            search = settings(
                max_examples=EXAMPLES,
                derandomize=True,
                database=None,
                deadline=None,
                phases=(Phase.explicit, Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            )
            searched = given(**strategies)(once)
            for arguments in first(about) if first is not None else []:
                searched = example(**arguments)(searched)
            search(searched)()

        family = function.__module__.rsplit(".", 1)[-1]
        return Law(function.__name__, family, (function.__doc__ or "").split("\n")[0], check)

    return make


@cache
def laws() -> dict[str, Law]:
    """Every law by its name, family by family.

    >>> "the_ledger_stays_within_the_budget" in laws()
    True
    """
    found = {}
    for family in FAMILIES:
        module = importlib.import_module(f"{__package__}.{family}")
        found.update({value.name: value for value in vars(module).values() if isinstance(value, Law)})
    return found


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
