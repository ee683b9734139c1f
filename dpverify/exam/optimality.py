"""Optimal points on a budget and inequalities between sums of arbitrary length: true ones, and the same made
false.
"""

import sympy as sp

from dpverify.relations import AtMost, Minimises

t, j = (sp.Symbol(name, integer=True, positive=True) for name in "tj")
T = sp.Symbol("T", integer=True, positive=True)
q, a, b, w = (sp.IndexedBase(name, positive=True) for name in ("q", "a", "b", "w"))
x, R, n, eps, S1, p = sp.symbols("x R n epsilon S1 p", positive=True)


def total(term, index=t, length=T):
    return sp.Sum(term, (index, 1, length))


def variances(**changes):
    """dynamic-noise, Lemma 4.1: weights q_t, variances x_t, sum 1/x_t = R."""
    roots = total(sp.sqrt(q[t]))
    stated = {
        "objective": R * q[t] * x,
        "spent": 1 / x,
        "total": R,
        "at": roots / (R * sp.sqrt(q[t])),
        "value": roots**2,
    }
    return Minimises(over=x, index=t, length=T, **(stated | changes))


def laplace(**changes):
    """dp-accel, Proposition 4.2: weights a_t, scales x_t, sum S1/(n x_t) = epsilon."""
    stated = {
        "objective": a[t] * x**2,
        "spent": S1 / (n * x),
        "total": eps,
        "at": S1 / (n * eps) * total(sp.cbrt(a[j]), j) / sp.cbrt(a[t]),
    }
    return Minimises(over=x, index=t, length=T, **(stated | changes))


def plain(objective, spent, at, **changes):
    return Minimises(
        **(
            {"objective": objective, "over": x, "spent": spent, "total": R, "at": at, "index": t, "length": T}
            | changes
        )
    )


def product_bound(factor=1, strict=False):
    """adp-erm, (8): (sum 1/b)^2 <= (sum 1/a^2)(sum a^2/b^2)."""
    return AtMost(
        factor * total(1 / b[t]) ** 2, total(1 / a[t] ** 2) * total(a[t] ** 2 / b[t] ** 2), strict=strict
    )


gamma = sp.Symbol("gamma", positive=True)
decay = sp.Sum(gamma ** ((T - j) / 2), (j, 1, T))

TRUE = [
    ("variances of Lemma 4.1", variances),
    ("variances, only the minimum", lambda: variances(unique=False)),
    ("scales of Proposition 4.2", laplace),
    (
        "scales of Proposition 4.2 and the least noise",
        lambda: laplace(value=S1**2 * total(sp.cbrt(a[t])) ** 3 / (n * eps) ** 2),
    ),
    (
        "geometric weights",
        lambda: variances(
            objective=gamma ** (T - t) * x,
            at=decay / (R * gamma ** ((T - t) / 2)),
            value=decay**2 / R,
            given=[gamma < 1],
        ),
    ),
    ("equal shares of a linear budget", lambda: plain(x**2, x, R / T)),
    ("weighted shares of a linear budget", lambda: plain(w[t] * x**2, x, R / (w[t] * total(1 / w[j], j)))),
    (
        "inverse costs on a linear budget",
        lambda: plain(w[t] / x, x, R * sp.sqrt(w[t]) / total(sp.sqrt(w[j]), j)),
    ),
    ("exponential costs, equal weights", lambda: plain(sp.exp(x), x, R / T)),
    ("entropy", lambda: plain(x * sp.log(x), x, R / T)),
    ("every point of a linear objective on its own budget", lambda: plain(x, x, R / T, unique=False)),
    ("a symbolic power", lambda: plain(x**p, 1 / x, T / R)),
    ("product of sums, adp-erm (8)", product_bound),
    ("square of a sum", lambda: AtMost(total(sp.sqrt(q[t])) ** 2, T * total(q[t]))),
    ("cube of a sum", lambda: AtMost(total(q[t]) ** 3, T**2 * total(q[t] ** 3))),
    ("order of norms", lambda: AtMost(total(q[t] ** 2), total(q[t]) ** 2)),
    (
        "Hoelder with 1/3 and 2/3",
        lambda: AtMost(
            total(q[t] * a[t] ** 2),
            total(q[t] ** 3) ** sp.Rational(1, 3) * total(a[t] ** 3) ** sp.Rational(2, 3),
        ),
    ),
    ("harmonic and arithmetic mean", lambda: AtMost(T**2, total(q[t]) * total(1 / q[t]))),
]

FALSE = [
    ("variances with the first power", lambda: variances(at=total(q[t]) / (R * q[t]), value=None)),
    ("variances with a wrong numerator", lambda: variances(at=total(sp.sqrt(q[t])) / (R * q[t]))),
    ("equal variances", lambda: variances(at=T / R, value=None)),
    ("minimum times 1.01", lambda: variances(value=sp.Rational(101, 100) * total(sp.sqrt(q[t])) ** 2)),
    (
        "point times 1.01",
        lambda: variances(at=sp.Rational(101, 100) * total(sp.sqrt(q[t])) / (R * sp.sqrt(q[t]))),
    ),
    ("a maximum taken for a minimum", lambda: variances(objective=-R * q[t] * x, value=None)),
    ("minimum without the square", lambda: variances(value=total(sp.sqrt(q[t])))),
    (
        "scales with a square root",
        lambda: laplace(at=S1 / (n * eps) * total(sp.sqrt(a[j]), j) / sp.sqrt(a[t])),
    ),
    ("scales without n", lambda: laplace(at=S1 / eps * total(sp.cbrt(a[j]), j) / sp.cbrt(a[t]))),
    ("least noise with a square", lambda: laplace(value=S1**2 * total(sp.cbrt(a[t])) ** 2 / (n * eps) ** 2)),
    ("equal shares with unequal weights", lambda: plain(w[t] * x**2, x, R / T)),
    ("a concave objective", lambda: plain(sp.log(x), x, R / T)),
    ("equal shares of exponential costs with weights", lambda: plain(w[t] * sp.exp(x), x, R / T)),
    ("a linear objective has one minimiser only", lambda: plain(x, x, R / T)),
    ("square root objective", lambda: plain(sp.sqrt(x), x, R / T)),
    ("convex on either side of a pole", lambda: plain(1 / (x - 1) ** 2, x, R / T)),
    ("product of sums times 1.01", lambda: product_bound(sp.Rational(101, 100))),
    ("product of sums, strict", lambda: product_bound(strict=True)),
    ("square of a sum, reversed", lambda: AtMost(T * total(q[t]), total(sp.sqrt(q[t])) ** 2)),
    ("square of a sum without T", lambda: AtMost(total(sp.sqrt(q[t])) ** 2, total(q[t]))),
    ("order of norms, reversed", lambda: AtMost(total(q[t]) ** 2, total(q[t] ** 2))),
    ("cube of a sum with T", lambda: AtMost(total(q[t]) ** 3, T * total(q[t] ** 3))),
]
