"""Vectors in R^d, whatever d: linear combinations with scalar coefficients, inner products, norms.

    x, g = vectors("x g");  norm2(x - eta * g)  ->  |x|^2 - 2 eta <x, g> + eta^2 |g|^2

An inner product is expanded into `Atom`s, one for each pair of vectors that are not combinations of others:
real symbols for SymPy, entries of a positive semidefinite Gram matrix for `dpverify.proving.gram`. Every
statement about vectors is then an ordinary relation between scalars. An atom remembers what it is made of,
so that a parameter (or a vector) that is replaced in an expression is replaced inside of its atoms too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

Rule = Mapping[Any, Any]


@lru_cache(maxsize=20_000)
def spelt(e: Any) -> str:
    """A text that is the same for equal scalars, and for no others: symbols with what is assumed of them.

    >>> spelt(sp.Symbol("x", positive=True)) == spelt(sp.Symbol("x", positive=True, real=True))
    True
    """
    symbols = sorted(e.atoms(sp.Symbol), key=lambda s: (s.name, str(s.assumptions0)))
    return sp.sstr(e) + "".join(
        f"; {getattr(s, 'key', s.name)}: {','.join(k for k, v in sorted(s.assumptions0.items()) if v)}"
        for s in symbols
    )


class Basis:
    """What linear combinations are made of: a vector with a name (or, in `functions`, a gradient)."""

    def __init__(self, name: str):
        if not name.isidentifier():
            raise ValueError(f"Expected name={name!r} to be letters, digits and underscores.")
        self.name = name

    rank = 0  # names come before minimisers, and these before gradients

    @cached_property
    def key(self) -> str:
        """What tells two of them apart."""
        return self.name

    @property
    def order(self) -> tuple[int, str]:
        """Where it stands in a text."""
        return self.rank, self.key

    @property
    def latex(self) -> str:
        return str(sp.latex(sp.Symbol(self.name)))

    @property
    def scalars(self) -> set[sp.Symbol]:
        """The scalar symbols inside."""
        return set()

    def replaced(self, rule: Rule) -> Vector:
        """The vector that stands here once the rule is applied."""
        return rule[self] if self in rule else Vector.combination({self: sp.S.One})

    def declarations(self) -> set[str]:
        """What it is, in words, for the list of what a statement is about."""
        return {f"vector {self.name}"}

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        return ["Basis", self.name]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.key))

    def __str__(self) -> str:
        return self.name


class Entry(Basis):
    """An entry of a sequence of vectors."""

    def __init__(self, sequence: str, index: Any):
        self.sequence, self.index = sequence, sp.sympify(index)
        self.name = f"{sequence}[{self.index}]"

    @cached_property
    def key(self) -> str:
        return f"{self.sequence}[{spelt(self.index)}]"

    @property
    def latex(self) -> str:
        return rf"{sp.latex(sp.Symbol(self.sequence))}_{{{sp.latex(self.index)}}}"

    @property
    def scalars(self) -> set[sp.Symbol]:
        return set(self.index.free_symbols)

    def replaced(self, rule: Rule) -> Vector:
        if self in rule:
            return rule[self]
        return Vector.combination({Entry(self.sequence, self.index.xreplace(dict(rule))): sp.S.One})

    def declarations(self) -> set[str]:
        return {f"sequence {self.sequence} of vectors"}

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        return ["Entry", self.sequence, write(self.index)]


class Total(Basis):
    """The sum over an index of weight times a vector, with ends that are not numbers."""

    rank = 3

    def __init__(self, term: Basis, weight: Any, index: sp.Symbol, low: Any, high: Any):
        self.term = term
        self.weight = sp.sympify(weight)
        self.index = index
        self.low, self.high = sp.sympify(low), sp.sympify(high)
        factor = "" if self.weight == 1 else f"{sp.sstr(self.weight)}*"
        self.name = f"sum({factor}{term}, {index}={self.low}..{self.high})"

    @cached_property
    def key(self) -> str:
        ends = ", ".join(spelt(e) for e in (self.weight, self.index, self.low, self.high))
        return f"sum({self.term.key}, {ends})"

    @property
    def latex(self) -> str:
        factor = "" if self.weight == 1 else sp.latex(self.weight) + " "
        low, high = sp.latex(self.low), sp.latex(self.high)
        return rf"\sum_{{{self.index}={low}}}^{{{high}}} {factor}{self.term.latex}"

    @property
    def scalars(self) -> set[sp.Symbol]:
        labels = {base.label for base in self.weight.atoms(sp.IndexedBase)}
        inside = {s for s in self.weight.free_symbols - labels if isinstance(s, sp.Symbol)}
        return ((inside | self.term.scalars) - {self.index}) | self.low.free_symbols | self.high.free_symbols

    def replaced(self, rule: Rule) -> Vector:
        if self in rule:
            return rule[self]
        inside = {k: v for k, v in rule.items() if k != self.index}
        index = self.index
        taken = {s for v in inside.values() for s in (v.scalars if isinstance(v, Vector) else v.free_symbols)}
        while index in taken:
            index = sp.Symbol(f"{index.name}'", **index._assumptions_orig)  # it gives way to a free symbol
        own = {self.index: index} if index != self.index else {}
        term = self.term.replaced(inside | own) * self.weight.xreplace(inside | own)
        return total(term, (index, self.low.xreplace(inside), self.high.xreplace(inside)))

    def declarations(self) -> set[str]:
        return self.term.declarations()

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        ends = [write(e) for e in (self.weight, self.index, self.low, self.high)]
        return ["Total", self.term.to_json(write), *ends]


class Vector:
    """A vector in R^d, d any, by its name; sums, differences and scalar multiples are vectors too.

    >>> x, eta = Vector("x"), sp.Symbol("eta", positive=True)
    >>> print(2 * x - (eta * Vector("g") + x) / 2)
    3*x/2 - eta*g/2
    """

    __slots__ = ("parts",)

    parts: tuple[tuple[Basis, Any], ...]

    def __init__(self, name: str):
        self.parts = ((Basis(name), sp.S.One),)

    @classmethod
    def combination(cls, coefficients: Mapping[Basis, Any]) -> Vector:
        """The linear combination with these coefficients; parts with the coefficient 0 are dropped."""
        self = object.__new__(cls)
        spelt = {b: sp.expand(sp.sympify(c)) for b, c in coefficients.items()}
        self.parts = tuple(
            sorted(((b, c) for b, c in spelt.items() if c != 0), key=lambda part: part[0].order)
        )
        return self

    @classmethod
    def zero(cls) -> Vector:
        """The vector 0."""
        return cls.combination({})

    @property
    def basis(self) -> Basis:
        """The name of a vector that is no combination of others."""
        if len(self.parts) != 1 or self.parts[0][1] != 1:
            raise ValueError(f"Expected a vector with a name, got the combination {self}.")
        return self.parts[0][0]

    @property
    def scalars(self) -> set[sp.Symbol]:
        """The scalar symbols in the coefficients and inside the parts."""
        return {s for b, c in self.parts for s in (*c.free_symbols, *b.scalars)}

    def replaced(self, rule: Rule) -> Vector:
        """The vector after scalars (SymPy symbols) and vectors (`Basis`) are replaced by the rule."""
        total = Vector.zero()
        for b, c in self.parts:
            total += b.replaced(rule) * c.xreplace(dict(rule))
        return total

    def __add__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            if other == 0:  # so that sum() of vectors works
                return self
            raise TypeError(f"Expected a vector to add to {self}, got the scalar {other}.")
        total: dict[Basis, Any] = dict(self.parts)
        for b, c in other.parts:
            total[b] = total.get(b, sp.S.Zero) + c
        return Vector.combination(total)

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Vector:
        if isinstance(factor, Vector):
            raise TypeError(f"Expected a scalar times {self}, got a vector; write inner(u, v) or norm2(u).")
        return Vector.combination({b: c * sp.sympify(factor) for b, c in self.parts})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        return self * (1 / sp.sympify(divisor))

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: Vector) -> Vector:
        return self + -other

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(
            f"Expected no coordinates of {self}: a vector has none here. Say it with inner products, or of a "
            "VectorSequence, whose entries are vectors."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __str__(self) -> str:
        return self._written(str, "*", sp.sstr)

    def __repr__(self) -> str:
        return f"Vector({str(self)!r})"

    @property
    def latex(self) -> str:
        """The combination in LaTeX."""
        return self._written(lambda b: b.latex, " ", sp.latex)

    def _written(self, write: Callable[[Basis], str], times: str, scalar: Callable[[Any], str]) -> str:
        text = ""
        for b, c in sorted(self.parts, key=lambda part: bool(part[1].could_extract_minus_sign())):
            minus = bool(c.could_extract_minus_sign())
            size = -c if minus else c
            if size == 1:
                term = write(b)
            elif times == "*" and sp.fraction(size)[1] != 1 and not size.is_Add:
                top, bottom = sp.fraction(size)
                term = f"{'' if top == 1 else scalar(top) + '*'}{write(b)}/{scalar(bottom)}"
                if top.is_Add or not bottom.is_Atom:
                    term = f"({scalar(size)})*{write(b)}"
            else:
                term = (f"({scalar(size)})" if size.is_Add else scalar(size)) + times + write(b)
            sign = (" - " if minus else " + ") if text else ("-" if minus else "")
            text += sign + term
        return text or "0"

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        """Nested lists that `dpverify.proving.codec` reads back."""
        return ["Vector", *[[b.to_json(write), write(c)] for b, c in self.parts]]


def vectors(names: str) -> tuple[Vector, ...]:
    """Several vectors by their names.

    >>> [str(v) for v in vectors("x y")]
    ['x', 'y']
    """
    return tuple(Vector(name) for name in names.split())


def keyed(point: Vector) -> str:
    """A text that is the same for equal vectors, and for no others.

    >>> keyed(2 * Vector("x"))
    '(2)*x'
    """
    return " + ".join(f"({spelt(c)})*{b.key}" for b, c in point.parts)


class VectorSequence:
    """A sequence of vectors: v[t] is a vector for every whole t.

    >>> v, t = VectorSequence("v"), sp.Symbol("t", integer=True)
    >>> v[t + 1] - v[t]
    Vector('v[t + 1] - v[t]')
    """

    def __init__(self, name: str):
        if not name.isidentifier():
            raise ValueError(f"Expected name={name!r} to be letters, digits and underscores.")
        self.name = name

    def __getitem__(self, index: Any) -> Vector:
        return Vector.combination({Entry(self.name, index): sp.S.One})


def total(term: Vector, limits: tuple[Any, Any, Any]) -> Vector:
    """The sum of a vector over an index, from low to high (0 if there is nothing between).

    >>> v, t, T = VectorSequence("v"), sp.Symbol("t", integer=True), sp.Symbol("T", integer=True)
    >>> print(total(v[t] / 2, (t, 1, T)), "and", total(v[t] / 2, (t, 1, 2)))
    sum(v[t], t=1..T)/2 and v[1]/2 + v[2]/2
    """
    index = limits[0]
    low = sp.sympify(limits[1])
    high = sp.sympify(limits[2])
    for end in (low, high):
        if not end.is_integer:
            raise ValueError(f"Expected whole ends of a sum of vectors, got {end}.")
    if low.is_Integer and high.is_Integer:
        steps = range(int(low), int(high) + 1)
        return sum((term.replaced({index: sp.Integer(k)}) for k in steps), Vector.zero())
    result = Vector.zero()
    for b, c in term.parts:
        outside, weight = c.as_independent(index, as_Add=False)
        still = index not in b.scalars and index not in weight.free_symbols
        if still and (high - low + 1).is_nonnegative:
            result += Vector.combination({b: c * (high - low + 1)})
        else:
            result += Vector.combination({Total(b, weight, index, low, high): outside})
    return result


class Atom(sp.Symbol):
    """A real scalar that stands for itself: an inner product of two vectors, the value of a function at a
    point.

    For SymPy it is a symbol. It has a value only where its vectors have: the engine never gives it one of
    its own.
    """

    __slots__ = ("content", "key")

    content: tuple[Any, ...]
    key: str

    @classmethod
    def made(cls, name: str, key: str, content: tuple[Any, ...], **assumptions: bool) -> Any:
        """The atom with this text, and the content that `key` identifies."""
        self: Any = sp.Symbol.__xnew__(cls, name, real=True, **assumptions)
        self.content, self.key = content, key
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, self.key)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self).build, self.content

    @staticmethod
    def build(*content: Any) -> Any:
        """The scalar with this content: an atom, or what it simplifies to."""
        raise NotImplementedError

    @property
    def scalars(self) -> set[sp.Symbol]:
        """The scalar symbols inside: f(x - eta*g) has eta inside."""
        return {s for part in self.content for s in part.scalars}

    @property
    def bases(self) -> Iterator[Basis]:
        """The vectors that stand directly inside."""
        raise NotImplementedError

    def declarations(self) -> set[str]:
        """The vectors and functions inside, each in words."""
        return {words for b in self.bases for words in b.declarations()}

    def replaced(self, rule: Rule) -> Any:
        """The scalar after what is inside is replaced by the rule."""
        return type(self).build(*[part.replaced(rule) for part in self.content])

    @property
    def free_symbols(self) -> set[Any]:
        return {self} | self.scalars

    def xreplace(self, rule: Any) -> Any:
        return self._xreplace(rule)[0]

    def _xreplace(self, rule: Any) -> tuple[Any, bool]:
        if self in rule:
            return rule[self], True
        new = self.replaced(rule) if rule else self
        return new, new != self

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return self.replaced({old: sp.sympify(new)}) if isinstance(old, sp.Symbol) else None

    def _eval_derivative_n_times(self, by: Any, n: Any) -> Any:
        if by in self.scalars:
            raise ValueError(f"Expected no derivative by {by}, which stands inside of {self}.")
        return super()._eval_derivative_n_times(by, n)


class Inner(Atom):
    """<u, v> for two vectors that are no combinations; |u|^2 if they are the same."""

    __slots__ = ()

    @staticmethod
    def build(*content: Any) -> Any:
        left, right = content
        return inner(left, right)

    @classmethod
    def between(cls, u: Basis, v: Basis) -> Any:
        """The atom for two parts of combinations, in the order of their names."""
        u, v = sorted((u, v), key=lambda b: b.order)
        content = tuple(Vector.combination({b: 1}) for b in (u, v))
        name, key = (f"|{u}|^2" if u == v else f"<{u}, {v}>"), f"<{u.key}, {v.key}>"
        return cls.made(name, key, content, **({"nonnegative": True} if u == v else {}))

    @property
    def bases(self) -> Iterator[Basis]:
        return (vector.basis for vector in self.content)

    @property
    def is_square(self) -> bool:
        """Whether it is the product of a vector with itself."""
        left, right = self.content
        return bool(left == right)

    def _latex(self, printer: Any) -> str:
        u, v = (b.latex for b in self.bases)
        return rf"\lVert {u} \rVert^{{2}}" if u == v else rf"\langle {u}, {v} \rangle"


def inner(u: Vector, v: Vector) -> Any:
    """The inner product, expanded.

    >>> x, y, a = Vector("x"), Vector("y"), sp.Symbol("a", real=True)
    >>> inner(x, y - a * x)
    <x, y> - |x|^2*a
    """
    for w in (u, v):
        if not isinstance(w, Vector):
            raise TypeError(f"Expected two vectors, got {w!r}.")
    terms = [c * d * Inner.between(b, e) for b, c in u.parts for e, d in v.parts]
    return sp.expand(sp.Add(*terms))


def norm2(u: Vector) -> Any:
    """The squared norm |u|^2.

    >>> norm2(Vector("x") - Vector("y"))
    -2*<x, y> + |x|^2 + |y|^2
    """
    return inner(u, u)


def norm(u: Vector) -> Any:
    """The norm |u|, the root of the squared norm.

    >>> norm(Vector("x")) ** 2
    |x|^2
    """
    if len(u.parts) == 1:
        (b, c) = u.parts[0]
        return sp.Abs(c) * sp.sqrt(Inner.between(b, b))
    return sp.sqrt(norm2(u))
