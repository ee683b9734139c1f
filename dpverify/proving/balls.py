"""Transcendental inequalities by ball arithmetic: the domain is cut into boxes until rhs - lhs is positive on
each.

    x in [a, b]       cut as it is
    x in [a, oo)      through x = a - 1 + 1/u, u in (0, 1]
    x in (-oo, oo)    through x = u / (1 - u^2), u in (-1, 1)
Where the two sides touch, at x0, no box is positive; there rhs - lhs vanishes to some order k, and its k-th
derivative in x
decides (Taylor with remainder): positive on the box, with k even or x0 an end of the range, gives rhs - lhs
>= 0.
The certificate is the list of boxes and the touching points; its checker sees that the boxes tile the domain,
and evaluates
each again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from flint import arb, fmpq

from dpverify.effort import Effort
from dpverify.proving.domain import domain_of
from dpverify.proving.evaluate import Unknown, ball, truth
from dpverify.proving.floats import real, vectorised
from dpverify.proving.functions import is_smooth
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.relations import AtMost

HANDLES = (AtMost,)
Box = tuple[tuple[fmpq, fmpq], ...]


Form = tuple[Any, list[Any], list[sp.Symbol], list[tuple[sp.Rational, sp.Rational]], list["Touch"]]


def _compact(relation: AtMost) -> Form | str:
    """The gap, the other hypotheses, variables with compact ranges, and where the gap vanishes."""
    domain = domain_of(relation)
    if domain.lengths or not 1 <= len(domain.symbols) <= 4:
        return "not an inequality in one to four real variables"
    left, right = domain.expressions
    gap: Any = right - left
    conditions = list(domain.coupled)
    names: list[sp.Symbol] = []
    ranges: list[tuple[sp.Rational, sp.Rational]] = []
    for s in domain.symbols:
        b = domain.bounds[s]
        low, high = b.low, b.high
        if not all(end.is_Rational or not end.is_finite for end in (low, high)):
            return f"the ends of {s} are not rational"
        if low.is_finite and high.is_finite:
            names.append(s)
            ranges.append((low, high))
            continue
        u = sp.Dummy(f"u_{s.name}", real=True)
        if low.is_finite:
            swap, span = low - 1 + 1 / u, (sp.Integer(0), sp.Integer(1))
        elif high.is_finite:
            swap, span = high + 1 - 1 / u, (sp.Integer(0), sp.Integer(1))
        else:
            swap, span = u / (1 - u**2), (sp.Integer(-1), sp.Integer(1))
        gap = gap.xreplace({s: swap})
        conditions = [c.xreplace({s: swap}) for c in conditions]
        names.append(u)
        ranges.append(span)
    if names != domain.symbols:
        gap = sp.together(gap)
    touching = not relation.strict and is_smooth(gap, names)
    return gap, conditions, names, ranges, (_touches(gap, names, ranges) if touching else [])


def _interval(low: fmpq, high: fmpq) -> arb:
    middle, radius = (low + high) / 2, (high - low) / 2
    return arb(middle, arb(radius).upper())


class Touch(NamedTuple):
    """Where the gap vanishes: variable, value, order, the derivative of that order, and which sides of it are
    in range.
    """

    name: sp.Symbol
    at: sp.Rational
    order: int
    derivative: Any
    side: int  # -1: only values below `at`, 1: only above, 0: both

    @property
    def sign(self) -> int:
        """The sign that the derivative must have for the gap to be nonnegative; 0 if no sign does."""
        return {1: 1, -1: (-1) ** self.order, 0: 1 - self.order % 2}[self.side]


def _touch(
    gap: Any, name: sp.Symbol, at: sp.Rational, ends: tuple[Any, Any], inside: dict[Any, Any]
) -> Touch | None:
    """The order to which the gap vanishes at a value of one variable, whatever the others are."""
    derivative = gap
    for order in range(5):
        try:
            value = derivative.subs(name, at)
            vanishes = not value.has(sp.nan, sp.zoo, sp.oo) and not _nonzero(value, inside)
            value = sp.simplify(value) if vanishes else value
        except (TypeError, ValueError):
            return None
        if value.has(sp.nan, sp.zoo, sp.oo):
            return None
        if value != 0:
            side = 1 if at == ends[0] else (-1 if at == ends[1] else 0)
            return Touch(name, at, order, derivative, side) if order else None
        derivative = sp.diff(derivative, name)
    return None


def _nonzero(e: Any, at: dict[Any, Any]) -> bool:
    """Whether the expression is surely not 0 at a point, so that no algebra need find out."""
    try:
        value = ball(e, at, 128)
    except Unknown:
        return False
    return bool(value > 0 or value < 0)


def _touches(gap: Any, names: list[sp.Symbol], ranges: list[tuple[Any, Any]]) -> list[Touch]:
    """Touching points at the ends of the ranges, and, in one variable, at a simple rational where the gap is
    smallest.
    """
    inside = {
        n: low + (high - low) * sp.Rational(3 + k, 11)
        for k, (n, (low, high)) in enumerate(zip(names, ranges))
    }
    touches = [_touch(gap, n, end, r, inside) for n, r in zip(names, ranges) for end in r]
    if len(names) == 1:
        low, high = (float(end) for end in ranges[0])
        grid = np.linspace(low, high, 2001)[1:-1]
        with np.errstate(all="ignore"):
            try:
                values = real(vectorised(names, [gap])(grid)[0], len(grid))
            except (TypeError, ValueError, NameError, ZeroDivisionError):
                values = np.full(len(grid), np.nan)
        if np.isfinite(values).any():
            x = sp.Rational(float(grid[int(np.nanargmin(values))])).limit_denominator(60)
            if ranges[0][0] < x < ranges[0][1]:
                touches.append(_touch(gap, names[0], x, ranges[0], inside))
    return [t for t in touches if t is not None and t.sign]


def _nonnegative(form: Form, box: Box, strict: bool) -> bool:
    """Whether the gap is surely positive on the box (or nonnegative, at a touching point), or the box outside
    the hypotheses.
    """
    gap, conditions, names, _, touches = form
    if _positive(gap, conditions, names, box):
        return True
    if strict:
        return False
    for t in touches:
        low, high = box[names.index(t.name)]
        if (
            low <= _q(t.at) <= high
            and _positive(t.sign * t.derivative, conditions, names, box)
            and _roots_defined(gap, names, box)
        ):
            return True
    return False


def _roots_defined(gap: Any, names: list[sp.Symbol], box: Box) -> bool:
    """Whether no root in the gap is of a negative number anywhere on the box: Taylor's formula goes along
    lines that may leave the hypotheses.
    """
    at = {n: _interval(*side) for n, side in zip(names, box)}
    roots = {p.base for p in gap.atoms(sp.Pow) if not p.exp.is_Integer}
    try:
        return all(ball(base, at, 128) >= 0 for base in roots)
    except Unknown:
        return False


def _positive(gap: Any, conditions: Sequence[Any], names: list[sp.Symbol], box: Box) -> bool:
    """Whether an expression is surely positive on the box, or the box surely outside the hypotheses."""
    at = {n: _interval(*side) for n, side in zip(names, box)}
    for condition in conditions:
        try:
            if truth(condition, at) is False:
                return True
        except (Unknown, AttributeError):
            pass
    try:
        value = ball(gap, at, 128)
    except Unknown:
        return False
    return bool(value > 0)


def _q(r: sp.Rational) -> fmpq:
    return fmpq(int(r.p), int(r.q))


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Cut the domain into boxes on each of which the gap is positive."""
    form = _compact(relation)
    if isinstance(form, str):
        return GaveUp(form)
    names, ranges, touches = form[2:]
    start: Box = tuple((_q(a), _q(b)) for a, b in ranges)
    if (box := _open_corner(form, start, relation.strict)) is not None:
        return GaveUp(f"no cover by boxes; undecided near {_in_words(names, box)}")
    todo, done = [start], []
    while todo:
        box = todo.pop()
        if _nonnegative(form, box, relation.strict):
            done.append(box)
        elif len(todo) + len(done) > effort.boxes or _tiny(box):
            return GaveUp(f"no cover by {effort.boxes} boxes; undecided near {_in_words(names, box)}")
        else:
            todo.extend(_halves(box, start))
    touching = [[t.name.name, str(t.at), t.order] for t in touches]
    summary = f"rhs - lhs > 0 on each of {len(done)} boxes" + (
        f", or >= 0 where it touches 0 ({touching})" if touching else ""
    )
    return Certificate(
        {
            "boxes": [[[str(a), str(b)] for a, b in box] for box in done],
            "touches": touching,
            "summary": summary,
        }
    )


def _in_words(names: list[sp.Symbol], box: Box) -> str:
    return ", ".join(f"{n} ~ {float(arb((a + b) / 2).mid()):.6g}" for n, (a, b) in zip(names, box))


def _tiny(box: Box) -> bool:
    return bool(max(b - a for a, b in box) < fmpq(1, 2**40))


def _open_corner(form: Form, start: Box, strict: bool) -> Box | None:
    """A box at a corner of the domain that no halving decides: then no cover exists, and none need be looked
    for.
    """
    for corner in itertools.product(*start):
        box = start
        while not _nonnegative(form, box, strict):
            if _tiny(box):
                return box
            box = next(
                half for half in _halves(box, start) if all(a <= c <= b for c, (a, b) in zip(corner, half))
            )
    return None


def _halves(box: Box, start: Box) -> list[Box]:
    """The two halves across the side that is longest relative to its whole range."""
    widths = [(b - a) / (d - c) if d > c else fmpq(0) for (a, b), (c, d) in zip(box, start)]
    i = widths.index(max(widths))
    a, b = box[i]
    middle = (a + b) / 2
    return [(*box[:i], (a, middle), *box[i + 1 :]), (*box[:i], (middle, b), *box[i + 1 :])]


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """See that the boxes come from halving the domain, and evaluate each again."""
    form = _compact(relation)
    if isinstance(form, str):
        return False
    start: Box = tuple((_q(a), _q(b)) for a, b in form[3])
    boxes: set[Box] = {tuple((_read(a), _read(b)) for a, b in box) for box in certificate["boxes"]}
    todo, used = [start], 0
    while todo:
        box = todo.pop()
        if box in boxes:
            used += 1
            if not _nonnegative(form, box, relation.strict):
                return False
        elif used + len(todo) > len(boxes):
            return False
        else:
            todo.extend(_halves(box, start))
    return True


def _read(text: str) -> fmpq:
    p, _, q = text.partition("/")
    return fmpq(int(p), int(q or 1))
