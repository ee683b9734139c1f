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

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from dpverify.language.expectations import holds_noise
from dpverify.language.functions import bases, coefficients, points
from dpverify.language.vectors import Atom
from dpverify.proving.assumptions import ENFORCED
from dpverify.proving.evaluate import bind
from dpverify.proving.forms import FIELDS, Refused, flat, sympified, well_formed
from dpverify.proving.functions import MODELLED
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


def elaborate(relation: Any) -> Any:
    """The relation with its hypotheses flattened, its indices freed of assumptions that their ranges do not
    give, and nothing in it that is not modelled; or `Refused`.

    >>> x = sp.Symbol("x", real=True)
    >>> elaborate(AtMost(x, 1, [sp.And(x > 0, x < 1)])).given
    (x > 0, x < 1)
    >>> elaborate(AtMost(x, 0.5))
    Traceback (most recent call last):
    dpverify.proving.forms.Refused: the number 0.5 is not exact: write Rational(1, 2)
    """
    kind = type(relation)
    if kind not in FIELDS:
        return relation  # statements on mechanisms have rules of their own
    if mentions(relation):
        _vectors_and_functions(relation)
    parts = {name: sympified(getattr(relation, name), name) for name in FIELDS[kind]}
    written = relation.relation.given if kind is Induction else relation.given
    for g in written:
        if isinstance(g, bool):
            raise Refused(f"a hypothesis is {g}, which Python decided by itself: a == b is Eq(a, b) here")
    given = [sympified(g, "given") for g in written]
    if kind is Induction:
        inner = relation.relation
        if not isinstance(inner, Equal | AtMost):
            raise Refused(f"an induction is about a comparison, not about {type(inner).__name__}")
        parts["left"], parts["right"] = (sympified(getattr(inner, n), n) for n in FIELDS[type(inner)])
    chosen = [sympified(s, "symbol") for s in _chosen(relation)]
    for s in chosen:
        if not isinstance(s, sp.Symbol):
            raise Refused(f"Expected a symbol, got {sp.sstr(s)}")
    named = [e for part in parts.values() for e in flat(part)] + given + chosen
    free = _one_meaning_each(named)
    well_formed(relation, parts, given)
    work = _Elaboration({s.name for s in free})
    done = {name: work.part(part) for name, part in parts.items()}
    held: list[Any] = []
    for g in given:
        held += work.hypothesis(g) if g.has(sp.Sum, sp.Product) else _without_sums(g)
    if kind is Induction:
        left, right = done.pop("left"), done.pop("right")
        comparison = replace(
            relation.relation, given=tuple(held), **dict(zip(FIELDS[type(relation.relation)], (left, right)))
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


def _one_meaning_each(expressions: Sequence[Any]) -> set[Any]:
    """The free symbols and the labels of sequences, each modelled, no two of one name."""
    sequences: set[Any] = set().union(*map(_labels, expressions))
    free = sequences.union(*map(_scalars, expressions))
    seen: dict[str, Any] = {}
    for s in sorted(free, key=lambda s: (s.name, str(sorted(s.assumptions0.items())))):
        _real(s)
        if s.name in seen:
            raise Refused(f"two different symbols are called {s.name}")
        seen[s.name] = s
    for e in expressions:
        if both := sequences and sequences & _outside_of_entries(e):
            raise Refused(f"{next(iter(both))} is both a number and a sequence")
    return free


# The steps of a proof have most of their hypotheses in common: each is looked at once.
@lru_cache(maxsize=20_000)
def _labels(e: Any) -> frozenset[Any]:
    """The symbols that name the sequences of an expression."""
    for base in e.atoms(sp.IndexedBase):
        if not isinstance(base.label, sp.Symbol):
            raise Refused(f"the sequence {base} has no symbol for a name")
    return frozenset(base.label for base in e.atoms(sp.IndexedBase))


@lru_cache(maxsize=20_000)
def _scalars(e: Any) -> frozenset[Any]:
    return frozenset(s for s in e.free_symbols if isinstance(s, sp.Symbol) and not isinstance(s, Atom))


@lru_cache(maxsize=20_000)
def _outside_of_entries(e: Any) -> frozenset[Any]:
    """The free symbols that stand outside of entries of sequences and of atoms, which come apart."""
    parts = e.atoms(sp.Indexed, Atom)
    return frozenset(e.xreplace({part: sp.Dummy(positive=True) for part in parts}).free_symbols)


@lru_cache(maxsize=20_000)
def _without_sums(h: Any) -> tuple[Any, ...]:
    """A hypothesis in which no index is bound, elaborated: it does not matter which names are taken."""
    return tuple(_Elaboration(set()).hypothesis(h))


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
        body = e.function
        limits = list(e.limits)
        done = []
        if len({limit[0] for limit in limits}) < len(limits):
            raise Refused(f"an index is bound twice in {sp.sstr(e)}")
        while limits:
            limit = limits.pop()  # the outermost first
            if len(limit) != 3:
                raise Refused(f"the range of {limit[0]} in {sp.sstr(e)} is not given")
            index = limit[0]
            low = self.expression_of_end(limit[1], e)
            high = self.expression_of_end(limit[2], e)
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
