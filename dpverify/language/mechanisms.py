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
from dpverify.relations import Given, described
from dpverify.releases import Gaussian, Laplace, Subsampled


@dataclass(frozen=True)
class Composed:
    """Mechanisms one after the other, each chosen after the outputs of the earlier ones were seen."""

    parts: tuple[Any, ...]

    def __init__(self, *parts: Any) -> None:
        if not parts:
            raise ValueError("Expected at least one mechanism in Composed().")
        object.__setattr__(self, "parts", parts)


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


@dataclass(frozen=True)
class Private:
    """Every mechanism of this form keeps the guarantee under the neighbouring relation, wherever the
    hypotheses hold.

    >>> from dpverify.guarantees import ZCDP
    >>> from dpverify.neighbours import REPLACE
    >>> C, s = sp.symbols("C sigma", positive=True)
    >>> print(Private(Gaussian(s, {REPLACE: 2 * C}), ZCDP(2 * C**2 / s**2), REPLACE))
    a Gaussian release (sensitivity 2*C, scale sigma) is 2*C**2/sigma**2-zCDP under replace
    """

    mechanism: Any
    guarantee: Any
    adjacency: Adjacency
    given: Given = ()
    order: Any = None  # the Renyi order by which (epsilon, delta) is reached, if it is reached that way

    def __str__(self) -> str:
        subject = told(self.mechanism, self.adjacency)
        return f"{subject} is {self.guarantee} under {self.adjacency}{described(self.given)}"


def told(mechanism: Any, adjacency: Adjacency) -> str:
    """The mechanism in words."""
    if isinstance(mechanism, Composed):
        return " and then ".join(told(part, adjacency) for part in mechanism.parts)
    if isinstance(mechanism, Repeated):
        part = told(mechanism.part, adjacency)
        limits = f"{mechanism.index} = {mechanism.low}..{mechanism.high}"
        few = mechanism.participations
        return f"{part} for {limits}" + (
            f", each record in at most {few} of them," if few is not None else ""
        )
    if isinstance(mechanism, Subsampled):
        return (
            f"{told(mechanism.inner, adjacency)} on {mechanism.size} of {mechanism.of} records "
            f"({mechanism.how})"
        )
    if isinstance(mechanism, Gaussian | Laplace):
        size, scale = sp.sstr(mechanism.sensitivity[adjacency]), sp.sstr(mechanism.scale)
        return f"a {type(mechanism).__name__} release (sensitivity {size}, scale {scale})"
    raise TypeError(f"Expected Gaussian, Laplace, Subsampled, Composed or Repeated, got {mechanism!r}.")
