"""Expectations over noise of which the mean and the variance are known: rules for finite sums, no measure
theory.

    nu = Noise("nu", variance=d * s**2)              mean 0; E|nu|^2 = d s^2
    E(norm2(x - eta * nu), nu)                       |x|^2 + eta^2 d s^2

The rules, for noise drawn after everything else in the expression is fixed (the past may be random: its own
expectation is taken later):

    linear           E(a X + b Y) = a E X + b E Y, for a and b that the noise does not enter
    first moment     E <nu, v> = <mean, v> for a vector v that nu does not enter
    second moment    E |nu|^2 = |mean|^2 + variance
    independence     E <nu, nu'> = <mean, mean'> for two different noises
    tower            E over several noises: the last one first, then the one before it
    otherwise        E X stays a number E[X] of which only its sign is known

Pointwise inequalities keep their sense under E (`Theorem.expect`). Each rule is compared with Monte Carlo in
the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import sympy as sp

from dpverify.language.functions import Function, bases
from dpverify.language.vectors import Atom, Basis, Inner, Rule, Vector, inner, keyed, norm2, spelt
from dpverify.relations import AtMost, Equal


class Draw(Basis):
    """A random vector: its name, its mean given the past, and its variance E|nu - mean|^2 given the past.

    With a `law` it has that law ("Gaussian"); without, any law with these moments.
    """

    rank = 3

    def __init__(self, name: str, mean: Vector, variance: Any, law: str = ""):
        super().__init__(name)
        self.mean = mean
        self.variance = sp.sympify(variance)
        self.law = law

    @cached_property
    def key(self) -> str:
        return f"{self.name}[{self.law} mean {keyed(self.mean)}, variance {spelt(self.variance)}]"

    @property
    def scalars(self) -> set[sp.Symbol]:
        return self.mean.scalars | self.variance.free_symbols

    def declarations(self) -> set[str]:
        law = f"{self.law} " if self.law else ""
        moments = f"mean {self.mean} and variance {sp.sstr(self.variance)} given the past"
        return {f"{law}noise {self.name} with {moments}"} | {
            w for b, _ in self.mean.parts for w in b.declarations()
        }

    def replaced(self, rule: Rule) -> Vector:
        if self in rule:
            return rule[self]
        variance = self.variance.xreplace(dict(rule))
        return Vector.combination({Draw(self.name, self.mean.replaced(rule), variance, self.law): 1})


def Noise(name: str, *, variance: Any, mean: Vector | None = None, law: str = "") -> Vector:
    """A random vector, drawn afresh, with this mean (0 unless given) and this variance E|nu - mean|^2 >= 0.

    >>> s = sp.Symbol("s", positive=True)
    >>> E(norm2(Noise("nu", variance=s)))
    s
    """
    variance = sp.sympify(variance)
    if variance.is_nonnegative is False:
        raise ValueError(f"Expected variance={variance} >= 0.")
    mean = Vector.zero() if mean is None else mean
    return Vector.combination({Draw(name, mean, variance, law): sp.S.One})


def gaussian(name: str, scale: Any, dimension: Any) -> Vector:
    """N(0, scale^2 I) in that many dimensions: mean 0, variance dimension scale^2.

    >>> s, d = sp.symbols("s d", positive=True)
    >>> E(norm2(gaussian("nu", s, d)))
    d*s**2
    """
    return Noise(name, variance=sp.sympify(dimension) * sp.sympify(scale) ** 2, law="Gaussian")


def gaussian_norm(scale: Any, dimension: Any) -> Any:
    """E|N(0, scale^2 I)|, exactly.

    >>> gaussian_norm(1, 1)
    sqrt(2)/sqrt(pi)
    """
    d = sp.sympify(dimension)
    return sp.sympify(scale) * sp.sqrt(2) * sp.gamma((d + 1) / 2) / sp.gamma(d / 2)


def sample_mean(
    name: str, *, mean: Vector, spread: Any, size: Any, of: Any = None, replacement: bool = True
) -> Vector:
    """The average of `size` draws from a finite population with this mean and spread (1/n) sum |v_i -
    mean|^2.

    Without replacement from `of` >= 2 members the variance is smaller by (of - size)/(of - 1).

    >>> m, n, s = sp.symbols("m n s", positive=True)
    >>> g = sample_mean("g", mean=Vector("v"), spread=s, size=m, of=n, replacement=False)
    >>> E(norm2(g - Vector("v")))
    -m*s/(m*n - m) + n*s/(m*n - m)
    """
    if not replacement and of is None:
        raise ValueError("Expected of=..., the size of the population, for draws without replacement.")
    variance = sp.sympify(spread) / size
    if not replacement:
        variance *= (sp.sympify(of) - size) / (sp.sympify(of) - 1)
    return Noise(name, variance=variance, mean=mean, law="sampling")


def uniform_index(term: Any, limits: tuple[sp.Symbol, Any, Any]) -> Any:
    """The expectation of a term at a uniformly random index of the range: their average.

    >>> t, T = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True)
    >>> a = sp.IndexedBase("a")
    >>> uniform_index(a[t], (t, 1, T))
    Sum(a[t], (t, 1, T))/T
    """
    _, low, high = limits
    return sp.Sum(term, limits) / (sp.sympify(high) - low + 1)


class Expected(Atom):
    """E[X] over some noises, for an X whose expectation no rule gives."""

    __slots__ = ()

    @staticmethod
    def build(*content: Any) -> Any:
        scalar, noises = content
        return E(scalar.expression, *[Vector.combination({draw: 1}) for draw in noises.draws])

    @classmethod
    def over(cls, expression: Any, draws: tuple[Draw, ...]) -> Any:
        names = ", ".join(draw.name for draw in draws)
        key = (
            f"E[{sp.srepr(expression)} {[atom.key for atom in _atoms(expression)]} over "
            f"{[d.key for d in draws]}]"
        )
        sign = {"nonnegative": True} if _never_negative(expression) else {}
        name = f"E_{{{names}}}[{sp.sstr(expression)}]"
        return cls.made(name, key, (_Scalar(expression), _Draws(draws)), **sign)

    @property
    def expression(self) -> Any:
        """What the expectation is of."""
        return self.content[0].expression

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The noises over which it is taken."""
        return self.content[1].draws

    @property
    def bases(self) -> Iterator[Basis]:
        return (b for atom in _atoms(self.expression) for b in atom.bases)

    def declarations(self) -> set[str]:
        return {words for atom in _atoms(self.expression) for words in atom.declarations()} | {
            words for draw in self.draws for words in draw.declarations()
        }

    def _latex(self, printer: Any) -> str:
        return rf"\mathbb{{E}}\left[{sp.latex(self.expression)}\right]"


class _Scalar:
    """An expression as a part of an atom."""

    def __init__(self, expression: Any):
        self.expression = expression

    @property
    def scalars(self) -> set[sp.Symbol]:
        return {s for s in self.expression.free_symbols if not isinstance(s, Atom)}

    def replaced(self, rule: Rule) -> _Scalar:
        return _Scalar(self.expression.xreplace(dict(rule)))


class _Draws:
    """The noises of an expectation as a part of an atom."""

    def __init__(self, draws: tuple[Draw, ...]):
        self.draws = draws

    @property
    def scalars(self) -> set[sp.Symbol]:
        return {s for draw in self.draws for s in draw.scalars}

    def replaced(self, rule: Rule) -> _Draws:
        moved = [draw.replaced(rule).basis for draw in self.draws]
        return _Draws(tuple(draw for draw in moved if isinstance(draw, Draw)))


def _atoms(expression: Any) -> list[Atom]:
    return sorted(sp.sympify(expression).atoms(Atom), key=lambda atom: atom.key)


def _never_negative(expression: Any) -> bool:
    """Whether every factor is a square or an atom that is not negative."""
    return all(
        factor.is_nonnegative or (factor.is_Pow and factor.exp.is_Integer and factor.exp % 2 == 0)
        for factor in sp.Mul.make_args(expression)
    )


def within(expression: Any) -> set[Basis]:
    """Every vector that an expression is made of, at any depth: in a point, in a coefficient, in the mean or
    the variance of a noise.
    """
    inside: set[Basis] = set()
    todo = [expression]
    while todo:
        for basis in bases([todo.pop()]) - inside:
            inside.add(basis)
            if isinstance(basis, Draw):
                todo += [norm2(basis.mean), basis.variance]
    return inside


def _inside(basis: Basis) -> set[Basis]:
    """The vector and every other that it is made of."""
    return within(norm2(Vector.combination({basis: sp.S.One})))


def _enters(draw: Draw, atom: Atom) -> bool:
    """Whether the noise stands in the atom, at any depth."""
    return draw in within(atom)


def holds_noise(condition: Any, noises: Sequence[Vector] | None = None) -> bool:
    """Whether a condition speaks of the outcome of one of the noises (of any, if none is named), not of an
    expectation over it.

    >>> nu = Noise("nu", variance=1)
    >>> holds_noise(sp.Le(norm2(nu), 2), [nu]), holds_noise(sp.Le(E(norm2(nu)), 2), [nu])
    (True, False)
    """
    outcomes = [atom for atom in _atoms(condition) if not isinstance(atom, Expected)]
    draws = {basis for atom in outcomes for basis in within(atom) if isinstance(basis, Draw)}
    return bool(draws if noises is None else draws & {noise.basis for noise in noises})


def E(expression: Any, *noises: Vector) -> Any:
    """The expectation over these noises, the last one first; over all noises in the expression if none is
    named.

    >>> x, eta, s = Vector("x"), sp.Symbol("eta", positive=True), sp.Symbol("s", positive=True)
    >>> nu = Noise("nu", variance=s**2)
    >>> E(norm2(x - eta * nu), nu)
    |x|^2 + eta**2*s**2
    """
    expression = sp.expand(sp.sympify(expression))
    draws = [noise.basis for noise in noises]
    if not noises:
        draws = sorted(
            {basis for basis in within(expression) if isinstance(basis, Draw)}, key=lambda draw: draw.key
        )
    for draw in reversed(draws):
        if not isinstance(draw, Draw):
            raise TypeError(f"Expected a noise to take the expectation over, got the vector {draw}.")
        expression = sp.expand(_over(expression, draw))
    return expression


def _over(expression: Any, draw: Draw) -> Any:
    return sp.Add(*[_of_term(term, draw) for term in sp.Add.make_args(expression)])


def _of_term(term: Any, draw: Draw) -> Any:
    """E of a product: factors that the noise does not enter come out."""
    fixed: list[Any] = []
    moved: list[Any] = []
    for factor in sp.Mul.make_args(term):
        enters = any(_enters(draw, atom) for atom in _atoms(factor))
        (moved if enters else fixed).append(factor)
    outside = sp.Mul(*fixed)
    if not moved:
        return outside
    inside = sp.Mul(*moved)
    if isinstance(inside, Inner):
        return outside * _of_inner(inside, draw)
    if isinstance(inside, Expected):
        return outside * _merged(inside, draw)
    return outside * Expected.over(inside, (draw,))


def _merged(atom: Expected, draw: Draw) -> Any:
    """The tower rule: the expectation over one more noise of what is an expectation already."""
    return Expected.over(atom.expression, (draw, *[d for d in atom.draws if d != draw]))


def _of_inner(atom: Inner, draw: Draw) -> Any:
    left, right = atom.bases
    if left == draw and right == draw:
        return norm2(draw.mean) + draw.variance
    other = right if left == draw else left
    if draw not in (left, right) or draw in _inside(other):
        return Expected.over(atom, (draw,))
    return inner(draw.mean, Vector.combination({other: 1}))


def jensen_root(square: Any, *noises: Vector) -> Any:
    """Jensen: E sqrt(X) <= sqrt(E X) for X >= 0, as a condition.

    >>> x, s = Vector("x"), sp.Symbol("s", positive=True)
    >>> jensen_root(norm2(Noise("nu", variance=s)))
    E_{nu}[sqrt(|nu|^2)] <= sqrt(s)
    """
    return sp.Le(E(sp.sqrt(square), *noises), sp.sqrt(E(square, *noises)))


def jensen(f: Function, point: Vector, *noises: Vector) -> Any:
    """Jensen: f(E x) <= E f(x) for a convex f, as a condition; the mean of the point is taken part by
    part.
    """
    if not f.convex:
        raise ValueError(f"Expected {f} to be convex, which Jensen's inequality needs.")
    return sp.Le(f(_mean(point, noises)), E(f(point), *noises))


def _mean(point: Vector, noises: tuple[Vector, ...]) -> Vector:
    total = Vector.zero()
    draws = [noise.basis for noise in noises]
    for basis, coefficient in point.parts:
        if within(coefficient) & set(draws):
            raise ValueError(f"Expected a point whose mean is known; {coefficient} times {basis} has none.")
        if isinstance(basis, Draw) and basis in draws:
            total += coefficient * _mean(basis.mean, noises)
        elif any(b in draws for b in _inside(basis)):
            raise ValueError(f"Expected a point whose mean is known; that of {basis} is not.")
        else:
            total += Vector.combination({basis: coefficient})
    return total


# Laws with mean 0 and variance 1 on a line: (value, chance).
LAWS = {
    "two values": ((1, sp.Rational(1, 2)), (-1, sp.Rational(1, 2))),
    "seldom far": ((2, sp.Rational(1, 8)), (-2, sp.Rational(1, 8)), (0, sp.Rational(3, 4))),
    "skew": ((3, sp.Rational(1, 10)), (sp.Rational(-1, 3), sp.Rational(9, 10))),
}


def with_law(relation: AtMost | Equal, law: str) -> AtMost | Equal | None:
    """The relation for noises mean + r k u, |u| = 1, where r^2 is the variance and k has one of the `LAWS`.

    A law with the declared moments: what breaks this relation breaks the one about every such law. None if a
    noise has a law of its own, or its variance no evident root.

    >>> x, s = Vector("x"), sp.Symbol("s", positive=True)
    >>> f, nu = Function("f", convex=True), Noise("nu", variance=s**2)
    >>> print(with_law(AtMost(E(f(x + nu), nu), f(x)), "two values"))
    f(s*u_nu + x)/2 + f(x - s*u_nu)/2 <= f(x)   given Eq(|u_nu|^2, 1)
    """
    sides = (
        (relation.derived, relation.stated) if isinstance(relation, Equal) else (relation.lhs, relation.rhs)
    )
    given: list[Any] = list(relation.given)
    directions: dict[Draw, Vector] = {}

    def spelt(expression: Any) -> Any:
        swap = {}
        for atom in sp.sympify(expression).atoms(Expected):
            total = atom.expression
            for draw in reversed(atom.draws):
                values = _values(draw, law, directions)
                total = sum(chance * total.xreplace({draw: value}) for value, chance in values)
            swap[atom] = spelt(total)
        return sp.sympify(expression).xreplace(swap)

    try:
        left, right = (spelt(side) for side in sides)
        given = [spelt(condition) for condition in given]
    except ValueError:
        return None
    given += [sp.Eq(norm2(direction), 1) for direction in directions.values()]
    if isinstance(relation, Equal):
        return Equal(left, right, given)
    return AtMost(left, right, given, strict=relation.strict)


def _values(draw: Draw, law: str, directions: dict[Draw, Vector]) -> list[tuple[Vector, Any]]:
    root = sp.sqrt(draw.variance)
    if draw.law or not root.is_rational_function(*root.free_symbols):
        raise ValueError(f"{draw} is not free to take these values")
    step = directions.setdefault(draw, Vector(f"u_{draw.name}")) * root
    return [(draw.mean + factor * step, chance) for factor, chance in LAWS[law]]
