"""Limits: by the rules of `convergence`, or SymPy's where there are no parameters; numbers have their say on
both.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.proving.closed_forms import Checks, Hypotheses, NotClosed, bound
from dpverify.proving.convergence import Growth, Open
from dpverify.proving.evaluate import bind
from dpverify.proving.functions import is_smooth
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.replays import Limit
from dpverify.proving.symbols import fresh
from dpverify.proving.unevaluated import unevaluated
from dpverify.relations import Equal
from dpverify.verdicts import PROVED, Evidence, Result, Step


def limit(checks: Checks, e: sp.Limit, given: Hypotheses) -> Any:
    """The value of a limit, from both sides where it has two.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> x = sp.Symbol("x", positive=True)
    >>> limit(Closing(x, QUICK), sp.Limit(x / (1 + x), x, sp.oo), ())
    1
    """
    function, x, end, direction = e.args
    end = checks.expression(end, given)
    sides = {"+": (1,), "-": (-1,), "+-": (1, -1)}[str(direction)]
    if end.is_infinite:
        sides = (-1,) if end == sp.oo else (1,)
    if x.is_integer and end != sp.oo:
        raise NotClosed(e, f"{x} is a whole number, and does not come near to {sp.sstr(end)}")
    kind = {"integer": True} if x.is_integer else {}
    v = bound(x, e, given, real=True, **kind)
    body = bind(function, x, v)
    if unevaluated(body):
        raise NotClosed(e, "calculus inside a limit is not modelled: write its closed form")
    if not v.is_integer and not is_smooth(body, [v]):
        raise NotClosed(e, f"{sp.sstr(body)} has a bend or a jump, or is not modelled")
    values = [tends(checks, body, v, end, side, given, e) for side in sides]
    if any(value.is_infinite for value in values):
        raise NotClosed(e, "it is infinite")
    if len(values) == 2:
        checks.show(Equal(values[0], values[1], given), "the limits from both sides agree", e)
    return values[0]


def tends(checks: Checks, f: Any, v: Any, end: Any, side: int, given: Hypotheses, e: Any) -> Any:
    """The limit of a function as its variable comes near to an end, from above if the side is 1.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> x = sp.Symbol("x", positive=True)
    >>> tends(Closing(x, QUICK), x * sp.exp(-x), x, sp.oo, -1, (), x)
    0
    """
    y = fresh("y", [f, end, *given], positive=True, **({"integer": True} if v.is_integer else {}))
    place = y if end == sp.oo else -y if end == -sp.oo else end + side / y
    moved = sp.expand_log(f.xreplace({v: place}).replace(_is_log_of_sum, _log_together))
    try:
        with within(checks.effort.tactic_seconds):
            value = Growth(y, lambda c: checks.sign(c, given)).limit(moved)
    except (Open, TimeLimit, RecursionError) as why:
        value = _suggested_limit(checks, f, v, end, side, e)
        if value is None:
            raise NotClosed(e, f"the limit of {sp.sstr(f)} at {sp.sstr(end)} is open: {why}") from None
    if moved.has(sp.I) or value.has(sp.nan, sp.zoo, sp.I):
        raise NotClosed(e, f"the limit of {sp.sstr(f)} at {sp.sstr(end)} is open")
    if not value.is_infinite:
        checks.defined(value, given, e)
        checks.replay([Limit(f, v, end, side, value, given, may_grow=False)], e)
    return value


def _suggested_limit(checks: Checks, f: Any, v: Any, end: Any, side: int, e: Any) -> Any:
    """SymPy's limit of a function without parameters, on which numbers have their say as well."""
    if f.free_symbols - {v} or end.free_symbols:
        return None
    found = checks.suggestions(e, lambda: sp.limit(f, v, end, "+" if side > 0 else "-"))
    if not found or not found[0].is_number or not found[0].is_real:
        return None
    seen = Limit(f, v, end, side, found[0], may_grow=False)
    if not checks.replay([seen], e):
        return None
    judged = Result(PROVED, "SymPy's limit, replayed", Evidence("limit"), judges=("SymPy's limit and balls",))
    checks.steps.append(Step(f"{sp.sstr(f)} -> {sp.sstr(found[0])}", f"{sp.sstr(e)}: a limit", judged))
    return found[0]


def _is_log_of_sum(e: Any) -> bool:
    return isinstance(e, sp.log) and isinstance(e.args[0], sp.Add)


def _log_together(e: Any) -> Any:
    """log(a + 1/y) with one fraction inside."""
    return sp.log(sp.together(e.args[0]))
