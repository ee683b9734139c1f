"""The gate: a relation is elaborated before a tactic or a search sees it, or refused with the subexpression
that is not modelled.

    names        real finite symbols, whose assumptions are enforced at every point; one meaning for each name
    numbers      exact; no infinity, no imaginary unit
    functions    those of `functions`, each shown to be defined wherever the hypotheses hold
    sums         whole ends; the index runs over its range and has no other property; an empty sum is 0, an
                 empty product 1
    hypotheses   comparisons, joined by `and` and `or`; some explicit rational point meets them
    forms        a minimiser does not hold the variable, a constant is a number, a sequence starts somewhere
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.relational import Relational

from dpverify.effort import Effort
from dpverify.language.expectations import holds_noise
from dpverify.language.functions import bases, coefficients, points
from dpverify.language.vectors import Atom
from dpverify.proving.derivatives import guess_sign
from dpverify.proving.domain import ENFORCED, Domain, fresh
from dpverify.proving.evaluate import bind
from dpverify.proving.functions import MODELLED
from dpverify.proving.refutation import EASY, HARD, domain_of, refute
from dpverify.proving.vector_statements import mentions
from dpverify.relations import (
    ArgMin,
    AtMost,
    Equal,
    Increasing,
    Induction,
    Minimises,
    Order,
    PositiveSemidefinite,
    sides_of,
)
from dpverify.verdicts import PROVED, REFUTED, Result

ZERO = sp.Integer(0)
Prove = Callable[[Any, Effort], Result]
Hypotheses = tuple[Any, ...]


class Refused(Exception):
    """The relation is not modelled; the message names the subexpression and the reason."""


class Undefined(Exception):
    """A side is not shown to be defined wherever the hypotheses hold; the message says which, and where."""

    def __init__(self, message: str, cut_short: bool = False):
        super().__init__(message)
        self.cut_short = cut_short


# The fields of each kind of relation that hold expressions.
_FIELDS: dict[type, tuple[str, ...]] = {
    Equal: ("derived", "stated"),
    AtMost: ("lhs", "rhs"),
    Increasing: ("expression",),
    ArgMin: ("expression", "at", "starts"),
    Order: ("expression", "scale", "lower", "upper", "hiding"),
    Minimises: ("objective", "spent", "total", "at", "length", "value"),
    Induction: ("first", "next"),
    PositiveSemidefinite: ("matrix", "also"),
}


def elaborate(relation: Any) -> Any:
    """The relation with its hypotheses flattened, its indices freed of assumptions that their ranges do not
    give, and nothing in it that is not modelled; or `Refused`.

    >>> x = sp.Symbol("x", real=True)
    >>> elaborate(AtMost(x, 1, [sp.And(x > 0, x < 1)])).given
    (x > 0, x < 1)
    >>> elaborate(AtMost(x, 0.5))
    Traceback (most recent call last):
    dpverify.proving.gate.Refused: the number 0.5 is not exact: write Rational(1, 2)
    """
    kind = type(relation)
    if kind not in _FIELDS:
        return relation  # statements on mechanisms have rules of their own
    if mentions(relation):
        _vectors_and_functions(relation)
    parts = {name: _sympified(getattr(relation, name), name) for name in _FIELDS[kind]}
    written = relation.relation.given if kind is Induction else relation.given
    for g in written:
        if isinstance(g, bool):
            raise Refused(f"a hypothesis is {g}, which Python decided by itself: a == b is Eq(a, b) here")
    given = [_sympified(g, "given") for g in written]
    if kind is Induction:
        inner = relation.relation
        if not isinstance(inner, Equal | AtMost):
            raise Refused(f"an induction is about a comparison, not about {type(inner).__name__}")
        parts["left"], parts["right"] = (_sympified(getattr(inner, n), n) for n in _FIELDS[type(inner)])
    chosen = [_sympified(s, "symbol") for s in _chosen(relation)]
    for s in chosen:
        if not isinstance(s, sp.Symbol):
            raise Refused(f"Expected a symbol, got {sp.sstr(s)}")
    named = [e for part in parts.values() for e in _flat(part)] + given + chosen
    free = _one_meaning_each(named)
    _well_formed(relation, parts, given)
    work = _Elaboration({s.name for s in free})
    done = {name: work.part(part) for name, part in parts.items()}
    held: list[Any] = []
    for g in given:
        held += work.hypothesis(g)
    if kind is Induction:
        left, right = done.pop("left"), done.pop("right")
        comparison = replace(
            relation.relation, given=tuple(held), **dict(zip(_FIELDS[type(relation.relation)], (left, right)))
        )
        return replace(relation, relation=comparison, **done)
    return replace(relation, given=tuple(held), **done)


def _vectors_and_functions(relation: AtMost | Equal) -> None:
    """Refuse vectors and functions of one name, and scalars inside of them that are not modelled."""
    whole = [*sides_of(relation), *map(sp.sympify, relation.given)]
    named = [(f.name, "functions") for f in points(whole)] + [(v.name, "vectors") for v in bases(whole)]
    for name, kind in named:
        if named.count((name, kind)) > 1:
            raise Refused(f"two different {kind} are called {name}")
    inside = coefficients(whole)
    taken = {s.name for s in _one_meaning_each([*whole, *inside])}
    for e in inside:
        for hidden in sorted(e.atoms(sp.Integral, sp.Derivative, sp.Limit), key=sp.default_sort_key):
            raise Refused(f"{_named(hidden)} stands inside a vector{nearest(hidden)}")
        _Elaboration(taken).expression(e)


def restricted_noise(statement: Any) -> Any | None:
    """A hypothesis of a statement, or of a part of it, that speaks of the outcomes of a noise; None if there
    is none.

    >>> from dpverify.language.expectations import Noise
    >>> from dpverify.language.vectors import norm2
    >>> restricted_noise(AtMost(1, 2, [norm2(Noise("nu", variance=1)) <= 3]))
    |nu|^2 <= 3
    """
    for condition in getattr(statement, "given", ()):
        if isinstance(condition, sp.Basic) and condition.atoms(Atom) and holds_noise(condition):
            return condition
    inner = [*getattr(statement, "parts", ()), *[getattr(statement, n, None) for n in ("shows", "relation")]]
    restricted = (restricted_noise(part) for part in inner if part is not None)
    return next((condition for condition in restricted if condition is not None), None)


def hypotheses(relation: Any) -> tuple[Any, ...]:
    """The hypotheses of a relation; those on unknowns for which a statement is to hold are part of what is to
    be found.
    """
    if isinstance(relation, PositiveSemidefinite) and relation.unknowns:
        known = set(relation.unknowns)
        return tuple(g for g in relation.given if not sp.sympify(g).free_symbols & known)
    return tuple(relation.relation.given if isinstance(relation, Induction) else relation.given)


def _chosen(relation: Any) -> list[Any]:
    """The symbols that a relation names outside of its expressions."""
    if isinstance(relation, Increasing | ArgMin):
        return [relation.over]
    if isinstance(relation, Induction):
        return [relation.value, relation.over]
    if isinstance(relation, Minimises):
        return [relation.over, relation.index]
    if isinstance(relation, PositiveSemidefinite):
        return list(relation.unknowns)
    if isinstance(relation, Order):
        return list(relation.of)
    return []


def _sympified(part: Any, name: str) -> Any:
    if part is None or isinstance(part, sp.Basic | sp.MatrixBase):
        return part
    if isinstance(part, list | tuple):
        return tuple(_sympified(e, name) for e in part)
    try:
        return sp.sympify(part, strict=True)
    except (sp.SympifyError, TypeError, AttributeError) as error:
        raise Refused(f"{name}={part!r} is not an expression") from error


def _flat(part: Any) -> list[Any]:
    if part is None:
        return []
    if isinstance(part, tuple):
        return [e for p in part for e in _flat(p)]
    return list(part) if isinstance(part, sp.MatrixBase) else [part]


def _one_meaning_each(expressions: Sequence[Any]) -> set[Any]:
    """The free symbols and the labels of sequences, each modelled, no two of one name."""
    free: set[Any] = set()
    for e in expressions:
        labels = {base.label for base in e.atoms(sp.IndexedBase)}
        scalars = {s for s in e.free_symbols if isinstance(s, sp.Symbol) and not isinstance(s, Atom)}
        for base in e.atoms(sp.IndexedBase):
            if not isinstance(base.label, sp.Symbol):
                raise Refused(f"the sequence {base} has no symbol for a name")
        free |= labels | scalars
    seen: dict[str, Any] = {}
    for s in sorted(free, key=lambda s: (s.name, str(sorted(s.assumptions0.items())))):
        _real(s)
        if s.name in seen:
            raise Refused(f"two different symbols are called {s.name}")
        seen[s.name] = s
    sequences = {base.label for e in expressions for base in e.atoms(sp.IndexedBase)}
    for e in expressions:
        parts = e.atoms(sp.Indexed, Atom) if sequences else ()  # what stands inside of an atom comes apart
        placed = e.xreplace({part: sp.Dummy(positive=True) for part in parts})
        if both := sequences & placed.free_symbols:
            raise Refused(f"{next(iter(both))} is both a number and a sequence")
    return free


@lru_cache(maxsize=4096)
def _real(symbol: Any) -> None:
    """Refuse a symbol that is not a real number with properties that a rational may have."""
    known = symbol.assumptions0
    if not known.get("commutative", True):
        raise Refused(f"the symbol {symbol} does not commute")
    if known.get("real") is not True:
        raise Refused(
            f"the symbol {symbol} is not declared to be a real finite number: write "
            f"Symbol({symbol.name!r}, real=True), or positive=True"
        )
    for name, holds in known.items():
        if name in ("irrational", "transcendental") and holds:
            raise Refused(f"the assumption {name}=True on the symbol {symbol} is not modelled")
    bare = sp.Symbol(symbol.name, **{k: v for k, v in known.items() if k in ENFORCED})
    extra = {k: v for k, v in known.items() if bare.assumptions0.get(k) != v}
    if extra:
        name, holds = sorted(extra.items())[0]
        raise Refused(f"the assumption {name}={holds} on the symbol {symbol} is not modelled")


class _Elaboration:
    """One relation on its way through: the names that are taken, and how each kind of node is treated."""

    def __init__(self, taken: set[str]):
        self.taken = taken

    def part(self, part: Any) -> Any:
        if part is None:
            return None
        if isinstance(part, tuple):
            return tuple(self.part(p) for p in part)
        if isinstance(part, sp.MatrixBase):
            return sp.ImmutableMatrix(part.applyfunc(self.expression))
        return self.expression(part)

    def hypothesis(self, h: Any) -> list[Any]:
        """A hypothesis as comparisons, and disjunctions of conjunctions of them."""
        if h in (sp.true, sp.false):
            return [] if h is sp.true else [sp.false]
        if isinstance(h, sp.Contains):
            h = _as_comparison(h)
        if isinstance(h, sp.Not | sp.Implies | sp.Xor | sp.Equivalent | sp.ITE):
            h = sp.to_nnf(h, simplify=False)
        if isinstance(h, sp.And):
            return [c for arg in sorted(h.args, key=sp.default_sort_key) for c in self.hypothesis(arg)]
        if isinstance(h, sp.Or):
            parts = [sp.And(*self.hypothesis(arg)) for arg in sorted(h.args, key=sp.default_sort_key)]
            return [either] if (either := sp.Or(*parts)) is not sp.true else []
        if not isinstance(h, Relational):
            raise Refused(
                f"the hypothesis {sp.sstr(h)} is not a comparison of numbers: what is assumed of one symbol "
                "is declared with it, as in Symbol('x', positive=True)"
            )
        for side in h.args:
            if not isinstance(side, sp.Expr):
                raise Refused(f"the hypothesis {sp.sstr(h)} is not a comparison of numbers")
        compared = h.func(*map(self.expression, h.args))
        return [] if compared is sp.true else [compared]

    def expression(self, e: Any) -> Any:
        """The expression with every node seen to be modelled, indices renamed where they must be."""
        if not isinstance(e, sp.Expr) or isinstance(e, sp.MatrixExpr):
            raise Refused(f"{sp.sstr(e)} is not a real number{nearest(e)}")
        if isinstance(e, Atom):
            return e
        if isinstance(e, sp.Symbol):
            _real(e)
            return e
        if isinstance(e, sp.Float):
            raise Refused(f"the number {float(e):g} is not exact: write {_exact(e)}")
        if isinstance(e, sp.Rational) or e is sp.pi or e is sp.E:
            return e
        if isinstance(e, sp.Sum | sp.Product):
            return self._total(e)
        if isinstance(e, sp.Indexed):
            indices = tuple(map(self.expression, e.indices))
            for i in indices:
                if not i.is_integer:
                    raise Refused(f"the index {sp.sstr(i)} of {sp.sstr(e)} is not a whole number")
            return e.base[indices]
        if isinstance(e, sp.Piecewise):
            return self._branches(e)
        if isinstance(e, sp.Add | sp.Mul | sp.Pow):
            return e.func(*map(self.expression, e.args)) if e.args else e
        if not isinstance(e, MODELLED):
            raise Refused(f"{_named(e)} is not modelled{nearest(e)}")
        return self._function(e)

    def _branches(self, e: sp.Piecewise) -> Any:
        pairs = []
        for value, condition in e.args:
            held = self.hypothesis(condition)
            pairs.append((self.expression(value), sp.And(*held)))
        if pairs[-1][1] is not sp.true:
            raise Refused(f"{sp.sstr(e)} has no last branch that always holds")
        return sp.Piecewise(*pairs)

    def _function(self, e: Any) -> Any:
        args = [self.expression(arg) for arg in e.args]
        if isinstance(e, sp.atan) and args[0].is_rational and not args[0].is_number:
            raise Refused(f"{sp.sstr(e)} of a rational symbol is not modelled: declare the symbol real")
        if isinstance(e, sp.binomial):
            n, k = args
            if k.is_Integer and 0 <= k <= 12:  # a polynomial in n, for every real n
                return sp.Mul(*[n - i for i in range(int(k))]) / sp.factorial(k)
            if not (n.is_integer and n.is_nonnegative and k.is_integer and k.is_nonnegative):
                raise Refused(f"{sp.sstr(e)} is modelled for whole numbers that are not negative")
        if isinstance(e, sp.factorial | sp.Mod) and not all(arg.is_integer for arg in args):
            raise Refused(f"{sp.sstr(e)} is modelled for whole numbers")
        if isinstance(e, sp.LambertW) and len(args) == 2 and args[1] not in (0, -1):
            raise Refused(f"the branch {args[1]} of {sp.sstr(e)} is not real")
        return e.func(*args)

    def _total(self, e: Any) -> Any:
        body, limits, done = e.function, list(e.limits), []
        if len({limit[0] for limit in limits}) < len(limits):
            raise Refused(f"an index is bound twice in {sp.sstr(e)}")
        while limits:
            limit = limits.pop()  # the outermost first
            if len(limit) != 3:
                raise Refused(f"the range of {limit[0]} in {sp.sstr(e)} is not given")
            index, low, high = (
                limit[0],
                self.expression_of_end(limit[1], e),
                self.expression_of_end(limit[2], e),
            )
            name = self._index(index, low, high)
            if name != index:
                body = bind(body, index, name)
                limits = [(i, *[bind(end, index, name) for end in ends]) for i, *ends in limits]
            done.append((name, low, high))
            self.taken = self.taken | {name.name}
        self.taken = self.taken - {name.name for name, _, _ in done}
        return e.func(self.expression(body), *reversed(done))

    def expression_of_end(self, end: Any, total: Any) -> Any:
        if not end.is_finite and end.is_infinite:
            raise Refused(
                f"the range of {sp.sstr(total)} is infinite, which is not modelled: say it for every T, with "
                "T for the end, a whole symbol"
            )
        end = self.expression(end)
        if not end.is_integer:
            raise Refused(f"the end {sp.sstr(end)} of the range of {sp.sstr(total)} is not a whole number")
        return end

    def _index(self, index: Any, low: Any, high: Any) -> sp.Symbol:
        """The index with the assumptions that its range gives, under a name that nothing else has."""
        kept = {"integer": True}
        if index.is_nonnegative and low.is_nonnegative:
            kept["positive" if index.is_positive and low.is_positive else "nonnegative"] = True
        if index.is_nonpositive and high.is_nonpositive:
            kept["negative" if index.is_negative and high.is_negative else "nonpositive"] = True
        name = index.name
        while name in self.taken:
            name += "'"
        return sp.Symbol(name, **kept)


_MATRICES = "a vector of any dimension is dpverify.language.Vector, a matrix is Matrix([[...]])"
# What can be said in place of something that cannot, by the name of its type.
NEAREST = {
    "Integral": "write the closed form of an integral here",
    "Derivative": "write the derivative that diff() gives",
    "Limit": "write the value of the limit here",
    "Order": "an order is BigO(f, g, [hypotheses])",
    "MatrixExpr": _MATRICES,
    "MatrixElement": _MATRICES,
    "Determinant": _MATRICES,
    "Trace": _MATRICES,
    "AppliedUndef": "a function known by its class is dpverify.language.Function, a sequence is IndexedBase",
    "ImaginaryUnit": "say it of the real and the imaginary part",
    "Infinity": "a bound that does not exist is no hypothesis: leave it out",
    "NegativeInfinity": "a bound that does not exist is no hypothesis: leave it out",
    "RandomSymbol": "a random vector with known moments is dpverify.language.Noise, its expectation E(...)",
}


def nearest(e: Any) -> str:
    """The nearest thing that can be said, behind a refusal; the functions that are modelled, for others.

    >>> x = sp.Symbol("x", real=True)
    >>> nearest(sp.Integral(x, x))
    ': write the closed form of an integral here'
    """
    for kind in type(e).__mro__:
        if kind.__name__ in NEAREST:
            return f": {NEAREST[kind.__name__]}"
    if isinstance(e, sp.Function):
        known = ", ".join(sorted(f.__name__ for f in MODELLED))
        return f": the functions that are, are {known}"
    return ""


def _named(e: Any) -> str:
    if e is sp.I:
        return "the imaginary unit"
    if e in (sp.oo, -sp.oo, sp.zoo, sp.nan):
        return f"the number {sp.sstr(e)}"
    return f"{type(e).__name__} in {sp.sstr(e)}" if e.args else sp.sstr(e)


def _exact(number: sp.Float) -> str:
    r = sp.Rational(str(sp.Float(number, 15)))
    return f"Rational({r.p}, {r.q})" if r.q != 1 else f"Integer({r.p})"


def _as_comparison(h: sp.Contains) -> Any:
    element, where = h.args
    try:
        return where.as_relational(element)
    except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
        raise Refused(f"the hypothesis {sp.sstr(h)} is not modelled") from error


def _interval_symbol(s: Any, role: str) -> None:
    """Refuse a variable whose assumptions leave it a set with holes."""
    for name in ("even", "odd", "prime", "composite", "noninteger"):
        if s.assumptions0.get(name):
            raise Refused(f"the assumption {name}=True on {s}, {role}, is not modelled")
    if s.is_rational and not s.is_integer:
        raise Refused(f"the assumption rational=True on {s}, {role}, is not modelled")


def _well_formed(relation: Any, parts: dict[str, Any], given: Sequence[Any]) -> None:
    """Refuse a relation whose parts do not fit each other."""
    from dpverify.proving import TACTICS

    for name in getattr(relation, "by", ()):
        if name not in TACTICS:
            raise Refused(f"there is no tactic {name!r}")
    matrices = {name: part for name, part in parts.items() if isinstance(part, sp.MatrixBase | sp.MatrixExpr)}
    if isinstance(relation, PositiveSemidefinite):
        _well_formed_matrix(relation, parts)
    elif isinstance(relation, Equal) and matrices:
        shapes = [part.shape for part in parts.values() if isinstance(part, sp.MatrixBase)]
        if len(shapes) != 2 or shapes[0] != shapes[1]:
            raise Refused("two explicit matrices of one shape can be equal, and nothing else is modelled")
    elif matrices:
        raise Refused(f"{next(iter(matrices))} is a matrix, and matrices are not ordered")
    checks: dict[type, Callable[..., None]] = {
        Increasing: _well_formed_increasing,
        ArgMin: _well_formed_minimiser,
        Induction: _well_formed_induction,
        Order: _well_formed_order,
        Minimises: _well_formed_budget,
    }
    if type(relation) in checks:
        checks[type(relation)](relation, parts, given)


def _well_formed_increasing(relation: Increasing, parts: dict[str, Any], given: Sequence[Any]) -> None:
    _interval_symbol(relation.over, "the variable")


def _well_formed_minimiser(relation: ArgMin, parts: dict[str, Any], given: Sequence[Any]) -> None:
    x = relation.over
    _interval_symbol(x, "the variable")
    for name in ("at", "starts"):
        if parts[name] is not None and x in parts[name].free_symbols:
            raise Refused(f"{name}={sp.sstr(parts[name])} holds {x} itself")


def _well_formed_order(relation: Order, parts: dict[str, Any], given: Sequence[Any]) -> None:
    for name in ("lower", "upper"):
        constant = parts[name]
        if constant is None:
            continue
        if constant.free_symbols - set(relation.of):
            raise Refused(f"{name}={sp.sstr(constant)} is not a constant")
        if not constant.is_positive:
            raise Refused(f"{name}={sp.sstr(constant)} is not a positive number")


def _well_formed_budget(relation: Minimises, parts: dict[str, Any], given: Sequence[Any]) -> None:
    x, t = relation.over, relation.index
    if x.is_nonpositive or x.is_integer or x.is_rational:
        raise Refused(
            f"{x} stands for the terms of a sequence of positive numbers, and is declared otherwise"
        )
    if not t.is_integer:
        raise Refused(f"the index {t} is not a whole number")
    _interval_symbol(t, "the index")
    for name in ("total", "length", "value"):
        if parts[name] is not None and {x, t} & parts[name].free_symbols:
            raise Refused(f"{name}={sp.sstr(parts[name])} holds {x} or {t}")
    if x in parts["at"].free_symbols:
        raise Refused(f"the stated point holds {x} itself")
    if any(x in g.free_symbols for g in given):
        raise Refused(f"a hypothesis speaks of {x}, which stands for every term")
    if not parts["length"].is_integer:
        raise Refused(f"the length {sp.sstr(parts['length'])} is not a whole number")


def _well_formed_induction(relation: Induction, parts: dict[str, Any], given: Sequence[Any]) -> None:
    x, T = relation.value, relation.over
    if type(relation.start) is not int and not isinstance(relation.start, sp.Integer):
        raise Refused(f"the start {relation.start!r} is not a whole number")
    if not T.is_integer:
        raise Refused(f"{T} is not a whole number")
    _interval_symbol(T, "the variable")
    if (T.is_nonnegative and relation.start < (1 if T.is_positive else 0)) or T.is_nonpositive:
        raise Refused(f"{T} cannot run from {relation.start} upwards")
    _interval_symbol(x, "the term")
    if x.is_integer or (x.is_nonzero and not (x.is_positive or x.is_negative)):
        raise Refused(f"the assumptions on {x} are not modelled: it stands for a term, real or of one sign")
    if {x, T} & parts["first"].free_symbols:
        raise Refused(f"the first term {sp.sstr(parts['first'])} holds {x} or {T}")
    if any(x in g.free_symbols for g in given):
        raise Refused(f"a hypothesis speaks of the term {x}")


def _well_formed_matrix(relation: PositiveSemidefinite, parts: dict[str, Any]) -> None:
    for part in (parts["matrix"], *parts["also"]):
        if isinstance(part, sp.MatrixExpr) and not isinstance(part, sp.MatrixBase):
            raise Refused(f"{sp.sstr(part)} is not an explicit matrix")
        if isinstance(part, sp.MatrixBase):
            rows, columns = part.shape
            if rows != columns:
                raise Refused(f"a matrix of shape {part.shape} is not square")
            for i in range(rows):
                for j in range(i):
                    if part[i, j] != part[j, i] and sp.simplify(part[i, j] - part[j, i]) != 0:
                        raise Refused(f"the matrix {sp.sstr(part.tolist())} is not symmetric")
    if not isinstance(parts["matrix"], sp.MatrixBase):
        raise Refused(f"{sp.sstr(parts['matrix'])} is not an explicit matrix")
    if len(set(relation.unknowns)) < len(relation.unknowns):
        raise Refused("an unknown is named twice")


class Need(NamedTuple):
    """What must hold for a subexpression to be defined: one of `ways`, each `(expression, sign)` with a sign
    among ">", ">=" and "!=", all of a way together.
    """

    where: Any
    ways: tuple[tuple[tuple[Any, str], ...], ...]
    given: Hypotheses


def _comparisons(relation: Any) -> Iterator[tuple[Any, Hypotheses]]:
    """The expressions of a relation, each with the hypotheses under which it must be defined."""
    if isinstance(relation, Induction):
        yield from _induction_parts(relation)
        return
    given = tuple(relation.given)
    if isinstance(relation, Minimises):
        x, t = relation.over, relation.index
        inside = (*given, sp.Gt(x, 0, evaluate=False), sp.Ge(t, 1, evaluate=False), sp.Le(t, relation.length))
        yield from ((e, inside) for e in (relation.objective, relation.spent, relation.at))
        yield from ((e, given) for e in (relation.total, relation.length, relation.value) if e is not None)
        return
    if isinstance(relation, ArgMin):
        rest = tuple(g for g in given if relation.over not in g.free_symbols)
        yield relation.at, rest
        if relation.starts is not None:
            yield relation.starts, rest
            yield sp.sympify(relation.expression).subs(relation.over, relation.starts), rest
        yield relation.expression, given
        return
    for name in _FIELDS[type(relation)]:
        yield from ((e, given) for e in _flat(_sympified(getattr(relation, name), name)))


def _induction_parts(relation: Induction) -> Iterator[tuple[Any, Hypotheses]]:
    claim, T = relation.relation, relation.over
    given = tuple(claim.given)
    left, right = (sp.sympify(getattr(claim, n)) for n in _FIELDS[type(claim)])
    reached = (*given, sp.Ge(T, relation.start))
    yield relation.first, tuple(g for g in given if T not in g.free_symbols)
    yield left, reached
    yield right, reached
    if isinstance(claim, Equal):
        held: Any = sp.Eq(left, right)
    else:
        held = sp.Lt(left, right) if claim.strict else sp.Le(left, right)
    yield relation.next, (*reached, *([held] if held not in (sp.true, sp.false) else []))


def needs(expression: Any, given: Hypotheses) -> Iterator[Need]:
    """What must hold for an expression to be defined, the inner parts first.

    >>> x = sp.Symbol("x", real=True)
    >>> [(need.where, need.ways) for need in needs(1 + sp.log(x), ())]
    [(log(x), (((x, '>'),),))]
    """
    e = sp.sympify(expression)
    if not e.args or isinstance(e, sp.Symbol):
        return
    if isinstance(e, sp.Sum | sp.Product):
        e = _with_free_indices(e, given)
        inside = given
        for index, low, high in reversed(e.limits):
            yield from needs(low, inside)
            yield from needs(high, inside)
            ends = (sp.Ge(index, low), sp.Le(index, high))
            inside = (*inside, *[c for c in ends if c not in (sp.true, sp.false)])
        yield from needs(e.function, inside)
        return
    if isinstance(e, sp.Piecewise):
        inside = given
        for value, condition in e.args:
            yield from needs(condition, inside)
            yield from needs(value, (*inside, condition) if condition is not sp.true else inside)
            if condition is not sp.true:
                inside = (*inside, sp.Not(condition))
        return
    if isinstance(e, sp.Indexed):
        for i in e.indices:
            yield from needs(i, given)
        return
    for arg in e.args:
        yield from needs(arg, given)
    if ways := _ways(e):
        yield Need(e, ways, given)


def _with_free_indices(total: Any, given: Hypotheses) -> Any:
    """The sum with indices that no sum in the hypotheses has: an index that is let run freely stands for
    itself.
    """
    bound = {i for c in given for other in c.atoms(sp.Sum, sp.Product) for i in other.variables}
    for index in [i for i in total.variables if i in bound]:
        free = fresh(index.name, [total, *given], **index._assumptions_orig)
        limits = [
            (free if i == index else i, bind(low, index, free), bind(high, index, free))
            for i, low, high in total.limits
        ]
        total = total.func(bind(total.function, index, free), *limits)
    return total


def _ways(e: Any) -> tuple[tuple[tuple[Any, str], ...], ...]:
    """The ways in which one operation may be defined, its parts being so; none if it always is."""
    if isinstance(e, sp.Pow):
        return _power_ways(e.base, e.exp)
    if isinstance(e, sp.log | sp.gamma | sp.loggamma):
        return (((e.args[0], ">"),),)
    if isinstance(e, sp.tan):
        return (((sp.cos(e.args[0]), "!="),),)
    if isinstance(e, sp.cot):
        return (((sp.sin(e.args[0]), "!="),),)
    if isinstance(e, sp.coth):
        return (((e.args[0], "!="),),)
    if isinstance(e, sp.factorial):
        return (((e.args[0], ">="),),)
    if isinstance(e, sp.Mod):
        return (((e.args[1], "!="),),)
    if isinstance(e, sp.LambertW):
        x = e.args[0]
        if len(e.args) == 2 and e.args[1] == -1:
            return (((x + sp.exp(-1), ">="), (-x, ">")),)
        return (((x + sp.exp(-1), ">="),),)
    return ()


def _power_ways(base: Any, power: Any) -> tuple[tuple[tuple[Any, str], ...], ...]:
    if power.is_Rational:
        if power.q == 1:
            return () if power > 0 else (((base, "!="),),)
        return (((base, ">="),),) if power > 0 else (((base, ">"),),)
    if base.is_positive:
        return ()
    if power.is_integer:
        return () if power.is_nonnegative else (((base, "!="),), ((power, ">="),))
    return (((base, ">"),), ((base, ">="), (power, ">")))


_SURE: dict[str, Callable[[Any], bool]] = {
    ">": lambda e: bool(e.is_positive),
    ">=": lambda e: bool(e.is_nonnegative),
    "!=": lambda e: bool(e.is_nonzero),
}


def _near(e: Any, given: Hypotheses) -> Hypotheses:
    """The hypotheses that are tied to the expression by shared symbols, directly or through others."""
    symbols = set(e.free_symbols)
    rest: list[Any] = list(given)
    near: list[Any] = []
    while True:
        touching = [c for c in rest if c.free_symbols & symbols]
        if not touching:
            return tuple(near)
        near += touching
        rest = [c for c in rest if c not in touching]
        symbols |= {s for c in touching for s in c.free_symbols}


class Definedness:
    """Whether relations are defined wherever their hypotheses hold; what was shown once is kept."""

    def __init__(self, prove: Prove):
        self.prove = prove
        self.known: dict[Any, str | None] = {}
        self.shown: dict[Any, list[frozenset[Any]]] = {}  # what holds under some hypotheses does under more

    def show(self, relation: Any, effort: Effort) -> None:
        """Nothing, or `Undefined` with the subexpression and, if it is known, where it is not defined."""
        if type(relation) not in _FIELDS:
            return
        parts = list(_comparisons(relation))
        if mentions(relation):
            given = hypotheses(relation)
            parts += [(c, given) for c in coefficients([*sides_of(relation), *given])]
        self._hypotheses(hypotheses(relation), effort)
        for expression, given in parts:
            for need in needs(expression, given):
                self.meet(need, effort)

    def _hypotheses(self, given: Hypotheses, effort: Effort) -> None:
        """Every hypothesis is defined where those hold that were seen to be before."""
        held = [c for c in given if not any(True for _ in needs(c, ()))]
        todo = [c for c in given if c not in held]
        while todo:
            stuck: Undefined | None = None
            for c in list(todo):
                try:
                    for need in needs(c, tuple(held)):
                        self.meet(need, effort)
                except Undefined as why:
                    stuck = stuck or why
                    continue
                held.append(c)
                todo.remove(c)
                stuck = None
                break
            if stuck is not None:
                raise stuck

    def meet(self, need: Need, effort: Effort) -> None:
        """Nothing if one of the ways in which it can be defined is shown, else `Undefined`."""
        failures: list[Undefined] = []
        for way in need.ways:
            try:
                for e, sign in way:
                    self._one(need, e, sign, effort)
                return
            except Undefined as why:
                failures.append(why)
        raise next((f for f in failures if f.cut_short), failures[0])

    def _one(self, need: Need, e: Any, sign: str, effort: Effort) -> None:
        if _SURE[sign](e):
            return
        given = _near(e, need.given)
        if any(fewer <= set(given) for fewer in self.shown.get((e, sign), ())):
            return
        key = (e, sign, given)
        if key not in self.known:
            self.known[key] = self._failure(e, sign, given, effort)
        why = self.known[key]
        if why is None:
            self.shown.setdefault((e, sign), []).append(frozenset(given))
        else:
            raise Undefined(f"{sp.sstr(need.where)} is not shown to be defined: {why}")

    def _failure(self, e: Any, sign: str, given: Hypotheses, effort: Effort) -> str | None:
        """Why the sign is not shown; None if it is."""
        if sign != "!=":
            return self._why_not(e, AtMost(ZERO, e, given, strict=sign == ">"), sign, effort)
        for signed in (e, -e) if guess_sign(e, list(given)) > 0 else (-e, e):
            if self.prove(AtMost(ZERO, signed, given, strict=True), effort).verdict is PROVED:
                return None
        return self._why_not(e, AtMost(ZERO, e**2, given, strict=True), sign, effort)

    def _why_not(self, e: Any, wanted: AtMost, sign: str, effort: Effort) -> str | None:
        result = self.prove(wanted, effort)
        if result.verdict is PROVED:
            return None
        if result.verdict is REFUTED and result.witness is not None:
            at = ", ".join(f"{k} = {v}" for k, v in result.witness.let.items()) or "any point"
            return f"it needs {sp.sstr(e)} {sign} 0, which fails at {at}"
        return f"it needs {sp.sstr(e)} {sign} 0, which was not proved"


def model(given: Sequence[Any], effort: Effort) -> dict[str, str] | None:
    """A rational point that meets the hypotheses, in words; None if none was found.

    >>> from dpverify.effort import QUICK
    >>> x = sp.Symbol("x", real=True)
    >>> model([x < 1, x > 0], QUICK)
    {'x': '1/2'}
    """
    return _model(tuple(map(sp.sympify, given)), effort)


@lru_cache(maxsize=1024)
def _model(given: Hypotheses, effort: Effort) -> dict[str, str] | None:
    if any(c is sp.false for c in given):
        return None
    # Nothing makes 1 <= 0 true, so that a counterexample to it is a point that meets the hypotheses.
    absurd = AtMost(sp.Integer(1), ZERO, tuple(map(_solved, _without_names(given))))
    if not mentions(absurd) and sp.false in domain_of(absurd).given:
        return None
    witness = refute(absurd, effort, EASY) or refute(absurd, effort, HARD)
    return None if witness is None else dict(witness.let)


def _without_names(given: Hypotheses) -> Hypotheses:
    """The hypotheses with F(w) for every real number that an equation only names: h = F(w) can always be
    met, and says nothing of F and w.
    """
    names = {
        c.lhs: c.rhs
        for c in given
        if isinstance(c, sp.Eq)
        and isinstance(c.rhs, Atom)
        and type(c.lhs) in (sp.Symbol, sp.Dummy)
        and c.lhs.assumptions0 == sp.Dummy(real=True).assumptions0
    }
    replaced = (c.xreplace(names) for c in given)
    return tuple(c for c in replaced if c is not sp.true)


def _solved(c: Any) -> Any:
    """An equation that is linear in a real symbol, solved for it, so that the others can be chosen freely;
    one that defines a symbol stays as it is.
    """
    if not isinstance(c, sp.Eq) or Domain.definition(c) is not None:
        return c
    gap = c.lhs - c.rhs
    for s in sorted(gap.free_symbols, key=str):
        if isinstance(s, sp.Symbol) and not s.is_integer and not gap.atoms(sp.Indexed, sp.Sum, sp.Product):
            slope = sp.diff(gap, s)
            if s not in slope.free_symbols and slope.is_nonzero:
                return sp.Eq(s, sp.expand(s - gap / slope), evaluate=False)
    return c


def contradiction(given: Sequence[Any], effort: Effort, prove: Prove) -> bool:
    """Whether the hypotheses are shown to contradict each other."""
    scalar = [c for c in map(sp.sympify, given) if not c.atoms(Atom)]
    if sp.false in scalar or sp.false in Domain([], scalar).given:
        return True
    return prove(AtMost(sp.Integer(1), ZERO, tuple(given)), effort).verdict is PROVED
