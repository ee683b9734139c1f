"""Which statements hold integrals, derivatives, limits or infinite sums that are not evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp

UNEVALUATED = (sp.Integral, sp.Derivative, sp.Limit, sp.Subs)


def unevaluated(e: Any) -> bool:
    """Whether an expression holds an integral, a derivative, a limit or an infinite sum.

    >>> x, t = sp.Symbol("x", real=True), sp.Symbol("t", integer=True)
    >>> unevaluated(1 + sp.Integral(x, (x, 0, 1))), unevaluated(sp.Sum(t, (t, 1, 4)))
    (True, False)
    """
    return bool(e.atoms(*UNEVALUATED)) or any(
        end.is_infinite
        for total in e.atoms(sp.Sum, sp.Product)
        for limit in total.limits
        for end in limit[1:]
    )


def holds_calculus(statement: Any) -> bool:
    """Whether a statement or its proof holds calculus that is not evaluated.

    >>> x = sp.Symbol("x", real=True)
    >>> from dpverify.relations import Equal
    >>> from dpverify.theorems import Theorem
    >>> holds_calculus(Theorem(Equal(sp.Integral(x, (x, 0, 1)), sp.Rational(1, 2))))
    True
    >>> holds_calculus(Equal(x, x))
    False
    """
    return any(unevaluated(e) for e in expressions_in(statement))


def expressions_in(part: Any) -> Iterator[Any]:
    """The expressions that a statement, a proof, or a part of one holds.

    >>> from dpverify.relations import Equal
    >>> list(expressions_in([Equal(sp.Integer(1), sp.Integer(2))]))
    [1, 2]
    """
    if isinstance(part, sp.MatrixBase):
        yield from part
    elif isinstance(part, sp.Basic):
        yield part
    elif isinstance(part, dict):
        yield from (e for value in part.values() for e in expressions_in(value))
    elif isinstance(part, list | tuple):
        yield from (e for value in part for e in expressions_in(value))
    elif is_dataclass(part) and not isinstance(part, type):
        yield from (e for f in fields(part) for e in expressions_in(getattr(part, f.name)))
