"""Relations that are wrong where a rule is applied a little beyond what it says, by cause, beside twins that
are right: found by somebody who wrote none of the rules.

A falsehood that a search would find at once shows nothing of the rules, so most of these fail only beyond
10^60, or have no point that a search looks at.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import And, I, Max, Or, Product, Rational, Sum, Symbol, acos, coth, oo, sin, symbols, tan, zeta

from dpverify.exam.kinds import EMPTY, FALSE, OPEN, TRUE, UNDEFINED, Question
from dpverify.guarantees import PureDP
from dpverify.language import Function, Noise, Vector, VectorSequence, inner, norm, norm2
from dpverify.language.expectations import E, sample_mean
from dpverify.language.mechanisms import Private
from dpverify.language.vectors import total
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.relations import ArgMin, AtMost, Equal, Increasing
from dpverify.releases import Laplace, Subsampled
from dpverify.theorems import ForEvery, ForSome, Iterates, Theorem

far = sp.Integer(10) ** 60
half = Rational(1, 2)
x, y, a, c = symbols("x y a c", positive=True)
X, Y = symbols("X Y", real=True)
v = Symbol("v", nonnegative=True)
T, M, s, t = symbols("T M s t", integer=True, positive=True)
i, j, m = symbols("i j m", integer=True)
n = Symbol("n", integer=True, nonpositive=True)
even = Symbol("T_even", even=True, positive=True)
q, z = sp.IndexedBase("q", positive=True), sp.IndexedBase("z", real=True, nonzero=True)
g = sp.IndexedBase("g", real=True)
u, w = Vector("u"), Vector("w")
p = VectorSequence("p")
size = norm2(u)
mu, L, G = symbols("mu L G", positive=True)
hidden = Function("hidden", smooth=y + far, strongly_convex=x)
steep = Function("steep", strongly_convex=mu, lipschitz=G)
named = Function("named", smooth=L, strongly_convex=mu)
still = Noise("still", variance=0)
noise = Noise("noise", variance=X + far)
drawn = sample_mean("drawn", mean=u, spread=1, size=x, of=y + far, replacement=False)
V, weights = sp.IndexedBase("V", real=True), sp.IndexedBase("weights", positive=True)
weighted = Iterates(V, t * size, [u], [u], [], t, 1, T)
varied = Iterates(V, weights[t] * size, [u], [u], [], t, 1, T)
halved = Iterates(V, size, [u], [u / 2], [], t, 1, T)
below = ForEvery(AtMost(g[t], Max(s, far)), t, 1, T)
B, N = symbols("B N", integer=True, positive=True)
b = Symbol("b", positive=True)


bowl = Function("bowl", convex=True)
rounded = Function("rounded", smooth=L)
slope, there = rounded.gradient(u), rounded.gradient(p[t])
stepped = p[t] - q[t] * there
nu = Noise("nu", variance=a**2)
random_step, turned = u + inner(nu, w) * nu, u - inner(nu, w) * nu / 3
second = Noise("second", variance=1, mean=inner(nu, w) * nu)


def mean_below(point: Vector) -> Theorem:
    """What Jensen's inequality says if u is the mean of the point, and a little more."""
    return Theorem(AtMost(bowl(u), E(bowl(point)) + far))


def front(k: int) -> Any:
    return Sum(q[s], (s, 1, T - k))


def pure(records: Any, population: Any) -> Any:
    return PureDP(sp.log(1 + records / population * (sp.exp(a / b) - 1)))


def batch(records: Any, population: Any, how: str, relation: Any) -> Any:
    return Subsampled(Laplace(b, {relation: a}), records, population, how)


CAUSES: dict[str, list[Question]] = {
    "a factor that may be 0 is divided by": [
        (FALSE, lambda: AtMost(x, y + far, [v * x <= v * y])),
        (FALSE, lambda: AtMost(x, y + far, [v * x + v * a <= v * y])),
        (FALSE, lambda: AtMost(1, x + far * a, [v <= v * x])),
        (FALSE, lambda: AtMost(x, y + far, [v**2 * x <= v**2 * y])),
        (FALSE, lambda: AtMost(0, v + v ** (-n), strict=True)),
        (FALSE, lambda: AtMost(0, v ** (-n), [n <= -1, v <= 1], strict=True)),
        (FALSE, lambda: AtMost(0, v ** (-2 * n) + v, strict=True)),
        (TRUE, lambda: AtMost(x, y, [a * x <= a * y])),
        (TRUE, lambda: AtMost(v * x, v * y, [x <= y])),
        (TRUE, lambda: AtMost(0, v + v ** (-n))),
    ],
    "a sum that stands twice is made longer once": [
        (FALSE, lambda: AtMost(x * front(1) - y * front(1), (x - y) * front(0) + far)),
        (FALSE, lambda: AtMost(front(1) - front(1) ** 2 / far, front(0) - front(0) ** 2 / far)),
        (FALSE, lambda: AtMost(front(1) - front(1) ** 2, front(0) - front(0) ** 2)),
        (TRUE, lambda: AtMost(x * front(1), x * front(0))),
    ],
    "an entry inside of an inner sum is many numbers": [
        (
            FALSE,
            lambda: AtMost(
                Sum(i * Sum(g[i + j], (j, 1, 2)), (i, 1, T)),
                Sum(i * Sum(g[i + j], (j, 2, 3)), (i, 1, T)) + far,
            ),
        ),
        (
            FALSE,
            lambda: AtMost(
                Sum(Sum(g[i + j], (j, 1, 2)) ** 2, (i, 1, T)), Sum(Sum(g[i + j], (j, 2, 3)) ** 2, (i, 1, T))
            ),
        ),
        (TRUE, lambda: AtMost(Sum(g[i] * 2, (i, 1, T)), Sum(g[i] ** 2 + 1, (i, 1, T)))),
    ],
    "a whole number passes over a pole": [
        (FALSE, lambda: Increasing(-coth(m - far - half), m)),
        (FALSE, lambda: Increasing(-coth(m - far - half), m, strict=True)),
        (FALSE, lambda: Increasing(coth(m - far - half), m, down=True)),
        (FALSE, lambda: AtMost(-coth(m - half), -1)),
        (FALSE, lambda: Increasing(-1 / (m - far - half), m)),
        (FALSE, lambda: Increasing(tan(m - far - half), m)),
        (TRUE, lambda: Increasing(-coth(X), X, [X > 0], strict=True)),
        (TRUE, lambda: ArgMin(X * coth(1), X, 0, [X >= 0])),
    ],
    "an index that a hypothesis for every index speaks of": [
        (
            FALSE,
            lambda: (
                Theorem(AtMost(g[1], far), [below])
                .have(ForEvery(AtMost(g[s], Max(s, far)), s, 1, T), "the same, with s for t")
                .at(ForEvery(AtMost(g[s], Max(s, far)), s, 1, T), 1)
            ),
        ),
        (
            FALSE,
            lambda: Theorem(AtMost(Sum(g[t], (t, 1, T)), T * far + Sum(s, (s, 1, T))), [below]).sum(
                AtMost(g[s], far + s), (s, 1, T), "added up over s"
            ),
        ),
        (
            FALSE,
            lambda: Theorem(AtMost(sp.floor(2 * X), 2 * sp.floor(X)), [X >= 1]).unroll(
                sp.floor(2 * t) - 2 * t, 1, 0, (t, 1, 2 * X), "to a fraction"
            ),
        ),
        (
            TRUE,
            lambda: Theorem(AtMost(g[1], Max(s, far)), [below]).at(below, 1),
        ),
    ],
    "a value that is shown is made of itself": [
        (
            FALSE,
            lambda: Theorem(ForSome([c], AtMost(g[1], c), at={c: 1}), [ForEvery(AtMost(g[t], c), t, 1, T)]),
        ),
        (
            UNDEFINED,
            lambda: Theorem(
                ForSome([c], AtMost(g[1], c), at={c: c}, of=[c]), [ForEvery(AtMost(g[t], c), t, 1, T)]
            ).at(ForEvery(AtMost(g[t], c), t, 1, T), 1),
        ),
        (UNDEFINED, lambda: ForSome([c], AtMost(x, c), at={c: x}, of=[c, x])),
        (TRUE, lambda: ForSome([c], AtMost(x, c), at={c: x}, of=[x])),
    ],
    "functions and noises of which only the proof speaks": [
        (
            FALSE,
            lambda: Theorem(AtMost(-far, X)).expect(AtMost(0, norm2(noise)), [noise], "a square has a mean"),
        ),
        (
            FALSE,
            lambda: Theorem(AtMost(x, y + far), [y > 1]).expect(
                AtMost(0, norm2(drawn - u)), [drawn], "a square has a mean"
            ),
        ),
        (
            FALSE,
            lambda: Theorem(AtMost(x, y + far)).have(
                AtMost(x + hidden(u), y + far + hidden(u)), "as there is such a function"
            ),
        ),
        (
            FALSE,
            lambda: Theorem(AtMost(norm2(u - w), 4 * G**2 / mu**2)).have(
                AtMost(norm2(u - w) + steep(u), 4 * G**2 / mu**2 + steep(u)), "as there is such a function"
            ),
        ),
        (EMPTY, lambda: AtMost(norm2(u - w) + steep(u), 4 * G**2 / mu**2 + steep(u))),
        (EMPTY, lambda: AtMost(named(u), named(u) - 1, [mu > L])),
        (
            TRUE,
            lambda: Theorem(AtMost(0, a)).expect(
                AtMost(0, norm2(Noise("nu", variance=a))), [Noise("nu", variance=a)], "a square has a mean"
            ),
        ),
        (TRUE, lambda: Theorem(AtMost(0, X + far), [X >= -far]).expect(AtMost(0, norm2(noise)), [noise], "")),
    ],
    "the gate, where vectors are spoken of": [
        (UNDEFINED, lambda: Equal(I * size, I * size)),
        (UNDEFINED, lambda: AtMost(size, oo)),
        (UNDEFINED, lambda: AtMost(0, size * zeta(X) ** 2)),
        (UNDEFINED, lambda: AtMost(0, size * (1 + acos(X) ** 2))),
        (UNDEFINED, lambda: AtMost(size, size + sp.Piecewise((1, X > 0)))),
        (UNDEFINED, lambda: AtMost(0, size * Sum(q[t], (t, 1, X)))),
        (UNDEFINED, lambda: AtMost(0, size * q[X])),
        (UNDEFINED, lambda: AtMost(size, size + sp.factorial(X) ** 2)),
        (UNDEFINED, lambda: AtMost(size, size + 1, [True])),
        (UNDEFINED, lambda: AtMost(named((1 + I) * u), named((1 + I) * u) + 1)),
        (UNDEFINED, lambda: AtMost(0, norm2(zeta(X) * u))),
        (FALSE, lambda: AtMost(0, size * Sum(t + 100, (t, -M - 1000, T)))),
        (FALSE, lambda: AtMost(0, size * Sum(t, (t, -5, T)))),
        (FALSE, lambda: AtMost(0, Sum(t * norm2(p[t]), (t, -5, T)))),
        (TRUE, lambda: AtMost(size, 5, [And(size <= 1, size <= 2)])),
        (TRUE, lambda: AtMost(size * X, 5, [Or(X <= 1, X <= 2), X >= 0, size <= 1])),
        (TRUE, lambda: AtMost(0, size * q[3])),
        (TRUE, lambda: AtMost(0, size * q[t])),
        (OPEN, lambda: AtMost(size, 5, [Or(size <= 1, size <= 2)])),
    ],
    "lengths, entries and noises have what is declared of them, among vectors too": [
        (OPEN, lambda: Equal(size * Sum((-1) ** s, (s, 1, even)), 0)),
        (OPEN, lambda: AtMost(norm2(total(u * (-1) ** s, (s, 1, even))), 0)),
        (TRUE, lambda: AtMost(0, Sum(z[s] ** 2, (s, 1, T)) + size, strict=True)),
        (OPEN, lambda: AtMost(size * Sum(g[s], (s, 1, T)), T * size, [g[t] <= 1])),
        (OPEN, lambda: AtMost(size, size + Sum(g[s], (s, 1, T)), [g[t] >= 0])),
        (OPEN, lambda: AtMost(norm2(still), 0)),
        (OPEN, lambda: AtMost(norm2(still), size)),
        (OPEN, lambda: AtMost(norm2(p[t] - p[s]), 0, [t <= s, s <= t])),
        (OPEN, lambda: AtMost(size * Sum((-1) ** s, (s, 1, 1000 * T)), size)),
        (OPEN, lambda: AtMost(size * Sum(sin(s), (s, 1, 1000)), 1000 * size)),
        (OPEN, lambda: AtMost(size * Product((-1) ** s, (s, 1, 1000)), size)),
        (TRUE, lambda: Equal(E(norm2(u + still)), size + 0 * X)),
        (FALSE, lambda: AtMost(norm2(p[t] - p[s]), 0, [t < s])),
        (FALSE, lambda: AtMost(0, size * g[t])),
        (FALSE, lambda: AtMost(inner(still, u), -size)),
    ],
    "an expectation along an iteration is no free number": [
        (FALSE, lambda: Theorem(AtMost(V[T + 1], V[1]), [weighted]).descend(weighted, 1, 0, "it stays")),
        (
            FALSE,
            lambda: (
                Theorem(AtMost(V[T + 1], V[1]), [weighted])
                .descend(weighted, 1, 0, "it stays")
                .unroll(V[t], 1, 0, (t, 1, T), "T times")
            ),
        ),
        (
            FALSE,
            lambda: (
                Theorem(AtMost(V[2], V[1]), [varied])
                .descend(varied, 1, 0, "it stays")
                .at(ForEvery(AtMost(V[t + 1], V[t]), t, 1, T), 1)
            ),
        ),
        (
            EMPTY,
            lambda: (
                Theorem(AtMost(1, 0), [halved, V[1] <= 1, V[2] >= 1])
                .descend(halved, Rational(1, 4), 0, "halved")
                .at(ForEvery(AtMost(V[t + 1], V[t] / 4), t, 1, T), 1)
            ),
        ),
        (
            TRUE,
            lambda: (
                Theorem(AtMost(V[2], 2 * V[1]), [weighted])
                .descend(weighted, (t + 1) / t, 0, "its weight grows")
                .at(ForEvery(AtMost(V[t + 1], (t + 1) / t * V[t]), t, 1, T), 1)
            ),
        ),
        (
            TRUE,
            lambda: (
                Theorem(AtMost(V[2], 1), [halved, V[1] <= 1])
                .descend(halved, Rational(1, 4), 0, "halved")
                .at(ForEvery(AtMost(V[t + 1], V[t] / 4), t, 1, T), 1)
                .have(AtMost(V[1], 1), "as given")
            ),
        ),
    ],
    "the mean of a point with a random coefficient": [
        (FALSE, lambda: mean_below(random_step).jensen(bowl, [nu], at=random_step)),
        (FALSE, lambda: mean_below(turned).jensen(bowl, [nu], at=turned)),
        (FALSE, lambda: mean_below(u + second).jensen(bowl, [nu, second], at=u + second)),
        (FALSE, lambda: mean_below(u + norm2(nu) * w).jensen(bowl, [nu], at=u + norm2(nu) * w)),
        (TRUE, lambda: mean_below(u + nu).jensen(bowl, [nu], at=u + nu)),
        (TRUE, lambda: mean_below(u + norm2(w) * nu).jensen(bowl, [nu], at=u + norm2(w) * nu)),
    ],
    "a batch of records that are not counted": [
        (
            UNDEFINED,
            lambda: Private(batch(x, y, "without replacement", REPLACE), pure(x, y), REPLACE, [x <= y]),
        ),
        (UNDEFINED, lambda: Private(batch(x, y, "poisson", ADD_REMOVE), pure(x, y), ADD_REMOVE)),
        (TRUE, lambda: Private(batch(x, y, "poisson", ADD_REMOVE), pure(x, y), ADD_REMOVE, [x <= y])),
        (TRUE, lambda: Private(batch(B, N, "without replacement", REPLACE), pure(B, N), REPLACE, [B <= N])),
    ],
    "jumps farther away than floats can tell": [
        (FALSE, lambda: AtMost(sp.Piecewise((0, X <= far), (1, True)), half)),
        (FALSE, lambda: AtMost(sp.sign(X - far), half)),
        (FALSE, lambda: AtMost(Max(0, x - far), y)),
        (FALSE, lambda: AtMost(sp.floor(x / far), 0)),
        (FALSE, lambda: AtMost(sp.Piecewise((0, m <= far), (1, True)), 0)),
        (OPEN, lambda: AtMost(sp.Piecewise((0, X <= far), (1, True)), 1)),
        (TRUE, lambda: AtMost(Max(0, x - far), x)),
    ],
    "what stands inside of the point of a function": [
        (UNDEFINED, lambda: AtMost(0, size, [rounded(u / norm(w)) <= c])),
        (UNDEFINED, lambda: AtMost(0, size, [rounded(u - slope / norm(slope)) <= c])),
        (UNDEFINED, lambda: AtMost(rounded(u / (1 - a)), rounded(u / (1 - a)) + 1)),
        (TRUE, lambda: AtMost(0, size, [rounded(u / norm(w)) <= c, norm2(w) >= 1])),
        (TRUE, lambda: AtMost(rounded(stepped), rounded(p[t]), [q[t] * L <= 1])),
        (FALSE, lambda: AtMost(rounded(stepped), rounded(p[t]) - q[t] * norm2(there), [q[t] * L <= 1])),
    ],
}
