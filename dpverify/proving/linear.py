"""Inequalities and equations by Farkas: rhs - lhs is a combination of the hypotheses with nonnegative
multipliers.

The terms of the expanded sides are unknowns of their own, so the hypotheses may hold sums, logarithms,
anything; they may also be multiplied by each other once, and by symbols that are not negative. The
multipliers are found by a linear program in floats, solved again in rationals on the facts that it used, and
checked by adding up. The search knows a term by the powers that it is a product of, which are multiplied much
sooner than expressions; the checker expands the expressions themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat

from dpverify.effort import Effort
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.evaluate import rational
from dpverify.proving.identities import normalise
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.relations import AtMost, Equal

HANDLES = (AtMost, Equal)
MOST = 400  # hypotheses and products of them


Terms = tuple[tuple[Any, Any], ...]  # products and their coefficients
Powers = frozenset[tuple[Any, Any]]  # a product, by its factors and their exponents
Polynomial = dict[Powers, fmpq]


@dataclass(frozen=True)
class _Fact:
    """A product of one or two expressions that is nonnegative (positive if strict, 0 if `zero`) under the
    hypotheses.
    """

    name: str
    factors: tuple[Any, ...]
    strict: bool = False
    zero: bool = False

    @property
    def terms(self) -> Terms:
        """The product as a sum of terms."""
        return _terms(self.factors[0]) if len(self.factors) == 1 else _multiplied(*self.factors)

    @cached_property
    def polynomial(self) -> Polynomial | None:
        """The same in powers; None if a coefficient is not rational."""
        polynomials = [_polynomial(factor) for factor in self.factors]
        if any(polynomial is None for polynomial in polynomials):
            return None
        return polynomials[0] if len(polynomials) == 1 else _product(*self.factors)


@lru_cache(maxsize=20_000)  # the steps of a proof have most of their hypotheses in common
def _terms(expression: Any) -> Terms:
    spread = sp.expand(normalise(sp.expand(expression)), power_exp=True)
    return tuple(sorted(spread.as_coefficients_dict().items(), key=lambda item: sp.default_sort_key(item[0])))


@lru_cache(maxsize=20_000)
def _multiplied(first: Any, second: Any) -> Terms:
    """The terms of a product, from those of its factors: much sooner than by expanding it."""
    total: dict[Any, Any] = {}
    for (left, a), (right, b) in itertools.product(_terms(first), _terms(second)):
        product = left * right
        parts: Terms = ((product, 1),) if _stay_apart(left, right) else _terms(product)
        for term, coefficient in parts:
            total[term] = total.get(term, 0) + a * b * coefficient
    return tuple((term, coefficient) for term, coefficient in total.items() if coefficient != 0)


def _stay_apart(left: Any, right: Any) -> bool:
    """Whether nothing in a product of two terms can be expanded that could not be in either of them; sums and
    powers of sums, take in what they are multiplied by.
    """
    bases, mixing = _bases(left)
    others, mixing_too = _bases(right)
    return not (bases & mixing_too or mixing & others or sp.Sum in bases | others)


@lru_cache(maxsize=20_000)
def _bases(term: Any) -> tuple[frozenset[Any], frozenset[Any]]:
    """What a term is a product of powers of, and which of these make something new with their like: all but
    symbols, entries, logarithms and roundings to rational powers.
    """
    bases, mixing = set(), set()
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if base.is_number:
            base = sp.Number
        elif isinstance(base, sp.Sum | sp.Product | sp.Add | sp.Mul):
            base = sp.Sum
        elif isinstance(base, sp.Symbol | sp.Indexed | sp.log | sp.ceiling | sp.floor) and power.is_Rational:
            bases.add(base)
            continue
        if factor != 1:
            bases.add(base)
            mixing.add(base)
    return frozenset(bases), frozenset(mixing)


@lru_cache(maxsize=20_000)
def _powers(term: Any) -> Powers:
    """The factors of a product, each with its exponent; what has no rational exponent is a factor itself."""
    powers = []
    for factor in sp.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if not power.is_Rational:
            base, power = factor, sp.S.One
        powers.append((base, int(power.p) if power.q == 1 else Fraction(int(power.p), int(power.q))))
    return frozenset(powers) if term != 1 else frozenset()


@lru_cache(maxsize=20_000)
def _polynomial(expression: Any) -> Polynomial | None:
    terms = _terms(expression)
    if not all(c.is_Rational for _, c in terms):
        return None
    return {_powers(term): rational(c) for term, c in terms if c != 0}


@lru_cache(maxsize=20_000)
def _product(first: Any, second: Any) -> Polynomial | None:
    """What `_multiplied` gives, in powers."""
    total: Polynomial = {}
    for (left, a), (right, b) in itertools.product(_terms(first), _terms(second)):
        scale = rational(a) * rational(b)
        if _stay_apart(left, right):
            key = _together(_powers(left), _powers(right))
            total[key] = total.get(key, fmpq(0)) + scale
            continue
        part = _polynomial(left * right)
        if part is None:
            return None
        for key, c in part.items():
            total[key] = total.get(key, fmpq(0)) + scale * c
    return {key: c for key, c in total.items() if c != 0}


@lru_cache(maxsize=100_000)
def _together(left: Powers, right: Powers) -> Powers:
    """The powers of a product of two terms that stay apart."""
    powers = dict(left)
    for base, exponent in right:
        if total := powers.get(base, 0) + exponent:
            powers[base] = total
        else:
            del powers[base]
    return frozenset(powers.items())


def _sign(term: Any) -> str:
    """ "positive", "nonnegative" or "" for a product of powers of symbols and entries of sequences."""
    strict = True
    for factor in sp.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if factor.is_Rational and factor > 0:
            continue
        if not isinstance(base, sp.Symbol | sp.Indexed) or not exponent.is_Rational:
            return ""
        if base.is_positive:
            continue
        strict = False
        even = exponent.is_Integer and exponent % 2 == 0 and exponent > 0 and base.is_real
        if not even and not (base.is_nonnegative and exponent > 0):
            return ""
    return "positive" if strict else "nonnegative"


def _hypotheses(domain: Domain) -> list[tuple[Any, bool, bool]]:
    """The hypotheses and the bounds of the symbols as (expression, strict, zero): nonnegative expressions."""
    sides = []
    for s, b in domain.bounds.items():
        if b.low.is_finite:
            sides.append((s - b.low, b.low_open, False))
        if b.high.is_finite:
            sides.append((b.high - s, b.high_open, False))
    for condition in domain.coupled:
        if isinstance(condition, sp.Lt | sp.Le):
            sides.append((condition.rhs - condition.lhs, isinstance(condition, sp.Lt), False))
        elif isinstance(condition, sp.Gt | sp.Ge):
            sides.append((condition.lhs - condition.rhs, isinstance(condition, sp.Gt), False))
        elif isinstance(condition, sp.Eq):
            sides.append((condition.lhs - condition.rhs, False, True))
    return sides


@lru_cache(maxsize=16)  # the search and the checker list the same
def _listed(domain: Domain, products: bool) -> tuple[_Fact, ...]:
    """Everything that may be combined, each with a name by which the checker finds it again."""
    return tuple(itertools.islice(_candidates(domain, products), MOST))


def _candidates(domain: Domain, products: bool) -> Iterator[_Fact]:
    sides = _hypotheses(domain)
    for i, (e, strict, zero) in enumerate(sides):
        yield _Fact(f"h{i}", (e,), strict, zero)
    if products:
        for (i, (e, strict, zero)), (j, (f, strictly, null)) in itertools.combinations_with_replacement(
            list(enumerate(sides)), 2
        ):
            yield _Fact(f"h{i} h{j}", (e, f), strict and strictly, zero or null)
    seen = {term for side in (_target(domain), *(_terms(e) for e, _, _ in sides)) for term, _ in side}
    ordered = sorted(seen, key=sp.default_sort_key)
    for term in ordered:
        if sign := _sign(term):
            yield _Fact(f"term {sp.sstr(term)}", (term,), sign == "positive")
    if products:
        factors = [(factor, sp.sstr(factor), _sign(factor)) for factor in _factors(ordered)]
        for i, (e, strict, zero) in enumerate(sides):
            for factor, name, sign in factors:
                if sign:
                    yield _Fact(f"h{i} * {name}", (e, factor), strict and sign == "positive", zero)
                elif zero and isinstance(factor, sp.Symbol | sp.Indexed):
                    yield _Fact(f"h{i} * {name}", (e, factor), False, True)


def _factors(terms: list[Any]) -> list[Any]:
    """The symbols, entries and powers that stand in the terms, by which a hypothesis may be multiplied."""
    factors = {factor for term in terms for factor in sp.Mul.make_args(term) if not factor.is_number}
    inverse = {1 / factor for factor in factors if isinstance(factor, sp.Symbol | sp.Indexed)}
    return sorted(factors | inverse, key=sp.default_sort_key)[:24]


def _target(domain: Domain) -> Terms:
    left, right = domain.expressions
    return _terms(right - left)


def _solve(facts: Sequence[_Fact], target: Polynomial, strict: bool) -> dict[str, Any] | None:
    """Multipliers with sum of multiplier times fact = target, exact; None if none were found."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    columns = [fact.polynomial or {} for fact in facts]
    if not facts or any(all(key not in column for column in columns) for key in target):
        return None
    rows = list(dict.fromkeys([*target, *(key for column in columns for key in column)]))
    at = {key: i for i, key in enumerate(rows)}
    entries = [(at[key], j, float(c)) for j, column in enumerate(columns) for key, c in column.items()]
    if not entries:
        return None if target else {}
    places, numbers, data = zip(*entries)
    goal = np.zeros(len(rows))
    for key, c in target.items():
        goal[at[key]] = float(c)
    if not (np.isfinite(data).all() and np.isfinite(goal).all()):
        return None  # numbers beyond floating point
    cost = [0.0 if fact.zero else (1.0 if not (strict and fact.strict) else 0.5) for fact in facts]
    bounds = [(None, None) if fact.zero else (0, None) for fact in facts]
    table = csr_matrix((data, (places, numbers)), shape=(len(rows), len(facts)))
    answer = linprog(cost, A_eq=table, b_eq=goal, bounds=bounds, method="highs")
    if answer.status != 0:
        return None
    used = [j for j, value in enumerate(answer.x) if abs(value) > 1e-9]
    values = _exactly([columns[j] for j in used], target, [answer.x[j] for j in used])
    if values is None or any(v < 0 and not facts[j].zero for j, v in zip(used, values)):
        return None
    return {facts[j].name: sp.Rational(int(v.p), int(v.q)) for j, v in zip(used, values) if v != 0}


def _exactly(columns: list[Polynomial], target: Polynomial, near: list[float]) -> list[fmpq] | None:
    """Rational multipliers that make the target; those that are not determined are taken near a guess."""
    rows = list(dict.fromkeys([*target, *(key for column in columns for key in column)]))
    if not columns:
        return None if rows else []
    zero, width = fmpq(0), len(columns)
    table = [[column.get(key, zero) for column in columns] + [target.get(key, zero)] for key in rows]
    reduced, rank = fmpq_mat(len(rows), width + 1, [c for row in table for c in row]).rref()
    leads = [next(j for j in range(width + 1) if reduced[i, j] != 0) for i in range(rank)]
    if width in leads:
        return None
    values = [
        rational(sp.nsimplify(guess, rational=True, tolerance=1e-6)) if j not in leads else zero
        for j, guess in enumerate(near)
    ]
    for i, lead in enumerate(leads):
        others = [reduced[i, j] * values[j] for j in range(width) if j not in leads]
        values[lead] = reduced[i, width] - sum(others, zero)
    return values


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """Look for multipliers: of the hypotheses first, then of their products too."""
    if not relation.given or isinstance(getattr(relation, "derived", None), sp.MatrixBase):
        return GaveUp("there are no hypotheses to combine")
    domain = domain_of(relation)
    left, right = domain.expressions
    target = _polynomial(right - left)
    if target is None:
        return GaveUp("its coefficients are not rational")
    for products in (False, True):
        usable = [f for f in _listed(domain, products) if f.polynomial is not None]
        if isinstance(relation, Equal):
            both = [_solve(usable, goal, False) for goal in (target, {k: -v for k, v in target.items()})]
            if all(way is not None for way in both):
                parts = [{name: str(v) for name, v in way.items()} for way in both if way is not None]
                return Certificate(
                    {
                        "products": products,
                        "below": parts[0],
                        "above": parts[1],
                        "summary": _summary(parts[0]),
                    }
                )
            continue
        multipliers = _solve(usable, target, relation.strict)
        if multipliers is not None:
            written = {name: str(value) for name, value in multipliers.items()}
            certificate = {"products": products, "multipliers": written, "summary": _summary(written)}
            if check(relation, certificate):
                return Certificate(certificate)
    return GaveUp("no combination of the hypotheses gives it")


def _summary(multipliers: dict[str, str]) -> str:
    return f"a combination of {len(multipliers)} hypotheses and signs with nonnegative multipliers"


def check(relation: AtMost | Equal, certificate: dict[str, Any]) -> bool:
    """Add up: the facts named, times their multipliers, are rhs - lhs, term by term."""
    domain = domain_of(relation)
    facts = {fact.name: fact for fact in _listed(domain, bool(certificate["products"]))}
    target = dict(_target(domain))
    if isinstance(relation, Equal):
        negative = {term: -c for term, c in target.items()}
        return _adds_up(facts, certificate["below"], target, False) and _adds_up(
            facts, certificate["above"], negative, False
        )
    return _adds_up(facts, certificate["multipliers"], target, relation.strict)


def _adds_up(
    facts: dict[str, _Fact], multipliers: dict[str, str], target: dict[Any, Any], strict: bool
) -> bool:
    total: dict[Any, Any] = {}
    positive = not strict
    for name, text in multipliers.items():
        fact = facts.get(name)
        value = sp.Rational(text)
        if fact is None or (value < 0 and not fact.zero):
            return False
        positive = positive or (value > 0 and fact.strict)
        for term, coefficient in fact.terms:
            total[term] = total.get(term, 0) + value * coefficient
    return positive and all(total.get(t, 0) == target.get(t, 0) for t in total.keys() | target.keys())
