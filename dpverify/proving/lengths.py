"""The lengths at which a comparison of sums is looked at: the shortest, and long ones where a sum can be
added up in floating point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving import sampling
from dpverify.proving.assumptions import admits
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import truth
from dpverify.proving.floats import real, vectorised
from dpverify.proving.violations import Point
from dpverify.relations import AtMost, Equal

MOST_LENGTHS = 17  # combinations of several lengths
LONG = (10, 11, 30, 99, 100, 301, 1000, 3000, 10_000, 19_000)  # lengths of sums that hold no sequences


def length_choices(domain: Domain, places: Sequence[int]) -> Iterable[dict[Any, int]]:
    """Values for the lengths, by their places among the admissible ones, the short ones first; those that a
    hypothesis on lengths alone rules out are left out.

    >>> T = sp.Symbol("T", integer=True, positive=True)
    >>> t = sp.Symbol("t", integer=True)
    >>> list(length_choices(Domain([sp.Sum(t, (t, 1, T))], [T >= 3]), (1, 0)))
    [{T: 4}, {T: 3}]
    """
    if not domain.lengths:
        yield {}
        return
    options = []
    for s in domain.lengths:
        start = domain.shortest(s)
        near = [v for v in range(start, start + 120) if domain.bounds[s].contains(v) and admits(s, v)]
        options.append([near[k] for k in places if k < len(near)])
    lengths = set(domain.lengths)
    ties = [c for c in domain.given if c.free_symbols <= lengths and not c.atoms(sp.Indexed)]
    given = 0
    for combo in _nearest_first([len(values) for values in options]):
        values = {s: those[k] for s, those, k in zip(domain.lengths, options, combo)}
        if all(truth(c, values) is not False for c in ties):
            yield values
            given += 1
        if given == min(MOST_LENGTHS, len(places)):
            return


def _nearest_first(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Places in lists of these sizes, one in each, those of the least sum first: there may be too many to
    list and sort.

    >>> list(_nearest_first([2, 2]))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def with_sum(total: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if not sizes:
            yield ()
            return
        size, *others = sizes
        beyond = sum(others) - len(others)  # what the others can add up to
        for k in range(max(0, total - beyond), min(size - 1, total) + 1):
            yield from ((k, *rest) for rest in with_sum(total - k, others))

    if all(sizes):
        for total in range(sum(sizes) - len(sizes) + 1):
            yield from with_sum(total, sizes)


def long_sums(
    relation: Equal | AtMost, domain: Domain, places: Sequence[int], rng: np.random.Generator
) -> Iterable[Point]:
    """Points with long sums and products, without sequences in them, at which the comparison fails where they
    are summed up in floating point; the other lengths are the first of these places.

    >>> t, T = sp.symbols("t T", integer=True, positive=True)
    >>> relation = AtMost(sp.Sum(1 / t, (t, 1, T)), 5)
    >>> domain = Domain([relation.lhs, relation.rhs], [])
    >>> next(iter(long_sums(relation, domain, (0,), np.random.default_rng(0))))
    {T: 99}
    """
    left, right = domain.expressions
    if not domain.lengths or (left - right).atoms(sp.Indexed) or not (left - right).has(sp.Sum, sp.Product):
        return
    others = [s for s in domain.symbols if s not in domain.lengths]
    shortest = next(iter(length_choices(domain, places)), None)
    for length in domain.lengths * (3 if others else 1):
        base = {s: sampling.draw_simple(domain, s, rng) for s in others} | (shortest or {})
        for n in LONG:
            if not domain.bounds[length].contains(n) or not admits(length, n):
                continue
            point = {s: sp.Rational(v) for s, v in base.items()} | {length: sp.Integer(n)}
            with np.errstate(all="ignore"):
                a, b = (_folded(e, point) for e in (left, right))
            if a is None or b is None or not np.isfinite(a - b):
                continue
            gap = abs(a - b) if isinstance(relation, Equal) else a - b
            if gap > 1e-9 * (abs(a) + abs(b)):
                yield point


def _folded(e: Any, point: Point) -> float | None:
    """The value in floating point, sums over a whole range at once; None where it is not found."""
    swap: dict[Any, Any] = {}
    for total in e.atoms(sp.Sum, sp.Product):
        index, low, high = total.limits[0]
        a, b = low.xreplace(point), high.xreplace(point)
        if (
            len(total.limits) != 1
            or total.function.has(sp.Sum, sp.Product)
            or not (a.is_Integer and b.is_Integer)
        ):
            return None
        terms = np.arange(int(a), int(b) + 1, dtype=float)
        try:
            values = real(vectorised([index], [total.function.xreplace(point)])(terms)[0], len(terms))
        except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
            return None
        value = float(np.sum(values) if isinstance(total, sp.Sum) else np.prod(values))
        if not np.isfinite(value):
            return None
        swap[total] = sp.Float(value)
    try:
        number = complex(e.xreplace(swap).xreplace(point).evalf(16))
    except (TypeError, ValueError, OverflowError):
        return None
    return number.real if number.imag == 0 else None
