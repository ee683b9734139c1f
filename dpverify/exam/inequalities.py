"""Inequalities in finitely many variables: algebraic ones, and ones with exponentials and logarithms."""

from __future__ import annotations

import sympy as sp

from dpverify.relations import AtMost

x, y, z = sp.symbols("x y z", positive=True)
a, b, c = sp.symbols("a b c", real=True)
kappa, gamma, alpha, eps = sp.symbols("kappa gamma alpha epsilon", positive=True)
T = sp.Symbol("T", integer=True, positive=True)
C, h = sp.Rational(101, 100), sp.Rational(1, 2)
exp = sp.exp
log = sp.log
sqrt = sp.sqrt
over1, below1 = [kappa > 1], [gamma < 1]
rate = 1 / (1 - sqrt(1 - 1 / kappa))

TRUE = [
    ("mean of squares", lambda: AtMost(2 * a * b, a**2 + b**2)),
    ("three squares", lambda: AtMost(a * b + b * c + c * a, a**2 + b**2 + c**2)),
    ("Young with a parameter", lambda: AtMost(a * b, x * a**2 / 2 + b**2 / (2 * x))),
    ("AM-GM of three", lambda: AtMost(x * y * z, (x**3 + y**3 + z**3) / 3)),
    ("harmonic mean", lambda: AtMost(2 / (1 / x + 1 / y), (x + y) / 2)),
    ("kappa below the rate", lambda: AtMost(kappa, rate, over1)),
    ("rate below twice kappa", lambda: AtMost(rate, 2 * kappa, over1)),
    ("root of a sum", lambda: AtMost(sqrt(x + y), sqrt(x) + sqrt(y))),
    ("concave root", lambda: AtMost(sqrt(x) + y / (2 * sqrt(x + y)), sqrt(x + y))),
    ("cubic", lambda: AtMost(3 * x, x**3 + 2)),
    ("Cauchy-Schwarz in two dimensions", lambda: AtMost((a * x + b * y) ** 2, (a**2 + b**2) * (x**2 + y**2))),
    ("power of gamma is at most 1", lambda: AtMost((1 - gamma**T) / (1 - gamma), 1 / (1 - gamma), below1)),
    ("square of a partial sum", lambda: AtMost((1 - gamma ** (T / 2)) ** 2, 1 - gamma**T, below1)),
    ("max by a sum", lambda: AtMost(sp.Max(x, y), x + y)),
    ("triangle", lambda: AtMost(sp.Abs(a + b), sp.Abs(a) + sp.Abs(b))),
    (
        "descent step",
        lambda: AtMost(x - y / kappa + y / (2 * kappa), x * (1 - 1 / kappa) + x / kappa - y / (2 * kappa)),
    ),
    ("log below x - 1", lambda: AtMost(log(x), x - 1)),
    ("log below a root", lambda: AtMost(log(1 + x), sqrt(x))),
    ("exp above its tangent", lambda: AtMost(1 + x, exp(x))),
    ("chord of exp", lambda: AtMost(exp(-x), 1 - (1 - exp(-1)) * x, [x <= 1])),
    ("exp minus 1 on [0, 3/2]", lambda: AtMost(exp(x) - 1, x + x**2, [x <= sp.Rational(3, 2)])),
    ("log of kappa below", lambda: AtMost(1 / kappa, log(kappa / (kappa - 1)), over1)),
    ("log of kappa above", lambda: AtMost(log(kappa / (kappa - 1)), 1 / (kappa - 1), over1)),
    ("log(1+x) above x/(1+x), strictly", lambda: AtMost(x / (1 + x), log(1 + x), strict=True)),
    ("log(1+x) below x, strictly", lambda: AtMost(log(1 + x), x, strict=True)),
    ("sine below x", lambda: AtMost(sp.sin(x), x, [x <= 3])),
    ("log with a factor", lambda: AtMost(log(1 + x), alpha * x, [alpha >= 1])),
    ("monotone log", lambda: AtMost(log(1 + x / 2), log(1 + x))),
    ("error function", lambda: AtMost(sp.erf(x), 1)),
    ("Bernoulli", lambda: AtMost(1 + alpha * x, (1 + x) ** 2, [alpha <= 2])),
    ("exp of minus a square", lambda: AtMost(exp(-(a**2)), 1)),
    ("tanh below 1", lambda: AtMost(sp.tanh(x), 1)),
    ("entropy", lambda: AtMost(x - x * log(x), 1)),
    ("subsampling amplifies", lambda: AtMost(log(1 + gamma * (exp(eps) - 1)), eps, below1)),
    (
        "amplification at most its slope",
        lambda: AtMost(log(1 + gamma * (exp(eps) - 1)), gamma * (exp(eps) - 1), below1),
    ),
    ("box of two variables", lambda: AtMost(exp(x * y), 1 + 2 * x, [x <= 1, y <= 1])),
    ("log of a ratio", lambda: AtMost(log(1 + y) - log(1 + x), y - x, [y >= x])),
    ("square of a log", lambda: AtMost(log(x) ** 2, (x - 1) ** 2 / x, [x >= 1])),
]

FALSE = [
    ("mean of squares, constant", lambda: AtMost(2 * C * a * b, a**2 + b**2)),
    ("mean of squares, strict", lambda: AtMost(2 * a * b, a**2 + b**2, strict=True)),
    ("three squares, sign", lambda: AtMost(-C * (a * b + b * c + c * a) * 2, a**2 + b**2 + c**2)),
    ("three squares, strict", lambda: AtMost(a * b + b * c + c * a, a**2 + b**2 + c**2, strict=True)),
    ("Young, constant", lambda: AtMost(C * a * b, x * a**2 / 2 + b**2 / (2 * x))),
    ("AM-GM of three, constant", lambda: AtMost(C * x * y * z, (x**3 + y**3 + z**3) / 3)),
    ("AM-GM of three, signs dropped", lambda: AtMost(a * b * c, (a**3 + b**3 + c**3) / 3)),
    ("harmonic mean, strict", lambda: AtMost(2 / (1 / x + 1 / y), (x + y) / 2, strict=True)),
    ("kappa below the rate, constant", lambda: AtMost(C * kappa, rate, over1)),
    ("rate below 1.98 kappa", lambda: AtMost(rate, sp.Rational(198, 100) * kappa, over1)),
    ("rate below kappa", lambda: AtMost(rate, kappa, over1)),
    ("root of a sum, reversed", lambda: AtMost(sqrt(x) + sqrt(y), sqrt(x + y))),
    ("concave root, constant", lambda: AtMost(sqrt(x) + C * y / (2 * sqrt(x)), sqrt(x + y))),
    ("cubic, strict", lambda: AtMost(3 * x, x**3 + 2, strict=True)),
    ("cubic, constant", lambda: AtMost(3 * C * x, x**3 + 2)),
    ("cubic, sign dropped", lambda: AtMost(3 * a, a**3 + 2)),
    ("Cauchy-Schwarz, constant", lambda: AtMost(C * (a * x + b * y) ** 2, (a**2 + b**2) * (x**2 + y**2))),
    ("power of gamma, hypothesis dropped", lambda: AtMost((1 - gamma**T) / (1 - gamma), 1 / (1 - gamma))),
    ("square of a partial sum, reversed", lambda: AtMost(1 - gamma**T, (1 - gamma ** (T / 2)) ** 2, below1)),
    ("triangle, reversed", lambda: AtMost(sp.Abs(a) + sp.Abs(b), sp.Abs(a + b))),
    ("max by one", lambda: AtMost(sp.Max(x, y), x)),
    ("log below x - 1, strict", lambda: AtMost(log(x), x - 1, strict=True)),
    ("log below x - 1, constant", lambda: AtMost(C * log(x), x - 1)),
    ("log below 0.8 root", lambda: AtMost(log(1 + x), sp.Rational(8, 10) * sqrt(x))),
    ("log below a cube root", lambda: AtMost(log(1 + x), x ** sp.Rational(1, 3))),
    ("exp above its tangent, constant", lambda: AtMost(1 + C * x, exp(x))),
    ("chord of exp, hypothesis dropped", lambda: AtMost(exp(-x), 1 - (1 - exp(-1)) * x)),
    ("chord of exp, constant", lambda: AtMost(exp(-x), 1 - C * (1 - exp(-1)) * x, [x <= 1])),
    ("exp minus 1, range too large", lambda: AtMost(exp(x) - 1, x + x**2, [x <= sp.Rational(18, 10)])),
    ("exp minus 1, exponent", lambda: AtMost(exp(x) - 1, x + x**3, [x <= sp.Rational(3, 2)])),
    ("log of kappa below, constant", lambda: AtMost(C / kappa, log(kappa / (kappa - 1)), over1)),
    ("log of kappa above, reversed", lambda: AtMost(1 / (kappa - 1), log(kappa / (kappa - 1)), over1)),
    ("log of kappa above, constant", lambda: AtMost(C * log(kappa / (kappa - 1)), 1 / (kappa - 1), over1)),
    ("log(1+x) above x", lambda: AtMost(x, log(1 + x))),
    ("sine below x, reversed", lambda: AtMost(x, sp.sin(x), [x <= 3])),
    ("log with a factor, hypothesis dropped", lambda: AtMost(log(1 + x), alpha * x)),
    ("error function below 0.99", lambda: AtMost(sp.erf(x), sp.Rational(99, 100))),
    ("Bernoulli, hypothesis dropped", lambda: AtMost(1 + alpha * x, (1 + x) ** 2)),
    ("exp of minus a square, strict", lambda: AtMost(exp(-(a**2)), 1, strict=True)),
    ("entropy, constant", lambda: AtMost(C * (x - x * log(x)), 1)),
    ("entropy, strict", lambda: AtMost(x - x * log(x), 1, strict=True)),
    ("subsampling amplifies, rate above 1", lambda: AtMost(log(1 + kappa * (exp(eps) - 1)), eps, over1)),
    (
        "amplification linear in the rate",
        lambda: AtMost(log(1 + gamma * (exp(eps) - 1)), gamma * eps, below1),
    ),
    (
        "box of two variables, constant",
        lambda: AtMost(exp(x * y), 1 + sp.Rational(17, 10) * x, [x <= 1, y <= 1]),
    ),
    ("violated in a small corner", lambda: AtMost(x * y, sp.Rational(98, 100), [x <= 1, y <= 1])),
    ("violated far out", lambda: AtMost(log(1 + x), 10)),
    ("violated at one point", lambda: AtMost(0, (a - sp.Rational(1, 3)) ** 2, strict=True)),
    ("square of a log, constant", lambda: AtMost(C * log(x) ** 2, (x - 1) ** 2 / x, [x >= 1])),
]
