"""Constants with which O or Omega may hold: by linear programs where both sides are sums of products of
powers, otherwise from the largest ratio that a sample shows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import QUICK, Effort
from dpverify.proving import monomials
from dpverify.proving.monomials import NotOfThisForm, Term
from dpverify.proving.order_ratios import largest_ratios
from dpverify.relations import AtMost, Order

LOGARITHMS = {1: 6, 2: 4}  # the largest power of a hidden logarithm that is tried, by their number; else 3


def constants(order: Order, side: str, effort: Effort) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Constants and powers of hidden logarithms that may do, the most promising first.

    >>> from dpverify.relations import BigO
    >>> N = sp.Symbol("N", positive=True)
    >>> next(constants(BigO(N + 3, N, (N >= 1,)), "upper", QUICK))
    (4, ())
    """
    largest_power = LOGARITHMS.get(len(order.hiding), 3)
    powers = sorted(
        itertools.product(range(largest_power + 1), repeat=len(order.hiding)), key=lambda k: (sum(k), k)
    )
    if (given := getattr(order, side)) is not None:
        yield from ((given, k) for k in powers)
        return
    for k in powers:
        constant = _constant_of_powers(order, side, k)
        if constant is not None and _suffices(order, side, constant, k):
            yield constant, k
            break
    largest = largest_ratios(order, side, powers, effort)
    for k in powers:
        if k in largest:
            for slack in (1, 4):
                number = nice(slack * largest[k])
                yield (1 / number if side == "lower" else number), k
            return


def inequalities(order: Order, side: str, constant: Any, powers: tuple[int, ...]) -> list[AtMost]:
    """What a side says with these constants.

    >>> from dpverify.relations import BigO
    >>> N = sp.Symbol("N", positive=True)
    >>> [str(part) for part in inequalities(BigO(N, N**2, (N >= 1,)), "upper", 1, ())]
    ['N <= N**2   given N >= 1', '-N <= N**2   given N >= 1']
    """
    factor = sp.Mul(*[(1 + sp.log(u)) ** k for u, k in zip(order.hiding, powers)])
    if side == "lower":
        return [AtMost(constant * order.scale / factor, order.expression, order.given)]
    bound = constant * order.scale * factor
    return [AtMost(order.expression, bound, order.given), AtMost(-order.expression, bound, order.given)]


def _suffices(order: Order, side: str, constant: Any, powers: tuple[int, ...]) -> bool:
    """Whether the tactic of products of powers proves the side at once."""
    bound = inequalities(order, side, constant, powers)[0]
    outcome = monomials.attempt(bound, QUICK)
    return isinstance(outcome, monomials.Certificate) and monomials.check(bound, outcome.content)


def _constant_of_powers(order: Order, side: str, powers: tuple[int, ...]) -> Any | None:
    """A constant by linear programs, one for each term of the side that is to be small; it may be made of the
    symbols `of`.
    """
    bound = inequalities(order, side, sp.Integer(1), powers)[0]
    try:
        setting, small, large = monomials.read(bound)
    except NotOfThisForm:
        return None
    free = [Term.ordered(sp.Integer(1), {s: sp.Integer(p)}) for s in order.of for p in (1, -1)]
    facts = [*setting.facts, *free]
    total: Any = sp.Integer(0)
    for term in small:
        mixture = next(monomials.mixtures([term], large, facts, [monomials.BOUNDLESS] * len(large)), None)
        if mixture is None:
            return None
        weights, used = mixture
        factor = term.number * sp.Max(*[w / other.number for w, other in zip(weights, large)])
        for fact, u in zip(facts, used):
            factor *= fact.number**u
        for unit, u in zip(free, used[len(setting.facts) :]):
            factor *= sp.Mul(*[s ** (-p * u) for s, p in unit.powers])
        total += factor
    if not total.free_symbols:
        total = nice(float(total))
    return 1 / total if side == "lower" else total


def nice(value: float) -> sp.Rational:
    """A simple number that is at least as large (but for rounding).

    >>> nice(1.9999999999), nice(3.2), nice(0.3), nice(1234.5)
    (2, 4, 1/3, 1300)
    """
    if value <= 1e-12:
        return sp.Rational(1, 10**6)
    value *= 1 - 1e-9
    if value < 1:
        return sp.Rational(1, max(int(1 / value), 1))
    step = 10 ** max(len(str(int(value))) - 2, 0)
    return sp.Integer(-int(-value // step) * step)
