"""Refutation: search for a point that breaks a relation, make it rational, shrink it to simple numbers,
verify it exactly.

search   simple rationals, random points, then a local optimiser on the violation
shrink   replace each coordinate by the simplest number that keeps the violation
verify   every hypothesis holds and the relation fails, by exact or ball arithmetic
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import realisations
from dpverify.proving.codec import comparison_from_json, comparison_to_json, from_json, to_json
from dpverify.proving.domain import Domain, admits, written_out
from dpverify.proving.evaluate import PRECISIONS, Unknown, ball, sign, truth
from dpverify.proving.floats import real, vectorised
from dpverify.proving.vector_statements import mentions
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.verdicts import Witness

Point = dict[Any, Any]


def domain_of(relation: Equal | AtMost) -> Domain:
    """Where the comparison is claimed."""
    left, right = sides_of(relation)
    if isinstance(left, sp.MatrixBase) or isinstance(right, sp.MatrixBase):
        return Domain((left, right), relation.given)
    return _domain(left, right, tuple(map(sp.sympify, relation.given)))


@lru_cache(maxsize=256)
def _domain(left: Any, right: Any, given: tuple[Any, ...]) -> Domain:
    """The domain of a comparison, shared by the tactics that look at it one after the other."""
    return Domain((left, right), given)


def breaks(relation: Equal | AtMost, domain: Domain, point: Mapping[Any, Any]) -> bool:
    """Whether the point meets every hypothesis and surely violates the relation."""
    return domain.holds(point) and violated(relation, domain, point)


def violated(relation: Equal | AtMost, domain: Domain, point: Mapping[Any, Any]) -> bool:
    """Whether the relation surely fails at a point that is known to meet every hypothesis."""
    left, right = domain.at(point)
    ties = isinstance(relation, AtMost) and relation.strict
    try:
        s = sign(left - right, point, zero=ties, precisions=PRECISIONS if ties else PRECISIONS[:2])
    except (ValueError, TypeError, ZeroDivisionError):
        return False
    if s is None:
        return False
    if isinstance(relation, Equal):
        return s != 0
    return s > 0 or (relation.strict and s == 0)


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


def refute(relation: Equal | AtMost, effort: Effort, search: Search = HARD) -> Witness | None:
    """A verified witness against the relation, as simple as the search could make it, or None.

    >>> x = sp.Symbol("x", positive=True)
    >>> from dpverify.effort import QUICK
    >>> print(refute(AtMost(x**2, x), QUICK).let)
    {'x': '2'}
    """
    if mentions(relation):  # inner products take no values but those of vectors
        return realisations.refute(relation, effort, hard=search is not EASY)
    domain = domain_of(relation)
    for point in _candidates(relation, domain, effort, search):
        if breaks(relation, domain, point):
            return _witness(relation, domain, _shrink(relation, domain, point))
    return None


def witness_at(relation: Equal | AtMost, point: Point) -> Witness | None:
    """The witness at a point that somebody else found, shrunk, if it really breaks the relation."""
    if mentions(relation):
        return None
    domain = domain_of(relation)
    return (
        _witness(relation, domain, _shrink(relation, domain, point))
        if breaks(relation, domain, point)
        else None
    )


ROUNDS, TRIES = 16, 48  # of the local search
NEAR = 10**12  # beyond it floats do not tell the two sides of a jump apart
MOST_LENGTHS = 17  # combinations of several lengths
LONG = (10, 11, 30, 99, 100, 301, 1000, 3000, 10_000, 19_000)  # lengths of sums that hold no sequences


def _length_choices(domain: Domain, search: Search) -> Iterable[dict[Any, int]]:
    """Values for the lengths, the short ones first; those that a hypothesis on lengths alone rules out are
    left out.
    """
    if not domain.lengths:
        yield {}
        return
    options = []
    for s in domain.lengths:
        start = domain.shortest(s)
        near = [v for v in range(start, start + 120) if domain.bounds[s].contains(v) and admits(s, v)]
        options.append([near[k] for k in search.lengths if k < len(near)])
    lengths = set(domain.lengths)
    ties = [c for c in domain.given if c.free_symbols <= lengths and not c.atoms(sp.Indexed)]
    given = 0
    for combo in _nearest_first([len(values) for values in options]):
        values = {s: those[k] for s, those, k in zip(domain.lengths, options, combo)}
        if all(truth(c, values) is not False for c in ties):
            yield values
            given += 1
        if given == min(MOST_LENGTHS, len(search.lengths)):
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


def _candidates(relation: Equal | AtMost, domain: Domain, effort: Effort, search: Search) -> Iterable[Point]:
    rng = np.random.default_rng(effort.seed)
    budget = min(search.points, effort.points)
    for lengths in _length_choices(domain, search):
        yield from _for_lengths(relation, domain, lengths, budget, rng, search)
    if search.edges:
        yield from _extremes(domain, rng)
        yield from _long(relation, domain, rng)


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
    columns = _sample(domain, names, budget, rng)
    if search.edges:
        columns = np.concatenate([columns, _edge_rows(domain, names, columns, rng)])
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
        yield from _climb(domain, start, names, columns[order[: search.climbs]], violation, rng)


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


def _edge_rows(domain: Domain, names: list[Any], columns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows with one coordinate at an edge, with all of them at edges, and sequences of a few plain shapes."""
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


def _extremes(domain: Domain, rng: np.random.Generator) -> Iterable[Point]:
    """Points so large or so small that only exact arithmetic sees them."""
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
                point = {o: _simple_draw(domain, o, rng) for o in domain.symbols}
                yield point | {s: value}


def _simple_draw(domain: Domain, name: Any, rng: np.random.Generator) -> Any:
    simple = domain.choices(name)[:8]
    return simple[int(rng.integers(len(simple)))] if simple else domain.draw(name, rng)


def _long(relation: Equal | AtMost, domain: Domain, rng: np.random.Generator) -> Iterable[Point]:
    """Long sums and products without sequences in them, summed up in floating point."""
    left, right = domain.expressions
    if not domain.lengths or (left - right).atoms(sp.Indexed) or not (left - right).has(sp.Sum, sp.Product):
        return
    others = [s for s in domain.symbols if s not in domain.lengths]
    shortest = next(iter(_length_choices(domain, EASY)), None)
    for length in domain.lengths * (3 if others else 1):
        base = {s: _simple_draw(domain, s, rng) for s in others} | (shortest or {})
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


def _rationals(names: list[Any], row: np.ndarray) -> list[sp.Rational]:
    return [
        sp.Integer(round(v)) if n.is_integer else sp.Rational(float(v)).limit_denominator(10**9)
        for n, v in zip(names, row)
    ]


def _sample(domain: Domain, names: list[Any], count: int, rng: np.random.Generator) -> np.ndarray:
    """Candidate rows: products of simple numbers first, then random draws; hypotheses are weighed by the
    violation itself.
    """
    simple = [
        floats if len(floats := domain.simple_floats(n)[:12]) else domain.sample(n, 1, rng) for n in names
    ]
    size = np.prod([float(len(s)) for s in simple])
    if size <= count // 2:
        rows = np.array(list(itertools.product(*simple)), dtype=float)
    else:
        rows = np.column_stack([s[rng.integers(len(s), size=count // 3)] for s in simple])
    random = np.column_stack(domain.samples(names, count - len(rows), rng))
    return np.concatenate([rows, random])


def admissible(relation: Equal | AtMost, effort: Effort) -> int:
    """How many of the points that the search looks at meet every hypothesis, the relation not being violated
    there.
    """
    if mentions(relation):
        return realisations.admissible(relation, effort)
    domain = domain_of(relation)
    rng = np.random.default_rng(effort.seed)
    count = 0
    for lengths in _length_choices(domain, HARD):
        start: Point = {s: sp.Integer(v) for s, v in lengths.items()}
        names = [s for s in domain.symbols if s not in start] + domain.entries(start)
        if names:
            scores = numeric(relation, domain, start, names)(_sample(domain, names, effort.points, rng))
            count += int(np.sum((scores > -1) & (scores <= 1e-9)))
    return count


def numeric(
    relation: Equal | AtMost, domain: Domain, start: Point, names: list[Any]
) -> Callable[[np.ndarray], np.ndarray]:
    """A vectorised score: positive where the relation is (numerically) violated and the hypotheses hold, else
    negative.
    """
    left, right, *given = domain.fixed(start)
    if given and any(c is sp.false for c in given):
        return lambda rows: np.full(len(rows), -np.inf)
    hypotheses = [c for c in given if isinstance(c, sp.core.relational.Relational)]
    together = vectorised(names, [left, right, *[c.lhs - c.rhs for c in hypotheses]])

    def score(rows: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            try:
                a, b, *slacks = (real(v, len(rows)) for v in together(*rows.T))
            except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
                return np.full(len(rows), -np.inf)
            gap = np.abs(a - b) if isinstance(relation, Equal) else a - b
            # Relative to the sides where it is violated; elsewhere such that a search can go uphill.
            sizes = np.abs(a) + np.abs(b)
            result = np.where(gap > 0, gap / (sizes + 1e-300), gap / (1 + sizes))
            for slack, c in zip(slacks, hypotheses):
                ok = {
                    "<": slack < 0,
                    "<=": slack <= 0,
                    ">": slack > 0,
                    ">=": slack >= 0,
                    "==": np.abs(slack) < 1e-12,
                    "!=": slack != 0,
                }[c.rel_op]
                result = np.where(ok, result, -1 - np.abs(slack) / (1 + np.abs(slack)))
        return np.where(np.isfinite(result), result, -np.inf)

    return score


def _climb(
    domain: Domain,
    start: Point,
    names: list[Any],
    rows: np.ndarray,
    violation: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
) -> Iterable[Point]:
    """Local search from the best rows, in coordinates without bounds: random steps, many at once, that grow
    shorter.
    """
    free = [j for j, n in enumerate(names) if not n.is_integer]
    if not free:
        return
    lows = np.array([_finite(domain, n, "low", -np.inf) for n in names])[free]
    highs = np.array([_finite(domain, n, "high", np.inf) for n in names])[free]
    for row in rows:
        best, value = row, violation(row[None])[0]
        if not np.isfinite(value):
            continue
        size = 1.0
        for _ in range(ROUNDS):
            z = _pack(best[free], lows, highs)
            steps = rng.normal(size=(TRIES, len(free))) * size * rng.choice([1.0, 0.1], size=(TRIES, 1))
            tried = np.tile(best, (TRIES, 1))
            tried[:, free] = _unpack(z + steps, lows, highs)
            scores = violation(tried)
            k = int(np.argmax(scores))
            if scores[k] > value:
                best, value = tried[k], scores[k]
            else:
                size /= 3
        if value > 1e-13:
            yield start | dict(zip(names, _rationals(names, best)))


def _finite(domain: Domain, name: Any, end: str, default: float) -> float:
    value = getattr(domain.interval(name), end)
    return float(value) if value.is_finite else default


def _pack(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        both = np.log(np.maximum(x - low, 1e-12) / np.maximum(high - x, 1e-12))
        return np.where(
            np.isfinite(low) & np.isfinite(high),
            both,
            np.where(
                np.isfinite(low),
                np.log(np.maximum(x - low, 1e-12)),
                np.where(np.isfinite(high), -np.log(np.maximum(high - x, 1e-12)), x),
            ),
        )


def _unpack(z: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    z = np.clip(z, -60, 60)
    with np.errstate(all="ignore"):
        return np.where(
            np.isfinite(low) & np.isfinite(high),
            low + (high - low) / (1 + np.exp(-z)),
            np.where(np.isfinite(low), low + np.exp(z), np.where(np.isfinite(high), high - np.exp(-z), z)),
        )


def _simplicity(value: Any) -> tuple[int, int]:
    r = sp.Rational(value)
    return (len(str(r.p)) + len(str(r.q)), abs(int(r.p)) + int(r.q))


def _shrink(relation: Equal | AtMost, domain: Domain, point: Point) -> Point:
    """Coordinate by coordinate, the simplest number that still breaks the relation."""
    for _ in range(3):
        changed = False
        for name in list(point):
            if name in domain.lengths:
                continue
            value = sp.Rational(point[name])
            options = [
                *domain.choices(name),
                *[value.limit_denominator(d) for d in (1, 2, 3, 5, 10, 100, 1000)],
            ]
            for option in sorted(dict.fromkeys(options), key=_simplicity):
                if _simplicity(option) >= _simplicity(value):
                    break
                if breaks(relation, domain, point | {name: option}):
                    point, changed = point | {name: option}, True
                    break
        if not changed:
            break
    return point


def decimal(expression: Any, at: Mapping[Any, Any] | None = None) -> str:
    """The value to seven digits, from a ball; the exact rational if it is short.

    >>> decimal(sp.sqrt(2))
    '1.414214'
    """
    values = {k: sp.Rational(v) for k, v in (at or {}).items()}
    e = written_out(sp.sympify(expression).xreplace(values)).xreplace(values)
    if e.is_Rational and abs(e) < 10**12 and e.q < 10**12 and len(str(e)) <= 12:
        return str(e)
    try:
        value = ball(e, {}, 256).mid()
        return f"{float(value):.7g}" if abs(value) < 10**300 else value.str(7, radius=False)
    except (Unknown, OverflowError):
        return "a number that is not written out"


def _witness(relation: Equal | AtMost, domain: Domain, point: Point) -> Witness:
    left, right = domain.expressions
    let = {sp.sstr(name): str(sp.Rational(value)) for name, value in point.items()}
    for symbol, value in domain.defined.items():
        let[f"{sp.sstr(symbol)} = {sp.sstr(value)}"] = decimal(value, point)
    a, b = decimal(left, point), decimal(right, point)
    original_left, original_right = sides_of(relation)
    op = "=" if isinstance(relation, Equal) else ("<" if relation.strict else "<=")
    exact = {
        "kind": "point",
        **comparison_to_json(relation),
        "at": [[to_json(name), to_json(sp.Rational(value))] for name, value in point.items()],
    }
    then = f"{sp.sstr(original_left)} = {a} and {sp.sstr(original_right)} = {b}"
    return Witness(
        let,
        then,
        f"{a} {op} {b}",
        exact,
        because="every hypothesis holds there; both sides were evaluated in exact or ball arithmetic",
    )


def verify(exact: dict[str, Any]) -> bool:
    """Whether the machine-readable half of a point witness stands on its own."""
    relation = comparison_from_json(exact)
    point = {from_json(name): from_json(value) for name, value in exact["at"]}
    return breaks(relation, domain_of(relation), point)
