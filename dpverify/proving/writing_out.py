"""Sums and products written out term by term, once the symbols in their limits are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import sympy as sp

from dpverify.proving.evaluate import bind


def written_out(expression: Any) -> Any:
    """Sums and products with numbers for limits, term by term (an empty range gives 0 or 1).

    >>> t, q = sp.Symbol("t"), sp.IndexedBase("q")
    >>> written_out(sp.Sum(q[t], (t, 1, 2)))
    q[1] + q[2]
    """
    e = sp.sympify(expression)
    if not e.has(sp.Sum, sp.Product):
        return e
    if isinstance(e, sp.Sum | sp.Product):
        *inner, (index, low, high) = e.limits
        if low.is_Integer and high.is_Integer and high - low < 400:
            body = e.func(e.function, *inner) if inner else e.function
            nested = body.has(sp.Sum, sp.Product)
            terms = [
                written_out(bind(body, index, value)) if nested else body.xreplace({index: value})
                for value in map(sp.Integer, range(int(low), int(high) + 1))
            ]
            return sp.Add(*terms) if isinstance(e, sp.Sum) else sp.Mul(*terms)
        return e
    return e.func(*[written_out(arg) for arg in e.args])


def put_in(e: Any, lengths: Mapping[Any, Any]) -> Any:
    """An expression or hypothesis at these lengths; a hypothesis is false where a side of it has no value.

    >>> x, T = sp.symbols("x T", positive=True)
    >>> put_in(x <= 1 / sp.sqrt(T - 1), {T: sp.Integer(1)})
    False
    """
    try:
        return e.xreplace(lengths)
    except TypeError:  # SymPy on an invalid comparison
        if isinstance(e, sp.core.relational.Relational):
            return sp.false
        raise


@lru_cache(maxsize=50_000)  # the steps of a proof have most of their hypotheses in common
def at_lengths(e: Any, lengths: tuple[tuple[Any, Any], ...]) -> Any:
    """An expression or hypothesis at the lengths that stand in it, with its sums written out. Whether a
    hypothesis holds for every value of its symbols is not asked: that costs more than to look at a point.

    >>> t, T, q = sp.Symbol("t"), sp.Symbol("T"), sp.IndexedBase("q")
    >>> at_lengths(sp.Sum(q[t], (t, 1, T)), ((T, sp.Integer(2)),))
    q[1] + q[2]
    """
    if not lengths:
        return e
    if not isinstance(e, sp.core.relational.Relational):
        return written_out(put_in(e, dict(lengths)))
    left, right = (written_out(side.xreplace(dict(lengths))) for side in e.args)
    if left.is_number and right.is_number:
        return written_out(put_in(e, dict(lengths)))
    return e.func(left, right, evaluate=False)
