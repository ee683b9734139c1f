"""Positive semidefinite matrices, with parameters or with unknowns: true ones, and the same made false."""

from typing import Any

import sympy as sp

from dpverify.relations import PositiveSemidefinite

a, b, mu, L = sp.symbols("a b mu L", positive=True)
x, y = sp.symbols("x y", real=True)
p11, p12, p22, c0, c = sp.symbols("p11 p12 p22 c0 c", real=True)


def rational(*numbers: Any) -> Any:
    return [sp.Rational(*n) if isinstance(n, tuple) else sp.Integer(n) for n in numbers]


def heavy_ball(numbers, rho2, **changes):
    """dp-accel, (3.14): c0 X0 + c (X1 + (1 - rho^2) X2) - Phi(A, B, P, rho) >= 0 for some P >= 0, c0 >= 0, c
    = 1.

    B = (-alpha, 0), the sign that the update (3.8) has.
    """
    alpha, beta, m, l = rational(*numbers)
    A = sp.Matrix([[1 + beta, -beta], [1, 0]])
    B = sp.Matrix([-alpha, 0])
    C = sp.Matrix([[1, 0]])
    P = sp.Matrix([[p11, p12], [p12, p22]])
    half = sp.Rational(1, 2)
    X0 = sp.BlockMatrix(
        [[2 * m * l * C.T * C, -(m + l) * C.T], [-(m + l) * C, sp.Matrix([[2]])]]
    ).as_explicit()
    k = (1 - l * alpha) * beta
    X1 = half * sp.Matrix(
        [[-l * beta**2, l * beta**2, -k], [l * beta**2, -l * beta**2, k], [-k, k, alpha * (2 - l * alpha)]]
    )
    X2 = half * sp.Matrix([[m, 0, -1], [0, 0, 0], [-1, 0, 0]])
    Phi = sp.BlockMatrix([[A.T * P * A - rho2 * P, A.T * P * B], [B.T * P * A, B.T * P * B]]).as_explicit()
    left = (c0 * X0 + X1 + (1 - rho2) * X2 - Phi).applyfunc(sp.expand)
    return PositiveSemidefinite(left, unknowns=(p11, p12, p22, c0), also=[P, c0, *changes.get("also", [])])


TRUE = [
    ("numbers", lambda: PositiveSemidefinite(sp.Matrix([[2, 1], [1, 2]]))),
    ("numbers, singular", lambda: PositiveSemidefinite(sp.Matrix([[4, 2, 0], [2, 1, 0], [0, 0, 0]]))),
    ("a product with its transpose", lambda: PositiveSemidefinite(sp.Matrix([[x**2, x * y], [x * y, y**2]]))),
    ("weights on the diagonal", lambda: PositiveSemidefinite(sp.Matrix([[a + b, -b], [-b, b]]))),
    (
        "diagonal dominance under a bound",
        lambda: PositiveSemidefinite(sp.Matrix([[1, x], [x, 1]]), given=[x >= -1, x <= 1]),
    ),
    (
        "cocoercivity",
        lambda: PositiveSemidefinite(
            sp.Matrix([[mu * L, -(mu + L) / 2], [-(mu + L) / 2, (mu + L) ** 2 / (4 * mu * L)]])
        ),
    ),
    ("roots of numbers", lambda: PositiveSemidefinite(sp.Matrix([[sp.sqrt(2), 1], [1, sp.sqrt(2)]]))),
    ("gradient descent as (3.14)", lambda: heavy_ball([(1, 10), 0, 1, 10], sp.Rational(9, 10))),
    ("heavy ball as (3.14)", lambda: heavy_ball([(1, 10), (1, 10), 1, 10], sp.Rational(95, 100))),
    (
        "a point in an interval",
        lambda: PositiveSemidefinite(sp.Matrix([[p11, 1], [1, 2]]), unknowns=(p11,), also=[3 - p11]),
    ),
    (
        "a Lyapunov matrix of a stable system",
        lambda: PositiveSemidefinite(
            sp.Matrix([[p11, p12], [p12, p22]])
            - sp.Matrix([[sp.Rational(1, 2), 1], [0, sp.Rational(1, 2)]]).T
            * sp.Matrix([[p11, p12], [p12, p22]])
            * sp.Matrix([[sp.Rational(1, 2), 1], [0, sp.Rational(1, 2)]])
            - sp.eye(2),
            unknowns=(p11, p12, p22),
            also=[sp.Matrix([[p11, p12], [p12, p22]])],
        ),
    ),
]

FALSE = [
    ("numbers, a negative eigenvalue", lambda: PositiveSemidefinite(sp.Matrix([[1, 2], [2, 1]]))),
    ("numbers, a negative last minor only", lambda: PositiveSemidefinite(sp.Matrix([[0, 0], [0, -1]]))),
    (
        "zero leading minors, and yet negative",
        lambda: PositiveSemidefinite(sp.Matrix([[0, 0, 0], [0, 1, 2], [0, 2, 1]])),
    ),
    ("a product with a sign", lambda: PositiveSemidefinite(sp.Matrix([[x**2, x * y], [x * y, -(y**2)]]))),
    (
        "a product times 1.01",
        lambda: PositiveSemidefinite(
            sp.Matrix([[x**2, x * y], [x * y, y**2]]) * 100 + sp.Matrix([[0, x * y], [x * y, 0]])
        ),
    ),
    ("weights, the wrong corner", lambda: PositiveSemidefinite(sp.Matrix([[a, -b], [-b, b]]))),
    (
        "diagonal dominance without the bound",
        lambda: PositiveSemidefinite(sp.Matrix([[1, x], [x, 1]]), given=[x >= -1]),
    ),
    (
        "cocoercivity, the square dropped",
        lambda: PositiveSemidefinite(
            sp.Matrix([[mu * L, -(mu + L) / 2], [-(mu + L) / 2, (mu + L) / (4 * mu * L)]])
        ),
    ),
    ("gradient descent with too fast a rate", lambda: heavy_ball([(1, 10), 0, 1, 10], sp.Rational(1, 2))),
    ("heavy ball with too long a step", lambda: heavy_ball([3, 0, 1, 1], sp.Rational(9, 10))),
    (
        "a point in an empty interval",
        lambda: PositiveSemidefinite(
            sp.Matrix([[p11, 1], [1, 2]]), unknowns=(p11,), also=[sp.Rational(1, 4) - p11]
        ),
    ),
    (
        "a Lyapunov matrix of an unstable system",
        lambda: PositiveSemidefinite(sp.Matrix([[-3 * p11 - 1]]), unknowns=(p11,), also=[p11]),
    ),
]
