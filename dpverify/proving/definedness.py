"""Definedness: what must hold for every quotient, root, logarithm and power of a relation to be a number, and
whether it does wherever the hypotheses hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp

from dpverify.effort import Effort
from dpverify.language.functions import coefficients
from dpverify.language.vectors import Atom
from dpverify.proving.derivatives import guess_sign
from dpverify.proving.evaluate import bind
from dpverify.proving.forms import FIELDS, flat, sympified
from dpverify.proving.gate import hypotheses
from dpverify.proving.symbols import free_in, fresh
from dpverify.relations import ArgMin, AtMost, Equal, Induction, Minimises
from dpverify.verdicts import PROVED, REFUTED, Result

ZERO = sp.Integer(0)
Prove = Callable[[Any, Effort], Result]
Hypotheses = tuple[Any, ...]


class Undefined(Exception):
    """A side is not shown to be defined wherever the hypotheses hold; the message says which, and where."""

    def __init__(self, message: str, cut_short: bool = False):
        super().__init__(message)
        self.cut_short = cut_short


class Need(NamedTuple):
    """What must hold for a subexpression to be defined: one of `ways`, each `(expression, sign)` with a sign
    among ">", ">=" and "!=", all of a way together.
    """

    where: Any
    ways: tuple[tuple[tuple[Any, str], ...], ...]
    given: Hypotheses


def _comparisons(relation: Any) -> Iterator[tuple[Any, Hypotheses]]:
    """The expressions of a relation, each with the hypotheses under which it must be defined."""
    if isinstance(relation, Induction):
        yield from _induction_parts(relation)
        return
    given = tuple(relation.given)
    if isinstance(relation, Minimises):
        x, t = relation.over, relation.index
        inside = (*given, sp.Gt(x, 0, evaluate=False), sp.Ge(t, 1, evaluate=False), sp.Le(t, relation.length))
        yield from ((e, inside) for e in (relation.objective, relation.spent, relation.at))
        yield from ((e, given) for e in (relation.total, relation.length, relation.value) if e is not None)
        return
    if isinstance(relation, ArgMin):
        rest = tuple(g for g in given if relation.over not in g.free_symbols)
        yield relation.at, rest
        if relation.starts is not None:
            yield relation.starts, rest
            yield sp.sympify(relation.expression).subs(relation.over, relation.starts), rest
        yield relation.expression, given
        return
    for name in FIELDS[type(relation)]:
        yield from ((e, given) for e in flat(sympified(getattr(relation, name), name)))


def _induction_parts(relation: Induction) -> Iterator[tuple[Any, Hypotheses]]:
    claim, T = relation.relation, relation.over
    given = tuple(claim.given)
    left, right = (sp.sympify(getattr(claim, n)) for n in FIELDS[type(claim)])
    reached = (*given, sp.Ge(T, relation.start))
    yield relation.first, tuple(g for g in given if T not in g.free_symbols)
    yield left, reached
    yield right, reached
    if isinstance(claim, Equal):
        held: Any = sp.Eq(left, right)
    else:
        held = sp.Lt(left, right) if claim.strict else sp.Le(left, right)
    yield relation.next, (*reached, *([held] if held not in (sp.true, sp.false) else []))


def needs(expression: Any, given: Hypotheses) -> Iterator[Need]:
    """What must hold for an expression to be defined, the inner parts first.

    >>> x = sp.Symbol("x", real=True)
    >>> [(need.where, need.ways) for need in needs(1 + sp.log(x), ())]
    [(log(x), (((x, '>'),),))]
    """
    e = sp.sympify(expression)
    if _always_defined(e):
        return
    if isinstance(e, Atom):  # the point at which a function is taken has coefficients
        for inside in coefficients([e]):
            yield from needs(inside, given)
        return
    if isinstance(e, sp.Sum | sp.Product):
        e = _with_free_indices(e, given)
        inside = given
        for index, low, high in reversed(e.limits):
            yield from needs(low, inside)
            yield from needs(high, inside)
            ends = (sp.Ge(index, low), sp.Le(index, high))
            inside = (*inside, *[c for c in ends if c not in (sp.true, sp.false)])
        yield from needs(e.function, inside)
        return
    if isinstance(e, sp.Piecewise):
        inside = given
        for value, condition in e.args:
            yield from needs(condition, inside)
            yield from needs(value, (*inside, condition) if condition is not sp.true else inside)
            if condition is not sp.true:
                inside = (*inside, sp.Not(condition))
        return
    if isinstance(e, sp.Indexed):
        for i in e.indices:
            yield from needs(i, given)
        return
    for arg in e.args:
        yield from needs(arg, given)
    if ways := _ways(e):
        yield Need(e, ways, given)


@lru_cache(maxsize=50_000)  # the steps of a proof have most of their hypotheses in common
def _always_defined(e: Any) -> bool:
    """Whether no operation in an expression asks for anything."""
    if isinstance(e, Atom):
        return all(map(_always_defined, map(sp.sympify, coefficients([e]))))
    if isinstance(e, sp.Symbol) or not e.args:
        return True
    return not _ways(e) and all(map(_always_defined, e.args))


@lru_cache(maxsize=50_000)
def _bound_in(e: Any) -> frozenset[Any]:
    """The indices of the sums and products of an expression."""
    return frozenset(i for total in e.atoms(sp.Sum, sp.Product) for i in total.variables)


def _with_free_indices(total: Any, given: Hypotheses) -> Any:
    """The sum with indices that no sum in the hypotheses has: an index that is let run freely stands for
    itself.
    """
    bound = frozenset().union(*map(_bound_in, given))
    for index in [i for i in total.variables if i in bound]:
        free = fresh(index.name, [total, *given], **index._assumptions_orig)
        limits = [
            (free if i == index else i, bind(low, index, free), bind(high, index, free))
            for i, low, high in total.limits
        ]
        total = total.func(bind(total.function, index, free), *limits)
    return total


def _ways(e: Any) -> tuple[tuple[tuple[Any, str], ...], ...]:
    """The ways in which one operation may be defined, its parts being so; none if it always is."""
    if isinstance(e, sp.Pow):
        return _power_ways(e.base, e.exp)
    if isinstance(e, sp.log | sp.gamma | sp.loggamma):
        return (((e.args[0], ">"),),)
    if isinstance(e, sp.tan):
        return (((sp.cos(e.args[0]), "!="),),)
    if isinstance(e, sp.cot):
        return (((sp.sin(e.args[0]), "!="),),)
    if isinstance(e, sp.coth):
        return (((e.args[0], "!="),),)
    if isinstance(e, sp.factorial):
        return (((e.args[0], ">="),),)
    if isinstance(e, sp.Mod):
        return (((e.args[1], "!="),),)
    if isinstance(e, sp.LambertW):
        x = e.args[0]
        if len(e.args) == 2 and e.args[1] == -1:
            return (((x + sp.exp(-1), ">="), (-x, ">")),)
        return (((x + sp.exp(-1), ">="),),)
    return ()


def _power_ways(base: Any, power: Any) -> tuple[tuple[tuple[Any, str], ...], ...]:
    if power.is_Rational:
        if power.q == 1:
            return () if power > 0 else (((base, "!="),),)
        return (((base, ">="),),) if power > 0 else (((base, ">"),),)
    if base.is_positive:
        return ()
    if power.is_integer:
        return () if power.is_nonnegative else (((base, "!="),), ((power, ">="),))
    return (((base, ">"),), ((base, ">="), (power, ">")))


_SURE: dict[str, Callable[[Any], bool]] = {
    ">": lambda e: bool(e.is_positive),
    ">=": lambda e: bool(e.is_nonnegative),
    "!=": lambda e: bool(e.is_nonzero),
}


def _near(e: Any, given: Hypotheses) -> Hypotheses:
    """The hypotheses that are tied to the expression by shared symbols, directly or through others."""
    symbols = set(free_in(e))
    rest: list[Any] = list(given)
    near: list[Any] = []
    while True:
        touching = [c for c in rest if free_in(c) & symbols]
        if not touching:
            return tuple(near)
        near += touching
        rest = [c for c in rest if c not in touching]
        symbols = symbols.union(*map(free_in, touching))


class Definedness:
    """Whether relations are defined wherever their hypotheses hold; what was shown once is kept."""

    def __init__(self, prove: Prove):
        self.prove = prove
        self.known: dict[Any, str | None] = {}
        self.shown: dict[Any, list[frozenset[Any]]] = {}  # what holds under some hypotheses does under more

    def show(self, relation: Any, effort: Effort) -> None:
        """Nothing, or `Undefined` with the subexpression and, if it is known, where it is not defined."""
        if type(relation) not in FIELDS:
            return
        self._hypotheses(hypotheses(relation), effort)
        for expression, given in _comparisons(relation):
            for need in needs(expression, given):
                self.meet(need, effort)

    def _hypotheses(self, given: Hypotheses, effort: Effort) -> None:
        """Every hypothesis is defined where those hold that were seen to be before."""
        held = [c for c in given if _always_defined(c)]
        todo = [c for c in given if c not in held]
        while todo:
            stuck: Undefined | None = None
            for c in list(todo):
                try:
                    for need in needs(c, tuple(held)):
                        self.meet(need, effort)
                except Undefined as why:
                    stuck = stuck or why
                    continue
                held.append(c)
                todo.remove(c)
                stuck = None
                break
            if stuck is not None:
                raise stuck

    def meet(self, need: Need, effort: Effort) -> None:
        """Nothing if one of the ways in which it can be defined is shown, else `Undefined`."""
        failures: list[Undefined] = []
        for way in need.ways:
            try:
                for e, sign in way:
                    self._one(need, e, sign, effort)
                return
            except Undefined as why:
                failures.append(why)
        raise next((f for f in failures if f.cut_short), failures[0])

    def _one(self, need: Need, e: Any, sign: str, effort: Effort) -> None:
        if _SURE[sign](e):
            return
        given = _near(e, need.given)
        if any(fewer <= set(given) for fewer in self.shown.get((e, sign), ())):
            return
        key = (e, sign, given)
        if key not in self.known:
            self.known[key] = self._failure(e, sign, given, effort)
        why = self.known[key]
        if why is None:
            self.shown.setdefault((e, sign), []).append(frozenset(given))
        else:
            raise Undefined(f"{sp.sstr(need.where)} is not shown to be defined: {why}")

    def _failure(self, e: Any, sign: str, given: Hypotheses, effort: Effort) -> str | None:
        """Why the sign is not shown; None if it is."""
        if sign != "!=":
            return self._why_not(e, AtMost(ZERO, e, given, strict=sign == ">"), sign, effort)
        for signed in (e, -e) if guess_sign(e, list(given)) > 0 else (-e, e):
            if self.prove(AtMost(ZERO, signed, given, strict=True), effort).verdict is PROVED:
                return None
        return self._why_not(e, AtMost(ZERO, e**2, given, strict=True), sign, effort)

    def _why_not(self, e: Any, wanted: AtMost, sign: str, effort: Effort) -> str | None:
        result = self.prove(wanted, effort)
        if result.verdict is PROVED:
            return None
        if result.verdict is REFUTED and result.witness is not None:
            at = ", ".join(f"{k} = {v}" for k, v in result.witness.let.items()) or "any point"
            return f"it needs {sp.sstr(e)} {sign} 0, which fails at {at}"
        return f"it needs {sp.sstr(e)} {sign} 0, which was not proved"
