"""DP-SGD with polynomially decaying steps: ADP-SGD with alpha_t = 1.

    release  g_t = mean over a batch of clip(grad f(x_{t-1}; i), G) + N(0, sigma^2 I)
    update   x_t = x_{t-1} - (eta / b_t) (public gradient + g_t),   b_t = sqrt(a + c t)

Citation: adp-erm, Algorithm 1 with alpha_t = 1, section 5.1; bound: Theorem 4.2, Eq (7).

Calibration. For n = 500, T = 12, (1, 1e-5)-DP and replaced records, the accountant certifies 0.15 of Eq (6)'s
sigma on batches of 10, the default, and 0.94 of it for one record a step, as printed.
"""

from __future__ import annotations

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.adp_sgd import adp_sgd, small_example
from dpverify.formulas.adp_erm import TARGET, polynomial_b
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.problems import Problem
from dpverify.schedules import Schedule


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    batch: int | None = None,
    steps: int = 12,
    clip: float = 1.0,
    step_size: float = 1.0,
) -> Example:
    """Logistic regression, n = 500, d = 4, batches of 10 (one record as printed), b_t = sqrt(1 + t).

    >>> example(as_printed=True).algorithm.name
    'dp-sgd'
    """
    b = polynomial_b(1, 1)
    return small_example(
        lambda problem, sigma, m: adp_sgd(
            problem,
            G=clip,
            sigma=sigma,
            alpha=Schedule(1.0),
            b=b,
            steps=steps,
            eta=step_size,
            batch=m,
            name="dp-sgd",
        ),
        np.ones(steps),
        b.values(steps),
        case=case,
        target=target,
        adjacency=adjacency,
        batch=batch,
        clip=clip,
        eta=step_size,
        as_printed=as_printed,
    )
