"""What is assumed of a symbol, and whether a rational number has it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

# What may be assumed of a symbol and is seen to at every point.
ENFORCED = (
    "real",
    "rational",
    "integer",
    "noninteger",
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "zero",
    "nonzero",
    "even",
    "odd",
    "prime",
    "composite",
)
KINDS = ("rational", "integer", "noninteger", "even", "odd", "prime", "composite")  # all but signs


def admits(symbol: Any, value: Any) -> bool:
    """Whether a rational has every property that is assumed of a symbol, or of an entry of a sequence.

    >>> admits(sp.Symbol("p", prime=True), sp.Integer(4))
    False
    """
    number = sp.Rational(value)
    return all(_has(number, name) is holds for name, holds in declared(symbol))


def is_of_kind(symbol: Any, number: Any) -> bool:
    """Whether a real number surely is rational, whole, even, ... or not, as is assumed of a symbol.

    >>> is_of_kind(sp.Symbol("n", integer=True), sp.pi), is_of_kind(sp.Symbol("r", integer=False), sp.pi)
    (False, True)
    """
    kinds = [(name, holds) for name, holds in declared(symbol) if name in KINDS]
    return all(getattr(number, f"is_{name}") is holds for name, holds in kinds)


def _has(number: sp.Rational, name: str) -> bool | None:
    """Whether a rational has a property; the plain ones are read off, as many points are looked at."""
    match name:
        case "positive":
            return bool(number.p > 0)
        case "negative":
            return bool(number.p < 0)
        case "nonnegative":
            return bool(number.p >= 0)
        case "nonpositive":
            return bool(number.p <= 0)
        case "zero":
            return bool(number.p == 0)
        case "nonzero":
            return bool(number.p != 0)
        case "integer":
            return bool(number.q == 1)
    return getattr(number, f"is_{name}")


@lru_cache(maxsize=4096)
def declared(symbol: Any) -> tuple[tuple[str, bool], ...]:
    """What is assumed of a symbol or of a sequence's entries, as far as a rational may have it or not.

    >>> declared(sp.Symbol("n", integer=True))
    (('real', True), ('rational', True), ('integer', True), ('noninteger', False))
    """
    source = symbol.base.label if isinstance(symbol, sp.Indexed) else symbol
    known = source.assumptions0
    return tuple((name, known[name]) for name in ENFORCED if name in known)
