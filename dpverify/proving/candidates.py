"""Candidates for a counterexample about vectors: rows of numbers in floating point, one a realisation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.language.functions import CONSTANTS, Function, Gradient, Minimiser, Value, bases
from dpverify.language.vectors import Atom, Basis, Inner, Vector
from dpverify.proving import sampling
from dpverify.proving.concrete import (
    BENT,
    QUADRATIC,
    Gene,
    Realisation,
    Shape,
    class_excesses,
    function_parts,
)
from dpverify.proving.floats import real, vectorised
from dpverify.proving.vector_statements import Statement
from dpverify.relations import AtMost, Equal

SMALL = 3  # dimensions in which the coordinates are free
SIMPLE = np.array([0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, 4, -4, 1 / 3, 5])


class Realiser:
    """Rows of numbers, one for each realisation, and what the relation says of them in floating point."""

    def __init__(self, relation: AtMost | Equal, statement: Statement, shape: Shape):
        self.relation = relation
        self.statement = statement
        self.shape = shape
        self.names = free_vectors(statement)
        d = shape.dimension
        self.genes: list[Gene] = [("parameter", s) for s in statement.domain.symbols]
        self.genes += [("vector", name, i) for name in self.names for i in range(d)]
        for f in statement.functions:
            self.genes += [("function", f.name, "centre", i) for i in range(d)]
            self.genes.append(("function", f.name, "least", 0))
            if shape.kind == "quadratic":
                self.genes += [("function", f.name, part, i) for part in QUADRATIC for i in range(d)]
            else:
                self.genes += [("function", f.name, part, 0) for part in BENT]
        self.place = {gene: k for k, gene in enumerate(self.genes)}
        whole = [statement.left, statement.right, *[c.lhs - c.rhs for c in self._conditions()]]
        self.atoms = sorted({a for e in whole for a in e.atoms(Atom)}, key=lambda a: a.key)
        self.sides = vectorised([*statement.domain.symbols, *self.atoms], whole)
        self._scalars: dict[Any, Callable[..., Any]] = {}

    def _conditions(self) -> list[Any]:
        given = [*self.statement.domain.given, *self.statement.vectorial]
        return [c for c in given if isinstance(c, sp.core.relational.Relational)]

    # -------------------------------------------------------------- floating point, many rows at once

    def score(self, rows: np.ndarray) -> np.ndarray:
        """Positive where the relation is violated and every hypothesis met, else negative."""
        with np.errstate(all="ignore"):
            state = Rows(self, rows)
            parameters = [rows[:, self.place["parameter", s]] for s in self.statement.domain.symbols]
            try:
                values = self.sides(*parameters, *[state.atom(a) for a in self.atoms])
            except (TypeError, ValueError, OverflowError, ZeroDivisionError):
                return np.full(len(rows), -np.inf)
            left, right, *slacks = (real(v, len(rows)) for v in values)
            gap = np.abs(left - right) if isinstance(self.relation, Equal) else left - right
            size = np.abs(left) + np.abs(right)
            result = gap / (size + 1e-6)
            for slack, c in zip(slacks, self._conditions()):
                tolerance = 1e-10 * (1 + size)
                met = {
                    "<": slack < 0,
                    "<=": slack <= tolerance,
                    ">": slack > 0,
                    ">=": slack >= -tolerance,
                    "==": np.abs(slack) < tolerance,
                    "!=": slack != 0,
                }[c.rel_op]
                result = np.where(met, result, -1 - np.abs(slack) / (1 + np.abs(slack)))
            result = np.where(state.outside > 1e-12, -2 - state.outside / (1 + state.outside), result)
            for s in self.statement.domain.symbols:
                low, high = self.statement.domain.bounds[s].ends
                column = rows[:, self.place["parameter", s]]
                if low is not None:
                    result = np.where(column < low, -5.0, result)
                if high is not None:
                    result = np.where(column > high, -5.0, result)
        return np.where(np.isfinite(result), result, -np.inf)

    def scalar(self, e: Any, state: Rows, rows: np.ndarray) -> np.ndarray:
        """A scalar of the relation (a coefficient, a constant of a class) at every row."""
        if e.is_number:
            return np.full(len(rows), float(e))
        inside = sorted(e.atoms(Atom), key=lambda a: a.key)
        symbols = [s for s in self.statement.domain.symbols if s in e.free_symbols]
        if e not in self._scalars:
            self._scalars[e] = vectorised([*symbols, *inside], [e])
        columns = [rows[:, self.place["parameter", s]] for s in symbols]
        return real(self._scalars[e](*columns, *[state.atom(a) for a in inside])[0], len(rows))

    # -------------------------------------------------------------- candidates

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Rows of simple numbers, parameters inside of their bounds, functions of their classes."""
        domain = self.statement.domain
        rows = np.zeros((count, len(self.genes)))
        rows[:, : len(domain.symbols)] = self._parameters(count, rng)
        free = [k for k, g in enumerate(self.genes) if g[0] == "vector"]
        few = rng.random(count) < 0.7
        for k in free:
            rows[:, k] = np.where(few, rng.choice(SIMPLE[:7], count), rng.choice(SIMPLE, count))
        if self.shape.dimension > SMALL:
            rows[:, free] = self._on_axes(rows[:, free], few)
        state = Rows(self, rows)
        for f in self.statement.functions:
            self._sample_function(f, rows, state, rng)
        return rows

    def _on_axes(self, coordinates: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Each vector but one, or each, on an axis of its own, of length 1 in some rows: numbers at random
        are almost never orthogonal.
        """
        count = len(coordinates)
        names = len(self.names)
        d = self.shape.dimension
        free = coordinates.reshape(count, names, d)
        axes = np.where(unit.reshape(count, 1, 1), np.eye(names, d), np.eye(names, d) * free)
        kept = np.arange(count)[:, None] % (names + 1) == np.arange(names)
        return np.where(kept[:, :, None], free, axes).reshape(count, names * d)

    def _parameters(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Values of the parameters, those first that meet the hypotheses on them."""
        domain = self.statement.domain
        many = 6 * count if domain.coupled else count
        columns = []
        for s in domain.symbols:
            simple = [float(v) for v in domain.choices(s)[:20]]
            drawn = sampling.sample(domain, s, many, rng)
            picked = rng.choice(simple, many) if simple else drawn
            rounded = np.where(np.abs(drawn) > 0.1, np.round(drawn, 2), drawn)
            columns.append(np.where(rng.random(many) < 0.6, picked, rounded))
        rows = np.array(columns).reshape(len(columns), many).T
        coupled = [c for c in domain.coupled if isinstance(c, sp.core.relational.Relational)]
        if not coupled:
            return rows[:count]
        with np.errstate(all="ignore"):
            slacks = vectorised(domain.symbols, [c.lhs - c.rhs for c in coupled])(*rows.T)
            met = np.ones(many, dtype=bool)
            for slack, c in zip(slacks, coupled):
                value = real(slack, many)
                met &= value <= 1e-12 if c.rel_op in ("<", "<=") else value >= -1e-12
        return np.concatenate([rows[met], rows[~met]])[:count]

    def _sample_function(self, f: Function, rows: np.ndarray, state: Rows, rng: np.random.Generator) -> None:
        count = len(rows)

        def put(part: str, i: int, values: Any) -> None:
            rows[:, self.place["function", f.name, part, i]] = values

        moved = rng.random(count) < 0.4
        for i in range(self.shape.dimension):
            put("centre", i, np.where(moved, rng.choice(SIMPLE, count), 0.0))
        if f.lower_bound is not None:
            put("least", 0, self.scalar(f.lower_bound, state, rows))
        places = [0, 1, 0, 1, 0.5, 0.25, 0.75]
        if self.shape.kind == "bent":
            put("inside", 0, rng.choice(places, count))
            put("outside", 0, rng.choice(places, count) if f.lipschitz is None else 0.0)
            put("bend", 0, rng.choice([0.5, 1.0, 2.0, 0.25], count))
            if f.smooth is None:
                put("corner", 0, rng.choice([0.0, 1.0, 1.0, 0.5], count))
            return
        for i in range(self.shape.dimension):
            if f.lipschitz is None:
                put("curvature", i, rng.choice(places, count))
            if not self.statement.minimised(f):
                sloped = rng.random(count) < (0.3 if f.lipschitz is None else 1.0)
                put("slope", i, rng.choice([1.0, -1.0, 0.5, 0.0], count) * sloped)

    def climb(
        self, rows: np.ndarray, scores: np.ndarray, rng: np.random.Generator, rounds: int
    ) -> np.ndarray:
        """The rows that are left after rounds of small random changes to the best ones."""
        for _ in range(rounds):
            best = np.argsort(-scores, kind="stable")[:24]
            parents = rows[best][rng.integers(0, len(best), 480)]
            size = rng.choice([1.0, 0.3, 0.1, 0.02], (len(parents), 1))
            changed = rng.random(parents.shape) < 0.35
            children = parents * np.where(changed, np.exp(size * rng.normal(size=parents.shape)), 1.0)
            children += np.where(
                changed & (rng.random(parents.shape) < 0.5), size * rng.normal(size=parents.shape), 0
            )
            whole = [self.place["parameter", s] for s in self.statement.domain.symbols if s.is_integer]
            children[:, whole] = np.round(children[:, whole])
            rows = np.concatenate([rows[best], children])
            scores = np.concatenate([scores[best], self.score(children)])
        return rows[np.argsort(-scores, kind="stable")[:24]]

    def shrink(self, row: np.ndarray) -> np.ndarray:
        """The row with each number replaced by the simplest that keeps the violation."""
        together = [k for k, gene in enumerate(self.genes) if gene[0] == "vector" or "centre" in gene]
        for _ in range(3):
            changed = False
            trial = np.tile(row, (5, 1))
            trial[:, together] *= np.array([[-1.0], [0.5], [1 / 3], [0.25], [0.2]])
            good = [
                i for i in np.flatnonzero(self.score(trial) > self.enough) if weight(trial[i]) < weight(row)
            ]
            if good:
                row, changed = trial[good[0]], True
            for k in range(len(row)):
                value = Fraction(float(row[k])).limit_denominator(10**6)
                options = [Fraction(v).limit_denominator(100) for v in SIMPLE]
                options += [value.limit_denominator(n) for n in (1, 2, 3, 4, 5, 8, 10, 20, 100)]
                simpler = [o for o in dict.fromkeys(options) if _size(o) < _size(value)]
                simpler.sort(key=_size)
                trial = np.tile(row, (len(simpler), 1))
                trial[:, k] = [float(o) for o in simpler]
                if len(trial):
                    good = list(np.flatnonzero(self.score(trial) > self.enough))
                    if good:
                        row, changed = trial[good[0]], True
            if not changed:
                break
        return row

    @property
    def enough(self) -> float:
        return -1e-14 if isinstance(self.relation, AtMost) and self.relation.strict else 1e-9

    def realisation(self, row: np.ndarray) -> Realisation:
        """The row in exact rationals."""
        exact = {gene: Fraction(float(v)).limit_denominator(10**6) for gene, v in zip(self.genes, row)}
        return Realisation(self.shape, exact)


def weight(row: np.ndarray) -> int:
    return sum(len(str(Fraction(float(v)).limit_denominator(10**6))) for v in row)


def _size(value: Fraction) -> tuple[int, int]:
    return len(str(value)), abs(value.numerator) + value.denominator


def free_vectors(statement: Statement) -> list[str]:
    """The vectors that are free to be chosen: those that are no gradients and no minimisers."""
    whole = [statement.left, statement.right, *statement.vectorial]
    return sorted(b.name for b in bases(whole) if not isinstance(b, Gradient | Minimiser))


class Rows:
    """Vectors, gradients and values at every row, each computed once."""

    def __init__(self, realiser: Realiser, rows: np.ndarray):
        self.realiser, self.rows = realiser, rows
        self.known: dict[Any, np.ndarray] = {}
        self.shapes: dict[Any, dict[str, np.ndarray]] = {}

    def _genes(self, *start: Any, size: int) -> np.ndarray:
        places = [self.realiser.place[(*start, i)] for i in range(size)]
        return self.rows[:, places]

    def atom(self, a: Atom) -> np.ndarray:
        if a not in self.known:
            if isinstance(a, Inner):
                u, v = (self.basis(b) for b in a.bases)
                self.known[a] = np.sum(u * v, axis=1)
            else:
                assert isinstance(a, Value)
                self.known[a] = self._value(a.function, self.vector(a.point))
        return self.known[a]

    def vector(self, v: Vector) -> np.ndarray:
        total = np.zeros((len(self.rows), self.realiser.shape.dimension))
        for b, c in v.parts:
            total = total + self.realiser.scalar(c, self, self.rows)[:, None] * self.basis(b)
        return total

    def basis(self, b: Basis) -> np.ndarray:
        if b not in self.known:
            d = self.realiser.shape.dimension
            if isinstance(b, Gradient):
                self.known[b] = self._gradient(b.function, self.vector(b.point))
            elif isinstance(b, Minimiser):
                self.known[b] = self._genes("function", b.function.name, "centre", size=d)
            else:
                self.known[b] = self._genes("vector", b.name, size=d)
        return self.known[b]

    def _parts(self, f: Function) -> dict[str, np.ndarray]:
        """The numbers of a function, one column for every dimension."""
        key = ("parts", f.name)
        if key not in self.shapes:
            quadratic = self.realiser.shape.kind == "quadratic"
            size = self.realiser.shape.dimension if quadratic else 1
            kept = {
                p: self._genes("function", f.name, p, size=size) for p in (QUADRATIC if quadratic else BENT)
            }
            self.shapes[key] = function_parts(f, self.constants(f), kept, np.zeros((len(self.rows), 1)))
        return self.shapes[key]

    def constants(self, f: Function) -> dict[str, np.ndarray]:
        """The constants of the class, a column each."""
        return {
            w: self.realiser.scalar(c, self, self.rows)[:, None]
            for w in CONSTANTS
            if (c := getattr(f, w)) is not None
        }

    def _gradient(self, f: Function, x: np.ndarray) -> np.ndarray:
        u, parts = x - self._genes("function", f.name, "centre", size=x.shape[1]), self._parts(f)
        if "curvature" in parts:
            return parts["curvature"] * u + parts["slope"]
        corner, inside, bend, outside = (parts[name] for name in BENT)
        size = np.abs(u)
        return np.sign(u) * (corner + inside * np.minimum(size, bend) + outside * np.maximum(size - bend, 0))

    def _value(self, f: Function, x: np.ndarray) -> np.ndarray:
        u, parts = x - self._genes("function", f.name, "centre", size=x.shape[1]), self._parts(f)
        least = self._genes("function", f.name, "least", size=1)
        if "curvature" in parts:
            return np.sum(parts["curvature"] * u**2 / 2 + parts["slope"] * u, axis=1) + least[:, 0]
        corner, inside, bend, outside = (parts[name] for name in BENT)
        size = np.abs(u)
        near, far = np.minimum(size, bend), np.maximum(size - bend, 0)
        bent = corner * size + inside * near**2 / 2 + inside * bend * far + outside * far**2 / 2
        return (least + bent)[:, 0]

    @property
    def outside(self) -> np.ndarray:
        """By how much the functions miss their classes, at every row."""
        total = np.zeros(len(self.rows))
        for f in self.realiser.statement.functions:
            least = self._genes("function", f.name, "least", size=1)
            minimised = self.realiser.statement.minimised(f)
            for excess in class_excesses(f, self.constants(f), self._parts(f), least, minimised):
                total = total + np.maximum(excess, 0).sum(axis=1)
        return total
