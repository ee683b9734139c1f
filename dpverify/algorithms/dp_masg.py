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
from dpverify.algorithms.dp_nag import dp_nag
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    Stages,
    certified_scales,
    masg_stages,
    momentum_of,
    nag_bound,
    one_stage,
    printed_nag_scale,
    sampling_variance,
    uniform_epsilons,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
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
    *, as_printed: bool = False, steps: int = 20, c: float = 1.0, batch: int | None = None
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1: 8 steps of the first stage, 12 of the second.

    >>> example().algorithm.steps
    20
    """
    problem, data = quadratic_case(norm=1)
    mu, L, n = 0.1, 1.0, problem.count
    m = batch or n
    stages = masg_stages(mu, L, steps, c=c)
    split = uniform_epsilons(TARGET.epsilon, steps)
    scales = (
        Schedule(float(printed_nag_scale(split(1), S1, m, n)))
        if as_printed
        else certified_scales(split, steps, m, n)
    )
    common: dict[str, Any] = {"clip": S1 / 2, "scales": scales, "steps": steps, "mu": mu, "batch": batch}
    bound = nag_bound(
        stages,
        scales,
        steps,
        mu,
        L,
        dimension=problem.dimension,
        gap=float(problem.excess(problem.start[None], data)[0]),
        sampling=sampling_variance(S1, m, n),
        as_printed=as_printed,
    )
    return Example(
        dp_masg(problem, stages=stages, **common),
        "dp-accel",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=bound,
        bound_source="Theorem 4.3, Eq (4.8)" + (", s_0 = 1" if as_printed else ", s_0 = 0"),
        note=""
        if batch or not as_printed
        else "the printed scale is short for batches of m < n only: example(batch=50)",
        limit=staged_limit(stages, steps, mu),
        forms=lambda: {
            "one stage is DP-NAG": (
                dp_masg(problem, stages=one_stage(c / L, steps), **common),
                dp_nag(problem, step_size=c / L, **common),
            )
        },
    )
