"""Monotone functions and closed-form minimisers: true ones, and the same made false."""

import sympy as sp

from dpverify.relations import ArgMin, Increasing

x, a, b, gamma, alpha, kappa = sp.symbols("x a b gamma alpha kappa", positive=True)
y, c = sp.symbols("y c", real=True)
T = sp.Symbol("T", nonnegative=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
m = sp.Symbol("m", integer=True, positive=True)
rate = sp.log(1 / gamma)
root = sp.sqrt(gamma)


optimum = sp.log(rate / (kappa * alpha)) / rate


def uniform(at=optimum, given=(gamma < 1, kappa * alpha < rate), **more):
    """dynamic-noise, (22): gamma^T + alpha kappa T over T >= 0."""
    return ArgMin(gamma**T + alpha * kappa * T, T, at, list(given), **({"unique": True, "starts": 0} | more))


def dynamic(power=2, weight=1, given=(gamma < 1,)):
    """dynamic-noise, (26)."""
    at = power * sp.log(alpha / (alpha + weight * (1 - root) ** 2)) / sp.log(gamma)
    return ArgMin(
        gamma**T + alpha * ((1 - gamma ** (T / 2)) / (1 - root)) ** 2, T, at, list(given), unique=True
    )


def nearest(f, r):
    return sp.Piecewise(
        (sp.floor(r), sp.Le(f.subs(n, sp.floor(r)), f.subs(n, sp.ceiling(r)))), (sp.ceiling(r), True)
    )


TRUE = [
    ("x/(1+x) increases", lambda: Increasing(x / (1 + x), x, strict=True)),
    ("x^3 increases on the line", lambda: Increasing(y**3, y, strict=True)),
    ("1/x decreases", lambda: Increasing(1 / x, x, strict=True, down=True)),
    ("log(1+x)/x decreases", lambda: Increasing(sp.log(1 + x) / x, x, down=True)),
    ("a/(a+b x) decreases", lambda: Increasing(a / (a + b * x), x, strict=True, down=True)),
    (
        "powers of gamma < 1 decrease",
        lambda: Increasing(gamma**n, n, given=[gamma < 1], strict=True, down=True),
    ),
    (
        "partial sums of squares increase",
        lambda: Increasing(
            sp.Sum(
                1 / sp.Symbol("k", integer=True, positive=True) ** 2,
                (sp.Symbol("k", integer=True, positive=True), 1, m),
            ),
            m,
            strict=True,
        ),
    ),
    ("n/(n+1) increases", lambda: Increasing(n / (n + 1), n, strict=True)),
    ("a constant is nondecreasing", lambda: Increasing(a + 0 * x, x)),
    ("x - log x increases from 1 on", lambda: Increasing(x - sp.log(x), x, given=[x >= 1])),
    ("minimiser of (22)", uniform),
    (
        "minimiser of (22) with gamma = 1 - 1/kappa",
        lambda: uniform(given=[sp.Eq(gamma, 1 - 1 / kappa), kappa > 1, kappa * alpha < rate]),
    ),
    (
        "T = 0 minimises (22) if kappa alpha >= log(1/gamma)",
        lambda: uniform(sp.Integer(0), [gamma < 1, kappa * alpha >= rate]),
    ),
    ("minimiser of (26)", dynamic),
    ("x + 1/x", lambda: ArgMin(x + 1 / x, x, sp.Integer(1), unique=True)),
    ("a x + b/x", lambda: ArgMin(a * x + b / x, x, sp.sqrt(b / a), unique=True)),
    ("a x^2 + b/x", lambda: ArgMin(a * x**2 + b / x, x, sp.cbrt(b / (2 * a)), unique=True)),
    ("a parabola", lambda: ArgMin(a * y**2 + c * y, y, -c / (2 * a), unique=True)),
    ("x - log x", lambda: ArgMin(x - sp.log(x), x, sp.Integer(1), unique=True)),
    (
        "the left end of an interval",
        lambda: ArgMin(y**2, y, sp.Integer(1), given=[y >= 1, y <= 2], unique=True),
    ),
    (
        "whole minimiser of a parabola",
        lambda: ArgMin((n - c) ** 2, n, sp.ceiling(c - sp.Rational(1, 2)), given=[c >= 0]),
    ),
    (
        "the better neighbour for a parabola",
        lambda: ArgMin((n - c) ** 2, n, nearest((n - c) ** 2, c), given=[c >= 0]),
    ),
    (
        "whole minimiser of gamma^n + alpha n",
        lambda: ArgMin(
            gamma**n + alpha * n,
            n,
            sp.Max(0, sp.ceiling(sp.log((1 - gamma) / alpha) / rate)),
            given=[gamma < 1],
        ),
    ),
    ("whole n + 4/n", lambda: ArgMin(m + 4 / m, m, sp.Integer(2), unique=True)),
]

FALSE = [
    ("x/(1+x) decreases", lambda: Increasing(x / (1 + x), x, down=True)),
    ("-1/y increases across 0", lambda: Increasing(-1 / y, y)),
    ("x^2 increases on the line", lambda: Increasing(y**2, y)),
    ("a constant increases strictly", lambda: Increasing(a + 0 * x, x, strict=True)),
    ("x - log x increases from 0 on", lambda: Increasing(x - sp.log(x), x)),
    ("powers of gamma decrease without gamma < 1", lambda: Increasing(gamma**n, n, down=True)),
    ("x e^(-x) increases", lambda: Increasing(x * sp.exp(-x), x)),
    ("n^2 - 3n increases over whole n", lambda: Increasing(n**2 - 3 * n, n)),
    (
        "1/(y-1) decreases on both sides of 1",
        lambda: Increasing(1 / (y - 1), y, given=[sp.Ne(y, 1)], down=True),
    ),
    (
        "the sign of a number off 0 is constant: y/|y| decreases",
        lambda: Increasing(-1 / y, y, given=[y**2 >= 1]),
    ),
    ("convex on either side of a pole", lambda: ArgMin(x + 1 / (x - 1) ** 2, x, 1 + sp.cbrt(2))),
    ("minimiser of (22) without its condition", lambda: uniform(given=[gamma < 1])),
    (
        "minimiser of (22) times 1.01",
        lambda: uniform(sp.Rational(101, 100) * sp.log(rate / (kappa * alpha)) / rate),
    ),
    ("minimiser of (22) with a sign", lambda: uniform(sp.log(kappa * alpha / rate) / rate)),
    ("minimiser of (22) in its second form (23)", lambda: uniform(sp.log(1 + rate / alpha) / rate)),
    ("T = 0 minimises (22)", lambda: uniform(sp.Integer(0), [gamma < 1])),
    ("minimiser of (26) without the factor 2", lambda: dynamic(power=1)),
    ("minimiser of (26) times 1.01 inside", lambda: dynamic(weight=sp.Rational(101, 100))),
    ("minimiser of (26) for gamma > 1", lambda: dynamic(power=-2, given=[gamma > 1])),
    ("a x + b/x at b/a", lambda: ArgMin(a * x + b / x, x, b / a)),
    ("a x^2 + b/x at the square root", lambda: ArgMin(a * x**2 + b / x, x, sp.sqrt(b / (2 * a)))),
    ("a maximum", lambda: ArgMin(-(y**2), y, sp.Integer(0))),
    ("a saddle", lambda: ArgMin(y**3, y, sp.Integer(0))),
    ("a constant has one minimiser only", lambda: ArgMin(a + 0 * x, x, sp.Integer(1), unique=True)),
    ("the right end of an interval", lambda: ArgMin(y**2, y, sp.Integer(2), given=[y >= 1, y <= 2])),
    ("a minimiser outside the domain", lambda: ArgMin(y**2, y, sp.Integer(0), given=[y >= 1])),
    ("a local minimum", lambda: ArgMin(y**4 - 2 * y**2 + y / 10, y, sp.Integer(1))),
    ("whole minimiser by rounding up", lambda: ArgMin((n - c) ** 2, n, sp.ceiling(c), given=[c >= 0])),
    ("whole minimiser by rounding down", lambda: ArgMin((n - c) ** 2, n, sp.floor(c), given=[c >= 0])),
    ("a whole minimiser that is not whole", lambda: ArgMin((n - c) ** 2, n, c, given=[c >= 0])),
    (
        "whole minimiser with a clip above the left end",
        lambda: ArgMin((n - c) ** 2, n, sp.Max(3, sp.ceiling(c - sp.Rational(1, 2)))),
    ),
    (
        "whole minimiser without the clip at 0",
        lambda: ArgMin(
            gamma**n + alpha * n, n, sp.ceiling(sp.log((1 - gamma) / alpha) / rate), given=[gamma < 1]
        ),
    ),
    (
        "the only whole minimiser, at a tie",
        lambda: ArgMin((n - c) ** 2, n, sp.ceiling(c - sp.Rational(1, 2)), given=[c >= 0], unique=True),
    ),
]
