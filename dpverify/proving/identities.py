"""Identities: SymPy closes the difference to 0, and a replay at random admissible rationals agrees to 50
digits.

Sums of arbitrary length are brought to a normal form (constants pulled out, linear, one name for the index),
and closed by Gosper's algorithm where that works: C with C(t) - C(t-1) = term(t) gives sum = C(upper) -
C(lower - 1), checked as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from sympy.concrete.gosper import gosper_sum

from dpverify.effort import Effort
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball, bind
from dpverify.proving.reduction import Reduction
from dpverify.proving.refutation import domain_of
from dpverify.relations import Equal

HANDLES = (Equal,)
DIGITS = 50


def normalise(expression: Any, depth: int = 0) -> Any:
    """Sums in normal form: split into terms, factors free of the index pulled out, the index renamed.

    >>> t, T, c = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True), sp.Symbol("c")
    >>> q = sp.IndexedBase("q", positive=True)
    >>> normalise(sp.Sum(c * q[t], (t, 1, T)) - c * sp.Sum(q[t], (t, 1, T)))
    0
    """
    e = sp.sympify(expression)
    if not e.has(sp.Sum):
        return e
    if isinstance(e, sp.Sum):
        return _normal_sum(e, depth)
    return e.func(*[normalise(arg, depth) for arg in e.args])


def _normal_sum(e: sp.Sum, depth: int) -> Any:
    body, innermost = e.function, depth + len(e.limits) - 1
    for k, limit in enumerate(e.limits):
        body = _single_sum(body, limit, innermost - k)
    return body


def _single_sum(function: Any, limit: Any, depth: int) -> Any:
    index, low, high = limit
    name = sp.Symbol(f"i_{depth}", integer=True)
    body = normalise(bind(function, index, name), depth + 1)
    body = sp.expand(sp.powdenest(sp.expand_power_base(sp.expand(body))), power_exp=True)
    total: Any = sp.Integer(0)
    for term in sp.Add.make_args(body):
        free, bound = term.as_independent(name, as_Add=False)
        bound = sp.powsimp(bound)
        free = normalise(free, depth)
        if bound == 1:
            length = high - low + 1
            total += free * (length if length.is_nonnegative else sp.Max(length, 0))
        else:
            total += free * _standard_limits(bound, name, low, high)
    return total


def _standard_limits(term: Any, index: sp.Symbol, low: Any, high: Any) -> Any:
    """The sum over 1..h with h free of an added integer, and the few terms at the ends that this leaves
    over.
    """
    extra: Any = sp.Integer(0)
    shift, top = high.as_coeff_Add()
    if not top.is_number and shift.is_Integer and 0 < abs(shift) <= 4:
        signed = 1 if shift > 0 else -1
        ends = range(1, int(shift) + 1) if shift > 0 else range(int(shift) + 1, 1)
        extra += signed * sum(term.xreplace({index: top + k}) for k in ends)
        high = top
    if low.is_Integer and low != 1 and abs(low - 1) <= 4:
        ends = range(int(low), 1) if low < 1 else range(1, int(low))
        terms = sum(term.subs(index, k) for k in ends)
        if terms.is_finite is not False and not terms.has(sp.zoo, sp.nan, sp.oo):
            extra += terms if low < 1 else -terms
            low = sp.Integer(1)
    return sp.Sum(term, (index, low, high)) + extra


def close_sums(expression: Any) -> Any:
    """Sums that have a hypergeometric closed form replaced by it; the others left as they are.

    >>> t, T, r = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True), sp.Symbol("r",
    ...     positive=True)
    >>> sp.factor(sp.simplify(close_sums(sp.Sum(r**t, (t, 1, T))) - r * (r**T - 1) / (r - 1)))
    0
    """
    e = normalise(expression)
    swap = {}
    for total in sorted(e.atoms(sp.Sum), key=lambda s: sp.count_ops(s)):
        if len(total.limits) == 1 and not total.function.has(sp.Sum, sp.Indexed, sp.Piecewise):
            closed = _gosper(total)
            if closed is not None:
                swap[total] = closed
    return e.xreplace(swap)


@lru_cache(maxsize=256)
def _gosper(total: sp.Sum) -> Any | None:
    index, low, high = total.limits[0]
    m = sp.Symbol("m_upper", integer=True, positive=True)
    try:
        closed = gosper_sum(total.function, (index, low, m))
    except (ValueError, TypeError, NotImplementedError, AttributeError, sp.PolynomialError, IndexError):
        return None
    if closed is None or closed.has(sp.Piecewise):
        return None
    step = closed - closed.xreplace({m: m - 1}) - total.function.xreplace({index: m})
    base = closed.subs(m, low) - total.function.subs(index, low)
    if not all(_numerator(e) == 0 or sp.simplify(e) == 0 for e in (step, base)):
        return None
    return closed.subs(m, high)


def _numerator(e: Any) -> Any:
    return sp.expand(sp.expand(sp.numer(sp.together(sp.expand(e, power_exp=True))), power_exp=True))


def _radicals(e: Any) -> Any:
    """The numerator modulo the equations r^q = base of the radicals r in it."""
    e = sp.together(sp.powdenest(e))
    swap: dict[Any, Any] = {}
    rules = []
    for _ in range(6):
        roots = [p for p in e.atoms(sp.Pow) if p.exp.is_Rational and not p.exp.is_Integer]
        roots = [p for p in roots if not any(q != p and q in p.base.atoms(sp.Pow) for q in roots)]
        if not roots:
            break
        for base in dict.fromkeys(p.base for p in roots):
            q = sp.ilcm(*[p.exp.q for p in roots if p.base == base], 1)
            r = sp.Dummy("r", positive=True)
            rules.append((r, q, base))
            for p in roots:
                if p.base == base:
                    swap[p] = r ** (p.exp * q)
        e = sp.together(e.xreplace(swap))
    n = sp.expand(sp.numer(e))
    for r, q, base in reversed(rules):
        top, bottom = sp.fraction(sp.together(base))
        n = sp.expand(sp.numer(sp.together(sp.rem(sp.Poly(n, r), sp.Poly(bottom * r**q - top, r)).as_expr())))
    return n


_ROUTES: dict[str, Callable[[Any], Any]] = {
    "expand": sp.expand,
    "numerator": _numerator,
    "normal form of sums": lambda e: _numerator(normalise(e)),
    "closed sums": lambda e: _numerator(close_sums(e)),
    "radicals": _radicals,
    "simplify": sp.simplify,
    "logarithms": lambda e: sp.simplify(sp.expand_log(e)),
    "closed sums, simplified": lambda e: sp.simplify(sp.powsimp(sp.expand(close_sums(e)))),
    "powers": lambda e: sp.simplify(sp.powdenest(sp.powsimp(sp.expand(e, power_exp=True, power_base=True)))),
    "exponentials": lambda e: sp.simplify(e.rewrite(sp.exp)),
    "closed sums, radicals": lambda e: _radicals(close_sums(e)),
}


def _difference(relation: Equal) -> Any:
    left, right = domain_of(relation).expressions
    return left - right


def _routes() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    yield from _ROUTES.items()


def _vanishes(route: Callable[[Any], Any], difference: Any) -> bool:
    try:
        return route(difference) == 0
    except (
        sp.PolynomialError,
        NotImplementedError,
        AttributeError,
        ValueError,
        TypeError,
        ZeroDivisionError,
        RecursionError,
        IndexError,
    ):
        return False


def attempt(relation: Equal, effort: Effort) -> dict[str, Any] | Reduction | str:
    """Find a route of rewriting that takes the difference to 0."""
    if isinstance(relation.derived, sp.MatrixBase):
        left, right = sp.Matrix(relation.derived), sp.Matrix(relation.stated)
        if left.shape != right.shape:
            return f"the shapes {left.shape} and {right.shape} differ"
        cells = [
            (Equal(left[i, j], right[i, j], relation.given), f"entry ({i + 1}, {j + 1})")
            for i, j in np.ndindex(*left.shape)
        ]
        return Reduction(tuple(cells), "entry by entry")
    difference = _difference(relation)
    for name, route in _routes():
        if _vanishes(route, difference):
            return {
                "route": name,
                "replays": effort.replays,
                "seed": effort.seed,
                "summary": f"the difference is 0 by {name}",
            }
    return f"none of {len(_ROUTES)} ways of rewriting closed the difference"


def check(relation: Equal, certificate: dict[str, Any]) -> bool:
    """Rewrite the difference by the named route, and replay it at random admissible rationals to 50
    digits.
    """
    difference = _difference(relation)
    return _vanishes(_ROUTES[certificate["route"]], difference) and replay(
        relation, certificate["replays"], certificate["seed"]
    )


def replay(relation: Equal, count: int, seed: int) -> bool:
    """Whether both sides agree to 50 digits at every one of `count` random admissible rationals (at least one
    defined).
    """
    domain = domain_of(relation)
    if not domain.symbols and not domain.entries({}):
        return _agree(domain, {}) is not False
    seen = 0
    for point in domain.points(count, np.random.default_rng(seed + 7)):
        agreed = _agree(domain, point)
        if agreed is False:
            return False
        seen += agreed is True
    return seen >= min(3, count)


def _agree(domain: Domain, point: dict[Any, Any]) -> bool | None:
    left, right = domain.at(point)
    try:
        a, b = ball(left, point, 512), ball(right, point, 512)
    except Unknown:
        return None
    if not (a.is_finite() and b.is_finite()):
        return None
    gap = a - b
    scale = abs(a) + abs(b) + arb(1)
    return bool(gap.contains(0) and gap.rad() < scale * arb(10) ** (-DIGITS))
