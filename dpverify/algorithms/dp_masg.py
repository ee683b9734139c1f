"""DP-MASG: Nesterov's method in stages of smaller and smaller steps, with Laplace noise, the budget in equal
parts.

    DP-NAG's release and update with alpha_t = c/L for n_1 steps, then c/(4^k L) for 2^k ceil(sqrt(kappa) ln
    2^(p+2)) steps, k = 2, 3, ...
    beta_t = (1 - sqrt(mu alpha_t))/(1 + sqrt(mu alpha_t)); at the first step of a stage x_{t-2} := x_{t-1}

Citation: dp-accel, section 4.2, Eq (4.7); bound: Theorem 4.3, Eq (4.8), with a_{T,0} = 2^(s_T) prod (1 -
sqrt(mu alpha)) (the paper's 2^(s_T - s_0) leaves s_0 open). The restart is silent in the paper, present in
the authors' code, and needed by Theorem 4.3.

Calibration. As for DP-NAG: certified for m = n; for batches of m < n Eq (4.1)'s b is too small by the factor
n/m.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nag import constants, dp_nag, printed_nesterov, scales_as_said
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import S1, TARGET, Stages, masg_stages, momentum_of, one_stage
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import nesterov_bound, unclipped
from dpverify.parts.cases import quadratic_case
from dpverify.parts.laplace import gradient_moments
from dpverify.parts.nesterov import nesterov
from dpverify.problems import Problem
from dpverify.schedules import Schedule


def dp_masg(
    problem: Problem,
    *,
    clip: float,
    scales: Schedule,
    stages: Stages,
    steps: int,
    mu: float,
    batch: int | None = None,
) -> Algorithm:
    """Multistage Nesterov with Laplace noise of scale b_t.

    >>> dp_masg(quadratic_case(norm=1)[0], clip=1.0, scales=Schedule(0.5), stages=masg_stages(0.1, 1.0, 20),
    ...     steps=20, mu=0.1).steps
    20
    """
    return nesterov(
        "dp-masg", problem, clip=clip, scales=scales, stages=stages, steps=steps, mu=mu, batch=batch
    )


def staged_limit(stages: Stages, steps: int, mu: float) -> tuple[str, dict[str, Any]]:
    """Multistage Nesterov: its step sizes, its momenta, and the steps at which it restarts."""
    alpha, stage = stages.alpha.values(steps), stages.stage.values(steps)
    restarts = (np.flatnonzero(np.diff(stage)) + 2).tolist()
    return "Nesterov", {
        "step_size": alpha.tolist(),
        "beta": [momentum_of(mu, a) for a in alpha.tolist()],
        "restarts": restarts,
    }


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = S1 / 2,
    c: float = 1.0,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1: 8 steps of the first stage, 12 of the second.

    >>> example().algorithm.steps
    20
    """
    problem, data = case or quadratic_case(norm=1)
    mu, L = constants(problem)
    stages = masg_stages(mu, L, steps, c=c)
    scales = scales_as_said(
        problem, target, adjacency, clip=clip, steps=steps, batch=batch, as_printed=as_printed
    )
    common: dict[str, Any] = {"clip": clip, "scales": scales, "steps": steps, "mu": mu, "batch": batch}
    fits, noise = unclipped(problem, clip, norm=1), gradient_moments(problem, scales, steps, clip, batch)
    said = printed_nesterov(
        problem, data, stages, scales, steps, clip, batch, "dp-accel/thm-4.3-s0", "Eq (4.8)"
    )
    return Example(
        dp_masg(problem, stages=stages, **common),
        "dp-accel",
        problem,
        data,
        adjacency,
        target,
        bound=nesterov_bound(problem, data, noise, stages) if fits else None,
        printed=said if as_printed and fits else None,
        note=""
        if batch or not as_printed
        else "the printed scale is short for batches of m < n only: --batch 50",
        limit=staged_limit(stages, steps, mu),
        forms=lambda: {
            "one stage is DP-NAG": (
                dp_masg(problem, stages=one_stage(c / L, steps), **common),
                dp_nag(problem, step_size=c / L, **common),
            )
        },
    )
