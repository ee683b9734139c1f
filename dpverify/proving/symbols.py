"""The symbols of an expression: which are free, names that none of them has, terms in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits


@lru_cache(maxsize=50_000)  # the steps of a proof have most of their hypotheses in common
def free_in(e: Any) -> frozenset[Any]:
    """The free symbols of an expression or a hypothesis, entries of sequences among them.

    >>> t, x = sp.symbols("t x")
    >>> free_in(sp.Sum(x, (t, 1, 2)))
    frozenset({x})
    """
    return frozenset(e.free_symbols)


@lru_cache(maxsize=50_000)
def _names_in(e: Any) -> frozenset[str]:
    """The names of the symbols of an expression, bound ones included."""
    return frozenset(s.name for s in e.atoms(sp.Symbol))


@lru_cache(maxsize=50_000)
def entries_of(e: Any) -> frozenset[Any]:
    """The entries of sequences that stand in an expression or a hypothesis.

    >>> q = sp.IndexedBase("q")
    >>> entries_of(q[1] <= 2)
    frozenset({q[1]})
    """
    return frozenset(e.atoms(sp.Indexed))


@lru_cache(maxsize=4096)
def symbolic_powers(e: Any) -> tuple[sp.Pow, ...]:
    """The powers in an expression whose exponent is no number.

    >>> x, n = sp.symbols("x n")
    >>> symbolic_powers(x**2 + x**n)
    (x**n,)
    """
    return tuple(p for p in e.atoms(sp.Pow) if not p.exp.is_number)


def symbols_of(*expressions: Any) -> list[sp.Symbol]:
    """The free scalar symbols, by name (sequence labels and sequence entries are left out).

    >>> t, q = sp.Symbol("t"), sp.IndexedBase("q")
    >>> symbols_of(sp.Sum(q[t], (t, 1, sp.Symbol("T"))))
    [T]
    """
    free: set[Any] = set()
    labels: set[Any] = set()
    for e in expressions:
        e = sp.sympify(e)
        free |= free_in(e)
        labels |= {base.label for base in e.atoms(sp.IndexedBase)}
    return sorted((s for s in free - labels if isinstance(s, sp.Symbol)), key=lambda s: s.name)


def fresh(name: str, expressions: Sequence[Any], **assumptions: bool) -> sp.Symbol:
    """A symbol whose name no symbol of the expressions has, bound ones included: the name, with primes if
    need be.

    >>> fresh("u", [sp.Symbol("u") + 1], positive=True)
    u'
    """
    taken = frozenset().union(*(_names_in(sp.sympify(e)) for e in expressions))
    while name in taken:
        name += "'"
    return sp.Symbol(name, **assumptions)


def placed(expression: Any, terms: Mapping[Any, Any]) -> Any:
    """The expression with terms for some of its free symbols, all at once; the index of a sum gives way to a
    symbol of the same name in a term.

    >>> t, x = sp.symbols("t x")
    >>> placed(sp.Sum(x, (t, 1, 2)), {x: t})
    Sum(t, (t', 1, 2))
    """
    e = sp.sympify(expression)
    live = {s: sp.sympify(term) for s, term in terms.items() if s in e.free_symbols}
    taken = set(live).union(*[term.free_symbols for term in live.values()])
    if not live or not taken & {s for total in e.atoms(ExprWithLimits) for s in total.variables}:
        return e.xreplace(live)
    if not isinstance(e, ExprWithLimits):
        return e.func(*[placed(arg, live) for arg in e.args])
    limits: list[tuple[Any, ...]] = []
    for index, *ends in reversed(e.limits):  # the outermost first: the others may hold its index
        ends = [placed(end, live) for end in ends]
        name = index
        if index in taken:
            name = fresh(index.name, [e, *live, *live.values()], **index._assumptions_orig)
        live = {s: term for s, term in live.items() if s != index} | ({index: name} if name != index else {})
        limits.insert(0, (name, *ends))
    return e.func(placed(e.function, live), *limits)


def running(expressions: Sequence[Any], given: Sequence[Any]) -> set[Any]:
    """Whole symbols that stand in the index of a sequence among the hypotheses and nowhere in the conclusion:
    such a hypothesis (`q[t] <= 1`) is meant at every index.

    >>> q, t = sp.IndexedBase("q"), sp.Symbol("t", integer=True)
    >>> running([q[1]], [q[t] <= 1]), running([q[t]], [q[t] <= 1])
    ({t}, set())
    """
    concluded = {s for e in expressions for s in free_in(e)}
    return {
        s
        for c in given
        for entry in entries_of(c)
        for i in entry.indices
        for s in i.free_symbols
        if s.is_integer and s in free_in(c) and s not in concluded
    }
