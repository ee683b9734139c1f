"""Polynomial inequalities by sums of squares: rhs - lhs = sum_S (sum of squares) * (product of the hypotheses
in S).

With hypotheses g_i >= 0 (the signs and bounds of the symbols among them) this is a Positivstellensatz
certificate of low degree. The search is a semidefinite program; the certificate is a polynomial identity over
the rationals, checked by expanding it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import semidefinite
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import domain_of
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost

HANDLES = (AtMost,)
MOST_MONOMIALS = 24
MOST_VARIABLES = 6
MOST_DEGREE = 8


class _Problem:
    """The polynomial that must be nonnegative, and the hypotheses, as polynomials with a flag for those that
    are strict.
    """

    def __init__(self, relation: AtMost):
        domain = domain_of(relation)
        left, right = domain.expressions
        if domain.lengths or not domain.symbols:
            raise ValueError("not a polynomial in finitely many variables")
        if len(domain.symbols) > MOST_VARIABLES:  # before any algebra, which is long with many
            raise ValueError(f"{len(domain.symbols)} variables")
        conditions: list[tuple[Any, bool]] = []
        for s, b in domain.bounds.items():
            if b.low.is_finite:
                conditions.append((s - b.low, b.low_open))
            if b.high.is_finite:
                conditions.append((b.high - s, b.high_open))
        for c in domain.coupled:
            if isinstance(c, sp.Lt | sp.Le):
                conditions.append((c.rhs - c.lhs, isinstance(c, sp.Lt)))
            elif isinstance(c, sp.Gt | sp.Ge):
                conditions.append((c.lhs - c.rhs, isinstance(c, sp.Gt)))
            elif isinstance(c, sp.Eq):
                conditions += [(c.lhs - c.rhs, False), (c.rhs - c.lhs, False)]
        swap = _roots([right - left, *[g for g, _ in conditions]], domain.symbols)
        top, bottom = sp.fraction(sp.together((right - left).subs(swap)))
        if not (bottom.is_positive or bottom.is_negative):
            raise ValueError(f"the sign of the denominator {bottom} is not evident")
        self.symbols = sorted(
            {v for s in domain.symbols for v in swap.get(s, s).free_symbols}, key=lambda s: s.name
        )
        self.target = self._polynomial(top if bottom.is_positive else -top)
        self.hypotheses: list[tuple[sp.Poly, bool]] = []
        for g, strict in conditions:
            try:
                self.hypotheses.append((self._polynomial(g.subs(swap)), strict))
            except ValueError:
                continue  # a hypothesis that is no polynomial is not used

    def _polynomial(self, e: Any) -> sp.Poly:
        try:
            poly = sp.Poly(sp.expand(e), *self.symbols)
        except sp.PolynomialError as error:
            raise ValueError("not a polynomial") from error
        if not all(c.is_Rational for c in poly.coeffs()) or poly.free_symbols - set(self.symbols):
            raise ValueError("not a polynomial with rational coefficients")
        return poly

    def product(self, chosen: tuple[int, ...]) -> sp.Poly:
        result = sp.Poly(1, *self.symbols)
        for i in chosen:
            result *= self.hypotheses[i][0]
        return result


def _roots(expressions: list[Any], symbols: list[Any]) -> dict[Any, Any]:
    """For a symbol under roots, the power of a new symbol that clears them."""
    swap = {}
    for s in symbols:
        q = sp.ilcm(
            1,
            1,
            *[p.exp.q for e in expressions for p in e.atoms(sp.Pow) if p.base == s and p.exp.is_Rational],
        )
        if q > 1 and s.is_nonnegative:
            sign = {"positive": True} if s.is_positive else {"nonnegative": True}
            swap[s] = fresh(f"{s.name}_root", symbols, **sign) ** q
    return swap


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Look for sums of squares, with no product of hypotheses, then with single ones, then with pairs, then
    in a higher degree.
    """
    try:
        problem = _Problem(relation)
    except ValueError as why:
        return GaveUp(str(why))
    if problem.target.total_degree() > MOST_DEGREE:
        return GaveUp(f"a polynomial of degree {problem.target.total_degree()}")
    for blocks in _plans(problem):
        squares = _solve(problem, blocks)
        if squares is not None:
            certificate = {"squares": squares, "summary": _in_words(squares)}
            if check(relation, certificate):
                return Certificate(certificate)
    return GaveUp("no sum of squares of low degree was found")


Block = tuple[
    tuple[int, ...], list[tuple[int, ...]]
]  # hypotheses multiplied, and the monomials of the squares


def _plans(problem: _Problem) -> Iterator[list[Block]]:
    degree = problem.target.total_degree()
    even = degree + degree % 2
    count = len(problem.hypotheses)
    seen = set()
    for together, bound in ((0, even), (1, even), (2, even), (2, even + 2), (3, even)):
        blocks: list[Block] = []
        for size in range(together + 1):
            for chosen in itertools.combinations(range(count), size):
                room = bound - problem.product(chosen).total_degree()
                if room >= 0:
                    monomials = _monomials(problem, room // 2)
                    if len(monomials) <= MOST_MONOMIALS:
                        blocks.append((chosen, monomials))
        key = tuple((chosen, len(monomials)) for chosen, monomials in blocks)
        if blocks and key not in seen and len(blocks) <= 40:
            seen.add(key)
            yield blocks


def _monomials(problem: _Problem, degree: int) -> list[tuple[int, ...]]:
    """Exponents of total degree at most `degree`, the constant last."""
    n = len(problem.symbols)
    caps = [
        max(1, -(-max(p.degree(s) for p in (problem.target, *[g for g, _ in problem.hypotheses])) // 2))
        for s in problem.symbols
    ]
    monomials = [
        m for m in itertools.product(*[range(min(degree, cap) + 1) for cap in caps]) if sum(m) <= degree
    ]
    return sorted(monomials, key=lambda m: (-sum(m), [-e for e in m])) if n else []


def _solve(problem: _Problem, blocks: list[Block]) -> list[dict[str, Any]] | None:
    equations: dict[tuple[int, ...], semidefinite.Equation] = {}
    for b, (chosen, monomials) in enumerate(blocks):
        terms = problem.product(chosen).terms()
        for j, second in enumerate(monomials):
            for i, first in enumerate(monomials[: j + 1]):
                for exponents, c in terms:
                    where = tuple(x + y + z for x, y, z in zip(first, second, exponents))
                    row = equations.setdefault(where, {})
                    row[(b, i, j)] = row.get((b, i, j), Fraction(0)) + (1 if i == j else 2) * Fraction(
                        int(c.p), int(c.q)
                    )
    target = {m: Fraction(int(c.p), int(c.q)) for m, c in problem.target.terms()}
    if any(m not in equations for m, c in target.items() if c):
        return None
    places = sorted(equations)
    grams = semidefinite.find(
        [len(m) for _, m in blocks],
        [equations[w] for w in places],
        [target.get(w, Fraction(0)) for w in places],
    )
    if grams is None:
        return None
    squares = []
    for (chosen, monomials), gram in zip(blocks, grams):
        split = semidefinite.ldl(gram)
        if split is None:
            return None
        lower, diagonal = split
        powers = [sp.prod([s**e for s, e in zip(problem.symbols, m)]) for m in monomials]
        terms = []
        for k, d in enumerate(diagonal):
            if d:
                square = sum(
                    (sp.Rational(row[k].numerator, row[k].denominator) * p for row, p in zip(lower, powers)),
                    sp.Integer(0),
                )
                terms.append([to_json(sp.Rational(d.numerator, d.denominator)), to_json(square)])
        if terms:
            squares.append({"product": list(chosen), "terms": terms})
    return squares


def _in_words(squares: list[dict[str, Any]]) -> str:
    count = sum(len(part["terms"]) for part in squares)
    products = sum(1 for part in squares if part["product"])
    return f"a sum of {count} squares" + (
        f", times products of hypotheses in {products} of its parts" if products else ""
    )


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Expand: the squares, with positive coefficients, times the hypotheses they name, add up to rhs -
    lhs.
    """
    problem = _Problem(relation)
    total = sp.Poly(0, *problem.symbols)
    positive = not relation.strict
    for part in certificate["squares"]:
        chosen = tuple(part["product"])
        if any(type(i) is not int or not 0 <= i < len(problem.hypotheses) for i in chosen):
            return False
        product = problem.product(chosen)
        for coefficient, root in part["terms"]:
            c, square = from_json(coefficient), sp.Poly(from_json(root), *problem.symbols)
            if not (c.is_Rational and c > 0 and all(number.is_Rational for number in square.coeffs())):
                return False  # the square of what is not real may be negative
            total += c * square**2 * product
            if square.is_ground and not square.is_zero and all(problem.hypotheses[i][1] for i in chosen):
                positive = True
    return positive and (total - problem.target).is_zero
