"""Whether a comparison fails at a point: surely, in exact or ball arithmetic, or as a score in floats at many
points at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import PRECISIONS, sign
from dpverify.proving.floats import real, vectorised
from dpverify.relations import AtMost, Equal

Point = dict[Any, Any]


def breaks(relation: Equal | AtMost, domain: Domain, point: Mapping[Any, Any]) -> bool:
    """Whether the point meets every hypothesis and surely violates the relation.

    >>> x = sp.Symbol("x", positive=True)
    >>> relation = AtMost(x, 1, (x < 3,))
    >>> domain = Domain([x, sp.Integer(1)], relation.given)
    >>> [breaks(relation, domain, {x: sp.Integer(n)}) for n in (1, 2, 3)]
    [False, True, False]
    """
    return domain.holds(point) and violated(relation, domain, point)


def violated(relation: Equal | AtMost, domain: Domain, point: Mapping[Any, Any]) -> bool:
    """Whether the relation surely fails at a point that is known to meet every hypothesis.

    >>> x = sp.Symbol("x", positive=True)
    >>> violated(AtMost(x, 1), Domain([x, sp.Integer(1)], []), {x: sp.Integer(2)})
    True
    """
    left, right = domain.at(point)
    ties = isinstance(relation, AtMost) and relation.strict
    try:
        s = sign(left - right, point, zero=ties, precisions=PRECISIONS if ties else PRECISIONS[:2])
    except (ValueError, TypeError, ZeroDivisionError):
        return False
    if s is None:
        return False
    if isinstance(relation, Equal):
        return s != 0
    return s > 0 or (relation.strict and s == 0)


def numeric(
    relation: Equal | AtMost, domain: Domain, start: Point, names: list[Any]
) -> Callable[[np.ndarray], np.ndarray]:
    """A vectorised score: positive where the relation is (numerically) violated and the hypotheses hold, else
    negative.

    >>> x = sp.Symbol("x", positive=True)
    >>> score = numeric(AtMost(x, 1), Domain([x, sp.Integer(1)], []), {}, [x])
    >>> score(np.array([[3.0], [1.0], [0.5]])) > 0
    array([ True, False, False])
    """
    left, right, *given = domain.fixed(start)
    if given and any(c is sp.false for c in given):
        return lambda rows: np.full(len(rows), -np.inf)
    hypotheses = [c for c in given if isinstance(c, sp.core.relational.Relational)]
    together = vectorised(names, [left, right, *[c.lhs - c.rhs for c in hypotheses]])

    def score(rows: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            try:
                a, b, *slacks = (real(v, len(rows)) for v in together(*rows.T))
            except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
                return np.full(len(rows), -np.inf)
            gap = np.abs(a - b) if isinstance(relation, Equal) else a - b
            # Relative to the sides where it is violated; elsewhere such that a search can go uphill.
            sizes = np.abs(a) + np.abs(b)
            result = np.where(gap > 0, gap / (sizes + 1e-300), gap / (1 + sizes))
            for slack, c in zip(slacks, hypotheses):
                ok = {
                    "<": slack < 0,
                    "<=": slack <= 0,
                    ">": slack > 0,
                    ">=": slack >= 0,
                    "==": np.abs(slack) < 1e-12,
                    "!=": slack != 0,
                }[c.rel_op]
                result = np.where(ok, result, -1 - np.abs(slack) / (1 + np.abs(slack)))
        return np.where(np.isfinite(result), result, -np.inf)

    return score
