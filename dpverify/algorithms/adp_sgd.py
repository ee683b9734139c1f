"""ADP-SGD with polynomially decaying steps: the gradient of a random record with Gaussian noise alpha_t
sigma, step eta/b_t.

    release  g_t = mean over a batch of clip(grad f(x_{t-1}; i), G) + N(0, (alpha_t sigma)^2 I)
    update   x_t = x_{t-1} - (eta / b_t) (public gradient + g_t),   b_t = sqrt(a + c t),   alpha_t^2 = b_t

Citation: adp-erm, Algorithm 1, sections 4 and 5.1 (the step that Algorithm 1 calls t - 1 is step t here);
bound: Theorem 4.2, Eq (7). Publishing (eta/b_t) g_t, as the paper does, is the same release: b_t is public.

Calibration. For n = 500, T = 12, (1, 1e-5)-DP and replaced records, the accountant certifies 0.17 of Eq (6)'s
sigma on batches of 10, the default; for one record a step, as printed, Eq (6) is not certified (it spends
1.41).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.bounds import Bound, Printed
from dpverify.engine import Algorithm
from dpverify.formulas.adp_erm import TARGET, adaptive_alpha, gradient_bound, polynomial_b, printed_sigma
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import first_gap, has_public_part, noise_moments, unclipped
from dpverify.parts.cases import logistic_case
from dpverify.parts.clients import squared_gradient
from dpverify.parts.gradients import batch_release
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    t: int


def adp_sgd(
    problem: Problem,
    *,
    G: float,
    sigma: float,
    alpha: Schedule,
    b: Schedule,
    steps: int,
    eta: float,
    batch: int = 1,
    name: str = "adp-sgd",
) -> Algorithm:
    """ADP-SGD with public alpha_t and b_t; DP-SGD is alpha = 1.

    >>> from dpverify.problems import quadratic
    >>> algorithm = adp_sgd(quadratic([1.0], count=10), G=1.0, sigma=2.0, alpha=Schedule(1.5),
    ...     b=Schedule(1.0), steps=3, eta=0.1)
    >>> algorithm.release(1).scale
    3.0
    """
    if not eta > 0:
        raise ValueError(f"Expected eta={eta} > 0.")
    releases = [
        batch_release(sigma * a, G=G, batch=batch, of=problem.count) for a in alpha.values(steps).tolist()
    ]
    step_sizes = (eta / b.values(steps)).tolist()

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), 1)

    def query(data: Any, state: State, chosen: Array) -> Array:
        return problem.private_mean(state.x, data, G, batch, batch=chosen)

    def update(state: State, released: Array) -> State:
        move = problem.with_public(state.x, released)
        move *= step_sizes[state.t - 1]
        return State(np.subtract(state.x, move, out=move), state.t + 1)

    return Algorithm(name, steps, init, query, lambda t: releases[t - 1], update, load=problem.load)


BATCH = 10


def small_example(
    build: Callable[[Problem, float, int], Any],
    alpha: Array,
    b: Array | None,
    *,
    case: tuple[Problem, Data] | None,
    target: Guarantee,
    adjacency: Adjacency,
    batch: int | None,
    clip: float,
    eta: float,
    as_printed: bool,
    note: str = "",
) -> Example:
    """The example of an adp-erm algorithm: sigma by Eq (6) and one record a step, or by the accountant and
    batches; and, for a public b, the bound of Theorem 4.2 on the gradient at x_tau, P(tau = t) ~ 1/b_t; where
    a ridge joins the step, the one from the variance.
    """
    problem, data = case or logistic_case(500, 4, start=-2.0, sphere=True)
    n, d = problem.count, problem.dimension
    m = batch or (1 if as_printed else min(BATCH, n))
    if as_printed:
        if not isinstance(target, ApproxDP):
            raise ValueError(f"Expected target={target} of the form (epsilon, delta), as Eq (6) has it.")
        sigma = printed_sigma(alpha, G=clip, n=n, epsilon=target.epsilon, delta=target.delta)
    else:
        sigma = calibrate(
            lambda s: [batch_release(s * a, G=clip, batch=m, of=n) for a in alpha.tolist()],
            target,
            adjacency,
            tolerance=1e-2,
        )
    bound = None
    printed = None
    no_bound = ""
    public = has_public_part(problem)
    algorithm = build(problem, sigma, m)
    if b is not None and unclipped(problem, clip) and problem.smoothness is not None:
        gap, L = first_gap(problem, data), problem.smoothness
        values = {"e": [gap], "eta": eta, "L": L, "T": len(b), "b": b}
        if public:
            bound = Bound(
                "adp-erm/bound-gradient-variance",
                values | {"c": noise_moments(problem, data, algorithm, clip, m)},
            )
            if bound.broken:
                no_bound = f"it needs {bound.broken[0]}"
                bound = None
        else:
            values |= {"G": clip, "d": d, "sigma": sigma, "alpha": alpha}
            bound = Bound("adp-erm/bound-gradient", values)
            said = gradient_bound(alpha, b, sigma, gap=gap, eta=eta, L=L, G=clip, d=d, printed=True)
            printed = Printed("adp-erm/thm-4.2-eq7", said, "Theorem 4.2, Eq (7)") if as_printed else None
    if public:
        note = "; ".join(
            filter(None, [note, "the part of F that no record enters (a ridge) joins the step without noise"])
        )
    weights = 1 / b if b is not None else np.ones(len(alpha))
    return Example(
        algorithm,
        "adp-erm",
        problem,
        data,
        adjacency,
        target,
        bound=bound,
        printed=printed,
        quantity="E|F'(x_tau)|^2",
        measure=squared_gradient(problem, data),
        weights=(*(weights / weights.sum()).tolist(), 0.0),
        no_bound=no_bound,
        note=note,
        limit=("gradient descent", {"step_size": eta / b}) if b is not None else None,
    )


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

    >>> example(as_printed=True).algorithm.release(1).size
    1
    """
    b = polynomial_b(1, 1)
    alpha = adaptive_alpha(b)
    return small_example(
        lambda problem, sigma, m: adp_sgd(
            problem, G=clip, sigma=sigma, alpha=alpha, b=b, steps=steps, eta=step_size, batch=m
        ),
        alpha.values(steps),
        b.values(steps),
        case=case,
        target=target,
        adjacency=adjacency,
        batch=batch,
        clip=clip,
        eta=step_size,
        as_printed=as_printed,
    )
