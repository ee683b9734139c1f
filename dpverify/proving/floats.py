"""Expressions in floating point, over many points at once: one walk of the expression lists its operations,
common parts once.

A search looks at a few thousand points and then forgets the expression, so that compiling it would cost more
than evaluating it. Expressions with a function that has no entry here are left to SymPy's compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import sympy as sp

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    sp.Add: lambda *values: reduce(np.add, values),
    sp.Mul: lambda *values: reduce(np.multiply, values),
    sp.Pow: np.power,
    sp.Max: lambda *values: reduce(np.maximum, values),
    sp.Min: lambda *values: reduce(np.minimum, values),
    sp.exp: np.exp,
    sp.log: np.log,
    sp.Abs: np.abs,
    sp.sign: np.sign,
    sp.floor: np.floor,
    sp.ceiling: np.ceil,
    sp.sin: np.sin,
    sp.cos: np.cos,
    sp.tan: np.tan,
    sp.atan: np.arctan,
    sp.sinh: np.sinh,
    sp.cosh: np.cosh,
    sp.tanh: np.tanh,
}
_POWERS: dict[Any, Callable[..., Any]] = {
    sp.Integer(-1): np.reciprocal,
    sp.Integer(2): np.square,
    sp.Rational(1, 2): np.sqrt,
    sp.Rational(-1, 2): lambda x: 1 / np.sqrt(x),
}


def vectorised(names: Sequence[Any], expressions: Sequence[Any]) -> Callable[..., list[Any]]:
    """A function of one column of floats per name that gives one column, or one number, per expression.

    >>> x = sp.Symbol("x")
    >>> [values.tolist() for values in vectorised([x], [x**2 + 1, sp.sqrt(x)])(np.array([1.0, 4.0]))]
    [[2.0, 17.0], [1.0, 2.0]]
    """
    return walked(names, expressions) or compiled(names, expressions)


def walked(names: Sequence[Any], expressions: Sequence[Any]) -> Callable[..., list[Any]] | None:
    """The same, or None where an expression holds something that has no entry here."""
    walk = _Walk(names)
    try:
        wanted = [walk.place(e) for e in expressions]
    except (KeyError, OverflowError):
        return None

    def evaluate(*given: Any) -> list[Any]:
        values = [*given, *walk.values[len(given) :]]
        for place, function, places in walk.operations:
            values[place] = function(*[values[i] for i in places])
        return [values[i] for i in wanted]

    return evaluate


class _Walk:
    """The operations of some expressions, in an order in which they can be done; every different
    subexpression has a place.
    """

    def __init__(self, names: Sequence[Any]):
        self.places = {name: i for i, name in enumerate(names)}
        self.values: list[Any] = [None] * len(names)
        self.operations: list[tuple[int, Callable[..., Any], list[int]]] = []

    def place(self, e: Any) -> int:
        """Where the value of the expression will stand; KeyError if it holds something unknown."""
        if e in self.places:
            return self.places[e]
        if e.is_Rational or e.is_Float or e is sp.pi or e is sp.E:
            return self._add(e, np.float64(e))
        function, args = _FUNCTIONS[type(e)], e.args
        if isinstance(e, sp.Pow) and e.exp.is_Rational:
            power = np.float64(e.exp)
            function, args = _POWERS.get(e.exp) or partial(_power, power), e.args[:1]
        places = [self.place(arg) for arg in args]
        self.operations.append((len(self.values), function, places))
        return self._add(e)

    def _add(self, e: Any, value: Any = None) -> int:
        self.places[e] = len(self.values)
        self.values.append(value)
        return self.places[e]


def _power(exponent: np.float64, base: Any) -> Any:
    return np.power(base, exponent)


def compiled(names: Sequence[Any], expressions: Any) -> Callable[..., Any]:
    """The expressions as SymPy compiles them, each name under a name of its own: two symbols may be written
    alike.

    >>> x, y = sp.Symbol("x", real=True), sp.Symbol("x", positive=True)
    >>> compiled([x, y], [x - y])(3.0, 2.0)
    [1.0]
    >>> compiled([x], [x + sp.zoo])(3.0)
    [nan]
    """
    stand_ins = [sp.Dummy(f"v{i}") for i in range(len(names))]
    swap = dict(zip(names, stand_ins)) | {sp.zoo: sp.nan}  # what has no value at any point is not a number
    placed = [e.xreplace(swap) for e in expressions]
    return sp.lambdify(stand_ins, placed, modules=["numpy", "scipy"], cse=False)


def real(values: Any, count: int) -> np.ndarray:
    """Values as `count` floats; those that are not real become nan.

    >>> real(np.array([1 + 0j, 1j]), 2)
    array([ 1., nan])
    """
    array = np.broadcast_to(np.asarray(values), count)
    if array.dtype == object:
        array = array.astype(complex)
    if np.iscomplexobj(array):
        return np.where(array.imag == 0, array.real, np.nan)
    return array.astype(float)
