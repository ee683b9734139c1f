"""Expectations: moments, towers, one noisy step of gradient descent, sampling; any law with the moments, or a
given one.
"""

import sympy as sp

from dpverify.language.expectations import (
    E,
    Noise,
    gaussian,
    gaussian_norm,
    sample_mean,
    uniform_index,
)
from dpverify.language.functions import Function
from dpverify.language.vectors import inner, norm, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.theorems import Theorem

L, mu, eta, s, r, beta = sp.symbols("L mu eta s r beta", positive=True)
d, m, n, T = (sp.Symbol(name, integer=True, positive=True) for name in ("d", "m", "n", "T"))
x, y, v = vectors("x y v")
nu, xi = Noise("nu", variance=s**2), Noise("xi", variance=r**2)
normal = gaussian("z", s, d)
f = Function("f", smooth=L)
pl = Function("p", smooth=L, polyak_lojasiewicz=mu)
convex = Function("h", convex=True)
half = sp.Rational(1, 2)


def as_relation(condition):
    """A condition as a relation."""
    return AtMost(condition.lhs, condition.rhs)


def noisy_step(function, noise, step=eta):
    """The point after a step along the gradient at x plus noise."""
    return x - step * (function.gradient(x) + noise)


def descends(function, noise, bound, given, step=eta):
    """E f(x+) is at most the bound, by the descent lemma in expectation."""
    after = noisy_step(function, noise, step)
    lemma = as_relation(function.descent(x, after))
    return Theorem(given=given, shows=AtMost(E(function(after), noise), bound)).expect(
        lemma, [noise], "the descent lemma at every outcome"
    )


def descent_bound(factor, variance):
    """f(x) - factor eta |grad|^2 + L eta^2 variance/2."""
    return f(x) - factor * eta * norm2(f.gradient(x)) + L * eta**2 * variance / 2


TRUE = [
    ("second moment", lambda: Equal(E(norm2(x + nu)), norm2(x) + s**2)),
    ("first moment", lambda: Equal(E(inner(nu, x)), sp.Integer(0))),
    ("two independent noises", lambda: Equal(E(norm2(nu + xi)), s**2 + r**2)),
    ("a noise twice", lambda: Equal(E(norm2(nu + nu)), 4 * s**2)),
    (
        "a noise with a mean",
        lambda: Equal(E(norm2(Noise("g", variance=s**2, mean=v) - x)), norm2(v - x) + s**2),
    ),
    ("Gaussian noise", lambda: Equal(E(norm2(x - eta * normal)), norm2(x) + eta**2 * d * s**2)),
    (
        "tower: a mean that is random",
        lambda: Equal(
            E(norm2(Noise("g", variance=s**2, mean=x + xi)), xi, Noise("g", variance=s**2, mean=x + xi)),
            norm2(x) + r**2 + s**2,
        ),
    ),
    (
        "momentum averages noise",
        lambda: AtMost(E(norm2(beta * xi + (1 - beta) * nu)), beta**2 * r**2 + (1 - beta) ** 2 * s**2),
    ),
    (
        "sampling without replacement",
        lambda: AtMost(
            E(norm2(sample_mean("g", mean=v, spread=s**2, size=m, of=n, replacement=False) - v)),
            s**2 / m,
            given=[m <= n, n >= 2],
        ),
    ),
    ("E of a Gaussian norm in one dimension", lambda: AtMost(gaussian_norm(s, 1), s)),
    ("E of a Gaussian norm in three dimensions", lambda: AtMost(gaussian_norm(s, 3), sp.sqrt(3) * s)),
    ("one noisy step descends", lambda: descends(f, nu, descent_bound(half, s**2), [eta * L <= 1])),
    (
        "one Gaussian step descends",
        lambda: descends(f, normal, descent_bound(half, d * s**2), [eta * L <= 1]),
    ),
    (
        "one noisy step contracts under PL",
        lambda: descends(
            pl, nu, (1 - mu / L) * (pl(x) - pl.minimum) + pl.minimum + s**2 / (2 * L), [mu <= L], 1 / L
        ),
    ),
    (
        "Jensen for norms",
        lambda: Theorem(shows=AtMost(E(norm(nu)), s)).jensen(norm2(nu), [nu]),
    ),
    (
        "Jensen for a convex function",
        lambda: Theorem(shows=AtMost(convex(x), E(convex(x + nu), nu))).jensen(convex, [nu], at=x + nu),
    ),
    (
        "a random index is an average",
        lambda: Equal(
            uniform_index(sp.IndexedBase("a", real=True)[T], (T, 1, 3)),
            sum(sp.IndexedBase("a", real=True)[i] for i in (1, 2, 3)) / 3,
        ),
    ),
]

FALSE = [
    (
        "a hypothesis that contradicts the moments of a noise",
        lambda: Theorem(given=[norm2(nu) <= 0], shows=AtMost(s**2, 0)).expect(
            AtMost(norm2(nu), 0), [nu], "the noise is 0"
        ),
    ),
    ("second moment forgotten", lambda: AtMost(E(norm2(x + nu)), norm2(x))),
    ("dependent noises as independent", lambda: Equal(E(norm2(nu + nu)), 2 * s**2)),
    ("a mean forgotten", lambda: Equal(E(norm2(Noise("g", variance=s**2, mean=v))), s**2)),
    ("a dimension forgotten", lambda: AtMost(E(norm2(normal)), s**2)),
    (
        "sampling: the factor without - 1",
        lambda: Equal(
            E(norm2(sample_mean("g", mean=v, spread=s**2, size=m, of=n, replacement=False) - v)),
            s**2 / m * (n - m) / n,
            given=[m < n, n >= 2],
        ),
    ),
    (
        "one noisy step descends by all of eta",
        lambda: descends(f, nu, descent_bound(1, s**2), [eta * L <= 1]),
    ),
    ("one noisy step without the noise", lambda: descends(f, nu, descent_bound(half, 0), [eta * L <= 1])),
    ("one noisy step, too long", lambda: descends(f, nu, descent_bound(half, s**2), [eta * L <= 3])),
    (
        "PL with twice the modulus",
        lambda: descends(
            pl,
            nu,
            (1 - 2 * mu / L) * (pl(x) - pl.minimum) + pl.minimum + s**2 / (2 * L),
            [2 * mu <= L],
            1 / L,
        ),
    ),
    ("Jensen the wrong way round", lambda: AtMost(E(convex(x + nu), nu), convex(x))),
    ("E of a norm is its root", lambda: AtMost(s, E(norm(nu)))),
    ("E of a Gaussian norm, too small", lambda: AtMost(gaussian_norm(s, 2), s)),
]
