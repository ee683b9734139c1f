"""Random points of a domain: numbers inside the bounds of each symbol, and rational points that satisfy every
hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.domain import Domain

MOST_FAILURES = 60  # points in a row that floats let pass and exact arithmetic does not
DRAWN = 256  # random numbers that are drawn for a symbol at once


def nearest(value: float, most: int) -> tuple[int, int]:
    """The fraction nearest to a number among those whose denominator is at most so large: what
    `Fraction.limit_denominator` gives, in whole numbers alone.

    >>> nearest(0.3333, 10)
    (1, 3)
    """
    top, bottom = value.as_integer_ratio()
    if bottom <= most:
        return top, bottom
    left = 0
    over = 1
    p = 1
    q = 0
    n = top
    d = bottom
    while over + (whole := n // d) * q <= most:
        left, over, p, q, n, d = p, q, left + whole * p, over + whole * q, d, n - whole * d
    times = (most - over) // q
    if 2 * d * (over + times * q) <= bottom:
        return p, q
    return left + times * p, over + times * q


def sample(domain: Domain, symbol: Any, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random numbers inside the bounds of a symbol: of moderate size, large, small, or near an end.

    >>> x = sp.Symbol("x", positive=True)
    >>> bool(np.all(sample(Domain([x], [x < 1]), x, 9, np.random.default_rng(0)) < 1))
    True
    """
    low, high = domain.interval(symbol).ends
    if low is not None and high is not None:
        values = low + (high - low) * np.where(
            rng.random(count) < 0.5, rng.beta(0.5, 0.5, count), rng.random(count)
        )
    else:
        size = np.exp(rng.normal(0, 1, count) * np.where(rng.random(count) < 0.6, 1.0, 4.0))
        if low is not None:
            values = low + size
        elif high is not None:
            values = high - size
        else:
            values = np.where(rng.random(count) < 0.5, size, -size)
    if not symbol.is_integer:
        return values
    start = low if low is not None else high if high is not None else 0.0
    whole = np.round(np.clip(values, start - 10_000, start + 10_000))
    if symbol.is_even or symbol.is_odd:
        parity = 0 if symbol.is_even else 1
        whole = whole + (whole % 2 != parity) * np.where(whole > 0, -1, 1)
    return whole


def samples(domain: Domain, names: Sequence[Any], count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """A column of random numbers for each name; entries of one sequence are drawn together.

    >>> q = sp.IndexedBase("q")
    >>> names = [q[1], q[2]]
    >>> [column.shape for column in samples(Domain(names, []), names, 9, np.random.default_rng(0))]
    [(9,), (9,)]
    """
    columns: dict[Any, np.ndarray] = {}
    entries: dict[Any, list[Any]] = {}
    for name in names:
        if isinstance(name, sp.Indexed):
            entries.setdefault(name.base, []).append(name)
        else:
            columns[name] = sample(domain, name, count, rng)
    for alike in entries.values():
        drawn = sample(domain, alike[0], count * len(alike), rng).reshape(len(alike), count)
        columns.update(zip(alike, drawn))
    return [columns[name] for name in names]


def draw(domain: Domain, symbol: Any, rng: np.random.Generator) -> sp.Rational:
    """One random rational inside the bounds of a symbol.

    >>> x = sp.Symbol("x", positive=True)
    >>> draw(Domain([x], [x < 1]), x, np.random.default_rng(0)) < 1
    True
    """
    return _rational(domain, symbol, float(sample(domain, symbol, 1, rng)[0]))


def draw_simple(domain: Domain, name: Any, rng: np.random.Generator) -> Any:
    """One of the simplest numbers inside the bounds of a symbol, at random; any number where none is simple.

    >>> x = sp.Symbol("x", positive=True)
    >>> draw_simple(Domain([x], [x < 1]), x, np.random.default_rng(0)) in Domain([x], [x < 1]).choices(x)[:8]
    True
    """
    simple = domain.choices(name)[:8]
    return simple[int(rng.integers(len(simple)))] if simple else draw(domain, name, rng)


def _rational(domain: Domain, symbol: Any, value: float) -> sp.Rational:
    """A rational near to a number that was drawn for a symbol."""
    if symbol.is_integer:
        return sp.Integer(round(value))
    if low_is_high := _only(domain, symbol):
        return low_is_high[0]
    return sp.Rational(*nearest(value, 1000 if abs(value) > 1e-2 else 10**6))


def _only(domain: Domain, symbol: Any) -> tuple[sp.Rational, ...]:
    """The one number that is left to a symbol, if there is but one."""
    b = domain.interval(symbol)
    return (b.low,) if b.low == b.high and b.low.is_Rational else ()


def points(
    domain: Domain,
    count: int,
    rng: np.random.Generator,
    lengths: Mapping[Any, int] | None = None,
    sure: int | None = None,
) -> Iterator[dict[Any, sp.Rational]]:
    """Up to `count` rational points that satisfy every hypothesis (fewer if they are hard to hit).

    They are drawn several at a time, of the same lengths; floats sort out those that cannot satisfy.
    Where many that floats let pass are not shown to satisfy, one after the other, none will be: a
    hypothesis is an equation between numbers that no algebra decides. Of those in which the first expression
    is surely below the second, all are given, or so many if `sure` is a number: the others are counted, and
    nothing is asked of them but floats.

    >>> x = sp.Symbol("x", positive=True)
    >>> len(list(points(Domain([x], [x < 1]), 5, np.random.default_rng(0))))
    5
    """
    fixed = {s: sp.Integer(v) for s, v in (lengths or {}).items() if s in domain.symbols}
    others = [s for s in domain.symbols if s not in fixed and s not in domain.lengths]
    batch = 4 if set(domain.lengths) - set(fixed) else min(32, max(8, 2 * count))
    found = tries = failures = surely = 0
    at = DRAWN  # the next row of those that were drawn together for the symbols
    while tries < 60 * count + 200:
        tries += batch
        start = fixed | {
            s: sp.Integer(domain.shortest(s) + int(rng.integers(0, 6)))
            for s in domain.lengths
            if s not in fixed
        }
        if at + batch > DRAWN:
            at, drawn = 0, [_column(domain, s, DRAWN, rng) for s in others]
        entries = domain.entries(start)
        names = [*others, *entries]
        columns = [floats[at : at + batch] for floats, _ in drawn] + samples(domain, entries, batch, rng)
        likely = np.flatnonzero(domain.may_hold(start, names, columns, batch))
        below = None if sure is None else domain.surely_below(start, names, columns, batch)
        for i in map(int, likely):
            if below is not None and below[i] and surely == sure:
                found += 1
                if found == count:
                    return
                continue
            point: dict[Any, Any] = dict(start)
            for name, floats, (_, exact) in zip(names, columns, (*drawn, *[(None, {})] * len(entries))):
                point[name] = exact.get(at + i) or _rational(domain, name, float(floats[i]))
            if domain.holds(point):
                found += 1
                failures = 0
                surely += below is not None and bool(below[i])
                yield point
            else:
                failures += 1
            if found == count or failures == MOST_FAILURES:
                return
        at += batch
        batch = min(2 * batch, DRAWN) if not len(likely) else batch


def _column(
    domain: Domain, symbol: Any, size: int, rng: np.random.Generator
) -> tuple[np.ndarray, dict[int, sp.Rational]]:
    """Random numbers for a symbol; a quarter of them are simple ones, which are exact."""
    floats = np.array(sample(domain, symbol, size, rng), dtype=float)
    choices = domain.choices(symbol)
    if not choices:
        return floats, {}
    places = np.flatnonzero(rng.random(size) < 0.25)
    chosen = rng.integers(len(choices), size=len(places))
    floats[places] = domain.simple_floats(symbol)[chosen]
    return floats, dict(zip(places.tolist(), (choices[k] for k in chosen.tolist())))
