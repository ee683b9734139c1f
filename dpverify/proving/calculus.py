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

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.convergence import Growth, Open
from dpverify.proving.evaluate import bind
from dpverify.proving.functions import MODELLED, is_smooth
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.replays import Limit, Quotient, Replay, replayed
from dpverify.proving.symbols import fresh
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
from dpverify.verdicts import PROVED, UNDECIDED, Evidence, Result, Step

UNEVALUATED = (sp.Integral, sp.Derivative, sp.Limit, sp.Subs)
# What may hold calculus. In other relations and inferences symbols are bound that this file does not know of.
RELATIONS = (Equal, AtMost, Increasing, Order, AllOf, ForSome, ForEvery, Theorem)
PLACES = (*RELATIONS, Have, Calc, Use, SumOver, Unroll, At, Cases)
Hypotheses = tuple[Any, ...]


class NotClosed(Exception):
    """A part of a statement for which no closed form was shown; the message names it and says why."""

    def __init__(self, part: Any, why: str, cut_short: bool = False):
        super().__init__(f"{sp.sstr(part)} is not known to be defined: {why}")
        self.cut_short = cut_short


def unevaluated(e: Any) -> bool:
    """Whether an expression holds an integral, a derivative, a limit or an infinite sum.

    >>> x, t = sp.Symbol("x", real=True), sp.Symbol("t", integer=True)
    >>> unevaluated(1 + sp.Integral(x, (x, 0, 1))), unevaluated(sp.Sum(t, (t, 1, 4)))
    (True, False)
    """
    return bool(e.atoms(*UNEVALUATED)) or any(
        end.is_infinite
        for total in e.atoms(sp.Sum, sp.Product)
        for limit in total.limits
        for end in limit[1:]
    )


def mentions(statement: Any) -> bool:
    """Whether a statement or its proof holds calculus that is not evaluated.

    >>> x = sp.Symbol("x", real=True)
    >>> mentions(Theorem(Equal(sp.Integral(x, (x, 0, 1)), sp.Rational(1, 2)))), mentions(Equal(x, x))
    (True, False)
    """
    return any(unevaluated(e) for e in _expressions(statement))


def _expressions(part: Any) -> Iterator[Any]:
    if isinstance(part, sp.MatrixBase):
        yield from part
    elif isinstance(part, sp.Basic):
        yield part
    elif isinstance(part, dict):
        yield from (e for value in part.values() for e in _expressions(value))
    elif isinstance(part, list | tuple):
        yield from (e for value in part for e in _expressions(value))
    elif is_dataclass(part) and not isinstance(part, type):
        yield from (e for f in fields(part) for e in _expressions(getattr(part, f.name)))


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


class Closing:
    """One statement on its way to closed forms, and the checks that this took."""

    def __init__(self, whole: Any, effort: Effort):
        self.effort = effort
        self.whole = list(_expressions(whole))
        self.steps: list[Step] = []
        self.known: dict[tuple[Any, Hypotheses], Any] = {}
        self.shown: dict[AtMost, Result] = {}

    # The parts of a statement.

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
        if not mentions(part):
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
        index = _bound(t, total, given, integer=True)
        term = bind(total.function, t, index)
        if not self.holds(AtMost(0, term, (*given, *_whole_range(index, low, high)))):
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
        free = fresh(index.name, [*given, *_expressions(part)], integer=True)
        inside = (*given, *_whole_range(free, low, high))
        names = ("ratio", "extra") if isinstance(part, Unroll) else ("relation",)
        changes = {}
        for name in names:
            moved = _bound_in(getattr(part, name), index, free)
            changes[name] = _bound_in(self.statement(moved, inside), free, index)
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
                sp.Integral: self._integral,
                sp.Derivative: self._derivative,
                sp.Limit: self._limit,
                sp.Subs: self._value,
            }
            self.known[e, given] = close[type(e)](e, given)
        return self.known[e, given]

    # What is proved on the way.

    def show(self, relation: Any, reason: str, part: Any) -> None:
        """Prove a relation, as a step, or say that the part is not closed."""
        from dpverify.proving.deciding import prove_step

        result = prove_step(relation, self.effort)
        if result.verdict is not PROVED:
            why = f"{reason} ({relation}) is {result.verdict}: {result.because}"
            raise NotClosed(part, why, result.cut_short)
        self.steps.append(step_of(relation, f"{sp.sstr(part)}: {reason}", result))

    def holds(self, relation: AtMost) -> bool:
        """Whether a comparison is proved, which is then a step, once."""
        from dpverify.proving.deciding import prove_step

        if relation not in self.shown:
            self.shown[relation] = prove_step(relation, self.effort)
        result = self.shown[relation]
        step = step_of(relation, "a sign or an order that was asked for", result)
        if result.verdict is PROVED and step not in self.steps:
            self.steps.append(step)
        return result.verdict is PROVED

    def defined(self, e: Any, given: Hypotheses, part: Any, inside: bool = False) -> None:
        """Show that an expression is defined; `inside` also at every point nearby."""
        from dpverify.proving.deciding import defined
        from dpverify.proving.definedness import Undefined, needs

        try:
            for need in needs(e, given):
                ways = need.ways
                if inside:
                    ways = tuple(tuple((x, ">" if op == ">=" else op) for x, op in way) for way in ways)
                defined.meet(need._replace(ways=ways), self.effort)
        except Undefined as why:
            raise NotClosed(part, str(why), why.cut_short) from None

    def sign(self, e: Any, given: Hypotheses) -> int:
        """The sign of an expression that is proved to have one; 0 if it is 0 as it stands."""
        from dpverify.proving.derivatives import guess_sign

        e = sp.sympify(e)
        if e.is_zero or e.is_positive or e.is_negative:
            return 0 if e.is_zero else 1 if e.is_positive else -1
        likely = guess_sign(e, list(given))
        if self.holds(AtMost(0, likely * e, given, strict=True)):
            return likely
        raise Open(f"the sign of {sp.sstr(e)} is not known")

    def replay(self, replays: Sequence[Replay], part: Any) -> int:
        """At how many points numbers agree with what calculus gave."""
        agreed, against = replayed(replays, self.effort.seed)
        if against:
            raise NotClosed(part, f"numbers disagree about {against}")
        return agreed

    def suggestions(self, part: Any, suggest: Any) -> list[Any]:
        """What SymPy answers in the time allowed, the branches of a Piecewise one by one."""
        try:
            with within(self.effort.tactic_seconds):
                answer = suggest()
        except TimeLimit as late:
            raise NotClosed(part, f"SymPy gave {late}", cut_short=True) from None
        except Exception as error:  # whatever a search for a formula runs into, there is none
            raise NotClosed(part, f"SymPy found no formula ({type(error).__name__})") from None
        choices = [answer]
        for choice in choices:  # grows: a Piecewise may stand in another
            if branches := sorted(choice.atoms(sp.Piecewise), key=sp.default_sort_key):
                generic_first = sorted(branches[0].args, key=lambda branch: isinstance(branch[1], sp.Eq))
                choices += [choice.xreplace({branches[0]: value}) for value, _ in generic_first]
        alien = (sp.Integral, sp.Sum, sp.Piecewise, sp.Limit, sp.nan, sp.zoo, sp.oo, sp.I)
        return [c for c in choices if not c.has(*alien)]

    # Integrals.

    def _integral(self, e: sp.Integral, given: Hypotheses) -> Any:
        *inner, outer = e.limits
        if len(outer) != 3:
            raise NotClosed(e, f"the range of {outer[0]} is not given")
        x, low, high = outer
        if x.is_integer:
            raise NotClosed(e, f"{x} is a whole number")
        low, high = (self.expression(end, given) for end in (low, high))
        if low == high:
            return sp.Integer(0)
        body = sp.Integral(e.function, *inner) if inner else e.function
        sign, apart = self._order(body, x, low, high, given, e)
        ends = (low, high) if sign > 0 else (high, low)
        return sign * self._over_range(body, x, ends, apart, given, e)

    def _over_range(
        self, body: Any, x: Any, ends: tuple[Any, Any], apart: bool, given: Hypotheses, e: Any
    ) -> Any:
        """The integral over a range whose ends are in order, and perhaps equal if they are not `apart`."""
        low, high = ends
        v = _bound(x, e, given, **({"positive": True} if low.is_nonnegative else {"real": True}))
        inside = (*given, *[c for c in (sp.Lt(low, v), sp.Lt(v, high)) if c is not sp.true])
        integrand = self.expression(bind(body, x, v), inside)
        if not is_smooth(integrand, [v]):
            raise NotClosed(
                e, f"{sp.sstr(integrand)} has a bend or a jump, or is not modelled: split the range"
            )
        self.defined(integrand, inside, e, inside=True)
        reasons, taken = [], len(self.steps)
        for F in self._antiderivatives(e, integrand, v, inside):
            try:
                return self._from_antiderivative(F, integrand, v, ends, apart, inside, given, e)
            except NotClosed as why:
                reasons.append(why)
                del self.steps[taken:]
        raise reasons[0] if reasons else NotClosed(e, "no antiderivative was found")

    def _order(self, body: Any, x: Any, low: Any, high: Any, given: Hypotheses, e: Any) -> tuple[int, bool]:
        """1 if the ends of a range are in this order, -1 if in the other, and whether they are apart; they
        may be equal where the integrand is defined at them.
        """
        if sp.oo in (low, high) or -sp.oo in (low, high):
            return (1 if low == -sp.oo or high == sp.oo else -1), True
        for sign, gap in ((1, high - low), (-1, low - high)):
            if gap.is_positive or self.holds(AtMost(0, gap, given, strict=True)):
                return sign, True
        for sign, (a, b) in ((1, (low, high)), (-1, (high, low))):
            if (b - a).is_nonnegative or self.holds(AtMost(a, b, given)):
                v = _bound(x, e, given, real=True)
                closed = (*given, *[c for c in (sp.Le(a, v), sp.Le(v, b)) if c is not sp.true])
                self.defined(self.expression(bind(body, x, v), closed), closed, e)
                return sign, False
        raise NotClosed(e, f"whether {sp.sstr(low)} <= {sp.sstr(high)} is not known")

    def _antiderivatives(self, e: Any, integrand: Any, v: Any, inside: Hypotheses) -> Iterator[Any]:
        """Formulas that may have the integrand for their derivative."""
        from dpverify.proving.derivatives import guess_sign

        joined = sp.powsimp(integrand, combine="exp")  # one exponent, whose vertex is moved to 0
        shift = _vertex(joined, v)
        centred = joined.xreplace({v: v + shift}).replace(_is_exp, _exp_expanded) if shift != 0 else joined
        centred = sp.expand(centred)
        for F in self.suggestions(e, lambda: sp.integrate(centred, v).xreplace({v: v - shift})):
            turned = {
                f: sp.log(-f.args[0])
                for f in F.atoms(sp.log)
                if f.has(v) and guess_sign(f.args[0], list(inside)) < 0
            }
            yield F.xreplace(turned)

    def _from_antiderivative(
        self,
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
        self.defined(F, inside, e, inside=True)
        self.show(Equal(sp.diff(F, v), f, inside), "the derivative is the integrand", e)
        self.replay([Quotient(F, v, f, inside)], e)
        values = []
        for end, side in zip(ends, (1, -1)):
            value = self._at_end(F, v, end, given, e)
            if value is None and apart:
                value = self._tends(F, v, end, side, given, e)
            if value is None:
                raise NotClosed(e, f"its ends may be equal, and {sp.sstr(F)} is not defined there")
            if value.is_infinite:
                why = f"it diverges: the antiderivative {sp.sstr(F)} is infinite at {sp.sstr(end)}"
                raise NotClosed(e, why)
            values.append(value)
        return values[1] - values[0]

    def _at_end(self, F: Any, v: Any, end: Any, given: Hypotheses, e: Any) -> Any:
        """The value of a function at an end of its range, where it is defined; None elsewhere."""
        if end.is_infinite:
            return None
        free = fresh(v.name, [F, end, *given], real=True)
        try:
            self.defined(F.xreplace({v: free}), (*given, sp.Eq(free, end)), e)
            return self._without_powers_of_zero(F.xreplace({v: end}), given)
        except (NotClosed, Open):
            return None

    def _without_powers_of_zero(self, value: Any, given: Hypotheses) -> Any:
        """0^p = 0 where p > 0 is shown."""
        powers = [p for p in value.atoms(sp.Pow) if p.base == 0 and self.sign(p.exp, given) > 0]
        return value.xreplace({p: sp.Integer(0) for p in powers})

    # Limits.

    def _tends(self, f: Any, v: Any, end: Any, side: int, given: Hypotheses, e: Any) -> Any:
        """The limit of a function as its variable comes near to an end, from above if the side is 1."""
        y = fresh("y", [f, end, *given], positive=True, **({"integer": True} if v.is_integer else {}))
        place = y if end == sp.oo else -y if end == -sp.oo else end + side / y
        moved = sp.expand_log(f.xreplace({v: place}).replace(_is_log_of_sum, _log_together))
        try:
            with within(self.effort.tactic_seconds):
                value = Growth(y, lambda c: self.sign(c, given)).limit(moved)
        except (Open, TimeLimit, RecursionError) as why:
            value = self._suggested_limit(f, v, end, side, e)
            if value is None:
                raise NotClosed(e, f"the limit of {sp.sstr(f)} at {sp.sstr(end)} is open: {why}") from None
        if moved.has(sp.I) or value.has(sp.nan, sp.zoo, sp.I):
            raise NotClosed(e, f"the limit of {sp.sstr(f)} at {sp.sstr(end)} is open")
        if not value.is_infinite:
            self.defined(value, given, e)
            self.replay([Limit(f, v, end, side, value, given, may_grow=False)], e)
        return value

    def _suggested_limit(self, f: Any, v: Any, end: Any, side: int, e: Any) -> Any:
        """SymPy's limit of a function without parameters, on which numbers have their say as well."""
        if f.free_symbols - {v} or end.free_symbols:
            return None
        found = self.suggestions(e, lambda: sp.limit(f, v, end, "+" if side > 0 else "-"))
        if not found or not found[0].is_number or not found[0].is_real:
            return None
        seen = Limit(f, v, end, side, found[0], may_grow=False)
        if not self.replay([seen], e):
            return None
        judged = Result(
            PROVED, "SymPy's limit, replayed", Evidence("limit"), judges=("SymPy's limit and balls",)
        )
        self.steps.append(Step(f"{sp.sstr(f)} -> {sp.sstr(found[0])}", f"{sp.sstr(e)}: a limit", judged))
        return found[0]

    def _limit(self, e: sp.Limit, given: Hypotheses) -> Any:
        function, x, end, direction = e.args
        end = self.expression(end, given)
        sides = {"+": (1,), "-": (-1,), "+-": (1, -1)}[str(direction)]
        if end.is_infinite:
            sides = (-1,) if end == sp.oo else (1,)
        if x.is_integer and end != sp.oo:
            raise NotClosed(e, f"{x} is a whole number, and does not come near to {sp.sstr(end)}")
        kind = {"integer": True} if x.is_integer else {}
        v = _bound(x, e, given, real=True, **kind)
        body = bind(function, x, v)
        if unevaluated(body):
            raise NotClosed(e, "calculus inside a limit is not modelled: write its closed form")
        if not v.is_integer and not is_smooth(body, [v]):
            raise NotClosed(e, f"{sp.sstr(body)} has a bend or a jump, or is not modelled")
        values = [self._tends(body, v, end, side, given, e) for side in sides]
        if any(value.is_infinite for value in values):
            raise NotClosed(e, "it is infinite")
        if len(values) == 2:
            self.show(Equal(values[0], values[1], given), "the limits from both sides agree", e)
        return values[0]

    # Derivatives.

    def _derivative(self, e: sp.Derivative, given: Hypotheses) -> Any:
        function = self.expression(e.expr, given)
        for x, times in e.variable_count:
            if not isinstance(x, sp.Symbol) or x.is_integer:
                raise NotClosed(e, f"{sp.sstr(x)} is not a real symbol")
            if not times.is_Integer:
                raise NotClosed(e, f"{sp.sstr(times)} is not a number")
            if not is_smooth(_summands(function, x), [x]):
                raise NotClosed(e, f"{sp.sstr(function)} has a bend or a jump, or is not modelled")
            self.defined(function, given, e, inside=True)
            for _ in range(int(times)):
                slope = sp.diff(function, x)
                if unevaluated(slope):
                    raise NotClosed(e, f"the derivative of {sp.sstr(function)} is not modelled")
                self.replay([Quotient(function, x, slope, given)], e)
                function = slope
        return function

    def _value(self, e: sp.Subs, given: Hypotheses) -> Any:
        """An expression, such as a derivative, at a point."""
        body, inside = e.expr, given
        at: dict[Any, Any] = {}
        for x, place in zip(e.variables, e.point):
            v = fresh(x.name, [body, *e.point, *given, *at], real=True)
            at[v] = self.expression(place, given)
            body, inside = body.xreplace({x: v}), (*inside, sp.Eq(v, at[v]))
        closed = self.expression(body, inside)
        self.defined(closed, inside, e)
        return closed.xreplace(at)

    # Infinite sums.

    def _total(self, e: Any, given: Hypotheses) -> Any:
        *inner, (t, low, high) = e.limits
        low, high = (self.expression(end, given) for end in (low, high))
        body = e.func(e.function, *inner) if inner else e.function
        index = _bound(t, e, given, integer=True)
        closed = self.expression(bind(body, t, index), (*given, *_whole_range(index, low, high)))
        if high.is_infinite or low.is_infinite:
            return self._series(e.func(closed, (index, low, high)), given)
        return e.func(closed, (index, low, high))

    def _series(self, e: Any, given: Hypotheses) -> Any:
        t, low, high = e.limits[0]
        if isinstance(e, sp.Product) or high != sp.oo or not low.is_integer:
            raise NotClosed(e, "of infinite ranges, sums from a whole number upwards are modelled")
        if (e, given) in self.known:
            return self.known[e, given]
        taken = [e, *given]
        n = fresh("n", taken, integer=True, **({"positive": True} if low.is_positive else {}))
        term = bind(e.function, t, n)
        reasons, steps = [], len(self.steps)
        index = sp.Dummy(t.name, integer=True)
        body = bind(e.function, t, index)
        for S in self.suggestions(e, lambda: sp.summation(body, (index, low, n))):
            if any(not isinstance(function, MODELLED) for function in S.atoms(sp.Function)):
                continue  # harmonic numbers, say
            try:
                self.known[e, given] = self._from_partial_sums(S, term, n, low, given, e)
                return self.known[e, given]
            except NotClosed as why:
                reasons.append(why)
                del self.steps[steps:]
        none = "no formula for its partial sums was found in functions that are modelled, and without one it "
        none += "is no number here; an upper bound on terms >= 0 needs none: AtMost(Sum(...), c)"
        raise reasons[0] if reasons else NotClosed(e, none)

    def _from_partial_sums(self, S: Any, term: Any, n: Any, low: Any, given: Hypotheses, e: Any) -> Any:
        further = (*given, sp.Ge(n, low)) if sp.Ge(n, low) is not sp.true else given
        self.show(Equal(S.xreplace({n: low}), term.xreplace({n: low}), given), "its first partial sum", e)
        later = Equal(sp.expand(S.xreplace({n: n + 1}) - S), term.xreplace({n: n + 1}), further)
        self.show(later, "from one partial sum to the next", e)
        value = self._tends(S, n, sp.oo, -1, given, e)
        if value.is_infinite:
            raise NotClosed(e, f"it diverges: its partial sums {sp.sstr(S)} are not bounded")
        return value


def _bound(x: Any, e: Any, given: Hypotheses, **assumptions: bool) -> sp.Symbol:
    """The variable that an expression binds, with these assumptions alone, under a name that nothing free
    has.
    """
    return fresh(x.name, [*e.free_symbols, *given], **assumptions)


def _bound_in(part: Any, index: Any, free: Any) -> Any:
    """A relation or an expression with another symbol for its index."""
    if isinstance(part, Equal):
        return replace(part, derived=bind(part.derived, index, free), stated=bind(part.stated, index, free))
    if isinstance(part, AtMost):
        return replace(part, lhs=bind(part.lhs, index, free), rhs=bind(part.rhs, index, free))
    return bind(part, index, free)


def _whole_range(t: Any, low: Any, high: Any) -> Hypotheses:
    """What the range of a sum says of its index."""
    ends = (sp.Ge(t, low), sp.Le(t, high))
    return tuple(c for c in ends if c not in (sp.true, sp.false))


def _vertex(e: Any, v: Any) -> Any:
    """Where the exponent of a Gaussian density is greatest; 0 for anything else."""
    for f in sorted(e.atoms(sp.exp), key=sp.default_sort_key):
        exponent = sp.expand(f.args[0])
        if exponent.is_polynomial(v) and sp.degree(exponent, v) == 2:
            return sp.simplify(-exponent.coeff(v, 1) / (2 * exponent.coeff(v, 2)))
    return sp.Integer(0)


def _summands(e: Any, x: Any) -> Any:
    """The expression with the terms of finite sums in place of the sums, if their ranges are free of x."""
    totals = [s for s in e.atoms(sp.Sum) if not any(end.has(x) for limit in s.limits for end in limit[1:])]
    return e.xreplace({s: s.function for s in totals})


def _is_exp(e: Any) -> bool:
    return isinstance(e, sp.exp)


def _exp_expanded(e: Any) -> Any:
    return sp.exp(sp.expand(sp.simplify(e.args[0])))


def _is_log_of_sum(e: Any) -> bool:
    return isinstance(e, sp.log) and isinstance(e.args[0], sp.Add)


def _log_together(e: Any) -> Any:
    """log(a + 1/y) with one fraction inside."""
    return sp.log(sp.together(e.args[0]))
