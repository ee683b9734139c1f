"""Concrete vectors and functions, in exact arithmetic: every inner product, value and gradient, every class.

Functions are of two kinds, each with its minimiser at `centre` (u = x - centre) and the value `least` there:
    quadratic   f = least + 1/2 sum_i curvature_i u_i^2 + <slope, u>
    bent        one dimension: f = least + corner |u| + 1/2 inside u^2 up to |u| = bend, curvature `outside`
    beyond it
Curvatures are kept as a place between the least and the greatest that the class allows (0 and 1), corners
and slopes as a part of the Lipschitz constant: a parameter may then change and the function stays in its
class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.language.expectations import Draw
from dpverify.language.functions import CONSTANTS, Function, Gradient, Minimiser, Value, bases
from dpverify.language.vectors import Atom, Basis, Inner, Vector
from dpverify.proving.evaluate import sign, truth
from dpverify.proving.vector_statements import Statement
from dpverify.relations import AtMost, Equal

QUADRATIC = ("curvature", "slope")  # one number for every dimension

BENT = ("corner", "inside", "bend", "outside")

Gene = tuple[
    Any, ...
]  # what a number of a realisation is: ("parameter", s), ("vector", name, i), (function, ...)


@dataclass(frozen=True)
class Shape:
    """The dimension, and which kind of function stands for each name."""

    dimension: int
    kind: str


def _draws(statement: Statement) -> list[Draw]:
    """The noises whose outcomes are among these."""
    whole = [statement.left, statement.right, *statement.vectorial]
    return [b for b in bases(whole) if isinstance(b, Draw)]


def function_parts(
    f: Function, constants: Mapping[str, Any], kept: Mapping[str, Any], zero: Any
) -> dict[str, Any]:
    """The numbers of a function from the places that are kept: curvatures between the least and the
    greatest of the class, corners and slopes as parts of the Lipschitz constant, the bend where the
    gradient reaches it.
    """
    high = constants.get("smooth", zero + 2)
    low = constants.get("strongly_convex", constants.get("polyak_lojasiewicz", zero if f.convex else -high))
    bound = constants.get("lipschitz", zero + 1)
    parts = {
        name: low + (high - low) * kept[name] for name in ("curvature", "inside", "outside") if name in kept
    }
    if "lipschitz" in constants:  # such a function is linear far out
        for name in {"curvature", "outside"} & set(parts):
            parts[name] = parts[name] * 0
    if "slope" in kept:
        parts["slope"] = bound * kept["slope"]
    if "corner" in kept:
        parts["corner"] = bound * kept["corner"]
        parts["bend"] = kept["bend"]
        if "lipschitz" in constants:
            steep = parts["inside"] + (parts["inside"] == 0)
            parts["bend"] = kept["bend"] * (bound - parts["corner"]) / steep
    return parts


def class_excesses(
    f: Function, constants: Mapping[str, Any], parts: Mapping[str, Any], least: Any, minimised: bool
) -> Iterator[Any]:
    """Numbers that are all <= 0 only if the function is in the class: columns of floats, or of fractions.

    A function that is used with its minimiser, or is Polyak-Lojasiewicz, is asked to be convex here.
    """
    curvatures = [parts[name] for name in ("curvature", "inside", "outside") if name in parts]
    convex = f.convex or minimised
    if "corner" in parts:
        yield -parts["bend"]
        if "smooth" in constants:
            yield abs(parts["corner"])
        yield -parts["corner"] if f.convex else abs(parts["corner"])  # a kink has a subgradient, or nothing
    for c in curvatures:
        if "smooth" in constants:
            yield abs(c) - constants["smooth"]
        if convex:
            yield -c
        for word in ("strongly_convex", "polyak_lojasiewicz"):
            if word in constants:
                yield constants[word] - c
    if minimised and "slope" in parts:
        yield abs(parts["slope"])
    if "lower_bound" in constants:
        yield constants["lower_bound"] - least
    if "lipschitz" in constants:
        if "corner" in parts:
            yield abs(parts["outside"])
            yield abs(parts["corner"]) + abs(parts["inside"] * parts["bend"]) - constants["lipschitz"]
        else:
            yield abs(parts["curvature"])
            yield (parts["slope"] ** 2).sum(axis=1, keepdims=True) - constants["lipschitz"] ** 2


@dataclass(frozen=True)
class Realisation:
    """Rational numbers for the parameters, the coordinates of vectors, and the functions."""

    shape: Shape
    numbers: Mapping[Gene, Fraction]


class Exact:
    """Every atom of a statement at a realisation, in exact arithmetic."""

    def __init__(self, statement: Statement, realisation: Realisation):
        self.statement, self.realisation = statement, realisation
        self.point = {s: as_rational(realisation.numbers["parameter", s]) for s in statement.domain.symbols}
        self.known: dict[Any, Any] = {}
        self.functions: dict[str, Concrete] = {}

    def scalar(self, e: Any) -> Fraction:
        """A scalar that must come out rational."""
        value = e.xreplace({a: as_rational(self.atom(a)) for a in e.atoms(Atom)}).xreplace(self.point)
        value = value if value.is_Rational else sp.nsimplify(sp.sqrtdenest(value))
        if not value.is_Rational:
            raise ValueError(f"{e} is not rational there")
        return Fraction(int(value.p), int(value.q))

    def column(self, *start: Any) -> list[Fraction]:
        return [self.realisation.numbers[(*start, i)] for i in range(self.realisation.shape.dimension)]

    def vector(self, v: Vector) -> list[Fraction]:
        total = [Fraction(0)] * self.realisation.shape.dimension
        for b, c in v.parts:
            factor = self.scalar(c)
            total = [t + factor * e for t, e in zip(total, self.basis(b))]
        return total

    def basis(self, b: Basis) -> list[Fraction]:
        if isinstance(b, Gradient):
            return self.function(b.function).gradient(self.vector(b.point))
        if isinstance(b, Minimiser):
            return self.column("function", b.function.name, "centre")
        return self.column("vector", b.name)

    def atom(self, a: Atom) -> Fraction:
        if a not in self.known:
            if isinstance(a, Inner):
                u, v = (self.basis(b) for b in a.bases)
                self.known[a] = sum((x * y for x, y in zip(u, v)), Fraction(0))
            else:
                assert isinstance(a, Value)
                self.known[a] = self.function(a.function).value(self.vector(a.point))
        return self.known[a]

    def function(self, f: Function) -> Concrete:
        if f.name not in self.functions:
            numbers, shape = self.realisation.numbers, self.realisation.shape
            names, size = (QUADRATIC, shape.dimension) if shape.kind == "quadratic" else (BENT, 1)
            kept = {p: _row([numbers["function", f.name, p, i] for i in range(size)]) for p in names}
            parts = function_parts(f, self.constants(f), kept, _row([Fraction(0)]))
            self.functions[f.name] = Concrete(
                self.column("function", f.name, "centre"),
                numbers["function", f.name, "least", 0],
                {name: [Fraction(v) for v in row[0]] for name, row in parts.items()},
            )
        return self.functions[f.name]

    def constants(self, f: Function) -> dict[str, Any]:
        """The constants of the class, exactly."""
        return {w: _row([self.scalar(c)]) for w in CONSTANTS if (c := getattr(f, w)) is not None}

    def in_class(self, f: Function) -> bool:
        """Whether the function surely belongs to the class that is declared."""
        concrete = self.function(f)
        parts = {name: _row(values) for name, values in concrete.parts.items()}
        least = _row([concrete.least])
        excesses = class_excesses(f, self.constants(f), parts, least, self.statement.minimised(f))
        return all(value <= 0 for excess in excesses for value in excess.flat)

    def possible(self, draw: Draw) -> bool:
        """Whether a noise may come out as it does here: without variance it is its mean."""
        variance = self.scalar(draw.variance)
        return variance > 0 or (variance == 0 and self.basis(draw) == self.vector(draw.mean))

    def breaks(self, relation: AtMost | Equal) -> bool:
        """Whether every hypothesis holds and the relation surely fails."""
        statement = self.statement
        if statement.opaque:
            return False  # a sum that is not written out is no number of its own
        try:
            if not statement.domain.holds(self.point):
                return False
            if not all(self.in_class(f) for f in statement.functions):
                return False
            if not all(self.possible(draw) for draw in _draws(statement)):
                return False
            numbers = {
                a: as_rational(self.atom(a))
                for e in (statement.left, statement.right, *statement.vectorial)
                for a in e.atoms(Atom)
            }
        except (ValueError, ZeroDivisionError, TypeError):
            return False
        at = {**self.point, **numbers}
        if not all(truth(with_numbers(c, at), {}) is True for c in statement.vectorial):
            return False
        gap = with_numbers(statement.left - statement.right, at)
        strict = isinstance(relation, AtMost) and relation.strict
        try:
            s = sign(gap, {}, zero=strict)
        except (ValueError, TypeError, ZeroDivisionError):
            return False
        if s is None:
            return False
        return s != 0 if isinstance(relation, Equal) else s > 0 or (strict and s == 0)


@dataclass(frozen=True)
class Concrete:
    """An explicit function: its minimiser, the value there, and the parts that `QUADRATIC` or `BENT` name."""

    centre: list[Fraction]
    least: Fraction
    parts: dict[str, list[Fraction]]

    def gradient(self, x: list[Fraction]) -> list[Fraction]:
        u = [a - c for a, c in zip(x, self.centre)]
        if "curvature" in self.parts:
            return [k * a + s for k, s, a in zip(self.parts["curvature"], self.parts["slope"], u)]
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        size, sign_of = abs(u[0]), (u[0] > 0) - (u[0] < 0)
        return [sign_of * (corner + inside * min(size, bend) + outside * max(size - bend, Fraction(0)))]

    def value(self, x: list[Fraction]) -> Fraction:
        u = [a - c for a, c in zip(x, self.centre)]
        if "curvature" in self.parts:
            terms = zip(self.parts["curvature"], self.parts["slope"], u)
            return self.least + sum((k * a * a / 2 + s * a for k, s, a in terms), Fraction(0))
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        size = abs(u[0])
        near, far = min(size, bend), max(size - bend, Fraction(0))
        return (
            self.least
            + corner * size
            + inside * near * near / 2
            + inside * bend * far
            + outside * far * far / 2
        )

    def __str__(self) -> str:
        u = "x" if not any(self.centre) else f"(x - {as_text(self.centre)})"
        if "curvature" in self.parts:
            terms = [f"{k}/2*{u}[{i + 1}]^2" for i, k in enumerate(self.parts["curvature"]) if k]
            terms += [f"{s}*{u}[{i + 1}]" for i, s in enumerate(self.parts["slope"]) if s]
            terms += [str(self.least)] if self.least or not terms else []
            return " + ".join(terms)
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        start = f"{self.least} at {as_text(self.centre)}, "
        kink = f"corner {corner}|x| there, " if corner else ""
        return f"{start}{kink}second derivative {inside} up to distance {bend}, {outside} beyond"


def with_numbers(e: Any, at: Mapping[Any, Any]) -> Any:
    return e.xreplace({k: v for k, v in at.items() if isinstance(k, Atom)}).xreplace(
        {k: v for k, v in at.items() if not isinstance(k, Atom)}
    )


def _row(values: Sequence[Fraction]) -> np.ndarray:
    return np.array([list(values)], dtype=object)


def as_rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


def as_text(column: Sequence[Fraction]) -> str:
    return str(column[0]) if len(column) == 1 else f"({', '.join(map(str, column))})"
