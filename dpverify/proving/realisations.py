"""Refutation of a relation about vectors: explicit rational vectors in one to three dimensions, or one to
each vector, explicit functions.

search   vectors with small coordinates, parameters from their domain, functions of the class; then uphill
shrink   each number replaced by the simplest that keeps the violation
verify   every inner product, value and gradient computed exactly, every hypothesis and every class checked

No inner product is ever given a value of its own, so that a witness is always a case that exists.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.language.expectations import LAWS, Expected, with_law
from dpverify.language.functions import bases
from dpverify.language.vectors import Atom, Entry, Total
from dpverify.proving.assumptions import admits, declared
from dpverify.proving.candidates import SMALL, Realiser, free_vectors, weight
from dpverify.proving.codec import comparison_from_json, comparison_to_json, from_json, to_json
from dpverify.proving.concrete import Exact, Realisation, Shape, as_rational, as_text, with_numbers
from dpverify.proving.existence import existence
from dpverify.proving.vector_statements import Statement
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.verdicts import Witness

LARGE = 8  # the most dimensions


def _shapes(statement: Statement) -> list[Shape]:
    """Few dimensions, and as many as there are vectors, so that these may be orthogonal."""
    many = len(free_vectors(statement))
    shapes = [Shape(d, "quadratic") for d in (1, 2, 3, *([many] if SMALL < many <= LARGE else []))]
    return [shapes[0], Shape(1, "bent"), *shapes[1:]] if statement.functions else shapes


def refute(
    relation: AtMost | Equal, effort: Effort, hard: bool = True, seed: int | None = None
) -> Witness | None:
    """A verified witness made of explicit vectors and functions, or None.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.language import inner, norm2, vectors
    >>> x, y = vectors("x y")
    >>> print(refute(AtMost(inner(x, y), norm2(x)), QUICK).let)
    {'x': '1', 'y': '2'}
    """
    if _for_every_index(relation):
        return None
    if any(side.atoms(Expected) for side in map(sp.sympify, (*sides_of(relation), *relation.given))):
        spelt = [case for law in LAWS if (case := with_law(relation, law)) is not None]
        share = replace(effort, points=effort.points // 8)  # these have several times as many vectors
        witnesses = (refute(case, share, hard, seed) for case in spelt)
        return next((witness for witness in witnesses if witness is not None), None)
    for lengths in _lengths(relation):
        written = _written_out(relation, lengths)
        if (found := _breaking(written, effort, hard, seed)) is not None:
            return _witness(relation, lengths, Statement(written), found)
    return None


def _for_every_index(relation: AtMost | Equal) -> bool:
    """Whether a hypothesis speaks of an entry at an index of which the conclusion does not: it is meant at
    every index, which no choice of entries at a few of them meets.
    """
    sides, given = sides_of(relation), list(map(sp.sympify, relation.given))
    concluded = {s for side in sides for s in side.free_symbols}
    entries = [i for c in given for entry in c.atoms(sp.Indexed) for i in entry.indices]
    entries += [b.index for b in bases(given) if isinstance(b, Entry)]
    free = {s for c in given for s in c.free_symbols}
    # A conclusion of numbers alone asks for a point that meets the hypotheses.
    return bool(concluded) and any(s in free and s not in concluded for i in entries for s in i.free_symbols)


def _lengths(relation: AtMost | Equal) -> list[dict[Any, Any]]:
    """Small numbers for the symbols in the ends of sums and in the indices of sequences."""
    whole = [*sides_of(relation), *map(sp.sympify, relation.given)]
    free = {s for e in whole for s in e.free_symbols}
    names: set[Any] = set()
    for e in whole:
        for total in e.atoms(sp.Sum, sp.Product):
            names |= {s for limit in total.limits for end in limit[1:] for s in end.free_symbols}
        names |= {s for entry in e.atoms(sp.Indexed) for i in entry.indices for s in i.free_symbols}
        for b in bases([e]):
            names |= b.low.free_symbols | b.high.free_symbols if isinstance(b, Total) else set()
            names |= b.index.free_symbols if isinstance(b, Entry) else set()
    ordered = sorted((s for s in names & free if isinstance(s, sp.Symbol)), key=str)
    if not ordered:
        return [{}]
    equal = [(k,) * len(ordered) for k in (2, 1, 3, 4)]
    several = itertools.product((1, 2, 3), repeat=min(len(ordered), 4)) if len(ordered) < 5 else []
    return list(itertools.islice(_admitted(relation, ordered, [*equal, *several]), 3))


def _admitted(
    relation: AtMost | Equal, names: list[Any], choices: Iterable[tuple[int, ...]]
) -> Iterator[dict[Any, Any]]:
    """The choices that the assumptions on the symbols and the hypotheses on them alone allow."""
    ties = [c for c in map(sp.sympify, relation.given) if c.free_symbols and c.free_symbols <= set(names)]
    for choice in dict.fromkeys(choices):
        lengths = dict(zip(names, map(sp.Integer, choice)))
        possible = all(admits(s, k) for s, k in lengths.items())
        if possible and all(c.xreplace(lengths) is not sp.false for c in ties):
            yield lengths


def _written_out(relation: AtMost | Equal, lengths: Mapping[Any, Any]) -> AtMost | Equal:
    """The relation with numbers for its lengths, and its sums term by term."""
    whole = [
        written_out(e.xreplace(lengths)) for e in (*sides_of(relation), *map(sp.sympify, relation.given))
    ]
    entries = {entry: _plain(entry) for e in whole for entry in e.atoms(sp.Indexed)}
    whole = [e.xreplace(entries) for e in whole]
    given = [c for c in whole[2:] if c is not sp.true]
    if isinstance(relation, Equal):
        return Equal(whole[0], whole[1], given)
    return AtMost(whole[0], whole[1], given, relation.strict)


def _plain(entry: sp.Indexed) -> sp.Symbol:
    """A symbol for an entry of a sequence of scalars, with what is declared of it."""
    return sp.Symbol(str(entry), **dict(declared(entry)))


def _breaking(relation: AtMost | Equal, effort: Effort, hard: bool, seed: int | None) -> Realisation | None:
    return (
        None if sp.false in relation.given else _searched(relation, Statement(relation), effort, hard, seed)
    )


def _searched(
    relation: AtMost | Equal, statement: Statement, effort: Effort, hard: bool, seed: int | None = None
) -> Realisation | None:
    for realiser, rows, scores, rng in _scanned(relation, statement, effort, hard, seed):
        enough = realiser.enough
        good = sorted(np.flatnonzero(scores > max(enough, 1e-6))[:400], key=lambda i: weight(rows[i]))
        good = good or [i for i in np.argsort(-scores, kind="stable")[:6] if scores[i] > enough]
        if hard and not good and realiser.shape.dimension <= SMALL:
            rows = realiser.climb(rows, scores, rng, rounds=14)
            scores = realiser.score(rows)
            good = [i for i in range(len(rows)) if scores[i] > enough]
        for i in good[:6]:
            found = realiser.realisation(rows[i])
            if Exact(statement, found).breaks(relation):
                small = realiser.realisation(realiser.shrink(rows[i]))
                return small if Exact(statement, small).breaks(relation) else found
    return None


def _scanned(
    relation: AtMost | Equal, statement: Statement, effort: Effort, hard: bool, seed: int | None = None
) -> Iterator[tuple[Realiser, np.ndarray, np.ndarray, np.random.Generator]]:
    rng = np.random.default_rng(effort.seed if seed is None else seed)
    for shape in _shapes(statement):
        realiser = Realiser(relation, statement, shape)
        if not realiser.genes:
            continue
        wide = shape.dimension > SMALL
        rows = realiser.sample(effort.points if hard and not wide else min(400, effort.points), rng)
        yield realiser, rows, realiser.score(rows), rng


def admissible(relation: AtMost | Equal, effort: Effort) -> int:
    """How many of the realisations that the search looks at meet every hypothesis and do not violate the
    relation.
    """
    spelt = with_law(relation, "seldom far")
    if spelt is None:
        return 0
    count = 0
    for lengths in _lengths(spelt):
        written = _written_out(spelt, lengths)
        statement = Statement(written)
        if statement.opaque:
            continue
        for _, _, scores, _ in _scanned(written, statement, effort, hard=True):
            count += int(np.sum((scores > -1) & (scores <= 1e-9)))
    return count


def model(given: Sequence[Any], effort: Effort) -> dict[str, str] | None:
    """Explicit vectors, functions and parameters that meet hypotheses, in words; None if none was found.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.language import Vector, norm2
    >>> model([sp.Eq(norm2(Vector("x")), 1)], QUICK)
    {'x': '1'}
    """
    found = refute(AtMost(sp.Integer(1), sp.Integer(0), given), effort, hard=True)
    return None if found is None else found.let


def inhabited(relation: AtMost | Equal, effort: Effort) -> dict[str, str] | None:
    """Parameters, vectors and functions that the hypotheses and the classes allow, in words; None if none
    was found.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.language import Function, Vector
    >>> f = Function("f", smooth=1, strongly_convex=2)
    >>> inhabited(AtMost(f(Vector("x")), 0), QUICK) is None
    True
    """
    if sp.false in relation.given or _for_every_index(relation):
        return None
    spelt = with_law(relation, "seldom far")
    if spelt is None:  # no law is at hand, so that the noise itself is not written out
        supposed = [*relation.given, *existence([relation])]
        return model(supposed, effort) if supposed else {}
    for lengths in _lengths(spelt):
        written = _written_out(spelt, lengths)
        if sp.false in written.given:
            continue
        statement = Statement(written)
        if not written.given and not statement.functions:
            return {}
        statement.left, statement.right = sp.Integer(1), sp.Integer(0)  # which nothing makes true
        absurd = AtMost(sp.Integer(1), sp.Integer(0), written.given)
        for hard in (False, True):
            if (found := _searched(absurd, statement, effort, hard)) is not None:
                return _let(lengths, statement, found)
    return None


def _let(lengths: Mapping[Any, Any], statement: Statement, found: Realisation) -> dict[str, str]:
    exact = Exact(statement, found)
    let = {str(s): str(v) for s, v in [*lengths.items(), *exact.point.items()]}
    let |= {str(s): str(v.xreplace(exact.point)) for s, v in statement.domain.defined.items()}
    let |= {name: as_text(exact.column("vector", name)) for name in free_vectors(statement)}
    return let | {f"{f}(x)": str(exact.function(f)) for f in statement.functions}


def _witness(
    relation: AtMost | Equal, lengths: Mapping[Any, Any], statement: Statement, found: Realisation
) -> Witness:
    exact = Exact(statement, found)
    d = found.shape.dimension
    let = _let(lengths, statement, found)
    numbers = {
        a: as_rational(exact.atom(a)) for e in (statement.left, statement.right) for a in e.atoms(Atom)
    }
    at = {**exact.point, **numbers}
    left, right = (_decimal(with_numbers(e, at)) for e in (statement.left, statement.right))
    strict = isinstance(relation, AtMost) and relation.strict
    op = "=" if isinstance(relation, Equal) else "<" if strict else "<="
    sides = sides_of(relation)
    record = {
        "kind": "vectors",
        **comparison_to_json(relation),
        "lengths": [[to_json(s), int(k)] for s, k in lengths.items()],
        "dimension": d,
        "functions": found.shape.kind,
        "numbers": [
            [
                [to_json(part) if isinstance(part, sp.Symbol) else part for part in gene],
                v.numerator,
                v.denominator,
            ]
            for gene, v in found.numbers.items()
        ],
    }
    return Witness(
        let,
        f"in dimension {d}, {sp.sstr(sides[0])} = {left} and {sp.sstr(sides[1])} = {right}",
        f"{left} {op} {right}",
        record,
        because="every inner product, value and gradient was computed from these, and every hypothesis holds",
        computed=True,
    )


def _decimal(value: Any) -> str:
    return str(value) if value.is_Rational and len(str(value)) <= 12 else f"{float(value):.7g}"


def verify(exact: dict[str, Any]) -> bool:
    """Whether a witness of vectors and functions stands, from its record alone."""
    relation = comparison_from_json(exact)
    if exact["dimension"] not in range(1, LARGE + 1) or exact["functions"] not in ("quadratic", "bent"):
        return False
    if exact["functions"] == "bent" and exact["dimension"] != 1:
        return False
    numbers = {
        tuple(from_json(part) if isinstance(part, list) else part for part in gene): Fraction(p, q)
        for gene, p, q in exact["numbers"]
    }
    realisation = Realisation(Shape(exact["dimension"], exact["functions"]), numbers)
    lengths = {from_json(s): sp.Integer(k) for s, k in exact["lengths"]}
    if set(lengths) != {s for choice in _lengths(relation) for s in choice}:
        return False
    if not all(admits(s, k) for s, k in lengths.items()):
        return False
    written = _written_out(relation, lengths)
    if sp.false in written.given:
        return False
    try:
        return Exact(Statement(written), realisation).breaks(written)
    except KeyError:
        return False
