"""The form of a relation: the expressions that it holds, and whether they fit each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from dpverify.proving.tactics import TACTICS
from dpverify.relations import (
    ArgMin,
    AtMost,
    Equal,
    Increasing,
    Induction,
    Minimises,
    Order,
    PositiveSemidefinite,
)


class Refused(Exception):
    """The relation is not modelled; the message names the subexpression and the reason."""


# The fields of each kind of relation that hold expressions.
FIELDS: dict[type, tuple[str, ...]] = {
    Equal: ("derived", "stated"),
    AtMost: ("lhs", "rhs"),
    Increasing: ("expression",),
    ArgMin: ("expression", "at", "starts"),
    Order: ("expression", "scale", "lower", "upper", "hiding"),
    Minimises: ("objective", "spent", "total", "at", "length", "value"),
    Induction: ("first", "next"),
    PositiveSemidefinite: ("matrix", "also"),
}


def sympified(part: Any, name: str) -> Any:
    """A part of a relation as SymPy has it; `Refused` if it is none.

    >>> sympified((1, None), "also")
    (1, None)
    """
    if part is None or isinstance(part, sp.Basic | sp.MatrixBase):
        return part
    if isinstance(part, list | tuple):
        return tuple(sympified(e, name) for e in part)
    try:
        return sp.sympify(part, strict=True)
    except (sp.SympifyError, TypeError, AttributeError) as error:
        raise Refused(f"{name}={part!r} is not an expression") from error


def flat(part: Any) -> list[Any]:
    """The expressions of a part: those of a matrix, or of several parts, one by one.

    >>> flat((sp.Integer(1), None, sp.eye(1)))
    [1, 1]
    """
    if part is None:
        return []
    if isinstance(part, tuple):
        return [e for p in part for e in flat(p)]
    return list(part) if isinstance(part, sp.MatrixBase) else [part]


def _interval_symbol(s: Any, role: str) -> None:
    """Refuse a variable whose assumptions leave it a set with holes."""
    for name in ("even", "odd", "prime", "composite", "noninteger"):
        if s.assumptions0.get(name):
            raise Refused(f"the assumption {name}=True on {s}, {role}, is not modelled")
    if s.is_rational and not s.is_integer:
        raise Refused(f"the assumption rational=True on {s}, {role}, is not modelled")


def well_formed(relation: Any, parts: dict[str, Any], given: Sequence[Any]) -> None:
    """Refuse a relation whose parts do not fit each other."""
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
