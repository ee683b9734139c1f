"""DP-NAG: Nesterov's accelerated gradient with Laplace noise, the budget in equal parts.

    release  g_t = mean_{i in batch} clip_1(grad f(z_t; i), S1/2) + Lap(b)^d,   z_t = (1 + beta) x_{t-1} -
    beta x_{t-2}
    update   x_t = z_t - alpha (public gradient at z_t + g_t),   beta = (1 - sqrt(mu alpha))/(1 + sqrt(mu
    alpha)),   alpha <= 1/L

Citation: dp-accel, Eq (4.1); bound: Theorem 4.1, Eq (4.3), with a_{T,0} = 2 (1 - sqrt(mu alpha))^T (as
printed, without the 2).

Calibration. Eq (4.1) prints b = S1/(n e0) with e0 = ln(1 + (exp(eps/T) - 1) n/m). For m = n that is
certified. For batches of m < n it is too little noise by the factor n/m; the default is b = S1/(m e0),
Proposition 3.1's.
"""

from __future__ import annotations

from dpverify.algorithms import Example
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    certified_scales,
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


def dp_nag(
    problem: Problem,
    *,
    clip: float,
    scales: Schedule,
    steps: int,
    step_size: float,
    mu: float,
    batch: int | None = None,
) -> Algorithm:
    """Nesterov's method with Laplace noise of scale b_t and strong convexity mu.

    >>> dp_nag(quadratic_case(norm=1)[0], clip=1.0, scales=Schedule(0.5), steps=3, step_size=1.0,
    ...     mu=0.1).release(1).scale
    0.5
    """
    stages = one_stage(step_size, steps)
    return nesterov(
        "dp-nag", problem, clip=clip, scales=scales, stages=stages, steps=steps, mu=mu, batch=batch
    )


def example(
    *, as_printed: bool = False, steps: int = 20, step_size: float = 1.0, batch: int | None = None
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1.

    >>> printed, certified = example(as_printed=True, batch=50), example(batch=50)
    >>> round(certified.algorithm.release(1).scale / printed.algorithm.release(1).scale, 9)
    4.0
    """
    problem, data = quadratic_case(norm=1)
    mu, L, n = 0.1, 1.0, problem.count
    m = batch or n
    split = uniform_epsilons(TARGET.epsilon, steps)
    scales = (
        Schedule(float(printed_nag_scale(split(1), S1, m, n)))
        if as_printed
        else certified_scales(split, steps, m, n)
    )
    bound = nag_bound(
        one_stage(step_size, steps),
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
        dp_nag(problem, clip=S1 / 2, scales=scales, steps=steps, step_size=step_size, mu=mu, batch=batch),
        "dp-accel",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=bound,
        bound_source="Theorem 4.1, Eq (4.3)" + ("" if as_printed else ", a_{T,0} doubled"),
        note=""
        if batch or not as_printed
        else "the printed scale is short for batches of m < n only: example(batch=50)",
        limit=("Nesterov", {"step_size": step_size, "beta": momentum_of(mu, step_size)}),
    )
