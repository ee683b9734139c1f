"""Recursions and their closed forms or bounds, sums and powers by induction: true ones, and the same made
false.
"""

import sympy as sp

from dpverify.relations import AtMost, Equal, Induction

v = sp.Symbol("v", real=True)
T = sp.Symbol("T", integer=True, nonnegative=True)
n, k = (sp.Symbol(name, integer=True, positive=True) for name in "nk")
s, c, x0, r = sp.symbols("s c x0 r", positive=True)
noise = sp.IndexedBase("w", positive=True)
i = sp.Symbol("i", integer=True, nonnegative=True)


def contraction(bound=(1 - s) ** T * x0 + c / s, given=(s < 1,), strict=False, after=(1 - s) * v + c):
    """x[T+1] = (1 - s) x[T] + c from x0."""
    return Induction(AtMost(v, bound, list(given), strict), v, T, 0, x0, after)


def exactly(stated, after, first=x0, given=(), start=0):
    return Induction(Equal(v, stated, list(given)), v, T, start, first, after)


def driven(weight=(1 - s) ** (T - 1 - i), given=(s < 1,)):
    """x[T+1] = (1 - s) x[T] + w[T] unrolled."""
    return Induction(
        Equal(v, (1 - s) ** T * x0 + sp.Sum(weight * noise[i], (i, 0, T - 1)), list(given)),
        v,
        T,
        0,
        x0,
        (1 - s) * v + noise[T],
    )


def harmonic(term, bound):
    return AtMost(sp.Sum(term, (k, 1, n)), bound)


TRUE = [
    ("an unrolled contraction", contraction),
    ("an unrolled contraction, by the larger end", lambda: contraction(x0 + c / s)),
    (
        "an unrolled contraction, exactly",
        lambda: exactly((1 - s) ** T * x0 + c * (1 - (1 - s) ** T) / s, (1 - s) * v + c, given=[s < 1]),
    ),
    ("a strict bound, kept", lambda: contraction((1 - s) ** T * x0 + c / s + 1, strict=True)),
    ("an arithmetic recursion", lambda: exactly(x0 + c * T, v + c)),
    ("a geometric recursion", lambda: exactly(x0 * r**T, r * v)),
    ("squares by their differences", lambda: exactly(T**2, v + 2 * T + 1, first=sp.Integer(0))),
    ("doubling plus one", lambda: exactly(2**T - 1, 2 * v + 1, first=sp.Integer(0))),
    ("a driven contraction, unrolled", driven),
    (
        "x/(1 + c x) goes down like 1/(1/x0 + c T)",
        lambda: Induction(
            Equal(sp.Symbol("p", positive=True), 1 / (1 / x0 + c * T)),
            sp.Symbol("p", positive=True),
            T,
            0,
            x0,
            sp.Symbol("p", positive=True) / (1 + c * sp.Symbol("p", positive=True)),
        ),
    ),
    (
        "a square root recursion stays below 2",
        lambda: Induction(
            AtMost(sp.Symbol("p", positive=True), sp.Integer(2)),
            sp.Symbol("p", positive=True),
            T,
            0,
            sp.Integer(1),
            sp.sqrt(2 + sp.Symbol("p", positive=True)),
        ),
    ),
    ("a lower bound", lambda: Induction(AtMost(x0 + c * T, v), v, T, 0, x0, v + c + 1)),
    ("Bernoulli's inequality", lambda: AtMost(1 + n * r, (1 + r) ** n)),
    ("2^n > n", lambda: AtMost(n, 2**n, strict=True)),
    ("sum of 1/k^2 is at most 2 - 1/n", lambda: harmonic(1 / k**2, 2 - 1 / n)),
    ("sum of 1/(k(k+1)) is below 1", lambda: harmonic(1 / (k * (k + 1)), 1 - 1 / (n + 1))),
    ("sum of 1/sqrt(k) is at most 2 sqrt(n)", lambda: harmonic(1 / sp.sqrt(k), 2 * sp.sqrt(n))),
    ("sum of odd numbers", lambda: Equal(sp.Sum(2 * k - 1, (k, 1, n)), n**2)),
    ("a geometric sum stays below its limit", lambda: AtMost(sp.Sum(s**k, (k, 1, n)), s / (1 - s), [s < 1])),
    ("a telescoping product", lambda: Equal(sp.Product(k / (k + 1), (k, 1, n)), 1 / (n + 1))),
]

FALSE = [
    ("an unrolled contraction without the noise", lambda: contraction((1 - s) ** T * x0)),
    ("an unrolled contraction with half the noise", lambda: contraction((1 - s) ** T * x0 + c / (2 * s))),
    (
        "an unrolled contraction that forgets twice as fast",
        lambda: contraction((1 - s) ** (2 * T) * x0 + c / s),
    ),
    (
        "the exact contraction, strictly",
        lambda: contraction((1 - s) ** T * x0 + c * (1 - (1 - s) ** T) / s, strict=True),
    ),
    ("an unrolled contraction with s > 1", lambda: contraction(x0 + c / s, given=[s > 2])),
    (
        "an unrolled contraction, exactly, times 1.01",
        lambda: exactly(
            (1 - s) ** T * x0 + sp.Rational(101, 100) * c * (1 - (1 - s) ** T) / s,
            (1 - s) * v + c,
            given=[s < 1],
        ),
    ),
    ("an arithmetic recursion, one step ahead", lambda: exactly(x0 + c * (T + 1), v + c)),
    ("a geometric recursion, one step ahead", lambda: exactly(x0 * r ** (T + 1), r * v)),
    ("squares with a wrong difference", lambda: exactly(T**2, v + 2 * T, first=sp.Integer(0))),
    ("doubling plus one from 1", lambda: exactly(2**T - 1, 2 * v + 1, first=sp.Integer(1))),
    ("doubling minus one", lambda: exactly(2**T - 1, 2 * v - 1, first=sp.Integer(0))),
    ("a driven contraction with shifted weights", lambda: driven((1 - s) ** (T - i))),
    ("a driven contraction with equal weights", lambda: driven(sp.Integer(1))),
    (
        "a square root recursion stays below 3/2",
        lambda: Induction(
            AtMost(sp.Symbol("p", positive=True), sp.Rational(3, 2)),
            sp.Symbol("p", positive=True),
            T,
            0,
            sp.Integer(1),
            sp.sqrt(2 + sp.Symbol("p", positive=True)),
        ),
    ),
    ("a lower bound, too steep", lambda: Induction(AtMost(x0 + 2 * c * T, v), v, T, 0, x0, v + c)),
    ("a true step on a false base", lambda: exactly(x0 + 1 + c * T, v + c)),
    (
        "a bound that breaks only at the fifth step",
        lambda: Induction(AtMost(v, sp.Integer(4)), v, T, 0, sp.Integer(0), v + 1),
    ),
    ("Bernoulli's inequality, reversed", lambda: AtMost((1 + r) ** n, 1 + n * r)),
    ("n^2 <= 2^n", lambda: AtMost(n**2, 2**n)),
    (
        "sum of 1/k^2 is at most 2 - 1/n, strictly",
        lambda: AtMost(sp.Sum(1 / k**2, (k, 1, n)), 2 - 1 / n, strict=True),
    ),
    ("sum of 1/k^2 is at most 3/2", lambda: harmonic(1 / k**2, sp.Rational(3, 2))),
    ("sum of 1/sqrt(k) is at most sqrt(n)", lambda: harmonic(1 / sp.sqrt(k), sp.sqrt(n))),
    (
        "sum of odd numbers, times 1.01",
        lambda: Equal(sp.Sum(2 * k - 1, (k, 1, n)), sp.Rational(101, 100) * n**2),
    ),
    ("a geometric sum without s < 1", lambda: AtMost(sp.Sum(s**k, (k, 1, n)), s / (1 - s))),
    ("a telescoping product, shifted", lambda: Equal(sp.Product(k / (k + 1), (k, 1, n)), 1 / n)),
]
