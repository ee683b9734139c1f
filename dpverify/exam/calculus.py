"""Integrals, derivatives, limits and infinite sums as they are printed, by what a prover may overlook."""

from typing import Any

import sympy as sp
from sympy import (
    Abs,
    Derivative,
    Eq,
    Integral,
    Limit,
    Rational,
    Subs,
    Sum,
    exp,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    tan,
)

from dpverify.exam.kinds import EMPTY, FALSE, OPEN, TRUE, UNDEFINED, Question
from dpverify.relations import AtMost, BigO, Equal, Increasing, Induction, Minimises
from dpverify.theorems import AllOf, ForEvery, Theorem

x, y, a, b, s = sp.symbols("x y a b s", positive=True)
X, Y, m, u, r = sp.symbols("X Y m u r", real=True)
v = sp.Symbol("v", nonnegative=True)
t, n = sp.symbols("t n", integer=True)
N, T = sp.symbols("N T", integer=True, positive=True)
q = sp.IndexedBase("q", positive=True)
half = Rational(1, 2)


def gaussian(mean: Any) -> Any:
    return exp(-((X - mean) ** 2) / (2 * s**2)) / sqrt(2 * pi * s**2)


CAUSES: dict[str, list[Question]] = {
    "an integral": [
        (TRUE, lambda: Equal(Integral(X**2, (X, 0, 1)), Rational(1, 3))),
        (TRUE, lambda: Equal(Integral(1 / x, (x, a, b)), log(b / a), [a <= b])),
        (TRUE, lambda: Equal(Integral(1 / X, (X, -2, -1)), -log(2))),
        (TRUE, lambda: Equal(Integral(x, (x, 1, 0)), -half)),
        (TRUE, lambda: Equal(Integral(X * Y, (X, 0, Y), (Y, 0, 1)), Rational(1, 8))),
        (TRUE, lambda: Equal(Integral(X, (X, -1, 1)), 0)),
        (TRUE, lambda: AtMost(Integral(1 / (1 + X**2), (X, 0, v)), v)),
        (TRUE, lambda: Increasing(Integral(exp(-(X**2)), (X, 0, x)), x, strict=True)),
        (TRUE, lambda: Theorem(given=[Eq(b, Integral(X, (X, 0, a)))], shows=Equal(2 * b, a**2))),
        (TRUE, lambda: AllOf(Equal(Integral(X, (X, 0, a)), a**2 / 2), AtMost(0, Integral(X, (X, 0, a))))),
        (TRUE, lambda: BigO(Integral(X, (X, 0, x)), x**2)),
        (FALSE, lambda: Equal(Integral(X**2, (X, 0, 1)), Rational(1, 3) + Rational(1, 10**8))),
        (FALSE, lambda: Equal(Integral(x, (x, -1, 1)), 1)),
        (FALSE, lambda: Equal(Integral(x, (x, 1, 0)), half)),
        (FALSE, lambda: AtMost(Integral(exp(-(X**2)), (X, 0, v)), v / 2)),
        (FALSE, lambda: Increasing(Integral(X - 1, (X, 0, x)), x)),
        (FALSE, lambda: Equal(Integral(sqrt(x**2), (x, -1, 1)), 1)),
        (FALSE, lambda: Equal(Integral(Integral(x, (x, 0, 1)) * x, (x, 0, 1)), half)),
        (UNDEFINED, lambda: Equal(Integral(X, X), X**2 / 2)),
        (UNDEFINED, lambda: Equal(Integral(n, (n, 0, 1)), half)),
        (UNDEFINED, lambda: Equal(Integral(sp.Float(0.5) * X, (X, 0, 1)), Rational(1, 4))),
        (UNDEFINED, lambda: AtMost(Integral(sp.Function("f")(X), (X, 0, 1)), 1)),
        (EMPTY, lambda: Equal(Integral(X, (X, 0, a)), a**2 / 2, [a < 1, a > 2])),
        (EMPTY, lambda: AtMost(Integral(X, (X, 0, a)), 0, [Eq(Integral(X, (X, 0, a)), -1)])),
    ],
    "a pole in the range of an integral": [
        (TRUE, lambda: Equal(Integral(1 / X**2, (X, 1, 2)), half)),
        (TRUE, lambda: Equal(Integral(tan(X), (X, 0, 1)), -log(sp.cos(1)))),
        (UNDEFINED, lambda: Equal(Integral(1 / X**2, (X, -1, 1)), -2)),
        (UNDEFINED, lambda: Equal(Integral(1 / X, (X, -1, 1)), 0)),
        (UNDEFINED, lambda: Equal(Integral(1 / (X - a), (X, 0, 1)), log((1 - a) / a), [a < 1])),
        (UNDEFINED, lambda: Equal(Integral(1 / (x - half) ** 2, (x, 0, 1)), -4)),
        (UNDEFINED, lambda: Equal(Integral(tan(X), (X, 0, 2)), -log(-sp.cos(2)))),
        (UNDEFINED, lambda: AtMost(0, Integral(1 / (X**2 - m) ** 2, (X, 0, 1)))),
    ],
    "an integrand that is not defined": [
        (TRUE, lambda: Equal(Integral(sqrt(1 - X), (X, 0, 1)), Rational(2, 3))),
        (TRUE, lambda: Equal(Integral(log(X), (X, 1, a)), a * log(a) - a + 1, [a >= 1])),
        (UNDEFINED, lambda: Equal(Integral(sqrt(X), (X, -1, 1)), Rational(2, 3))),
        (UNDEFINED, lambda: Equal(Integral(log(X), (X, -1, 1)), -2)),
        (UNDEFINED, lambda: AtMost(0, Integral(sqrt(a - X), (X, 0, 1)))),
        (UNDEFINED, lambda: Equal(Integral(log(X) - log(X - 2), (X, 1, 3)), 0)),
    ],
    "an improper integral": [
        (TRUE, lambda: Equal(Integral(exp(-a * X), (X, 0, oo)), 1 / a)),
        (TRUE, lambda: Equal(Integral(gaussian(0), (X, -oo, oo)), 1)),
        (TRUE, lambda: Equal(Integral(X * gaussian(m), (X, -oo, oo)), m)),
        (TRUE, lambda: Equal(Integral((X - m) ** 2 * gaussian(m), (X, -oo, oo)), s**2)),
        (TRUE, lambda: Equal(Integral(gaussian(m) ** 2 / gaussian(0), (X, -oo, oo)), exp(m**2 / s**2))),
        (TRUE, lambda: Equal(Integral(1 / sqrt(x), (x, 0, 1)), 2)),
        (TRUE, lambda: Equal(Integral(log(x), (x, 0, 1)), -1)),
        (TRUE, lambda: Equal(Integral(1 / (1 + X**2), (X, -oo, oo)), pi)),
        (TRUE, lambda: AtMost(Integral(exp(-(X**2)), (X, 0, oo)), 1)),
        (
            FALSE,
            lambda: Equal(Integral(gaussian(m) ** 2 / gaussian(0), (X, -oo, oo)), exp(m**2 / (2 * s**2))),
        ),
        (FALSE, lambda: AtMost(1, Integral(exp(-(X**2)), (X, 0, oo)))),
        (UNDEFINED, lambda: Equal(Integral(1 / x, (x, 1, oo)), 5)),
        (UNDEFINED, lambda: AtMost(0, Integral(1 / x, (x, 0, 1)))),
        (UNDEFINED, lambda: Equal(Integral(X, (X, -oo, oo)), 0)),
        (UNDEFINED, lambda: Equal(Integral(sin(X), (X, 0, oo)), 1)),
        (UNDEFINED, lambda: AtMost(0, Integral(exp(-u * X), (X, 0, oo)))),
        (UNDEFINED, lambda: Equal(Integral(exp(-u * X), (X, 0, oo)), 1 / u, [u >= 0])),
    ],
    "a closed form that holds on conditions": [
        (TRUE, lambda: Equal(Integral(x**u, (x, 0, 1)), 1 / (u + 1), [u > -1])),
        (TRUE, lambda: Equal(Integral(x**u, (x, 1, oo)), -1 / (u + 1), [u < -1])),
        (TRUE, lambda: Equal(Sum(r**t, (t, 0, oo)), 1 / (1 - r), [r < 1, r > -1])),
        (UNDEFINED, lambda: Equal(Integral(x**u, (x, 0, 1)), 1 / (u + 1))),
        (UNDEFINED, lambda: Equal(Integral(x**u, (x, 0, 1)), 1 / (u + 1), [u >= -1])),
        (UNDEFINED, lambda: Equal(Integral(x**u, (x, 1, 2)), (2 ** (u + 1) - 1) / (u + 1))),
        (UNDEFINED, lambda: Equal(Sum(r**t, (t, 0, oo)), 1 / (1 - r))),
        (UNDEFINED, lambda: Equal(Sum(r**t, (t, 0, oo)), 1 / (1 - r), [r < 1])),
        (UNDEFINED, lambda: Equal(Sum(r**t, (t, 0, oo)), 1 / (1 - r), [r <= 1, r > -1])),
        (UNDEFINED, lambda: Equal(Sum(a**t, (t, 0, oo)), 1 / (1 - a), [a > 1])),
    ],
    "an infinite sum": [
        (TRUE, lambda: Equal(Sum(half**t, (t, 0, oo)), 2)),
        (TRUE, lambda: Equal(Sum(1 / (t * (t + 1)), (t, 1, oo)), 1)),
        (TRUE, lambda: Equal(Sum(t * a**t, (t, 1, oo)), a / (1 - a) ** 2, [a < 1])),
        (TRUE, lambda: Equal(Sum(a**t, (t, N, oo)), a**N / (1 - a), [a < 1])),
        (TRUE, lambda: AtMost(Sum(1 / t**2, (t, 1, oo)), 2)),
        (TRUE, lambda: AtMost(Sum(a**t, (t, 1, oo)), 1 / (1 - a), [a < 1])),
        (OPEN, lambda: Equal(Sum(1 / t**2, (t, 1, oo)), pi**2 / 6)),
        (OPEN, lambda: Equal(Sum(x**t / sp.factorial(t), (t, 0, oo)), exp(x))),
        (OPEN, lambda: AtMost(Sum(q[t] / 2**t, (t, 1, oo)), 1, [q[t] <= 1])),
        (FALSE, lambda: Equal(Sum(half**t, (t, 1, oo)), 2)),
        (FALSE, lambda: AtMost(Sum(1 / t**2, (t, 1, oo)), Rational(3, 2))),
        (FALSE, lambda: AtMost(Sum(a**t, (t, 0, oo)), 1 / (1 - a**2), [a < 1])),
        (FALSE, lambda: AtMost(Sum(1 / t, (t, 1, oo)), 3)),
        (UNDEFINED, lambda: Equal(Sum(1 / t, (t, 1, oo)), 5)),
        (UNDEFINED, lambda: Equal(Sum((-1) ** t, (t, 0, oo)), half)),
        (UNDEFINED, lambda: Equal(Sum(2**t, (t, 0, oo)), -1)),
        (UNDEFINED, lambda: Equal(Sum(t, (t, 1, oo)), -Rational(1, 12))),
        (UNDEFINED, lambda: AtMost(0, Sum(q[t], (t, 1, oo)))),
        (UNDEFINED, lambda: Equal(Sum(half**t, (t, -oo, 0)), 2)),
        (UNDEFINED, lambda: AtMost(Sum(1 / (t - 3) ** 2, (t, 1, oo)), 100)),
        (UNDEFINED, lambda: Equal(Sum(half**t, (t, half, oo)), 2)),
    ],
    "a derivative": [
        (TRUE, lambda: Equal(Derivative(x**2 * log(x), x), 2 * x * log(x) + x)),
        (TRUE, lambda: Equal(Derivative(X**4, (X, 2)), 12 * X**2)),
        (TRUE, lambda: AtMost(0, Derivative(exp(X) + X, X))),
        (TRUE, lambda: Equal(Subs(Derivative(X**3, X), X, a), 3 * a**2)),
        (TRUE, lambda: Equal(Derivative(Sum(X**2 * q[t], (t, 1, T)), X), 2 * X * Sum(q[t], (t, 1, T)))),
        (TRUE, lambda: Equal(Derivative(Integral(exp(-(Y**2)), (Y, 0, X)), X), exp(-(X**2)), [X > 0])),
        (FALSE, lambda: Equal(Derivative(X**4, (X, 2)), 4 * X**3)),
        (FALSE, lambda: AtMost(0, Derivative(X**2, X))),
        (FALSE, lambda: Equal(Subs(Derivative(X**3, X), X, a), 3 * X**2)),
        (UNDEFINED, lambda: Equal(Derivative(sqrt(X), X), 1 / (2 * sqrt(X)), [X >= 0])),
        (UNDEFINED, lambda: Equal(Derivative(Abs(X), X), sign(X))),
        (UNDEFINED, lambda: AtMost(0, Derivative(n**2, n), [n > 0])),
        (UNDEFINED, lambda: AtMost(0, Derivative(X ** Rational(3, 2), X), [X >= 0])),
        (UNDEFINED, lambda: AtMost(0, Derivative(sp.floor(X), X))),
        (UNDEFINED, lambda: Equal(Subs(Derivative(log(X), X), X, Y), 1 / Y)),
    ],
    "a limit": [
        (TRUE, lambda: Equal(Limit(sin(x) / x, x, 0), 1)),
        (TRUE, lambda: Equal(Limit((1 + a / N) ** N, N, oo), exp(a))),
        (TRUE, lambda: Equal(Limit(x**a * exp(-x), x, oo), 0)),
        (TRUE, lambda: Equal(Limit((1 - exp(-X)) / X, X, 0), 1)),
        (TRUE, lambda: AtMost(Limit(1 / N, N, oo), 1)),
        (FALSE, lambda: Equal(Limit((1 + a / N) ** N, N, oo), 1 + a)),
        (FALSE, lambda: AtMost(1, Limit(log(x) / x, x, oo))),
        (UNDEFINED, lambda: Equal(Limit(sin(x), x, oo), 0)),
        (UNDEFINED, lambda: Equal(Limit(1 / X, X, 0, "+-"), 0)),
        (UNDEFINED, lambda: Equal(Limit(sqrt(-X), X, 0), 0)),
        (UNDEFINED, lambda: Equal(Limit(exp(u * x), x, oo), 0)),
        (UNDEFINED, lambda: Equal(Limit(sign(X), X, 0), 1)),
        (UNDEFINED, lambda: Equal(Limit((-1) ** N / 1, N, oo), 0)),
        (UNDEFINED, lambda: Equal(Limit(x**u, x, 0), 0)),
        (UNDEFINED, lambda: Equal(Limit(1 / (y * (u + 1 / y)), y, oo), 0)),
    ],
    "calculus in other places": [
        (
            TRUE,
            lambda: (
                Theorem(
                    given=[ForEvery(AtMost(q[t + 1], q[t] - Integral(X, (X, 0, 1))), t, 1, T)],
                    shows=AtMost(q[T + 1], q[1] - T / 2),
                )
                .sum(AtMost(q[t + 1] - q[t], -half), (t, 1, T), "each step")
                .have(Equal(Sum(q[t + 1] - q[t], (t, 1, T)), q[T + 1] - q[1]), "telescopes")
            ),
        ),
        (
            TRUE,
            lambda: Theorem(Equal(Sum(Integral(X, (X, 0, t)), (t, 1, T)), T * (T + 1) * (2 * T + 1) / 12)),
        ),
        (FALSE, lambda: Theorem(Equal(Sum(Integral(X, (X, 0, t)), (t, 1, T)), T**2 / 2))),
        (UNDEFINED, lambda: Minimises(q[t] * x, x, 1 / x, Integral(X, (X, 0, 2)), 1 / q[t], t, T)),
        (UNDEFINED, lambda: Induction(AtMost(X, 1), X, T, 1, Integral(Y, (Y, 0, 1)), X / 2)),
        (UNDEFINED, lambda: Equal(sp.Piecewise((Integral(1 / Y, (Y, 0, 1)), X < 0), (0, True)), 0)),
    ],
}
