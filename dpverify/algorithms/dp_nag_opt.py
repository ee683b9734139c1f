"""DP-NAG-opt: DP-NAG with T chosen by its bound and the budget split to minimise that bound.

    T' = argmin_T  a_{T,0} E_0 + d (S1/(n eps))^2 (sum_j a_{T,j}^(1/3))^3,   eps_t = eps a_{T',t}^(1/3) /
    sum_j a_{T',j}^(1/3)
    the release and the update of DP-NAG, for T' steps, with b_t = S1 / (m e0(eps_t))

Citation: dp-accel, Proposition 4.2, Remark 4.1; bound: Eq (4.3) with a_{T,0} doubled. E_0 must be a public
guess.

Calibration. For m = n Eq (4.5) is certified as printed. For batches of m < n the paper uses Eq (4.5) "as a
guide" (Remark 4.2): taken literally, b_t = S1/(n eps_t) spends more than eps (n = 200, m = 50, T' = 10, eps =
1: it spends 1.18). The default inverts the loss of the batch exactly and, for m < n, minimises the bound
exactly over the splits.
"""

from __future__ import annotations

from typing import Any

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nag import dp_nag
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    Stages,
    certified_scales,
    choose_steps,
    exact_epsilons,
    momentum_of,
    nag_bound,
    one_stage,
    optimal_scales,
    sampling_variance,
    stage_weights,
)
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.parts.nesterov import nesterov
from dpverify.problems import Problem
from dpverify.schedules import Schedule


def chosen_steps(problem: Problem, stages: Stages, longest: int, mu: float, L: float, guess: float) -> int:
    """T' of Remark 4.1 for the records of the examples (S1 = 2, eps = 1) and a public guess of E_0."""
    noise = problem.dimension * (S1 / (problem.count * TARGET.epsilon)) ** 2
    return choose_steps(stages, longest, mu, L, noise=noise, gap=guess)


def allocated_scales(
    stages: Stages, steps: int, mu: float, L: float, m: int, n: int, *, as_printed: bool
) -> Schedule:
    """The scales b_t of the optimal split: Eq (4.5) as printed, or exactly inverted (and exactly optimal) for
    batches.
    """
    weights = stage_weights(stages.alpha, stages.stage, mu, L, steps)
    if as_printed:
        return optimal_scales(weights, steps, S1, n, TARGET.epsilon)
    return certified_scales(exact_epsilons(weights, steps, TARGET.epsilon, m, n), steps, m, n)


def optimised_example(
    name: str,
    stages: Stages,
    *,
    longest: int,
    batch: int | None,
    guess: float,
    as_printed: bool,
    limit: Any,
    source: str,
    forms: Any,
) -> Example:
    """The example of an algorithm that chooses T' and splits the budget by its bound; `forms(common, T')` are
    its equal forms.
    """
    problem, data = quadratic_case(norm=1)
    mu, L, n = 0.1, 1.0, problem.count
    m = batch or n
    steps = chosen_steps(problem, stages, longest, mu, L, guess)
    stages = Stages(Schedule(stages.alpha.values(steps)), Schedule(stages.stage.values(steps)))
    scales = allocated_scales(stages, steps, mu, L, m, n, as_printed=as_printed)
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
    common: dict[str, Any] = {"clip": S1 / 2, "scales": scales, "steps": steps, "mu": mu, "batch": batch}
    algorithm = nesterov(name, problem, stages=stages, **common)
    return Example(
        algorithm,
        "dp-accel",
        problem,
        data,
        REPLACE,
        TARGET,
        bound=bound,
        bound_source=source + ("" if as_printed else ", a_{T,0} doubled"),
        note=f"T' = {steps} of at most {longest} steps",
        limit=limit(stages, steps, mu),
        forms=lambda: forms(algorithm, problem, common),
    )


def example(
    *,
    as_printed: bool = False,
    longest: int = 50,
    step_size: float = 1.0,
    guess: float = 2.0,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1, at most 50 steps, the guess E_0 = 2.

    >>> example().algorithm.steps < 50
    True
    """
    return optimised_example(
        "dp-nag-opt",
        one_stage(step_size, longest),
        longest=longest,
        batch=batch,
        guess=guess,
        as_printed=as_printed,
        limit=lambda stages, steps, mu: (
            "Nesterov",
            {"step_size": step_size, "beta": momentum_of(mu, step_size)},
        ),
        source="Eq (4.3) with Eq (4.5)",
        forms=lambda algorithm, problem, common: {
            "it is DP-NAG with other scales": (algorithm, dp_nag(problem, step_size=step_size, **common))
        },
    )
