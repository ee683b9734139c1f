"""Where a relation is claimed: its symbols with their assumptions, its hypotheses, the box that encloses
them, points inside.

Hypotheses that are equations for a symbol (`Eq(gamma, 1 - 1/kappa)`) are substituted away. Integer symbols in
the limits of sums, or in the indices of sequences, are *lengths*: a search fixes them to small numbers and
then sees finitely many reals.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from dpverify.proving.evaluate import bind, truth
from dpverify.proving.floats import walked

# What may be assumed of a symbol and is seen to at every point.
ENFORCED = (
    "real",
    "rational",
    "integer",
    "noninteger",
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "zero",
    "nonzero",
    "even",
    "odd",
    "prime",
    "composite",
)

LARGEST_FLOAT = 1e300  # of the random numbers
LARGEST_EXPONENT = 10_000  # of a power that is written out as a number
MOST_FAILURES = 60  # points in a row that floats let pass and exact arithmetic does not
DRAWN = 256  # random numbers that are drawn for a symbol at once
SIMPLE = [
    sp.Rational(p, q)
    for p, q in [
        (0, 1),
        (1, 1),
        (2, 1),
        (1, 2),
        (3, 1),
        (1, 3),
        (-1, 1),
        (4, 1),
        (1, 4),
        (3, 4),
        (3, 2),
        (5, 1),
        (10, 1),
        (1, 10),
        (9, 10),
        (-2, 1),
        (-1, 2),
        (2, 3),
        (8, 1),
        (16, 1),
        (100, 1),
        (1, 100),
        (99, 100),
        (1000, 1),
        (1, 1000),
        (-10, 1),
        (10**6, 1),
        (1, 10**6),
    ]
]


@lru_cache(maxsize=50_000)  # the steps of a proof have most of their hypotheses in common
def free_in(e: Any) -> frozenset[Any]:
    """The free symbols of an expression or a hypothesis, entries of sequences among them."""
    return frozenset(e.free_symbols)


@lru_cache(maxsize=50_000)
def _names_in(e: Any) -> frozenset[str]:
    """The names of the symbols of an expression, bound ones included."""
    return frozenset(s.name for s in e.atoms(sp.Symbol))


def symbols_of(*expressions: Any) -> list[sp.Symbol]:
    """The free scalar symbols, by name (sequence labels and sequence entries are left out).

    >>> t, q = sp.Symbol("t"), sp.IndexedBase("q")
    >>> symbols_of(sp.Sum(q[t], (t, 1, sp.Symbol("T"))))
    [T]
    """
    free: set[Any] = set()
    labels: set[Any] = set()
    for e in expressions:
        e = sp.sympify(e)
        free |= free_in(e)
        labels |= {base.label for base in e.atoms(sp.IndexedBase)}
    return sorted((s for s in free - labels if isinstance(s, sp.Symbol)), key=lambda s: s.name)


def written_out(expression: Any) -> Any:
    """Sums and products with numbers for limits, term by term (an empty range gives 0 or 1).

    >>> t, q = sp.Symbol("t"), sp.IndexedBase("q")
    >>> written_out(sp.Sum(q[t], (t, 1, 2)))
    q[1] + q[2]
    """
    e = sp.sympify(expression)
    if not e.has(sp.Sum, sp.Product):
        return e
    if isinstance(e, sp.Sum | sp.Product):
        *inner, (index, low, high) = e.limits
        if low.is_Integer and high.is_Integer and high - low < 400:
            body = e.func(e.function, *inner) if inner else e.function
            nested = body.has(sp.Sum, sp.Product)
            terms = [
                written_out(bind(body, index, value)) if nested else body.xreplace({index: value})
                for value in map(sp.Integer, range(int(low), int(high) + 1))
            ]
            return sp.Add(*terms) if isinstance(e, sp.Sum) else sp.Mul(*terms)
        return e
    return e.func(*[written_out(arg) for arg in e.args])


def fresh(name: str, expressions: Sequence[Any], **assumptions: bool) -> sp.Symbol:
    """A symbol whose name no symbol of the expressions has, bound ones included: the name, with primes if
    need be.

    >>> fresh("u", [sp.Symbol("u") + 1], positive=True)
    u'
    """
    taken = frozenset().union(*(_names_in(sp.sympify(e)) for e in expressions))
    while name in taken:
        name += "'"
    return sp.Symbol(name, **assumptions)


def placed(expression: Any, terms: Mapping[Any, Any]) -> Any:
    """The expression with terms for some of its free symbols, all at once; the index of a sum gives way to a
    symbol of the same name in a term.

    >>> t, x = sp.symbols("t x")
    >>> placed(sp.Sum(x, (t, 1, 2)), {x: t})
    Sum(t, (t', 1, 2))
    """
    e = sp.sympify(expression)
    live = {s: sp.sympify(term) for s, term in terms.items() if s in e.free_symbols}
    taken = set(live).union(*[term.free_symbols for term in live.values()])
    if not live or not taken & {s for total in e.atoms(ExprWithLimits) for s in total.variables}:
        return e.xreplace(live)
    if not isinstance(e, ExprWithLimits):
        return e.func(*[placed(arg, live) for arg in e.args])
    limits: list[tuple[Any, ...]] = []
    for index, *ends in reversed(e.limits):  # the outermost first: the others may hold its index
        ends = [placed(end, live) for end in ends]
        name = index
        if index in taken:
            name = fresh(index.name, [e, *live, *live.values()], **index._assumptions_orig)
        live = {s: term for s, term in live.items() if s != index} | ({index: name} if name != index else {})
        limits.insert(0, (name, *ends))
    return e.func(placed(e.function, live), *limits)


@dataclass(frozen=True)
class Bounds:
    """An interval for one symbol; the ends are SymPy numbers, possibly infinite."""

    low: Any = -sp.oo
    high: Any = sp.oo
    low_open: bool = False
    high_open: bool = False

    def meet(self, other: Bounds) -> Bounds:
        low, low_open = max(
            (self.low, self.low_open), (other.low, other.low_open), key=lambda p: (p[0], p[1])
        )
        high, high_open = min(
            (self.high, self.high_open), (other.high, other.high_open), key=lambda p: (p[0], not p[1])
        )
        return Bounds(low, high, bool(low_open), bool(high_open))

    def contains(self, value: Any) -> bool:
        """Whether a rational lies inside, exactly."""
        r = sp.Rational(value)
        number = _fraction(r)
        for end, open_, above in ((self.low, self.low_open, True), (self.high, self.high_open, False)):
            if end.is_Rational:
                limit = _fraction(end)
                inside = (number > limit if above else number < limit) or (number == limit and not open_)
            elif not end.is_finite:
                inside = True
            else:
                inside = bool((r > end) if above else (r < end))
            if not inside:
                return False
        return True

    def whole(self) -> Bounds:
        """The same interval with whole ends that belong to it, for a whole number.

        >>> Bounds(low=sp.Rational(5, 2)).whole().low
        3
        """
        low = sp.floor(self.low) + 1 if self.low_open else sp.ceiling(self.low)
        high = sp.ceiling(self.high) - 1 if self.high_open else sp.floor(self.high)
        return Bounds(low if self.low.is_finite else self.low, high if self.high.is_finite else self.high)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends as floats, None where there is none."""
        return _float(self.low), _float(self.high)


def nearest(value: float, most: int) -> tuple[int, int]:
    """The fraction nearest to a number among those whose denominator is at most so large: what
    `Fraction.limit_denominator` gives, in whole numbers alone.

    >>> nearest(0.3333, 10)
    (1, 3)
    """
    top, bottom = value.as_integer_ratio()
    if bottom <= most:
        return top, bottom
    left, over, p, q, n, d = 0, 1, 1, 0, top, bottom
    while over + (whole := n // d) * q <= most:
        left, over, p, q, n, d = p, q, left + whole * p, over + whole * q, d, n - whole * d
    times = (most - over) // q
    if 2 * d * (over + times * q) <= bottom:
        return p, q
    return left + times * p, over + times * q


@lru_cache(maxsize=4096)
def _fraction(number: sp.Rational) -> Fraction:
    return Fraction(int(number.p), int(number.q))


@lru_cache(maxsize=4096)
def _float(end: Any) -> float | None:
    """An end of a range for random numbers, at most as large as these can be."""
    return max(-LARGEST_FLOAT, min(float(end), LARGEST_FLOAT)) if end.is_finite else None


@lru_cache(maxsize=4096)
def _simple(b: Bounds, whole: bool) -> tuple[sp.Rational, ...]:
    """Simple numbers inside some bounds, the simplest first."""
    near = []
    for end, direction in ((b.low, 1), (b.high, -1)):
        if end.is_finite:
            end = end if end.is_Rational else sp.Rational(str(sp.N(end, 20)))
            near += [
                end,
                *[end + direction * step for step in [*SIMPLE[1:8], sp.Rational(1, 100)] if step > 0],
            ]
    if b.low.is_finite and b.high.is_finite:
        width = b.high - b.low
        near += [
            b.low + width * part
            for part in (sp.Rational(1, 2), sp.Rational(1, 4), sp.Rational(3, 4), sp.Rational(1, 10))
        ]
    seen = dict.fromkeys(
        v for v in SIMPLE + near if v.is_Rational and b.contains(v) and (not whole or v.is_Integer)
    )
    return tuple(sorted(seen, key=lambda v: (v.q, abs(v.p), v.p < 0)))


@lru_cache(maxsize=4096)
def _simple_floats(b: Bounds, whole: bool) -> np.ndarray:
    return np.array([float(v) for v in _simple(b, whole)])


@lru_cache(maxsize=4096)
def assumed(symbol: Any) -> Bounds:
    """The interval that the assumptions on a symbol, or on an entry of a sequence, leave it.

    >>> assumed(sp.Symbol("n", integer=True, negative=True)).high
    -1
    """
    zero = sp.Integer(0)
    bounds = Bounds()
    if symbol.is_nonnegative:
        bounds = bounds.meet(Bounds(low=zero, low_open=bool(symbol.is_positive)))
    if symbol.is_nonpositive:
        bounds = bounds.meet(Bounds(high=zero, high_open=bool(symbol.is_negative)))
    return bounds.whole() if symbol.is_integer else bounds


def admits(symbol: Any, value: Any) -> bool:
    """Whether a rational has every property that is assumed of a symbol, or of an entry of a sequence.

    >>> admits(sp.Symbol("p", prime=True), sp.Integer(4))
    False
    """
    number = sp.Rational(value)
    return all(_has(number, name) is holds for name, holds in declared(symbol))


def _has(number: sp.Rational, name: str) -> bool | None:
    """Whether a rational has a property; the plain ones are read off, as many points are looked at."""
    match name:
        case "positive":
            return bool(number.p > 0)
        case "negative":
            return bool(number.p < 0)
        case "nonnegative":
            return bool(number.p >= 0)
        case "nonpositive":
            return bool(number.p <= 0)
        case "zero":
            return bool(number.p == 0)
        case "nonzero":
            return bool(number.p != 0)
        case "integer":
            return bool(number.q == 1)
    return getattr(number, f"is_{name}")


@lru_cache(maxsize=4096)
def declared(symbol: Any) -> tuple[tuple[str, bool], ...]:
    """What is assumed of a symbol or of a sequence's entries, as far as a rational may have it or not."""
    source = symbol.base.label if isinstance(symbol, sp.Indexed) else symbol
    known = source.assumptions0
    return tuple((name, known[name]) for name in ENFORCED if name in known)


def _from_condition(condition: Any) -> tuple[sp.Symbol, Bounds] | None:
    """The bounds that a comparison gives which is linear in one symbol, with numbers: 2 u <= 1."""
    if not isinstance(condition, sp.core.relational.Relational) or len(free_in(condition)) != 1:
        return None
    (s,) = free_in(condition)
    op = condition.rel_op
    if not isinstance(s, sp.Symbol) or op not in ("<", "<=", ">", ">="):
        return None
    slope, rest = sp.sympify(_linear(condition.lhs - condition.rhs, s))
    if slope == 0 or not (slope.is_positive or slope.is_negative):
        return None
    end, strict = -rest / slope, op in ("<", ">")
    if (op in ("<", "<=")) == bool(slope.is_positive):
        return s, Bounds(high=end, high_open=strict)
    return s, Bounds(low=end, low_open=strict)


def _linear(e: Any, s: sp.Symbol) -> tuple[Any, Any]:
    """Slope and constant of an expression that is linear in the symbol; a slope of 0 if it is not."""
    if e.count(s) != 1:
        e = sp.expand(e)
    slope: Any = sp.Integer(0)
    rest: Any = sp.Integer(0)
    for term in sp.Add.make_args(e):
        if s not in term.free_symbols:
            rest += term
            continue
        factor = term / s
        if s in factor.free_symbols:
            return sp.Integer(0), sp.Integer(0)
        slope += factor
    return slope, rest


def _put(e: Any, values: Mapping[Any, Any]) -> Any:
    """The expression or hypothesis with values for symbols that equations define."""
    return _put_once(e, tuple(values.items())) if values and isinstance(e, sp.Basic) else e.xreplace(values)


@lru_cache(maxsize=20_000)  # the steps of a proof have most of their hypotheses in common
def _put_once(e: Any, values: tuple[tuple[Any, Any], ...]) -> Any:
    return e.xreplace(dict(values))


def _at(e: Any, lengths: Mapping[Any, Any]) -> Any:
    """An expression or hypothesis at these lengths; a hypothesis is false where a side of it has no value.

    >>> x, T = sp.symbols("x T", positive=True)
    >>> _at(x <= 1 / sp.sqrt(T - 1), {T: sp.Integer(1)})
    False
    """
    try:
        return e.xreplace(lengths)
    except TypeError:  # SymPy on an invalid comparison
        if isinstance(e, sp.core.relational.Relational):
            return sp.false
        raise


@lru_cache(maxsize=50_000)  # the steps of a proof have most of their hypotheses in common
def _at_lengths(e: Any, lengths: tuple[tuple[Any, Any], ...]) -> Any:
    """An expression or hypothesis at the lengths that stand in it, with its sums written out. Whether a
    hypothesis holds for every value of its symbols is not asked: that costs more than to look at a point.
    """
    if not lengths:
        return e
    if not isinstance(e, sp.core.relational.Relational):
        return written_out(_at(e, dict(lengths)))
    left, right = (written_out(side.xreplace(dict(lengths))) for side in e.args)
    if left.is_number and right.is_number:
        return written_out(_at(e, dict(lengths)))
    return e.func(left, right, evaluate=False)


@lru_cache(maxsize=50_000)
def _entries_of(e: Any) -> frozenset[Any]:
    """The entries of sequences that stand in an expression or a hypothesis."""
    return frozenset(e.atoms(sp.Indexed))


@lru_cache(maxsize=4096)
def _symbolic_powers(e: Any) -> tuple[sp.Pow, ...]:
    """The powers in an expression whose exponent is no number."""
    return tuple(p for p in e.atoms(sp.Pow) if not p.exp.is_number)


def running(expressions: Sequence[Any], given: Sequence[Any]) -> set[Any]:
    """Whole symbols that stand in the index of a sequence among the hypotheses and nowhere in the conclusion:
    such a hypothesis (`q[t] <= 1`) is meant at every index.
    """
    concluded = {s for e in expressions for s in free_in(e)}
    return {
        s
        for c in given
        for entry in _entries_of(c)
        for i in entry.indices
        for s in i.free_symbols
        if s.is_integer and s in free_in(c) and s not in concluded
    }


class Domain:
    """The symbols of some expressions, the hypotheses on them, and points that satisfy these.

    >>> x = sp.Symbol("x", positive=True)
    >>> d = Domain([x], [x < 1])
    >>> d.bounds[x].high, len(list(d.points(5, np.random.default_rng(0))))
    (1, 5)
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
        self._slacks: dict[Any, tuple[Any, list[str]]] = {}  # hypotheses in floats, by the lengths
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
            found = _from_condition(condition)
            if found and found[0] in result:
                result[found[0]] = result[found[0]].meet(found[1])
        return {s: b.whole() if s.is_integer else b for s, b in result.items()}

    @cached_property
    def coupled(self) -> list[Any]:
        """The hypotheses that are not bounds on one symbol."""
        return [c for c in self.given if not ((found := _from_condition(c)) and found[0] in self.bounds)]

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
        if not symbol.is_rational:
            return True
        numbers = {k: sp.Rational(v) for k, v in point.items()}
        written = written_out(sp.sympify(value))
        exponents = [p.exp.xreplace(numbers) for p in _symbolic_powers(written)]
        if any(e.is_number and abs(e) > LARGEST_EXPONENT for e in exponents):
            return False  # it is not written out
        number = written_out(written.xreplace(numbers)).xreplace(numbers)
        return bool(number.is_Rational and admits(symbol, number))

    def interval(self, symbol: Any) -> Bounds:
        """The bounds of a symbol or of an entry of a sequence."""
        return self.bounds.get(symbol) or assumed(symbol)

    def choices(self, symbol: Any) -> tuple[sp.Rational, ...]:
        """Simple numbers inside the bounds of a symbol, the simplest first."""
        return _simple(self.interval(symbol), bool(symbol.is_integer))

    def simple_floats(self, symbol: Any) -> np.ndarray:
        """The same as floats."""
        return _simple_floats(self.interval(symbol), bool(symbol.is_integer))

    def samples(self, names: Sequence[Any], count: int, rng: np.random.Generator) -> list[np.ndarray]:
        """A column of random numbers for each name; entries of one sequence are drawn together."""
        columns: dict[Any, np.ndarray] = {}
        entries: dict[Any, list[Any]] = {}
        for name in names:
            if isinstance(name, sp.Indexed):
                entries.setdefault(name.base, []).append(name)
            else:
                columns[name] = self.sample(name, count, rng)
        for alike in entries.values():
            drawn = self.sample(alike[0], count * len(alike), rng).reshape(len(alike), count)
            columns.update(zip(alike, drawn))
        return [columns[name] for name in names]

    def sample(self, symbol: Any, count: int, rng: np.random.Generator) -> np.ndarray:
        """Random numbers inside the bounds of a symbol: of moderate size, large, small, or near an end."""
        low, high = self.interval(symbol).ends
        if low is not None and high is not None:
            values = low + (high - low) * np.where(
                rng.random(count) < 0.5, rng.beta(0.5, 0.5, count), rng.random(count)
            )
        else:
            size = np.exp(rng.normal(0, 1, count) * np.where(rng.random(count) < 0.6, 1.0, 4.0))
            if low is not None:
                values = low + size
            elif high is not None:
                values = high - size
            else:
                values = np.where(rng.random(count) < 0.5, size, -size)
        if not symbol.is_integer:
            return values
        start = low if low is not None else high if high is not None else 0.0
        whole = np.round(np.clip(values, start - 10_000, start + 10_000))
        if symbol.is_even or symbol.is_odd:
            parity = 0 if symbol.is_even else 1
            whole = whole + (whole % 2 != parity) * np.where(whole > 0, -1, 1)
        return whole

    def draw(self, symbol: Any, rng: np.random.Generator) -> sp.Rational:
        """One random rational inside the bounds of a symbol."""
        return self._rational(symbol, float(self.sample(symbol, 1, rng)[0]))

    def _rational(self, symbol: Any, value: float) -> sp.Rational:
        """A rational near to a number that was drawn for a symbol."""
        if symbol.is_integer:
            return sp.Integer(round(value))
        if low_is_high := self._only(symbol):
            return low_is_high[0]
        return sp.Rational(*nearest(value, 1000 if abs(value) > 1e-2 else 10**6))

    def _only(self, symbol: Any) -> tuple[sp.Rational, ...]:
        """The one number that is left to a symbol, if there is but one."""
        b = self.interval(symbol)
        return (b.low,) if b.low == b.high and b.low.is_Rational else ()

    def points(
        self, count: int, rng: np.random.Generator, lengths: Mapping[Any, int] | None = None
    ) -> Iterator[dict[Any, sp.Rational]]:
        """Up to `count` rational points that satisfy every hypothesis (fewer if they are hard to hit).

        They are drawn several at a time, of the same lengths; floats sort out those that cannot satisfy.
        Where many that floats let pass are not shown to satisfy, one after the other, none will be: a
        hypothesis is an equation between numbers that no algebra decides.
        """
        fixed = {s: sp.Integer(v) for s, v in (lengths or {}).items() if s in self.symbols}
        others = [s for s in self.symbols if s not in fixed and s not in self.lengths]
        batch = 4 if set(self.lengths) - set(fixed) else min(32, max(8, 2 * count))
        found = tries = failures = 0
        at = DRAWN  # the next row of those that were drawn together for the symbols
        while tries < 60 * count + 200:
            tries += batch
            start = fixed | {
                s: sp.Integer(self.shortest(s) + int(rng.integers(0, 6)))
                for s in self.lengths
                if s not in fixed
            }
            if at + batch > DRAWN:
                at, drawn = 0, [self._column(s, DRAWN, rng) for s in others]
            entries = self.entries(start)
            names = [*others, *entries]
            columns = [floats[at : at + batch] for floats, _ in drawn] + self.samples(entries, batch, rng)
            likely = np.flatnonzero(self._likely(start, names, columns, batch))
            for i in map(int, likely):
                point: dict[Any, Any] = dict(start)
                for name, floats, (_, exact) in zip(names, columns, (*drawn, *[(None, {})] * len(entries))):
                    point[name] = exact.get(at + i) or self._rational(name, float(floats[i]))
                if self.holds(point):
                    found += 1
                    failures = 0
                    yield point
                else:
                    failures += 1
                if found == count or failures == MOST_FAILURES:
                    return
            at += batch
            batch = min(2 * batch, DRAWN) if not len(likely) else batch

    def _column(
        self, symbol: Any, size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, dict[int, sp.Rational]]:
        """Random numbers for a symbol; a quarter of them are simple ones, which are exact."""
        floats = np.array(self.sample(symbol, size, rng), dtype=float)
        choices = self.choices(symbol)
        if not choices:
            return floats, {}
        places = np.flatnonzero(rng.random(size) < 0.25)
        chosen = rng.integers(len(choices), size=len(places))
        floats[places] = self.simple_floats(symbol)[chosen]
        return floats, dict(zip(places.tolist(), (choices[k] for k in chosen.tolist())))

    def likely(self, rows: np.ndarray) -> list[int]:
        """Which rows of numbers for the symbols may satisfy the hypotheses, as far as floats can tell.

        >>> x = sp.Symbol("x", positive=True)
        >>> Domain([x], [x < 1]).likely(np.array([[2.0], [0.5]]))
        [1]
        """
        if self.lengths:
            return list(range(len(rows)))
        return np.flatnonzero(self._likely({}, self.symbols, list(rows.T), len(rows))).tolist()

    def _likely(
        self, start: Mapping[Any, Any], names: list[Any], columns: list[np.ndarray], size: int
    ) -> np.ndarray:
        """Which rows may satisfy the hypotheses, as far as floats can tell."""
        key = (self._key(start), *start)
        if key not in self._slacks:
            given = [
                c
                for c in self.fixed(start)[len(self.expressions) :]
                if isinstance(c, sp.core.relational.Relational) and c.rel_op != "!="
            ]
            slack = walked([*start, *names], [c.lhs - c.rhs for c in given]) if given else None
            self._slacks[key] = slack, [c.rel_op for c in given]
        slack, signs = self._slacks[key]
        likely = np.ones(size, dtype=bool)
        if slack is None:
            return likely
        lengths = [np.full(size, float(v)) for v in start.values()]
        with np.errstate(all="ignore"):
            for sign, values in zip(signs, slack(*lengths, *columns)):
                near = 1e-7 * (1 + np.abs(values))
                low = values <= near if sign != ">" and sign != ">=" else np.full(size, True)
                high = values >= -near if sign != "<" and sign != "<=" else np.full(size, True)
                likely &= low & high
        return likely

    def shortest(self, length: Any) -> int:
        """The least value of a length, or a small one if there is none."""
        b = self.bounds[length]
        return int(b.low) if b.low.is_finite else min(int(b.high) - 6, -2) if b.high.is_finite else -2

    def entries(self, point: Mapping[Any, Any]) -> list[sp.Indexed]:
        """The entries of sequences that occur once the lengths are fixed, in order."""
        key = self._key(point)
        if key not in self._entries:
            found = {entry for e in self.fixed(point) for entry in _entries_of(e)}
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
            plain = [_at_lengths(e, tuple((s, lengths[s]) for s in own)) for e, own in self._own_lengths]
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
                        _at(r, put) is sp.true for r in ranges
                    )
                    if not inside:  # it says nothing there, and may not even be defined
                        continue
                    here = _at_lengths(c, tuple((s, value) for s, value in put.items() if s in own))
                    if here is not sp.true:
                        found.append(here)
        return list(dict.fromkeys(found))
