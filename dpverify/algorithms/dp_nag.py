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
from dpverify.bounds import Printed
from dpverify.engine import Algorithm
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    Stages,
    momentum_of,
    nag_bound,
    one_stage,
    printed_nag_scale,
    sampling_variance,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import first_gap, nesterov_bound, unclipped
from dpverify.parts.cases import quadratic_case
from dpverify.parts.laplace import epsilon_of, even_scales, gradient_moments
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


def constants(problem: Problem) -> tuple[float, float]:
    """mu and L, which the momentum and the steps need."""
    if problem.pl is None or problem.smoothness is None:
        raise ValueError(
            "Expected a problem with known strong convexity (a ridge has it) and smoothness, for momentum "
            "and steps."
        )
    return problem.pl, problem.smoothness


def printed_nesterov(
    problem: Problem,
    data: Data,
    stages: Stages,
    scales: Schedule,
    steps: int,
    clip: float,
    batch: int | None,
    claim: str,
    at: str,
) -> Printed:
    """Eq (4.3) or (4.8) with the a_{T,0} that the paper prints."""
    mu, L = constants(problem)
    value = nag_bound(
        stages,
        scales,
        steps,
        mu,
        L,
        dimension=problem.dimension,
        gap=first_gap(problem, data),
        sampling=float(sampling_variance(2 * clip, batch or problem.count, problem.count)),
        as_printed=True,
    )
    return Printed(claim, value, at)


def too_long(step_size: float, L: float) -> str:
    """That the printed Theorem 4.1 does not cover a step size, in words; empty if it does.

    >>> too_long(2.0, 1.0), too_long(1.0, 1.0)
    ('the paper says nothing here: Theorem 4.1 is for steps up to 1/L, not for step_size=2', '')
    """
    said = f"the paper says nothing here: Theorem 4.1 is for steps up to 1/L, not for step_size={step_size:g}"
    return said * (step_size * L > 1 + 1e-12)


def scales_as_said(
    problem: Problem,
    target: Guarantee,
    adjacency: Adjacency,
    *,
    clip: float,
    steps: int,
    batch: int | None,
    as_printed: bool,
) -> Schedule:
    """The scales of equal steps: Eq (4.1)'s as printed, else certified."""
    if not as_printed:
        return even_scales(problem, target, adjacency, clip=clip, steps=steps, batch=batch)
    m, n = batch or problem.count, problem.count
    return Schedule(float(printed_nag_scale(epsilon_of(target) / steps, 2 * clip, m, n)))


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 20,
    clip: float = S1 / 2,
    step_size: float | None = None,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1.

    >>> printed, certified = example(as_printed=True, batch=50), example(batch=50)
    >>> round(certified.algorithm.release(1).scale / printed.algorithm.release(1).scale, 9)
    4.0
    """
    problem, data = case or quadratic_case(norm=1)
    mu, L = constants(problem)
    eta = 1 / L if step_size is None else step_size
    scales = scales_as_said(
        problem, target, adjacency, clip=clip, steps=steps, batch=batch, as_printed=as_printed
    )
    stages, fits = one_stage(eta, steps), unclipped(problem, clip, norm=1)
    noise = gradient_moments(problem, scales, steps, clip, batch)
    said = printed_nesterov(problem, data, stages, scales, steps, clip, batch, "dp-accel/eq-4.3", "Eq (4.3)")
    note = "" if batch else "the printed scale is short for batches of m < n only: --batch 50"
    outside = too_long(eta, L)
    return Example(
        dp_nag(problem, clip=clip, scales=scales, steps=steps, step_size=eta, mu=mu, batch=batch),
        "dp-accel",
        problem,
        data,
        adjacency,
        target,
        bound=nesterov_bound(problem, data, noise, stages) if fits else None,
        printed=said if as_printed and fits and not outside else None,
        note="; ".join(filter(None, [note, outside])) if as_printed else "",
        limit=("Nesterov", {"step_size": eta, "beta": momentum_of(mu, eta)}),
    )
