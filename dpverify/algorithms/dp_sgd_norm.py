"""DP-SGD with AdaGrad-norm steps: ADP-SGD with AdaGrad-norm steps and alpha_t = 1, in the same two readings
of b.

    release  g_t = mean over a batch of clip(grad f(x_{t-1}; i), G) + N(0, sigma^2 I)
    update   b_t^2 = b_{t-1}^2 + max(beta_t |g_t|^2, nu),   x_t = x_{t-1} - (eta / b_t) (public gradient +
    g_t)

Citation: adp-erm, Algorithm 1 with alpha_t = 1, section 5.2, Eq (12).

Calibration. As for adp-sgd-norm: as printed, b follows the raw gradients and no sensitivity bounds the
release.
"""

from __future__ import annotations

from dpverify.algorithms import Example
from dpverify.algorithms.adp_sgd_norm import norm_example
from dpverify.formulas.adp_erm import TARGET
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
    step_size: float = 4.0,
) -> Example:
    """Logistic regression, n = 500, d = 4, batches of 10 (one record as printed), b_0^2 = 20.

    >>> example(as_printed=True).algorithm.name
    'dp-sgd-norm'
    """
    return norm_example(
        "dp-sgd-norm",
        Schedule(1.0),
        as_printed=as_printed,
        steps=steps,
        eta=step_size,
        case=case,
        target=target,
        adjacency=adjacency,
        batch=batch,
        clip=clip,
    )
