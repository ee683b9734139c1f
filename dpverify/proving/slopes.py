"""Derivatives: SymPy's, where the function is smooth, replayed by difference quotients; and their values at a
point.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.proving.closed_forms import Checks, Hypotheses, NotClosed
from dpverify.proving.functions import is_smooth
from dpverify.proving.replays import Quotient
from dpverify.proving.symbols import fresh
from dpverify.proving.unevaluated import unevaluated


def derivative(checks: Checks, e: sp.Derivative, given: Hypotheses) -> Any:
    """The closed form of a derivative of a smooth function, with which difference quotients agree.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> x = sp.Symbol("x", real=True)
    >>> derivative(Closing(x, QUICK), sp.Derivative(x**3, x), ())
    3*x**2
    """
    function = checks.expression(e.expr, given)
    for x, times in e.variable_count:
        if not isinstance(x, sp.Symbol) or x.is_integer:
            raise NotClosed(e, f"{sp.sstr(x)} is not a real symbol")
        if not times.is_Integer:
            raise NotClosed(e, f"{sp.sstr(times)} is not a number")
        if not is_smooth(_summands(function, x), [x]):
            raise NotClosed(e, f"{sp.sstr(function)} has a bend or a jump, or is not modelled")
        checks.defined(function, given, e, inside=True)
        for _ in range(int(times)):
            slope = sp.diff(function, x)
            if unevaluated(slope):
                raise NotClosed(e, f"the derivative of {sp.sstr(function)} is not modelled")
            checks.replay([Quotient(function, x, slope, given)], e)
            function = slope
    return function


def value_at(checks: Checks, e: sp.Subs, given: Hypotheses) -> Any:
    """An expression, such as a derivative, at a point.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> x = sp.Symbol("x", real=True)
    >>> value_at(Closing(x, QUICK), sp.Subs(sp.Derivative(x**3, x), x, 2), ())
    12
    """
    body, inside = e.expr, given
    at: dict[Any, Any] = {}
    for x, place in zip(e.variables, e.point):
        v = fresh(x.name, [body, *e.point, *given, *at], real=True)
        at[v] = checks.expression(place, given)
        body, inside = body.xreplace({x: v}), (*inside, sp.Eq(v, at[v]))
    closed = checks.expression(body, inside)
    checks.defined(closed, inside, e)
    return closed.xreplace(at)


def _summands(e: Any, x: Any) -> Any:
    """The expression with the terms of finite sums in place of the sums, if their ranges are free of x."""
    totals = [s for s in e.atoms(sp.Sum) if not any(end.has(x) for limit in s.limits for end in limit[1:])]
    return e.xreplace({s: s.function for s in totals})
