"""DP-NAG-opt: DP-NAG with T chosen by its bound and the budget split to minimise that bound.

    T' = argmin_T  a_{T,0} E_0 + d (S1/(n eps))^2 (sum_j a_{T,j}^(1/3))^3,   eps_t = eps a_{T',t}^(1/3) /
    sum_j a_{T',j}^(1/3)
    the release and the update of DP-NAG, for T' steps, with b_t = S1 / (m e0(eps_t))

Citation: dp-accel, Proposition 4.2, Remark 4.1; bound: Eq (4.3) with a_{T,0} doubled. E_0 must be a public
guess.

Calibration. For m = n Eq (4.5) is certified as printed. For batches of m < n the paper uses Eq (4.5) "as a
guide" (Remark 4.2): taken literally, b_t = S1/(n eps_t) spends more than eps (n = 200, m = 50, T' = 8, eps =
1: it spends 1.22). The default inverts the loss of the batch exactly and, for m < n, minimises the bound
exactly over the splits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nag import constants, dp_nag, printed_nesterov, too_long
from dpverify.formulas.dp_accel import (
    S1,
    TARGET,
    Stages,
    choose_steps,
    exact_epsilons,
    momentum_of,
    noise_scale,
    one_stage,
    optimal_scales,
    stage_weights,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import nesterov_bound, unclipped
from dpverify.parts.cases import quadratic_case
from dpverify.parts.laplace import epsilon_of, gradient_moments
from dpverify.parts.nesterov import check_step_sizes, nesterov
from dpverify.problems import Problem
from dpverify.schedules import Schedule


def optimised_example(
    name: str,
    stages_of: Callable[[float, float, int], Stages],
    *,
    case: tuple[Problem, Data] | None,
    target: Guarantee,
    adjacency: Adjacency,
    steps: int,
    clip: float,
    batch: int | None,
    guess: float,
    as_printed: bool,
    limit: Any,
    claim: str,
    at: str,
    forms: Any,
) -> Example:
    """The example of an algorithm that chooses T' and splits the budget by its bound; `stages_of(mu, L, T)`
    are its stages, `forms(algorithm, problem, common)` its equal forms.
    """
    problem, data = case or quadratic_case(norm=1)
    mu, L = constants(problem)
    m = batch or problem.count
    n = problem.count
    epsilon = epsilon_of(target)
    if adjacency is not REPLACE:
        raise ValueError(
            f"Expected adjacency='replace', for which the split is optimal, got {str(adjacency)!r}."
        )
    check_step_sizes(stages_of(mu, L, steps), steps, mu)
    noise = problem.dimension * (2 * clip / (n * epsilon)) ** 2
    chosen = choose_steps(
        stages_of(mu, L, steps), steps, mu, L, noise=noise, gap=guess, as_printed=as_printed
    )
    stages = stages_of(mu, L, chosen)
    weights = stage_weights(stages.alpha, stages.stage, mu, L, chosen)
    if as_printed:
        scales = optimal_scales(weights, chosen, 2 * clip, n, epsilon)
    else:
        split = exact_epsilons(weights, chosen, epsilon, m, n).values(chosen).tolist()
        scales = Schedule([float(noise_scale(e, 2 * clip, m, n)) for e in split])
    common: dict[str, Any] = {"clip": clip, "scales": scales, "steps": chosen, "mu": mu, "batch": batch}
    algorithm = nesterov(name, problem, stages=stages, **common)
    fits, moments = unclipped(problem, clip, norm=1), gradient_moments(problem, scales, chosen, clip, batch)
    said = printed_nesterov(problem, data, stages, scales, chosen, clip, batch, claim, at)
    outside = too_long(float(stages.alpha(1)), L) if as_printed else ""
    return Example(
        algorithm,
        "dp-accel",
        problem,
        data,
        adjacency,
        target,
        bound=nesterov_bound(problem, data, moments, stages) if fits else None,
        printed=said if as_printed and fits and not outside else None,
        note="; ".join(filter(None, [f"T' = {chosen} of at most {steps} steps", outside])),
        limit=limit(stages, chosen, mu),
        forms=lambda: forms(algorithm, problem, common),
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 50,
    clip: float = S1 / 2,
    step_size: float | None = None,
    guess: float = 2.0,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1, at most 50 steps, the guess E_0 = 2.

    >>> example().algorithm.steps, example(as_printed=True).algorithm.steps
    (10, 8)
    """

    def stages_of(mu: float, L: float, T: int) -> Stages:
        return one_stage(1 / L if step_size is None else step_size, T)

    return optimised_example(
        "dp-nag-opt",
        stages_of,
        case=case,
        target=target,
        adjacency=adjacency,
        steps=steps,
        clip=clip,
        batch=batch,
        guess=guess,
        as_printed=as_printed,
        limit=lambda stages, steps, mu: (
            "Nesterov",
            {"step_size": stages.alpha(1), "beta": momentum_of(mu, stages.alpha(1))},
        ),
        claim="dp-accel/eq-4.3",
        at="Eq (4.3)",
        forms=lambda algorithm, problem, common: {
            "it is DP-NAG with other scales": (
                algorithm,
                dp_nag(problem, step_size=stages_of(*constants(problem), 1).alpha(1), **common),
            )
        },
    )
