"""Whole numbers: floor, ceiling, remainders, logarithms to the base 2."""

import sympy as sp

from dpverify.relations import AtMost, Equal

X = sp.Symbol("X", real=True)
x = sp.Symbol("x", positive=True)
N, m, n = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "m", "n"))
i, j = (sp.Symbol(name, integer=True) for name in ("i", "j"))
half, log2 = sp.Rational(1, 2), sp.log(N, 2)

TRUE = [
    ("x <= ceil(x)", lambda: AtMost(X, sp.ceiling(X))),
    ("ceil(x) < x + 1", lambda: AtMost(sp.ceiling(X), X + 1, strict=True)),
    ("floor(x) <= x", lambda: AtMost(sp.floor(X), X)),
    ("floor(x)/x <= 1", lambda: AtMost(sp.floor(x) / x, 1)),
    ("halves of a whole number", lambda: AtMost(sp.floor(half * N) + sp.ceiling(half * N), N)),
    ("N <= 2^ceil(log2 N)", lambda: AtMost(N, 2 ** sp.ceiling(log2))),
    ("2^floor(log2 N) <= N", lambda: AtMost(2 ** sp.floor(log2), N)),
    ("N < 2^(floor(log2 N) + 1)", lambda: AtMost(N, 2 ** (sp.floor(log2) + 1), strict=True)),
    ("2^ceil(log2 N) < 2 N", lambda: AtMost(2 ** sp.ceiling(log2), 2 * N, strict=True)),
    ("a remainder is below its divisor", lambda: AtMost(sp.Mod(m, n), n - 1)),
    ("a remainder is at most the number", lambda: AtMost(sp.Mod(m, n), m)),
    ("batches cover everybody", lambda: AtMost(N, n * sp.ceiling(N / n))),
    ("no batch too many", lambda: AtMost(n * sp.ceiling(N / n), N + n - 1)),
    ("twice a half, rounded down", lambda: AtMost(N - 1, 2 * sp.floor(half * N))),
    ("strict order of whole numbers", lambda: AtMost(i + 1, j, [i < j])),
    ("no whole number between", lambda: AtMost(2 * i + 1, 2 * j + 1, [2 * i < 2 * j + 1])),
]

FALSE = [
    ("ceil(x) <= x", lambda: AtMost(sp.ceiling(X), X)),
    ("ceil(x) < x + 0.99", lambda: AtMost(sp.ceiling(X), X + sp.Rational(99, 100), strict=True)),
    ("floor(x) >= x - 0.99", lambda: AtMost(X - sp.Rational(99, 100), sp.floor(X))),
    ("halves rounded down", lambda: AtMost(N, 2 * sp.floor(half * N))),
    ("N < 2^ceil(log2 N)", lambda: AtMost(N, 2 ** sp.ceiling(log2), strict=True)),
    ("N <= 2^floor(log2 N)", lambda: AtMost(N, 2 ** sp.floor(log2))),
    ("a remainder is below its divisor minus 1", lambda: AtMost(sp.Mod(m, n), n - 2)),
    ("no batch too many, short by one", lambda: AtMost(n * sp.ceiling(N / n), N + n - 2)),
    ("floor is additive", lambda: Equal(sp.floor(X + x), sp.floor(X) + sp.floor(x))),
    ("strict order, by two", lambda: AtMost(i + 2, j, [i < j])),
    ("reals between whole numbers", lambda: AtMost(X + 1, x, [X < x])),
    ("floor of a real remainder", lambda: AtMost(sp.Mod(x, n), n - 1)),
]
