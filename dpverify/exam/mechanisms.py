"""Privacy statements: releases with symbols, several of them, and what they are worth in each currency."""

import sympy as sp

from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.releases import Gaussian, Laplace, Subsampled

C, D, b, rho, epsilon, delta, s = sp.symbols("C D b rho epsilon delta s", positive=True)
T, n, k, t = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "n", "k", "t"))
sigma = sp.IndexedBase("sigma", positive=True)
one, half = sp.Integer(1), sp.Rational(1, 2)
gaussian = Gaussian(s, {REPLACE: 2 * C, ADD_REMOVE: C})
laplace = Laplace(b, {REPLACE: D})
square = C**2 / s**2


def private(mechanism, guarantee, adjacency=REPLACE, **more):
    """The statement, under replacement unless said otherwise."""
    return Private(mechanism, guarantee, adjacency, **more)


TRUE = [
    (
        "amplification by sampling, spent evenly",
        lambda: private(
            Repeated(
                Subsampled(
                    Laplace(D / sp.log(1 + (sp.exp(epsilon / T) - 1) * n / k), {REPLACE: D}), size=k, of=n
                ),
                t,
                1,
                T,
            ),
            PureDP(epsilon),
            given=[k <= n],
        ),
    ),
    ("Gaussian noise in zCDP", lambda: private(gaussian, ZCDP(2 * square))),
    ("Gaussian noise in zCDP, add or remove", lambda: private(gaussian, ZCDP(square / 2), ADD_REMOVE)),
    ("Gaussian noise in Gaussian DP", lambda: private(gaussian, GDP(2 * C / s))),
    ("Gaussian noise in Renyi DP", lambda: private(gaussian, RDP(3, 6 * square))),
    ("Gaussian noise at a symbolic order", lambda: private(gaussian, RDP(1 + T, 2 * (1 + T) * square))),
    (
        "T Gaussian steps in zCDP",
        lambda: private(Repeated(gaussian, t, 1, T), ZCDP(2 * T * square)),
    ),
    (
        "Gaussian steps of any scales",
        lambda: private(
            Repeated(Gaussian(sigma[t], {REPLACE: C}), t, 1, T),
            ZCDP(C**2 / 2 * sp.Sum(sigma[t] ** -2, (t, 1, T))),
        ),
    ),
    (
        "T Gaussian steps in Gaussian DP",
        lambda: private(Repeated(gaussian, t, 1, T), GDP(2 * sp.sqrt(T) * C / s)),
    ),
    (
        "k participations of T",
        lambda: private(Repeated(gaussian, t, 1, T, participations=k), ZCDP(2 * k * square)),
    ),
    ("a Laplace release", lambda: private(laplace, PureDP(D / b))),
    ("T Laplace releases", lambda: private(Repeated(laplace, t, 1, T), PureDP(T * D / b))),
    ("Laplace noise in zCDP", lambda: private(laplace, ZCDP((D / b) ** 2 / 2))),
    (
        "Laplace and Gaussian in zCDP",
        lambda: private(Composed(laplace, gaussian), ZCDP((D / b) ** 2 / 2 + 2 * square)),
    ),
    ("pure DP is approximate DP", lambda: private(laplace, ApproxDP(D / b, delta), given=[delta < 1])),
    (
        "zCDP to (epsilon, delta)",
        lambda: private(
            gaussian,
            ApproxDP(2 * square + 2 * C / s * sp.sqrt(2 * sp.log(1 / delta)), delta),
            given=[delta < 1],
        ),
    ),
    (
        "Renyi DP to (epsilon, delta) at an order",
        lambda: private(
            gaussian, ApproxDP(4 * square + sp.log(1 / delta), delta), given=[delta < 1], order=2
        ),
    ),
    ("the exact profile", lambda: private(Gaussian(one, {REPLACE: 1}), ApproxDP(one, sp.Rational(13, 100)))),
    (
        "the exact profile of four steps",
        lambda: private(
            Repeated(Gaussian(2 * one, {REPLACE: 1}), t, 1, 4), ApproxDP(one, sp.Rational(13, 100))
        ),
    ),
    (
        "advanced composition of Laplace releases",
        lambda: private(
            Repeated(laplace, t, 1, T),
            ApproxDP(T * (D / b) ** 2 / 2 + D / b * sp.sqrt(2 * T * sp.log(1 / delta)), delta),
            given=[delta < 1],
        ),
    ),
    ("more noise than needed", lambda: private(gaussian, ZCDP(3 * square))),
]

FALSE = [
    ("a negative scale", lambda: private(Laplace(-b, {REPLACE: D}), PureDP(D / (2 * b)))),
    (
        "a batch larger than the data",
        lambda: private(
            Subsampled(Laplace(b, {REPLACE: D}), size=2 * n, of=n),
            PureDP(sp.log(1 + 2 * (sp.exp(D / b) - 1))),
        ),
    ),
    (
        "advanced composition without its first term",
        lambda: private(
            Repeated(laplace, t, 1, T),
            ApproxDP(D / b * sp.sqrt(2 * T * sp.log(1 / delta)) / 100, delta),
            given=[delta < 1],
        ),
    ),
    ("half the sensitivity of replacement", lambda: private(gaussian, ZCDP(square / 2))),
    ("a factor of 1.01 in mu", lambda: private(gaussian, GDP(sp.Rational(199, 100) * C / s))),
    ("sqrt(T) for Laplace", lambda: private(Repeated(laplace, t, 1, T), PureDP(sp.sqrt(T) * D / b))),
    (
        "T - 1 steps charged",
        lambda: private(Repeated(gaussian, t, 1, T), ZCDP(2 * (T - 1) * square), given=[T >= 2]),
    ),
    (
        "k - 1 participations",
        lambda: private(Repeated(gaussian, t, 1, T, participations=k), ZCDP(2 * square)),
    ),
    ("rho without the 2", lambda: private(gaussian, RDP(3, 3 * square))),
    (
        "the exact profile, too small a delta",
        lambda: private(Gaussian(one, {REPLACE: 1}), ApproxDP(one, half / 5)),
    ),
    ("Gaussian noise as pure DP", lambda: private(gaussian, PureDP(C / s))),
    (
        "an order that is 1",
        lambda: private(gaussian, ApproxDP(4 * square, delta), given=[delta < 1], order=1),
    ),
    (
        "epsilon of zCDP without its root",
        lambda: private(gaussian, ApproxDP(2 * square, delta), given=[delta < sp.Rational(1, 10)]),
    ),
    (
        "delta above 1 in the conversion",
        lambda: private(gaussian, ApproxDP(sp.Rational(1, 1000) * square, sp.Rational(1, 1000))),
    ),
    (
        "scales of one step for all",
        lambda: private(
            Repeated(Gaussian(sigma[t], {REPLACE: C}), t, 1, T), ZCDP(T * C**2 / (2 * sigma[1] ** 2))
        ),
    ),
]
