"""Relations between vectors, and between values and gradients of functions, through the Gram matrix.

    rhs - lhs = sum_i lambda_i fact_i + <S, Gram> + <N, n n^T>,   lambda_i >= 0,  S and N positive
    semidefinite

The facts are the hypotheses, the instances of what the classes of the functions say, and Cauchy-Schwarz
between vectors whose norms occur; n lists 1 and these norms. The search is a semidefinite program at a few
values of the parameters, whose multipliers are then guessed as formulas; what is left to prove is that each
multiplier is nonnegative and each matrix positive semidefinite, wherever the parameters are allowed: plain
scalar relations. A relation that is not of this form is handed to the other tactics with a free variable
for every inner product and every value, and minors of the Gram matrix among the hypotheses.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.language.functions import Function, points
from dpverify.language.vectors import Atom, Basis, Inner, Total, Vector, inner, norm2
from dpverify.proving import fitting, semidefinite
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import Domain, fresh, symbols_of
from dpverify.proving.floats import compiled
from dpverify.proving.reduction import Certificate, GaveUp, Outcome, Reduction, Ways, engine
from dpverify.relations import AtMost, Equal, PositiveSemidefinite

HANDLES = (AtMost, Equal)
ZERO = sp.Integer(0)
MOST_FACTS, MOST_ROOTS, SAMPLES, SLACK = 60, 6, 28, 1e-7
BLOCKS = ("the Gram matrix", "the norms", "the centred sequences")
Monomial = tuple[Any, ...]
Row = dict[Monomial, Any]  # a scalar that is linear in products of at most two atoms, by its coefficients


class NotLinear(ValueError):
    """The relation is not linear in inner products, values and products of two norms."""


def mentions(relation: Any) -> bool:
    """Whether a relation speaks of vectors or functions.

    >>> mentions(AtMost(inner(Vector("x"), Vector("y")), 1)), mentions(AtMost(sp.Integer(0), 1))
    (True, False)
    """
    return isinstance(relation, AtMost | Equal) and any(
        isinstance(e, sp.Basic) and e.atoms(Atom) for e in (*sides_of(relation), *relation.given)
    )


def beyond(relation: Any) -> bool:
    """Whether vectors or functions stand where only scalars can: in any relation but a plain comparison.

    >>> from dpverify.relations import Increasing
    >>> a = sp.Symbol("a", positive=True)
    >>> beyond(Increasing(a * inner(Vector("x"), Vector("y")), a))
    True
    """
    if isinstance(relation, AtMost | Equal) or not is_dataclass(relation):
        return False
    parts: list[Any] = [getattr(relation, field.name) for field in fields(relation)]
    while parts:
        part = parts.pop()
        if isinstance(part, list | tuple):
            parts.extend(part)
        elif isinstance(part, AtMost | Equal):
            parts.extend((*sides_of(part), *part.given))
        elif isinstance(part, sp.Basic | sp.MatrixBase) and part.atoms(Atom):
            return True
    return False


def sides_of(relation: AtMost | Equal) -> tuple[Any, Any]:
    """Left and right side of a comparison."""
    if isinstance(relation, Equal):
        return sp.sympify(relation.derived), sp.sympify(relation.stated)
    return sp.sympify(relation.lhs), sp.sympify(relation.rhs)


@dataclass(frozen=True)
class Fact:
    """`expression >= 0`, or `= 0` if it is an equation; `text` is what a reader sees."""

    text: str
    expression: Any
    equation: bool = False
    strict: bool = False
    plain: bool = True  # no vector but those of the relation, and no interpolation inequality


class Centred(Atom):
    """What sum_t w_t <u_t, v_t> has beyond <sum_t w_t u_t, sum_t w_t v_t> / sum_t w_t: an entry of the Gram
    matrix of the sequences about their means, which is positive semidefinite too.
    """

    __slots__ = ()

    @staticmethod
    def build(*content: Any) -> Any:
        u, v = sorted(content, key=lambda vector: vector.basis.order)
        name = f"centred({u.basis}, {v.basis})"
        same = {"nonnegative": True} if u == v else {}
        return Centred.made(name, f"centred({u.basis.key}, {v.basis.key})", (u, v), **same)

    @property
    def bases(self) -> Iterator[Basis]:
        return (vector.basis for vector in self.content)


def _centred(e: Any) -> Any:
    """The expression with every sum of inner products split into its centred part and the part of the
    means.
    """
    sums = [s for s in e.atoms(sp.Sum) if s.function.atoms(Atom)]
    return e.xreplace({s: _split(s) for s in sums}) if sums else e


def _split(whole: sp.Sum) -> Any:
    if len(whole.limits) != 1 or len(whole.limits[0]) != 3:
        return whole
    index, low, high = whole.limits[0]
    result = ZERO
    for term in sp.Add.make_args(sp.expand(whole.function)):
        outside, inside = term.as_independent(index, *term.atoms(Atom), as_Add=False)
        atoms = [a for a in sp.Mul.make_args(inside) if isinstance(a, Inner)]
        weight = sp.Mul(*[f for f in sp.Mul.make_args(inside) if f not in atoms])
        if len(atoms) != 1 or weight.atoms(Atom) or not weight.is_nonnegative:
            result += outside * sp.Sum(inside, (index, low, high))
            continue
        size = _size(weight, index, low, high)
        moving = [index in b.scalars for b in atoms[0].bases]
        if not any(moving) and size.is_nonnegative:
            result += outside * size * atoms[0]
        elif all(moving) and size.is_positive:
            u, v = (Vector.combination({Total(b, weight, index, low, high): 1}) for b in atoms[0].bases)
            result += outside * (Centred.build(u, v) + inner(u, v) / size)
        elif any(moving) and not all(moving):
            still, summed = sorted(atoms[0].bases, key=lambda b: index in b.scalars)
            u = Vector.combination({Total(summed, weight, index, low, high): 1})
            result += outside * inner(u, Vector.combination({still: 1}))
        else:
            result += outside * sp.Sum(inside, (index, low, high))
    return result


def _size(weight: Any, index: Any, low: Any, high: Any) -> Any:
    """The sum of the weights."""
    if index not in weight.free_symbols:
        return weight * (high - low + 1)
    return sp.Sum(weight, (index, low, high))


class Statement:
    """A relation about vectors, taken apart: what is claimed, the hypotheses with vectors and those
    without, and what the classes of its functions add.
    """

    def __init__(self, relation: AtMost | Equal):
        conditions: list[Any] = []
        for g in map(sp.sympify, relation.given):
            conditions.extend(g.args if isinstance(g, sp.And) else [g])
        scalar = [c for c in conditions if not c.atoms(Atom)]
        defined = Domain([], scalar).defined
        vectorial = [c for c in conditions if c.atoms(Atom)]
        whole = [_centred(e.xreplace(defined)) for e in (*sides_of(relation), *vectorial)]
        self.functions: dict[Function, list[Vector]] = points(whole)
        names = [f.name for f in self.functions]
        if twice := {n for n in names if names.count(n) > 1}:
            raise ValueError(f"Expected one class for the function {min(twice)}, got several.")
        whole, scalar = self._opaque(whole, [*scalar, *[c for f in self.functions for c in f.conditions]])
        (self.left, self.right), self.vectorial, self.scalar = whole[:2], whole[2:], scalar
        plain = [s for s in symbols_of(*whole, *scalar) if not isinstance(s, Atom) and s not in defined]
        self.domain = Domain(plain, self.scalar)
        self.parameters = self.domain.symbols

    @staticmethod
    def _opaque(whole: list[Any], scalar: list[Any]) -> tuple[list[Any], list[Any]]:
        """Sums of scalars become symbols: what holds for every number holds for the sum."""
        sums = {s for e in (*whole, *scalar) for s in e.atoms(sp.Sum) if not s.function.atoms(Atom)}
        swap: dict[Any, Any] = {}
        for k, total in enumerate(sorted(sums, key=sp.default_sort_key)):
            term, ends = total.function, total.limits[0]
            full = len(total.limits) == 1 and (ends[2] - ends[1] + 1).is_positive
            sign = {"positive": True} if full and term.is_positive else {"real": True}
            swap[total] = fresh(f"total_{k + 1}", [*whole, *scalar], **sign)
        return [e.xreplace(swap) for e in whole], [c.xreplace(swap) for c in scalar]

    @cached_property
    def hypotheses(self) -> list[Fact]:
        """The hypotheses that speak of vectors."""
        return [fact for c in self.vectorial if (fact := _fact(c)) is not None]

    def minimised(self, f: Function) -> bool:
        """Whether the statement supposes that f has a least value."""
        return (
            f.minimiser in self.functions[f] or f.lower_bound is not None or f.polyak_lojasiewicz is not None
        )

    @property
    def parts(self) -> list[Any]:
        """The sums without vectors that are written somewhere in the relation, such as 1 - eta*mu."""
        whole = (self.left, self.right, *self.vectorial)
        return [p for e in whole for p in sp.preorder_traversal(e) if p.is_Add and not p.atoms(Atom)]

    @cached_property
    def instances(self) -> list[Fact]:
        """What the classes of the functions say at the points that occur, the plain ones first."""
        whole = (self.left, self.right, *self.vectorial)
        present = {b for e in whole for a in e.atoms(Atom) for b in a.bases}
        present |= {b for where in self.functions.values() for point in where for b, _ in point.parts}
        known = {f.expression for f in self.hypotheses}
        found = []
        for f, where in self.functions.items():
            for name, relation in f.instances(_with_minimiser(f, where)):
                fact = _fact(relation, name)
                if fact is not None and fact.expression not in known:
                    vectors = {b for a in fact.expression.atoms(Inner) for b in a.bases}
                    plain = vectors <= present and "interpolation" not in name
                    found.append(replace(fact, plain=plain))
        return sorted(found, key=lambda fact: not fact.plain)[:MOST_FACTS]


def _with_minimiser(f: Function, where: list[Vector]) -> list[Vector]:
    needed = f.polyak_lojasiewicz is not None and f.minimiser not in where
    return [*where, f.minimiser] if needed else where


def _fact(condition: Any, name: str = "") -> Fact | None:
    text = name or sp.sstr(condition)
    if isinstance(condition, sp.Le | sp.Lt):
        return Fact(text, sp.expand(condition.rhs - condition.lhs), strict=isinstance(condition, sp.Lt))
    if isinstance(condition, sp.Ge | sp.Gt):
        return Fact(text, sp.expand(condition.lhs - condition.rhs), strict=isinstance(condition, sp.Gt))
    if isinstance(condition, sp.Eq):
        return Fact(text, sp.expand(condition.lhs - condition.rhs), equation=True)
    return None


class Problem:
    """The relation as a linear one: rows of coefficients for the target and for every fact."""

    def __init__(self, statement: Statement, facts: Sequence[Fact]):
        self.statement = statement
        gap = sp.expand(statement.right - statement.left)
        self.roots: dict[Any, Any] = {}  # a symbol for every norm, and what is under the root
        target = self._rooted(gap)
        rooted = [Fact(f.text, self._rooted(f.expression), f.equation, f.strict) for f in facts]
        self.facts: list[Fact] = []
        self.rows: list[Row] = []
        self.target = self._row(target)
        for fact in self._products([*rooted, *self._slopes(), *self._norms()]):
            try:
                row = self._row(fact.expression)
            except NotLinear:
                continue
            if row and row not in self.rows:
                self.facts.append(fact)
                self.rows.append(row)
        monomials = {m for row in (self.target, *self.rows) for m in row}
        self.vectors = sorted(
            {b for m in monomials for a in m if isinstance(a, Inner) for b in a.bases}, key=lambda b: b.order
        )
        self.scalars = [sp.S.One, *self.roots]
        self.sequences = sorted(
            {b for m in monomials for a in m if isinstance(a, Centred) for b in a.bases},
            key=lambda b: b.order,
        )
        self.free = sorted((m for m in monomials if not self._in_matrix(m)), key=str)

    def _rooted(self, e: Any) -> Any:
        """The expression with a symbol for every root of something with vectors in it."""
        swap = {}
        for p in e.atoms(sp.Pow):
            if p.base.atoms(Atom) and not p.exp.is_Integer:
                if not (p.exp.is_Rational and p.exp.q == 2):
                    raise NotLinear(f"the power {p}")
                swap[p] = self._root(sp.expand(p.base)) ** p.exp.p
        return sp.expand(_outside(e, swap)) if swap else e

    def _root(self, base: Any) -> Any:
        for symbol, known in self.roots.items():
            if known == base:
                return symbol
        symbol = sp.Dummy(f"n_{len(self.roots) + 1}", nonnegative=True)
        self.roots[symbol] = base
        return symbol

    def _norms(self) -> Iterator[Fact]:
        """What is known of norms: n >= 0, n^2 = <u, u>, and Cauchy-Schwarz for every pair."""
        vectors = {n: _vector(base) for n, base in self.roots.items()}
        for n, base in self.roots.items():
            yield Fact(f"sqrt({base}) >= 0", n)
            yield Fact(f"the square of sqrt({base})", sp.expand(n**2 - base), equation=True)
        for (n, u), (m, v) in itertools.combinations(vectors.items(), 2):
            yield Fact(f"sqrt({self.roots[n]})*sqrt({self.roots[m]}) >= 0", n * m)
            if u is not None and v is not None:
                for sign in (1, -1):
                    text = f"Cauchy-Schwarz for {u} and {v if sign == 1 else -v}"
                    yield Fact(text, sp.expand(n * m - sign * inner(u, v)))
        known = [(n, u) for n, u in vectors.items() if u is not None]
        for (n, u), (m, v), (k, w) in itertools.permutations(known[:5], 3):
            if n.name < m.name and w in (u + v, u - v, v - u, -u - v):
                yield Fact(f"the triangle inequality for {w}", n + m - k)

    def _slopes(self) -> Iterator[Fact]:
        """Among norms: how far gradients of smooth functions are apart."""
        if not self.roots:
            return
        for f, where in self.statement.functions.items():
            for x, y in itertools.combinations(where if f.smooth is not None else [], 2):
                change, distance = norm2(f.gradient(x) - f.gradient(y)), norm2(x - y)
                known = {b for a in change.atoms(Inner) for b in a.bases} <= self._present
                if len(self.roots) < MOST_ROOTS and known:
                    n, m = self._root(sp.expand(distance)), self._root(sp.expand(change))
                    yield Fact(f"lipschitz_gradient of {f} at {x}, {y}", f.smooth * n - m)

    @cached_property
    def _present(self) -> set[Basis]:
        """The vectors in inner products of the relation and its hypotheses."""
        statement = self.statement
        whole = (statement.left, statement.right, *statement.vectorial)
        return {b for e in whole for a in e.atoms(Inner) for b in a.bases}

    def _products(self, facts: Sequence[Fact]) -> Iterator[Fact]:
        """The facts, and products with norms where these can help: of facts about norms with any norm, of
        facts with values by the norms that the values of the target are multiplied by.
        """
        yield from facts
        mixed = [m for m in self.target if len(m) > 1 and not set(m) <= set(self.roots)]
        beside = sorted({r for m in mixed for r in m if r in self.roots}, key=str)
        for fact in facts:
            atoms, used = fact.expression.atoms(Atom), set(self.roots) & fact.expression.free_symbols
            linear = not atoms and used and sp.Poly(fact.expression, *used).total_degree() == 1
            valued = any(not isinstance(a, Inner | Centred) for a in atoms)
            for r in self.roots if linear else beside if valued else ():
                name = f"{fact.text}, times sqrt({self.roots[r]})"
                yield Fact(name, sp.expand(fact.expression * r), fact.equation)

    def _row(self, e: Any) -> Row:
        row: Row = {}
        for term in sp.Add.make_args(sp.expand(e)):
            monomial: list[Any] = []
            coefficient: list[Any] = []
            for factor in sp.Mul.make_args(term):
                base, power = factor.as_base_exp()
                if isinstance(base, Atom | sp.Sum) or base in self.roots:
                    if not (power.is_Integer and power > 0):
                        raise NotLinear(f"the power {factor}")
                    monomial += [base] * int(power)
                elif factor.atoms(Atom) or factor.free_symbols & set(self.roots):
                    raise NotLinear(f"the factor {factor}")
                else:
                    coefficient.append(factor)
            key = tuple(sorted(monomial, key=str))
            if len(key) > 3 or sum(factor not in self.roots for factor in key) > 1:
                raise NotLinear(f"the product {term}")
            row[key] = row.get(key, ZERO) + sp.Mul(*coefficient)
        return {m: c for m, c in row.items() if not _vanishes(c)}

    def _in_matrix(self, monomial: Monomial) -> bool:
        """Whether a monomial is an entry of one of the matrices; the others must cancel."""
        if len(monomial) == 1:
            return self._block(monomial[0]) is not None
        return len(monomial) <= 2 and all(factor in self.roots for factor in monomial)

    def _block(self, factor: Any) -> int | None:
        """Which matrix an atom is an entry of; None for values."""
        if isinstance(factor, Inner):
            return 0
        if isinstance(factor, Centred):
            return 2
        return 1 if factor in self.roots else None

    @property
    def blocks(self) -> list[list[Any]]:
        """What the rows and columns of the three matrices stand for."""
        return [self.vectors, self.scalars, self.sequences]

    def entry(self, monomial: Monomial) -> tuple[int, int, int] | None:
        """The matrix, the row and the column of a monomial; None for values, which must cancel."""
        if monomial in self._free:
            return None
        which = self._block(monomial[0]) if len(monomial) == 1 else 1
        if which == 1:
            pair = (*monomial, *[sp.S.One] * (2 - len(monomial)))
            return 1, self.scalars.index(pair[0]), self.scalars.index(pair[1])
        assert which is not None
        u, v = monomial[0].bases
        return which, self.blocks[which].index(u), self.blocks[which].index(v)

    @cached_property
    def _free(self) -> set[Monomial]:
        return set(self.free)

    def matrices(self, row: Row) -> list[sp.Matrix]:
        """The symmetric matrices of a row: for the Gram matrix, for the norms and 1, for centred
        sequences.
        """
        found = [sp.zeros(len(names), len(names)) for names in self.blocks]
        for m, c in row.items():
            if (place := self.entry(m)) is not None:
                _put(found[place[0]], place[1], place[2], c)
        return found

    def remainder(self, multipliers: Mapping[int, Any]) -> Row:
        """rhs - lhs - sum_i lambda_i fact_i."""
        rest = dict(self.target)
        for i, factor in multipliers.items():
            for m, c in self.rows[i].items():
                rest[m] = rest.get(m, ZERO) - factor * c
        return {m: c for m, c in ((m, _tidied(c)) for m, c in rest.items()) if c != 0}


def _outside(e: Any, rule: Mapping[Any, Any]) -> Any:
    """The expression with parts replaced, but not inside of its atoms: the points of functions stay as they
    are.
    """
    if e in rule:
        return rule[e]
    if isinstance(e, Atom) or not e.args:
        return e
    return e.func(*[_outside(arg, rule) for arg in e.args])


def _put(matrix: sp.Matrix, i: int, j: int, c: Any) -> None:
    if i == j:
        matrix[i, i] += c
    else:
        matrix[i, j] += c / 2
        matrix[j, i] += c / 2


def _tidied(c: Any) -> Any:
    tidy = sp.cancel(sp.together(c))
    if tidy != 0 and tidy.atoms(sp.Pow) and any(not p.exp.is_Integer for p in tidy.atoms(sp.Pow)):
        tidy = sp.simplify(tidy)
    return tidy


def _vanishes(c: Any) -> bool:
    return bool(c == 0 or (c.free_symbols and _tidied(c) == 0))


def _vector(square: Any) -> Vector | None:
    """u with <u, u> = square, if the square is written as one with coefficients that have roots."""
    coefficients: dict[tuple[Basis, Basis], Any] = {}
    for term in sp.Add.make_args(square):
        atoms = [a for a in sp.Mul.make_args(term) if isinstance(a, Inner)]
        if len(atoms) != 1 or (term / atoms[0]).atoms(Atom):
            return None
        u, v = atoms[0].bases
        c = term / atoms[0]
        coefficients[u, v] = coefficients.get((u, v), ZERO) + (c if u == v else c / 2)
    bases = sorted({b for pair in coefficients for b in pair}, key=lambda b: b.order)

    def entry(u: Basis, v: Basis) -> Any:
        return coefficients.get((u, v), coefficients.get((v, u), ZERO))

    for lead in bases:
        root = sp.sqrt(entry(lead, lead))
        if root != 0 and not any(isinstance(p, sp.Pow) and not p.exp.is_Integer for p in root.atoms(sp.Pow)):
            found = Vector.combination({b: entry(lead, b) / root for b in bases})
            if _tidied(sp.expand(inner(found, found) - square)) == 0:
                return found
    return None


# ---------------------------------------------------------------------- attempts


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """Multipliers at numbers, or as formulas; or a relation between free variables."""
    if not mentions(relation):
        return GaveUp("no vectors occur in it")
    try:
        statement = Statement(relation)
    except ValueError as why:
        return GaveUp(str(why))
    if isinstance(relation, Equal):
        return Ways(_equal(relation, statement))
    if isinstance(certificate := _numbers(relation, statement), dict):
        return Certificate(certificate)
    return Ways(_reductions(relation, statement, effort))


def _equal(relation: Equal, statement: Statement) -> Iterator[Reduction]:
    left, right = sides_of(relation)
    swap = _free_variables([statement.left, statement.right])
    plain = Equal(statement.left.xreplace(swap), statement.right.xreplace(swap), statement.scalar)
    yield Reduction(
        ((plain, "with a free variable for every inner product and value"),), "an identity in them"
    )
    both = (
        (AtMost(left, right, relation.given), "one way"),
        (AtMost(right, left, relation.given), "the other way"),
    )
    yield Reduction(both, "both inequalities hold")


def _reductions(relation: AtMost, statement: Statement, effort: Effort) -> Iterator[Reduction]:
    if (split := _without_modulus(relation)) is not None:
        yield split
        return
    if relation.multipliers:
        yield _given(relation, statement)
        return
    if (squared := _squared(relation, statement)) is not None:
        yield squared
    yield from _scaled(relation, statement)
    yield from _formulas(relation, statement, effort)
    plain = [fact for fact in statement.instances if fact.plain]
    for facts in (statement.hypotheses, [*statement.hypotheses, *plain]):
        yield _freed(relation, statement, facts)
        if not plain:
            break


def _without_modulus(relation: AtMost) -> Reduction | None:
    """|e| <= b says that e <= b and -e <= b."""
    gap = sp.expand(sp.sympify(relation.rhs) - sp.sympify(relation.lhs))
    for term in sp.Add.make_args(gap):
        c, rest = term.as_independent(*term.atoms(Atom), as_Add=False)
        if isinstance(rest, sp.Abs) and c.is_negative:
            steps = tuple(
                (
                    AtMost(sign * -c * rest.args[0], sp.expand(gap - term), relation.given, relation.strict),
                    f"the modulus of {rest.args[0]}, sign {sign:+d}",
                )
                for sign in (1, -1)
            )
            return Reduction(steps, "a modulus is one of two values")
    return None


def _squared(relation: AtMost, statement: Statement) -> Reduction | None:
    """a <= b follows from a^2 <= b^2 if b >= 0; with norms on either side, squares have fewer of them."""
    if relation.strict or "squared" in relation.by:
        return None
    grouped: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(statement.right - statement.left)):
        atoms = [f for f in sp.Mul.make_args(term) if f.atoms(Atom)]
        grouped[sp.Mul(*atoms)] = grouped.get(sp.Mul(*atoms), ZERO) + term / sp.Mul(*atoms)
    roots = {p for m in grouped for p in m.atoms(sp.Pow) if p.exp == sp.Rational(1, 2) and p.base.atoms(Atom)}
    unsigned = {p: sp.Dummy(nonnegative=True) for p in roots}
    if not roots or not all(m.xreplace(unsigned).is_nonnegative for m in grouped):
        return None
    point = next(iter(fitting.moderate_points(statement.domain, 1, np.random.default_rng(1))), None)
    if point is None:
        return None
    left, right, steps = ZERO, ZERO, []
    for m, c in grouped.items():
        small = bool(c.xreplace(point) < 0)
        left, right = (left - c * m, right) if small else (left, right + c * m)
        size = -c if small else c
        if not size.is_nonnegative:
            steps.append((AtMost(ZERO, size, statement.scalar), f"the coefficient of {m}"))
    square = AtMost(sp.expand(left**2), sp.expand(right**2), relation.given, by=("squared",))
    return Reduction((*steps, (square, "the squares of both sides")), "both sides are nonnegative")


def _scaled(relation: AtMost, statement: Statement) -> Iterator[Reduction]:
    """a <= b follows from n a <= n b for a norm n > 0; where n may be 0, a <= b must hold with 0 for n,
    too.
    """
    if relation.strict or {"scaled", "squared"} & set(relation.by):
        return
    gap = sp.expand(sp.sympify(relation.rhs) - sp.sympify(relation.lhs))
    half = sp.Rational(1, 2)
    written = [gap, *[fact.expression for fact in statement.instances if fact.plain]]
    divided = {p.base for e in written for p in e.atoms(sp.Pow) if p.base.atoms(Atom) and p.exp == -half}
    terms = [t for t in sp.Add.make_args(gap) if t.could_extract_minus_sign()]
    factors = {f for t in terms for f in sp.Mul.make_args(t)}
    smaller = {f.base for f in factors if f.is_Pow and f.exp == half and f.base.atoms(Atom)}
    for base in [*sorted(divided, key=str), *sorted(smaller - divided, key=str)]:
        n, below = sp.sqrt(base), base in divided
        larger = sp.expand(gap * n)
        steps = [(AtMost(ZERO, larger, relation.given, by=("scaled",)), f"both sides times {n}")]
        if not below:
            steps.append((AtMost(ZERO, _outside(gap, {n: ZERO}), relation.given), f"where {n} is 0"))
        yield Reduction(tuple(steps), f"{n} is positive or 0")


def _free_variables(expressions: Sequence[Any]) -> dict[Any, Any]:
    """A plain real symbol for every atom, and for every sum or product over an index that holds one."""
    bound = {w for e in expressions for w in e.atoms(sp.Sum, sp.Product) if w.atoms(Atom)}
    atoms = {a for e in expressions for a in e.atoms(Atom)}
    names = [*sorted(atoms, key=lambda a: (a.name, a.key)), *sorted(bound, key=sp.default_sort_key)]
    taken = [*expressions, *[s for a in atoms for s in a.scalars]]
    swap: dict[Any, Any] = {}
    for k, name in enumerate(names):
        sign = {"nonnegative": True} if isinstance(name, Atom) and name.is_nonnegative else {"real": True}
        swap[name] = fresh(f"v_{k + 1}", taken, **sign)
    return swap


def _freed(relation: AtMost, statement: Statement, facts: Sequence[Fact]) -> Reduction:
    """The same between free variables, with facts and minors of the Gram matrix as hypotheses."""
    roots: dict[Any, Any] = {}
    whole = [statement.left, statement.right, *[f.expression for f in facts]]
    for e in whole:
        for p in e.atoms(sp.Pow):
            if p.base.atoms(Atom) and p.exp.is_Rational and p.exp.q == 2:
                roots.setdefault(sp.expand(p.base), fresh(f"n_{len(roots) + 1}", whole, nonnegative=True))

    def rooted(e: Any) -> Any:
        swap = {
            p: roots[sp.expand(p.base)] ** p.exp.p
            for p in e.atoms(sp.Pow)
            if p.base.atoms(Atom) and p.exp.is_Rational and p.exp.q == 2
        }
        return _outside(e, swap)

    bases = sorted({b for e in whole for a in e.atoms(Inner) for b in a.bases}, key=lambda b: b.order)
    minors = [
        sp.Ge(Inner.between(u, u) * Inner.between(v, v) - Inner.between(u, v) ** 2, 0)
        for u, v in itertools.combinations(bases, 2)
        if len(bases) <= 4
    ]
    if len(bases) == 3:
        gram = sp.Matrix(3, 3, lambda i, j: Inner.between(bases[i], bases[j]))
        minors.append(sp.Ge(sp.expand(gram.det()), 0))
    squares = [sp.Eq(n**2, base) for base, n in roots.items()]
    known = [(sp.Eq if f.equation else sp.Gt if f.strict else sp.Ge)(rooted(f.expression), 0) for f in facts]
    given = [*squares, *known, *minors]
    swap = _free_variables([rooted(statement.left), rooted(statement.right), *given])
    plain = AtMost(
        rooted(statement.left).xreplace(swap),
        rooted(statement.right).xreplace(swap),
        [*statement.scalar, *[g for c in given if (g := c.xreplace(swap)) is not sp.true]],
        relation.strict,
    )
    reason = "with free variables; minors of the Gram matrix and the facts are hypotheses"
    return Reduction(((plain, reason),), "it holds for all numbers that inner products could be")


# ---------------------------------------------------------------------- multipliers


def _problems(statement: Statement) -> Iterator[Problem]:
    """First with the simplest facts, then with all of them."""
    plain = [fact for fact in statement.instances if fact.plain]
    yield Problem(statement, [*statement.hypotheses, *plain])
    if len(plain) < len(statement.instances):
        yield Problem(statement, [*statement.hypotheses, *statement.instances])


def _numbers(relation: AtMost, statement: Statement) -> dict[str, Any] | str:
    """A certificate with rational multipliers, for a relation without parameters."""
    if statement.parameters or relation.multipliers:
        return "there are parameters"
    try:
        for problem in _problems(statement):
            for support in _supports(problem, [{}]):
                for multipliers in _rational_multipliers(problem, support):
                    certificate = _certificate(problem, multipliers)
                    if check(relation, certificate):
                        return certificate
    except NotLinear as why:
        return str(why)
    return "no multipliers were found"


def _rational_multipliers(problem: Problem, support: list[int]) -> Iterator[dict[int, Any]]:
    solved = _solve(problem, {}, support)
    if solved is None:
        return
    for denominator in (1, 2, 12, 60, 1000, 10**5):
        rounded = {
            i: sp.Rational(Fraction(float(v)).limit_denominator(denominator)) for i, v in zip(support, solved)
        }
        yield {i: v for i, v in rounded.items() if v}


def _certificate(problem: Problem, multipliers: Mapping[int, Any]) -> dict[str, Any]:
    used = [(problem.facts[i], v) for i, v in multipliers.items()]
    return {
        "multipliers": [
            [f.text, to_json(f.expression.xreplace(_spelt(problem))), to_json(v)] for f, v in used
        ],
        "summary": _summary(used),
    }


def _spelt(problem: Problem) -> dict[Any, Any]:
    return {n: sp.sqrt(base) for n, base in problem.roots.items()}


def _summary(used: Sequence[tuple[Fact, Any]]) -> str:
    terms = " + ".join(f"({sp.sstr(v)}) * [{f.text}]" for f, v in used)
    return f"rhs - lhs = {terms + ' + ' if terms else ''}a positive semidefinite form"


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Recompute the remainder from the facts of the relation itself, and factor its matrices over the
    rationals.
    """
    statement = Statement(relation)
    for problem in _problems(statement):
        known = {to_text(f.expression.xreplace(_spelt(problem))): i for i, f in enumerate(problem.facts)}
        multipliers: dict[int, Any] = {}
        for _, expression, value in certificate["multipliers"]:
            i = known.get(to_text(from_json(expression)))
            if i is None:
                break
            multipliers[i] = from_json(value)
        else:
            return _holds(problem, multipliers, relation.strict)
    return False


def to_text(e: Any) -> str:
    return sp.srepr(sp.expand(e))


def _holds(problem: Problem, multipliers: Mapping[int, Any], strict: bool) -> bool:
    if any(not v.is_Rational or (v < 0 and not problem.facts[i].equation) for i, v in multipliers.items()):
        return False
    rest = problem.remainder(multipliers)
    if any(m in rest for m in problem.free):
        return False
    matrices = problem.matrices(rest)
    if not all(e.is_Rational for m in matrices for e in m):
        return False
    positive = not strict or any(problem.facts[i].strict and v > 0 for i, v in multipliers.items())
    if not positive:  # a positive constant may be taken out of what remains
        matrices[1][0, 0] -= sp.Rational(1, 10**6)
    return all(semidefinite.ldl(_rows(m)) is not None for m in matrices)


def _rows(m: sp.Matrix) -> semidefinite.Rows:
    return [[Fraction(int(m[i, j].p), int(m[i, j].q)) for j in range(m.shape[1])] for i in range(m.shape[0])]


class Numeric:
    """The coefficients of a problem as functions of the parameters, in floating point."""

    def __init__(self, problem: Problem):
        self.problem = problem
        rows = [problem.target, *problem.rows]
        self.monomials = sorted({m for row in rows for m in row}, key=str)
        table = [row.get(m, ZERO) for row in rows for m in self.monomials]
        self.shape = (len(rows), len(self.monomials))
        self.tables: dict[tuple[float, ...], np.ndarray] = {}
        self.values = compiled(problem.statement.parameters, table)
        self.sizes = [len(names) for names in problem.blocks]
        self.entries = [(k, place) for k, m in enumerate(self.monomials) if (place := problem.entry(m))]
        self.free = [k for k, m in enumerate(self.monomials) if problem.entry(m) is None]

    def table(self, point: Mapping[Any, Any]) -> np.ndarray:
        at = tuple(np.float64(point[s]) for s in self.problem.statement.parameters)
        if at not in self.tables:
            with np.errstate(all="ignore"):
                self.tables[at] = np.array(self.values(*at), dtype=float).reshape(self.shape)
        return self.tables[at]

    def blocks(self, table: np.ndarray) -> list[np.ndarray]:
        """For every row its matrices."""
        found = [np.zeros((len(table), n, n)) for n in self.sizes]
        for k, (which, i, j) in self.entries:
            found[which][:, i, j] += table[:, k] / 2
            found[which][:, j, i] += table[:, k] / 2
        return found


def _numeric(problem: Problem) -> Numeric:
    if not hasattr(problem, "numeric"):
        problem.numeric = Numeric(problem)  # type: ignore[attr-defined]
    return problem.numeric  # type: ignore[attr-defined]


def _solve(
    problem: Problem, point: Mapping[Any, Any], support: Sequence[int], slack: float = 0.0
) -> np.ndarray | None:
    """Multipliers of the facts in the support at one value of the parameters, the least in sum, or None.

    With some slack the matrices need be positive semidefinite only nearly, which a solver finds more easily.
    """
    clarabel = engine("clarabel", "sdp")
    from scipy.sparse import csc_matrix

    numeric = _numeric(problem)
    table = numeric.table(point)
    if not np.all(np.isfinite(table)):
        return None
    chosen = [0, *[i + 1 for i in support]]
    scale = np.maximum(np.abs(table[chosen]).max(axis=1, initial=0.0), 1e-9)
    table = table[chosen] / scale[:, None]
    blocks = numeric.blocks(table)
    kernel = _common_kernel(blocks[0])
    blocks[0] = np.einsum("ai,kij,bj->kab", kernel, blocks[0], kernel)
    m = len(support)
    if m == 0:
        return np.zeros(0) if _feasible(table, numeric, blocks) else None
    columns, right, cones = [], [], []
    if numeric.free:
        columns.append(table[1:, numeric.free].T)
        right.append(table[0, numeric.free])
        cones.append(clarabel.ZeroConeT(len(numeric.free)))
    signed = [k for k, i in enumerate(support) if not problem.facts[i].equation]
    if signed:
        part = np.zeros((len(signed), len(support)))
        part[range(len(signed)), signed] = -1.0
        columns.append(part)
        right.append(np.zeros(len(signed)))
        cones.append(clarabel.NonnegativeConeT(len(signed)))
    for block in blocks:
        size = block.shape[1]
        if size:
            columns.append(np.array([_packed(m) for m in block[1:]]).reshape(len(support), -1).T)
            right.append(_packed(block[0] + slack * np.eye(size)))
            cones.append(clarabel.PSDTriangleConeT(size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_feas = settings.tol_gap_abs = settings.tol_gap_rel = 1e-10
    weights = np.array([0.0 if problem.facts[i].equation else 1.0 for i in support])
    a, b = np.vstack(columns), np.concatenate(right)
    solver = clarabel.DefaultSolver(csc_matrix((m, m)), weights, csc_matrix(a), b, cones, settings)
    solution = solver.solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        return None
    return np.asarray(solution.x) * scale[0] / scale[1:]


def _feasible(table: np.ndarray, numeric: Numeric, blocks: list[np.ndarray]) -> bool:
    return bool(np.all(np.abs(table[0, numeric.free]) < 1e-9)) and all(
        float(np.linalg.eigvalsh(b[0])[0]) > -1e-9 for b in blocks if b.shape[1]
    )


def _common_kernel(matrices: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the complement of what every matrix sends to 0, as rows: a statement that
    does not change if all points move together has such a kernel, and the solver works better without it.
    """
    n = matrices.shape[1]
    if n == 0:
        return np.zeros((0, 0))
    _, values, basis = np.linalg.svd(matrices.reshape(-1, n), full_matrices=True)
    rank = int(np.sum(values > 1e-9 * max(1.0, float(values[0]) if len(values) else 1.0)))
    return basis[:rank]


def _packed(m: np.ndarray) -> np.ndarray:
    """The upper triangle by columns, what is off the diagonal times the root of two."""
    n = len(m)
    return np.array([m[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(n) for i in range(j + 1)])


def _supports(problem: Problem, where: Sequence[Mapping[Any, Any]]) -> Iterator[list[int]]:
    """Small sets of facts that suffice at the first points, found by leaving out one after the other."""
    everything = list(range(len(problem.facts)))
    first = _solve(problem, where[0], everything, SLACK)
    if first is None:
        return
    equations = [i for i in everything if problem.facts[i].equation]
    small = [i for i, v in zip(everything, first) if abs(v) > 1e-6 or i in equations]
    seen: set[tuple[int, ...]] = set()
    orders = [everything, small, everything[::-1]] if len(everything) <= 40 else [small]
    for start in orders:
        support = _pruned(problem, where[:3], list(start))
        if support is not None and tuple(sorted(support)) not in seen:
            seen.add(tuple(sorted(support)))
            yield sorted(support)


def _pruned(problem: Problem, where: Sequence[Mapping[Any, Any]], support: list[int]) -> list[int] | None:
    def suffices(chosen: Sequence[int]) -> bool:
        return all(_solve(problem, p, chosen, SLACK) is not None for p in where)

    if not suffices(support):
        return None
    for i in reversed(support.copy()):
        rest = [k for k in support if k != i]
        if suffices(rest):
            support = rest
    return support


def _formulas(relation: AtMost, statement: Statement, effort: Effort) -> Iterator[Reduction]:
    """Multipliers as formulas in the parameters, guessed from their values at a few points."""
    rng = np.random.default_rng(effort.seed)
    where = fitting.moderate_points(statement.domain, SAMPLES, rng)
    if not where:
        return
    tried: set[Any] = set()
    try:
        for problem in _problems(statement):
            library = fitting.factors(statement.domain, statement.parts)
            for support in _supports(problem, where):
                for multipliers in _fitted(problem, support, where, library):
                    key = tuple(sorted((problem.facts[i].text, sp.srepr(v)) for i, v in multipliers.items()))
                    if key in tried or not _plausible(problem, multipliers, where):
                        continue
                    tried.add(key)
                    if (found := _reduction(relation, problem, multipliers)) is not None:
                        yield found
    except NotLinear:
        return


def _plausible(problem: Problem, multipliers: Mapping[int, Any], where: Sequence[Mapping[Any, Any]]) -> bool:
    """Whether formulas are multipliers at every sampled value of the parameters, in floating point."""
    numeric, parameters = _numeric(problem), problem.statement.parameters
    formulas = compiled(parameters, [sp.sympify(m) for m in multipliers.values()])
    rows = [0, *[i + 1 for i in multipliers]]
    for point in where:
        with np.errstate(all="ignore"):
            values = np.array(formulas(*[np.float64(point[s]) for s in parameters]), dtype=float)
        signed = [v for i, v in zip(multipliers, values) if not problem.facts[i].equation]
        if not np.all(np.isfinite(values)) or min(signed, default=0.0) < -1e-7:
            return False
        table = numeric.table(point)[rows]
        for block in numeric.blocks(table):
            rest = block[0] - np.tensordot(values, block[1:], axes=1)
            if len(rest) and np.linalg.eigvalsh(rest)[0] < -1e-6 * max(1.0, float(np.abs(block[0]).max())):
                return False
    return True


def _fitted(
    problem: Problem, support: list[int], where: Sequence[Mapping[Any, Any]], library: Sequence[Any]
) -> Iterator[dict[int, Any]]:
    """Formulas for the multipliers in the support: those that the values must cancel by are solved for, the
    others are fitted.
    """
    rows = [(p, v) for p in where if (v := _solve(problem, p, support)) is not None]
    if 2 * len(rows) < len(where):  # a solver stumbles now and then where nothing lies inside the cone
        return
    values = np.array([v for _, v in rows])
    unknown = {i: sp.Dummy(f"lambda_{i}") for i in support}
    equations = _equations(problem, unknown, rows)
    solution = sp.solve(equations, list(unknown.values()), dict=True) if equations else [{}]
    if not solution:
        return
    solved = solution[0]
    fitted: dict[Any, Any] = {}
    for k, i in enumerate(support):
        if unknown[i] not in solved:
            formula = fitting.formula(
                values[:, k], [p for p, _ in rows], problem.statement.parameters, library
            )
            if formula is None:
                return
            fitted[unknown[i]] = formula
    final = {i: _tidied(solved.get(u, u).xreplace(fitted)) for i, u in unknown.items()}
    if not any(v.free_symbols & set(unknown.values()) for v in final.values()):
        yield {i: v for i, v in final.items() if v != 0}


def _equations(problem: Problem, unknown: Mapping[int, Any], rows: Sequence[Any]) -> list[Any]:
    """What the multipliers must meet: values cancel, and a row of a matrix vanishes if its diagonal entry
    does.
    """
    rest = dict(problem.target)
    for i, u in unknown.items():
        for m, c in problem.rows[i].items():
            rest[m] = rest.get(m, ZERO) - u * c
    equations = [rest[m] for m in problem.free if m in rest]
    numeric = _numeric(problem)
    for which, matrix in enumerate(problem.matrices(rest)):
        sums = []
        for point, values in rows:
            blocks = numeric.blocks(numeric.table(point))[which]
            chosen = blocks[[i + 1 for i in unknown]]
            sums.append(blocks[0] - np.tensordot(values, chosen, axes=1) if len(chosen) else blocks[0])
        for j in range(matrix.shape[0]):
            if all(abs(s[j, j]) < 1e-6 * max(1.0, float(np.abs(s).max())) for s in sums):
                equations += [e for e in matrix.row(j) if e != 0]
    return [e for e in equations if e != 0]


def _reduction(relation: AtMost, problem: Problem, multipliers: Mapping[int, Any]) -> Reduction | None:
    """What is left to prove once the multipliers are chosen."""
    rest = problem.remainder(multipliers)
    if any(m in rest for m in problem.free):
        return None
    given = problem.statement.scalar
    steps = _denominators(problem, [*multipliers.values(), *rest.values()])
    steps.append((_identity(problem, multipliers, rest), "it adds up, with free variables"))
    positive = not relation.strict
    for i, v in multipliers.items():
        fact = problem.facts[i]
        if not fact.equation and ((fact.strict and not positive) or not (v.is_Rational and v >= 0)):
            claim = AtMost(ZERO, sp.factor(v), given, strict=fact.strict and not positive)
            steps.append((claim, f"the multiplier of {fact.text}"))
            positive = positive or fact.strict
    for matrix, what in zip(problem.matrices(rest), BLOCKS):
        small = _without_kernel(matrix)
        if small.shape[0] == 1:
            alone = not positive and what == "the norms" and len(problem.scalars) == 1
            if alone or not (small[0, 0].is_Rational and small[0, 0] >= 0):
                claim = AtMost(ZERO, sp.factor(small[0, 0]), given, strict=alone)
                steps.append((claim, f"what remains, times {what}"))
            positive = positive or alone
        elif small.shape[0]:
            steps.append((PositiveSemidefinite(small, given), f"what remains, times {what}"))
    used = [(problem.facts[i], v) for i, v in multipliers.items()]
    return Reduction(tuple(steps), _summary(used)) if positive else None


def _identity(problem: Problem, multipliers: Mapping[int, Any], rest: Row) -> Equal:
    """rhs - lhs = sum_i lambda_i fact_i + what remains, as an identity between plain symbols."""
    gap = problem._rooted(sp.expand(problem.statement.right - problem.statement.left))
    total = sp.Add(*[v * problem.facts[i].expression for i, v in multipliers.items()])
    total += sp.Add(*[c * sp.Mul(*m) for m, c in rest.items()])
    names = {n: fresh(f"n_{k + 1}", [gap, total], nonnegative=True) for k, n in enumerate(problem.roots)}
    swap = _free_variables([gap, total]) | names
    return Equal(gap.xreplace(swap), total.xreplace(swap), problem.statement.scalar)


def _denominators(problem: Problem, expressions: Sequence[Any]) -> list[tuple[Any, str]]:
    """Nothing is divided by 0: a step for every factor below a line whose sign is not evident."""
    domain = problem.statement.domain
    point = next(iter(fitting.moderate_points(domain, 1, np.random.default_rng(0))), {})
    steps: dict[Any, tuple[Any, str]] = {}
    for e in expressions:
        for factor, _ in sp.factor_list(sp.fraction(sp.together(e))[1])[1]:
            if not (factor.is_positive or factor.is_negative) and factor not in steps:
                positive = bool(factor.xreplace(point) > 0)
                claim = AtMost(ZERO, factor if positive else -factor, problem.statement.scalar, strict=True)
                steps[factor] = (claim, "it is divided by")
    return list(steps.values())


def _without_kernel(matrix: sp.Matrix) -> sp.Matrix:
    """The matrix without rows and columns that are 0, or that a rational vector in its kernel makes
    superfluous: if M k = 0 and k_i is not 0, then M is positive semidefinite if it is without row and
    column i.
    """
    keep = [i for i in range(matrix.shape[0]) if any(e != 0 for e in matrix.row(i))]
    m = matrix.extract(keep, keep)
    while m.shape[0] > 1:
        n = m.shape[0]
        kernel = next(
            (
                k
                for k in itertools.product((1, 0, -1), repeat=n)
                if n <= 5 and next((c for c in k if c), 0) == 1 and _sends_to_zero(m, k)
            ),
            None,
        )
        if kernel is None:
            break
        drop = next(i for i, c in enumerate(kernel) if c)
        rest = [i for i in range(n) if i != drop]
        m = m.extract(rest, rest)
    return m


def _sends_to_zero(m: sp.Matrix, k: Sequence[int]) -> bool:
    return all(_tidied(sum((m[i, j] * c for j, c in enumerate(k)), ZERO)) == 0 for i in range(m.shape[0]))


def _given(relation: AtMost, statement: Statement) -> Reduction:
    """The multipliers that the claim names."""
    facts = [*statement.hypotheses, *statement.instances]
    named = []
    for condition, value in relation.multipliers:
        fact = _fact(sp.sympify(condition))
        if fact is None:
            raise ValueError(f"Expected a multiplier of a comparison, got {condition}.")
        fact = next((f for f in facts if sp.expand(fact.expression - f.expression) == 0), fact)
        if fact not in facts:
            raise ValueError(f"Expected a multiplier of a hypothesis or a fact of a class, got {fact.text}.")
        named.append((fact, sp.sympify(value)))
    problem = Problem(statement, [f for f, _ in named])
    chosen = {i: v for i, (_, v) in enumerate(named) if i < len(problem.facts)}
    found = _reduction(relation, problem, chosen)
    if found is None:
        raise ValueError("Expected multipliers with which the values cancel.")
    return found
