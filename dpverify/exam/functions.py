"""Functions known by their class: facts at points, and one step of gradient descent, heavy ball and
Nesterov.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.language import Function, Vector, inner, norm, norm2, vectors
from dpverify.relations import AtMost

x, y, z, v, x0, m = vectors("x y z v x0 m")
L, mu, eta, G = sp.symbols("L mu eta G", positive=True)
q, b = sp.symbols("q b", positive=True)
low = sp.Symbol("low", real=True)
C = sp.Rational(101, 100)
smooth = Function("f", smooth=L)
convex = Function("f", smooth=L, convex=True)
strong = Function("f", smooth=L, strongly_convex=mu)
dominated = Function("f", smooth=L, polyak_lojasiewicz=mu)
bounded = Function("f", smooth=L, lower_bound=low)
rough = Function("f", convex=True, lipschitz=G)
steep = Function("f", strongly_convex=mu)
lipschitz = Function("f", lipschitz=G)
scaled = Function("f", smooth=L, strongly_convex=q**2 * L)
short, gap = [eta * L <= 1], [mu < L]


def step(f: Function) -> Vector:
    """One step of gradient descent."""
    return x - eta * f.gradient(x)


def difference(f: Function) -> Vector:
    """The difference of two gradients."""
    return f.gradient(x) - f.gradient(y)


def nesterov(rate: Any, descent: Any = 1) -> AtMost:
    """One step of Nesterov's method for mu = q^2 L: f - min f + mu/2 |z - argmin f|^2 falls by the rate."""
    f, s = scaled, scaled.minimiser
    between = (x + q * z) / (1 + q)
    after = between - descent * f.gradient(between) / L
    moved = (1 - q) * z + q * between - f.gradient(between) / (q * L)
    before = f(x) - f.minimum + q**2 * L / 2 * norm2(z - s)
    return AtMost(f(after) - f.minimum + q**2 * L / 2 * norm2(moved - s), rate * before, [q < 1])


def heavy_ball(slack: Any) -> AtMost:
    """One step of the heavy ball on a smooth function: f(x) + |x - x0|^2 (1 - b) / (2 eta) does not grow."""
    f = smooth
    after = x - eta * f.gradient(x) + b * (x - x0)
    return AtMost(
        f(after) + (1 / eta - L / 2) / 2 * norm2(after - x) * slack,
        f(x) + (1 / eta - L / 2) / 2 * norm2(x - x0),
        [b <= sp.Rational(1, 2), eta * L <= sp.Rational(1, 2)],
    )


def accelerated(shrink: Any = 1) -> AtMost:
    """One step of Nesterov's method on a convex function, with weights q >= 1."""
    f, after = convex, y - convex.gradient(y) / L
    return AtMost(
        2 * q**2 / L * (f(after) - f.minimum) + norm2(q * after - (q - 1) * x - f.minimiser),
        shrink * 2 * (q**2 - q) / L * (f(x) - f.minimum) + norm2(q * y - (q - 1) * x - f.minimiser),
        [q >= 1],
    )


def normalised(constant: Any) -> AtMost:
    """A step along a vector m of any length, divided by it."""
    f = smooth
    bound = f(x) - eta * norm(f.gradient(x)) + constant * eta * norm(m - f.gradient(x)) + L * eta**2 / 2
    return AtMost(f(x - eta * m / norm(m)), bound, [norm(m) > 0])


def moved_minimiser(constant: Any) -> AtMost:
    """The minimisers of two strongly convex functions, by the gradient of one at the other's."""
    other = Function("g", smooth=L, strongly_convex=mu).minimiser
    return AtMost(norm(strong.minimiser - other), constant * G / mu, [norm(strong.gradient(other)) <= G])


TRUE = [
    (
        "descent lemma",
        lambda: AtMost(smooth(y), smooth(x) + inner(smooth.gradient(x), y - x) + L / 2 * norm2(y - x)),
    ),
    (
        "descent lemma, below",
        lambda: AtMost(smooth(x) + inner(smooth.gradient(x), y - x) - L / 2 * norm2(y - x), smooth(y)),
    ),
    ("Lipschitz gradient", lambda: AtMost(norm2(difference(smooth)), L**2 * norm2(x - y))),
    ("Lipschitz gradient, norms", lambda: AtMost(norm(difference(smooth)), L * norm(x - y))),
    (
        "gradient step",
        lambda: AtMost(smooth(step(smooth)), smooth(x) - eta * (1 - L * eta / 2) * norm2(smooth.gradient(x))),
    ),
    (
        "short gradient step",
        lambda: AtMost(smooth(step(smooth)), smooth(x) - eta / 2 * norm2(smooth.gradient(x)), short),
    ),
    (
        "gradient step with an error",
        lambda: AtMost(
            smooth(x - eta * v),
            smooth(x) - eta / 2 * norm2(smooth.gradient(x)) + eta / 2 * norm2(v - smooth.gradient(x)),
            short,
        ),
    ),
    ("bounded below", lambda: AtMost(norm2(bounded.gradient(x)), 2 * L * (bounded(x) - low))),
    (
        "best of a step",
        lambda: AtMost(eta / 2 * norm2(bounded.gradient(x)), bounded(x) - low, short),
    ),
    ("convexity", lambda: AtMost(convex(x) - convex(y), inner(convex.gradient(x), x - y))),
    ("monotone gradient", lambda: AtMost(0, inner(difference(convex), x - y))),
    ("monotone subgradient", lambda: AtMost(0, inner(difference(rough), x - y))),
    ("co-coercivity", lambda: AtMost(norm2(difference(convex)) / L, inner(difference(convex), x - y))),
    (
        "interpolation",
        lambda: AtMost(
            convex(x) + inner(convex.gradient(x), y - x) + norm2(difference(convex)) / (2 * L), convex(y)
        ),
    ),
    ("gap by the gradient", lambda: AtMost(norm2(convex.gradient(x)), 2 * L * (convex(x) - convex.minimum))),
    ("gap by the distance", lambda: AtMost(convex(x) - convex.minimum, L / 2 * norm2(x - convex.minimiser))),
    (
        "one step on a convex function",
        lambda: AtMost(
            2 * eta * (convex(step(convex)) - convex.minimum),
            norm2(x - convex.minimiser) - norm2(step(convex) - convex.minimiser),
            short,
        ),
    ),
    (
        "nonexpansive step",
        lambda: AtMost(norm2(x - y - eta * difference(convex)), norm2(x - y), [eta * L <= 2]),
    ),
    ("strong monotonicity", lambda: AtMost(mu * norm2(x - y), inner(difference(strong), x - y))),
    (
        "strong co-coercivity",
        lambda: AtMost(
            mu * L / (mu + L) * norm2(x - y) + norm2(difference(strong)) / (mu + L),
            inner(difference(strong), x - y),
        ),
    ),
    ("quadratic growth", lambda: AtMost(mu / 2 * norm2(x - steep.minimiser), steep(x) - steep.minimum)),
    (
        "strong convexity gives PL",
        lambda: AtMost(2 * mu * (strong(x) - strong.minimum), norm2(strong.gradient(x))),
    ),
    (
        "strong convexity gives PL, not smooth",
        lambda: AtMost(2 * mu * (steep(x) - steep.minimum), norm2(steep.gradient(x))),
    ),
    (
        "contraction of gradient descent",
        lambda: AtMost(
            norm2(step(strong) - strong.minimiser),
            (1 - eta * mu) ** 2 * norm2(x - strong.minimiser),
            [eta <= 2 / (L + mu), *gap],
        ),
    ),
    (
        "contraction of two points",
        lambda: AtMost(
            norm2(x - y - eta * difference(strong)),
            (1 - eta * mu) ** 2 * norm2(x - y),
            [eta <= 2 / (L + mu), *gap],
        ),
    ),
    (
        "contraction of long steps",
        lambda: AtMost(
            norm2(step(strong) - strong.minimiser),
            (1 - eta * L) ** 2 * norm2(x - strong.minimiser),
            [eta >= 2 / (L + mu), *gap],
        ),
    ),
    (
        "contraction, simply",
        lambda: AtMost(
            norm2(step(strong) - strong.minimiser), (1 - eta * mu) * norm2(x - strong.minimiser), short
        ),
    ),
    (
        "values of gradient descent",
        lambda: AtMost(
            strong(step(strong)) - strong.minimum, (1 - eta * mu) * (strong(x) - strong.minimum), short
        ),
    ),
    (
        "gradient descent on PL functions",
        lambda: AtMost(
            dominated(step(dominated)) - dominated.minimum,
            (1 - eta * mu) * (dominated(x) - dominated.minimum),
            short,
        ),
    ),
    (
        "one step of the subgradient method",
        lambda: AtMost(
            2 * eta * (rough(x) - rough.minimum),
            norm2(x - rough.minimiser) - norm2(step(rough) - rough.minimiser) + eta**2 * G**2,
        ),
    ),
    ("Lipschitz by subgradients", lambda: AtMost(rough(x) - rough(y), G * norm(x - y))),
    (
        "Lipschitz along three points",
        lambda: AtMost(lipschitz(x) - lipschitz(z), G * norm(x - y) + G * norm(y - z)),
    ),
    ("Nesterov's one-step inequality", lambda: nesterov(1 - q)),
    ("Nesterov's potential on convex functions", lambda: accelerated()),
    ("a normalised step", lambda: normalised(2)),
    ("minimisers of two functions", lambda: moved_minimiser(1)),
    (
        "exact rate of values",
        lambda: AtMost(
            strong(step(strong)) - strong.minimum,
            (1 - eta * mu) ** 2 * (strong(x) - strong.minimum),
            [*short, *gap],
        ),
    ),
    (
        "exact rate of gradients",
        lambda: AtMost(
            norm2(strong.gradient(step(strong))),
            (1 - eta * mu) ** 2 * norm2(strong.gradient(x)),
            [eta <= 2 / (L + mu), *gap],
        ),
    ),
    (
        "exact rate on convex functions",
        lambda: AtMost(
            convex(step(convex)) - convex.minimum, L / (4 * eta * L + 2) * norm2(x - convex.minimiser), short
        ),
    ),
    (
        "value at an average",
        lambda: AtMost(
            strong((1 - q) * x + q * y),
            (1 - q) * strong(x) + q * strong(y) - mu / 2 * q * (1 - q) * norm2(x - y),
            [q < 1],
        ),
    ),
    ("heavy ball does not climb", lambda: heavy_ball(1)),
    (
        "three-point inequality",
        lambda: AtMost(
            convex(z) + inner(convex.gradient(z), x - y),
            convex(x) - convex(y) + convex(z) + L / 2 * norm2(y - z),
        ),
    ),
]

FALSE = [
    (
        "descent lemma, constant",
        lambda: AtMost(smooth(y), smooth(x) + inner(smooth.gradient(x), y - x) + L / 2 / C * norm2(y - x)),
    ),
    ("descent lemma, gradient dropped", lambda: AtMost(smooth(y), smooth(x) + L / 2 * norm2(y - x))),
    ("Lipschitz gradient, constant", lambda: AtMost(C * norm2(difference(smooth)), L**2 * norm2(x - y))),
    (
        "short gradient step, too long",
        lambda: AtMost(smooth(step(smooth)), smooth(x) - eta / 2 * norm2(smooth.gradient(x)), [eta * L <= C]),
    ),
    ("gradient step, hypothesis dropped", lambda: AtMost(smooth(step(smooth)), smooth(x))),
    (
        "gradient step with an error, constant",
        lambda: AtMost(
            smooth(x - eta * v),
            smooth(x) - eta / 2 * norm2(smooth.gradient(x)) + eta / 3 * norm2(v - smooth.gradient(x)),
            short,
        ),
    ),
    ("bounded below, constant", lambda: AtMost(C * norm2(bounded.gradient(x)), 2 * L * (bounded(x) - low))),
    ("convexity without convexity", lambda: AtMost(smooth(x) - smooth(y), inner(smooth.gradient(x), x - y))),
    ("convexity, reversed", lambda: AtMost(inner(convex.gradient(x), x - y), convex(x) - convex(y))),
    ("monotone gradient without convexity", lambda: AtMost(0, inner(difference(smooth), x - y))),
    (
        "co-coercivity, constant",
        lambda: AtMost(C * norm2(difference(convex)) / L, inner(difference(convex), x - y)),
    ),
    (
        "co-coercivity without convexity",
        lambda: AtMost(norm2(difference(smooth)) / L, inner(difference(smooth), x - y)),
    ),
    (
        "gap by the distance, constant",
        lambda: AtMost(C * (convex(x) - convex.minimum), L / 2 * norm2(x - convex.minimiser)),
    ),
    (
        "one step on a convex function, too long",
        lambda: AtMost(
            2 * eta * (convex(step(convex)) - convex.minimum),
            norm2(x - convex.minimiser) - norm2(step(convex) - convex.minimiser),
            [eta * L <= sp.Rational(21, 10)],
        ),
    ),
    (
        "nonexpansive step, too long",
        lambda: AtMost(
            norm2(x - y - eta * difference(convex)), norm2(x - y), [eta * L <= sp.Rational(201, 100)]
        ),
    ),
    (
        "strict contraction without strength",
        lambda: AtMost(norm2(x - y - eta * difference(convex)), (1 - eta * L / 100) * norm2(x - y), short),
    ),
    (
        "strong monotonicity, constant",
        lambda: AtMost(C * mu * norm2(x - y), inner(difference(strong), x - y)),
    ),
    (
        "quadratic growth, constant",
        lambda: AtMost(C * mu / 2 * norm2(x - steep.minimiser), steep(x) - steep.minimum),
    ),
    (
        "quadratic growth without strength",
        lambda: AtMost(L / 100 * norm2(x - convex.minimiser), convex(x) - convex.minimum),
    ),
    (
        "contraction of gradient descent, constant",
        lambda: AtMost(
            C * norm2(step(strong) - strong.minimiser),
            (1 - eta * mu) ** 2 * norm2(x - strong.minimiser),
            [eta <= 2 / (L + mu), *gap],
        ),
    ),
    (
        "contraction of gradient descent, too long",
        lambda: AtMost(
            norm2(step(strong) - strong.minimiser),
            (1 - eta * mu) ** 2 * norm2(x - strong.minimiser),
            [eta <= sp.Rational(21, 10) / (L + mu), *gap],
        ),
    ),
    (
        "values of gradient descent, squared twice",
        lambda: AtMost(
            strong(step(strong)) - strong.minimum, (1 - eta * mu) ** 3 * (strong(x) - strong.minimum), short
        ),
    ),
    (
        "gradient descent on PL functions, constant",
        lambda: AtMost(
            dominated(step(dominated)) - dominated.minimum,
            (1 - eta * mu) ** 3 * (dominated(x) - dominated.minimum),
            short,
        ),
    ),
    (
        "one step of the subgradient method, constant",
        lambda: AtMost(
            2 * eta * (rough(x) - rough.minimum),
            norm2(x - rough.minimiser) - norm2(step(rough) - rough.minimiser) + eta**2 * G**2 / 2,
        ),
    ),
    ("Lipschitz by subgradients, constant", lambda: AtMost(C * (rough(x) - rough(y)), G * norm(x - y))),
    ("Nesterov's one-step inequality, rate", lambda: nesterov((1 - q) ** 3)),
    ("Nesterov's potential on convex functions, rate", lambda: accelerated(sp.Rational(9, 10))),
    ("a normalised step, constant", lambda: normalised(1)),
    ("minimisers of two functions, constant", lambda: moved_minimiser(1 / C)),
    (
        "exact rate of values, constant",
        lambda: AtMost(
            C * (strong(step(strong)) - strong.minimum),
            (1 - eta * mu) ** 2 * (strong(x) - strong.minimum),
            [*short, *gap],
        ),
    ),
    (
        "exact rate on convex functions, constant",
        lambda: AtMost(
            C * (convex(step(convex)) - convex.minimum),
            L / (4 * eta * L + 2) * norm2(x - convex.minimiser),
            short,
        ),
    ),
    (
        "value at an average, constant",
        lambda: AtMost(
            strong((1 - q) * x + q * y),
            (1 - q) * strong(x) + q * strong(y) - C * mu / 2 * q * (1 - q) * norm2(x - y),
            [q < 1],
        ),
    ),
    ("heavy ball does not climb, constant", lambda: heavy_ball(3)),
    ("the minimum is above", lambda: AtMost(convex(x), convex.minimum)),
]
