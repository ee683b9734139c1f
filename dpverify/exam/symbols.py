"""Symbols that questions of several causes are about.

total(q[s]) is the sum of q_s over s = 1..T
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Rational, Sum, Symbol, sqrt, symbols

e = Rational(1, 10**8)
half = Rational(1, 2)
x, y, a, w = symbols("x y a w", positive=True)
X, Y = symbols("X Y", real=True)
v = Symbol("v", nonnegative=True)
n = Symbol("n", negative=True)
T, M, k = symbols("T M k", integer=True, positive=True)
T0 = Symbol("T0", integer=True, nonnegative=True)
m = Symbol("m", integer=True)
t = Symbol("t", positive=True)
s, r = symbols("s r", integer=True)
q, p = sp.IndexedBase("q", positive=True), sp.IndexedBase("p", positive=True)
g = sp.IndexedBase("g", real=True)
N = Symbol("N", integer=True, positive=True)
A, B = symbols("A B", commutative=False)
apart = [X > 1, X < 0]
roots = Sum(sqrt(q[s]), (s, 1, T))


def total(term: Any, low: Any = 1, high: Any = T, index: Any = s) -> Any:
    """The sum of a term, over s = 1..T if nothing else is said.

    >>> total(q[s]).limits
    ((s, 1, T),)
    """
    return Sum(term, (index, low, high))
