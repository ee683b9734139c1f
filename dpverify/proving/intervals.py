"""The interval in which a symbol lies, by its assumptions and by hypotheses on it alone, and the simple
numbers inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.symbols import free_in

LARGEST_FLOAT = 1e300  # of the random numbers
SIMPLE = [
    sp.Rational(p, q)
    for p, q in [
        (0, 1),
        (1, 1),
        (2, 1),
        (1, 2),
        (3, 1),
        (1, 3),
        (-1, 1),
        (4, 1),
        (1, 4),
        (3, 4),
        (3, 2),
        (5, 1),
        (10, 1),
        (1, 10),
        (9, 10),
        (-2, 1),
        (-1, 2),
        (2, 3),
        (8, 1),
        (16, 1),
        (100, 1),
        (1, 100),
        (99, 100),
        (1000, 1),
        (1, 1000),
        (-10, 1),
        (10**6, 1),
        (1, 10**6),
    ]
]


@dataclass(frozen=True)
class Bounds:
    """An interval for one symbol; the ends are SymPy numbers, possibly infinite.

    >>> Bounds(low=sp.Integer(0)).meet(Bounds(high=sp.Integer(1), high_open=True)).contains(1)
    False
    """

    low: Any = -sp.oo
    high: Any = sp.oo
    low_open: bool = False
    high_open: bool = False

    def meet(self, other: Bounds) -> Bounds:
        low, low_open = max(
            (self.low, self.low_open), (other.low, other.low_open), key=lambda p: (p[0], p[1])
        )
        high, high_open = min(
            (self.high, self.high_open), (other.high, other.high_open), key=lambda p: (p[0], not p[1])
        )
        return Bounds(low, high, bool(low_open), bool(high_open))

    def contains(self, value: Any) -> bool:
        """Whether a rational lies inside, exactly."""
        r = sp.Rational(value)
        number = _fraction(r)
        for end, open_, above in ((self.low, self.low_open, True), (self.high, self.high_open, False)):
            if end.is_Rational:
                limit = _fraction(end)
                inside = (number > limit if above else number < limit) or (number == limit and not open_)
            elif not end.is_finite:
                inside = True
            else:
                inside = bool((r > end) if above else (r < end))
            if not inside:
                return False
        return True

    def whole(self) -> Bounds:
        """The same interval with whole ends that belong to it, for a whole number.

        >>> Bounds(low=sp.Rational(5, 2)).whole().low
        3
        """
        low = sp.floor(self.low) + 1 if self.low_open else sp.ceiling(self.low)
        high = sp.ceiling(self.high) - 1 if self.high_open else sp.floor(self.high)
        return Bounds(low if self.low.is_finite else self.low, high if self.high.is_finite else self.high)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends as floats, None where there is none."""
        return _float(self.low), _float(self.high)


@lru_cache(maxsize=4096)
def _fraction(number: sp.Rational) -> Fraction:
    return Fraction(int(number.p), int(number.q))


@lru_cache(maxsize=4096)
def _float(end: Any) -> float | None:
    """An end of a range for random numbers, at most as large as these can be."""
    return max(-LARGEST_FLOAT, min(float(end), LARGEST_FLOAT)) if end.is_finite else None


@lru_cache(maxsize=4096)
def simple_numbers(b: Bounds, whole: bool) -> tuple[sp.Rational, ...]:
    """Simple numbers inside some bounds, the simplest first.

    >>> simple_numbers(Bounds(sp.Integer(0), sp.Integer(1)), False)[:3]
    (0, 1, 1/2)
    """
    near = []
    for end, direction in ((b.low, 1), (b.high, -1)):
        if end.is_finite:
            end = end if end.is_Rational else sp.Rational(str(sp.N(end, 20)))
            near += [
                end,
                *[end + direction * step for step in [*SIMPLE[1:8], sp.Rational(1, 100)] if step > 0],
            ]
    if b.low.is_finite and b.high.is_finite:
        width = b.high - b.low
        near += [
            b.low + width * part
            for part in (sp.Rational(1, 2), sp.Rational(1, 4), sp.Rational(3, 4), sp.Rational(1, 10))
        ]
    seen = dict.fromkeys(
        v for v in SIMPLE + near if v.is_Rational and b.contains(v) and (not whole or v.is_Integer)
    )
    return tuple(sorted(seen, key=lambda v: (v.q, abs(v.p), v.p < 0)))


@lru_cache(maxsize=4096)
def simple_floats(b: Bounds, whole: bool) -> np.ndarray:
    """The same as floats.

    >>> simple_floats(Bounds(sp.Integer(0), sp.Integer(1)), True).tolist()
    [0.0, 1.0]
    """
    return np.array([float(v) for v in simple_numbers(b, whole)])


@lru_cache(maxsize=4096)
def assumed(symbol: Any) -> Bounds:
    """The interval that the assumptions on a symbol, or on an entry of a sequence, leave it.

    >>> assumed(sp.Symbol("n", integer=True, negative=True)).high
    -1
    """
    zero = sp.Integer(0)
    bounds = Bounds()
    if symbol.is_nonnegative:
        bounds = bounds.meet(Bounds(low=zero, low_open=bool(symbol.is_positive)))
    if symbol.is_nonpositive:
        bounds = bounds.meet(Bounds(high=zero, high_open=bool(symbol.is_negative)))
    return bounds.whole() if symbol.is_integer else bounds


def bounds_from(condition: Any) -> tuple[sp.Symbol, Bounds] | None:
    """The bounds that a comparison gives which is linear in one symbol, with numbers: 2 u <= 1.

    >>> u = sp.Symbol("u")
    >>> bounds_from(2 * u <= 1)[1].high
    1/2
    """
    if not isinstance(condition, sp.core.relational.Relational) or len(free_in(condition)) != 1:
        return None
    (s,) = free_in(condition)
    op = condition.rel_op
    if not isinstance(s, sp.Symbol) or op not in ("<", "<=", ">", ">="):
        return None
    slope, rest = sp.sympify(_linear(condition.lhs - condition.rhs, s))
    if slope == 0 or not (slope.is_positive or slope.is_negative):
        return None
    end, strict = -rest / slope, op in ("<", ">")
    if (op in ("<", "<=")) == bool(slope.is_positive):
        return s, Bounds(high=end, high_open=strict)
    return s, Bounds(low=end, low_open=strict)


def _linear(e: Any, s: sp.Symbol) -> tuple[Any, Any]:
    """Slope and constant of an expression that is linear in the symbol; a slope of 0 if it is not."""
    if e.count(s) != 1:
        e = sp.expand(e)
    slope: Any = sp.Integer(0)
    rest: Any = sp.Integer(0)
    for term in sp.Add.make_args(e):
        if s not in term.free_symbols:
            rest += term
            continue
        factor = term / s
        if s in factor.free_symbols:
            return sp.Integer(0), sp.Integer(0)
        slope += factor
    return slope, rest
