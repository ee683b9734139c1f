"""Paths t -> (N(t), d(t), ...) on which the ratio of the two sides of O or Omega seems to leave every bound,
and what would show that it does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.codec import to_json
from dpverify.proving.domain import Domain
from dpverify.proving.floats import real, vectorised
from dpverify.proving.order_constants import LOGARITHMS, nice
from dpverify.proving.order_ratios import admissible
from dpverify.relations import Order

TIMES = ((10.0**4, 10.0**10, 10.0**40), (10.0, 30.0, 90.0))  # on a path; the second for what grows fast
GROWTH = 0.1  # of the logarithm of the ratio, from one of those times to the next, for a path to be looked at
MOST_PATHS, TRIED = 20_000, 8
Path = dict[Any, Any]


def paths(order: Order, domain: Domain, t: sp.Symbol) -> Iterator[Path]:
    """Paths on which the ratio seems to leave every bound, the simplest first.

    >>> from dpverify.relations import BigO
    >>> N = sp.Symbol("N", positive=True)
    >>> t = sp.Symbol("t", integer=True, positive=True)
    >>> next(paths(BigO(N**2, N), Domain([N**2, N], []), t))
    {N: t}
    """
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
            keep = admissible(domain, columns, rows)
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


def closed(expression: Any) -> Any:
    """The expression with its sums in closed form, where SymPy has one.

    >>> t, T = sp.symbols("t T", integer=True, positive=True)
    >>> closed(sp.Sum(1, (t, 1, T)))
    T
    """
    e = sp.sympify(expression)
    return e.doit() if e.has(sp.Sum) else e


def starts(domain: Domain, path: Path, t: sp.Symbol, start: int) -> bool:
    """Whether the first points of the path are admissible, where they are rational.

    >>> N = sp.Symbol("N", positive=True)
    >>> t = sp.Symbol("t", integer=True, positive=True)
    >>> starts(Domain([N], [N >= 3]), {N: t}, t, 2), starts(Domain([N], [N >= 3]), {N: t}, t, 3)
    (False, True)
    """
    for time in (start, start + 1):
        point = {s: path[s].subs(t, time) for s in domain.symbols}
        if all(v.is_Rational for v in point.values()) and not domain.holds(point):
            return False
    return True


def records(order: Order, side: str, path: Path, t: sp.Symbol, start: int) -> Iterator[dict[str, Any]]:
    """What would show that the ratio leaves every bound: by a limit, or by an inequality.

    >>> from dpverify.relations import BigO
    >>> N = sp.Symbol("N", positive=True)
    >>> t = sp.Symbol("t", integer=True, positive=True)
    >>> next(records(BigO(N**2, N), "upper", {N: t}, t, 2))["side"]
    'upper'
    """
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
    value, scale = (closed(e).xreplace(path) for e in (order.expression, order.scale))
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
    yield from (here | {"limit": True}, *by_rate)  # a limit is seen at once, or not at all


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
