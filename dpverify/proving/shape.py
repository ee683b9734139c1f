"""Monotone and unimodal functions: increasing on an interval, and closed-form minimisers, real or whole.

    increasing   f' >= 0 on an interval, or f(T) <= f(T + 1) for whole T
    minimiser    f'(x0) = 0 and f'' >= 0; or f'' in log x; or f' <= 0 before x0 and f' >= 0 after it; or an
    end of the interval;
                 or f(T) = F(b^T), and F is least at b^(T0)
    whole T      ceil(r): f(T+1) - f(T) is increasing and 0 at r;  floor(r): 0 at r - 1;  the better
    neighbour: f convex, f'(r) = 0

Every way also needs that the function is defined on the interval and that the stated point lies in it: steps
of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.derivatives import _core, _defined, guess_sign
from dpverify.proving.functions import is_smooth
from dpverify.proving.identities import normalise
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.proving.replays import Bend, Same, Slope
from dpverify.proving.symbols import fresh
from dpverify.relations import ArgMin, AtMost, Equal, Increasing

HANDLES = (Increasing, ArgMin)
ZERO = sp.Integer(0)
ROUGH = (sp.floor, sp.ceiling, sp.Abs, sp.Max, sp.Min, sp.sign, sp.Piecewise, sp.Sum, sp.Product, sp.Indexed)

Steps = tuple[tuple[Any, str], ...]


def attempt(relation: Increasing | ArgMin, effort: Effort) -> Outcome:
    """The ways that apply, to be tried in turn."""
    why = _no_interval(relation.over, relation.given)
    if why:
        return GaveUp(why)
    return Ways(_monotone(relation) if isinstance(relation, Increasing) else _minimiser(relation))


def _no_interval(x: sp.Symbol, given: Sequence[Any]) -> str:
    """Why the domain of x is not known to be an interval, or nothing: every hypothesis on it must be a bound
    linear in it.
    """
    if x.is_nonzero and not (x.is_positive or x.is_negative):
        return f"the domain of {x} has a hole at 0"
    for c in map(sp.sympify, given):
        if x in c.free_symbols:
            linear = isinstance(c, sp.Lt | sp.Le | sp.Gt | sp.Ge) and sp.diff(c.lhs - c.rhs, x, 2) == 0
            if not linear:
                return f"the hypothesis {c} is not a bound linear in {x}"
    return ""


def _as_relation(c: Any, given: Sequence[Any]) -> AtMost:
    low, high = (c.lhs, c.rhs) if isinstance(c, sp.Lt | sp.Le) else (c.rhs, c.lhs)
    return AtMost(low, high, given, strict=isinstance(c, sp.Lt | sp.Gt))


def _split(x: sp.Symbol, given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The hypotheses on x, its assumptions included as bounds, and those on the parameters."""
    given = [c for c in map(sp.sympify, given) if c is not sp.true]
    on = [c for c in given if x in c.free_symbols]
    if x.is_positive:
        on.append(sp.Ge(x, 1, evaluate=False) if x.is_integer else sp.Gt(x, 0, evaluate=False))
    elif x.is_nonnegative:
        on.append(sp.Ge(x, 0, evaluate=False))
    elif x.is_negative:
        on.append(sp.Le(x, -1, evaluate=False) if x.is_integer else sp.Lt(x, 0, evaluate=False))
    return on, [c for c in given if x not in c.free_symbols]


def _put(c: Any, x: sp.Symbol, value: Any) -> Any:
    if isinstance(c, sp.And | sp.Or):
        return c.func(*[_put(part, x, value) for part in c.args])
    return c.func(c.lhs.subs(x, value), c.rhs.subs(x, value))


def _real(x: sp.Symbol, on: list[Any]) -> tuple[sp.Symbol, list[Any]]:
    """A real variable in place of a whole one, with the same bounds."""
    if not x.is_integer:
        return x, [c for c in on if _put(c, x, x) is not sp.true]
    sign = (
        {"positive": True} if x.is_positive else {"nonnegative": True} if x.is_nonnegative else {"real": True}
    )
    v = sp.Symbol(x.name, **sign)
    return v, [d for c in on if (d := _put(c, x, v)) is not sp.true]


def smooth(f: Any, x: sp.Symbol, given: list[Any]) -> Steps | None:
    """Steps that show f to be defined and smooth in x on the interval; None if it is not seen to be."""
    return _defined(f, x, given) if is_smooth(f, [x]) else None


def _monotone(relation: Increasing) -> Iterator[Reduction]:
    x, f = relation.over, sp.sympify(relation.expression)
    sign = -1 if relation.down else 1
    on, rest = _split(x, relation.given)
    if x.is_integer:
        both = [
            *rest,
            *[c for c in on if _put(c, x, x) is not sp.true],
            *[d for c in on if (d := _put(c, x, x + 1)) is not sp.true],
        ]
        gap = sign * (f.subs(x, x + 1) - f)
        gap = normalise(gap) if gap.has(sp.Sum) else gap
        yield Reduction(
            ((AtMost(ZERO, gap, both, strict=relation.strict), "consecutive values"),),
            f"consecutive values compared in {x}",
            replays=(Same(gap, sign * (f.subs(x, x + 1) - f), both),),
        )
    v, inside = _real(x, on)
    f, given = f.subs(x, v), [*rest, *inside]
    defined = smooth(f, v, given)
    if defined is None:
        return
    core, flip = _core(sp.diff(f, v))
    slope = sign * flip * core
    yield Reduction(
        (
            (AtMost(ZERO, slope, given, strict=relation.strict), "the derivative, up to a positive factor"),
            *defined,
        ),
        f"the derivative in {x} has a sign",
        replays=(Slope(sign * f, v, slope, given),),
    )
    if relation.strict:
        zeros = _zeros(core, v)
        if zeros:
            off = [*given, *[sp.Ne(v, z) for z in zeros]]
            reason = (
                f"the derivative has a sign but at {', '.join(map(sp.sstr, zeros))}, and no interval of zeros"
            )
            yield Reduction(
                ((AtMost(ZERO, slope, off, strict=True), "the derivative, off its zeros"), *defined),
                reason,
                replays=(Slope(sign * f, v, slope, off),),
            )


def _zeros(e: Any, x: sp.Symbol) -> list[Any]:
    try:
        zeros = sp.solve(e, x)
    except (NotImplementedError, ValueError, TypeError, RecursionError, AttributeError):
        return []
    return [z for z in zeros if z.is_real is not False]


def _stands(x: sp.Symbol, at: Any, on: list[Any], rest: list[Any]) -> Steps:
    """Steps that show the stated point to lie in the domain."""
    steps: list[tuple[Any, str]] = []
    for c in on:
        placed = _put(c, x, at)
        if placed is sp.true:
            continue
        if placed is sp.false:
            steps.append((Equal(ZERO, sp.Integer(1)), f"the stated point lies in the domain, {c}"))
            continue
        relation = _as_relation(placed, rest)
        steps.extend(_signed(relation, f"the stated point lies in the domain, {c}"))
    return tuple(steps)


def _signed(relation: AtMost, reason: str) -> list[tuple[Any, str]]:
    """A comparison as comparisons of the factors of the difference, logarithms by their arguments, where it
    is a product.
    """
    plain = sp.sympify(relation.rhs) - sp.sympify(relation.lhs)
    forms = (
        form
        for form in (plain, sp.together(plain), sp.logcombine(sp.factor(plain)))
        if isinstance(form, sp.Mul | sp.log)
    )
    gap = next(forms, None)
    if gap is None or not gap.has(sp.log):
        return [(relation, reason)]
    overall, steps = 1, []
    for factor in sp.Mul.make_args(gap):
        base, exponent = factor.as_base_exp()
        if factor.is_positive or (exponent.is_Integer and exponent % 2 == 0 and not relation.strict):
            continue
        if not exponent.is_Integer:
            return [(relation, reason)]
        sign = guess_sign(base, list(relation.given))
        overall *= sign if exponent % 2 else 1
        strict = relation.strict or bool(exponent < 0)
        if isinstance(base, sp.log):
            low, high = (sp.Integer(1), base.args[0]) if sign > 0 else (base.args[0], sp.Integer(1))
        else:
            low, high = (ZERO, base) if sign > 0 else (base, ZERO)
        bottom, top = sp.fraction(sp.together(high - low))[::-1]
        if bottom.is_positive and low != 0 and high != 0:
            low, high = ZERO, top
        steps.append(
            (AtMost(low, high, relation.given, strict=strict), f"{reason}: the factor {sp.sstr(base)}")
        )
    return steps if overall > 0 else [(relation, reason)]


def _balanced(e: Any, given: list[Any], reason: str) -> tuple[Any, str]:
    """`e = 0` as an equation between two sides of the same size, which a replay can tell apart."""
    first, *others = sp.Add.make_args(sp.expand(e))
    return Equal(first, -sp.Add(*others), given), reason


def _minimiser(relation: ArgMin) -> Iterator[Reduction]:
    x = relation.over
    f = sp.sympify(relation.expression)
    at = sp.sympify(relation.at)
    on, rest = _split(x, relation.given)
    extra: Steps = ()
    if relation.starts is not None and not (x.is_nonnegative and relation.starts == 0 and not x.is_positive):
        extra = (
            (
                AtMost(f.subs(x, at), f.subs(x, relation.starts), rest),
                f"compared with {x} = {relation.starts}",
            ),
        )
    if x.is_integer:
        yield from _whole_minimiser(relation, f, at, on, rest, extra)
        return
    given = [*rest, *[c for c in on if _put(c, x, x) is not sp.true]]
    stands = (*_stands(x, at, on, rest), *extra)
    if not f.has(*ROUGH):
        yield from _by_power(relation, f, x, at, rest, stands)
    defined = smooth(f, x, given)
    if defined is not None:
        core, flip = _core(sp.diff(f, x))
        slope, base = flip * core, (*stands, *defined)
        ends = [c.rhs if c.lhs == x else c.lhs for c in on if x in (c.lhs, c.rhs)]
        if at in ends:
            up = any(isinstance(c, sp.Ge | sp.Gt) == (c.lhs == x) for c in on if at in (c.lhs, c.rhs))
            step = AtMost(ZERO, slope if up else -slope, [*given, sp.Ne(x, at)], strict=relation.unique)
            yield Reduction(
                (*base, (step, "the derivative has a sign")),
                f"{x} = {sp.sstr(at)} is an end of a monotone function",
                replays=(Slope(f, x, slope, given),),
            )
        flat = _balanced(core.subs(x, at), rest, "the derivative is 0 there")
        bend = sp.diff(f, x, 2)
        core2, flip2 = _core(bend)
        yield Reduction(
            (
                *base,
                flat,
                (
                    AtMost(ZERO, flip2 * core2, given, strict=relation.unique),
                    "the second derivative has a sign",
                ),
            ),
            "a stationary point of a convex function",
            replays=(Slope(f, x, slope, given), Bend(f, x, flip2 * core2, given)),
        )
        if x.is_positive:
            core3, flip3 = _core(sp.diff(x * sp.diff(f, x), x))
            yield Reduction(
                (
                    *base,
                    flat,
                    (
                        AtMost(ZERO, flip3 * core3, given, strict=relation.unique),
                        f"the second derivative in log {x} has a sign",
                    ),
                ),
                f"a stationary point of a function convex in log {x}",
                replays=(Slope(f, x, slope, given), Bend(f, x, flip3 * core3, given, in_log=True)),
            )
        before = (AtMost(slope, ZERO, [*given, x < at], strict=relation.unique), "the derivative before it")
        after = (AtMost(ZERO, slope, [*given, x > at], strict=relation.unique), "the derivative after it")
        yield Reduction(
            (*base, before, after),
            "decreasing before the stated point, increasing after it",
            replays=(Slope(f, x, slope, given),),
        )
    off = [sp.Ne(x, at)] if relation.unique else []
    direct = AtMost(f.subs(x, at), f, [*given, *off], strict=relation.unique)
    yield Reduction((*stands, (direct, "compared with every other point")), "compared directly")


def _by_power(
    relation: ArgMin, f: Any, x: sp.Symbol, at: Any, rest: list[Any], stands: Steps
) -> Iterator[Reduction]:
    """f as a function of y = b^x alone: then its minimiser over y > 0, if it is b^at, is the minimiser."""
    rates: dict[Any, tuple[Any, Any, Any]] = {}
    for p in f.atoms(sp.Pow, sp.exp):
        base, exponent = (sp.E, p.args[0]) if isinstance(p, sp.exp) else p.as_base_exp()
        if x in exponent.free_symbols:
            slope = sp.diff(exponent, x)
            if x in slope.free_symbols or x in base.free_symbols or not base.is_positive:
                return
            rates[p] = (base, slope, sp.expand(exponent - slope * x))
    if not rates:
        return
    base0, slope0, _ = next(iter(rates.values()))
    unit = slope0 * sp.log(base0)
    ratios = {p: sp.simplify(slope * sp.log(base) / unit) for p, (base, slope, _) in rates.items()}
    if not all(r.is_Rational for r in ratios.values()):
        return
    part = sp.Integer(1) * sp.ilcm(*[r.q for r in ratios.values()], 1)
    y = fresh(f"{x.name}_power", [f, at, *rest], positive=True)
    outer = f.xreplace({p: base**shift * y ** (ratios[p] * part) for p, (base, _, shift) in rates.items()})
    if x in outer.free_symbols:
        return
    least = sp.exp(sp.expand_log(sp.simplify(unit * at / part)))
    least = sp.simplify(sp.exp(sp.simplify(unit * at / part))) if least.has(sp.log) else least
    steps = [
        *stands,
        (
            ArgMin(outer, y, least, rest, relation.unique),
            f"in y = ({sp.sstr(base0)})^({sp.sstr(slope0 * x / part)})",
        ),
    ]
    if relation.unique:
        low, high = (base0, sp.Integer(1)) if guess_sign(base0 - 1, rest) < 0 else (sp.Integer(1), base0)
        if base0 is not sp.E:
            steps.append((AtMost(low, high, rest, strict=True), "the change of variable is one to one"))
        if not slope0.is_nonzero:
            steps.append(
                (
                    AtMost(ZERO, guess_sign(slope0, rest) * slope0, rest, strict=True),
                    "the change of variable is one to one",
                )
            )
    yield Reduction(
        tuple(steps), f"a function of y = ({sp.sstr(base0)})^({sp.sstr(slope0 * x / part)}) alone"
    )


def _whole_minimiser(
    relation: ArgMin, f: Any, at: Any, on: list[Any], rest: list[Any], extra: Steps
) -> Iterator[Reduction]:
    """Whole minimisers: the sign of f(T+1) - f(T) turns at the stated point."""
    x = relation.over
    m = sp.Symbol(x.name, real=True)
    better = _better_neighbour(f, x, at)
    if better is not None:
        v, inside = _real(x, on)
        g, given = f.subs(x, v), [*rest, *inside]
        defined = smooth(g, v, given)
        neighbours = all(
            c.lhs == x and isinstance(c, sp.Ge) and c.rhs.is_integer for c in on
        )  # both lie in the domain if r does
        if defined is not None and neighbours and not relation.unique:
            core, _ = _core(sp.diff(g, v))
            bend, turn = _core(sp.diff(g, v, 2))
            flat = _balanced(core.subs(v, better), rest, f"the derivative is 0 at {sp.sstr(better)}")
            convex = (AtMost(ZERO, turn * bend, given), "the second derivative has a sign")
            lies = _stands(x, better, on, rest)
            yield Reduction(
                (*lies, *extra, *defined, flat, convex),
                "the better neighbour of the minimiser of a convex function",
            )
        return
    inner, ends = at, {c.rhs for c in on if c.lhs == x and isinstance(c, sp.Ge)}
    clipped = isinstance(at, sp.Max) and len(at.args) == 2 and any(a in ends for a in at.args)
    if clipped:  # at the left end of the domain, below which nothing is to be compared
        inner = next(a for a in at.args if a not in ends)
    whole = sp.Wild("whole", properties=[lambda k: k.is_integer])
    r = sp.Wild("r")
    difference = f.subs(x, m + 1) - f.subs(x, m)
    difference = sp.simplify(difference) if not difference.has(*ROUGH) else difference
    threshold = None
    for kind, shift in ((sp.ceiling, 0), (sp.floor, -1)):
        match = inner.match(kind(r) + whole)
        if match and isinstance(inner - match[whole], kind):
            threshold = (inner - match[whole]).args[0] + match[whole] + shift
    beyond = [c for c in on if not (clipped and c.lhs == x and isinstance(c, sp.Ge) and c.rhs in at.args)]
    stands = (*_whole_stands(x, at, None if clipped else threshold, beyond, rest), *extra)
    if threshold is None and not at.is_integer:
        return
    bounds = [d for c in on if (d := _put(c, x, m)) is not sp.true]
    if threshold is not None and not relation.unique and not difference.has(*ROUGH):
        flat = _balanced(difference.subs(m, threshold), rest, f"f(T + 1) = f(T) at T = {sp.sstr(threshold)}")
        rising = (Increasing(difference, m, rest), "the differences increase")
        yield Reduction(
            (*stands, flat, rising), "the differences of consecutive values increase and change sign there"
        )
    after, before = (m >= threshold, m < threshold) if threshold is not None else (m >= at, m <= at - 1)
    steps = (
        (
            AtMost(ZERO, difference, [*rest, *bounds, after], strict=relation.unique),
            "increasing from there on",
        ),
        (
            AtMost(difference, ZERO, [*rest, *bounds, before], strict=relation.unique),
            "decreasing up to there",
        ),
    )
    yield Reduction((*stands, *steps), "the differences of consecutive values change sign there")


def _whole_stands(x: sp.Symbol, at: Any, threshold: Any, on: list[Any], rest: list[Any]) -> Steps:
    """That a rounded point meets lower bounds by whole numbers: ceil(r) >= a if r > a - 1."""
    steps: list[tuple[Any, str]] = []
    for c in on:
        if threshold is not None and c.lhs == x and isinstance(c, sp.Ge) and c.rhs.is_integer:
            steps.extend(
                _signed(
                    AtMost(c.rhs - 1, threshold, rest, strict=True),
                    f"the stated point lies in the domain, {c}",
                )
            )
        else:
            steps.extend(_stands(x, at, [c], rest))
    return tuple(steps)


def _better_neighbour(f: Any, x: sp.Symbol, at: Any) -> Any | None:
    """r, if the stated point is floor(r) where f(floor(r)) <= f(ceil(r)), and else ceil(r)."""
    if not isinstance(at, sp.Piecewise) or len(at.args) != 2 or at.args[1].args[1] is not sp.true:
        return None
    (first, condition), (second, _) = at.args
    if not isinstance(first, sp.floor) or second != sp.ceiling(first.args[0]):
        return None
    expected = sp.Le(f.subs(x, first), f.subs(x, second))
    return first.args[0] if condition in (expected, expected.reversed) else None


def consequences(relation: Increasing | ArgMin) -> Iterator[Any]:
    """Two points compared; the stated minimiser in the domain, whole if it must be, and no worse than any
    other point.
    """
    x, f = relation.over, sp.sympify(relation.expression)
    given = list(map(sp.sympify, relation.given))
    on, rest = _split(x, given)
    if isinstance(relation, Increasing):
        assumed = {
            k: v for k, v in x.assumptions0.items() if k in ("integer", "positive", "nonnegative", "negative")
        }
        other = fresh(f"{x.name}_later", [f, *given], **assumed)
        both = [*given, *[_put(c, x, other) for c in given if x in c.free_symbols], sp.Lt(x, other)]
        low, high = (f.subs(x, other), f) if relation.down else (f, f.subs(x, other))
        yield AtMost(low, high, both, strict=relation.strict)
        return
    at = sp.sympify(relation.at)
    for c in on:
        placed = _put(c, x, at)
        if placed is sp.false:
            yield Equal(ZERO, sp.Integer(1), rest)
        elif placed is not sp.true:
            yield _as_relation(placed, rest)
    if x.is_integer and not at.is_integer:
        yield Equal(at, sp.floor(at), rest)
    off = [sp.Ne(x, at)] if relation.unique else []
    yield AtMost(f.subs(x, at), f, [*given, *off], strict=relation.unique)
    if relation.starts is not None:
        yield AtMost(f.subs(x, at), f.subs(x, relation.starts), rest)
