"""Numbers that are too long to be written out stay powers, factorials and binomials.

SymPy writes out 2**(2**40) as soon as it sees it, in one call that no time limit can end. Balls evaluate such
numbers as they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

BITS = 1_000_000  # the longest number that is written out


def keep_long_numbers_short() -> None:
    """From now on SymPy leaves powers, factorials and binomials of more than `BITS` bits as they stand.

    >>> keep_long_numbers_short()
    >>> sp.Integer(2) ** sp.Integer(2) ** 40
    2**1099511627776
    >>> sp.factorial(sp.Integer(10) ** 12)
    factorial(1000000000000)
    """
    for number in (sp.Rational, sp.Integer):
        _guard(number, "_eval_power", _is_long_power)
    _guard(sp.factorial, "eval", _is_long_factorial)
    _guard(sp.binomial, "_eval", _is_long_binomial)


def _guard(owner: type, name: str, is_long: Callable[..., bool]) -> None:
    """Let a method of SymPy's answer None, its word for "as it stands", where the result would be long."""
    plain = owner.__dict__[name]
    if getattr(plain, "guarded", False) or getattr(getattr(plain, "__func__", None), "guarded", False):
        return
    evaluate = plain.__func__ if isinstance(plain, classmethod) else plain

    def guarded(first: Any, *others: Any) -> Any:
        numbers = others if isinstance(plain, classmethod) else (first, *others)
        return None if is_long(*numbers) else evaluate(first, *others)

    guarded.guarded = True  # type: ignore[attr-defined]
    setattr(owner, name, classmethod(guarded) if isinstance(plain, classmethod) else guarded)


def _is_long_power(base: Any, exponent: Any) -> bool:
    if not isinstance(exponent, sp.Rational) or abs(base.p) == base.q:
        return False
    length = max(abs(base.p).bit_length(), base.q.bit_length()) - 1
    return length * abs(exponent.p) > BITS * exponent.q


def _is_long_factorial(n: Any) -> bool:
    n = sp.sympify(n)
    return bool(n.is_Integer and n > 0 and n.p * n.p.bit_length() > BITS)


def _is_long_binomial(n: Any, k: Any) -> bool:
    n, k = sp.sympify(n), sp.sympify(k)
    if not (n.is_Rational and k.is_Integer):
        return False
    chosen = min(k.p, n.p - k.p) if n.is_Integer and n.p >= k.p else k.p
    return bool(chosen * max(n.p.bit_length(), 1) > BITS)
