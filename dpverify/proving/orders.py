"""O, Omega and Theta in any number of variables.

proved    |f| <= c g (1 + log u)^k, wherever the hypotheses hold, with c and k chosen here unless the claim
          gives them: an inequality like any other. Where f and g are sums of products of powers the constant
          comes from a linear program, otherwise from the largest ratio that a sample shows.
refuted   along a path: a curve t -> (N(t), d(t), ...) that meets every hypothesis for all whole t >= t0, on
          which the ratio leaves every bound because rate(t) g <= C f with a rate that does (t^q or log(t)^q,
          the latter only if no logarithms are hidden), which is an inequality in t alone, or because the
          rules of `convergence` give its limit and balls see the ratio move.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import QUICK, Effort
from dpverify.proving import monomials, sampling
from dpverify.proving.assumptions import admits
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.convergence import Growth, Open
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball, sign
from dpverify.proving.floats import real, vectorised
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.monomials import NotOfThisForm, Term
from dpverify.proving.reduction import Outcome, Reduction, Ways
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost, BigO, Equal, Omega, Order
from dpverify.verdicts import PROVED, Witness

HANDLES = (Order,)
LOGARITHMS = {1: 6, 2: 4}  # the largest power of a hidden logarithm that is tried, by their number; else 3
SIZE, SAMPLES = 5.0, 3_000  # logarithm of the values of a sample, and how many there are
LARGE_SIZES, FEW = (20.0, 60.0), 60  # the same in balls, which see what floats round away
LARGEST = 1e9  # constant that is looked at
DRIFT = 1.3  # by which the largest ratio may grow from one size to the next
TIMES = ((10.0**4, 10.0**10, 10.0**40), (10.0, 30.0, 90.0))  # on a path; the second for what grows fast
STARTS = (2, 3, 10, 100, 1000)
GROWTH = 0.1  # of the logarithm of the ratio, from one of those times to the next, for a path to be looked at
MOST_PATHS, TRIED = 20_000, 8
SECONDS = 2.0  # of processor time for one record


def attempt(order: Order, effort: Effort) -> Outcome:
    """Both sides one after the other, or one side with constants."""
    if order.kind == "Theta":
        rest = {"given": order.given, "hiding": order.hiding, "of": order.of}
        halves = (
            (Omega(order.expression, order.scale, constant=order.lower, **rest), "the lower side"),
            (BigO(order.expression, order.scale, constant=order.upper, **rest), "the upper side"),
        )
        return Ways([Reduction(halves, "both sides")])
    return Ways(_ways(order, effort))


def consequences(order: Order) -> Iterator[AtMost]:
    """With constants and nothing hidden: the inequalities themselves. Without, Omega of something positive
    is positive.
    """
    for side in order.sides:
        constant = getattr(order, side)
        if constant is not None and not order.hiding:
            yield from _inequalities(order, side, constant, ())
        elif side == "lower":
            where = sp.Gt(order.scale, 0)
            given = order.given if where is sp.true else (*order.given, where)
            yield AtMost(0, order.expression, given, strict=True)


def _inequalities(order: Order, side: str, constant: Any, powers: tuple[int, ...]) -> list[AtMost]:
    """What a side says with these constants."""
    factor = sp.Mul(*[(1 + sp.log(u)) ** k for u, k in zip(order.hiding, powers)])
    if side == "lower":
        return [AtMost(constant * order.scale / factor, order.expression, order.given)]
    bound = constant * order.scale * factor
    return [AtMost(order.expression, bound, order.given), AtMost(-order.expression, bound, order.given)]


def _ways(order: Order, effort: Effort) -> Iterator[Reduction]:
    (side,) = order.sides
    terms = [(AtMost(0, order.scale, order.given), "the scale is not negative")]
    terms += [(AtMost(1, u, order.given), "a hidden logarithm is not negative") for u in order.hiding]
    for constant, powers in _constants(order, side, effort):
        shown = {f"{side} constant": sp.sstr(constant)}
        if order.hiding:
            shown |= {f"power of 1 + log({sp.sstr(u)})": str(k) for u, k in zip(order.hiding, powers)}
        bounds = _inequalities(order, side, constant, powers)
        reasons = ("with this constant", "the same for its negative")
        yield Reduction((*terms, *zip(bounds, reasons)), f"{order.kind} with constants", shown=shown)


def _constants(order: Order, side: str, effort: Effort) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Constants and powers of hidden logarithms that may do, the most promising first."""
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
    largest = _largest_ratios(order, side, powers, effort)
    for k in powers:
        if k in largest:
            for slack in (1, 4):
                number = nice(slack * largest[k])
                yield (1 / number if side == "lower" else number), k
            return


def _suffices(order: Order, side: str, constant: Any, powers: tuple[int, ...]) -> bool:
    """Whether the tactic of products of powers proves the side at once."""
    bound = _inequalities(order, side, constant, powers)[0]
    outcome = monomials.attempt(bound, QUICK)
    return isinstance(outcome, monomials.Certificate) and monomials.check(bound, outcome.content)


def _constant_of_powers(order: Order, side: str, powers: tuple[int, ...]) -> Any | None:
    """A constant by linear programs, one for each term of the side that is to be small; it may be made of the
    symbols `of`.
    """
    bound = _inequalities(order, side, sp.Integer(1), powers)[0]
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


def _ends(domain: Domain, s: Any) -> tuple[float | None, float | None]:
    return domain.interval(s).ends


def _columns(domain: Domain, size: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Values of the symbols, as far from 1 or from their ends as e^size."""
    columns = []
    for s in domain.symbols:
        low, high = _ends(domain, s)
        magnitude = np.exp(rng.uniform(0, size, count) * (rng.random(count) < 0.8))
        if low is not None and high is not None:
            if low == 0:
                values = high / magnitude
            else:
                values = low + (high - low) * rng.choice([0.0, 0.5, 1.0], count)
        elif low is not None:
            either = magnitude ** rng.choice([-1.0, 1.0], count) if low == 0 else magnitude
            values = either if low == 0 else low * magnitude if low > 0 else low + magnitude - 1
        elif high is not None:
            values = high - magnitude + 1
        else:
            values = magnitude * rng.choice([-1.0, 1.0], count)
        columns.append(np.ceil(values) if s.is_integer else values)
    return np.array(columns).reshape(len(domain.symbols), count)


def _admissible(domain: Domain, columns: np.ndarray, rows: int) -> np.ndarray:
    """Which columns meet the hypotheses, in floats."""
    keep = np.ones(rows, dtype=bool)
    comparisons = [c for c in domain.coupled if isinstance(c, sp.core.relational.Relational)]
    if comparisons:
        slacks = vectorised(domain.symbols, [c.lhs - c.rhs for c in comparisons])(*columns)
        for c, slack in zip(comparisons, slacks):
            slack = real(slack, rows)
            keep &= slack <= 0 if c.rel_op in ("<", "<=") else slack >= 0 if c.rel_op in (">", ">=") else True
    return keep


def _largest_ratios(
    order: Order, side: str, powers: list[tuple[int, ...]], effort: Effort
) -> dict[tuple[int, ...], float]:
    """For powers of the hidden logarithms with which the ratio seems to be bounded, its largest value."""
    if order.of:
        return {}
    domain = Domain([order.expression, order.scale, *order.hiding], order.given)
    rng = np.random.default_rng(effort.seed)
    if domain.lengths or any(e.atoms(sp.Indexed, sp.Sum, sp.Product) for e in domain.expressions):
        return _ratios_of_sums(domain, side, powers, rng)
    samples = [_sampled(domain, rng), *[_sampled_in_balls(domain, size, rng) for size in LARGE_SIZES]]
    result = {}
    with np.errstate(all="ignore"):
        for k in powers:
            tops = []
            for value, scale, *hidden in samples:
                ratio = np.abs(value) / scale if side == "upper" else scale / value
                for u, power in zip(hidden, k):
                    ratio = ratio / (1 + np.log(u)) ** power
                ratio = ratio[~np.isnan(ratio)]
                tops.append(float(np.max(ratio)) if len(ratio) else 0.0)
            if 0 < tops[0] < LARGEST and all(b <= DRIFT * a for a, b in itertools.pairwise(tops)):
                result[k] = max(tops)
    return result


def _ratios_of_sums(
    domain: Domain, side: str, powers: list[tuple[int, ...]], rng: np.random.Generator
) -> dict[tuple[int, ...], float]:
    """The same where sums are to be written out: at short lengths only, whether it is bounded or not."""
    rows = []
    for point in sampling.points(domain, FEW, rng):
        try:
            rows.append([float(ball(e, point).mid()) for e in domain.at(point)])
        except (Unknown, OverflowError, ValueError):
            continue
    if not rows:
        return {}
    value, scale, *hidden = np.array(rows).T
    result = {}
    with np.errstate(all="ignore"):
        for k in powers:
            ratio = np.abs(value) / scale if side == "upper" else scale / value
            for u, power in zip(hidden, k):
                ratio = ratio / (1 + np.log(u)) ** power
            ratio = ratio[np.isfinite(ratio)]
            if len(ratio) and 0 < np.max(ratio) < LARGEST:
                result[k] = float(np.max(ratio))
    return result


def _sampled(domain: Domain, rng: np.random.Generator) -> list[np.ndarray]:
    """The expressions at many points of moderate size, in floats."""
    columns = _columns(domain, SIZE, SAMPLES, rng)
    with np.errstate(all="ignore"):
        try:
            keep = _admissible(domain, columns, SAMPLES)
            values = vectorised(domain.symbols, domain.expressions)(*columns)
            return [real(v, SAMPLES)[keep] for v in values]
        except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
            return [np.array([]) for _ in domain.expressions]


def _sampled_in_balls(domain: Domain, size: float, rng: np.random.Generator) -> list[np.ndarray]:
    """The expressions at a few points of any size."""
    columns = _columns(domain, size, FEW, rng)
    with np.errstate(all="ignore"):
        keep = _admissible(domain, columns, FEW)
    rows = []
    for row in columns.T[keep]:
        point = {
            s: sp.Integer(int(v)) if s.is_integer else sp.Rational(v) for s, v in zip(domain.symbols, row)
        }
        try:
            rows.append([float(ball(e, point, 640).mid()) for e in domain.expressions])
        except OverflowError:
            rows.append([np.inf, *[1.0] * (len(domain.expressions) - 1)])
        except (Unknown, ValueError):
            continue
    return list(np.array(rows).reshape(len(rows), len(domain.expressions)).T)


Path = dict[Any, Any]


def _choices(domain: Domain, s: Any, t: sp.Symbol) -> list[Any]:
    """Ways in which one symbol may move along a path, the simplest first: not at all, as a power of t,
    towards an end.
    """
    b = domain.interval(s)
    whole = bool(s.is_integer)
    still = domain.choices(s)[:2] or [sp.Integer(1)]
    powers = (1, 2, 3) if whole else (1, 2, 3, sp.Rational(1, 2), sp.Rational(3, 2))
    moving: list[Any] = []
    if not b.high.is_finite:
        moving += [t**p for p in powers]
        moving += [2 * t, 2 * t + 1] if whole else []
        if not whole and any(e.has(sp.log) for e in (*domain.expressions, *domain.given)):
            moving += [1 + sp.log(t)]
    if not b.low.is_finite:
        moving += [-(t**p) for p in powers]
    if not whole:
        for end, direction in ((b.low, 1), (b.high, -1)):
            if end.is_Rational:
                moving += [end + direction * t**-p for p in (1, 2, 3)]
        if b.low == 0 and b.high.is_finite and b.high > 1:
            moving += [t ** sp.Rational(-1, 2)]
    return [*still, *moving]


def _paths(order: Order, domain: Domain, t: sp.Symbol) -> Iterator[Path]:
    """Paths on which the ratio seems to leave every bound, the simplest first."""
    fixed = set(order.of)
    options = [
        [c for c in _choices(domain, s, t) if s not in fixed or not c.free_symbols] for s in domain.symbols
    ]
    while np.prod([float(len(o)) for o in options] or [1.0]) > MOST_PATHS:
        longest = max(range(len(options)), key=lambda i: len(options[i]))
        options[longest] = options[longest][:-1]
    combos = list(itertools.product(*options))
    growth = np.fmax(*[_growths(order, domain, options, times, t) for times in TIMES])
    length = {c: len(str(c)) + (3 if c.free_symbols else 0) for choices in options for c in choices}
    simple = sorted(np.flatnonzero(growth > 0), key=lambda i: (sum(length[c] for c in combos[i]), i))
    fast = sorted(simple, key=lambda i: -growth[i])
    for i in dict.fromkeys([*simple[: TRIED // 2], *fast[: TRIED // 2]]):
        path = dict(zip(domain.symbols, combos[i]))
        yield path | {s: sp.sympify(v).xreplace(path) for s, v in domain.defined.items()}


def _growths(
    order: Order, domain: Domain, options: list[list[Any]], times: tuple[float, ...], t: sp.Symbol
) -> np.ndarray:
    """By how much the ratio grows on every combination of choices, as a logarithm; -1 where it does not, or
    where floats cannot tell.
    """
    values = [np.array([[float(c.subs(t, sp.Integer(int(x)))) for x in times] for c in o]) for o in options]
    places = np.array(list(itertools.product(*[range(len(o)) for o in options])), dtype=int)
    count, rows = len(places), len(places) * len(times)
    columns = np.array([v[places[:, i]].reshape(rows) for i, v in enumerate(values)]).reshape(-1, rows)
    with np.errstate(all="ignore"):
        try:
            keep = _admissible(domain, columns, rows)
            value, scale, *hidden = (
                real(v, rows) for v in vectorised(domain.symbols, domain.expressions)(*columns)
            )
        except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
            return np.full(count, -1.0)
        ratio = np.where(keep, np.abs(value) / scale, np.nan)
        if order.sides == ("lower",):
            ratio = 1 / ratio
        for u in hidden:
            ratio = ratio / (1 + np.log(u)) ** LOGARITHMS[1]
        ratio = np.log(ratio.reshape(count, len(times)))
        grows = np.all(np.isfinite(ratio), axis=1) & np.all(np.diff(ratio, axis=1) > GROWTH, axis=1)
        return np.where(grows, ratio[:, -1] - ratio[:, 0], -1.0)


def refute(order: Order, effort: Effort) -> Witness | None:
    """A path on which no constant serves."""
    for side in order.sides:
        half = (BigO if side == "upper" else Omega)(
            order.expression, order.scale, order.given, None, order.hiding, order.of
        )
        if getattr(order, side) is None and (witness := _refute_side(half, side)) is not None:
            return witness
    return None


def _refute_side(order: Order, side: str) -> Witness | None:
    parts = [_closed(e) for e in (order.expression, order.scale, *order.hiding)]
    domain = Domain(parts, order.given)
    if domain.lengths or any(e.atoms(sp.Indexed, sp.Sum, sp.Product) for e in domain.expressions):
        return None
    t = fresh("t", [order.expression, order.scale, *order.given], integer=True, positive=True)
    for path in _paths(order, domain, t):
        start = next((start for start in STARTS if _starts(domain, path, t, start)), None)
        for exact in _records(order, side, path, t, start) if start is not None else ():
            if _verified(exact):
                return _witness(order, side, path, exact, t)
    return None


def _closed(expression: Any) -> Any:
    """The expression with its sums in closed form, where SymPy has one."""
    e = sp.sympify(expression)
    return e.doit() if e.has(sp.Sum) else e


def _verified(exact: dict[str, Any]) -> bool:
    """Whether a record stands, if that is seen soon: another one may be simpler."""
    try:
        with within(SECONDS):
            return verify(exact)
    except TimeLimit:
        return False


def _starts(domain: Domain, path: Path, t: sp.Symbol, start: int) -> bool:
    """Whether the first points of the path are admissible, where they are rational."""
    for time in (start, start + 1):
        point = {s: path[s].subs(t, time) for s in domain.symbols}
        if all(v.is_Rational for v in point.values()) and not domain.holds(point):
            return False
    return True


def _records(order: Order, side: str, path: Path, t: sp.Symbol, start: int) -> Iterator[dict[str, Any]]:
    """What would show that the ratio leaves every bound: by an inequality, or by a limit."""
    base = {
        "kind": "order",
        "side": side,
        "expression": to_json(order.expression),
        "scale": to_json(order.scale),
        "given": [to_json(g) for g in order.given],
        "hiding": [to_json(u) for u in order.hiding],
        "of": [to_json(s) for s in order.of],
        "over": to_json(t),
        "path": [[to_json(s), to_json(v)] for s, v in path.items()],
    }
    value, scale = (_closed(e).xreplace(path) for e in (order.expression, order.scale))
    sizes = [_size(sp.sympify(u).xreplace(path), t) for u in order.hiding]
    with np.errstate(all="ignore"):
        f, g = (real(v, 1)[0] for v in vectorised([t], [value, scale])(np.array([1000.0])))
        sense = -1 if side == "upper" and f / g < 0 else 1
    here = base | {"sense": sense, "start": start}
    by_rate = [
        here
        | {
            "rate": to_json(rate),
            "constant": to_json(constant),
            "sizes": [[str(size[0]), size[1]] for size in sizes if size is not None],
        }
        for rate, constant in _rates(sense * value, scale, side, start, t, bool(order.hiding))
        if None not in sizes
    ]
    yield from (*by_rate[:1], here | {"limit": True}, *by_rate[1:])


def _rates(
    value: Any, scale: Any, side: str, start: int, t: sp.Symbol, hidden: bool
) -> Iterator[tuple[Any, sp.Rational]]:
    """Powers of t, or of its logarithm, that the ratio seems to outgrow, with the constant that it takes."""
    for last in (30, 2):  # powers of ten; fast growth leaves the floats soon
        times = np.unique(np.round(np.geomspace(start, start * 10.0**last, 12)))
        with np.errstate(all="ignore"):
            f, g = (real(v, len(times)) for v in vectorised([t], [value, scale])(times))
            ratio = f / g if side == "upper" else g / f
            if not np.all(np.isfinite(ratio)) or not np.all(ratio > 0):
                continue
            rise, before = np.log(ratio[-1] / ratio[-4]), np.log(ratio[-4] / ratio[-7])
            base, slope = t, rise / np.log(times[-1] / times[-4])
            steady = abs(slope - before / np.log(times[-4] / times[-7])) < 0.02 * slope
            if slope <= 0.05 and not steady:
                base, slope = sp.log(t), rise / np.log(np.log(times[-1]) / np.log(times[-4]))
            if slope <= 0.25 and base != t:
                base, slope = sp.log(sp.log(t)), rise / np.diff(np.log(np.log(np.log(times[[-4, -1]]))))[0]
        if hidden and base != t:
            return
        near = min(Fraction(float(slope)).limit_denominator(6 if slope > 0.05 else 200), Fraction(4))
        for q in dict.fromkeys((near, near / 2, min(near, Fraction(1)))):
            if q > 0:
                rate = base ** sp.Rational(q.numerator, q.denominator)
                speed = np.array([float(rate.subs(t, sp.Integer(int(x)))) for x in times])
                yield rate, nice(1.5 * float(np.max(speed / ratio)))
        return


def _size(u: Any, t: sp.Symbol) -> tuple[sp.Rational, int] | None:
    """Numbers with u(t) <= c t^m, as far as floats can tell."""
    with np.errstate(all="ignore"):
        times = np.array([2.0, 10.0, 1e4, 1e10, 1e20])
        values = real(vectorised([t], [u])(times)[0], len(times))
        for m in range(0, 9):
            top = np.max(values / times**m)
            if np.isfinite(top) and values[-1] / times[-1] ** m <= 2 * np.max((values / times**m)[:-1]):
                return nice(2 * float(top)), m
    return None


def _witness(order: Order, side: str, path: Path, exact: dict[str, Any], t: sp.Symbol) -> Witness:
    limit = "oo" if side == "upper" else "0"
    ratio = f"({sp.sstr(order.expression)})/({sp.sstr(order.scale)})"
    figures = ", ".join(f"{v:.4g} at {t} = {x}" for x, v in _figures(order, path, t))
    sign = "<=" if side == "upper" else ">="
    hidden = ", whatever the power of the hidden logarithms" if order.hiding else ""
    because = (
        f"the limit follows from the leading terms, the figures are ball arithmetic{hidden}"
        if "limit" in exact
        else _growth(exact, side) + hidden
    )
    return Witness(
        {sp.sstr(s): sp.sstr(v) for s, v in path.items()}
        | {str(t): f"{exact['start']}, {exact['start'] + 1}, ..."},
        f"{ratio} is {figures}, and tends to {limit} as {t} -> oo",
        f"{sp.sstr(order.expression)} {sign} c*({sp.sstr(order.scale)}) for some constant c > 0",
        exact,
        because,
    )


def _growth(exact: dict[str, Any], side: str) -> str:
    rate, constant = from_json(exact["rate"]), from_json(exact["constant"])
    small, large = ("scale", "expression") if side == "upper" else ("expression", "scale")
    return (
        f"({sp.sstr(rate)})*{small} <= {sp.sstr(constant)}*{large} on the path, which was proved for "
        f"every {from_json(exact['over'])}"
    )


def _figures(order: Order, path: Path, t: sp.Symbol) -> Iterator[tuple[str, float]]:
    ratio = sp.sympify(order.expression).xreplace(path) / sp.sympify(order.scale).xreplace(path)
    for power in (2, 4, 8):
        try:
            yield f"10^{power}", float(ball(ratio, {t: sp.Integer(10) ** power}).mid())
        except (Unknown, OverflowError):
            continue


def verify(exact: dict[str, Any]) -> bool:
    """Whether no constant serves, from the record alone: the path meets every hypothesis for every whole t
    from the start, the scale is positive there, and the ratio leaves every bound.
    """
    expression, scale, t = (from_json(exact[key]) for key in ("expression", "scale", "over"))
    given = [from_json(g) for g in exact["given"]]
    path = {from_json(s): from_json(v) for s, v in exact["path"]}
    hiding = [from_json(u) for u in exact["hiding"]]
    start, side, sense = exact["start"], exact["side"], exact["sense"]
    if type(start) is not int or start < 2 or side not in ("upper", "lower") or sense not in (1, -1):
        return False
    if any(path[from_json(s)].free_symbols for s in exact["of"] if from_json(s) in path):
        return False  # the constants may depend on these: they stand still
    names = {s for e in (expression, scale, *given, *hiding) for s in sp.sympify(e).free_symbols}
    if not names <= set(path) or any(v.free_symbols - {t} for v in path.values()):
        return False
    if not (t.is_integer and t.is_positive) or t in names:
        return False
    value, size = (sense * expression.xreplace(path), scale.xreplace(path))
    later = (sp.Ge(t, start),)
    if not _within(path, given, later):
        return False
    # Where |expression|/|scale| grows beyond all bounds, |expression| <= c scale fails whatever the signs
    # are.
    signless = side == "upper" and "limit" in exact
    if not signless and not _holds(AtMost(0, size, later, strict=True)):
        return False
    hidden = [u.xreplace(path) for u in hiding]
    if not all(_holds(AtMost(1, u, later)) for u in hidden):
        return False
    if "limit" in exact:
        return _diverges(value, size, hidden, t, side)
    rate, constant = from_json(exact["rate"]), from_json(exact["constant"])
    base, power = rate.as_base_exp()
    slow = base in (sp.log(t), sp.log(sp.log(t))) and not hiding
    unbounded = (base == t or slow) and power.is_Rational and power > 0
    if not (unbounded and constant.is_Rational and constant > 0):
        return False
    for u, (number, degree) in zip(hidden, exact["sizes"], strict=True):
        if not _holds(AtMost(u, sp.Rational(number) * t ** int(degree), later)):
            return False
    small, large = (size, value) if side == "upper" else (value, size)
    ways = (AtMost(small, constant * large / rate, later), AtMost(rate * small, constant * large, later))
    return any(map(_holds, ways))


@lru_cache(maxsize=1024)  # a record is verified when it is made, and again when the verdict is printed
def _holds(relation: AtMost | Equal) -> bool:
    from dpverify.proving.deciding import prove_step

    return prove_step(relation, QUICK).verdict is PROVED


def _within(path: Mapping[Any, Any], given: list[Any], later: tuple[Any, ...]) -> bool:
    """Whether the path meets the assumptions on the symbols and the hypotheses, for every t from the
    start.
    """
    from dpverify.proving.instances import assumed
    from dpverify.proving.proof import as_relation

    for s, v in path.items():
        if v.is_Rational:
            if not admits(s, v):
                return False
            continue
        if s.is_integer and not v.is_integer:
            return False
        if any(s.assumptions0.get(name) for name in ("even", "odd", "prime", "composite", "noninteger")):
            return False
        if s.is_rational and not v.is_rational:
            return False
        if s.is_nonzero and not (s.is_positive or s.is_negative):
            return False
        for condition in assumed(s, v):
            if not _holds(AtMost(condition.lhs, condition.rhs, later, strict=condition.strict)):
                return False
    for g in given:
        placed = sp.sympify(g).xreplace(path)
        if placed is sp.true:
            continue
        if not isinstance(placed, sp.core.relational.Relational) or isinstance(placed, sp.Ne):
            return False
        relation = as_relation(placed)
        if isinstance(relation, Equal):
            if not _holds(Equal(relation.derived, relation.stated, later)):
                return False
        elif not _holds(AtMost(relation.lhs, relation.rhs, later, strict=relation.strict)):
            return False
    return True


def _diverges(value: Any, scale: Any, hidden: list[Any], t: sp.Symbol, side: str) -> bool:
    """Whether the rules of `convergence` give that the ratio leaves every bound, and balls see it move; where
    logarithms are hidden, faster than every power of them.
    """
    ratio = value / scale if side == "upper" else scale / value
    seen = []
    for power in (4, 10, 40):
        try:
            number = ball(ratio, {t: sp.Integer(10) ** power}, 640)
        except (Unknown, OverflowError):
            return False
        if not (number.is_finite() and number > 0):
            return False
        seen.append(number)
    if not (seen[0] < seen[1] < seen[2]):
        return False
    if hidden:
        ratio = sp.log(ratio) / (1 + sum(sp.log(1 + sp.log(u)) for u in hidden))
    return _grows(ratio, t)


@lru_cache(maxsize=256)
def _grows(ratio: Any, t: sp.Symbol) -> bool:
    """Whether the rules of `convergence` say that the ratio, which has no parameters, leaves every bound."""

    def proved_sign(constant: Any) -> int:
        found = sign(constant)
        if found is None:
            raise Open(f"the sign of {sp.sstr(constant)} is not known")
        return found

    y = sp.Dummy("t", positive=True, integer=True)
    try:
        return Growth(y, proved_sign).limit(sp.expand_log(ratio.xreplace({t: y}))) is sp.oo
    except (Open, RecursionError):
        return False
