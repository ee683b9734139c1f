"""Members: hypotheses with one explicit quadratic in the place of every function, so that runs of any length
are sums of inner products.

    f(x) = least + k/2 |x - c|^2,  f'(x) = k (x - c),  argmin f = c

A member of the class meets what is said of every function of the class: a point that meets the hypotheses on
it meets those of the statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import sympy as sp

from dpverify.language.expectations import Draw, within
from dpverify.language.functions import Function, Gradient, Minimiser, Value
from dpverify.language.vectors import Atom, Basis, Inner, Total, Vector, inner, norm2
from dpverify.proving.existence import objects_of
from dpverify.relations import sides_of
from dpverify.theorems import ForEvery, Iterates


class NotWritten(Exception):
    """Something in the hypotheses that a member does not write out."""


def members(given: Sequence[Any]) -> Iterator[list[Any]]:
    """The hypotheses with every function constant, then with every function as curved as its class lets it.

    >>> f, x = Function("f", smooth=1), Vector("x")
    >>> [str(hypotheses[0]) for hypotheses in members([sp.Le(f(x), 2)])]
    ['True', '-<c_f, x> + |c_f|^2/2 + |x|^2/2 <= 2']
    """
    functions = sorted((f for f in objects_of(given) if isinstance(f, Function)), key=str)
    if any(type(f) is not Function for f in functions):  # of somebody's own kind
        return
    if not any(f.strongly_convex is not None for f in functions):
        yield from _written(given, {f: sp.S.Zero for f in functions})
    if functions and all(_can_be_curved(f) for f in functions):
        yield from _written(given, {f: _curvature(f) for f in functions})


def _can_be_curved(f: Function) -> bool:
    return f.lipschitz is None and (f.polyak_lojasiewicz is None or f.smooth is None)


def _curvature(f: Function) -> Any:
    """A second derivative that the class allows: the least of a strongly convex one, else the greatest."""
    allowed = (f.strongly_convex, f.polyak_lojasiewicz, f.smooth)
    return next((constant for constant in allowed if constant is not None), sp.S.One)


def _written(given: Sequence[Any], curvatures: dict[Function, Any]) -> Iterator[list[Any]]:
    taken = {basis.name for basis in _bases(given)}
    quadratics = {}
    for f, curvature in curvatures.items():
        name = f"c_{f.name}"
        while name in taken:
            name += "_"
        quadratics[f] = Quadratic(curvature, Vector(name))
    try:
        yield [Member(quadratics).hypothesis(h) for h in given]
    except NotWritten:
        return


def _bases(given: Sequence[Any]) -> set[Basis]:
    """Every vector that the hypotheses are made of."""
    spoken: list[Any] = []
    for h in given:
        if isinstance(h, ForEvery):
            spoken += sides_of(h.relation)
        elif isinstance(h, Iterates):
            spoken += [h.value, *h.where, *map(norm2, (*h.state, *h.step, *h.noises))]
        else:
            spoken.append(sp.sympify(h))
    return {basis for e in spoken for basis in within(e)}


class Quadratic(NamedTuple):
    """The second derivative of a function, and the point where it is least."""

    curvature: Any
    centre: Vector


@dataclass(frozen=True)
class Member:
    """An explicit quadratic for each function."""

    quadratics: dict[Function, Quadratic]

    def hypothesis(self, h: Any) -> Any:
        """A hypothesis about these functions."""
        if isinstance(h, ForEvery):
            left, right = map(self.scalar, sides_of(h.relation))
            names = ("lhs", "rhs") if hasattr(h.relation, "lhs") else ("derived", "stated")
            return replace(h, relation=replace(h.relation, **dict(zip(names, (left, right)))))
        if isinstance(h, Iterates):
            return replace(
                h,
                value=self.scalar(h.value),
                step=tuple(map(self.vector, h.step)),
                noises=tuple(map(self.vector, h.noises)),
                where=tuple(map(self.scalar, h.where)),
            )
        return self.scalar(sp.sympify(h))

    def scalar(self, e: Any) -> Any:
        """A number, or a comparison of numbers, that holds functions."""
        return e.xreplace({atom: self._atom(atom) for atom in e.atoms(Atom)})

    def vector(self, v: Vector) -> Vector:
        """A vector that holds gradients."""
        return sum((self._basis(b) * self.scalar(c) for b, c in v.parts), Vector.zero())

    def _atom(self, atom: Atom) -> Any:
        if isinstance(atom, Inner):
            return inner(*map(self.vector, atom.content))
        if isinstance(atom, Value):
            least = sp.S.Zero if atom.function.lower_bound is None else atom.function.lower_bound
            curvature, centre = self.quadratics[atom.function]
            return least + curvature * norm2(self.vector(atom.point) - centre) / 2
        raise NotWritten(str(atom))

    def _basis(self, basis: Basis) -> Vector:
        if isinstance(basis, Gradient):
            curvature, centre = self.quadratics[basis.function]
            return (self.vector(basis.point) - centre) * curvature
        if isinstance(basis, Minimiser):
            return self.quadratics[basis.function].centre
        if isinstance(basis, Draw):
            mean, variance = self.vector(basis.mean), self.scalar(basis.variance)
            return Vector.combination({Draw(basis.name, mean, variance, basis.law): 1})
        if isinstance(basis, Total):
            raise NotWritten(str(basis))
        return Vector.combination({basis: 1})
