"""Where a relation is claimed: its symbols with their assumptions, its hypotheses, the box that encloses
them, whether a point lies inside.

Hypotheses that are equations for a symbol (`Eq(gamma, 1 - 1/kappa)`) are substituted away. Integer symbols in
the limits of sums, or in the indices of sequences, are *lengths*: a search fixes them to small numbers and
then sees finitely many reals.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.assumptions import KINDS, admits, declared, is_of_kind
from dpverify.proving.evaluate import truth
from dpverify.proving.floats import real, walked
from dpverify.proving.intervals import Bounds, assumed, bounds_from, simple_floats, simple_numbers
from dpverify.proving.symbols import entries_of, free_in, running, symbolic_powers, symbols_of
from dpverify.proving.writing_out import at_lengths, put_in, written_out
from dpverify.relations import AtMost, Equal, sides_of

LARGEST_EXPONENT = 10_000  # of a power that is written out as a number


def _put(e: Any, values: Mapping[Any, Any]) -> Any:
    """The expression or hypothesis with values for symbols that equations define."""
    return _put_once(e, tuple(values.items())) if values and isinstance(e, sp.Basic) else e.xreplace(values)


@lru_cache(maxsize=20_000)  # the steps of a proof have most of their hypotheses in common
def _put_once(e: Any, values: tuple[tuple[Any, Any], ...]) -> Any:
    return e.xreplace(dict(values))


class Domain:
    """The symbols of some expressions, the hypotheses on them, and whether a point satisfies these.

    >>> x = sp.Symbol("x", positive=True)
    >>> d = Domain([x], [x < 1])
    >>> d.bounds[x].high, d.holds({x: sp.Rational(1, 2)}), d.holds({x: sp.Integer(2)})
    (1, True, False)
    """

    def __init__(self, expressions: Sequence[Any], given: Sequence[Any]):
        self.defined: dict[Any, Any] = {}  # symbols that an equation among the hypotheses defines
        conditions = [sp.sympify(g) for g in given]
        flat: list[Any] = []
        for c in conditions:
            flat.extend(c.args if isinstance(c, sp.And) else [c])
        rest = []
        for c in flat:
            c = _put(c, self.defined)
            if isinstance(c, sp.Eq) and (found := self.definition(c)) is not None:
                symbol, value = found
                self.defined = {
                    k: sp.sympify(v).xreplace({symbol: value}) for k, v in self.defined.items()
                } | {symbol: value}
                for inherited in self.inherited(symbol, value):
                    rest.append(inherited)
            else:
                rest.append(c)
        held = [c for g in rest if (c := _put(g, self.defined)) is not sp.true]
        self.expressions = [written_out(_put(sp.sympify(e), self.defined)) for e in expressions]
        self.running = running(self.expressions, held)
        self.given = [c for c in held if not free_in(c) & self.running]
        self.at_every = [c for c in held if free_in(c) & self.running]  # hypotheses at every index
        # What a definition is made of may stand nowhere else, and needs a value all the same.
        self.symbols = symbols_of(*self.expressions, *self.given, *self.at_every, *self.defined.values())
        self.symbols = [s for s in self.symbols if s not in self.running]
        self._fixed: dict[Any, list[Any]] = {}
        self._entries: dict[Any, list[sp.Indexed]] = {}
        self._walked: dict[Any, Callable[..., list[Any]] | None] = {}  # sides or hypotheses, by the lengths
        self._failed = 0  # the place of the hypothesis that was not met last

    @staticmethod
    def definition(equation: sp.Eq) -> tuple[sp.Symbol, Any] | None:
        """The symbol that an equation defines, and what it stands for."""
        for symbol, value in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            if isinstance(symbol, sp.Symbol) and symbol not in value.free_symbols:
                return symbol, value
        return None

    @staticmethod
    def inherited(symbol: sp.Symbol, value: Any) -> Iterator[Any]:
        """What the assumptions on a defined symbol say about its definition."""
        if symbol.is_positive and not value.is_positive:
            yield sp.Gt(value, 0)
        elif symbol.is_nonnegative and not value.is_nonnegative:
            yield sp.Ge(value, 0)
        if symbol.is_nonzero and not (symbol.is_positive or symbol.is_negative):
            yield sp.Ne(value, 0)
        if symbol.is_negative and not value.is_negative:
            yield sp.Lt(value, 0)
        elif symbol.is_nonpositive and not value.is_nonpositive:
            yield sp.Le(value, 0)

    @cached_property
    def bounds(self) -> dict[sp.Symbol, Bounds]:
        """The tightest interval per symbol that assumptions and one-symbol hypotheses give (integers: whole
        ends).
        """
        result = {s: assumed(s) for s in self.symbols}
        for condition in self.given:
            found = bounds_from(condition)
            if found and found[0] in result:
                result[found[0]] = result[found[0]].meet(found[1])
        return {s: b.whole() if s.is_integer else b for s, b in result.items()}

    @cached_property
    def coupled(self) -> list[Any]:
        """The hypotheses that are not bounds on one symbol."""
        return [c for c in self.given if not ((found := bounds_from(c)) and found[0] in self.bounds)]

    @cached_property
    def lengths(self) -> list[sp.Symbol]:
        """The integer symbols that stand in limits of sums or in indices."""
        structural: set[Any] = set()
        for e in (*self.expressions, *self.given, *self.defined.values()):
            for total in e.atoms(sp.Sum, sp.Product):
                for limit in total.limits:
                    structural |= limit[1].free_symbols | limit[2].free_symbols
            for entry in e.atoms(sp.Indexed):
                structural |= {s for i in entry.indices for s in i.free_symbols}
        for c in self.at_every:
            structural |= c.free_symbols - self.running if not c.atoms(sp.Indexed) else set()
        return [s for s in self.symbols if s in structural]

    @cached_property
    def _own_lengths(self) -> list[tuple[Any, list[sp.Symbol]]]:
        """The expressions and hypotheses, each with the lengths that stand in it."""
        parts = (*self.expressions, *self.given)
        return [(e, [s for s in self.lengths if s in e.free_symbols]) for e in parts]

    def holds(self, point: Mapping[Any, Any]) -> bool:
        """Whether the point surely satisfies every assumption and hypothesis."""
        for s, value in point.items():
            if not admits(s, value):
                return False
            if s in self.bounds and not self.bounds[s].contains(sp.Rational(value)):
                return False
        if not self._meets(self.fixed(point)[len(self.expressions) :], point):
            return False
        return all(self._defines(s, value, point) for s, value in self.defined.items())

    def _meets(self, conditions: list[Any], point: Mapping[Any, Any]) -> bool:
        """Whether every condition surely holds; the one that failed last is looked at first."""
        last = self._failed
        if last < len(conditions) and truth(conditions[last], point) is not True:
            return False
        for i, condition in enumerate(conditions):
            if i != last and truth(condition, point) is not True:
                self._failed = i
                return False
        return True

    def _defines(self, symbol: sp.Symbol, value: Any, point: Mapping[Any, Any]) -> bool:
        """Whether a symbol that an equation defines has at the point what is assumed of it, apart from signs,
        which are hypotheses of their own.
        """
        if not any(name in KINDS for name, _ in declared(symbol)):
            return True
        numbers = {k: sp.Rational(v) for k, v in point.items()}
        written = written_out(sp.sympify(value))
        exponents = [p.exp.xreplace(numbers) for p in symbolic_powers(written)]
        if any(e.is_number and abs(e) > LARGEST_EXPONENT for e in exponents):
            return False  # it is not written out
        number = written_out(written.xreplace(numbers)).xreplace(numbers)
        return is_of_kind(symbol, number)

    def interval(self, symbol: Any) -> Bounds:
        """The bounds of a symbol or of an entry of a sequence."""
        return self.bounds.get(symbol) or assumed(symbol)

    def choices(self, symbol: Any) -> tuple[sp.Rational, ...]:
        """Simple numbers inside the bounds of a symbol, the simplest first."""
        return simple_numbers(self.interval(symbol), bool(symbol.is_integer))

    def simple_floats(self, symbol: Any) -> np.ndarray:
        """The same as floats."""
        return simple_floats(self.interval(symbol), bool(symbol.is_integer))

    def likely(self, rows: np.ndarray) -> list[int]:
        """Which rows of numbers for the symbols may satisfy the hypotheses, as far as floats can tell.

        >>> x = sp.Symbol("x", positive=True)
        >>> Domain([x], [x < 1]).likely(np.array([[2.0], [0.5]]))
        [1]
        """
        if self.lengths:
            return list(range(len(rows)))
        return np.flatnonzero(self.may_hold({}, self.symbols, list(rows.T), len(rows))).tolist()

    def may_hold(
        self, start: Mapping[Any, Any], names: list[Any], columns: list[np.ndarray], size: int
    ) -> np.ndarray:
        """Which rows may satisfy the hypotheses, as far as floats can tell."""
        given = [
            c
            for c in self.fixed(start)[len(self.expressions) :]
            if isinstance(c, sp.core.relational.Relational) and c.rel_op != "!="
        ]
        likely = np.ones(size, dtype=bool)
        differences = self._in_floats("given", lambda: [c.lhs - c.rhs for c in given], start, names, columns)
        with np.errstate(all="ignore"):
            for condition, values in zip(given, differences or []):
                sign = condition.rel_op
                near = 1e-7 * (1 + np.abs(values))
                low = values <= near if sign != ">" and sign != ">=" else np.full(size, True)
                high = values >= -near if sign != "<" and sign != "<=" else np.full(size, True)
                likely &= low & high
        return likely

    def surely_below(
        self, start: Mapping[Any, Any], names: list[Any], columns: list[np.ndarray], size: int
    ) -> np.ndarray:
        """In which rows the first expression is below the second by far more than floats round."""
        sides = self._in_floats("sides", lambda: self.at(start), start, names, columns)
        if sides is None:
            return np.zeros(size, dtype=bool)
        left, right = (real(side, size) for side in sides)
        with np.errstate(all="ignore"):
            return np.asarray(right - left > 1e-6 * (np.abs(left) + np.abs(right)))  # false of a NaN

    def _in_floats(
        self,
        what: str,
        make: Callable[[], list[Any]],
        start: Mapping[Any, Any],
        names: list[Any],
        columns: list[np.ndarray],
    ) -> list[Any] | None:
        """The values of expressions in every row; None where one holds something that floats do not have."""
        key = (what, self._key(start), *start)
        if key not in self._walked:
            self._walked[key] = walked([*start, *names], make())
        evaluate = self._walked[key]
        with np.errstate(all="ignore"):
            return evaluate and evaluate(*map(np.float64, start.values()), *columns)

    def shortest(self, length: Any) -> int:
        """The least value of a length, or a small one if there is none."""
        b = self.bounds[length]
        return int(b.low) if b.low.is_finite else min(int(b.high) - 6, -2) if b.high.is_finite else -2

    def entries(self, point: Mapping[Any, Any]) -> list[sp.Indexed]:
        """The entries of sequences that occur once the lengths are fixed, in order."""
        key = self._key(point)
        if key not in self._entries:
            found = {entry for e in self.fixed(point) for entry in entries_of(e)}
            self._entries[key] = sorted(found, key=sp.default_sort_key)
        return self._entries[key]

    def _key(self, point: Mapping[Any, Any]) -> tuple[Any, ...]:
        return tuple(sp.Integer(point[s]) for s in self.lengths)

    def at(self, point: Mapping[Any, Any]) -> list[Any]:
        """The expressions alone, as `fixed` writes them out."""
        return self.fixed(point)[: len(self.expressions)]

    def fixed(self, point: Mapping[Any, Any]) -> list[Any]:
        """The expressions and hypotheses with the lengths fixed and the sums written out."""
        key = self._key(point)
        if key not in self._fixed:
            lengths = dict(zip(self.lengths, key))
            plain = [at_lengths(e, tuple((s, lengths[s]) for s in own)) for e, own in self._own_lengths]
            self._fixed[key] = [*plain, *self._instances(plain, lengths)]
        return self._fixed[key]

    def _instances(self, plain: list[Any], lengths: dict[Any, Any]) -> list[Any]:
        """The hypotheses at every index, at the indices of the entries that occur."""
        if not self.at_every:
            return []
        seen = {i for e in plain for entry in e.atoms(sp.Indexed) for i in entry.indices if i.is_Integer}
        if not seen:
            return []
        near = [sp.Integer(i) for i in range(int(min(seen)) - 1, int(max(seen)) + 2)]
        conditions = [c for c in self.at_every if not c.atoms(sp.Indexed)]
        found: list[Any] = []
        for c in self.at_every:
            if c not in conditions:
                own = c.free_symbols
                names = sorted(own & self.running, key=str)
                ranges = [r for r in conditions if r.free_symbols & set(names)]
                for values in itertools.islice(itertools.product(near, repeat=len(names)), 10_000):
                    put = dict(zip(names, values)) | lengths
                    inside = all(admits(n, v) for n, v in zip(names, values)) and all(
                        put_in(r, put) is sp.true for r in ranges
                    )
                    if not inside:  # it says nothing there, and may not even be defined
                        continue
                    here = at_lengths(c, tuple((s, value) for s, value in put.items() if s in own))
                    if here is not sp.true:
                        found.append(here)
        return list(dict.fromkeys(found))


def domain_of(relation: Equal | AtMost) -> Domain:
    """Where the comparison is claimed.

    >>> x = sp.Symbol("x", positive=True)
    >>> domain_of(AtMost(x, 1, (x < 3,))).bounds[x].high
    3
    """
    left, right = sides_of(relation)
    if isinstance(left, sp.MatrixBase) or isinstance(right, sp.MatrixBase):
        return Domain((left, right), relation.given)
    return _domain(left, right, tuple(map(sp.sympify, relation.given)))


@lru_cache(maxsize=256)
def _domain(left: Any, right: Any, given: tuple[Any, ...]) -> Domain:
    """The domain of a comparison, shared by the tactics that look at it one after the other."""
    return Domain((left, right), given)
