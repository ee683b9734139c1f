"""Whole numbers: floor, ceiling and remainders become whole unknowns between their bounds.

    floor(e) = k      k <= e < k + 1         ceiling(e) = k     k - 1 < e <= k
    floor(log_c z)    c^k <= z < c^(k+1)     for z > 0 and a number c > 1; the same for ceiling
    a/b, whole        b k <= a <= b k + b - 1 for floor, b k - b + 1 <= a <= b k for ceiling, b > 0
    Mod(a, b) = r     0 <= r < b, a = b m + r with a whole m, for b > 0; r is whole if a and b are

What holds for every whole k between the bounds holds for floor(e). Between whole numbers x <= y is x < y + 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost, Equal

HANDLES = (AtMost, Equal)


def _logarithm(e: Any) -> tuple[Any, Any] | None:
    """(z, c) if the expression is log(z)/log(c) with a number c > 1."""
    top, bottom = sp.fraction(sp.together(e))
    if isinstance(top, sp.log) and isinstance(bottom, sp.log) and bottom.args[0].is_Rational:
        return (top.args[0], bottom.args[0]) if bottom.args[0] > 1 else None
    return None


def _bounds(part: Any, k: sp.Symbol, others: list[Any]) -> list[Any]:
    """What is known of the whole number that takes the place of the part."""
    if isinstance(part, sp.Mod):
        a, b = part.args
        quotient = fresh("m", others, integer=True)
        return [k >= 0, k < b, sp.Eq(a, b * quotient + k)]
    e = part.args[0]
    down = isinstance(part, sp.floor)
    known = [k <= e, e < k + 1] if down else [e <= k, k < e + 1]
    top, bottom = sp.fraction(sp.together(e))
    if top.is_integer and bottom.is_integer and bottom.is_positive and bottom != 1:
        rest = top - bottom * k
        known += [0 <= rest, rest <= bottom - 1] if down else [rest <= 0, 1 - bottom <= rest]
    if (logarithm := _logarithm(e)) is not None:
        z, c = logarithm
        known += [c**k <= z, z < c ** (k + 1)] if down else [z <= c**k, c ** (k - 1) < z]
    return known


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """The same relation for arbitrary whole numbers between the bounds, innermost first."""
    sides = (
        [relation.lhs, relation.rhs] if isinstance(relation, AtMost) else [relation.derived, relation.stated]
    )
    if any(isinstance(side, sp.MatrixBase) for side in sides):
        return GaveUp("matrices have no whole parts")
    expressions = [sp.sympify(side) for side in sides]
    given = [sp.sympify(condition) for condition in relation.given]
    names: list[Any] = sorted({s for e in (*expressions, *given) for s in e.free_symbols}, key=str)
    swapped = []
    while parts := _innermost([*expressions, *given]):
        part = parts[0]
        bound = {
            i
            for e in (*expressions, *given)
            for total in e.atoms(sp.Sum, sp.Product)
            for i in total.variables
        }
        if part.free_symbols & bound:
            return GaveUp(f"{part} stands inside of a sum")
        if isinstance(part, sp.Mod) and not part.args[1].is_positive:
            return GaveUp(f"the divisor of {part} is not known to be positive")
        whole = not isinstance(part, sp.Mod) or all(arg.is_integer for arg in part.args)
        k = fresh("k", names, **({"integer": True} if whole else {"real": True}))
        names.append(k)
        known = _bounds(part, k, names)
        names += sorted({s for c in known for s in c.free_symbols} - set(names), key=str)
        expressions = [e.xreplace({part: k}) for e in expressions]
        given = [c.xreplace({part: k}) for c in given] + known
        swapped.append(f"{k} = {sp.sstr(part)}")
    if not swapped:
        return GaveUp("there is no floor, ceiling or remainder in it")
    left, right = expressions
    if isinstance(relation, AtMost) and not relation.strict and left.is_integer and right.is_integer:
        relation, right = replace(relation, strict=True), right + 1
    general = (
        replace(relation, lhs=left, rhs=right, given=tuple(given))
        if isinstance(relation, AtMost)
        else replace(relation, derived=left, stated=right, given=tuple(given))
    )
    because = f"for every whole {', '.join(swapped)} between its bounds"
    return Ways([Reduction(((general, because),), because)])


def _innermost(expressions: list[Any]) -> list[Any]:
    """The whole parts that hold no other whole part, in order."""
    kinds = (sp.floor, sp.ceiling, sp.Mod)
    parts = {p for e in expressions for p in e.atoms(*kinds)}
    return sorted((p for p in parts if not any(arg.has(*kinds) for arg in p.args)), key=sp.default_sort_key)
