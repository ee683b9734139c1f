"""Proofs by rules that are used where they do not apply, by cause, beside proofs in which they do.

A question is (kind, function that builds the statement).
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import And, I, IndexedBase, Or, Rational, Sum, Symbol, cos, log, oo, pi, sqrt, symbols

from dpverify.exam.kinds import EMPTY, FALSE, OPEN, TRUE, UNDEFINED, Question
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.theorems import ForEvery, ForSome, Iterates, Theorem

X, Y = symbols("X Y", real=True)
a, c = symbols("a c", positive=True)
b, w = Symbol("b", real=True, nonzero=True), Symbol("w", nonpositive=True)
t, s, m, k = symbols("t s m k", integer=True)
even, odd = Symbol("n", even=True), Symbol("n", odd=True)
T, positive = (Symbol(name, integer=True, positive=True) for name in ("T", "t"))
g = IndexedBase("g", real=True)
A, B = IndexedBase("A", nonnegative=True), IndexedBase("B", real=True)
below_zero = IndexedBase("B", negative=True)

x, v, u = vectors("x v u")
nu = Noise("nu", variance=a**2)
scaled = Noise("xi", variance=norm2(nu))
f = Function("f", smooth=c, convex=True)
moved = x + inner(nu, u) * v  # the noise stands in a coefficient alone


def every(relation: Any, low: Any = 1, high: Any = T, index: Any = s) -> ForEvery:
    return ForEvery(relation, index, low, high)


def iteration(
    step: Any, value: Any, name: Any = A, index: Any = t, low: Any = 1, noises: Any = ()
) -> Iterates:
    return Iterates(name, value, [x], [step], list(noises), index, low, T)


multiples = every(Equal(g[s], Sum(s * t, (t, 1, 2))))  # g[s] = 3 s
doubling = iteration(2 * x, norm2(x))
at_zero = iteration(positive * x, -norm2(x), B, positive, 0)
of_noise = iteration(x + nu, inner(x, nu), B, noises=[nu])
noisy = iteration(x / 2 + nu, norm2(x), noises=[nu])
shrinking = every(AtMost(g[s + 1] - g[s], -1))
halving = every(AtMost(g[s + 1], g[s] / 2))
negative = iteration(x, norm2(x), below_zero)
in_coefficient = iteration(2 * x, f(norm2(x) * v), B)  # the state stands in a coefficient alone


def at(hypothesis: ForEvery, value: Any, shows: Any, *given: Any) -> Theorem:
    return Theorem(given=[hypothesis, *given], shows=shows).at(hypothesis, value)


CAUSES: dict[str, list[Question]] = {
    "values shown for `there is` that are none": [
        (FALSE, lambda: ForSome([X], Equal(X**2, -1), at={X: I})),
        (FALSE, lambda: ForSome([X], Equal(X**2, -a), at={X: sqrt(-a)}, of=[a])),
        (FALSE, lambda: ForSome([X], Equal(X**4 + 4, 0), at={X: 1 + I})),
        (FALSE, lambda: ForSome([c], AtMost(a / c, 0), at={c: oo})),
        (FALSE, lambda: ForSome([c], AtMost(a * c, 0), at={c: sp.zoo**-1})),
        (FALSE, lambda: ForSome([m], Equal(2 * m, 1), at={m: Rational(1, 2)})),
        (FALSE, lambda: ForSome([m], Equal(m * T, 1), at={m: 1 / T}, of=[T])),
        (FALSE, lambda: ForSome([even], Equal(even, 3), at={even: 3})),
        (FALSE, lambda: ForSome([odd], Equal(odd, 2 * m), at={odd: 2 * m}, of=[m])),
        (FALSE, lambda: ForSome([b], Equal(a * b, 0), at={b: 0})),
        (FALSE, lambda: ForSome([b], Equal(X * b, 0), at={b: X - X})),
        (FALSE, lambda: ForSome([w], AtMost(1, w), at={w: 2})),
        (FALSE, lambda: ForSome([X], Equal(X * Y, 1), at={X: 1 / Y}, of=[Y])),
        (FALSE, lambda: ForSome([X], AtMost(Y, sp.exp(X)), at={X: log(Y)}, of=[Y])),
        (UNDEFINED, lambda: ForSome([X], AtMost(0, X**2 + Y**2), at={X: sp.Float(0.5)})),
        (FALSE, lambda: ForSome([X], Equal(Sum(X, (t, 1, T)), T * (T + 1) / 2), at={X: t}, of=[t])),
        (TRUE, lambda: ForSome([X], Equal(X**2, a), at={X: sqrt(a)}, of=[a])),
        (OPEN, lambda: ForSome([m], Equal(2 * m, T * (T + 1)), at={m: sp.ceiling(T * (T + 1) / 2)}, of=[T])),
        (TRUE, lambda: ForSome([even], AtMost(T, even), at={even: 2 * T}, of=[T])),
        (TRUE, lambda: ForSome([b], Equal(b * Y, 2 * Y), at={b: 2})),
        (TRUE, lambda: ForSome([w], AtMost(w, X**2), at={w: -1})),
        (TRUE, lambda: Theorem(given=[Y > 1], shows=ForSome([X], Equal(X * Y, 1), at={X: 1 / Y}, of=[Y]))),
    ],
    "terms under a sum that binds their names": [
        (FALSE, lambda: at(multiples, t, Equal(g[t], 5), t >= 1, t <= T)),
        (FALSE, lambda: at(every(AtMost(g[s], Sum(s, (t, 1, 3)))), t, AtMost(g[t], 6), t >= 1, t <= T)),
        (
            FALSE,
            lambda: Theorem(given=[multiples], shows=Equal(Sum(g[t], (t, 1, T)), 5 * T)).sum(
                Equal(g[t], 5), (t, 1, T), "each is the same"
            ),
        ),
        (OPEN, lambda: at(multiples, t, Equal(g[t], 3 * t), t >= 1, t <= T)),
        (
            OPEN,
            lambda: Theorem(given=[multiples], shows=Equal(Sum(g[t], (t, 1, T)), 3 * T * (T + 1) / 2)).sum(
                Equal(g[t], 3 * t), (t, 1, T), "each by its hypothesis"
            ),
        ),
        (FALSE, lambda: Theorem(shows=Equal(Sum(t, (t, 1, T)), T * t)).have(AtMost(0, X**2), "a square")),
    ],
    "induction over the end of hypotheses that do not grow": [
        (
            FALSE,
            lambda: at(every(AtMost(g[s], 5), T, T), T, AtMost(Sum(g[s], (s, 2, T)), 5 * T - 5)).induct(T, 1),
        ),
        (
            FALSE,
            lambda: at(every(AtMost(g[s], T), 1, T + 9), T, AtMost(Sum(g[s], (s, 2, T)), T**2)).induct(T, 1),
        ),
        (
            FALSE,
            lambda: Theorem(given=[every(AtMost(g[s], 1), T, 2 * T)], shows=AtMost(g[1], 1)).induct(T, 1),
        ),
        (
            TRUE,
            lambda: at(every(AtMost(g[s], 5)), T, AtMost(Sum(g[s], (s, 2, T)), 5 * T - 5)).induct(T, 1),
        ),
    ],
    "cases joined by `and` and `or`": [
        (TRUE, lambda: Theorem(shows=AtMost(sp.Min(X, 1), 1)).cases(And(X > 0, X < 1), Or(X <= 0, X >= 1))),
        (TRUE, lambda: Theorem(shows=AtMost(X, X**2), given=[Or(X < 0, X > 1)]).cases(X < 0, X > 1)),
        (FALSE, lambda: Theorem(shows=AtMost(X, X**2)).cases(And(X < 0, X > -1), Or(X > 1, X < -1))),
        (FALSE, lambda: Theorem(shows=AtMost(cos(pi * X), 0)).cases(X < 0, X > 0)),
    ],
    "a step of an iteration that is shown from some states only": [
        (
            FALSE,
            lambda: (
                Theorem(given=[doubling, norm2(x) <= 1], shows=AtMost(Sum(A[t + 1], (t, 1, T)), 4 * T))
                .descend(doubling, 0, 4, "the state is short")
                .sum(AtMost(A[t + 1], 4), (t, 1, T), "added up")
            ),
        ),
        (
            FALSE,
            lambda: (
                Theorem(given=[at_zero], shows=AtMost(Sum(B[s + 1] - B[s], (s, 0, T)), 0))
                .descend(at_zero, 1, 0, "t is at least 1")
                .sum(AtMost(B[s + 1] - B[s], 0), (s, 0, T), "added up")
            ),
        ),
        (
            UNDEFINED,
            lambda: (
                Theorem(given=[of_noise], shows=AtMost(Sum(B[s + 1], (s, 1, T)), a**2 * T))
                .descend(of_noise, 0, a**2, "the noise is in the value")
                .sum(AtMost(B[s + 1], a**2), (s, 1, T), "added up")
            ),
        ),
        (
            EMPTY,
            lambda: (
                Theorem(given=[negative], shows=AtMost(Sum(below_zero[s + 1], (s, 1, T)), -T / 10**9))
                .descend(negative, 1, 0, "nothing moves")
                .sum(AtMost(below_zero[s + 1], below_zero[s]), (s, 1, T), "added up")
            ),
        ),
        (
            FALSE,
            lambda: (
                Theorem(given=[in_coefficient], shows=AtMost(B[T + 1], B[1]))
                .descend(in_coefficient, 1, 0, "nothing moves")
                .unroll(B[t], 1, 0, (t, 1, T), "T times")
            ),
        ),
        (
            TRUE,
            lambda: (
                Theorem(given=[doubling], shows=AtMost(A[T + 1], 4**T * A[1]))
                .descend(doubling, 4, 0, "twice as long")
                .unroll(A[t], 4, 0, (t, 1, T), "T times")
            ),
        ),
    ],
    "noise that enters through a coefficient or a variance": [
        (FALSE, lambda: Equal(E(f(moved), nu), f(moved))),
        (FALSE, lambda: Equal(E(inner(nu, f.gradient(moved)), nu), 0)),
        (FALSE, lambda: Equal(E(norm2(scaled), scaled, nu), norm2(nu))),
        (FALSE, lambda: AtMost(E(norm2(scaled)), norm2(nu))),
        (OPEN, lambda: Equal(E(norm2(scaled)), a**2)),
    ],
    "hypotheses for every index that contradict each other": [
        (
            EMPTY,
            lambda: at(every(AtMost(g[s], 0), 1, T + 5), 2, AtMost(1, 0), every(AtMost(1, g[s]), 2, T + 5)),
        ),
        (
            EMPTY,
            lambda: at(shrinking, T, AtMost(1, 0), every(AtMost(g[s] ** 2, 1), 1, T + 1), T >= 5).sum(
                AtMost(g[t + 1] - g[t], -1), (t, 1, T), "added up"
            ),
        ),
        (EMPTY, lambda: at(every(AtMost(s, 2)), T, AtMost(1, 0), T >= 3)),
        (EMPTY, lambda: at(every(AtMost(g[s], 0), 1, T + 5), 3, AtMost(1, 0), sp.Eq(g[3], 5))),
        (
            EMPTY,
            lambda: at(every(Equal(g[s + 1], g[s] + 1)), 1, AtMost(1, 0), sp.Eq(g[1], 0), sp.Eq(g[2], 0)),
        ),
        (
            TRUE,
            lambda: at(shrinking, T, AtMost(g[T + 1], g[T]), every(AtMost(g[s] ** 2, 1), 1, T + 1)),
        ),
    ],
    "hypotheses on the outcomes of a noise": [
        (OPEN, lambda: AtMost(a**2, c**2, [norm2(nu) <= c**2])),
        (OPEN, lambda: Theorem(given=[norm2(x + nu) <= c], shows=AtMost(a**2, c))),
        (UNDEFINED, lambda: AtMost(0, norm2(x) + 1, [norm2(nu) <= c**2])),
        (
            EMPTY,
            lambda: Theorem(given=[norm2(nu) <= a**2 / 2], shows=AtMost(a**2, a**2 / 2)).expect(
                AtMost(norm2(nu), a**2 / 2), [nu], "every outcome is short"
            ),
        ),
        (TRUE, lambda: AtMost(E(norm2(nu)), c**2, [a <= c])),
    ],
    "what a short run refutes": [
        (
            FALSE,
            lambda: Theorem(given=[halving], shows=AtMost(g[T + 1], g[1] / 4**T)).unroll(
                g[t], Rational(1, 4), 0, (t, 1, T), "T times"
            ),
        ),
        (FALSE, lambda: Theorem(given=[halving], shows=AtMost(Sum(g[s], (s, 1, T + 1)), g[1]))),
        (
            FALSE,
            lambda: Theorem(given=[noisy], shows=AtMost(A[T + 1], A[1] / 4**T)).descend(
                noisy, Rational(1, 4), 0, "no noise"
            ),
        ),
        (
            FALSE,
            lambda: Theorem(given=[noisy], shows=AtMost(A[T + 1], A[1] / 8**T + 2 * a**2)).descend(
                noisy, Rational(1, 8), a**2, "too fast"
            ),
        ),
        (
            TRUE,
            lambda: (
                Theorem(
                    given=[noisy], shows=AtMost(A[T + 1], A[1] / 4**T + Sum(a**2 / 4 ** (T - t), (t, 1, T)))
                )
                .descend(noisy, Rational(1, 4), a**2, "the noise is centred")
                .unroll(A[t], Rational(1, 4), a**2, (t, 1, T), "T times")
            ),
        ),
    ],
    "sums over a part of a range": [
        (TRUE, lambda: AtMost(Sum(A[s], (s, m, k)), Sum(A[s], (s, 1, T)), [m >= 1, k <= T])),
        (TRUE, lambda: AtMost(a * Sum(g[s] ** 2, (s, m, T)), 2 * a * Sum(g[s] ** 2, (s, 1, T)), [m >= 1])),
        (FALSE, lambda: AtMost(Sum(A[s], (s, m, k)), Sum(A[s], (s, 1, T)), [m >= 0, k <= T])),
        (FALSE, lambda: AtMost(Sum(A[s], (s, 1, k)), Sum(A[s], (s, 1, T)), [k <= T + 1])),
        (FALSE, lambda: AtMost(Sum(g[s], (s, m, T)), Sum(g[s], (s, 1, T)), [m >= 1])),
        (FALSE, lambda: AtMost(X * Sum(A[s], (s, m, T)), X * Sum(A[s], (s, 1, T)), [m >= 1])),
        (
            FALSE,
            lambda: AtMost(
                Sum(A[s], (s, 1, m)) + Sum(A[s], (s, m, T)), Sum(A[s], (s, 1, T)), [m >= 1, m <= T]
            ),
        ),
    ],
    "entries that a hypothesis pins": [
        (TRUE, lambda: AtMost(Sum(A[s], (s, 1, T)), Sum(A[s], (s, 2, T)), [sp.Eq(A[1], 0)])),
        (TRUE, lambda: AtMost(0, A[T + 1] + A[1], [sp.Eq(A[T], 0), A[1] <= A[2]])),
        (FALSE, lambda: AtMost(A[2], A[1], [sp.Eq(A[1], 0)])),
        (EMPTY, lambda: AtMost(1, 0, [sp.Eq(IndexedBase("q", positive=True)[1], 0)])),
    ],
}
