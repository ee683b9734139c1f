"""A point that breaks a comparison, made simple: the simplest number of each that keeps the violation."""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.proving.domain import Domain
from dpverify.proving.violations import Point, breaks
from dpverify.relations import AtMost, Equal


def shrink(relation: Equal | AtMost, domain: Domain, point: Point) -> Point:
    """Coordinate by coordinate, the simplest number that still breaks the relation.

    >>> x = sp.Symbol("x", positive=True)
    >>> shrink(AtMost(x, 1), Domain([x, sp.Integer(1)], []), {x: sp.Rational(701, 99)})
    {x: 2}
    """
    for _ in range(3):
        changed = False
        for name in list(point):
            if name in domain.lengths:
                continue
            value = sp.Rational(point[name])
            options = [
                *domain.choices(name),
                *[value.limit_denominator(d) for d in (1, 2, 3, 5, 10, 100, 1000)],
            ]
            for option in sorted(dict.fromkeys(options), key=_simplicity):
                if _simplicity(option) >= _simplicity(value):
                    break
                if breaks(relation, domain, point | {name: option}):
                    point, changed = point | {name: option}, True
                    break
        if not changed:
            break
    return point


def _simplicity(value: Any) -> tuple[int, int]:
    r = sp.Rational(value)
    return (len(str(r.p)) + len(str(r.q)), abs(int(r.p)) + int(r.q))
