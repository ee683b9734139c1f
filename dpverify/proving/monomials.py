"""Sums of products of powers: N^(2/3) d <= N d/eps for N, d >= 1 and eps <= 1, with any number of variables.

In logarithms a product of powers is linear. A term of the left side is at most a weighted geometric mean of
the terms of the right side, times facts of the form "this product of powers is at least that number":

    m = (prod_j g_j^w_j) / (prod_k h_k^u_k),  h_k >= number_k,  w, u >= 0,  sum w = 1,  so that
    m <= (prod_k number_k^-u_k) sum_j w_j g_j

The weights are found by a linear program in floats, made rational, and checked in exact arithmetic.
Logarithms and sums under a root stand for themselves, as further variables about which a few facts are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.evaluate import sign
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.relations import AtMost

HANDLES = (AtMost,)
ROOTS = (1, 2, 4, 8)  # log u <= n u^(1/n) is used for these n
LARGEST_POWER = 6  # up to which a sum is multiplied out
MOST_TERMS = 40
DENOMINATOR = 720  # of the weights
BOUNDLESS = 1e9

Powers = dict[Any, sp.Rational]


class NotOfThisForm(Exception):
    """The expression is no sum of products of powers of things that are not negative."""


@dataclass(frozen=True)
class Term:
    """A positive number times powers."""

    number: Any
    powers: tuple[tuple[Any, Any], ...]

    @staticmethod
    def ordered(number: Any, powers: Powers) -> Term:
        """The term, its powers in a fixed order."""
        kept = {a: p for a, p in powers.items() if p != 0}
        return Term(number, tuple(sorted(kept.items(), key=lambda item: sp.default_sort_key(item[0]))))

    def times(self, other: Term, power: Any = 1) -> Term:
        """This term times a power of another one."""
        powers = dict(self.powers)
        for atom, p in other.powers:
            powers[atom] = powers.get(atom, sp.Integer(0)) + power * p
        return Term.ordered(self.number * other.number**power, powers)

    def to(self, power: Any) -> Term:
        """The term to a power."""
        return ONE.times(self, power)


ONE = Term(sp.Integer(1), ())


@dataclass
class Setting:
    """The things whose powers are multiplied, and what is known about them: products of powers that are at
    least a number.
    """

    domain: Domain
    positive: dict[Any, bool] = field(default_factory=dict)  # whether it is never 0
    facts: list[Term] = field(default_factory=list)  # number * powers >= 1

    def __post_init__(self) -> None:
        for s, b in self.domain.bounds.items():
            if not b.low.is_finite or b.low < 0:
                continue
            self._symbol(s)
            if b.low > 0:
                self._learn(Term.ordered(1 / b.low, {s: sp.Integer(1)}))
            if b.high.is_finite and b.high > 0:
                self._learn(Term.ordered(b.high, {s: sp.Integer(-1)}))
        for condition in self.domain.coupled:
            self._condition(condition)

    def _condition(self, condition: Any) -> None:
        """a + b <= c with single terms: a <= c and b <= c."""
        if not isinstance(condition, sp.Le | sp.Lt | sp.Ge | sp.Gt):
            return
        try:
            right, small = self.terms(condition.gts), self.terms(condition.lts)
        except NotOfThisForm:
            return
        if len(right) == 1:
            for term in small:
                fact = right[0].times(term, -1)
                left_over = {a for a, _ in fact.powers}
                gone = {a for a, _ in (*right[0].powers, *term.powers)} - left_over
                if all(self.positive[a] for a in gone):  # x v <= y v says nothing of x and y where v is 0
                    self._learn(fact)

    def _learn(self, fact: Term) -> None:
        """Keep a fact p >= number q, with p never 0; it is p/q among the facts, and q may be 0."""
        if fact not in self.facts and all(self.positive[a] or p < 0 for a, p in fact.powers):
            self.facts.append(fact)

    def _symbol(self, s: Any) -> bool:
        """Whether a symbol is never 0, or an error if it may be negative."""
        if s not in self.positive:
            b = self.domain.interval(s)
            if not (b.low.is_finite and b.low >= 0):
                raise NotOfThisForm(f"{s} may be negative")
            self.positive[s] = bool(b.low > 0 or b.low_open)
        return self.positive[s]

    def terms(self, e: Any, above: bool = False) -> list[Term]:
        """The expression as a sum of terms; with `above` a sum that is at least as large, where that is
        simpler.
        """
        e = sp.sympify(e)
        if isinstance(e, sp.Add):
            parts = [t for arg in e.args for t in self.terms(arg, above)]
            if len(parts) > MOST_TERMS:
                raise NotOfThisForm(f"{e} has too many terms")
            return parts
        if isinstance(e, sp.Mul):
            product = [ONE]
            for arg in e.args:
                other = self.terms(arg, above)
                product = [a.times(b) for a in product for b in other]
                if len(product) > MOST_TERMS:
                    raise NotOfThisForm(f"{e} has too many terms")
            return product
        if isinstance(e, sp.Pow) and e.exp.is_Rational:
            return self._power(e.base, e.exp, above)
        if e.is_number and e.is_positive:
            return [Term(e, ())]
        if above and isinstance(e, sp.Max):
            return [t for arg in e.args for t in self.terms(arg, above=True)]
        if above and isinstance(e, sp.ceiling):
            return [*self.terms(e.args[0], above=True), ONE]
        if above and isinstance(e, sp.floor):
            return self.terms(e.args[0], above=True)
        return [Term.ordered(sp.Integer(1), {self.atom(e): sp.Integer(1)})]

    def _power(self, base: Any, power: Any, above: bool) -> list[Term]:
        """(a + b)^p is multiplied out for a whole p; otherwise it is at most n^max(p - 1, 0) (a^p + b^p)."""
        if power > 0 and (above or power.is_Integer):
            parts = self.terms(base, above=above)
            if len(parts) == 1:
                return [parts[0].to(power)]
            if power.is_Integer and power <= LARGEST_POWER:
                product = [ONE]
                for _ in range(int(power)):
                    product = [a.times(b) for a in product for b in parts]
                    if len(product) > MOST_TERMS:
                        raise NotOfThisForm(f"{base}**{power} has too many terms")
                return product
            if above:
                factor = Term(sp.Integer(len(parts)) ** sp.Max(power - 1, 0), ())
                return [factor.times(part, power) for part in parts]
        try:
            single = self.terms(base)
        except NotOfThisForm:
            single = []
        if len(single) == 1:
            if power < 0 and not all(self.positive[a] for a, _ in single[0].powers):
                raise NotOfThisForm(f"{base} may be 0")
            return [single[0].to(power)]
        atom = self.atom(base)
        if power < 0 and not self.positive[atom]:
            raise NotOfThisForm(f"{base} may be 0")
        return [Term.ordered(sp.Integer(1), {atom: power})]

    def atom(self, e: Any) -> Any:
        """Something that stands for itself, with the facts that are known about it."""
        if e in self.positive:
            return e
        if isinstance(e, sp.Symbol | sp.Indexed):
            self._symbol(e)
        elif isinstance(e, sp.log):
            self._logarithm(e)
        elif isinstance(e, sp.Add | sp.Max):
            self._total(e)
        elif isinstance(e, sp.Min):
            self._least(e)
        elif isinstance(e, sp.ceiling):
            inside = self.terms(e.args[0])
            self.positive[e] = any(self._never_zero(t) for t in inside)
            for term in inside:
                self._learn(Term.ordered(1, {e: sp.Integer(1)}).times(term, -1))
        else:
            raise NotOfThisForm(f"{e} is not treated")
        return e

    def _never_zero(self, term: Term) -> bool:
        return all(self.positive[a] for a, _ in term.powers)

    def _logarithm(self, e: Any) -> None:
        """log u >= 0 where u >= 1; log u <= n u^(1/n); logarithms grow with what they are taken of."""
        inside = self.terms(e.args[0])
        bounds = [k for t in inside if (k := self.least(t)) is not None]
        lowest = max(bounds, default=sp.Integer(0), key=float)
        if sign(lowest - 1) not in (0, 1):
            raise NotOfThisForm(f"{e} may be negative")
        self.positive[e] = sign(lowest - 1) == 1
        here = Term.ordered(sp.Integer(1), {e: sp.Integer(1)})
        if self.positive[e]:
            self._learn(Term(1 / sp.log(lowest), here.powers))
        if len(inside) == 1:
            for n in ROOTS:
                self._learn(Term(sp.Integer(n), ()).times(inside[0], sp.Rational(1, n)).times(here, -1))
        for other in [a for a in self.positive if isinstance(a, sp.log) and a != e]:
            there, theirs = Term.ordered(sp.Integer(1), {other: sp.Integer(1)}), self.terms(other.args[0])
            for large, big, small, little in (
                (here, inside, there, theirs),
                (there, theirs, here, inside),
            ):
                if len(little) == 1 and any(self._at_least_one(t.times(little[0], -1)) for t in big):
                    self._learn(large.times(small, -1))

    def _at_least_one(self, term: Term) -> bool:
        least = self.least(term)
        return least is not None and sign(least - 1) in (0, 1)

    def _total(self, e: Any) -> None:
        """A sum of things that are not negative is at least each of them, and at most so many times the
        largest.
        """
        parts = [t for arg in e.args for t in self.terms(arg)]
        self.positive[e] = any(self._never_zero(t) for t in parts)
        here = Term.ordered(1, {e: sp.Integer(1)})
        for largest in parts:
            self._learn(here.times(largest, -1))
            ratios = [r for t in parts if (r := self.least(largest.times(t, -1))) is not None]
            if len(ratios) == len(parts):
                factor = sp.Add(*[1 / r for r in ratios])
                self._learn(Term(factor, ()).times(largest).times(here, -1))

    def _least(self, e: Any) -> None:
        """The least of some things is at most each of them, and at least one that is below all."""
        parts = [self.terms(arg) for arg in e.args]
        if any(len(p) != 1 for p in parts):
            raise NotOfThisForm(f"{e} is not treated")
        self.positive[e] = all(self._never_zero(p[0]) for p in parts)
        here = Term.ordered(1, {e: sp.Integer(1)})
        for (part,) in parts:
            self._learn(part.times(here, -1))
        for candidate in [ONE, *[p[0] for p in parts]]:
            ratios = [r for p in parts if (r := self.least(p[0].times(candidate, -1))) is not None]
            if len(ratios) == len(parts):
                smallest: Any = min(ratios, key=float)
                self._learn(here.times(candidate, -1).times(Term(1 / smallest, ())))

    def least(self, term: Term) -> Any | None:
        """A number that the term is at least, by the facts; None if there is none."""
        if not term.powers:
            return term.number
        if not self._never_zero(term):
            return None
        for _, used in mixtures([ONE], [term], self.facts, [BOUNDLESS]):
            rest = term
            for fact, u in zip(self.facts, used):
                rest = rest.times(fact, -u)
            if not rest.powers:
                return rest.number
        return None


def mixtures(
    small: list[Term], large: list[Term], facts: list[Term], room: Iterable[Any]
) -> Iterator[tuple[list[sp.Rational], list[sp.Rational]]]:
    """For each small term the weights of the large terms and of the facts, found together so that no large
    term is used more than there is room for it; nothing if there are none.
    """
    from scipy.optimize import linprog

    atoms = sorted({a for t in (*small, *large, *facts) for a, _ in t.powers}, key=sp.default_sort_key)
    place = {a: i for i, a in enumerate(atoms)}

    def column(term: Term) -> np.ndarray:
        values = np.zeros(len(atoms))
        for a, p in term.powers:
            values[place[a]] = float(p)
        return values

    width = len(large) + len(facts)
    block = np.zeros((len(atoms) + 1, width))
    for j, term in enumerate(large):
        block[:-1, j], block[-1, j] = column(term), 1.0
    for k, fact in enumerate(facts):
        block[:-1, len(large) + k] = -column(fact)
    cost_of_facts = [max(float(sp.log(fact.number)), 0.0) + 1e-3 for fact in facts]
    count = len(small)
    equations = np.zeros((count * (len(atoms) + 1), count * width + 1))
    values = np.zeros(count * (len(atoms) + 1))
    cost = np.zeros(count * width + 1)
    cost[-1] = 10.0  # what is used beyond the room
    limits = np.zeros((len(large), count * width + 1))
    for i, term in enumerate(small):
        rows = slice(i * (len(atoms) + 1), (i + 1) * (len(atoms) + 1))
        equations[rows, i * width : (i + 1) * width] = block
        values[rows] = [*column(term), 1.0]
        cost[i * width + len(large) : (i + 1) * width] = cost_of_facts
        for j in range(len(large)):
            limits[j, i * width + j] = float(term.number)
    limits[:, -1] = -1.0
    left_over = np.array([float(r) for r in room])
    if not all(np.isfinite(part).all() for part in (cost, limits, left_over, equations, values)):
        return  # numbers beyond floating point
    program = linprog(cost, A_ub=limits, b_ub=left_over, A_eq=equations, b_eq=values, method="highs")
    if program.status != 0:
        return
    for i in range(count):
        row = [_simple(v) for v in program.x[i * width : (i + 1) * width]]
        yield row[: len(large)], row[len(large) :]


def _simple(value: float) -> sp.Rational:
    near = Fraction(float(value)).limit_denominator(DENOMINATOR)
    return sp.Rational(near.numerator, near.denominator)


def read(relation: AtMost) -> tuple[Setting, list[Term], list[Term]]:
    """The setting and both sides as sums of terms, the left one from above."""
    domain = domain_of(relation)
    left, right = domain.expressions
    setting = Setting(domain)
    large = setting.terms(right)
    small: list[Term] = []
    for part in sp.Add.make_args(sp.expand(left)):
        try:
            small += setting.terms(part, above=True)
        except NotOfThisForm:
            setting.terms(-part)  # a part that is not positive is left out
    return setting, _collected(small), _collected(large)


def _collected(terms: list[Term]) -> list[Term]:
    """Terms of the same powers added up."""
    numbers: dict[Any, Any] = {}
    for term in terms:
        numbers[term.powers] = numbers.get(term.powers, sp.Integer(0)) + term.number
    return [Term(number, powers) for powers, number in numbers.items()]


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Weights for every term of the left side."""
    if relation.strict:
        return GaveUp("a strict comparison")
    try:
        setting, small, large = read(relation)
    except NotOfThisForm as why:
        return GaveUp(str(why))
    rows = list(mixtures(small, large, setting.facts, [t.number for t in large]))
    if len(rows) < len(small):
        return GaveUp("a term of the left side is no mean of terms of the right side")
    content = {
        "rows": [[[str(w) for w in weights], [str(u) for u in used]] for weights, used in rows],
        "summary": f"each of {len(small)} products of powers is at most a mean of {len(large)} others",
    }
    return Certificate(content)


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """The powers come out exactly, the weights are nonnegative and sum to 1, and no term of the right side is
    used more than once.
    """
    if relation.strict:
        return False
    try:
        setting, small, large = read(relation)
    except NotOfThisForm:
        return False
    if len(certificate["rows"]) != len(small):
        return False
    spent: list[Any] = [sp.Integer(0)] * len(large)
    for term, (weights, used) in zip(small, certificate["rows"]):
        shares, multiples = [sp.Rational(w) for w in weights], [sp.Rational(u) for u in used]
        if len(shares) != len(large) or len(multiples) != len(setting.facts):
            return False
        if any(v < 0 for v in (*shares, *multiples)) or sum(shares) != 1:
            return False
        mean, factor = ONE, sp.Integer(1)
        for other, w in zip(large, shares):
            mean = mean.times(Term(sp.Integer(1), other.powers), w)
        for fact, u in zip(setting.facts, multiples):
            mean = mean.times(Term(sp.Integer(1), fact.powers), -u)
            factor = factor * fact.number**u
        if mean.powers != term.powers:
            return False
        spent = [s + term.number * factor * w for s, w in zip(spent, shares)]
    return all(sign(s - other.number) in (0, -1) for s, other in zip(spent, large))
