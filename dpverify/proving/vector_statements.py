"""A statement about vectors, taken apart: what is claimed, what is supposed, and what the classes of its
functions say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from dpverify.language.functions import Function, coefficients, points
from dpverify.language.vectors import Atom, Basis, Inner, Total, Vector, inner
from dpverify.proving.assumptions import declared
from dpverify.proving.domain import Domain
from dpverify.proving.symbols import fresh, symbols_of
from dpverify.relations import AtMost, Equal, sides_of

ZERO = sp.Integer(0)
MOST_FACTS = 60


def mentions(relation: Any) -> bool:
    """Whether a relation speaks of vectors or functions.

    >>> mentions(AtMost(inner(Vector("x"), Vector("y")), 1)), mentions(AtMost(sp.Integer(0), 1))
    (True, False)
    """
    return isinstance(relation, AtMost | Equal) and any(
        isinstance(e, sp.Basic) and e.atoms(Atom) for e in (*sides_of(relation), *relation.given)
    )


def beyond(relation: Any) -> bool:
    """Whether vectors or functions stand where only scalars can: in any relation but a plain comparison.

    >>> from dpverify.relations import Increasing
    >>> a = sp.Symbol("a", positive=True)
    >>> beyond(Increasing(a * inner(Vector("x"), Vector("y")), a))
    True
    """
    if isinstance(relation, AtMost | Equal) or not is_dataclass(relation):
        return False
    parts: list[Any] = [getattr(relation, field.name) for field in fields(relation)]
    while parts:
        part = parts.pop()
        if isinstance(part, list | tuple):
            parts.extend(part)
        elif isinstance(part, AtMost | Equal):
            parts.extend((*sides_of(part), *part.given))
        elif isinstance(part, sp.Basic | sp.MatrixBase) and part.atoms(Atom):
            return True
    return False


@dataclass(frozen=True)
class Fact:
    """`expression >= 0`, or `= 0` if it is an equation; `text` is what a reader sees."""

    text: str
    expression: Any
    equation: bool = False
    strict: bool = False
    plain: bool = True  # no vector but those of the relation, and no interpolation inequality


class Centred(Atom):
    """What sum_t w_t <u_t, v_t> has beyond <sum_t w_t u_t, sum_t w_t v_t> / sum_t w_t: an entry of the Gram
    matrix of the sequences about their means, which is positive semidefinite too.
    """

    __slots__ = ()

    @staticmethod
    def build(*content: Any) -> Any:
        u, v = sorted(content, key=lambda vector: vector.basis.order)
        name = f"centred({u.basis}, {v.basis})"
        same = {"nonnegative": True} if u == v else {}
        return Centred.made(name, f"centred({u.basis.key}, {v.basis.key})", (u, v), **same)

    @property
    def bases(self) -> Iterator[Basis]:
        return (vector.basis for vector in self.content)


def _centred(e: Any) -> Any:
    """The expression with every sum of inner products split into its centred part and the part of the
    means.
    """
    sums = [s for s in e.atoms(sp.Sum) if s.function.atoms(Atom)]
    return e.xreplace({s: _split(s) for s in sums}) if sums else e


def _split(whole: sp.Sum) -> Any:
    if len(whole.limits) != 1 or len(whole.limits[0]) != 3:
        return whole
    index, low, high = whole.limits[0]
    result = ZERO
    for term in sp.Add.make_args(sp.expand(whole.function)):
        outside, inside = term.as_independent(index, *term.atoms(Atom), as_Add=False)
        atoms = [a for a in sp.Mul.make_args(inside) if isinstance(a, Inner)]
        weight = sp.Mul(*[f for f in sp.Mul.make_args(inside) if f not in atoms])
        if len(atoms) != 1 or weight.atoms(Atom) or not weight.is_nonnegative:
            result += outside * sp.Sum(inside, (index, low, high))
            continue
        size = _size(weight, index, low, high)
        moving = [index in b.scalars for b in atoms[0].bases]
        if not any(moving) and size.is_nonnegative:
            result += outside * size * atoms[0]
        elif all(moving) and size.is_positive:
            u, v = (Vector.combination({Total(b, weight, index, low, high): 1}) for b in atoms[0].bases)
            result += outside * (Centred.build(u, v) + inner(u, v) / size)
        elif any(moving) and not all(moving):
            still, summed = sorted(atoms[0].bases, key=lambda b: index in b.scalars)
            u = Vector.combination({Total(summed, weight, index, low, high): 1})
            result += outside * inner(u, Vector.combination({still: 1}))
        else:
            result += outside * sp.Sum(inside, (index, low, high))
    return result


def _size(weight: Any, index: Any, low: Any, high: Any) -> Any:
    """The sum of the weights."""
    if index not in weight.free_symbols:
        return weight * (high - low + 1)
    return sp.Sum(weight, (index, low, high))


class Statement:
    """A relation about vectors, taken apart: what is claimed, the hypotheses with vectors and those
    without, and what the classes of its functions add.
    """

    def __init__(self, relation: AtMost | Equal):
        conditions: list[Any] = []
        for g in map(sp.sympify, relation.given):
            conditions.extend(g.args if isinstance(g, sp.And) else [g])
        scalar = [c for c in conditions if not c.atoms(Atom)]
        defined = Domain([], scalar).defined
        vectorial = [c for c in conditions if c.atoms(Atom)]
        whole = [_centred(e.xreplace(defined)) for e in (*sides_of(relation), *vectorial)]
        classes = list(points(whole))
        names = [f.name for f in classes]
        if twice := {n for n in names if names.count(n) > 1}:
            raise ValueError(f"Expected one class for the function {min(twice)}, got several.")
        scalar += [c for f in classes for c in f.conditions]
        self.opaque = self._opaque([*whole, *scalar])
        whole, scalar = ([e.xreplace(self.opaque) for e in part] for part in (whole, scalar))
        self.functions: dict[Function, list[Vector]] = points(whole)
        self.left, self.right, *self.vectorial = whole
        self.scalar = scalar
        plain = [s for s in symbols_of(*whole, *scalar) if not isinstance(s, Atom) and s not in defined]
        self.domain = Domain(plain, self.scalar)
        self.parameters = self.domain.symbols

    @staticmethod
    def _opaque(whole: list[Any]) -> dict[Any, Any]:
        """Symbols for sums and products of scalars, and for entries of sequences: what holds for every number
        holds for them.
        """
        from dpverify.proving.identities import sum_sign

        sums = {s for e in whole for s in e.atoms(sp.Sum, sp.Product) if not s.function.atoms(Atom)}
        swap: dict[Any, Any] = {}
        for k, total in enumerate(sorted(sums, key=sp.default_sort_key)):
            sign = {sum_sign(total) or "real": True}
            swap[total] = fresh(f"total_{k + 1}", whole, **sign)
        bound = {i for e in whole for total in e.atoms(sp.Sum, sp.Product) for i in total.variables}
        inside = [*whole, *coefficients(whole)]
        entries = {a for e in inside for a in e.atoms(sp.Indexed) if not a.free_symbols & bound}
        for k, entry in enumerate(sorted(entries, key=sp.default_sort_key)):
            swap[entry] = fresh(f"entry_{k + 1}", inside, **dict(declared(entry)))
        return swap

    @cached_property
    def hypotheses(self) -> list[Fact]:
        """The hypotheses that speak of vectors."""
        return [fact for c in self.vectorial if (fact := fact_of(c)) is not None]

    def minimised(self, f: Function) -> bool:
        """Whether the statement supposes that f has a least value."""
        return (
            f.minimiser in self.functions[f] or f.lower_bound is not None or f.polyak_lojasiewicz is not None
        )

    @property
    def parts(self) -> list[Any]:
        """The sums without vectors that are written somewhere in the relation, such as 1 - eta*mu."""
        whole = (self.left, self.right, *self.vectorial)
        return [p for e in whole for p in sp.preorder_traversal(e) if p.is_Add and not p.atoms(Atom)]

    @cached_property
    def instances(self) -> list[Fact]:
        """What the classes of the functions say at the points that occur, the plain ones first."""
        whole = (self.left, self.right, *self.vectorial)
        present = {b for e in whole for a in e.atoms(Atom) for b in a.bases}
        present |= {b for where in self.functions.values() for point in where for b, _ in point.parts}
        known = {f.expression for f in self.hypotheses}
        facts = []
        for f, where in self.functions.items():
            for kind, name, relation in f.instances(_with_minimiser(f, where)):
                fact = fact_of(relation, name)
                if fact is not None and fact.expression not in known:
                    vectors = {b for a in fact.expression.atoms(Inner) for b in a.bases}
                    plain = vectors <= present and kind != "interpolation"
                    facts.append(replace(fact, plain=plain))
        return sorted(facts, key=lambda fact: not fact.plain)[:MOST_FACTS]


def _with_minimiser(f: Function, where: list[Vector]) -> list[Vector]:
    needed = f.polyak_lojasiewicz is not None and f.minimiser not in where
    return [*where, f.minimiser] if needed else where


def fact_of(condition: Any, name: str = "") -> Fact | None:
    """A comparison as a fact; None for any other condition.

    >>> fact_of(sp.Symbol("x", real=True) < 1).expression
    1 - x
    """
    text = name or sp.sstr(condition)
    if isinstance(condition, sp.Le | sp.Lt):
        return Fact(text, sp.expand(condition.rhs - condition.lhs), strict=isinstance(condition, sp.Lt))
    if isinstance(condition, sp.Ge | sp.Gt):
        return Fact(text, sp.expand(condition.lhs - condition.rhs), strict=isinstance(condition, sp.Gt))
    if isinstance(condition, sp.Eq):
        return Fact(text, sp.expand(condition.lhs - condition.rhs), equation=True)
    return None
