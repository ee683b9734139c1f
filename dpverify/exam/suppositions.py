"""What statements suppose without a word: that there are functions of their classes, noises with their
moments, and runs as long as the hypotheses ask for; each beside a twin of which there is one.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Rational, symbols

from dpverify.exam.kinds import EMPTY, OPEN, TRUE, Question
from dpverify.language import Function, Noise, Vector, norm, norm2
from dpverify.language.expectations import E
from dpverify.relations import AtMost
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem

quarter = Rational(1, 4)
a, c, mu, L, v, w = symbols("a c mu L v w", positive=True)
t = sp.Symbol("t", integer=True)
T = sp.Symbol("T", integer=True, positive=True)
x, y = Vector("x"), Vector("y")
V, M = sp.IndexedBase("V", real=True), sp.IndexedBase("M", real=True)
spread = sp.IndexedBase("spread", real=True)
f, F = Function("f", smooth=L, strongly_convex=mu), Function("F", smooth=L)
steep = Function("steep", lipschitz=L, strongly_convex=mu)
Q = Function("Q", lower_bound=0)
nu = Noise("nu", variance=a)
bent = Function("bent", smooth=c, strongly_convex=2)


def still_at_all(given: list[Any]) -> Theorem:
    """|x - y|^2 <= 0, if f is of a class that is empty."""
    shows = AtMost(norm2(x - y) + f(x), f(x))
    return Theorem(shows, given).have(AtMost(0, norm2(x)), "a square")


def gradient_steps(given: list[Any], step: Any) -> Theorem:
    """|x|^2 falls by 1 in every step along the gradient, if f is of a class that is empty."""
    run = Iterates(V, norm2(x), [x], [x - f.gradient(x) * step], [], t, 1, T)
    theorem = Theorem(AtMost(V[T + 1], V[1] - T), [run, *given]).descend(run, 1, -1, "one step")
    return theorem.unroll(V[t], 1, -1, (t, 1, T), "T steps")


def walk(noise: Vector, extra: Any, given: list[Any]) -> Theorem:
    """E|x|^2 after T steps of a walk, each of which adds at most `extra`."""
    run = Iterates(V, norm2(x), [x], [x + noise], [noise], t, 1, T)
    theorem = Theorem(AtMost(V[T + 1], V[1] + extra * T), [run, *given]).descend(run, 1, extra, "one step")
    return theorem.unroll(V[t], 1, extra, (t, 1, T), "T steps")


def halved(given: list[Any], shows: Any) -> Theorem:
    """|x|^2 along x -> x/2."""
    run = Iterates(V, norm2(x), [x], [x / 2], [], t, 1, T)
    theorem = Theorem(shows, [run, *given]).descend(run, quarter, 0, "halved", exact=True)
    return theorem.unroll(V[t], quarter, 0, (t, 1, T), "T times")


def descending(given: list[Any], shows: Any) -> Theorem:
    """E of the gap of F along gradient steps with a record's noise, and of the squared gradient."""
    record = Noise("xi", variance=Q(x) - norm2(F.gradient(x)))
    after = x - a * (F.gradient(x) + record)
    gap, slope = (
        Iterates(name, value, [x], [after], [record], t, 1, T)
        for name, value in ((V, F(x) - F.minimum), (M, norm2(F.gradient(x))))
    )
    return Theorem(shows, [gap, slope, *given])


def falling(given: list[Any], shows: Any) -> Theorem:
    """A sequence that does not grow."""
    theorem = Theorem(shows, [ForEvery(AtMost(V[t + 1], V[t]), t, 1, T), *given])
    return theorem.unroll(V[t], 1, 0, (t, 1, T), "T times")


CAUSES: dict[str, list[Question]] = {
    "there is no such function or noise": [
        (EMPTY, lambda: still_at_all([L <= 1, mu >= 2])),
        (EMPTY, lambda: still_at_all([L < mu])),
        (EMPTY, lambda: AllOf(still_at_all([L <= 1, mu >= 2]).shows, AtMost(0, mu, [L <= 1, mu >= 2]))),
        (EMPTY, lambda: Theorem(AllOf(AtMost(L, mu), AtMost(f(x), f(x) + L)), [L <= 1, mu >= 2])),
        (EMPTY, lambda: gradient_steps([L <= 1, mu >= 2], Rational(1, 2))),
        (EMPTY, lambda: Theorem(AtMost(norm2(x - y) + steep(x), steep(x))).have(AtMost(0, mu), "declared")),
        (
            EMPTY,
            lambda: ForSome([c], AtMost(bent(x) + norm2(x - y), bent(x)), at={c: 1}),
        ),
        (EMPTY, lambda: walk(Noise("nu", variance=v - w), -4, [v <= 1, w >= 5])),
        (EMPTY, lambda: walk(Noise("nu", variance=v - w - norm2(x)), -1, [w >= v + 1])),
        (
            EMPTY,
            lambda: walk(Noise("nu", variance=spread[t]), -1, [ForEvery(AtMost(spread[t], -1), t, 1, T)]),
        ),
        (EMPTY, lambda: AtMost(norm2(x - y) + f(x) + E(norm(nu)), f(x) + E(norm(nu)), [L <= 1, mu >= 2])),
        (EMPTY, lambda: AtMost(norm2(x - y) + steep(x) + E(norm(nu)), steep(x) + E(norm(nu)))),
        (EMPTY, lambda: AtMost(L, E(norm(Noise("nu", variance=v - w))) + 1, [L <= 1, v <= 1, w >= 2])),
        (TRUE, lambda: AtMost(0, E(norm(nu)))),
        (TRUE, lambda: AtMost(L, E(norm(Noise("nu", variance=v - w))) + 1, [L <= 1, v >= 2, w <= 1])),
        (OPEN, lambda: AllOf(AtMost(mu, L), AtMost(f(x), f(x) + L))),
        (OPEN, lambda: walk(Noise("nu", variance=v - w), v, [])),
        (TRUE, lambda: Theorem(AtMost(f(x), f(x) + L), [L <= 1]).have(AtMost(0, norm2(x)), "a square")),
        (TRUE, lambda: walk(Noise("nu", variance=v - w), 4, [v <= 5, w >= 1])),
        (TRUE, lambda: walk(Noise("nu", variance=v + w), v + w, [])),
    ],
    "a run that is too long to be written out": [
        (EMPTY, lambda: halved([T >= 6, V[T + 1] >= V[1] + 1, V[1] >= 1], AtMost(V[1], 0))),
        (EMPTY, lambda: halved([T >= 6, V[4] >= 1, V[1] <= 1], AtMost(V[T + 1], 0))),
        (EMPTY, lambda: halved([T >= 4, ForEvery(AtMost(V[t] + 1, V[t + 1]), t, 1, T)], AtMost(1, 0))),
        (EMPTY, lambda: descending([T >= 6, ForEvery(AtMost(M[t], -1), t, 1, T)], AtMost(1, 0))),
        (EMPTY, lambda: falling([T >= 14, V[T + 1] >= V[1] + 1], AtMost(1, 0))),
        (EMPTY, lambda: falling([T >= 30, V[T + 1] >= V[1] + 1], AtMost(V[T + 1], V[1]))),
        (TRUE, lambda: halved([T >= 6, V[T + 1] <= V[1], V[1] >= 1], AtMost(V[T + 1], quarter**T * V[1]))),
        (TRUE, lambda: halved([T >= 6, V[4] >= 1], AtMost(V[T + 1], quarter**T * V[1]))),
        (TRUE, lambda: descending([T >= 6, ForEvery(AtMost(M[t], 1), t, 1, T)], AtMost(0, T))),
        (TRUE, lambda: falling([], AtMost(V[T + 1], V[1]))),
    ],
}
