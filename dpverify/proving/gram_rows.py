"""A statement about vectors as a linear one: rows of coefficients, in inner products, values and norms.

target = sum_m c_m m,   m a value, an inner product, a norm, a product of two norms, or times a norm
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from dpverify.language.vectors import Atom, Basis, Inner, Vector, inner, norm2
from dpverify.proving.vector_statements import ZERO, Centred, Fact, Statement

MOST_ROOTS = 6
Monomial = tuple[Any, ...]
Row = dict[Monomial, Any]  # a scalar that is linear in products of at most two atoms, by its coefficients


class NotLinear(ValueError):
    """The relation is not linear in inner products, values and products of two norms."""


class Problem:
    """The relation as a linear one: rows of coefficients for the target and for every fact."""

    def __init__(self, statement: Statement, facts: Sequence[Fact]):
        self.statement = statement
        gap = sp.expand(statement.right - statement.left)
        self.roots: dict[Any, Any] = {}  # a symbol for every norm, and what is under the root
        target = self.rooted(gap)
        rooted = [Fact(f.text, self.rooted(f.expression), f.equation, f.strict) for f in facts]
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

    def rooted(self, e: Any) -> Any:
        """The expression with a symbol for every root of something with vectors in it."""
        swap = {}
        for p in e.atoms(sp.Pow):
            if p.base.atoms(Atom) and not p.exp.is_Integer:
                if not (p.exp.is_Rational and p.exp.q == 2):
                    raise NotLinear(f"the power {p}")
                swap[p] = self._root(sp.expand(p.base)) ** p.exp.p
        return sp.expand(outside(e, swap)) if swap else e

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
            linear = not atoms and used and _linear(fact.expression, used)
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
        matrices = [sp.zeros(len(names), len(names)) for names in self.blocks]
        for m, c in row.items():
            if (place := self.entry(m)) is not None:
                _put(matrices[place[0]], place[1], place[2], c)
        return matrices

    def remainder(self, multipliers: Mapping[int, Any]) -> Row:
        """rhs - lhs - sum_i lambda_i fact_i."""
        rest = dict(self.target)
        for i, factor in multipliers.items():
            for m, c in self.rows[i].items():
                rest[m] = rest.get(m, ZERO) - factor * c
        return {m: c for m, c in ((m, tidied(c)) for m, c in rest.items()) if c != 0}


def _linear(e: Any, symbols: set[Any]) -> bool:
    """Whether an expression is a polynomial of degree 1 in these symbols together."""
    return bool(e.is_polynomial(*symbols)) and sp.Poly(e, *symbols).total_degree() == 1


def outside(e: Any, rule: Mapping[Any, Any]) -> Any:
    """The expression with parts replaced, but not inside of its atoms: the points of functions stay as they
    are.

    >>> x = sp.Symbol("x", real=True)
    >>> outside(x + inner(Vector("u"), Vector("v")), {x: 2})
    <u, v> + 2
    """
    if e in rule:
        return rule[e]
    if isinstance(e, Atom) or not e.args:
        return e
    return e.func(*[outside(arg, rule) for arg in e.args])


def _put(matrix: sp.Matrix, i: int, j: int, c: Any) -> None:
    if i == j:
        matrix[i, i] += c
    else:
        matrix[i, j] += c / 2
        matrix[j, i] += c / 2


@lru_cache(maxsize=20_000)  # the same facts are written as rows for many relations
def tidied(c: Any) -> Any:
    """A coefficient as one fraction, so that 0 is seen.

    >>> x = sp.Symbol("x", positive=True)
    >>> tidied(1 / x - (1 + x) / x + 1)
    0
    """
    tidy = sp.cancel(sp.together(c))
    if tidy != 0 and tidy.atoms(sp.Pow) and any(not p.exp.is_Integer for p in tidy.atoms(sp.Pow)):
        tidy = sp.simplify(tidy)
    return tidy


def _vanishes(c: Any) -> bool:
    return bool(c == 0 or (c.free_symbols and tidied(c) == 0))


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
            vector = Vector.combination({b: entry(lead, b) / root for b in bases})
            if tidied(sp.expand(inner(vector, vector) - square)) == 0:
                return vector
    return None
