"""Refutation: search for a point that breaks a relation, make it rational, shrink it to simple numbers,
verify it exactly.

search   simple rationals, random points, then a local optimiser on the violation
shrink   replace each coordinate by the simplest number that keeps the violation
verify   every hypothesis holds and the relation fails, by exact or ball arithmetic
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import realisations
from dpverify.proving.codec import comparison_from_json, comparison_to_json, from_json, to_json
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.evaluate import Unknown, ball
from dpverify.proving.lengths import length_choices
from dpverify.proving.search import EASY, HARD, Search, candidates, sampled_rows
from dpverify.proving.shrinking import shrink
from dpverify.proving.vector_statements import mentions
from dpverify.proving.violations import Point, breaks, numeric
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.verdicts import Witness


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
    for point in candidates(relation, domain, effort, search):
        if breaks(relation, domain, point):
            return _witness(relation, domain, shrink(relation, domain, point))
    return None


def witness_at(relation: Equal | AtMost, point: Point) -> Witness | None:
    """The witness at a point that somebody else found, shrunk, if it really breaks the relation.

    >>> x = sp.Symbol("x", positive=True)
    >>> witness_at(AtMost(x, 1), {x: sp.Integer(7)}).let, witness_at(AtMost(x, 1), {x: sp.Integer(1)})
    ({'x': '2'}, None)
    """
    if mentions(relation):
        return None
    domain = domain_of(relation)
    return (
        _witness(relation, domain, shrink(relation, domain, point))
        if breaks(relation, domain, point)
        else None
    )


def admissible(relation: Equal | AtMost, effort: Effort) -> int:
    """How many of the points that the search looks at meet every hypothesis, the relation not being violated
    there.

    >>> x = sp.Symbol("x", positive=True)
    >>> from dpverify.effort import QUICK
    >>> admissible(AtMost(0, x), QUICK) == QUICK.points
    True
    """
    if mentions(relation):
        return realisations.admissible(relation, effort)
    domain = domain_of(relation)
    rng = np.random.default_rng(effort.seed)
    count = 0
    for lengths in length_choices(domain, HARD.lengths):
        start: Point = {s: sp.Integer(v) for s, v in lengths.items()}
        names = [s for s in domain.symbols if s not in start] + domain.entries(start)
        if names:
            scores = numeric(relation, domain, start, names)(sampled_rows(domain, names, effort.points, rng))
            count += int(np.sum((scores > -1) & (scores <= 1e-9)))
    return count


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
        computed=True,
    )


def verify(exact: dict[str, Any]) -> bool:
    """Whether the machine-readable half of a point witness stands on its own.

    >>> x = sp.Symbol("x", positive=True)
    >>> from dpverify.effort import QUICK
    >>> verify(refute(AtMost(x**2, x), QUICK).exact)
    True
    """
    relation = comparison_from_json(exact)
    point = {from_json(name): from_json(value) for name, value in exact["at"]}
    return breaks(relation, domain_of(relation), point)
