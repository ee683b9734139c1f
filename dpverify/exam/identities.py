"""Identities: algebra, radicals, logarithms, sums of arbitrary length."""

from __future__ import annotations

import sympy as sp

from dpverify.relations import Equal

x, y, z = sp.symbols("x y z", positive=True)
kappa, gamma, R, eps = sp.symbols("kappa gamma R epsilon", positive=True)
T, n = (sp.Symbol(name, integer=True, positive=True) for name in "Tn")
t, i = (sp.Symbol(name, integer=True, positive=True) for name in "ti")
q = sp.IndexedBase("q", positive=True)
S, C = sp.Sum(sp.sqrt(q[i]), (i, 1, T)), sp.Rational(101, 100)
below1 = [gamma < 1]
geometric = sp.Sum(gamma**t, (t, 1, T))

TRUE = [
    ("square of a sum", lambda: Equal((x + y) ** 2, x**2 + 2 * x * y + y**2)),
    ("difference of cubes", lambda: Equal(x**3 - y**3, (x - y) * (x**2 + x * y + y**2))),
    ("partial fractions", lambda: Equal(1 / (x * (x + 1)), 1 / x - 1 / (x + 1))),
    ("polarisation", lambda: Equal(x * y, ((x + y) ** 2 - (x - y) ** 2) / 4)),
    ("conjugate root", lambda: Equal(1 / (sp.sqrt(x + 1) - sp.sqrt(x)), sp.sqrt(x + 1) + sp.sqrt(x))),
    (
        "kappa of gamma",
        lambda: Equal(
            (1 - sp.sqrt(1 - 1 / kappa)) ** -2,
            kappa * (2 * kappa - 1 + 2 * sp.sqrt(kappa * (kappa - 1))),
            [kappa > 1],
        ),
    ),
    ("nested root", lambda: Equal(sp.sqrt(x + y + 2 * sp.sqrt(x * y)) ** 2, (sp.sqrt(x) + sp.sqrt(y)) ** 2)),
    ("log of a product", lambda: Equal(sp.log(x * y**2), sp.log(x) + 2 * sp.log(y))),
    (
        "log of a quotient",
        lambda: Equal(sp.log(1 - 1 / kappa), sp.log(kappa - 1) - sp.log(kappa), [kappa > 1]),
    ),
    ("exp of a log", lambda: Equal(sp.exp(2 * sp.log(x) + y), x**2 * sp.exp(y))),
    (
        "zCDP inverse",
        lambda: Equal((lambda r: r + 2 * sp.sqrt(r * x))((sp.sqrt(eps + x) - sp.sqrt(x)) ** 2), eps),
    ),
    ("arithmetic sum", lambda: Equal(sp.Sum(t, (t, 1, T)), T * (T + 1) / 2)),
    ("sum of squares of integers", lambda: Equal(sp.Sum(t**2, (t, 1, T)), T * (T + 1) * (2 * T + 1) / 6)),
    ("geometric sum", lambda: Equal(geometric, gamma * (1 - gamma**T) / (1 - gamma), below1)),
    (
        "reversed geometric sum",
        lambda: Equal(sp.Sum(gamma ** (T - t), (t, 1, T)), (1 - gamma**T) / (1 - gamma), below1),
    ),
    (
        "geometric sum of roots",
        lambda: Equal(
            sp.Sum(gamma ** ((T - t) / 2), (t, 1, T)), (1 - gamma ** (T / 2)) / (1 - sp.sqrt(gamma)), below1
        ),
    ),
    (
        "arithmetic-geometric sum",
        lambda: Equal(
            sp.Sum(t * gamma**t, (t, 1, T)),
            gamma * (1 - (T + 1) * gamma**T + T * gamma ** (T + 1)) / (1 - gamma) ** 2,
            below1,
        ),
    ),
    ("telescope", lambda: Equal(sp.Sum(1 / (t * (t + 1)), (t, 1, T)), T / (T + 1))),
    ("sum is linear", lambda: Equal(sp.Sum(x * q[t] + y, (t, 1, T)), x * sp.Sum(q[t], (t, 1, T)) + y * T)),
    ("last term split off", lambda: Equal(sp.Sum(q[t], (t, 1, T + 1)), sp.Sum(q[t], (t, 1, T)) + q[T + 1])),
    (
        "variance of a sequence",
        lambda: Equal(
            T * sp.Sum(q[t] ** 2, (t, 1, T)) - sp.Sum(q[t], (t, 1, T)) ** 2,
            sp.Sum(sp.Sum((q[t] - q[i]) ** 2, (i, 1, T)), (t, 1, T)) / 2,
        ),
    ),
    ("budget of the dynamic schedule", lambda: Equal(sp.Sum(R * sp.sqrt(q[t]) / S, (t, 1, T)), R)),
    (
        "value of the dynamic schedule",
        lambda: Equal(R * sp.Sum(q[t] * S / (R * sp.sqrt(q[t])), (t, 1, T)), S**2),
    ),
    ("subsampled loss at m = n", lambda: Equal(sp.log(1 + (sp.exp(x / (y * n)) - 1)), x / (y * n))),
    ("defined symbol", lambda: Equal(1 / (1 - gamma), kappa, [sp.Eq(gamma, 1 - 1 / kappa), kappa > 1])),
    (
        "cube root",
        lambda: Equal((x ** sp.Rational(1, 3)) ** 3 * x ** sp.Rational(2, 3), x ** sp.Rational(5, 3)),
    ),
    ("hyperbolic", lambda: Equal(sp.cosh(x) ** 2 - sp.sinh(x) ** 2, 1)),
    ("binomial", lambda: Equal(sp.binomial(n, 2), n * (n - 1) / 2)),
]

FALSE = [
    ("square of a sum, sign", lambda: Equal((x + y) ** 2, x**2 - 2 * x * y + y**2)),
    ("difference of cubes, sign", lambda: Equal(x**3 - y**3, (x - y) * (x**2 - x * y + y**2))),
    ("partial fractions, shifted", lambda: Equal(1 / (x * (x + 1)), 1 / x - 1 / (x + 2))),
    ("conjugate root, sign", lambda: Equal(1 / (sp.sqrt(x + 1) - sp.sqrt(x)), sp.sqrt(x + 1) - sp.sqrt(x))),
    (
        "kappa of gamma, factor",
        lambda: Equal(
            (1 - sp.sqrt(1 - 1 / kappa)) ** -2,
            C * kappa * (2 * kappa - 1 + 2 * sp.sqrt(kappa * (kappa - 1))),
            [kappa > 1],
        ),
    ),
    (
        "kappa of gamma, sign",
        lambda: Equal(
            (1 - sp.sqrt(1 - 1 / kappa)) ** -2,
            kappa * (2 * kappa + 1 + 2 * sp.sqrt(kappa * (kappa - 1))),
            [kappa > 1],
        ),
    ),
    ("root of a sum", lambda: Equal(sp.sqrt(x + y), sp.sqrt(x) + sp.sqrt(y))),
    ("log of a sum", lambda: Equal(sp.log(x + y), sp.log(x) + sp.log(y))),
    (
        "zCDP inverse, sign",
        lambda: Equal((lambda r: r + 2 * sp.sqrt(r * x))((sp.sqrt(eps + x) + sp.sqrt(x)) ** 2), eps),
    ),
    ("arithmetic sum, off by one", lambda: Equal(sp.Sum(t, (t, 1, T)), T * (T - 1) / 2)),
    (
        "sum of squares of integers, constant",
        lambda: Equal(sp.Sum(t**2, (t, 1, T)), C * T * (T + 1) * (2 * T + 1) / 6),
    ),
    (
        "geometric sum, exponent",
        lambda: Equal(geometric, gamma * (1 - gamma ** (T + 1)) / (1 - gamma), below1),
    ),
    (
        "geometric sum of roots, exponent",
        lambda: Equal(
            sp.Sum(gamma ** ((T - t) / 2), (t, 1, T)), (1 - gamma**T) / (1 - sp.sqrt(gamma)), below1
        ),
    ),
    (
        "arithmetic-geometric sum, sign",
        lambda: Equal(
            sp.Sum(t * gamma**t, (t, 1, T)),
            gamma * (1 - (T + 1) * gamma**T - T * gamma ** (T + 1)) / (1 - gamma) ** 2,
            below1,
        ),
    ),
    ("telescope, shifted", lambda: Equal(sp.Sum(1 / (t * (t + 1)), (t, 1, T)), T / (T + 2))),
    (
        "sum is linear, constant lost",
        lambda: Equal(sp.Sum(x * q[t] + y, (t, 1, T)), x * sp.Sum(q[t], (t, 1, T)) + y),
    ),
    ("last term doubled", lambda: Equal(sp.Sum(q[t], (t, 1, T + 1)), sp.Sum(q[t], (t, 1, T)) + q[T])),
    (
        "variance of a sequence, factor",
        lambda: Equal(
            T * sp.Sum(q[t] ** 2, (t, 1, T)) - sp.Sum(q[t], (t, 1, T)) ** 2,
            sp.Sum(sp.Sum((q[t] - q[i]) ** 2, (i, 1, T)), (t, 1, T)),
        ),
    ),
    (
        "variance of q for that of its root",
        lambda: Equal(
            T * sp.Sum(q[t], (t, 1, T)) - sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2,
            T * sp.Sum(q[t] ** 2, (t, 1, T)) - sp.Sum(q[t], (t, 1, T)) ** 2,
        ),
    ),
    ("budget of the dynamic schedule, power", lambda: Equal(sp.Sum(R * q[t] / S, (t, 1, T)), R)),
    (
        "value of the dynamic schedule, constant",
        lambda: Equal(R * sp.Sum(q[t] * S / (R * sp.sqrt(q[t])), (t, 1, T)), C * S**2),
    ),
    (
        "sum of products is product of sums",
        lambda: Equal(sp.Sum(q[t] * q[t], (t, 1, T)), sp.Sum(q[t], (t, 1, T)) ** 2),
    ),
    (
        "defined symbol, wrong",
        lambda: Equal(1 / (1 - gamma), kappa - 1, [sp.Eq(gamma, 1 - 1 / kappa), kappa > 1]),
    ),
    ("hyperbolic, sign", lambda: Equal(sp.cosh(x) ** 2 + sp.sinh(x) ** 2, 1)),
    ("nearly equal", lambda: Equal(sp.pi, sp.Rational(355, 113))),
    ("very nearly equal", lambda: Equal(x + sp.Rational(1, 10**40), x)),
    (
        "true for small T only",
        lambda: Equal(sp.Sum(t, (t, 1, T)), T * (T + 1) / 2 + (T - 1) * (T - 2) * (T - 3)),
    ),
    ("subsampled loss, rate forgotten", lambda: Equal(sp.log(1 + y * (sp.exp(x) - 1)), x, [y < 1])),
]
