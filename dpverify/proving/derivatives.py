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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
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
ZERO = sp.Integer(0)


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Each variable and each way that the numbers do not rule out."""
    if reductions.get() >= DEPTH:
        return GaveUp(f"already {DEPTH} reductions deep")
    domain = domain_of(relation)
    if (gap := _gap(domain)) is None:
        return GaveUp("not a smooth function of finitely many variables")
    points = list(sampling.points(domain, 60, np.random.default_rng(effort.seed + 3)))
    return Ways(itertools.chain(_ways(relation, domain, gap, points), _cuts(relation, domain)))


def again(relation: AtMost, recipe: Mapping[str, Any]) -> Iterator[Reduction]:
    """The way of the recipe in its variable; where there is none, the half-line cut in two."""
    domain = domain_of(relation)
    gap = _gap(domain)
    if gap is None or reductions.get() >= DEPTH:
        return
    if not recipe:
        yield from _cuts(relation, domain)
        return
    for s in domain.symbols:
        if s.name == recipe["variable"] and (along := _along(domain, gap, s)) is not None:
            yield from WAYS[recipe["way"]](relation, along)


def _gap(domain: Domain) -> Any | None:
    """rhs - lhs, if it is a smooth function of finitely many variables."""
    left, right = domain.expressions
    gap = right - left
    return None if domain.lengths or not is_smooth(gap, domain.symbols) else gap


@dataclass(frozen=True)
class _Along:
    """The gap as a function g of one real variable v, which stands for the symbol s, on its range, and the
    hypotheses on the others.
    """

    s: Any
    v: Any
    g: Any
    low: Any
    high: Any
    low_open: bool
    high_open: bool
    others: list[Any]
    squared: bool  # whether v is the root of s

    @cached_property
    def within(self) -> list[Any]:
        return [*self.others, *_range(self.v, self.low, self.high, True, True)]

    @cached_property
    def defined(self) -> tuple[tuple[Any, str], ...]:
        return _defined(self.g, self.v, self.within)

    @cached_property
    def slope(self) -> Any:
        return sp.diff(self.g, self.v)

    @cached_property
    def rises(self) -> Any:
        """What has the sign of the slope."""
        core, flip = _core(self.slope)
        return flip * core

    def reduction(self, way: str, because: str, steps: list[Any], replays: tuple[Any, ...]) -> Reduction:
        recipe = {"variable": self.s.name, "way": way}
        return Reduction((*steps, *self.defined), because, replays=replays, recipe=recipe)


def _along(domain: Domain, gap: Any, s: sp.Symbol) -> _Along | None:
    """The gap along one symbol; None if its range is not an interval."""
    interval = _ends(domain, s)
    if interval is None:
        return None
    others = [c for c in domain.given if s not in c.free_symbols]
    v, g, low, high, low_open, high_open = _real_variable(interval, gap, s)
    return _Along(s, v, g, low, high, low_open, high_open, others, squared=g is not gap)


def _ways(relation: AtMost, domain: Domain, gap: Any, points: list[dict[Any, Any]]) -> Iterator[Reduction]:
    for s in sorted(domain.symbols, key=lambda s: -gap.count(s)):
        along = _along(domain, gap, s)
        if along is None or (signs := _signs(along.slope, along, points)) is None:
            continue
        if along.low.is_finite and along.high.is_finite:
            bends = _signs(sp.diff(along.slope, along.v), along, points)
            if bends is not None and 1 not in bends:
                yield from _concave(relation, along)
        if signs >= {1} and not signs & {-1}:
            yield from _increasing(relation, along)
        if signs >= {-1} and not signs & {1}:
            yield from _decreasing(relation, along)
        if signs >= {-1, 1}:
            yield from _bottom(relation, along)


def _concave(relation: AtMost, along: _Along) -> Iterator[Reduction]:
    """From both ends."""
    s = along.s
    v = along.v
    g = along.g
    low = along.low
    high = along.high
    others = along.others
    if relation.strict or not (low.is_finite and high.is_finite):
        return
    ends = [_end(g, v, low, "+"), _end(g, v, high, "-")]
    if None in ends:
        return
    bend, turn = _core(sp.diff(along.slope, v))
    steps = [(AtMost(ZERO, e, others), f"at {s} = {x}") for e, x in zip(ends, (low, high))]
    steps.append((AtMost(turn * bend, ZERO, along.within), f"concave in {s}"))
    yield along.reduction(
        "concave",
        f"rhs - lhs is concave in {s}, so smallest at an end",
        steps,
        (
            Bend(g, v, turn * bend, along.within),
            Limit(g, v, low, 1, ends[0], others),
            Limit(g, v, high, -1, ends[1], others),
        ),
    )


def _increasing(relation: AtMost, along: _Along) -> Iterator[Reduction]:
    """From the left."""
    s = along.s
    v = along.v
    g = along.g
    low = along.low
    others = along.others
    start = _end(g, v, low, "+")
    if start is None:
        return
    strict_slope = relation.strict and along.low_open
    steps = [
        (AtMost(ZERO, start, others, strict=relation.strict and not along.low_open), f"at {s} = {low}"),
        (
            AtMost(ZERO, along.rises, along.within, strict=strict_slope),
            f"the derivative in {s} is not negative",
        ),
    ]
    yield along.reduction(
        "increasing",
        f"rhs - lhs increases in {s} from its left end",
        steps,
        (Slope(g, v, along.rises, along.within), Limit(g, v, low, 1, start, others)),
    )


def _decreasing(relation: AtMost, along: _Along) -> Iterator[Reduction]:
    """From the right."""
    s = along.s
    v = along.v
    g = along.g
    high = along.high
    others = along.others
    end = _end(g, v, high, "-")
    if end is None:
        return
    strict_slope = relation.strict and (along.high_open or not high.is_finite)
    steps = [
        (AtMost(ZERO, end, others, strict=relation.strict and not strict_slope), f"at {s} -> {high}"),
        (
            AtMost(along.rises, ZERO, along.within, strict=strict_slope),
            f"the derivative in {s} is not positive",
        ),
    ]
    yield along.reduction(
        "decreasing",
        f"rhs - lhs decreases in {s} to its right end",
        steps,
        (Slope(g, v, along.rises, along.within), Limit(g, v, high, -1, end, others)),
    )


def _bottom(relation: AtMost, along: _Along) -> Iterator[Reduction]:
    """From the bottom."""
    s = along.s
    v = along.v
    g = along.g
    low = along.low
    high = along.high
    others = along.others
    for x0 in _stationary(along.rises, v, low, high):
        bottom = sp.simplify(g.subs(v, x0))
        steps = [
            (AtMost(ZERO, bottom, others, strict=relation.strict), f"at the stationary point {s} = {x0}"),
            (
                AtMost(along.rises, ZERO, [*others, *_range(v, low, x0, True, False)]),
                f"the derivative is not positive before {x0}",
            ),
            (
                AtMost(ZERO, along.rises, [*others, *_range(v, x0, high, False, True)]),
                f"the derivative is not negative after {x0}",
            ),
        ]
        steps += [
            (AtMost(p, q, others), f"{x0} lies in the range of {s}")
            for p, q in ((low, x0), (x0, high))
            if p.is_finite and q.is_finite
        ]
        yield along.reduction(
            "bottom",
            f"rhs - lhs is smallest at {s} = {x0}",
            steps,
            (Slope(g, v, along.rises, along.within), Limit(g, v, x0, 1, bottom, others)),
        )


WAYS = {"concave": _concave, "increasing": _increasing, "decreasing": _decreasing, "bottom": _bottom}


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


def _signs(slope: Any, along: _Along, points: list[dict[Any, Any]]) -> set[int] | None:
    """The signs that a derivative takes at the sample points."""
    s, v = along.s, along.v
    rest = sorted((x for x in slope.free_symbols if x != v), key=str)
    f = compiled([v, *rest], [slope])
    root = any(p.base == v for p in slope.atoms(sp.Pow)) and along.squared
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


def _defined(g: Any, v: Any, given: list[Any]) -> tuple[tuple[Any, str], ...]:
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
