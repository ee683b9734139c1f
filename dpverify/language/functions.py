"""Functions known by their class: smooth, convex, Lipschitz, Polyak-Lojasiewicz, bounded below.

    f = Function("f", smooth=L, strongly_convex=mu);  f(x) a scalar, f.gradient(x) a vector, f.minimiser a
    point

What is known of such a function are inequalities between its values and gradients at points, two at a time.
For a smooth (strongly) convex function the inequality `interpolation` at all pairs is all there is to know:
values and gradients that meet it belong to a function of the class (Taylor, Hendrickx and Glineur, 2017,
Theorem 4). Constants are never divided by, so that every fact is a polynomial in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp

from dpverify.language.vectors import Atom, Basis, Rule, Total, Vector, inner, keyed, norm, norm2

CONSTANTS = ("smooth", "strongly_convex", "lipschitz", "polyak_lojasiewicz", "lower_bound")


# What a function has elsewhere and not here, and what can be said in its place.
UNSAID = {
    "hessian": "bounds on the Hessian are smooth=L and strongly_convex=mu, and what it maps is a difference "
    "of gradients, f.gradient(x) - f.gradient(y)",
    "prox": "the proximal point y of x is a vector of its own, with x = y + eta * f.gradient(y)",
}


class FactAt(NamedTuple):
    """A fact about a function at some points: its kind, its name with the points, and what it says."""

    kind: str
    name: str
    relation: Any


class Function:
    """A function from R^d to R, d any, of which only its class is known.

    smooth               its gradient is Lipschitz with this constant
    convex               it is convex; with no `smooth`, `gradient` is some subgradient
    strongly_convex      f - mu/2 |x|^2 is convex, for this mu
    lipschitz            |f(x) - f(y)| <= G |x - y|
    polyak_lojasiewicz   |gradient|^2 >= 2 mu (f - min f)
    lower_bound          f is nowhere below this number

    >>> L = sp.Symbol("L", positive=True)
    >>> f, x, y = Function("f", smooth=L, convex=True), Vector("x"), Vector("y")
    >>> print(f.convexity(x, y))
    -<x, f'(x)> + <y, f'(x)> + f(x) <= f(y)
    >>> f.gradient(f.minimiser) == Vector.zero()
    True
    """

    def __init__(
        self,
        name: str,
        *,
        smooth: Any = None,
        convex: bool = False,
        strongly_convex: Any = None,
        lipschitz: Any = None,
        polyak_lojasiewicz: Any = None,
        lower_bound: Any = None,
    ):
        if not name.isidentifier():
            raise ValueError(f"Expected name={name!r} to be letters, digits and underscores.")
        self.name = name
        given = (smooth, strongly_convex, lipschitz, polyak_lojasiewicz, lower_bound)
        for word, value in zip(CONSTANTS, given):
            value = None if value is None else sp.sympify(value)
            if value is not None and word != "lower_bound" and not value.is_positive and not value.has(Atom):
                raise ValueError(f"Expected {word}={value} to be a positive number or symbol.")
            setattr(self, word, value)
        self.convex = bool(convex) or strongly_convex is not None

    smooth: Any
    strongly_convex: Any
    lipschitz: Any
    polyak_lojasiewicz: Any
    lower_bound: Any

    # ------------------------------------------------------------------ values, gradients, the minimiser

    def __call__(self, x: Vector) -> Any:
        """The value at a point."""
        return Value.build(self, x)

    def gradient(self, x: Vector) -> Vector:
        """The gradient at a point, a vector (0 at the minimiser)."""
        if x == self.minimiser:
            return Vector.zero()
        return Vector.combination({Gradient(self, x): sp.S.One})

    @property
    def minimiser(self) -> Vector:
        """A point where f is least; a statement that names it supposes that there is one."""
        return Vector.combination({Minimiser(self): sp.S.One})

    @property
    def minimum(self) -> Any:
        """The least value."""
        return self(self.minimiser)

    # ------------------------------------------------------------------ facts at points

    def descent(self, x: Vector, y: Vector) -> Any:
        """Smooth: f(y) <= f(x) + <f'(x), y - x> + L/2 |y - x|^2."""
        self._asked("descent", "smooth")
        return sp.Le(self(y), self._tangent(x, y) + self.smooth * norm2(y - x) / 2)

    def ascent(self, x: Vector, y: Vector) -> Any:
        """Smooth: f(y) >= f(x) + <f'(x), y - x> - L/2 |y - x|^2."""
        self._asked("ascent", "smooth")
        return sp.Le(self._tangent(x, y) - self.smooth * norm2(y - x) / 2, self(y))

    def lipschitz_gradient(self, x: Vector, y: Vector) -> Any:
        """Smooth: |f'(x) - f'(y)|^2 <= L^2 |x - y|^2."""
        self._asked("lipschitz_gradient", "smooth")
        return sp.Le(norm2(self.gradient(x) - self.gradient(y)), self.smooth**2 * norm2(x - y))

    def convexity(self, x: Vector, y: Vector) -> Any:
        """Convex: the tangent at x is below f(y)."""
        self._asked("convexity", "convex")
        return sp.Le(self._tangent(x, y), self(y))

    def strong_convexity(self, x: Vector, y: Vector) -> Any:
        """Strongly convex: f(y) >= f(x) + <f'(x), y - x> + mu/2 |y - x|^2."""
        self._asked("strong_convexity", "strongly_convex")
        return sp.Le(self._tangent(x, y) + self.strongly_convex * norm2(y - x) / 2, self(y))

    def cocoercivity(self, x: Vector, y: Vector) -> Any:
        """Smooth and convex: |f'(x) - f'(y)|^2 <= L <f'(x) - f'(y), x - y>."""
        self._asked("cocoercivity", "smooth", "convex")
        difference = self.gradient(x) - self.gradient(y)
        return sp.Le(norm2(difference), self.smooth * inner(difference, x - y))

    def interpolation(self, x: Vector, y: Vector) -> Any:
        """Smooth: all that values and gradients at x and y tell (m = mu, 0 or -L as f is strongly convex,
        convex or neither): with D = f'(y) - f'(x) and d = y - x,
        |D|^2 + m L |d|^2 - 2 m <D, d>  <=  2 (L - m) (f(y) - f(x) - <f'(x), d>).
        """
        self._asked("interpolation", "smooth")
        low = self.strongly_convex if self.strongly_convex is not None else 0 if self.convex else -self.smooth
        D, d = self.gradient(y) - self.gradient(x), y - x
        gap = sp.expand(2 * (self.smooth - low) * (self(y) - self._tangent(x, y)))
        return sp.Le(sp.expand(norm2(D) + low * self.smooth * norm2(d) - 2 * low * inner(D, d)), gap)

    def gradient_bound(self, x: Vector) -> Any:
        """Lipschitz: |f'(x)|^2 <= G^2."""
        self._asked("gradient_bound", "lipschitz")
        return sp.Le(norm2(self.gradient(x)), self.lipschitz**2)

    def value_difference(self, x: Vector, y: Vector) -> Any:
        """Lipschitz: f(y) - f(x) <= G |y - x|."""
        self._asked("value_difference", "lipschitz")
        return sp.Le(self(y) - self(x), self.lipschitz * norm(y - x))

    def gradient_dominates(self, x: Vector) -> Any:
        """Polyak-Lojasiewicz: 2 mu (f(x) - min f) <= |f'(x)|^2."""
        self._asked("gradient_dominates", "polyak_lojasiewicz")
        gap = sp.expand(2 * self.polyak_lojasiewicz * (self(x) - self.minimum))
        return sp.Le(gap, norm2(self.gradient(x)))

    def above_minimum(self, x: Vector) -> Any:
        """The least value is below every other."""
        return sp.Le(self.minimum, self(x))

    def above_bound(self, x: Vector) -> Any:
        """Bounded below: f(x) is at least the bound."""
        self._asked("above_bound", "lower_bound")
        return sp.Le(self.lower_bound, self(x))

    def gradient_below_gap(self, x: Vector) -> Any:
        """Smooth and bounded below by b: |f'(x)|^2 <= 2 L (f(x) - b), for a step x - f'(x)/L lands above
        b.
        """
        self._asked("gradient_below_gap", "smooth")
        least = self.minimum if self.lower_bound is None else self.lower_bound
        return sp.Le(norm2(self.gradient(x)), sp.expand(2 * self.smooth * (self(x) - least)))

    def facts(self, points: Sequence[Vector], derived: bool = True) -> list[Any]:
        """What the class says of values and gradients at these points: relations for the `given` of a claim.

        Without `derived`, those alone from which the others follow.

        >>> f, x = Function("f", convex=True, lipschitz=1), Vector("x")
        >>> [str(fact) for fact in f.facts([x], derived=False)]
        ["|f'(x)|^2 <= 1"]
        """
        return [instance.relation for instance in self.instances(points, derived)]

    def instances(self, points: Sequence[Vector], derived: bool = True) -> list[FactAt]:
        """The same with a name for each: which fact it is, and at which points.

        >>> f, x, y = Function("f", strongly_convex=1), Vector("x"), Vector("y")
        >>> [instance.name for instance in f.instances([x, y])]
        ['strong_convexity of f at x, y', 'strong_convexity of f at y, x']
        """
        minimised = self.minimiser in points or self.polyak_lojasiewicz is not None
        wanted: list[tuple[str, tuple[Vector, ...]]] = [
            (name, (x,)) for x in points for name in self._at_one(x, minimised, derived)
        ]
        for x, y in itertools.permutations(points, 2):
            wanted += [(name, (x, y)) for name in self._at_two(derived)]
        known = [
            FactAt(fact, f"{fact} of {self} at {', '.join(map(str, at))}", getattr(self, fact)(*at))
            for fact, at in wanted
        ]
        return [instance for instance in known if instance.relation is not sp.true]

    def _at_one(self, x: Vector, minimised: bool, derived: bool) -> Iterator[str]:
        if self.lipschitz is not None and (self.convex or self.smooth is not None):
            yield "gradient_bound"
        if self.polyak_lojasiewicz is not None:
            yield "gradient_dominates"
        if self.lower_bound is not None:
            yield "above_bound"
        if self.smooth is not None and (self.lower_bound is not None or (minimised and derived)):
            yield "gradient_below_gap"
        if minimised and x != self.minimiser and (derived or not self.convex):
            yield "above_minimum"

    def _at_two(self, derived: bool) -> Iterator[str]:
        smooth, strong = self.smooth is not None, self.strongly_convex is not None
        if self.convex and (derived or not smooth):
            yield "strong_convexity" if strong else "convexity"
        if smooth and derived:
            yield "descent"
        if smooth and derived and not self.convex:
            yield "ascent"
        if smooth:
            yield "interpolation"
        if self.lipschitz is not None and (derived or not self.convex):
            yield "value_difference"

    @property
    def conditions(self) -> list[Any]:
        """What the constants meet because there is such a function: mu <= L."""
        if self.smooth is None or self.strongly_convex is None:
            return []
        condition = sp.Le(self.strongly_convex, self.smooth)
        return [] if condition is sp.true else [condition]

    def _tangent(self, x: Vector, y: Vector) -> Any:
        return self(x) + inner(self.gradient(x), y - x)

    def _asked(self, fact: str, *words: str) -> None:
        for word in words:
            if getattr(self, word) is None or getattr(self, word) is False:  # 0 is a bound like another
                raise ValueError(f"Expected {self.name} to be declared {word}=..., which {fact} needs.")

    # ------------------------------------------------------------------ text and identity

    @property
    def declaration(self) -> str:
        """The class in words.

        >>> Function("f", smooth=2, convex=True).declaration
        'f is 2-smooth and convex'
        """
        words = {
            "smooth": "{}-smooth",
            "strongly_convex": "{}-strongly convex",
            "lipschitz": "{}-Lipschitz",
            "polyak_lojasiewicz": "{}-Polyak-Lojasiewicz",
            "lower_bound": "at least {}",
        }
        known = [
            text.format(sp.sstr(getattr(self, w)))
            for w, text in words.items()
            if getattr(self, w) is not None
        ]
        if self.convex and self.strongly_convex is None:
            known.append("convex")
        return f"{self.name} is {' and '.join(known) if known else 'any function'}"

    @cached_property
    def key(self) -> str:
        """What tells two functions apart: the name, the class, and the kind if it is somebody's own."""
        kind = "" if type(self) is Function else f"{type(self).__qualname__} "
        return f"{kind}{self.name}[{self.declaration}]"

    @property
    def scalars(self) -> set[sp.Symbol]:
        return {s for w in CONSTANTS if (c := getattr(self, w)) is not None for s in c.free_symbols}

    def replaced(self, rule: Rule) -> Function:
        """The function with the constants of its class replaced."""
        if not self.scalars:
            return self
        new = object.__new__(type(self))
        new.name, new.convex = self.name, self.convex
        for w in CONSTANTS:
            constant = getattr(self, w)
            setattr(new, w, None if constant is None else constant.xreplace(dict(rule)))
        return new

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        constants = {w: write(c) for w in CONSTANTS if (c := getattr(self, w)) is not None}
        return ["Function", self.name, self.convex, constants]

    def __getattr__(self, name: str) -> Any:
        if name in UNSAID:
            raise AttributeError(f"Expected something that is modelled, got {name}: {UNSAID[name]}.")
        raise AttributeError(f"A function has no {name!r}.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Function({self.declaration})"


class Gradient(Basis):
    """The gradient of a function at a point."""

    rank = 2

    def __init__(self, function: Function, point: Vector):
        self.function, self.point = function, point
        self.name = f"{function.name}'({point})"

    @cached_property
    def key(self) -> str:
        return f"{self.function.key}'({keyed(self.point)})"

    @property
    def latex(self) -> str:
        return rf"\nabla {sp.latex(sp.Symbol(self.function.name))}({self.point.latex})"

    @property
    def scalars(self) -> set[sp.Symbol]:
        return self.function.scalars | self.point.scalars

    def replaced(self, rule: Rule) -> Vector:
        if self in rule:
            return rule[self]
        return self.function.replaced(rule).gradient(self.point.replaced(rule))

    def declarations(self) -> set[str]:
        inside = {words for b, _ in self.point.parts for words in b.declarations()}
        return {f"a function: {self.function.declaration}"} | inside

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        return ["Gradient", self.function.to_json(write), self.point.to_json(write)]


class Minimiser(Basis):
    """The point where a function is least."""

    rank = 1

    def __init__(self, function: Function):
        self.function = function
        self.name = f"argmin {function.name}"

    @cached_property
    def key(self) -> str:
        return f"argmin {self.function.key}"

    @property
    def latex(self) -> str:
        return rf"x^\star_{{{sp.latex(sp.Symbol(self.function.name))}}}"

    @property
    def scalars(self) -> set[sp.Symbol]:
        return self.function.scalars

    def replaced(self, rule: Rule) -> Vector:
        return rule[self] if self in rule else self.function.replaced(rule).minimiser

    def declarations(self) -> set[str]:
        return {f"a function: {self.function.declaration}", f"{self.function.name} has a minimiser"}

    def to_json(self, write: Callable[[Any], Any]) -> list[Any]:
        return ["Minimiser", self.function.to_json(write)]


class Value(Atom):
    """f(x), the value of a function at a point."""

    __slots__ = ()

    @staticmethod
    def build(*content: Any) -> Any:
        function, point = content
        name = f"min {function}" if point == function.minimiser else f"{function}({point})"
        return Value.made(name, f"{function.key}({keyed(point)})", (function, point))

    @property
    def function(self) -> Function:
        return self.content[0]

    @property
    def point(self) -> Vector:
        return self.content[1]

    @property
    def bases(self) -> Iterator[Basis]:
        return (b for b, _ in self.point.parts)

    def declarations(self) -> set[str]:
        return {f"a function: {self.function.declaration}"} | super().declarations()

    def _latex(self, printer: Any) -> str:
        f = sp.latex(sp.Symbol(self.function.name))
        if self.point == self.function.minimiser:
            return rf"{f}^\star"
        return f"{f}({self.point.latex})"


def _inside(expressions: Sequence[Any]) -> tuple[dict[Value, None], dict[Basis, None]]:
    """The values and the vectors that stand in some expressions, at any depth: in points, sums and
    coefficients.
    """
    values: dict[Value, None] = {}
    vectors: dict[Basis, None] = {}

    def search(e: Any) -> None:
        for a in sorted(e.atoms(Atom), key=lambda a: a.key):
            if isinstance(a, Value):
                values.setdefault(a)
                combination(a.point)
            for b in a.bases:
                visit(b)

    def combination(v: Vector) -> None:
        for b, c in v.parts:
            visit(b)
            search(c)

    def visit(b: Basis) -> None:
        if b not in vectors:
            vectors.setdefault(b)
            if isinstance(b, Total):
                visit(b.term)
            elif isinstance(b, Gradient):
                combination(b.point)

    for e in expressions:
        search(sp.sympify(e))
    return values, vectors


def coefficients(expressions: Sequence[Any]) -> list[Any]:
    """The scalars that stand inside of atoms: coefficients in the points of functions, constants of classes.

    >>> f, x, a = Function("f", convex=True), Vector("x"), sp.Symbol("a", positive=True)
    >>> coefficients([f(x / (1 - a))])
    [1/(1 - a)]
    """
    values, vectors = _inside(expressions)
    where = [value.point for value in values] + [b.point for b in vectors if isinstance(b, Gradient)]
    inside = [c for point in where for _, c in point.parts]
    inside += [c for f in points(expressions) for w in CONSTANTS if (c := getattr(f, w)) is not None]
    inside += [b.weight for b in vectors if isinstance(b, Total)]
    return list(dict.fromkeys(inside))


def points(expressions: Sequence[Any]) -> dict[Function, list[Vector]]:
    """The functions in some expressions, and for each the points at which its value or gradient occurs.

    >>> f, x = Function("f", convex=True), Vector("x")
    >>> points([f(x - f.gradient(x))])
    {Function(f is convex): [Vector("x - f'(x)"), Vector('x')]}
    """
    values, vectors = _inside(expressions)
    where = [(value.function, value.point) for value in values]
    where += [(b.function, b.point) for b in vectors if isinstance(b, Gradient)]
    where += [(b.function, b.function.minimiser) for b in vectors if isinstance(b, Minimiser)]
    by_function: dict[Function, list[Vector]] = {}
    for function, point in dict.fromkeys(where):
        by_function.setdefault(function, []).append(point)
    return by_function


def bases(expressions: Sequence[Any]) -> set[Basis]:
    """Every vector that stands in some expressions, at any depth: in points of functions, in sums, in
    coefficients.

    >>> f, x = Function("f", convex=True), Vector("x")
    >>> sorted(map(str, bases([f(x - f.gradient(x))])))
    ["f'(x)", 'x']
    """
    return set(_inside(expressions)[1])
