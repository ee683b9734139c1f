"""Sums of arbitrary length: term by term, Cauchy-Schwarz, means of powers, integrals, geometric and
AdaGrad sums.
"""

import sympy as sp

from dpverify.relations import AtMost

t, s, T, K, k, N = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "s", "T", "K", "k", "N"))
a = sp.IndexedBase("a", positive=True)
w = sp.IndexedBase("w", nonnegative=True)
u, v = (sp.IndexedBase(name, real=True) for name in ("u", "v"))
x, y, b, p, c = sp.symbols("x y b p c", positive=True)


def total(term, last=T, first=1):
    """The sum over t from 1 to T."""
    return sp.Sum(term, (t, first, last))


so_far = sp.Sum(a[s], (s, 1, t))
weights = [sp.Eq(total(w[t]), 1)]
near = sp.Rational(99, 100)

TRUE = [
    ("AdaGrad with a root", lambda: AtMost(total(a[t] / sp.sqrt(so_far)), 2 * sp.sqrt(total(a[t])))),
    ("AdaGrad with a logarithm", lambda: AtMost(total(a[t] / (b + so_far)), sp.log(1 + total(a[t]) / b))),
    ("AdaGrad with a third power", lambda: AtMost(total(a[t] / (b + so_far) ** 3), 1 / (2 * b**2))),
    ("terms below exponentials", lambda: AtMost(total(1 + a[t]), total(sp.exp(a[t])))),
    ("logarithms below terms", lambda: AtMost(total(sp.log(1 + a[t])), total(a[t]))),
    ("terms of any sign", lambda: AtMost(2 * total(u[t] * v[t]), total(u[t] ** 2) + total(v[t] ** 2))),
    (
        "Cauchy-Schwarz, any sign",
        lambda: AtMost(total(u[t] * v[t]) ** 2, total(u[t] ** 2) * total(v[t] ** 2)),
    ),
    ("Cauchy-Schwarz with the number of terms", lambda: AtMost(total(u[t]) ** 2, T * total(u[t] ** 2))),
    (
        "Cauchy-Schwarz with weights",
        lambda: AtMost(total(w[t] * u[t]) ** 2, total(w[t] * u[t] ** 2), weights),
    ),
    ("mean of fourth powers", lambda: AtMost(total(u[t]) ** 4, T**3 * total(u[t] ** 4))),
    ("mean of cubes", lambda: AtMost(total(a[t]) ** 3, T**2 * total(a[t] ** 3))),
    ("geometric sum of squares", lambda: AtMost(total((1 - c) ** (2 * (T - t))), 1 / c, [c <= 1])),
    ("geometric sum, upwards", lambda: AtMost(total(c**t), c / (1 - c), [c < 1])),
    ("inverse squares", lambda: AtMost(total(1 / t**2), 2)),
    ("harmonic sum", lambda: AtMost(total(1 / t), 1 + sp.log(T))),
    ("inverse roots", lambda: AtMost(total(1 / sp.sqrt(t)), 2 * sp.sqrt(T))),
    ("(1 + 1/K)^k", lambda: AtMost((1 + sp.Integer(1) / K) ** k, sp.E, [k <= K])),
    ("Young with any exponent", lambda: AtMost(x * y, x**p / p + y ** (p / (p - 1)) * (p - 1) / p, [p > 1])),
    ("weighted means", lambda: AtMost(x**c * y ** (1 - c), c * x + (1 - c) * y, [c < 1])),
    ("a sum of logarithms", lambda: AtMost(sp.log(b + x) - sp.log(b), sp.log(1 + x / b))),
]

FALSE = [
    (
        "AdaGrad with a root, 1.98",
        lambda: AtMost(total(a[t] / sp.sqrt(so_far)), 2 * near * sp.sqrt(total(a[t]))),
    ),
    (
        "AdaGrad with a logarithm, no 1",
        lambda: AtMost(total(a[t] / (b + so_far)), near * sp.log(1 + total(a[t]) / b)),
    ),
    (
        "AdaGrad, terms of any sign",
        lambda: AtMost(total(u[t] / (1 + sp.Sum(u[s] ** 2, (s, 1, t)))), sp.log(1 + total(u[t] ** 2))),
    ),
    ("terms above exponentials", lambda: AtMost(total(sp.exp(a[t])), total(1 + a[t]))),
    (
        "terms of any sign, 1.98",
        lambda: AtMost(2 * total(u[t] * v[t]), near * (total(u[t] ** 2) + total(v[t] ** 2))),
    ),
    (
        "Cauchy-Schwarz, 0.99",
        lambda: AtMost(total(u[t] * v[t]) ** 2, near * total(u[t] ** 2) * total(v[t] ** 2)),
    ),
    ("Cauchy-Schwarz without the number of terms", lambda: AtMost(total(u[t]) ** 2, total(u[t] ** 2))),
    (
        "Cauchy-Schwarz, weights that add up to 2",
        lambda: AtMost(total(w[t] * u[t]) ** 2, total(w[t] * u[t] ** 2), [sp.Eq(total(w[t]), 2)]),
    ),
    ("mean of cubes, any sign", lambda: AtMost(total(u[t]) ** 3, T**2 * total(u[t] ** 3))),
    ("mean of fourth powers, T^2", lambda: AtMost(total(u[t]) ** 4, T**2 * total(u[t] ** 4))),
    (
        "geometric sum of squares, half",
        lambda: AtMost(total((1 - c) ** (2 * (T - t))), 1 / (2 * c), [c <= 1]),
    ),
    ("geometric sum from 0", lambda: AtMost(total(c**t, first=0), c / (1 - c), [c < 1])),
    ("inverse squares below 8/5", lambda: AtMost(total(1 / t**2), sp.Rational(8, 5))),
    ("harmonic sum without its first term", lambda: AtMost(total(1 / t), sp.log(T))),
    ("inverse roots, 1.95", lambda: AtMost(total(1 / sp.sqrt(t)), sp.Rational(195, 100) * sp.sqrt(T))),
    ("(1 + 1/K)^k beyond K", lambda: AtMost((1 + sp.Integer(1) / K) ** k, sp.E, [k <= K + 1])),
    ("Young with the exponents swapped", lambda: AtMost(x * y, x**p / p + y**p * (p - 1) / p, [p > 1])),
    (
        "weighted means, weights too small",
        lambda: AtMost(x**c * y ** (1 - c), c * x + (near - c) * y, [c < near]),
    ),
    (
        "an empty sum is not positive",
        lambda: AtMost(sp.Rational(1, 10), total(a[t], first=2) + a[1] / (1 + a[1])),
    ),
]
