"""Mechanisms as statements: releases with symbols for their noise and sensitivity, and the guarantee they
keep.

    Private(mechanism, guarantee, adjacency)

The mechanism is made of the releases that also run (`dpverify.releases`): one of them, several one after the
other (`Composed`), or one for every t (`Repeated`), each query chosen after the earlier outputs were seen,
and any post-processing of what was published. "Private" is said of every mechanism of that form: it is
refuted by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from dpverify.neighbours import Adjacency
from dpverify.relations import Given, described, runs_freely
from dpverify.releases.rules import MU, Condition, Currency, NoRule


def _many(one: Any, times: Any, currency: Currency) -> Any:
    """What so many mechanisms of one cost cost together: mu^2 adds, the others do."""
    return one * sp.sqrt(times) if currency == MU else one * times


@dataclass(frozen=True)
class Composed:
    """Mechanisms one after the other, each chosen after the outputs of the earlier ones were seen."""

    parts: tuple[Any, ...]

    def __init__(self, *parts: Any) -> None:
        if not parts:
            raise ValueError("Expected at least one mechanism in Composed().")
        object.__setattr__(self, "parts", parts)

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        """Epsilon, rho and renyi add; mu^2 adds."""
        costs = [part.formula(currency, adjacency) for part in self.parts]
        return sp.sqrt(sum(cost**2 for cost in costs)) if currency == MU else sum(costs)

    def attains(self, currency: Currency) -> bool:
        """Whether each part attains its cost: independent queries then attain the sum."""
        return all(part.attains(currency) for part in self.parts)

    def conditions(self, adjacency: Adjacency) -> list[Condition]:
        """Those of its parts."""
        return [condition for part in self.parts for condition in part.conditions(adjacency)]

    def in_words(self, adjacency: Adjacency) -> str:
        """Its parts, in their order."""
        return " and then ".join(part.in_words(adjacency) for part in self.parts)


@dataclass(frozen=True)
class Repeated:
    """A mechanism for every whole `index` from `low` to `high`, adaptively; what it is made of may depend on
    the index.

    `participations` is the number of these that any one record has a part in, if it is known to be smaller
    than all; then the mechanism must not depend on the index.
    """

    part: Any
    index: sp.Symbol
    low: Any
    high: Any
    participations: Any = None

    def __post_init__(self) -> None:
        few = self.participations
        if few is not None and sp.sympify(few).is_positive is False:
            raise ValueError(f"Expected participations={few} >= 1.")

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        """The sum over the index, or the cost of one times the number that a record has a part in."""
        one = sp.sympify(self.part.formula(currency, adjacency))
        if not one.has(self.index):
            all_of_them = sp.sympify(self.high) - self.low + 1
            few = all_of_them if self.participations is None else sp.sympify(self.participations)
            return _many(one, few, currency)
        if self.participations is not None:
            raise NoRule(
                f"the cost {one} depends on {self.index}, and records take part in a few releases only"
            )
        limits = (self.index, self.low, self.high)
        return sp.sqrt(sp.Sum(one**2, limits)) if currency == MU else sp.Sum(one, limits)

    def attains(self, currency: Currency) -> bool:
        """Whether each attains its cost."""
        return bool(self.part.attains(currency))

    def conditions(self, adjacency: Adjacency) -> list[Condition]:
        """Those of each, in the range of the index, and that the range is one."""
        low, high = sp.sympify(self.low), sp.sympify(self.high)
        few = [] if self.participations is None else [sp.sympify(self.participations)]
        for number in (low, high, *few):
            if not number.is_integer:
                raise NoRule(f"{number} in the range of {self.index} is not known to be whole")
        if not runs_freely(self.index, low):
            raise NoRule(f"the index {self.index} does not stand for every whole number from {low}")
        ends = (sp.Ge(self.index, low), sp.Le(self.index, high))
        inside = tuple(end for end in ends if end not in (sp.true, sp.false))
        each = [
            c._replace(within=(*c.within, *inside), indices=(*c.indices, self.index))
            for c in self.part.conditions(adjacency)
        ]
        # A record in more of them than there are costs no more than one in all.
        counted = [Condition(0, k) for k in few] + [Condition(k, high - low + 1, attained=True) for k in few]
        return [*each, Condition(low - 1, high), *counted]

    def in_words(self, adjacency: Adjacency) -> str:
        """Its part, and for which values of the index."""
        few = self.participations
        part = f"{self.part.in_words(adjacency)} for {self.index} = {self.low}..{self.high}"
        return part if few is None else f"{part}, each record in at most {few} of them,"


@dataclass(frozen=True)
class Private:
    """Every mechanism of this form keeps the guarantee under the neighbouring relation, wherever the
    hypotheses hold.

    >>> from dpverify.guarantees import ZCDP
    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> C, s = sp.symbols("C sigma", positive=True)
    >>> print(Private(Gaussian(s, {REPLACE: 2 * C}), ZCDP(2 * C**2 / s**2), REPLACE))
    a Gaussian release (sensitivity 2*C, scale sigma) is 2*C**2/sigma**2-zCDP under replace
    """

    mechanism: Any
    guarantee: Any
    adjacency: Adjacency
    given: Given = ()
    order: Any = None  # the Renyi order by which (epsilon, delta) is reached, if it is reached that way
    each: Any = None  # by advanced composition: the delta of every release before sampling,
    slack: Any = None  # and the delta that composition adds

    def __post_init__(self) -> None:
        if not hasattr(self.mechanism, "in_words"):
            raise TypeError(
                f"Expected mechanism={self.mechanism!r} to be a release, or Composed or Repeated of releases."
            )
        self.mechanism.in_words(self.adjacency)  # an error if a sensitivity is not known under the relation

    def __str__(self) -> str:
        subject = self.mechanism.in_words(self.adjacency)
        return f"{subject} is {self.guarantee} under {self.adjacency}{described(self.given)}"
