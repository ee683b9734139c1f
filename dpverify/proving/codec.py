"""Expressions as JSON and back, through a closed list of node types: nothing that comes from outside is ever
evaluated.

3/4 -> ["Rational", 3, 4]      log(1 + x) -> ["log", ["Add", ["Rational", 1, 1], ["Symbol", "x", {...}]]]
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.language.functions import Function, Gradient, Minimiser
from dpverify.language.vectors import Atom, Basis, Entry, Total, Vector, inner
from dpverify.proving.assumptions import ENFORCED
from dpverify.relations import AtMost, Equal, sides_of

_FUNCTIONS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        sp.Add,
        sp.Mul,
        sp.Pow,
        sp.exp,
        sp.log,
        sp.Abs,
        sp.sign,
        sp.Max,
        sp.Min,
        sp.floor,
        sp.ceiling,
        sp.erf,
        sp.erfc,
        sp.sin,
        sp.cos,
        sp.tan,
        sp.cot,
        sp.coth,
        sp.asinh,
        sp.loggamma,
        sp.atan,
        sp.sinh,
        sp.cosh,
        sp.tanh,
        sp.LambertW,
        sp.gamma,
        sp.binomial,
        sp.factorial,
        sp.Sum,
        sp.Product,
        sp.Tuple,
        sp.Mod,
        sp.Eq,
        sp.Ne,
        sp.Lt,
        sp.Le,
        sp.Gt,
        sp.Ge,
        sp.And,
        sp.Or,
        sp.Not,
    )
}
_CONSTANTS = {
    "Pi": sp.pi,
    "Exp1": sp.E,
    "Infinity": sp.oo,
    "NegativeInfinity": -sp.oo,
    "BooleanTrue": sp.true,
    "BooleanFalse": sp.false,
}


def to_json(expression: Any) -> list[Any]:
    """The expression as nested lists.

    >>> to_json(sp.Rational(3, 4))
    ['Rational', 3, 4]
    """
    e = sp.sympify(expression)
    if isinstance(e, sp.Rational):
        return ["Rational", int(e.p), int(e.q)]
    if isinstance(e, Atom):
        return [type(e).__name__, *[part.to_json(to_json) for part in e.content]]
    if isinstance(e, sp.Symbol):
        return ["Symbol", e.name, {k: v for k in ENFORCED if (v := e.assumptions0.get(k)) is not None}]
    if isinstance(e, sp.Indexed):
        base = {k: v for k in ENFORCED if (v := e.base.label.assumptions0.get(k)) is not None}
        return ["Indexed", str(e.base.label), base, *[to_json(i) for i in e.indices]]
    for name, constant in _CONSTANTS.items():
        if e == constant:
            return [name]
    if isinstance(e, sp.Piecewise):
        return ["Piecewise", *[[to_json(value), to_json(condition)] for value, condition in e.args]]
    name = type(e).__name__
    if name not in _FUNCTIONS:
        raise TypeError(f"Expected an expression made of known functions, got {name} in {e}.")
    return [name, *[to_json(arg) for arg in e.args]]


def from_json(tree: Any) -> Any:
    """The expression that `to_json` wrote; anything else is an error.

    >>> from_json(["Add", ["Rational", 1, 2], ["Rational", 1, 2]])
    1
    """
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise ValueError(f"Expected a list that starts with a node name, got {tree!r}.")
    head, *rest = tree
    if head == "Rational":
        p, q = rest
        if type(p) is not int or type(q) is not int:
            raise ValueError(f"Expected two integers in {tree!r}.")
        return sp.Rational(p, q)
    if head == "Symbol":
        return sp.Symbol(rest[0], **_known(rest[1]))
    if head == "Indexed":
        return sp.IndexedBase(rest[0], **_known(rest[1]))[tuple(from_json(i) for i in rest[2:])]
    if head in _CONSTANTS:
        return _CONSTANTS[head]
    if head == "Inner":
        return inner(*[_vector(part) for part in rest])
    if head == "Value":
        return _function(rest[0])(_vector(rest[1]))
    if head == "Piecewise":
        return sp.Piecewise(*[(from_json(value), from_json(condition)) for value, condition in rest])
    if head not in _FUNCTIONS:
        raise ValueError(f"Expected a known node name, got {head!r}.")
    return _FUNCTIONS[head](*[from_json(arg) for arg in rest])


def comparison_to_json(relation: AtMost | Equal) -> dict[str, Any]:
    """A comparison with its hypotheses, as a record.

    >>> comparison_to_json(AtMost(1, 2, strict=True))["relation"]
    'Less'
    """
    strict = isinstance(relation, AtMost) and relation.strict
    left, right = sides_of(relation)
    return {
        "relation": "Equal" if isinstance(relation, Equal) else "Less" if strict else "AtMost",
        "left": to_json(left),
        "right": to_json(right),
        "given": [to_json(condition) for condition in relation.given],
    }


def comparison_from_json(record: dict[str, Any]) -> AtMost | Equal:
    """The comparison that `comparison_to_json` wrote.

    >>> print(comparison_from_json(comparison_to_json(AtMost(1, 2, strict=True))))
    1 < 2
    """
    left, right = from_json(record["left"]), from_json(record["right"])
    given = [from_json(condition) for condition in record["given"]]
    if record["relation"] == "Equal":
        return Equal(left, right, given)
    if record["relation"] not in ("Less", "AtMost"):
        raise ValueError(f"Expected relation={record['relation']!r} to be 'Equal', 'Less' or 'AtMost'.")
    return AtMost(left, right, given, strict=record["relation"] == "Less")


def _known(assumptions: Any) -> dict[str, bool]:
    if not isinstance(assumptions, dict) or any(
        k not in ENFORCED or type(v) is not bool for k, v in assumptions.items()
    ):
        raise ValueError(f"Expected known assumptions, got {assumptions!r}.")
    return assumptions


def _vector(tree: Any) -> Vector:
    head, *parts = tree
    if head != "Vector":
        raise ValueError(f"Expected a vector, got {tree!r}.")
    return Vector.combination({_basis(b): from_json(c) for b, c in parts})


def _basis(tree: Any) -> Basis:
    head, *rest = tree
    if head == "Basis":
        return Basis(rest[0])
    if head == "Entry":
        return Entry(rest[0], from_json(rest[1]))
    if head == "Total":
        return Total(_basis(rest[0]), *[from_json(part) for part in rest[1:]])
    if head == "Gradient":
        return Gradient(_function(rest[0]), _vector(rest[1]))
    if head == "Minimiser":
        return Minimiser(_function(rest[0]))
    raise ValueError(f"Expected a vector with a name, a gradient or a minimiser, got {tree!r}.")


def _function(tree: Any) -> Function:
    head, name, convex, constants = tree
    if head != "Function":
        raise ValueError(f"Expected a function, got {tree!r}.")
    return Function(name, convex=convex, **{word: from_json(value) for word, value in constants.items()})
