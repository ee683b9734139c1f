"""Step sizes, noise factors, the printed noise and the bounds of adp-erm ("Adaptive differentially private
empirical risk minimization").

    b_t = sqrt(a + c t),  alpha_t^2 = b_t (ADP) or 1 (DP)
    section 5.1
    alpha_t = (b_0^2 + t C)^(1/4)
    section 5.2
    sigma^2 = (16 G)^2 B_delta / (n eps)^2 * sum_t 1/alpha_t^2,  B_delta = ln(16 T/(n delta)) ln(1.25/delta)
    Eq (6)
    E|F'(x_tau)|^2 <= [D_F/eta + (eta L/2) sum G^2/b_t^2 + (eta L d/2) sigma^2 sum (alpha_t/b_t)^2] / sum
    1/b_t Eq (7), eta L restored

Every formula takes numbers or SymPy symbols: the claims reason about the same objects that the algorithms
run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.guarantees import ApproxDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT
from dpverify.problems import Linear, logistic
from dpverify.releases import Gaussian, Subsampled
from dpverify.schedules import Number, Schedule, step

Array = np.ndarray[Any, Any]


def polynomial_b(a: Number, c: Number) -> Schedule:
    """b_t = sqrt(a + c t); the step size is eta / b_t.

    >>> polynomial_b(1, 8)(1)
    3.0
    """
    import sympy

    return Schedule(sympy.sqrt(a + c * step()))


def adaptive_alpha(b: Schedule) -> Schedule:
    """alpha_t = sqrt(b_t): the choice that minimises M = sum (alpha_t/b_t)^2 sum 1/alpha_t^2 (Remark 4.1).

    >>> adaptive_alpha(polynomial_b(0, 16))(1)
    2.0
    """
    import sympy

    return Schedule(sympy.sqrt(b.formula))


def norm_alpha(b0_squared: Number, C: Number) -> Schedule:
    """alpha_t = (b_0^2 + t C)^(1/4), fixed before the run (Proposition 5.2).

    >>> norm_alpha(15, 1)(1)
    2.0
    """
    import sympy

    return Schedule((b0_squared + step() * C) ** sympy.Rational(1, 4))


def experiment_beta(t: int, beta: float = 512.0, epoch: int = 195) -> float:
    """beta_t = max(beta / ((t mod 195) + 1), 1) of the experiments' AdaGrad-norm.

    >>> experiment_beta(195), experiment_beta(1)
    (512.0, 256.0)
    """
    return max(beta / (t % epoch + 1), 1.0)


def m_factor(alpha: Array, b: Array) -> float:
    """M = sum (alpha_t/b_t)^2 sum 1/alpha_t^2 (Theorem 4.2).

    >>> m_factor(np.ones(2), np.ones(2))
    4.0
    """
    return float(np.sum((alpha / b) ** 2) * np.sum(1 / alpha**2))


def printed_sigma(alpha: Array, *, G: float, n: int, epsilon: float, delta: float) -> float:
    """sigma of Eq (6).

    >>> round(printed_sigma(np.ones(10), G=1.0, n=1000, epsilon=1.0, delta=1e-5), 3)
    0.539
    """
    B = math.log(16 * len(alpha) / (n * delta)) * math.log(1.25 / delta)
    return 16 * G / (n * epsilon) * math.sqrt(B * float(np.sum(1 / alpha**2)))


def gradient_bound(
    alpha: Array,
    b: Array,
    sigma: float,
    *,
    gap: float,
    eta: float,
    L: float,
    G: float,
    d: int,
    printed: bool = False,
) -> float:
    """The bound of Theorem 4.2 on min_t E|F'(x_t)|^2 with noise alpha_t sigma; Eq (7) as printed has no eta L
    in its last term.

    >>> gradient_bound(np.ones(1), np.ones(1), 0.0, gap=1.0, eta=0.5, L=2.0, G=1.0, d=3)
    2.5
    """
    noise = (1.0 if printed else eta * L) * d / 2 * sigma**2 * float(np.sum((alpha / b) ** 2))
    return (gap / eta + eta * L / 2 * G**2 * float(np.sum(1 / b**2)) + noise) / float(np.sum(1 / b))


def batch_release(sigma: float, *, G: float, batch: int, of: int, bounded: bool = True) -> Subsampled:
    """A mean of clipped gradients over a secret batch without replacement; one record moves it by 2G/batch if
    replaced.

    With `bounded=False` the sensitivity is infinite: the query scales its noise by private data, so that no
    number bounds it.
    """
    if not G > 0:
        raise ValueError(f"Expected G={G} > 0.")
    most = G / batch if bounded else math.inf
    sensitivity = {REPLACE: 2 * most, ADD_REMOVE: most, ZERO_OUT: most}
    return Subsampled(Gaussian(sigma, sensitivity), size=batch, of=of)


TARGET = ApproxDP(1.0, 1e-5)
BATCH = 10


def small_problem(count: int = 500, dimension: int = 4, seed: int = 0) -> tuple[Linear, tuple[Array, Array]]:
    """Logistic regression on the unit ball (G = 1, each record 1/4-smooth), on which the examples of adp-erm
    run.
    """
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, dimension))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    labels = np.where(rows[:, 0] + 0.5 * rng.standard_normal(count) > 0, 1.0, -1.0)
    return logistic(rows, count=count, start=np.full(dimension, -2.0)), (rows, labels)


def small_example(
    build: Callable[[Linear, float], Any],
    alpha: Array,
    b: Array,
    *,
    eta: float,
    as_printed: bool,
    bound: bool = True,
    note: str = "",
) -> Example:
    """The example of an adp-erm algorithm: sigma by Eq (6) or by the accountant, and the bound of Theorem
    4.2.
    """
    problem, data = small_problem()
    n, d, G, L = problem.count, problem.dimension, 1.0, 0.25
    if as_printed:
        sigma = printed_sigma(alpha, G=G, n=n, epsilon=TARGET.epsilon, delta=TARGET.delta)
    else:
        sigma = calibrate(
            lambda m: [batch_release(m * a, G=G, batch=BATCH, of=n) for a in alpha.tolist()],
            TARGET,
            REPLACE,
            tolerance=1e-2,
        )
    gap = float(problem.excess(problem.start[None], data)[0])
    loaded = problem.load(data)

    def squared_gradient(x: Array) -> Array:
        slope = problem.gradient(x, loaded)
        return np.einsum("rd,rd->r", slope, slope)

    return Example(
        build(problem, sigma),
        "adp-erm",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=gradient_bound(alpha, b, sigma, gap=gap, eta=eta, L=L, G=G, d=d, printed=as_printed)
        if bound
        else None,
        bound_source="Theorem 4.2, Eq (7)" if bound else "",
        quantity="min over t of E|F'(x_t)|^2",
        measure=squared_gradient,
        best_step=True,
        note=note,
        limit=("gradient descent", {"step_size": eta / b}) if bound else None,
    )
