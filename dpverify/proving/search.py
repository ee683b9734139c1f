"""The points at which a counterexample to a comparison is looked for: simple rationals, random points, edges,
then a climb.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import sampling
from dpverify.proving.climbing import climb
from dpverify.proving.domain import Domain
from dpverify.proving.edges import edge_rows, extremes
from dpverify.proving.lengths import length_choices, long_sums
from dpverify.proving.violations import Point, numeric
from dpverify.relations import AtMost, Equal


@dataclass(frozen=True)
class Search:
    """How a counterexample is looked for: random points (at most `effort.points`), lengths by their place
    among the admissible ones, whether edges are aimed at, and from how many of the best points to climb.
    """

    points: int
    lengths: tuple[int, ...]
    edges: bool
    climbs: int
    least: float  # what counts as a violation in floating point, relative to the sides


EASY = Search(400, (1, 0, 2), edges=False, climbs=0, least=1e-13)
AIMED = Search(300, (1, 0, 2, 3, 4, 5, 6, 7, 12), edges=True, climbs=2, least=1e-11)
HARD = Search(10**6, (1, 0, *range(2, 15), 19, 33), edges=True, climbs=4, least=1e-13)


def candidates(relation: Equal | AtMost, domain: Domain, effort: Effort, search: Search) -> Iterable[Point]:
    """Points at which the relation seems to fail, in floats, the most promising first.

    >>> from dpverify.effort import QUICK
    >>> x = sp.Symbol("x", positive=True)
    >>> next(iter(candidates(AtMost(x, 3), Domain([x, sp.Integer(3)], []), QUICK, EASY)))[x] > 3
    True
    """
    rng = np.random.default_rng(effort.seed)
    budget = min(search.points, effort.points)
    for lengths in length_choices(domain, search.lengths):
        yield from _for_lengths(relation, domain, lengths, budget, rng, search)
    if search.edges:
        yield from extremes(domain, rng)
        yield from long_sums(relation, domain, EASY.lengths, rng)


def _for_lengths(
    relation: Equal | AtMost,
    domain: Domain,
    lengths: dict[Any, int],
    budget: int,
    rng: np.random.Generator,
    search: Search,
) -> Iterable[Point]:
    start: Point = {s: sp.Integer(v) for s, v in lengths.items()}
    names = [s for s in domain.symbols if s not in start] + domain.entries(start)
    if not names:
        yield start
        return
    columns = sampled_rows(domain, names, budget, rng)
    if search.edges:
        columns = np.concatenate([columns, edge_rows(domain, names, columns, rng)])
    columns = np.concatenate([columns, _simplest(domain, names, columns)])
    violation = numeric(relation, domain, start, names)
    scores = violation(columns)
    order = np.argsort(-scores, kind="stable")
    good = [i for i in order[:60] if scores[i] > search.least]
    ties = (
        [i for i in order if abs(scores[i]) <= 1e-13][:60]
        if isinstance(relation, AtMost) and relation.strict
        else []
    )
    simple_first = sorted(good[:30], key=lambda i: sum(len(str(columns[i, j])) for j in range(len(names))))
    tried = dict.fromkeys((*simple_first[:6], *good[:6]))
    others = _unlike(columns, [i for i in order if scores[i] > search.least], tried)
    for i in (*tried, *others, *ties):
        yield start | dict(zip(names, _rationals(names, columns[i])))
    if search.climbs and not good:
        for row in climb(domain, names, columns[order[: search.climbs]], violation, rng):
            yield start | dict(zip(names, _rationals(names, row)))


def _unlike(rows: np.ndarray, order: list[Any], tried: Collection[Any]) -> list[Any]:
    """Where some of the rows that are tried are alike, six more that are not: a point that cannot be judged,
    such as 2 in ceiling(log2 T), is no reason to try no other.
    """
    seen = {rows[i].tobytes() for i in tried}
    if len(seen) == len(tried):
        return []
    unlike: dict[bytes, Any] = {}
    for i in order:
        if (key := rows[i].tobytes()) not in seen:
            unlike.setdefault(key, i)
        if len(unlike) == 6:
            break
    return list(unlike.values())


def _simplest(domain: Domain, names: list[Any], columns: np.ndarray) -> np.ndarray:
    """The row with the simplest number of each, such as 0 for the entries of many sequences, which no random
    draw hits at once.
    """
    simple = [domain.choices(name)[:1] for name in names]
    return np.array([[float(first[0]) if first else columns[0, j] for j, first in enumerate(simple)]])


def _rationals(names: list[Any], row: np.ndarray) -> list[sp.Rational]:
    return [
        sp.Integer(round(v)) if n.is_integer else sp.Rational(float(v)).limit_denominator(10**9)
        for n, v in zip(names, row)
    ]


def sampled_rows(domain: Domain, names: list[Any], count: int, rng: np.random.Generator) -> np.ndarray:
    """Candidate rows: products of simple numbers first, then random draws; hypotheses are weighed by the
    violation itself.

    >>> x = sp.Symbol("x", positive=True)
    >>> sampled_rows(Domain([x], []), [x], 100, np.random.default_rng(0)).shape
    (100, 1)
    """
    simple = [
        floats if len(floats := domain.simple_floats(n)[:12]) else sampling.sample(domain, n, 1, rng)
        for n in names
    ]
    size = np.prod([float(len(s)) for s in simple])
    if size <= count // 2:
        rows = np.array(list(itertools.product(*simple)), dtype=float)
    else:
        rows = np.column_stack([s[rng.integers(len(s), size=count // 3)] for s in simple])
    random = np.column_stack(sampling.samples(domain, names, count - len(rows), rng))
    return np.concatenate([rows, random])
