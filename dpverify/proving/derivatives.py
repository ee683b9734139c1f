"""Inequalities by calculus: g = rhs - lhs is at least 0 because of where it starts and how it moves.

    from the left     g(low) >= 0  and  g' >= 0
    from the right    g(high) >= 0  and  g' <= 0     (high may be infinite: then the limit)
    from both ends    g(low) >= 0, g(high) >= 0 and g'' <= 0
    from the bottom   g'(x0) = 0, g(x0) >= 0, g' <= 0 before x0 and g' >= 0 after it
in one variable, the others being parameters. Each way also needs that g is defined on the whole interval,
which becomes
steps of its own (denominators keep their sign, arguments of logarithms stay positive).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import sampling
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.floats import compiled
from dpverify.proving.functions import PARTIAL, is_smooth
from dpverify.proving.intervals import Bounds
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways, reductions
from dpverify.proving.replays import Bend, Limit, Slope
from dpverify.relations import AtMost

HANDLES = (AtMost,)
DEPTH = 3


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Each variable and each way that the numbers do not rule out."""
    if reductions.get() >= DEPTH:
        return GaveUp(f"already {DEPTH} reductions deep")
    domain = domain_of(relation)
    left, right = domain.expressions
    gap = right - left
    if domain.lengths or not is_smooth(gap, domain.symbols):
        return GaveUp("not a smooth function of finitely many variables")
    points = list(sampling.points(domain, 60, np.random.default_rng(effort.seed + 3)))
    return Ways(itertools.chain(_ways(relation, domain, gap, points), _cuts(relation, domain)))


def _ways(relation: AtMost, domain: Domain, gap: Any, points: list[dict[Any, Any]]) -> Iterator[Reduction]:
    for s in sorted(domain.symbols, key=lambda s: -gap.count(s)):
        interval = _ends(domain, s)
        if interval is None:
            continue
        v, g, low, high, low_open, high_open = _real_variable(interval, gap, s)
        others = [c for c in domain.given if s not in c.free_symbols]
        slope = sp.diff(g, v)
        inside = _range(v, low, high, True, True)
        signs = _signs(slope, v, s, points, g is not gap)
        if signs is None:
            continue
        defined = _defined(g, v, [*others, *inside])
        if defined is None:
            continue
        zero = sp.Integer(0)
        core, flip = _core(slope)
        within = [*others, *inside]
        rises = Slope(g, v, flip * core, within)
        curve = sp.diff(slope, v)
        bends = _signs(curve, v, s, points, g is not gap) if low.is_finite and high.is_finite else None
        if bends is not None and 1 not in bends and not relation.strict:
            ends = [_end(g, v, low, "+"), _end(g, v, high, "-")]
            if None not in ends:
                bend, turn = _core(curve)
                steps = [(AtMost(zero, e, others), f"at {s} = {x}") for e, x in zip(ends, (low, high))]
                steps.append((AtMost(turn * bend, zero, [*others, *inside]), f"concave in {s}"))
                yield Reduction(
                    (*steps, *defined),
                    f"rhs - lhs is concave in {s}, so smallest at an end",
                    replays=(
                        Bend(g, v, turn * bend, within),
                        Limit(g, v, low, 1, ends[0], others),
                        Limit(g, v, high, -1, ends[1], others),
                    ),
                )
        if signs >= {1} and not signs & {-1}:
            start = _end(g, v, low, "+")
            if start is not None:
                strict_slope = relation.strict and low_open
                steps = [
                    (AtMost(zero, start, others, strict=relation.strict and not low_open), f"at {s} = {low}"),
                    (
                        AtMost(zero, flip * core, [*others, *inside], strict=strict_slope),
                        f"the derivative in {s} is not negative",
                    ),
                ]
                yield Reduction(
                    (*steps, *defined),
                    f"rhs - lhs increases in {s} from its left end",
                    replays=(rises, Limit(g, v, low, 1, start, others)),
                )
        if signs >= {-1} and not signs & {1}:
            end = _end(g, v, high, "-")
            if end is not None:
                strict_slope = relation.strict and (high_open or not high.is_finite)
                steps = [
                    (
                        AtMost(zero, end, others, strict=relation.strict and not strict_slope),
                        f"at {s} -> {high}",
                    ),
                    (
                        AtMost(flip * core, zero, [*others, *inside], strict=strict_slope),
                        f"the derivative in {s} is not positive",
                    ),
                ]
                yield Reduction(
                    (*steps, *defined),
                    f"rhs - lhs decreases in {s} to its right end",
                    replays=(rises, Limit(g, v, high, -1, end, others)),
                )
        if signs >= {-1, 1}:
            for x0 in _stationary(core, v, low, high):
                bottom = sp.simplify(g.subs(v, x0))
                steps = [
                    (
                        AtMost(zero, bottom, others, strict=relation.strict),
                        f"at the stationary point {s} = {x0}",
                    ),
                    (
                        AtMost(flip * core, zero, [*others, *_range(v, low, x0, True, False)]),
                        f"the derivative is not positive before {x0}",
                    ),
                    (
                        AtMost(zero, flip * core, [*others, *_range(v, x0, high, False, True)]),
                        f"the derivative is not negative after {x0}",
                    ),
                ]
                steps += [
                    (AtMost(p, q, others), f"{x0} lies in the range of {s}")
                    for p, q in ((low, x0), (x0, high))
                    if p.is_finite and q.is_finite
                ]
                yield Reduction(
                    (*steps, *defined),
                    f"rhs - lhs is smallest at {s} = {x0}",
                    replays=(rises, Limit(g, v, x0, 1, bottom, others)),
                )


def _cuts(relation: AtMost, domain: Domain) -> Iterator[Reduction]:
    """The half-line cut in two: a compact part for boxes, a tail for calculus."""
    if reductions.get() or len(domain.symbols) != 1:
        return
    (s,) = domain.symbols
    b = domain.bounds[s]
    if b.low.is_finite and not b.high.is_finite:
        for cut in (b.low + 2, b.low + 20):
            parts = [
                (AtMost(relation.lhs, relation.rhs, [*relation.given, c], strict=relation.strict), f"for {c}")
                for c in (s <= cut, s >= cut)
            ]
            yield Reduction(tuple(parts), f"cut at {s} = {cut}")


def _ends(domain: Domain, s: sp.Symbol) -> Bounds | None:
    """The range of a variable; an end may be an expression in the others (y >= x). None if the range is not
    an interval.
    """
    b = domain.bounds[s]
    for c in domain.coupled:
        if s not in c.free_symbols:
            continue
        if (
            not isinstance(c, sp.core.relational.Relational)
            or c.rel_op not in ("<", "<=", ">", ">=")
            or s not in (c.lhs, c.rhs)
        ):
            return None
        end, above = (c.rhs, c.rel_op in (">", ">=")) if c.lhs == s else (c.lhs, c.rel_op in ("<", "<="))
        strict = c.rel_op in ("<", ">")
        if s in end.free_symbols or not end.is_finite or (b.low if above else b.high).free_symbols:
            return None
        # The end that is an expression replaces the one that is a number: the range only becomes longer.
        b = Bounds(end, b.high, strict, b.high_open) if above else Bounds(b.low, end, b.low_open, strict)
    return b


def _real_variable(b: Bounds, gap: Any, s: sp.Symbol) -> tuple[Any, Any, Any, Any, bool, bool]:
    """A real variable for s (its square root if that occurs), the gap in it, and its range."""
    low, high = b.low, b.high
    root = s.is_nonnegative and any(
        p.base == s and p.exp.is_Rational and p.exp.q == 2 for p in gap.atoms(sp.Pow)
    )
    v = sp.Dummy(s.name, **({"positive": True} if low.is_nonnegative else {"real": True}))
    if root and low.is_nonnegative:
        return (
            v,
            sp.powdenest(gap.xreplace({s: v**2}).subs(s, v**2), force=False),
            sp.sqrt(low),
            sp.sqrt(high),
            b.low_open,
            b.high_open,
        )
    return v, gap.xreplace({s: v}), low, high, b.low_open, b.high_open


def _range(v: Any, low: Any, high: Any, low_open: bool, high_open: bool) -> list[Any]:
    result = []
    if low.is_finite and not (low == 0 and low_open and v.is_positive):
        result.append(v > low if low_open else v >= low)
    if high.is_finite:
        result.append(v < high if high_open else v <= high)
    return [c for c in result if c is not sp.true]


def _core(slope: Any) -> tuple[Any, int]:
    """The part of the derivative that decides its sign, positive factors left out."""
    try:
        simple = sp.factor(sp.together(sp.simplify(slope)))
    except (sp.PolynomialError, NotImplementedError):
        simple = sp.simplify(slope)
    core: Any = sp.Integer(1)
    flip = 1
    for factor in sp.Mul.make_args(simple):
        base, exponent = factor.as_base_exp()
        if factor.is_positive:
            continue
        if factor.is_negative:
            flip = -flip
        elif exponent.is_Integer and exponent < 0:
            core *= base if exponent % 2 else 1
        elif exponent.is_Integer and exponent % 2 == 0:
            core *= base**2
        else:
            core *= factor
    return core, flip


def _signs(slope: Any, v: Any, s: Any, points: list[dict[Any, Any]], squared: bool) -> set[int] | None:
    """The signs that the derivative takes at the sample points."""
    rest = sorted((x for x in slope.free_symbols if x != v), key=str)
    f = compiled([v, *rest], [slope])
    root = any(p.base == v for p in slope.atoms(sp.Pow)) and squared
    seen = set()
    for point in points:
        try:
            x = float(point[s])
            with np.errstate(all="ignore"):
                for value in {x, float(np.sqrt(x))} if root and x >= 0 else {x}:
                    y = complex(f(value, *[float(point[r]) for r in rest])[0])
                    if np.isfinite(y.real) and abs(y.imag) < 1e-12 and abs(y.real) > 1e-14:
                        seen.add(1 if y.real > 0 else -1)
        except (KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
            return None
    return seen


def _defined(g: Any, v: Any, given: list[Any]) -> tuple[tuple[Any, str], ...] | None:
    """Steps that show g to be defined and smooth in v on the interval."""
    steps: list[tuple[Any, str]] = []
    for p in g.atoms(sp.Pow):
        if v in p.base.free_symbols and not (p.exp.is_Integer and p.exp > 0):
            if p.base.is_positive:
                continue
            if p.exp.is_Integer:
                sign = guess_sign(p.base, given)
                steps.append(
                    (AtMost(0, sign * p.base, given, strict=True), f"the denominator {p.base} keeps its sign")
                )
            else:
                steps.append((AtMost(0, p.base, given, strict=True), f"{p.base} under a root stays positive"))
    for f in sorted(g.atoms(*PARTIAL), key=sp.default_sort_key):
        for e, signed in _kept_signs(f) if v in f.free_symbols else ():
            sign = guess_sign(e, given) if not signed else 1
            if not (sign * e).is_positive:
                steps.append((AtMost(0, sign * e, given, strict=True), f"{f} is defined: {e} keeps its sign"))
    return tuple(steps)


def _kept_signs(f: Any) -> list[tuple[Any, bool]]:
    """What must be positive, or (False) of one sign, for a function to be defined on a whole interval; a
    whole number may pass over a pole.
    """
    x = f.args[0]
    match f:
        case sp.tan():
            return [(sp.cos(x), False)]
        case sp.cot():
            return [(sp.sin(x), False)]
        case sp.coth():
            return [(x, False)]
        case sp.LambertW():
            return [(x + sp.exp(-1), True), *([(-x, True)] if len(f.args) == 2 and f.args[1] == -1 else [])]
    return [(x, True)]


def guess_sign(e: Any, given: list[Any]) -> int:
    from dpverify.proving.evaluate import sign

    for point in sampling.points(Domain([e], given), 1, np.random.default_rng(5)):
        return sign(e, point) or 1
    return 1


def _end(g: Any, v: Any, end: Any, side: str) -> Any | None:
    """The value or the limit of g at an end of its range, if it is known; +oo counts as 1."""
    try:
        value = g.subs(v, end) if end.is_finite else sp.nan
        if value.has(sp.nan, sp.zoo, sp.oo) or not end.is_finite:
            value = sp.limit(g, v, end, side)
        value = sp.simplify(value)
    except (NotImplementedError, ValueError, TypeError, sp.PoleError, RecursionError, AttributeError):
        return None
    if value is sp.oo:
        return sp.Integer(1)
    return (
        None
        if value.has(sp.nan, sp.zoo, sp.oo, sp.Limit, sp.I, sp.AccumBounds) or v in value.free_symbols
        else value
    )


def _stationary(core: Any, v: Any, low: Any, high: Any) -> list[Any]:
    """Zeros of the derivative inside the range, that SymPy can write down."""
    try:
        zeros = sp.solve(core, v)
    except (NotImplementedError, ValueError, TypeError, RecursionError, AttributeError):
        zeros = []
    return [x for x in zeros if x.is_real is not False and sp.And(low <= x, x <= high) is not sp.false][:3]
