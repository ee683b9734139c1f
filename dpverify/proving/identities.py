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
from dpverify.proving import sampling
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.evaluate import Unknown, ball, bind
from dpverify.proving.reduction import Certificate, GaveUp, Outcome, Reduction, Ways
from dpverify.relations import Equal

HANDLES = (Equal,)
DIGITS = 50
# Names of the engine's own, which no symbol of a relation can share.
_INDICES = [sp.Dummy(f"i_{k}", integer=True) for k in range(24)]
_UPPER = sp.Dummy("m", integer=True, positive=True)


Range = tuple[Any, Any, Any]  # an index, its least and its greatest value


def normalise(expression: Any, depth: int = 0, around: tuple[Range, ...] = ()) -> Any:
    """Sums in normal form: split into terms, factors free of the index pulled out, the index renamed.

    `around` lists the ranges of the sums in which the expression stands, the nearest first.

    >>> t, T, c = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True), sp.Symbol("c")
    >>> q = sp.IndexedBase("q", positive=True)
    >>> normalise(sp.Sum(c * q[t], (t, 1, T)) - c * sp.Sum(q[t], (t, 1, T)))
    0
    """
    e = sp.sympify(expression)
    if not e.has(sp.Sum):
        return e
    if isinstance(e, sp.Sum):
        return _normal_sum(e, depth, around)
    return e.func(*[normalise(arg, depth, around) for arg in e.args])


@lru_cache(maxsize=4096)
def _normal_sum(e: sp.Sum, depth: int, around: tuple[Range, ...]) -> Any:
    body, innermost = e.function, depth + len(e.limits) - 1
    for k, limit in enumerate(e.limits):
        outer = tuple(tuple(r) for r in e.limits[k + 1 :])
        body = _single_sum(body, limit, innermost - k, (*outer, *around))
    return body


def _single_sum(function: Any, limit: Any, depth: int, around: tuple[Range, ...]) -> Any:
    index, low, high = limit
    if (high - low + 1).is_nonpositive:
        return sp.Integer(0)  # an empty sum
    name = _INDICES[depth]
    body = normalise(bind(function, index, name), depth + 1, ((name, low, high), *around))
    body = sp.expand(sp.powdenest(sp.expand_power_base(sp.expand(body))), power_exp=True)
    total: Any = sp.Integer(0)
    for term in sp.Add.make_args(body):
        free, bound = term.as_independent(name, as_Add=False)
        bound = sp.powsimp(bound)
        free = normalise(free, depth, around)
        if bound == 1:
            length = high - low + 1
            total += free * (length if length.is_nonnegative else sp.Max(length, 0))
        else:
            k = _ahead(bound, name)
            moved = bound.xreplace({name: name - k}) if k else bound
            total += free * _standard_limits(moved, name, low + k, high + k, depth, around)
    return total


def _ahead(term: Any, index: sp.Symbol) -> int:
    """By how much all entries of sequences in the term are ahead of the index: q[i + 2] is summed as q[i]."""
    ends = [i - index for entry in term.atoms(sp.Indexed) for i in entry.indices if i.has(index)]
    return int(min(ends)) if ends and all(end.is_Integer for end in ends) else 0


def _standard_limits(
    term: Any, index: sp.Symbol, low: Any, high: Any, depth: int, around: tuple[Range, ...]
) -> Any:
    """The sum over 1..h with h free of an added integer, and the few terms at the ends that this leaves
    over, whose own sums may now have other ends.
    """
    extra: Any = sp.Integer(0)
    shift, top = high.as_coeff_Add()
    shorter = high if shift < 0 else top
    if not top.is_number and shift.is_Integer and 0 < abs(shift) <= 4 and whole_range(low, shorter, around):
        signed = 1 if shift > 0 else -1
        ends = range(1, int(shift) + 1) if shift > 0 else range(int(shift) + 1, 1)
        extra += signed * sum(term.xreplace({index: top + k}) for k in ends)
        high = top
    if (
        low.is_Integer
        and low != 1
        and abs(low - 1) <= 4
        and whole_range(max(low, sp.Integer(1)), high, around)
    ):
        ends = range(int(low), 1) if low < 1 else range(1, int(low))
        terms = sum(term.subs(index, k) for k in ends)
        if terms.is_finite is not False and not terms.has(sp.zoo, sp.nan, sp.oo):
            extra += terms if low < 1 else -terms
            low = sp.Integer(1)
    return sp.Sum(term, (index, low, high)) + normalise(extra, depth, around)


def whole_range(low: Any, high: Any, around: tuple[Range, ...] = ()) -> bool:
    """Whether a range has no fewer than 0 terms as its ends are counted: only then does a sum over it differ
    from the next longer one by one term, an empty sum being 0 whatever its ends are.

    >>> T = sp.Symbol("T", integer=True, positive=True)
    >>> whole_range(sp.Integer(1), T - 1), whole_range(sp.Integer(1), T - 2)
    (True, False)
    """
    length = high - low + 1
    for index, least, greatest in around:
        if index in length.free_symbols:  # at the value of the outer index that makes it shortest
            slope = sp.diff(length, index)
            if not (slope.is_Rational and sp.diff(slope, index) == 0):
                return False
            length = length.subs(index, least if slope > 0 else greatest)
    return bool(length.is_nonnegative)


def without_sums(expression: Any) -> Any:
    """Sums and products replaced by symbols of the same sign: SymPy's simplification has another convention
    for empty ranges.

    >>> t = sp.Symbol("t", integer=True)
    >>> without_sums(sp.Sum(1 / t, (t, 1, 0)) + 1).has(sp.Sum)
    False
    """
    e = sp.sympify(expression)
    return e.xreplace({total: _stand_in(total) for total in e.atoms(sp.Sum, sp.Product)})


@lru_cache(maxsize=1024)
def _stand_in(total: Any) -> sp.Dummy:
    sign = sum_sign(total)
    return sp.Dummy("S", **({sign: True} if sign else {"real": True}))


def sum_sign(total: Any) -> str:
    """ "positive", "nonnegative" or "" for a sum or a product, whose range may be empty.

    >>> s, q = sp.Symbol("s", integer=True), sp.IndexedBase("q", positive=True)
    >>> sum_sign(sp.Sum(q[s], (s, 5, sp.Symbol("T", integer=True)))), sum_sign(sp.Product(q[s], (s, 1, 0)))
    ('nonnegative', 'positive')
    """
    term = without_sums(total.function)
    if isinstance(total, sp.Product):
        return "positive" if term.is_positive else "nonnegative" if term.is_nonnegative else ""
    filled = all((high - low).is_nonnegative for _, low, high in total.limits)
    if term.is_positive and filled:
        return "positive"
    return "nonnegative" if term.is_nonnegative else ""


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
        if (
            len(total.limits) == 1
            and not total.function.has(sp.Sum, sp.Product, sp.Indexed, sp.Piecewise)
            and whole_range(*total.limits[0][1:])
        ):
            closed = _gosper(total)
            if closed is not None:
                swap[total] = closed
    return e.xreplace(swap)


@lru_cache(maxsize=256)
def _gosper(total: sp.Sum) -> Any | None:
    index, low, high = total.limits[0]
    m = _UPPER
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
    "simplify": lambda e: sp.simplify(without_sums(e)),
    "logarithms": lambda e: sp.simplify(sp.expand_log(without_sums(e))),
    "closed sums, simplified": lambda e: sp.simplify(sp.powsimp(sp.expand(without_sums(close_sums(e))))),
    "powers": lambda e: sp.simplify(
        sp.powdenest(sp.powsimp(sp.expand(without_sums(e), power_exp=True, power_base=True)))
    ),
    "exponentials": lambda e: sp.simplify(without_sums(e).rewrite(sp.exp)),
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


def attempt(relation: Equal, effort: Effort) -> Outcome:
    """Find a route of rewriting that takes the difference to 0."""
    if isinstance(relation.derived, sp.MatrixBase):
        left, right = sp.Matrix(relation.derived), sp.Matrix(relation.stated)
        if left.shape != right.shape:
            return GaveUp(f"the shapes {left.shape} and {right.shape} differ")
        cells = [
            (Equal(left[i, j], right[i, j], relation.given), f"entry ({i + 1}, {j + 1})")
            for i, j in np.ndindex(*left.shape)
        ]
        return Ways([Reduction(tuple(cells), "entry by entry")])
    difference = _difference(relation)
    for name, route in _routes():
        if _vanishes(route, difference):
            return Certificate(
                {
                    "route": name,
                    "replays": effort.replays,
                    "seed": effort.seed,
                    "summary": f"the difference is 0 by {name}",
                }
            )
    return GaveUp(f"none of {len(_ROUTES)} ways of rewriting closed the difference")


def check(relation: Equal, certificate: dict[str, Any]) -> bool:
    """Rewrite the difference by the named route, and replay it at random admissible rationals to 50
    digits.
    """
    difference = _difference(relation)
    return _vanishes(_ROUTES[certificate["route"]], difference) and replay(
        relation, certificate["replays"], certificate["seed"]
    )


def consequences(relation: Equal) -> Iterator[Equal]:
    """Of matrices: every entry."""
    if isinstance(relation.derived, sp.MatrixBase) and isinstance(relation.stated, sp.MatrixBase):
        for left, right in zip(relation.derived, relation.stated):
            if left != right:
                yield Equal(left, right, relation.given)


def replay(relation: Equal, count: int, seed: int) -> bool:
    """Whether both sides agree to 50 digits at every one of `count` random admissible rationals (at least one
    defined).
    """
    domain = domain_of(relation)
    if not domain.symbols and not domain.entries({}):
        return _agree(domain, {}) is not False
    seen = 0
    for point in sampling.points(domain, count, np.random.default_rng(seed + 7)):
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
