"""Theta, O and Omega: true ones with constants (proved), and false ones with or without; `OPEN` are true ones
without constants.
"""

import sympy as sp

from dpverify.relations import Theta

x, a = sp.symbols("x a", positive=True)
N = sp.Symbol("N", integer=True, positive=True)
half = sp.Rational(1, 2)


def order(expression, scale, lower=1, upper=1, given=()):
    """Without constants, as N grows."""
    return Theta(expression, scale, lower, upper, list(given), constants=False, towards=(N, sp.oo))


TRUE = [
    ("x + 1 is Theta(x) from 1 on", lambda: Theta(x + 1, x, lower=1, upper=2, given=[x >= 1])),
    ("x^2 + 3x is Theta(x^2) from 1 on", lambda: Theta(x**2 + 3 * x, x**2, lower=1, upper=4, given=[x >= 1])),
    ("log(1 + x) is O(x)", lambda: Theta(sp.log(1 + x), x, upper=1)),
    ("log(1 + x) is Omega(x) up to 1", lambda: Theta(sp.log(1 + x), x, lower=half, given=[x <= 1])),
    ("1 - e^(-x) is Theta(x) up to 1", lambda: Theta(1 - sp.exp(-x), x, lower=half, upper=1, given=[x <= 1])),
    ("sqrt(1 + x) - 1 is O(x)", lambda: Theta(sp.sqrt(1 + x) - 1, x, upper=half)),
    ("(a + x)^2 is O(a^2 + x^2)", lambda: Theta((a + x) ** 2, a**2 + x**2, lower=1, upper=2)),
    ("x/(1 + x) is Theta(min(1, x))", lambda: Theta(x / (1 + x), x, lower=half, upper=1, given=[x <= 1])),
    ("N(N + 1)/2 is Theta(N^2)", lambda: Theta(N * (N + 1) / 2, N**2, lower=half, upper=1)),
]

FALSE = [
    (
        "x + 1 is at most 1.99x from 1 on",
        lambda: Theta(x + 1, x, lower=1, upper=sp.Rational(199, 100), given=[x >= 1]),
    ),
    ("x + 1 is O(x) without a left end", lambda: Theta(x + 1, x, lower=1, upper=2)),
    ("x^2 is O(x)", lambda: Theta(x**2, x, upper=1000)),
    ("log(1 + x) is at most 0.99x", lambda: Theta(sp.log(1 + x), x, upper=sp.Rational(99, 100))),
    ("log(1 + x) is Omega(x) everywhere", lambda: Theta(sp.log(1 + x), x, lower=sp.Rational(1, 10))),
    (
        "1 - e^(-x) is at least 0.64x up to 1",
        lambda: Theta(1 - sp.exp(-x), x, lower=sp.Rational(64, 100), given=[x <= 1]),
    ),
    (
        "(a + x)^2 is at most 1.99(a^2 + x^2)",
        lambda: Theta((a + x) ** 2, a**2 + x**2, upper=sp.Rational(199, 100)),
    ),
    ("N log N = Theta(N)", lambda: order(N * sp.log(N), N)),
    ("N^2 = O(N)", lambda: order(N**2, N, lower=None)),
    ("N = Omega(N^(3/2))", lambda: order(N, N ** sp.Rational(3, 2), upper=None)),
    ("log(N)^2 = O(log N)", lambda: order(sp.log(N) ** 2, sp.log(N), lower=None, given=[N >= 3])),
    ("a N + N^2 = Theta(N)", lambda: order(a * N + N**2, N)),
    (
        "sqrt(log log N) = O(1)",
        lambda: order(sp.sqrt(sp.log(sp.log(N))), sp.Integer(1), lower=None, given=[N >= 10]),
    ),
    ("1/N = Theta(1/N^2)", lambda: order(1 / N, 1 / N**2)),
    ("log(1 + 1/N) = Theta(1)", lambda: order(sp.log(1 + 1 / N), sp.Integer(1))),
]

OPEN = [
    ("3N + log N = Theta(N)", lambda: order(3 * N + sp.log(N), N)),
    ("log(1 + 1/N) = Theta(1/N)", lambda: order(sp.log(1 + 1 / N), 1 / N)),
    ("a N^2 + N = Theta(N^2)", lambda: order(a * N**2 + N, N**2)),
    ("log N = O(N)", lambda: order(sp.log(N), N, lower=None, given=[N >= 2])),
]
