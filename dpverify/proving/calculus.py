"""Integrals, derivatives, limits and infinite sums as they are printed, closed by formulas that are checked.

    Integral(f, (x, a, b))    F(b) - F(a): F' = f inside, F smooth there and continuous at the ends, or with
                              limits at them
    Sum(f, (t, a, oo))        the limit of S: S(a) = f(a), S(n + 1) - S(n) = f(n + 1) for whole n >= a
    Limit(f, x, c)            by the rules of `convergence`
    Derivative(f, x)          diff, where f is smooth, replayed by difference quotients
SymPy suggests F and S. What is checked holds under the hypotheses that are free of calculus; every check is a
step of the result. What is not shown is UNDECIDED, and the reason names the part of the statement.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.closed_forms import Checks, Hypotheses, NotClosed, bound, whole_range
from dpverify.proving.evaluate import bind
from dpverify.proving.integrals import integral
from dpverify.proving.series import series
from dpverify.proving.slopes import derivative, value_at
from dpverify.proving.symbols import fresh
from dpverify.proving.tending import limit
from dpverify.proving.unevaluated import UNEVALUATED, expressions_in, holds_calculus, unevaluated
from dpverify.relations import AtMost, Equal, Increasing, Order
from dpverify.theorems import (
    AllOf,
    At,
    Calc,
    Cases,
    ForEvery,
    ForSome,
    Have,
    SumOver,
    Theorem,
    Unroll,
    Use,
    step_of,
)
from dpverify.verdicts import PROVED, UNDECIDED, Evidence, Result

# What may hold calculus. In other relations and inferences symbols are bound that this file does not know of.
RELATIONS = (Equal, AtMost, Increasing, Order, AllOf, ForSome, ForEvery, Theorem)
PLACES = (*RELATIONS, Have, Calc, Use, SumOver, Unroll, At, Cases)


def decide(statement: Any, effort: Effort) -> Result:
    """The verdict on a statement, through the same statement with closed forms."""
    from dpverify.proving import prove

    closing = Closing(statement, effort)
    try:
        closed = closing.statement(statement)
    except NotClosed as why:
        return Result(UNDECIDED, str(why), steps=tuple(closing.steps), cut_short=why.cut_short)
    result = prove(closed, effort)
    if result.verdict is not PROVED:
        return result.with_(because=f"{result.because} (with closed forms: {closed})")
    forms = {sp.sstr(part): sp.sstr(form) for (part, _), form in closing.known.items()}
    conclusion = step_of(closed, "the statement with closed forms", result)
    steps = (*closing.steps, conclusion)
    return Result(
        PROVED,
        f"calculus: {result.because}, with closed forms that are checked",
        Evidence("calculus", {"closed forms": forms, "inferences": len(steps)}),
        steps=steps,
        depends=result.depends,
    )


class Closing(Checks):
    """One statement on its way to closed forms, and the checks that this took."""

    def __init__(self, whole: Any, effort: Effort):
        super().__init__(effort)
        self.whole = list(expressions_in(whole))

    def statement(self, part: Any, given: Hypotheses = ()) -> Any:
        """The part of a statement, or of its proof, with closed forms; what it holds is claimed under the
        hypotheses.
        """
        if isinstance(part, sp.MatrixBase):
            return part.applyfunc(lambda e: self.expression(e, given))
        if isinstance(part, sp.Basic):
            return self.expression(part, given)
        if isinstance(part, dict):
            return {name: self.statement(value, given) for name, value in part.items()}
        if isinstance(part, list | tuple):
            return type(part)(self.statement(value, given) for value in part)
        if not holds_calculus(part):
            return part
        if not isinstance(part, PLACES):
            kinds = ", ".join(kind.__name__ for kind in RELATIONS)
            raise NotClosed(part, f"calculus may stand in {kinds} and their proofs, and in nothing else")
        if isinstance(part, ForEvery | SumOver | Unroll):
            return self._for_every(part, given)
        own = [h for h in getattr(part, "given", ()) if isinstance(h, sp.Basic) and not unevaluated(h)]
        given = (*given, *[h for h in own if h not in given])
        if isinstance(part, AllOf):
            return AllOf(*[self.statement(p, given) for p in part.parts])
        if isinstance(part, AtMost) and (partial := self._partial_sums(part, given)) is not None:
            return partial
        return replace(part, **{f.name: self.statement(getattr(part, f.name), given) for f in fields(part)})

    def _partial_sums(self, part: AtMost, given: Hypotheses) -> AtMost | None:
        """A bound on an infinite sum of terms that are not negative, as a bound on all its partial sums:
        these increase to it. None for other comparisons, and where a closed form says more.
        """
        factor, total = sp.sympify(part.lhs).as_independent(sp.Sum, as_Add=False)
        if (
            part.strict
            or not isinstance(total, sp.Sum)
            or unevaluated(sp.sympify(part.rhs))
            or unevaluated(factor)
        ):
            return None
        t, low, high = total.limits[0]
        if len(total.limits) > 1 or high != sp.oo or not low.is_integer or unevaluated(total.function):
            return None
        taken, known = len(self.steps), dict(self.known)
        try:
            self.expression(total, given)
            return None
        except NotClosed:
            del self.steps[taken:]
            self.known = known
        index = bound(t, total, given, integer=True)
        term = bind(total.function, t, index)
        if not self.holds(AtMost(0, term, (*given, *whole_range(index, low, high)))):
            return None
        if not factor.is_positive and not self.holds(AtMost(0, factor, given, strict=True)):
            return None
        T = fresh("T", self.whole, integer=True, **({"positive": True} if low.is_positive else {}))
        bounds = [h for h in (*self.statement(part.given, given), sp.Ge(T, low)) if h is not sp.true]
        return replace(part, lhs=factor * sp.Sum(total.function, (t, low, T)), given=tuple(bounds))

    def _for_every(self, part: ForEvery | SumOver | Unroll, given: Hypotheses) -> Any:
        """What holds for every index of a range: the index has no other property."""
        index = part.index
        low, high = (self.expression(sp.sympify(end), given) for end in (part.low, part.high))
        if isinstance(part, Unroll) and unevaluated(part.entry):
            raise NotClosed(part.entry, "the entry that is unrolled holds calculus")
        free = fresh(index.name, [*given, *expressions_in(part)], integer=True)
        inside = (*given, *whole_range(free, low, high))
        names = ("ratio", "extra") if isinstance(part, Unroll) else ("relation",)
        changes = {}
        for name in names:
            moved = _with_index(getattr(part, name), index, free)
            changes[name] = _with_index(self.statement(moved, inside), free, index)
        return replace(part, low=low, high=high, **changes)

    def expression(self, e: Any, given: Hypotheses) -> Any:
        """The expression with closed forms for what is not evaluated, the inner parts first."""
        if not e.args or not unevaluated(e):
            return e
        if isinstance(e, sp.Sum | sp.Product):
            return self._total(e, given)
        if isinstance(e, sp.Piecewise):
            raise NotClosed(
                e, "calculus in the branches of a Piecewise is not modelled: write the cases apart"
            )
        if not isinstance(e, UNEVALUATED):
            return e.func(*[self.expression(arg, given) for arg in e.args])
        if (e, given) not in self.known:
            close = {
                sp.Integral: integral,
                sp.Derivative: derivative,
                sp.Limit: limit,
                sp.Subs: value_at,
            }
            self.known[e, given] = close[type(e)](self, e, given)
        return self.known[e, given]

    def _total(self, e: Any, given: Hypotheses) -> Any:
        *inner, (t, low, high) = e.limits
        low, high = (self.expression(end, given) for end in (low, high))
        body = e.func(e.function, *inner) if inner else e.function
        index = bound(t, e, given, integer=True)
        closed = self.expression(bind(body, t, index), (*given, *whole_range(index, low, high)))
        if high.is_infinite or low.is_infinite:
            return series(self, e.func(closed, (index, low, high)), given)
        return e.func(closed, (index, low, high))


def _with_index(part: Any, index: Any, free: Any) -> Any:
    """A relation or an expression with another symbol for its index."""
    if isinstance(part, Equal):
        return replace(part, derived=bind(part.derived, index, free), stated=bind(part.stated, index, free))
    if isinstance(part, AtMost):
        return replace(part, lhs=bind(part.lhs, index, free), rhs=bind(part.rhs, index, free))
    return bind(part, index, free)
