"""ADP-SGD with AdaGrad-norm steps: the step size eta/b_t follows the norms of the gradients, in two readings.

    release  g_t = mean over a batch of clip(grad f(x_{t-1}; i), G) + N(0, (alpha_t sigma)^2 I),   alpha_t =
    (b_0^2 + t C)^(1/4)
    update   b_t^2 = b_{t-1}^2 + max(beta_t |g_t|^2, nu),   x_t = x_{t-1} - (eta / b_t) (public gradient +
    g_t)

or, with b from the raw gradients,

    release  (eta / b_t) g_t  with  b_t^2 = b_{t-1}^2 + max(beta_t |raw mean|^2, nu)

Citation: adp-erm, Algorithm 1 and section 5.2. Line 4 of Algorithm 1 computes b from the raw gradient, which
then scales the noise: the second reading, whose released scale moves with one record, so that no sensitivity
bounds it. The first is post-processing. The gradient of a ridge is public: it joins the step without noise
and does not enter b. Bounds: what follows for Theorem D.1, and the like of it for the first reading.

Calibration. As printed: the second reading with Eq (6), which no accountant certifies. The default is the
first reading with the accountant's sigma, 0.15 of Eq (6)'s for n = 500, batches of 10, T = 12, (1, 1e-5)-DP.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.adp_sgd import small_example
from dpverify.algorithms.dp_nsgd import gradient_norm
from dpverify.bounds import Bound
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.adp_erm import TARGET, norm_alpha
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.parts.bounding import first_gap, has_public_part, unclipped
from dpverify.parts.gradients import batch_release
from dpverify.problems import Problem
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    b_squared: Array  # (runs,), stays at b_0^2 where b is the query's secret
    t: int


def adp_sgd_norm(
    problem: Problem,
    *,
    G: float,
    sigma: float,
    alpha: Schedule,
    steps: int,
    eta: float,
    b0_squared: float,
    nu: float = 1e-5,
    beta: Callable[[int], float] = lambda t: 1.0,
    batch: int = 1,
    raw: bool = False,
    name: str = "adp-sgd-norm",
) -> Algorithm:
    """ADP-SGD with AdaGrad-norm steps; with `raw`, b follows the raw gradients, as Algorithm 1 is printed.

    >>> from dpverify.problems import quadratic
    >>> problem = quadratic([1.0], count=10)
    >>> adp_sgd_norm(problem, G=1.0, sigma=2.0, alpha=Schedule(1.0), steps=3, eta=0.1,
    ...     b0_squared=20.0).release(1).scale
    2.0
    """
    for label, value in (("eta", eta), ("b0_squared", b0_squared), ("nu", nu)):
        if not value > 0:
            raise ValueError(f"Expected {label}={value} > 0.")
    releases = [
        batch_release(sigma * a, G=G, batch=batch, of=problem.count, bounded=not raw)
        for a in alpha.values(steps).tolist()
    ]

    def init(runs: int) -> State:
        return State(np.tile(problem.start, (runs, 1)), np.full(runs, b0_squared), 1)

    def grown(b_squared: Array, g: Array, t: int) -> Array:
        return b_squared + np.maximum(beta(t) * np.einsum("rd,rd->r", g, g), nu)

    def mean(data: Any, state: State, chosen: Array) -> Array:
        return problem.private_sum(state.x, data, G, batch=chosen) / batch

    def update(state: State, released: Array) -> State:
        b_squared = grown(state.b_squared, released, state.t)
        move = (problem.public_gradient(state.x) + released) * (eta / np.sqrt(b_squared))[:, None]
        return State(state.x - move, b_squared, state.t + 1)

    def memory(data: Any, runs: int) -> Array:
        return np.full(runs, b0_squared)

    def raw_query(data: Any, state: State, chosen: Array, b_squared: Array) -> Answer:
        g = mean(data, state, chosen) + problem.public_gradient(state.x)
        b_squared = grown(b_squared, g, state.t)
        step = eta / np.sqrt(b_squared)
        return Answer(g * step[:, None], step, b_squared)

    def raw_update(state: State, released: Array) -> State:
        return State(state.x - released, state.b_squared, state.t + 1)

    def release(t: int) -> Any:
        return releases[t - 1]

    if raw:
        return Algorithm(name, steps, init, raw_query, release, raw_update, load=problem.load, memory=memory)
    return Algorithm(name, steps, init, mean, release, update, load=problem.load)


RAW_NOTE = (
    "b follows the raw gradients and scales the noise, so the release has no sensitivity; the "
    "printed proof assumes 2G"
)


B0_SQUARED, NU = 20.0, 1e-5


def norm_bound(case: Example, eta: float, clip: float, raw: bool) -> Example:
    """The example with the bound on the gradient at x_tau that is proved of these steps, if there is one:
    from the raw gradients P(tau = t) ~ 1/sqrt(b_0^2 + t G^2), else ~ 1/sqrt(b_0^2 + V_1 + ... + V_t).
    """
    problem = case.problem
    L = case.problem.smoothness
    T = case.algorithm.steps
    s = np.array([release.scale for release in case.algorithm.ledger()])
    d = problem.dimension
    G = clip
    if raw:
        steps = np.sqrt(B0_SQUARED + G**2 * np.arange(1, T + 1))
    else:
        V = G**2 + d * s**2 + NU  # at least E m, m = max(|g|^2, nu)
        fourth = (G**2 + d * s**2) ** 2 + 4 * (G * s) ** 2 + 2 * d * s**4 + NU**2  # at least E m^2
        K = (V**1.5 + (fourth - 2 * V * d * s**2 + V**2) / np.sqrt(V)) / 2
        steps = np.sqrt(B0_SQUARED + np.cumsum(V))
        norm = gradient_norm(problem, case.data)
        case = replace(case, quantity="E|F'(x_tau)|", measure=norm)
    weights = 1 / steps / np.sum(1 / steps)
    case = replace(case, weights=(*weights.tolist(), 0.0))
    if not unclipped(problem, clip) or L is None or has_public_part(problem):
        why = "it is proved where no gradient is clipped and F has no public part, such as a ridge"
        return replace(case, no_bound=why)
    values: dict[str, Any] = {"e": [first_gap(problem, case.data)], "eta": eta, "L": L, "G": G, "T": T}
    values |= {"b0_2": B0_SQUARED, "nu": NU}
    if raw:
        bound = Bound("adp-erm/bound-norm-raw", values | {"alpha": s, "sigma": 1.0, "d": d})
    else:
        values |= {"V": V, "K": K, "B": steps}
        best = math.sqrt(2 * Bound("adp-erm/bound-norm", values | {"lambda": 1.0}).value - 1)
        bound = Bound("adp-erm/bound-norm", values | {"lambda": best})
    return case if bound.broken else replace(case, bound=bound)


def norm_example(
    name: str, alpha: Schedule, *, as_printed: bool, steps: int, eta: float, **settings: Any
) -> Example:
    """The example of an AdaGrad-norm algorithm: logistic regression, n = 500, d = 4, batches of 10, b_0^2 =
    20.
    """
    case = small_example(
        lambda problem, sigma, m: adp_sgd_norm(
            problem,
            G=settings["clip"],
            sigma=sigma,
            alpha=alpha,
            steps=steps,
            eta=eta,
            b0_squared=B0_SQUARED,
            nu=NU,
            batch=m,
            raw=as_printed,
            name=name,
        ),
        alpha.values(steps),
        None,
        eta=eta,
        as_printed=as_printed,
        note=RAW_NOTE if as_printed else "",
        **settings,
    )
    return norm_bound(case, eta, settings["clip"], as_printed)


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
    """Logistic regression, n = 500, d = 4, batches of 10 (one record as printed), b_0^2 = 20, C = 1.

    >>> example(as_printed=True).algorithm.memory is not None
    True
    """
    return norm_example(
        "adp-sgd-norm",
        norm_alpha(20, 1),
        as_printed=as_printed,
        steps=steps,
        eta=step_size,
        case=case,
        target=target,
        adjacency=adjacency,
        batch=batch,
        clip=clip,
    )
