"""Polynomial inequalities with sums of squares: true ones, and the same made false."""

import sympy as sp

from dpverify.relations import AtMost

x, y, z = sp.symbols("x y z", real=True)
a, b, c = sp.symbols("a b c", positive=True)
slightly = sp.Rational(101, 100)


def least(e, given=(), strict=False):
    return AtMost(sp.Integer(0), e, list(given), strict, by=("squares",))


TRUE = [
    ("2xy <= x^2 + y^2", lambda: AtMost(2 * x * y, x**2 + y**2, by=("squares",))),
    (
        "xy + yz + zx <= x^2 + y^2 + z^2",
        lambda: AtMost(x * y + y * z + z * x, x**2 + y**2 + z**2, by=("squares",)),
    ),
    ("a double well that touches 0", lambda: least(x**4 - 2 * x**2 + 1)),
    ("a double well above 0", lambda: least(x**4 - 2 * x**2 + 2, strict=True)),
    ("3abc <= a^3 + b^3 + c^3", lambda: AtMost(3 * a * b * c, a**3 + b**3 + c**3, by=("squares",))),
    ("x(1 - x) <= 1/4", lambda: AtMost(x * (1 - x), sp.Rational(1, 4), by=("squares",))),
    ("x^3 <= x^2 below 1", lambda: AtMost(x**3, x**2, [x <= 1], by=("squares",))),
    ("a/(1 + a) < 1", lambda: AtMost(a / (1 + a), sp.Integer(1), strict=True, by=("squares",))),
    ("geometric and arithmetic mean", lambda: AtMost(2 * sp.sqrt(a) * sp.sqrt(b), a + b, by=("squares",))),
    ("4xyz <= x^4 + y^4 + z^4 + 1", lambda: AtMost(4 * x * y * z, x**4 + y**4 + z**4 + 1, by=("squares",))),
    ("a tangent of a disc", lambda: AtMost(x + y, sp.Integer(2), [x**2 + y**2 <= 2], by=("squares",))),
    (
        "a product on the unit square",
        lambda: AtMost(x * y, sp.Integer(1), [x >= 0, x <= 1, y >= 0, y <= 1], by=("squares",)),
    ),
    (
        "an equation among the hypotheses",
        lambda: AtMost(x * y, sp.Rational(1, 4), [sp.Eq(x + y, 1)], by=("squares",)),
    ),
]

FALSE = [
    ("2.02xy <= x^2 + y^2", lambda: AtMost(2 * slightly * x * y, x**2 + y**2, by=("squares",))),
    ("2xy < x^2 + y^2", lambda: AtMost(2 * x * y, x**2 + y**2, strict=True, by=("squares",))),
    (
        "xy + yz + zx >= x^2 + y^2 + z^2",
        lambda: AtMost(x**2 + y**2 + z**2, x * y + y * z + z * x, by=("squares",)),
    ),
    ("a double well that touches 0, strictly", lambda: least(x**4 - 2 * x**2 + 1, strict=True)),
    ("a double well below 0", lambda: least(x**4 - 2 * slightly * x**2 + 1)),
    (
        "3xyz <= x^3 + y^3 + z^3 without signs",
        lambda: AtMost(3 * x * y * z, x**3 + y**3 + z**3, by=("squares",)),
    ),
    ("x(1 - x) <= 0.2499", lambda: AtMost(x * (1 - x), sp.Rational(2499, 10000), by=("squares",))),
    ("x^3 <= x^2", lambda: AtMost(x**3, x**2, by=("squares",))),
    ("a/(1 + a) <= 0.99", lambda: AtMost(a / (1 + a), sp.Rational(99, 100), by=("squares",))),
    (
        "arithmetic and geometric mean, reversed",
        lambda: AtMost(a + b, 2 * sp.sqrt(a) * sp.sqrt(b), by=("squares",)),
    ),
    (
        "4.04xyz <= x^4 + y^4 + z^4 + 1",
        lambda: AtMost(4 * slightly * x * y * z, x**4 + y**4 + z**4 + 1, by=("squares",)),
    ),
    (
        "a tangent of a larger disc",
        lambda: AtMost(x + y, sp.Integer(2), [x**2 + y**2 <= 2 * slightly], by=("squares",)),
    ),
    (
        "a product without its lower bounds",
        lambda: AtMost(x * y, sp.Integer(1), [x <= 1, y <= 1], by=("squares",)),
    ),
    ("an equation dropped", lambda: AtMost(x * y, sp.Rational(1, 4), [x + y <= 1], by=("squares",))),
]
