"""Refutation of a relation about vectors: explicit rational vectors in one to three dimensions, explicit
functions.

search   vectors with small coordinates, parameters from their domain, functions of the class; then uphill
shrink   each number replaced by the simplest that keeps the violation
verify   every inner product, value and gradient computed exactly, every hypothesis and every class checked

Functions are of two kinds, each with its minimiser at `centre` (u = x - centre) and the value `least` there:
    quadratic   f = least + 1/2 sum_i curvature_i u_i^2 + <slope, u>
    bent        one dimension: f = least + corner |u| + 1/2 inside u^2 up to |u| = bend, curvature `outside`
    beyond it
Curvatures are kept as a place between the least and the greatest that the class allows (0 and 1), corners
and slopes as a part of the Lipschitz constant: a parameter may then change and the function stays in its
class. No inner product is ever given a value of its own, so that a witness is always a case that exists.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.language.expectations import LAWS, Draw, Expected, with_law
from dpverify.language.functions import CONSTANTS, Function, Gradient, Minimiser, Value, bases
from dpverify.language.vectors import Atom, Basis, Entry, Inner, Total, Vector
from dpverify.proving.codec import comparison_from_json, comparison_to_json, from_json, to_json
from dpverify.proving.domain import admits, declared, written_out
from dpverify.proving.evaluate import sign, truth
from dpverify.proving.floats import vectorised
from dpverify.proving.vector_statements import Statement
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.verdicts import Witness

QUADRATIC = ("curvature", "slope")  # one number for every dimension
BENT = ("corner", "inside", "bend", "outside")
SIMPLE = np.array([0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, 4, -4, 1 / 3, 5])
Gene = tuple[
    Any, ...
]  # what a number of a realisation is: ("parameter", s), ("vector", name, i), (function, ...)


@dataclass(frozen=True)
class Shape:
    """The dimension, and which kind of function stands for each name."""

    dimension: int
    kind: str


def _shapes(statement: Statement) -> list[Shape]:
    if not statement.functions:
        return [Shape(d, "quadratic") for d in (1, 2, 3)]
    return [Shape(1, "quadratic"), Shape(1, "bent"), Shape(2, "quadratic"), Shape(3, "quadratic")]


class Realiser:
    """Rows of numbers, one for each realisation, and what the relation says of them in floating point."""

    def __init__(self, relation: AtMost | Equal, statement: Statement, shape: Shape):
        self.relation, self.statement, self.shape = relation, statement, shape
        self.names = _named(statement)
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
            state = _State(self, rows)
            parameters = [rows[:, self.place["parameter", s]] for s in self.statement.domain.symbols]
            try:
                values = self.sides(*parameters, *[state.atom(a) for a in self.atoms])
            except (TypeError, ValueError, OverflowError, ZeroDivisionError):
                return np.full(len(rows), -np.inf)
            left, right, *slacks = (_real(v, len(rows)) for v in values)
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

    def scalar(self, e: Any, state: _State, rows: np.ndarray) -> np.ndarray:
        """A scalar of the relation (a coefficient, a constant of a class) at every row."""
        if e.is_number:
            return np.full(len(rows), float(e))
        inside = sorted(e.atoms(Atom), key=lambda a: a.key)
        symbols = [s for s in self.statement.domain.symbols if s in e.free_symbols]
        if e not in self._scalars:
            self._scalars[e] = vectorised([*symbols, *inside], [e])
        columns = [rows[:, self.place["parameter", s]] for s in symbols]
        return _real(self._scalars[e](*columns, *[state.atom(a) for a in inside])[0], len(rows))

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
        state = _State(self, rows)
        for f in self.statement.functions:
            self._sample_function(f, rows, state, rng)
        return rows

    def _parameters(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Values of the parameters, those first that meet the hypotheses on them."""
        domain = self.statement.domain
        many = 6 * count if domain.coupled else count
        columns = []
        for s in domain.symbols:
            simple = [float(v) for v in domain.choices(s)[:20]]
            drawn = domain.sample(s, many, rng)
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
                value = _real(slack, many)
                met &= value <= 1e-12 if c.rel_op in ("<", "<=") else value >= -1e-12
        return np.concatenate([rows[met], rows[~met]])[:count]

    def _sample_function(
        self, f: Function, rows: np.ndarray, state: _State, rng: np.random.Generator
    ) -> None:
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
                i
                for i in np.flatnonzero(self.score(trial) > self._enough)
                if _weight(trial[i]) < _weight(row)
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
                    good = list(np.flatnonzero(self.score(trial) > self._enough))
                    if good:
                        row, changed = trial[good[0]], True
            if not changed:
                break
        return row

    @property
    def _enough(self) -> float:
        return -1e-14 if isinstance(self.relation, AtMost) and self.relation.strict else 1e-9

    def realisation(self, row: np.ndarray) -> Realisation:
        """The row in exact rationals."""
        exact = {gene: Fraction(float(v)).limit_denominator(10**6) for gene, v in zip(self.genes, row)}
        return Realisation(self.shape, exact)


def _weight(row: np.ndarray) -> int:
    return sum(len(str(Fraction(float(v)).limit_denominator(10**6))) for v in row)


def _size(value: Fraction) -> tuple[int, int]:
    return len(str(value)), abs(value.numerator) + value.denominator


def _real(values: Any, count: int) -> np.ndarray:
    array = np.broadcast_to(np.asarray(values), count)
    if array.dtype == object:
        array = array.astype(complex)
    if np.iscomplexobj(array):
        return np.where(array.imag == 0, array.real, np.nan)
    return array.astype(float)


def _named(statement: Statement) -> list[str]:
    """The vectors that are free to be chosen: those that are no gradients and no minimisers."""
    whole = [statement.left, statement.right, *statement.vectorial]
    return sorted(b.name for b in bases(whole) if not isinstance(b, Gradient | Minimiser))


def _draws(statement: Statement) -> list[Draw]:
    """The noises whose outcomes are among these."""
    whole = [statement.left, statement.right, *statement.vectorial]
    return [b for b in bases(whole) if isinstance(b, Draw)]


class _State:
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
            self.shapes[key] = _unpacked(f, self.constants(f), kept, np.zeros((len(self.rows), 1)))
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
            for excess in _excesses(f, self.constants(f), self._parts(f), least, minimised):
                total = total + np.maximum(excess, 0).sum(axis=1)
        return total


def _unpacked(
    f: Function, constants: Mapping[str, Any], kept: Mapping[str, Any], zero: Any
) -> dict[str, Any]:
    """The numbers of a function from the places that are kept: curvatures between the least and the
    greatest of the class, corners and slopes as parts of the Lipschitz constant, the bend where the
    gradient reaches it.
    """
    high = constants.get("smooth", zero + 2)
    low = constants.get("strongly_convex", constants.get("polyak_lojasiewicz", zero if f.convex else -high))
    bound = constants.get("lipschitz", zero + 1)
    parts = {
        name: low + (high - low) * kept[name] for name in ("curvature", "inside", "outside") if name in kept
    }
    if "lipschitz" in constants:  # such a function is linear far out
        for name in {"curvature", "outside"} & set(parts):
            parts[name] = parts[name] * 0
    if "slope" in kept:
        parts["slope"] = bound * kept["slope"]
    if "corner" in kept:
        parts["corner"] = bound * kept["corner"]
        parts["bend"] = kept["bend"]
        if "lipschitz" in constants:
            steep = parts["inside"] + (parts["inside"] == 0)
            parts["bend"] = kept["bend"] * (bound - parts["corner"]) / steep
    return parts


def _excesses(
    f: Function, constants: Mapping[str, Any], parts: Mapping[str, Any], least: Any, minimised: bool
) -> Iterator[Any]:
    """Numbers that are all <= 0 only if the function is in the class: columns of floats, or of fractions.

    A function that is used with its minimiser, or is Polyak-Lojasiewicz, is asked to be convex here.
    """
    curvatures = [parts[name] for name in ("curvature", "inside", "outside") if name in parts]
    convex = f.convex or minimised
    if "corner" in parts:
        yield -parts["bend"]
        if "smooth" in constants:
            yield abs(parts["corner"])
        yield -parts["corner"] if f.convex else abs(parts["corner"])  # a kink has a subgradient, or nothing
    for c in curvatures:
        if "smooth" in constants:
            yield abs(c) - constants["smooth"]
        if convex:
            yield -c
        for word in ("strongly_convex", "polyak_lojasiewicz"):
            if word in constants:
                yield constants[word] - c
    if minimised and "slope" in parts:
        yield abs(parts["slope"])
    if "lower_bound" in constants:
        yield constants["lower_bound"] - least
    if "lipschitz" in constants:
        if "corner" in parts:
            yield abs(parts["outside"])
            yield abs(parts["corner"]) + abs(parts["inside"] * parts["bend"]) - constants["lipschitz"]
        else:
            yield abs(parts["curvature"])
            yield (parts["slope"] ** 2).sum(axis=1, keepdims=True) - constants["lipschitz"] ** 2


# ---------------------------------------------------------------------- exact


@dataclass(frozen=True)
class Realisation:
    """Rational numbers for the parameters, the coordinates of vectors, and the functions."""

    shape: Shape
    numbers: Mapping[Gene, Fraction]


class Exact:
    """Every atom of a statement at a realisation, in exact arithmetic."""

    def __init__(self, statement: Statement, realisation: Realisation):
        self.statement, self.realisation = statement, realisation
        self.point = {s: _rational(realisation.numbers["parameter", s]) for s in statement.domain.symbols}
        self.known: dict[Any, Any] = {}
        self.functions: dict[str, Concrete] = {}

    def scalar(self, e: Any) -> Fraction:
        """A scalar that must come out rational."""
        value = e.xreplace({a: _rational(self.atom(a)) for a in e.atoms(Atom)}).xreplace(self.point)
        value = value if value.is_Rational else sp.nsimplify(sp.sqrtdenest(value))
        if not value.is_Rational:
            raise ValueError(f"{e} is not rational there")
        return Fraction(int(value.p), int(value.q))

    def _column(self, *start: Any) -> list[Fraction]:
        return [self.realisation.numbers[(*start, i)] for i in range(self.realisation.shape.dimension)]

    def vector(self, v: Vector) -> list[Fraction]:
        total = [Fraction(0)] * self.realisation.shape.dimension
        for b, c in v.parts:
            factor = self.scalar(c)
            total = [t + factor * e for t, e in zip(total, self.basis(b))]
        return total

    def basis(self, b: Basis) -> list[Fraction]:
        if isinstance(b, Gradient):
            return self._function(b.function).gradient(self.vector(b.point))
        if isinstance(b, Minimiser):
            return self._column("function", b.function.name, "centre")
        return self._column("vector", b.name)

    def atom(self, a: Atom) -> Fraction:
        if a not in self.known:
            if isinstance(a, Inner):
                u, v = (self.basis(b) for b in a.bases)
                self.known[a] = sum((x * y for x, y in zip(u, v)), Fraction(0))
            else:
                assert isinstance(a, Value)
                self.known[a] = self._function(a.function).value(self.vector(a.point))
        return self.known[a]

    def _function(self, f: Function) -> Concrete:
        if f.name not in self.functions:
            numbers, shape = self.realisation.numbers, self.realisation.shape
            names, size = (QUADRATIC, shape.dimension) if shape.kind == "quadratic" else (BENT, 1)
            kept = {p: _row([numbers["function", f.name, p, i] for i in range(size)]) for p in names}
            parts = _unpacked(f, self.constants(f), kept, _row([Fraction(0)]))
            self.functions[f.name] = Concrete(
                self._column("function", f.name, "centre"),
                numbers["function", f.name, "least", 0],
                {name: [Fraction(v) for v in row[0]] for name, row in parts.items()},
            )
        return self.functions[f.name]

    def constants(self, f: Function) -> dict[str, Any]:
        """The constants of the class, exactly."""
        return {w: _row([self.scalar(c)]) for w in CONSTANTS if (c := getattr(f, w)) is not None}

    def in_class(self, f: Function) -> bool:
        """Whether the function surely belongs to the class that is declared."""
        concrete = self._function(f)
        parts = {name: _row(values) for name, values in concrete.parts.items()}
        least = _row([concrete.least])
        excesses = _excesses(f, self.constants(f), parts, least, self.statement.minimised(f))
        return all(value <= 0 for excess in excesses for value in excess.flat)

    def possible(self, draw: Draw) -> bool:
        """Whether a noise may come out as it does here: without variance it is its mean."""
        variance = self.scalar(draw.variance)
        return variance > 0 or (variance == 0 and self.basis(draw) == self.vector(draw.mean))

    def breaks(self, relation: AtMost | Equal) -> bool:
        """Whether every hypothesis holds and the relation surely fails."""
        statement = self.statement
        if statement.opaque:
            return False  # a sum that is not written out is no number of its own
        try:
            if not statement.domain.holds(self.point):
                return False
            if not all(self.in_class(f) for f in statement.functions):
                return False
            if not all(self.possible(draw) for draw in _draws(statement)):
                return False
            numbers = {
                a: _rational(self.atom(a))
                for e in (statement.left, statement.right, *statement.vectorial)
                for a in e.atoms(Atom)
            }
        except (ValueError, ZeroDivisionError, TypeError):
            return False
        at = {**self.point, **numbers}
        if not all(truth(_placed(c, at), {}) is True for c in statement.vectorial):
            return False
        gap = _placed(statement.left - statement.right, at)
        strict = isinstance(relation, AtMost) and relation.strict
        try:
            s = sign(gap, {}, zero=strict)
        except (ValueError, TypeError, ZeroDivisionError):
            return False
        if s is None:
            return False
        return s != 0 if isinstance(relation, Equal) else s > 0 or (strict and s == 0)


@dataclass(frozen=True)
class Concrete:
    """An explicit function: its minimiser, the value there, and the parts that `QUADRATIC` or `BENT` name."""

    centre: list[Fraction]
    least: Fraction
    parts: dict[str, list[Fraction]]

    def gradient(self, x: list[Fraction]) -> list[Fraction]:
        u = [a - c for a, c in zip(x, self.centre)]
        if "curvature" in self.parts:
            return [k * a + s for k, s, a in zip(self.parts["curvature"], self.parts["slope"], u)]
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        size, sign_of = abs(u[0]), (u[0] > 0) - (u[0] < 0)
        return [sign_of * (corner + inside * min(size, bend) + outside * max(size - bend, Fraction(0)))]

    def value(self, x: list[Fraction]) -> Fraction:
        u = [a - c for a, c in zip(x, self.centre)]
        if "curvature" in self.parts:
            terms = zip(self.parts["curvature"], self.parts["slope"], u)
            return self.least + sum((k * a * a / 2 + s * a for k, s, a in terms), Fraction(0))
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        size = abs(u[0])
        near, far = min(size, bend), max(size - bend, Fraction(0))
        return (
            self.least
            + corner * size
            + inside * near * near / 2
            + inside * bend * far
            + outside * far * far / 2
        )

    def __str__(self) -> str:
        u = "x" if not any(self.centre) else f"(x - {_written(self.centre)})"
        if "curvature" in self.parts:
            terms = [f"{k}/2*{u}[{i + 1}]^2" for i, k in enumerate(self.parts["curvature"]) if k]
            terms += [f"{s}*{u}[{i + 1}]" for i, s in enumerate(self.parts["slope"]) if s]
            terms += [str(self.least)] if self.least or not terms else []
            return " + ".join(terms)
        (corner,), (inside,), (bend,), (outside,) = (self.parts[part] for part in BENT)
        start = f"{self.least} at {_written(self.centre)}, "
        kink = f"corner {corner}|x| there, " if corner else ""
        return f"{start}{kink}second derivative {inside} up to distance {bend}, {outside} beyond"


def _placed(e: Any, at: Mapping[Any, Any]) -> Any:
    return e.xreplace({k: v for k, v in at.items() if isinstance(k, Atom)}).xreplace(
        {k: v for k, v in at.items() if not isinstance(k, Atom)}
    )


def _row(values: Sequence[Fraction]) -> np.ndarray:
    return np.array([list(values)], dtype=object)


def _rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


def _written(column: Sequence[Fraction]) -> str:
    return str(column[0]) if len(column) == 1 else f"({', '.join(map(str, column))})"


# ---------------------------------------------------------------------- search


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
        enough = realiser._enough
        good = sorted(np.flatnonzero(scores > max(enough, 1e-6))[:400], key=lambda i: _weight(rows[i]))
        good = good or [i for i in np.argsort(-scores, kind="stable")[:6] if scores[i] > enough]
        if hard and not good:
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
        rows = realiser.sample(effort.points if hard else min(400, effort.points), rng)
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
    >>> from dpverify.language import Vector
    >>> f = Function("f", smooth=1, strongly_convex=2)
    >>> inhabited(AtMost(f(Vector("x")), 0), QUICK) is None
    True
    """
    if sp.false in relation.given or _for_every_index(relation):
        return None
    spelt = with_law(relation, "seldom far")
    if spelt is None:
        return model(relation.given, effort)
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
    let |= {name: _written(exact._column("vector", name)) for name in _named(statement)}
    return let | {f"{f}(x)": str(exact._function(f)) for f in statement.functions}


def _witness(
    relation: AtMost | Equal, lengths: Mapping[Any, Any], statement: Statement, found: Realisation
) -> Witness:
    exact = Exact(statement, found)
    d = found.shape.dimension
    let = _let(lengths, statement, found)
    numbers = {a: _rational(exact.atom(a)) for e in (statement.left, statement.right) for a in e.atoms(Atom)}
    at = {**exact.point, **numbers}
    left, right = (_decimal(_placed(e, at)) for e in (statement.left, statement.right))
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
    )


def _decimal(value: Any) -> str:
    return str(value) if value.is_Rational and len(str(value)) <= 12 else f"{float(value):.7g}"


def verify(exact: dict[str, Any]) -> bool:
    """Whether a witness of vectors and functions stands, from its record alone."""
    relation = comparison_from_json(exact)
    if exact["dimension"] not in (1, 2, 3) or exact["functions"] not in ("quadratic", "bent"):
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
