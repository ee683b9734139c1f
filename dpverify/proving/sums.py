"""Sums of arbitrary length, compared by rules about their terms.

termwise     sum f <= sum g if f(t) <= g(t) for every t of the range
longer       sum_{t=m}^n f <= sum_{t=a}^b f if f(t) >= 0 for every t from a to b, and a <= m, n <= b
products     (sum f)^2 <= (sum g)(sum h) if g, h >= 0 and f(t)^2 <= g(t) h(t) for every t
(Cauchy-Schwarz)
powers       (sum f)^p <= T^(p-1) sum f^p for p >= 1, f >= 0 (or p even)                    (Jensen)
integrals    sum_{t=m}^T f(t) <= f(m) + int_m^T f for a decreasing f
geometric    sum_{k=0}^{K} q^k <= 1/(1 - q) for 0 <= q < 1
AdaGrad      sum a_t phi(b + a_1 + ... + a_t) <= int_b^{b + sum a} phi for a_t >= 0 and a decreasing phi
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.functions import is_smooth
from dpverify.proving.identities import normalise
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost

HANDLES = (AtMost,)
Limits = tuple[Any, Any, Any]


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Every rule that applies, the plainest first."""
    left, right = sp.sympify(relation.lhs), sp.sympify(relation.rhs)
    if not (left - right).has(sp.Sum):
        return GaveUp("there is no sum in it")
    if relation.strict:
        return GaveUp("a strict comparison of sums that may be empty")
    return Ways(_reductions(relation, left, right))


def _reductions(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    for rule in (_termwise, _longer, _cauchy_schwarz, _power_mean, _geometric, _integral, _adagrad):
        yield from rule(relation, left, right)


def _in_range(limits: Limits) -> tuple[Any, ...]:
    index, low, high = limits
    return tuple(c for c in (sp.Ge(index, low), sp.Le(index, high)) if c not in (sp.true, True))


def _plain(total: sp.Sum, taken: list[Any]) -> tuple[Any, Limits]:
    """The term and the limits of a sum, with an index that is any whole number and stands nowhere else."""
    index, low, high = total.limits[0]
    free = fresh("i", taken, integer=True)
    return total.function.xreplace({index: free}), (free, low, high)


def _names(relation: AtMost) -> list[Any]:
    sides = (sp.sympify(relation.lhs), sp.sympify(relation.rhs), *map(sp.sympify, relation.given))
    return sorted({s for e in sides for s in (*e.free_symbols, *e.atoms(sp.Symbol))}, key=str)


def _split(e: Any) -> tuple[Any, sp.Sum] | None:
    """(c, sum) if the expression is c times one sum over one index."""
    outside: list[Any] = []
    inside: list[Any] = []
    for factor in sp.Mul.make_args(e):
        (inside if isinstance(factor, sp.Sum) else outside).append(factor)
    rest = sp.Mul(*outside)
    if len(inside) == 1 and len(inside[0].limits) == 1 and not rest.has(sp.Sum):
        return rest, inside[0]
    return None


def _runs(total: sp.Sum, ends: tuple[Any, Any]) -> bool:
    """Whether the sum has one index, which runs between these ends."""
    return len(total.limits) == 1 and total.limits[0][1:] == ends


def _termwise(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    groups: dict[Any, Any] = {}
    rest: Any = sp.Integer(0)
    index = fresh("i", _names(relation), integer=True)
    for term in sp.Add.make_args(sp.expand(right - left)):
        split = _split(term)
        if split is None:
            if term.has(sp.Sum):
                return
            rest += term
            continue
        factor, total = split
        old, low, high = total.limits[0]
        groups[(low, high)] = groups.get((low, high), 0) + factor * total.function.xreplace({old: index})
    given = tuple(relation.given)
    steps = [
        (
            _entries_freed(AtMost(0, sp.expand(body), (*given, *_in_range((index, *ends)))), index),
            "term by term",
        )
        for ends, body in groups.items()
    ]
    yield Reduction((*steps, (AtMost(0, rest, given), "what is left")), "sums are compared term by term")


def _longer(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    """A sum on the left over a part of the range of one on the right, in place of it one over all of it."""
    given = tuple(relation.given)
    sums = [[s for s in (_split(t) for t in sp.Add.make_args(sp.expand(e))) if s] for e in (left, right)]
    for (factor, part), (_, whole) in itertools.product(*sums):
        body, (index, low, high) = _plain(part, _names(relation))
        first, last = whole.limits[0][1:]
        if (low, high) == (first, last) or (sp.expand(left) - factor * part).has(part):
            continue
        longer = sp.Sum(part.function, (part.limits[0][0], first, last))
        inside = (*given, *_in_range((index, first, last)))
        enlarged = sp.expand(left).xreplace({part: longer})
        yield Reduction(
            (
                (AtMost(first, low, given), "the range begins later"),
                (AtMost(high, last, given), "the range ends earlier"),
                (AtMost(0, factor, given), "the factor is not negative"),
                (_entries_freed(AtMost(0, body, inside), index), "the terms are not negative"),
                (AtMost(enlarged, right, given), "with the sum over the whole range"),
            ),
            "a sum of terms that are not negative is below that over a longer range",
        )


def _entries_freed(relation: AtMost, index: sp.Symbol) -> AtMost:
    """The comparison for arbitrary numbers in place of the entries at the index, with the signs that
    these have. An entry inside of a sum is many numbers, and stays.
    """
    entries = sorted(sp.sympify(relation.rhs).atoms(sp.Indexed), key=sp.default_sort_key)
    bound = {s for total in sp.sympify(relation.rhs).atoms(sp.Sum, sp.Product) for s in total.variables}
    swap: dict[Any, Any] = {}
    for entry in entries:
        sign = (
            {"positive": True} if entry.is_positive else {"nonnegative": True} if entry.is_nonnegative else {}
        )
        if index in entry.free_symbols and not entry.free_symbols & bound:
            swap[entry] = fresh("v", [*_names(relation), *swap.values()], real=True, **sign)
    given = tuple(c for c in relation.given if not c.has(*swap)) if swap else tuple(relation.given)
    return AtMost(relation.lhs, sp.sympify(relation.rhs).xreplace(swap), given, relation.strict)


def _whole_factor(e: Any, ends: tuple[Any, Any], given: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """(term, factor) with e = factor times the sum of the terms over the range: the number of terms, or a sum
    that a hypothesis gives a value.
    """
    low, high = ends
    length = sp.expand(high - low + 1)
    yield sp.Integer(1), e / length
    for condition in given:
        if isinstance(condition, sp.Eq):
            for total, value in ((condition.lhs, condition.rhs), (condition.rhs, condition.lhs)):
                if isinstance(total, sp.Sum) and _runs(total, ends) and not value.has(sp.Sum):
                    yield total, e / value


def _cauchy_schwarz(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    outer, squares = [], []
    for factor in sp.Mul.make_args(left):
        base, exponent = factor.as_base_exp()
        if exponent == 2 and (split := _split(base)) is not None:
            squares.append(split)
        else:
            outer.append(factor)
    if len(squares) != 1:
        return
    scale, total = squares[0]
    scale = scale**2 * sp.Mul(*outer)
    taken = _names(relation)
    f, (index, low, high) = _plain(total, taken)
    sums = [s for s in sp.Mul.make_args(right) if isinstance(s, sp.Sum) and _runs(s, (low, high))]
    rest = right / sp.Mul(*sums)
    given = tuple(relation.given)
    inside = (*given, *_in_range((index, low, high)))

    def terms(s: sp.Sum) -> Any:
        return s.function.xreplace({s.limits[0][0]: index})

    pairs: list[tuple[Any, Any, Any]] = []
    if len(sums) == 2:
        pairs = [(terms(sums[0]), terms(sums[1]), rest)]
    elif len(sums) == 1:
        for whole, factor in _whole_factor(rest, (low, high), given):
            pairs.append((terms(whole) if isinstance(whole, sp.Sum) else whole, terms(sums[0]), factor))
    for g, h, factor in pairs:
        yield Reduction(
            (
                (AtMost(0, g, inside), "the terms are not negative"),
                (AtMost(0, h, inside), "the terms are not negative"),
                (AtMost(f**2, g * h, inside), "the square of each term"),
                (AtMost(0, scale, given), "the factor is not negative"),
                (AtMost(scale, factor, given), "the factors"),
                (AtMost(low - 1, high, given), "the range"),
            ),
            "Cauchy-Schwarz",
        )


def _power_mean(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    base, power = left.as_base_exp()
    split, other = _split(base), _split(right)
    if split is None or other is None or not (power.is_Rational and power > 1):
        return
    scale, total = split
    f, (index, low, high) = _plain(total, _names(relation))
    factor, powers = other
    if powers.limits[0][1:] != (low, high):
        return
    given = tuple(relation.given)
    inside = (*given, *_in_range((index, low, high)))
    h = powers.function.xreplace({powers.limits[0][0]: index})
    even = power.is_Integer and power % 2 == 0
    steps = [] if even else [(AtMost(0, f, inside), "the terms are not negative")]
    steps += [
        (AtMost(f**power, h, inside), "the power of each term"),
        (AtMost(0, scale, given), "the factor is not negative"),
        (AtMost(low, high, given), "the range is not empty"),
        (AtMost(scale**power * (high - low + 1) ** (power - 1), factor, given), "the factors"),
        (AtMost(0, h, inside), "the powers are not negative"),
    ]
    yield Reduction(tuple(steps), "the mean of powers is at least the power of the mean")


def _one_sum(relation: AtMost, left: Any) -> tuple[Any, Any, Any, Limits] | None:
    """(rest, factor, term, limits) of a left side with one sum in it, linearly."""
    rest: Any = sp.Integer(0)
    only = None
    for term in sp.Add.make_args(sp.expand(left)):
        split = _split(term)
        if split is None and not term.has(sp.Sum):
            rest += term
        elif split is None or only is not None:
            return None
        else:
            only = split
    if only is None:
        return None
    factor, total = only
    body, limits = _plain(total, _names(relation))
    return rest, factor, body, limits


def _geometric(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    only = _one_sum(relation, left)
    if only is None:
        return
    rest, factor, body, (index, low, high) = only
    body = sp.powsimp(sp.powdenest(body, force=False), force=False)
    constant, power = body.as_independent(index, as_Add=False)
    base, exponent = power.as_base_exp()
    slope = sp.expand(exponent).coeff(index, 1)
    if (
        not slope.is_Integer
        or slope == 0
        or sp.expand(exponent - slope * index).has(index)
        or base.has(index)
    ):
        return
    least = sp.expand(exponent.xreplace({index: low if slope > 0 else high}))
    ratio = base ** abs(slope)
    given = tuple(relation.given)
    bound = constant * base**least / (1 - ratio)
    yield Reduction(
        (
            (AtMost(0, base, given), "the ratio is not negative"),
            (AtMost(base, 1, given, strict=True), "the ratio is below 1"),
            (AtMost(0, factor * constant, given), "the factor is not negative"),
            *([] if base.is_positive else [(AtMost(0, least, given), "the least exponent is not negative")]),
            (AtMost(0, base**least, given), "the first term is not negative"),
            (AtMost(rest + factor * bound, right, given), "the whole geometric series"),
        ),
        "a geometric sum is below the whole series",
    )


def _integral(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    only = _one_sum(relation, left)
    if only is None:
        return
    rest, factor, body, (index, low, high) = only
    if body.has(sp.Indexed, sp.Sum, sp.Piecewise) or not low.is_Integer:
        return
    u = fresh("u", _names(relation), positive=True)
    smooth = body.xreplace({index: u})
    if not is_smooth(smooth, [u]):
        return
    area = sp.integrate(smooth, (u, low, high))
    if area.has(sp.Integral, sp.Piecewise, sp.oo, sp.zoo, sp.nan):
        return
    given = tuple(relation.given)
    yield Reduction(
        (
            (AtMost(1, low, given), "the range starts at 1 or later"),
            (AtMost(low, high, given), "the range is not empty"),
            (AtMost(0, factor, given), "the factor is not negative"),
            (AtMost(sp.diff(smooth, u), 0, (*given, sp.Ge(u, low))), "the terms decrease"),
            (AtMost(rest + factor * (body.xreplace({index: low}) + area), right, given), "the integral"),
        ),
        "a sum of decreasing terms is below the first one and the integral",
        as_written=True,  # the terms must be defined between the whole numbers too
    )


def _adagrad(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    only = _one_sum(relation, left)
    if only is None:
        return
    rest, factor, body, (index, low, high) = only
    inner = [s for s in body.atoms(sp.Sum) if len(s.limits) == 1 and s.limits[0][1:] == (low, index)]
    if len(inner) != 1:
        return
    total = inner[0]
    step = total.function.xreplace({total.limits[0][0]: index})
    y = fresh("y", _names(relation), positive=True)
    phi = (body / step).xreplace({total: y})
    if phi.has(index, sp.Sum) or not is_smooth(phi, [y]):
        return
    whole = sp.Sum(step, (index, low, high))
    antiderivative = sp.integrate(phi, y)
    start = sp.limit(antiderivative, y, 0, "+")
    if antiderivative.has(sp.Integral, sp.Piecewise) or not start.is_finite:
        return
    given = tuple(relation.given)
    z = fresh("z", [*_names(relation), y], positive=True)
    area = antiderivative.xreplace({y: z}) - start
    right_of_z = normalise(right).xreplace({normalise(whole): z})
    if right_of_z.has(sp.Sum):
        return
    yield Reduction(
        (
            (
                AtMost(0, step, (*given, *_in_range((index, low, high))), strict=True),
                "the steps are positive",
            ),
            (AtMost(0, factor, given), "the factor is not negative"),
            (AtMost(low, high, given), "the range is not empty"),
            (AtMost(sp.diff(phi, y), 0, given), "the weights decrease"),
            (AtMost(rest + factor * area, right_of_z, given), "the integral up to the whole sum"),
        ),
        "a sum of steps times a decreasing function of their total is below its integral",
        as_written=True,
    )
