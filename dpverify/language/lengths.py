"""Norms as a reader writes them, for a page alone: the engine wants the inner products.

|x|^2 - 2 <x, y> + |y|^2  ->  |x - y|^2
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.language.vectors import Inner, Vector, keyed, norm2


class Length(sp.AtomicExpr):
    """The norm of a vector, for a page alone: nothing is proved about it."""

    is_real = True
    is_nonnegative = True
    is_commutative = True
    vector: Vector

    def __new__(cls, vector: Vector) -> Length:
        self = super().__new__(cls)
        self.vector = vector
        return self

    def _hashable_content(self) -> tuple[Any, ...]:
        return (keyed(self.vector),)

    def _sympystr(self, printer: Any) -> str:
        return f"|{self.vector}|"

    def _latex(self, printer: Any) -> str:
        return rf"\lVert {self.vector.latex} \rVert"


def in_norms(expression: Any) -> Any:
    """The expression as a reader would write it: a sum of inner products that is a multiple of the square of
    one vector as that square. It is for a page; the engine wants the inner products.

    >>> from dpverify.language import norm
    >>> x, y, a = Vector("x"), Vector("y"), sp.Symbol("a", positive=True)
    >>> in_norms(norm(x / a - y / a) + a)
    |x - y|/a + a
    """
    if not expression.atoms(Inner):
        return expression
    squares = {atom: Length(atom.content[0]) ** 2 for atom in expression.atoms(Inner) if atom.is_square}
    return expression.replace(lambda e: e.is_Add and len(e.atoms(Inner)) > 1, _as_square).xreplace(squares)


def _as_square(terms: Any) -> Any:
    """The sum with its inner products as one square, if they are one; else the sum as it is."""
    products: dict[Any, Any] = {}
    rest = []
    for term in terms.args:
        atoms = [factor for factor in sp.Mul.make_args(term) if isinstance(factor, Inner)]
        if len(atoms) == 1:
            products[atoms[0]] = products.get(atoms[0], 0) + term / atoms[0]
        else:
            rest.append(term)
    squares = {atom: factor for atom, factor in products.items() if atom.is_square}
    if not squares:
        return terms
    # Of a |x + b y|^2 the products give b = <x, y>/(2 a); a is that of the term which is easiest to read.
    first = min(squares, key=lambda atom: (sp.count_ops(squares[atom]), atom.name))
    scale, (base, _) = squares[first], first.bases
    parts = {base: sp.S.One}
    for atom, factor in products.items():
        pair = set(atom.bases)
        if base in pair and len(pair) == 2:
            (other,) = pair - {base}
            parts[other] = sp.cancel(factor / (2 * scale))
    vector = Vector.combination(parts)
    if len(parts) < 2 or sp.cancel(sp.expand(scale * norm2(vector) - terms + sp.Add(*rest))) != 0:
        return terms
    root = sp.powdenest(sp.sqrt(scale), force=True)
    inside = Vector.combination({b: sp.cancel(root * c) for b, c in vector.parts})
    if sp.expand(root**2 - scale) == 0 and _effort(inside) < _effort(vector):
        scale, vector = sp.S.One, inside
    shown = Vector.combination({b: in_norms(c) for b, c in vector.parts})
    return sp.Add(scale * Length(shown) ** 2, *rest)


def _effort(vector: Vector) -> int:
    """How much there is to read in the coefficients."""
    return int(sum(sp.count_ops(c) for _, c in vector.parts))
