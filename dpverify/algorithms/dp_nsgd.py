"""DP-NSGD: normalised SGD whose momentum is read off a tree of noisy decayed sums, the records reshuffled in
every epoch.

    release  f_[y,t] = alpha sum_{i=y..t} (1-alpha)^(t-i) clip(grad f(w_i; record of step i), G) + N(0, s^2
    I),   [y,t] of t's lowest bit
    update   m_t = sum_{[y,z] in COMPOSE(1,t)} (1-alpha)^(t-z) f_[y,z],   w_{t+1} = w_t - eta m_t/|m_t|

Citation: momentum-agg, Algorithm 1, Theorem 4; bound: Theorem 6 with the noise as it is. The output is w_t
for a random t. The momentum of the public part of F joins m_t without noise.

Calibration. As printed, s = 4 alpha G sigma sqrt(V), sigma = 2 sqrt(ln(1/delta))/eps. Theorem 4 takes 4 alpha
G for the sensitivity of every node, from (1-alpha)^(jN) for the j-th occurrence of a record; but a record may
come last in one epoch and first in the next, so that a long node can move by up to 2 alpha G (1 + 1/(1-1/e))
= 5.2 alpha G. V counts twice as many nodes as prefix sums use, which more than makes up for it: at N = 20, T
= 80, alpha = 0.1, (2, 1e-3)-DP, the accountant certifies 0.19 of the printed noise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.bounds import Bound
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.momentum_agg import (
    TARGET,
    level,
    prefix_deviation,
    printed_sigma,
    printed_v,
)
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import first_gap, unclipped
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import logistic_case
from dpverify.parts.trees import epoch_order, load_exactly, node_sums, normalised, prefix
from dpverify.problems import Linear, Problem
from dpverify.releases import TreeNode

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    chosen: Array  # (runs, d), a uniformly random one of the iterates so far
    order: Array  # (runs, N), the records in the order of this epoch
    prefixes: tuple[Array | None, ...]  # by level
    public: Array  # (runs, d), the momentum of the public gradient
    t: int


def refreshed(state: Any, rng: np.random.Generator, count: int, reshuffle: bool = True) -> Any:
    """A fresh order at the start of an epoch (or of the first alone), and the iterate kept with probability
    1/t for the output.
    """
    runs = len(state.x)
    if state.t == 1 or (reshuffle and (state.t - 1) % count == 0):
        state = state._replace(order=epoch_order(rng, runs, count))
    keep = rng.random((runs, 1)) * state.t < 1
    return state._replace(chosen=np.where(keep, state.x, state.chosen))


def dp_nsgd(
    problem: Problem, *, clip: float, alpha: float, scale: float, steps: int, step_size: float
) -> Algorithm:
    """Normalised SGD with noise of that scale at every node; clip is G.

    >>> dp_nsgd(logistic_case(20)[0], clip=1.0, alpha=0.1, scale=1.0, steps=8, step_size=0.1).release(6).nodes
    ((5, 6),)
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    if not 0 < alpha <= 1:
        raise ValueError(f"Expected 0 < alpha={alpha} <= 1.")
    if steps < 1:
        raise ValueError(f"Expected steps={steps} >= 1.")
    N, depth = problem.count, steps.bit_length()
    sensitivity = {REPLACE: (2 * alpha * clip,), ZERO_OUT: (alpha * clip,)}

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        return State(x, x, np.zeros((runs, N), dtype=np.int64), (None,) * depth, np.zeros_like(x), 1)

    def query(data: Any, state: State, siblings: tuple[Array | None, ...]) -> Answer:
        record = state.order[:, (state.t - 1) % N]
        term = alpha * problem.private_sum(state.x, data, clip, batch=record[:, None])
        sums, siblings = node_sums(siblings, term, state.t, 1 - alpha)
        return Answer(sums[-1][:, None], memory=siblings)

    def release(t: int) -> TreeNode:
        return TreeNode((scale,), sensitivity, ((t - 2 ** level(t) + 1, t),), period=N, decay=1 - alpha)

    def update(state: State, released: Array) -> State:
        m, prefixes = prefix(state.prefixes, released[:, 0], state.t, 1 - alpha)
        public = (1 - alpha) * state.public + alpha * problem.public_gradient(state.x)
        return state._replace(
            x=state.x - step_size * normalised(m + public), prefixes=prefixes, public=public, t=state.t + 1
        )

    return Algorithm(
        "dp-nsgd",
        steps,
        init,
        query,
        release,
        update,
        load=lambda data: load_exactly(problem, data),
        coins=lambda state, rng: refreshed(state, rng, N),
        memory=lambda data, runs: (None,) * depth,
        output=lambda state: state.chosen,
    )


def gradient_norm(problem: Problem, data: Any) -> Any:
    """|F'| at each row: what the paper bounds."""
    loaded = problem.load(data)
    return lambda x: np.linalg.norm(problem.gradient(x, loaded), axis=1)


def point(target: Guarantee) -> ApproxDP:
    """The (epsilon, delta) from which the printed noise comes."""
    if not isinstance(target, ApproxDP):
        raise ValueError(f"Expected target={target} of the form (epsilon, delta), as the paper has it.")
    return target


class GradientBound(NamedTuple):
    """A bound on the gradient with what is to be said of it, or why none is proved."""

    bound: Bound | None = None
    why_none: str = ""
    note: str = ""


def gradient_bound(
    claim: str, problem: Problem, data: Data, deviation: Array, alpha: float, eta: float, clip: float
) -> GradientBound:
    """Theorem 6 or 9 with the noise of the momentum as it is, and what is to be said of it.

    F counts with its ridge: its slope is bounded on the ball that T steps of length eta can reach.
    """
    if not (isinstance(problem, Linear) and problem.kind == "logistic" and unclipped(problem, clip)):
        return GradientBound(why_none="it is proved where no gradient is clipped, for logistic regression")
    if not alpha < 1:
        return GradientBound(why_none=f"it is proved for alpha < 1, not for alpha={alpha:g}")
    longest, T = problem.lipschitz or 0.0, len(deviation)
    reach = float(np.linalg.norm(problem.start)) + eta * T
    most = longest + 2 * problem.ridge * reach
    values: dict[str, Any] = {
        "R": first_gap(problem, data),
        "eta": eta,
        "beta": 1 - alpha,
        "N": problem.count,
        "T": T,
    }
    values |= {"G": most, "L": longest**2 / 4 + 2 * problem.ridge}
    values |= {"nu": math.sqrt(problem.dimension) * deviation}
    bound = Bound(claim, values)
    if bound.broken:
        return GradientBound(why_none=f"it needs {', '.join(bound.broken)}")
    if bound.value > most:
        return GradientBound(
            bound,
            note=f"the bound is above {most:.3g}, which |F'| never exceeds: to be below takes alpha < "
            "1/36 and thousands of records",
        )
    return GradientBound(bound)


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 80,
    clip: float = 1.0,
    alpha: float = 0.1,
    step_size: float | None = None,
) -> Example:
    """Logistic regression, N = 20, d = 3, four epochs, eta = 1/sqrt(N T).

    >>> certified, printed = (example(as_printed=p).algorithm.release(1).scale[0] for p in (False, True))
    >>> round(certified / printed, 2)
    0.19
    """
    problem, data = case or logistic_case(20, ridge=0.05, doubt=0.3)
    N = problem.count
    eta = 1 / math.sqrt(N * steps) if step_size is None else step_size
    common: dict[str, Any] = {"clip": clip, "alpha": alpha, "steps": steps, "step_size": eta}
    scale = 1.0
    if as_printed:
        epsilon, delta = point(target).epsilon, point(target).delta
        scale = 4 * alpha * clip * printed_sigma(epsilon, delta) * math.sqrt(printed_v(steps, N))
    else:
        scale = certified_noise(dp_nsgd(problem, scale=1.0, **common).ledger(), target, adjacency)
    deviation = prefix_deviation(alpha, scale, steps)
    proved = gradient_bound("momentum-agg/bound-nsgd", problem, data, deviation, alpha, eta, clip)
    note = proved.note
    if as_printed and delta < math.exp(-epsilon):
        note = "; ".join(
            filter(None, [note, "Theorem 4 is for delta >= exp(-epsilon), which is not so here"])
        )
    return Example(
        dp_nsgd(problem, scale=scale, **common),
        "momentum-agg",
        problem,
        data,
        adjacency,
        target,
        bound=proved.bound,
        quantity="E |F'(x)|",
        measure=gradient_norm(problem, data),
        no_bound=proved.why_none,
        note=note,
        limit=("normalised momentum", {"step_size": eta, "alpha": alpha}),
    )
