"""Where a comparison is most likely to fail: at the ends of the intervals, at jumps, bends and poles, and at
sizes that floats do not tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving import sampling
from dpverify.proving.assumptions import admits
from dpverify.proving.domain import Domain
from dpverify.proving.violations import Point

NEAR = 10**12  # beyond it floats do not tell the two sides of a jump apart


def edges(domain: Domain, name: Any) -> list[sp.Rational]:
    """Where a relation is most likely to fail in one variable: at and near its ends, where a function in it
    jumps, bends or has a pole, and at huge and tiny values.

    >>> x = sp.Symbol("x", positive=True)
    >>> sp.Rational(1, 2) in edges(Domain([sp.Abs(2 * x - 1)], []), x)
    True
    """
    bounds = domain.interval(name)
    whole = bool(name.is_integer)
    near = [sp.Integer(1)] if whole else [sp.Rational(1, 10**k) for k in (1, 3, 6, 9, 12)]
    far = [sp.Integer(10) ** k for k in (2, 4, 6, 9, 12)]
    middles = [end for end in (bounds.low, bounds.high) if end.is_Rational]
    middles += _turns(domain, name)
    if not middles or (bounds.low < 0 and bounds.high > 0):
        middles.append(sp.Integer(0))
    values = [m + s * d for m in middles for d in (sp.Integer(0), *near) for s in (1, -1)]
    values += [s * d for d in far for s in (1, -1)]
    return [v for v in dict.fromkeys(values) if bounds.contains(v) and admits(name, v)][:60]


def _turns(domain: Domain, name: Any) -> list[sp.Rational]:
    """Numbers at which the argument of a jump, of a bend or of a pole vanishes."""
    if name not in domain.symbols:
        return []
    critical: set[Any] = set()
    for e in domain.expressions:
        for f in e.atoms(
            sp.sign, sp.Abs, sp.floor, sp.ceiling, sp.Piecewise, sp.Max, sp.Min, sp.Pow, sp.Function
        ):
            if name not in f.free_symbols:
                continue
            if isinstance(f, sp.Piecewise):
                critical |= {c.lhs - c.rhs for _, k in f.args for c in k.atoms(sp.core.relational.Relational)}
            elif isinstance(f, sp.Max | sp.Min):
                critical |= {f.args[0] - other for other in f.args[1:]}
            elif isinstance(f, sp.Pow):
                critical.add(f.base)
            elif isinstance(f, sp.floor | sp.ceiling):
                critical |= {f.args[0], f.args[0] - 1}
            else:
                critical.add(f.args[0])
    turns = []
    for e in sorted(critical, key=sp.default_sort_key)[:12]:
        if e.free_symbols == {name} and e.is_polynomial(name) and sp.degree(e, name) == 1:
            turns.append(-e.subs(name, 0) / sp.diff(e, name))
    return [t for t in turns if t.is_Rational]


def edge_rows(domain: Domain, names: list[Any], columns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows with one coordinate at an edge, with all of them at edges, and sequences of a few plain shapes.

    >>> x = sp.Symbol("x", positive=True)
    >>> rows = edge_rows(Domain([x], [x <= 7]), [x], np.ones((1, 1)), np.random.default_rng(0))
    >>> 7.0 in rows
    True
    """
    scalars = [j for j, n in enumerate(names) if n in domain.symbols]
    places = {j: np.array([float(v) for v in edges(domain, names[j])]) for j in scalars}
    blocks = [np.empty((0, len(names)))]

    def drawn(count: int) -> np.ndarray:
        blocks.append(columns[rng.integers(len(columns), size=count)])  # a copy
        return blocks[-1]

    for j, values in places.items():
        drawn(4 * len(values))[:, j] = np.repeat(values, 4)
    if places and all(len(v) for v in places.values()):
        together = drawn(200)
        for j, values in places.items():
            together[:, j] = values[rng.integers(len(values), size=len(together))]
    entries = [j for j, n in enumerate(names) if isinstance(n, sp.Indexed)]
    sizes = np.array([s * value for value in (1e-9, 1e-3, 1e4, 1e9, 1e12) for s in (1, -1)])
    for j in entries[:3] + entries[-3:]:
        drawn(2 * len(sizes))[:, j] = np.repeat(sizes, 2)
    if entries:
        k = np.arange(1.0, len(entries) + 1)
        shapes = [
            np.ones_like(k),
            k,
            1 / k,
            k[::-1],
            2.0**-k,
            2.0 ** np.minimum(k, 60),
            k**-2,
            (k == 1) + 1e-6,
        ]
        for shape in [*shapes, *(-s for s in shapes), np.zeros_like(k), shapes[-1][::-1]]:
            for scale in (1e-3, 1.0, 1e3):
                drawn(3)[:, entries] = scale * shape
    return _inside(domain, names, np.concatenate(blocks))


def _inside(domain: Domain, names: list[Any], rows: np.ndarray) -> np.ndarray:
    """The rows that keep the bounds of every coordinate."""
    keep = np.ones(len(rows), dtype=bool)
    for column, name in zip(rows.T, names):
        bounds = domain.interval(name)
        low, high = bounds.ends
        if low is not None:
            keep &= column > low if bounds.low_open else column >= low
        if high is not None:
            keep &= column < high if bounds.high_open else column <= high
        if name.is_nonzero:
            keep &= column != 0
    return rows[keep]


def extremes(domain: Domain, rng: np.random.Generator) -> Iterable[Point]:
    """Points so large or so small that only exact arithmetic sees them.

    >>> x = sp.Symbol("x", positive=True)
    >>> next(iter(extremes(Domain([x], []), np.random.default_rng(0))))[x] == 10**20
    True
    """
    if domain.lengths or not domain.symbols or len(domain.symbols) > 4:
        return
    sizes = [sp.Integer(10) ** k for k in (20, 45)]
    for s in domain.symbols:
        b = domain.bounds[s]
        middle = next((end for end in (b.low, b.high) if end.is_Rational), sp.Integer(0))
        turns = [turn for turn in _turns(domain, s) if abs(turn) > NEAR]
        for value in (
            *[m * d for d in sizes for m in (1, -1)],
            *[middle + m / d for d in sizes for m in (1, -1)],
            *[
                turn + m * step
                for turn in turns
                for step in (1, abs(turn) / 2, abs(turn))
                for m in (0, 1, -1)
            ],
        ):
            if not b.contains(value) or not admits(s, value):
                continue
            for _ in range(2):
                point = {o: sampling.draw_simple(domain, o, rng) for o in domain.symbols}
                yield point | {s: value}
