"""Tree aggregation: the sums of a stream of clipped records over dyadic intervals, each with Gaussian noise,
give every prefix sum.

    release  f_[y,t] = sum_{i=y..t} clip(grad f(x_0; i), G) + N(0, (Delta/rho)^2 I),   [y,t] the node of t's
    lowest bit
    update   s_t = sum of the noisy nodes of COMPOSE(1, t),   x_t = x_0 - (public gradient + s_t / N)

Citation: momentum-agg, Algorithm 5 with the nodes of section 2, Theorem 10; error: at most 1 + log2 N nodes
make up a sum (Proposition 18).

Calibration. The text after Theorem 10 takes rho = eps / (2 sqrt(V ln(1/delta))), V = floor(log2 N) + 1 nodes
a record. Only the nodes that end at their lowest bit are ever used in a prefix sum, at most V of them hold a
record, and Gaussian composition is exact: the accountant certifies 0.55 of the printed noise at N = 50, (2,
1e-3)-DP.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nsgd import point
from dpverify.bounds import Bound
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.momentum_agg import TARGET, level
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import unclipped
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import mean_case
from dpverify.parts.trees import load_exactly, node_sums, prefix
from dpverify.problems import Problem, Quadratic
from dpverify.releases import TreeNode

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d)
    order: Array  # (runs, N), the records in the order of the stream
    prefixes: tuple[Array | None, ...]  # by level
    t: int


def tree_aggregation(problem: Problem, *, clip: float, scale: float) -> Algorithm:
    """One pass over the records in their order, with noise of that scale at every node.

    >>> tree_aggregation(mean_case(6, 2)[0], clip=1.0, scale=3.0).release(6).nodes
    ((5, 6),)
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    N = problem.count
    depth = N.bit_length()
    releases = [
        TreeNode((scale,), {REPLACE: (2 * clip,), ZERO_OUT: (clip,)}, ((t - 2 ** level(t) + 1, t),), period=N)
        for t in range(1, N + 1)
    ]

    def init(runs: int) -> State:
        return State(
            np.tile(problem.start, (runs, 1)), np.broadcast_to(np.arange(N), (runs, N)), (None,) * depth, 1
        )

    def query(data: Any, state: State, siblings: tuple[Array | None, ...]) -> Answer:
        start = np.broadcast_to(problem.start, state.x.shape)
        term = problem.private_sum(start, data, clip, batch=state.order[:, [state.t - 1]])
        sums, siblings = node_sums(siblings, term, state.t, 1.0)
        return Answer(sums[-1][:, None], memory=siblings)

    def update(state: State, released: Array) -> State:
        total, prefixes = prefix(state.prefixes, released[:, 0], state.t, 1.0)
        x = problem.start - (problem.public_gradient(problem.start[None]) + total / N)
        return State(x, state.order, prefixes, state.t + 1)

    return Algorithm(
        "tree-aggregation",
        N,
        init,
        query,
        lambda t: releases[t - 1],
        update,
        load=lambda data: load_exactly(problem, data),
        memory=lambda data, runs: (None,) * depth,
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    clip: float = 1.0,
    count: int | None = None,
    dimension: int | None = None,
) -> Example:
    """The mean of 50 records in the unit ball of 3 dimensions.

    >>> certified, printed = (example(as_printed=p).algorithm.release(1).scale[0] for p in (False, True))
    >>> round(certified / printed, 2)
    0.55
    """
    for name, value in (("count", count), ("dimension", dimension)):
        if case is not None and value is not None:
            raise ValueError(f"Expected no {name}={value} beside data of one's own, which have theirs.")
    problem, data = case or mean_case(count or 50, dimension or 3)
    N, V = problem.count, math.floor(math.log2(problem.count)) + 1
    if as_printed:
        epsilon, delta = point(target).epsilon, point(target).delta
        scale = 2 * clip / (epsilon / (2 * math.sqrt(V * math.log(1 / delta))))
    else:
        scale = certified_noise(tree_aggregation(problem, clip=clip, scale=1.0).ledger(), target, adjacency)
    quiet = (
        unclipped(problem, clip) and isinstance(problem, Quadratic) and bool(np.all(problem.spectrum == 1))
    )
    return Example(
        tree_aggregation(problem, clip=clip, scale=scale),
        "momentum-agg",
        problem,
        data,
        adjacency,
        target,
        bound=Bound(
            "momentum-agg/bound-tree", {"N": N, "d": problem.dimension, "s": scale, "k": N.bit_count()}
        )
        if quiet
        else None,
        limit=("prefix sums", {"count": N}) if isinstance(problem, Quadratic) else None,
    )
