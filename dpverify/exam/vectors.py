"""Vectors of any dimension: identities, Cauchy-Schwarz, triangle, Young, sums of norms, normalised steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.language import VectorSequence, inner, norm, norm2, total, vectors
from dpverify.relations import AtMost, Equal

x, y, z, w, g, m, v = vectors("x y z w g m v")
a, b, eta, beta, G, R = sp.symbols("a b eta beta G R", positive=True)
theta = sp.Symbol("theta", nonnegative=True)
C, h = sp.Rational(101, 100), sp.Rational(1, 2)
unit = [norm2(x) <= 1, norm2(y) <= 1]
mix = theta * x + (1 - theta) * y
t, T = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True)
u, s = VectorSequence("u"), VectorSequence("s")
weight = sp.IndexedBase("weight", positive=True)
whole, other = total(u[t], (t, 1, T)), total(s[t], (t, 1, T))
weighted = total(weight[t] * u[t], (t, 1, T))


def summed(term: Any) -> Any:
    """The sum over t = 1, ..., T."""
    return sp.Sum(term, (t, 1, T))


four = (x, y, z, w)
orthonormal = [sp.Eq(inner(p, q), int(p == q)) for i, p in enumerate(four) for q in four[: i + 1]]
seen = sum(inner(v, p) ** 2 for p in four)  # of v, along the four directions

TRUE = [
    ("four orthonormal vectors", lambda: AtMost(norm2(x + y + z + w), 4, orthonormal)),
    ("parallelogram", lambda: Equal(norm2(x + y) + norm2(x - y), 2 * norm2(x) + 2 * norm2(y))),
    ("polarisation", lambda: Equal(inner(x, y), (norm2(x + y) - norm2(x - y)) / 4)),
    ("cosine rule", lambda: Equal(norm2(x - y), norm2(x) - 2 * inner(x, y) + norm2(y))),
    (
        "three points",
        lambda: Equal(2 * inner(x - y, x - z), norm2(x - y) + norm2(x - z) - norm2(y - z)),
    ),
    (
        "a convex combination",
        lambda: Equal(
            norm2(mix), theta * norm2(x) + (1 - theta) * norm2(y) - theta * (1 - theta) * norm2(x - y)
        ),
    ),
    ("Cauchy-Schwarz", lambda: AtMost(inner(x, y), norm(x) * norm(y))),
    ("Cauchy-Schwarz, squared", lambda: AtMost(inner(x, y) ** 2, norm2(x) * norm2(y))),
    ("Cauchy-Schwarz, modulus", lambda: AtMost(sp.Abs(inner(x, y)), norm(x) * norm(y))),
    ("triangle", lambda: AtMost(norm(x + y), norm(x) + norm(y))),
    ("triangle of three", lambda: AtMost(norm(x + y + z), norm(x) + norm(y) + norm(z))),
    ("triangle through a point", lambda: AtMost(norm(x - z), norm(x - y) + norm(y - z))),
    ("triangle, reversed", lambda: AtMost(sp.Abs(norm(x) - norm(y)), norm(x - y))),
    ("Young", lambda: AtMost(inner(x, y), a / 2 * norm2(x) + norm2(y) / (2 * a))),
    ("Young for a sum", lambda: AtMost(norm2(x + y), (1 + a) * norm2(x) + (1 + 1 / a) * norm2(y))),
    ("Young, below", lambda: AtMost(norm2(x) / (1 + a) - norm2(y) / a, norm2(x + y))),
    ("square of a sum of two", lambda: AtMost(norm2(x + y), 2 * norm2(x) + 2 * norm2(y))),
    ("square of a sum of three", lambda: AtMost(norm2(x + y + z), 3 * (norm2(x) + norm2(y) + norm2(z)))),
    (
        "square of a sum of four",
        lambda: AtMost(norm2(x + y + z + w), 4 * (norm2(x) + norm2(y) + norm2(z) + norm2(w))),
    ),
    ("half a square by a difference", lambda: AtMost(norm2(x) / 2 - norm2(x - y), norm2(y))),
    (
        "Jensen for the square",
        lambda: AtMost(norm2(mix), theta * norm2(x) + (1 - theta) * norm2(y), [theta <= 1]),
    ),
    ("Jensen for the norm", lambda: AtMost(norm(mix), theta * norm(x) + (1 - theta) * norm(y), [theta <= 1])),
    (
        "momentum is an average",
        lambda: AtMost(norm(beta * m + (1 - beta) * g), G, [beta < 1, norm(m) <= G, norm(g) <= G]),
    ),
    (
        "momentum, squared",
        lambda: AtMost(norm2(beta * m + (1 - beta) * g), beta * norm2(m) + (1 - beta) * norm2(g), [beta < 1]),
    ),
    ("unit vectors", lambda: AtMost(inner(x, y), 1, unit)),
    ("diameter of the unit ball", lambda: AtMost(norm2(x - y), 4, unit)),
    ("a bounded pair", lambda: AtMost(inner(x, y), G * R, [norm(x) <= G, norm(y) <= R])),
    ("Pythagoras", lambda: Equal(norm2(x + y), norm2(x) + norm2(y), [sp.Eq(inner(x, y), 0)])),
    ("Pythagoras, one side", lambda: AtMost(norm2(x), norm2(x + y), [inner(x, y) >= 0])),
    (
        "one step towards a point",
        lambda: Equal(norm2(x - eta * g - y), norm2(x - y) - 2 * eta * inner(g, x - y) + eta**2 * norm2(g)),
    ),
    (
        "one step of subgradient descent",
        lambda: AtMost(
            norm2(x - eta * g - y),
            norm2(x - y) - 2 * eta * b + eta**2 * G**2,
            [norm2(g) <= G**2, inner(g, x - y) >= b],
        ),
    ),
    (
        "a normalised step descends",
        lambda: AtMost(norm(g) - 2 * norm(m - g), inner(g, m) / norm(m), [norm(m) > 0]),
    ),
    ("a normalised step has unit length", lambda: Equal(norm2(m / norm(m)), 1, [norm(m) > 0])),
    ("Gram determinant of a pair", lambda: AtMost(0, norm2(x) * norm2(y) - inner(x, y) ** 2)),
    (
        "product of two inner products",
        lambda: AtMost(inner(x, y) * inner(x, z), norm2(x) * norm(y) * norm(z)),
    ),
    (
        "gradient mapping",
        lambda: AtMost(-2 * inner(x, y), norm2(x - y) - h * norm2(x + y) + norm2(x + y) / 2),
    ),
]

FALSE = [
    ("parallelogram, sign", lambda: Equal(norm2(x + y) - norm2(x - y), 2 * norm2(x) + 2 * norm2(y))),
    ("polarisation, constant", lambda: Equal(inner(x, y), (norm2(x + y) - norm2(x - y)) / 2)),
    (
        "a convex combination, sign",
        lambda: Equal(
            norm2(mix), theta * norm2(x) + (1 - theta) * norm2(y) + theta * (1 - theta) * norm2(x - y)
        ),
    ),
    ("Cauchy-Schwarz, constant", lambda: AtMost(C * inner(x, y), norm(x) * norm(y))),
    ("Cauchy-Schwarz, strict", lambda: AtMost(inner(x, y), norm(x) * norm(y), strict=True)),
    ("Cauchy-Schwarz, reversed", lambda: AtMost(norm2(x) * norm2(y), inner(x, y) ** 2)),
    ("triangle, constant", lambda: AtMost(C * norm(x + y), norm(x) + norm(y))),
    ("triangle, sign", lambda: AtMost(norm(x + y), norm(x) - norm(y))),
    ("triangle for squares", lambda: AtMost(norm2(x + y), norm2(x) + norm2(y))),
    ("Young, constant", lambda: AtMost(C * inner(x, y), a / 2 * norm2(x) + norm2(y) / (2 * a))),
    ("Young, parameter on both sides", lambda: AtMost(inner(x, y), a / 2 * norm2(x) + a / 2 * norm2(y))),
    ("Young for a sum, constant", lambda: AtMost(norm2(x + y), (1 + a) * norm2(x) + norm2(y) / a)),
    ("Young, strict", lambda: AtMost(inner(x, y), a / 2 * norm2(x) + norm2(y) / (2 * a), strict=True)),
    (
        "square of a sum of two, constant",
        lambda: AtMost(norm2(x + y), sp.Rational(199, 100) * (norm2(x) + norm2(y))),
    ),
    (
        "square of a sum of three by two",
        lambda: AtMost(norm2(x + y + z), 2 * (norm2(x) + norm2(y) + norm2(z))),
    ),
    (
        "square of a sum of four by three",
        lambda: AtMost(norm2(x + y + z + w), 3 * (norm2(x) + norm2(y) + norm2(z) + norm2(w))),
    ),
    (
        "half a square by a difference, constant",
        lambda: AtMost(norm2(x) / 2 - norm2(x - y) / 2, norm2(y) / 2),
    ),
    ("Jensen, hypothesis dropped", lambda: AtMost(norm2(mix), theta * norm2(x) + (1 - theta) * norm2(y))),
    (
        "momentum, hypothesis dropped",
        lambda: AtMost(norm(beta * m + (1 - beta) * g), G, [beta < 1, norm(m) <= G]),
    ),
    ("unit vectors, constant", lambda: AtMost(inner(x, y), sp.Rational(99, 100), unit)),
    ("unit vectors, one dropped", lambda: AtMost(inner(x, y), 1, [norm2(x) <= 1])),
    ("diameter of the unit ball, constant", lambda: AtMost(norm2(x - y), sp.Rational(39, 10), unit)),
    ("Pythagoras, hypothesis dropped", lambda: Equal(norm2(x + y), norm2(x) + norm2(y))),
    ("Pythagoras, sign", lambda: AtMost(norm2(x + y), norm2(x), [sp.Eq(inner(x, y), 0)])),
    (
        "one step of subgradient descent, constant",
        lambda: AtMost(
            norm2(x - eta * g - y),
            norm2(x - y) - 2 * eta * b + eta**2 * G**2 / 2,
            [norm2(g) <= G**2, inner(g, x - y) >= b],
        ),
    ),
    (
        "a normalised step descends, constant",
        lambda: AtMost(norm(g) - norm(m - g), inner(g, m) / norm(m), [norm(m) > 0]),
    ),
    ("four orthonormal vectors, constant", lambda: AtMost(norm2(x + y + z + w), 4 / C, orthonormal)),
    ("Bessel, constant", lambda: AtMost(C * seen, norm2(v), orthonormal)),
    ("square of a sum of T, constant", lambda: AtMost(C * norm2(whole), T * summed(norm2(u[t])))),
    ("square of a sum of T, T dropped", lambda: AtMost(norm2(whole), summed(norm2(u[t])))),
    ("average about a point, reversed", lambda: AtMost(summed(norm2(u[t] - x)) / T, norm2(whole / T - x))),
    ("weighted Jensen, weights dropped", lambda: AtMost(norm2(weighted), summed(weight[t] * norm2(u[t])))),
    ("T bounded steps, constant", lambda: AtMost(norm2(whole), T * G**2, [summed(norm2(u[t])) <= T * G**2])),
    ("orthogonal to one is orthogonal to all", lambda: AtMost(inner(x, z), 0, [sp.Eq(inner(x, y), 0)])),
    ("inner products are transitive", lambda: AtMost(0, inner(x, z), [inner(x, y) >= 0, inner(y, z) >= 0])),
    ("on a line the product is squared", lambda: Equal(inner(x, y) ** 2, norm2(x) * norm2(y))),
]
