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
from typing import Any

import numpy as np

from dpverify.guarantees import ApproxDP
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
    if not 16 * len(alpha) > n * delta:
        raise ValueError(
            f"Expected delta={delta} < 16 T/n={16 * len(alpha) / n}, or B_delta is not positive."
        )
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


TARGET = ApproxDP(1.0, 1e-5)
