"""Refutation: search for a point that breaks a relation, make it rational, shrink it to simple numbers,
verify it exactly.

search   simple rationals, random points, then a local optimiser on the violation
shrink   replace each coordinate by the simplest number that keeps the violation
verify   every hypothesis holds and the relation fails, by exact or ball arithmetic
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import realisations
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import Domain, written_out
from dpverify.proving.evaluate import Unknown, ball, sign
from dpverify.proving.floats import vectorised
from dpverify.proving.gram import mentions
from dpverify.relations import AtMost, Equal
from dpverify.verdicts import Witness

Point = dict[Any, Any]


def sides(relation: Equal | AtMost) -> tuple[Any, Any]:
    """Left and right side of a comparison."""
    if isinstance(relation, Equal):
        return sp.sympify(relation.derived), sp.sympify(relation.stated)
    return sp.sympify(relation.lhs), sp.sympify(relation.rhs)


def domain_of(relation: Equal | AtMost) -> Domain:
    """Where the comparison is claimed."""
    left, right = sides(relation)
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
    try:
        s = sign(left - right, point, zero=isinstance(relation, AtMost) and relation.strict)
    except (ValueError, TypeError, ZeroDivisionError):
        return False
    if s is None:
        return False
    if isinstance(relation, Equal):
        return s != 0
    return s > 0 or (relation.strict and s == 0)


def refute(relation: Equal | AtMost, effort: Effort, hard: bool = True) -> Witness | None:
    """A verified witness against the relation, as simple as the search could make it, or None.

    >>> x = sp.Symbol("x", positive=True)
    >>> from dpverify.effort import QUICK
    >>> print(refute(AtMost(x**2, x), QUICK).let)
    {'x': '2'}
    """
    if mentions(relation):  # inner products take no values but those of vectors
        return realisations.refute(relation, effort, hard)
    domain = domain_of(relation)
    for point in _candidates(relation, domain, effort, hard):
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


def _length_choices(domain: Domain, most: int) -> Iterable[dict[Any, int]]:
    if not domain.lengths:
        yield {}
        return
    options = []
    for s in domain.lengths:
        low = domain.bounds[s].low
        start = int(low) if low.is_finite else 0
        options.append([start + k for k in (1, 0, 2, 4, 9)])
    for _, combo in zip(range(most), itertools.product(*options)):
        yield dict(zip(domain.lengths, combo))


def _candidates(relation: Equal | AtMost, domain: Domain, effort: Effort, hard: bool) -> Iterable[Point]:
    rng = np.random.default_rng(effort.seed)
    budget = effort.points if hard else min(400, effort.points)
    for lengths in _length_choices(domain, 5 if hard else 3):
        yield from _for_lengths(relation, domain, lengths, budget, rng, hard)


def _for_lengths(
    relation: Equal | AtMost,
    domain: Domain,
    lengths: dict[Any, int],
    budget: int,
    rng: np.random.Generator,
    hard: bool,
) -> Iterable[Point]:
    start: Point = {s: sp.Integer(v) for s, v in lengths.items()}
    names = [s for s in domain.symbols if s not in start] + domain.entries(start)
    if not names:
        yield start
        return
    columns = _sample(domain, names, budget, rng)
    violation = numeric(relation, domain, start, names)
    scores = violation(columns)
    order = np.argsort(-scores, kind="stable")
    good = [i for i in order[:60] if scores[i] > 1e-13]
    ties = (
        [i for i in order if abs(scores[i]) <= 1e-13][:60]
        if isinstance(relation, AtMost) and relation.strict
        else []
    )
    simple_first = sorted(good[:30], key=lambda i: sum(len(str(columns[i, j])) for j in range(len(names))))
    for i in (*simple_first[:6], *good[:6], *ties):
        yield start | dict(zip(names, _rationals(names, columns[i])))
    if hard:
        yield from _climb(domain, start, names, columns[order[:4]], violation)


def _rationals(names: list[Any], row: np.ndarray) -> list[sp.Rational]:
    return [
        sp.Integer(round(v)) if n.is_integer else sp.Rational(float(v)).limit_denominator(10**9)
        for n, v in zip(names, row)
    ]


def _sample(domain: Domain, names: list[Any], count: int, rng: np.random.Generator) -> np.ndarray:
    """Candidate rows: products of simple numbers first, then random draws; hypotheses are weighed by the
    violation itself.
    """
    simple = [np.array([float(v) for v in domain.choices(n)[:12]] or domain.sample(n, 1, rng)) for n in names]
    size = np.prod([float(len(s)) for s in simple])
    if size <= count // 2:
        rows = np.array(list(itertools.product(*simple)), dtype=float)
    else:
        rows = np.column_stack([rng.choice(s, count // 3) for s in simple])
    random = np.column_stack([domain.sample(n, count - len(rows), rng) for n in names])
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
    for lengths in _length_choices(domain, 5):
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
    hypotheses = [c for c in given if isinstance(c, sp.core.relational.Relational)]
    together = vectorised(names, [left, right, *[c.lhs - c.rhs for c in hypotheses]])

    def score(rows: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            try:
                a, b, *slacks = (real(v, len(rows)) for v in together(*rows.T))
            except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
                return np.full(len(rows), -np.inf)
            gap = np.abs(a - b) if isinstance(relation, Equal) else a - b
            result = gap / (np.abs(a) + np.abs(b) + 1e-300)
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


def real(values: Any, count: int) -> np.ndarray:
    """Values as `count` floats; those that are not real become nan.

    >>> real(np.array([1 + 0j, 1j]), 2)
    array([ 1., nan])
    """
    array = np.broadcast_to(np.asarray(values), count)
    if array.dtype == object:
        array = array.astype(complex)
    if np.iscomplexobj(array):
        return np.where(array.imag == 0, array.real, np.nan)
    return array.astype(float)


def _climb(
    domain: Domain,
    start: Point,
    names: list[Any],
    rows: np.ndarray,
    violation: Callable[[np.ndarray], np.ndarray],
) -> Iterable[Point]:
    """Local search from the best rows, in coordinates without bounds."""
    from scipy.optimize import minimize

    free = [j for j, n in enumerate(names) if not n.is_integer]
    if not free:
        return
    lows = np.array([_finite(domain, n, "low", -np.inf) for n in names])
    highs = np.array([_finite(domain, n, "high", np.inf) for n in names])

    for row in rows:
        if not np.isfinite(violation(row[None])[0]):
            continue

        def loss(z: np.ndarray, row: np.ndarray = row) -> float:
            x = row.copy()
            x[free] = _unpack(z, lows[free], highs[free])
            value = float(violation(x[None])[0])
            return -value if np.isfinite(value) else 10.0

        found = minimize(
            loss,
            _pack(row[free], lows[free], highs[free]),
            method="Nelder-Mead",
            options={"maxfev": 100 * min(len(free), 6)},
        )
        if found.fun < -1e-13:
            x = row.copy()
            x[free] = _unpack(found.x, lows[free], highs[free])
            yield start | dict(zip(names, _rationals(names, x)))


def _finite(domain: Domain, name: Any, end: str, default: float) -> float:
    bounds = domain.bounds.get(name)
    if bounds is None:
        return 0.0 if name.is_positive and end == "low" else default
    value = getattr(bounds, end)
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
    if e.is_Rational and len(str(e)) <= 12:
        return str(e)
    try:
        return f"{float(ball(e, {}, 256).mid()):.7g}"
    except (Unknown, OverflowError):
        return str(e)


def _witness(relation: Equal | AtMost, domain: Domain, point: Point) -> Witness:
    left, right = domain.expressions
    let = {sp.sstr(name): str(sp.Rational(value)) for name, value in point.items()}
    for symbol, value in domain.defined.items():
        let[f"{sp.sstr(symbol)} = {sp.sstr(value)}"] = decimal(value, point)
    a, b = decimal(left, point), decimal(right, point)
    original_left, original_right = sides(relation)
    op = "=" if isinstance(relation, Equal) else ("<" if relation.strict else "<=")
    exact = {
        "kind": "point",
        "relation": "Equal" if isinstance(relation, Equal) else ("Less" if relation.strict else "AtMost"),
        "left": to_json(original_left),
        "right": to_json(original_right),
        "given": [to_json(g) for g in relation.given],
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
    left, right = from_json(exact["left"]), from_json(exact["right"])
    given = [from_json(g) for g in exact["given"]]
    relation: Equal | AtMost
    if exact["relation"] == "Equal":
        relation = Equal(left, right, given)
    else:
        relation = AtMost(left, right, given, strict=exact["relation"] == "Less")
    point = {from_json(name): from_json(value) for name, value in exact["at"]}
    return breaks(relation, domain_of(relation), point)
