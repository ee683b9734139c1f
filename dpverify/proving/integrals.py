"""Integrals: F(b) - F(a), where F' = f inside, F smooth there and continuous at the ends, or with limits at
them. SymPy suggests F.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.proving.closed_forms import Checks, Hypotheses, NotClosed, bound
from dpverify.proving.convergence import Open
from dpverify.proving.evaluate import bind
from dpverify.proving.functions import is_smooth
from dpverify.proving.replays import Quotient
from dpverify.proving.symbols import fresh
from dpverify.proving.tending import tends
from dpverify.relations import AtMost, Equal


def integral(checks: Checks, e: sp.Integral, given: Hypotheses) -> Any:
    """The closed form of an integral, by an antiderivative whose derivative is shown to be the integrand.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> x = sp.Symbol("x", real=True)
    >>> integral(Closing(x, QUICK), sp.Integral(x**2, (x, 0, 1)), ())
    1/3
    """
    *inner, outer = e.limits
    if len(outer) != 3:
        raise NotClosed(e, f"the range of {outer[0]} is not given")
    x, low, high = outer
    if x.is_integer:
        raise NotClosed(e, f"{x} is a whole number")
    low, high = (checks.expression(end, given) for end in (low, high))
    if low == high:
        return sp.Integer(0)
    body = sp.Integral(e.function, *inner) if inner else e.function
    sign, apart = _order(checks, body, x, low, high, given, e)
    ends = (low, high) if sign > 0 else (high, low)
    return sign * _over_range(checks, body, x, ends, apart, given, e)


def _over_range(
    checks: Checks, body: Any, x: Any, ends: tuple[Any, Any], apart: bool, given: Hypotheses, e: Any
) -> Any:
    """The integral over a range whose ends are in order, and perhaps equal if they are not `apart`."""
    low, high = ends
    v = bound(x, e, given, **({"positive": True} if low.is_nonnegative else {"real": True}))
    inside = (*given, *[c for c in (sp.Lt(low, v), sp.Lt(v, high)) if c is not sp.true])
    integrand = checks.expression(bind(body, x, v), inside)
    if not is_smooth(integrand, [v]):
        raise NotClosed(e, f"{sp.sstr(integrand)} has a bend or a jump, or is not modelled: split the range")
    checks.defined(integrand, inside, e, inside=True)
    reasons, taken = [], len(checks.steps)
    for F in _antiderivatives(checks, e, integrand, v, inside):
        try:
            return _from_antiderivative(checks, F, integrand, v, ends, apart, inside, given, e)
        except NotClosed as why:
            reasons.append(why)
            del checks.steps[taken:]
    raise reasons[0] if reasons else NotClosed(e, "no antiderivative was found")


def _order(
    checks: Checks, body: Any, x: Any, low: Any, high: Any, given: Hypotheses, e: Any
) -> tuple[int, bool]:
    """1 if the ends of a range are in this order, -1 if in the other, and whether they are apart; they
    may be equal where the integrand is defined at them.
    """
    if sp.oo in (low, high) or -sp.oo in (low, high):
        return (1 if low == -sp.oo or high == sp.oo else -1), True
    for sign, gap in ((1, high - low), (-1, low - high)):
        if gap.is_positive or checks.holds(AtMost(0, gap, given, strict=True)):
            return sign, True
    for sign, (a, b) in ((1, (low, high)), (-1, (high, low))):
        if (b - a).is_nonnegative or checks.holds(AtMost(a, b, given)):
            v = bound(x, e, given, real=True)
            closed = (*given, *[c for c in (sp.Le(a, v), sp.Le(v, b)) if c is not sp.true])
            checks.defined(checks.expression(bind(body, x, v), closed), closed, e)
            return sign, False
    raise NotClosed(e, f"whether {sp.sstr(low)} <= {sp.sstr(high)} is not known")


def _antiderivatives(checks: Checks, e: Any, integrand: Any, v: Any, inside: Hypotheses) -> Iterator[Any]:
    """Formulas that may have the integrand for their derivative."""
    from dpverify.proving.derivatives import guess_sign

    joined = sp.powsimp(integrand, combine="exp")  # one exponent, whose vertex is moved to 0
    shift = _vertex(joined, v)
    centred = joined.xreplace({v: v + shift}).replace(_is_exp, _exp_expanded) if shift != 0 else joined
    centred = sp.expand(centred)
    for F in checks.suggestions(e, lambda: sp.integrate(centred, v).xreplace({v: v - shift})):
        turned = {
            f: sp.log(-f.args[0])
            for f in F.atoms(sp.log)
            if f.has(v) and guess_sign(f.args[0], list(inside)) < 0
        }
        yield F.xreplace(turned)


def _from_antiderivative(
    checks: Checks,
    F: Any,
    f: Any,
    v: Any,
    ends: tuple[Any, Any],
    apart: bool,
    inside: Hypotheses,
    given: Hypotheses,
    e: Any,
) -> Any:
    if not is_smooth(F, [v]):
        raise NotClosed(e, f"the antiderivative {sp.sstr(F)} is not modelled")
    checks.defined(F, inside, e, inside=True)
    checks.show(Equal(sp.diff(F, v), f, inside), "the derivative is the integrand", e)
    checks.replay([Quotient(F, v, f, inside)], e)
    values = []
    for end, side in zip(ends, (1, -1)):
        value = _at_end(checks, F, v, end, given, e)
        if value is None and apart:
            value = tends(checks, F, v, end, side, given, e)
        if value is None:
            raise NotClosed(e, f"its ends may be equal, and {sp.sstr(F)} is not defined there")
        if value.is_infinite:
            why = f"it diverges: the antiderivative {sp.sstr(F)} is infinite at {sp.sstr(end)}"
            raise NotClosed(e, why)
        values.append(value)
    return values[1] - values[0]


def _at_end(checks: Checks, F: Any, v: Any, end: Any, given: Hypotheses, e: Any) -> Any:
    """The value of a function at an end of its range, where it is defined; None elsewhere."""
    if end.is_infinite:
        return None
    free = fresh(v.name, [F, end, *given], real=True)
    try:
        checks.defined(F.xreplace({v: free}), (*given, sp.Eq(free, end)), e)
        return _without_powers_of_zero(checks, F.xreplace({v: end}), given)
    except (NotClosed, Open):
        return None


def _without_powers_of_zero(checks: Checks, value: Any, given: Hypotheses) -> Any:
    """0^p = 0 where p > 0 is shown."""
    powers = [p for p in value.atoms(sp.Pow) if p.base == 0 and checks.sign(p.exp, given) > 0]
    return value.xreplace({p: sp.Integer(0) for p in powers})


def _vertex(e: Any, v: Any) -> Any:
    """Where the exponent of a Gaussian density is greatest; 0 for anything else."""
    for f in sorted(e.atoms(sp.exp), key=sp.default_sort_key):
        exponent = sp.expand(f.args[0])
        if exponent.is_polynomial(v) and sp.degree(exponent, v) == 2:
            return sp.simplify(-exponent.coeff(v, 1) / (2 * exponent.coeff(v, 2)))
    return sp.Integer(0)


def _is_exp(e: Any) -> bool:
    return isinstance(e, sp.exp)


def _exp_expanded(e: Any) -> Any:
    return sp.exp(sp.expand(sp.simplify(e.args[0])))
