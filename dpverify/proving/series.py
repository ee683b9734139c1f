"""Infinite sums: the limit of S, where S(a) = f(a) and S(n + 1) - S(n) = f(n + 1) for whole n >= a. SymPy
suggests S.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.proving.closed_forms import Checks, Hypotheses, NotClosed
from dpverify.proving.evaluate import bind
from dpverify.proving.functions import MODELLED
from dpverify.proving.symbols import fresh
from dpverify.proving.tending import tends
from dpverify.relations import Equal


def series(checks: Checks, e: Any, given: Hypotheses) -> Any:
    """The closed form of an infinite sum, by a formula for its partial sums that is shown by induction.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.calculus import Closing
    >>> t = sp.Symbol("t", integer=True)
    >>> series(Closing(t, QUICK), sp.Sum(sp.Rational(1, 2) ** t, (t, 1, sp.oo)), ())
    1
    """
    t, low, high = e.limits[0]
    if isinstance(e, sp.Product) or high != sp.oo or not low.is_integer:
        raise NotClosed(e, "of infinite ranges, sums from a whole number upwards are modelled")
    if (e, given) in checks.known:
        return checks.known[e, given]
    taken = [e, *given]
    n = fresh("n", taken, integer=True, **({"positive": True} if low.is_positive else {}))
    term = bind(e.function, t, n)
    reasons, steps = [], len(checks.steps)
    index = sp.Dummy(t.name, integer=True)
    body = bind(e.function, t, index)
    for S in checks.suggestions(e, lambda: sp.summation(body, (index, low, n))):
        if any(not isinstance(function, MODELLED) for function in S.atoms(sp.Function)):
            continue  # harmonic numbers, say
        try:
            checks.known[e, given] = _from_partial_sums(checks, S, term, n, low, given, e)
            return checks.known[e, given]
        except NotClosed as why:
            reasons.append(why)
            del checks.steps[steps:]
    none = "no formula for its partial sums was found in functions that are modelled, and without one it "
    none += "is no number here; an upper bound on terms >= 0 needs none: AtMost(Sum(...), c)"
    raise reasons[0] if reasons else NotClosed(e, none)


def _from_partial_sums(checks: Checks, S: Any, term: Any, n: Any, low: Any, given: Hypotheses, e: Any) -> Any:
    further = (*given, sp.Ge(n, low)) if sp.Ge(n, low) is not sp.true else given
    checks.show(Equal(S.xreplace({n: low}), term.xreplace({n: low}), given), "its first partial sum", e)
    later = Equal(sp.expand(S.xreplace({n: n + 1}) - S), term.xreplace({n: n + 1}), further)
    checks.show(later, "from one partial sum to the next", e)
    value = tends(checks, S, n, sp.oo, -1, given, e)
    if value.is_infinite:
        raise NotClosed(e, f"it diverges: its partial sums {sp.sstr(S)} are not bounded")
    return value
