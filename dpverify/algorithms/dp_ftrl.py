"""DP-FTRL with restarts: prefix sums of gradients read off a binary tree of noisy sums, a new tree every
epoch.

    release  node of t's lowest bit: sum over its steps of sum_{i in batch of the step} clip(grad f(x; i), C)
    + N(0, s^2 I) update   x_{t+1} = anchor - eta (public gradients of the epoch + prefix sum / b),   anchor
    = x at the last restart

Citation: Kairouz et al. 2021. The records come in one public order, every record once in each epoch; no
secret batch is needed. Calibration: the accountant's s, exact over the places of a record, for a record
replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.momentum_agg import level
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import baseline_case
from dpverify.parts.trees import load_exactly, node_sums, prefix
from dpverify.problems import Problem
from dpverify.releases import TreeNode

Array = np.ndarray[Any, Any]

TARGET = ApproxDP(2.0, 1e-5)


class State(NamedTuple):
    x: Array  # (runs, d)
    anchor: Array  # (runs, d), where the epoch began
    public: Array  # (runs, d), the public gradients of the epoch
    prefixes: tuple[Array | None, ...]  # by level
    t: int


def dp_ftrl(
    problem: Problem, *, clip: float, batch: int, scale: float, epochs: int, step_size: float
) -> Algorithm:
    """Follow the regularised leader on the noisy prefix sums, with noise of that scale at every node.

    >>> algorithm = dp_ftrl(baseline_case()[0], clip=1.0, batch=50, scale=1.0, epochs=2, step_size=0.1)
    >>> algorithm.steps, algorithm.release(4).nodes, algorithm.release(5).nodes
    (8, ((1, 4),), ((5, 5),))
    """
    if not clip > 0:
        raise ValueError(f"Expected clip={clip} > 0.")
    if not 1 <= batch <= problem.count:
        raise ValueError(f"Expected 1 <= batch={batch} <= {problem.count}, the number of records.")
    if epochs < 1:
        raise ValueError(f"Expected epochs={epochs} >= 1.")
    length = -(-problem.count // batch)
    depth = length.bit_length()
    sensitivity = {REPLACE: (2 * clip,), ZERO_OUT: (clip,)}

    def place(t: int) -> int:
        return (t - 1) % length + 1

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        return State(x, x, np.zeros_like(x), (None,) * depth, 1)

    def query(data: Any, state: State, siblings: tuple[Array | None, ...]) -> Answer:
        at = place(state.t)
        chosen = np.arange((at - 1) * batch, min(at * batch, problem.count))
        rows = np.broadcast_to(chosen, (len(state.x), len(chosen)))
        term = problem.private_sum(state.x, data, clip, batch=rows)
        sums, siblings = node_sums(siblings, term, at, 1.0)
        return Answer(sums[-1][:, None], memory=siblings)

    def release(t: int) -> TreeNode:
        return TreeNode((scale,), sensitivity, ((t - 2 ** level(place(t)) + 1, t),), period=length)

    def update(state: State, released: Array) -> State:
        at = place(state.t)
        total, prefixes = prefix(state.prefixes, released[:, 0], at, 1.0)
        public = state.public + problem.public_gradient(state.x)
        x = state.anchor - step_size * (public + total / batch)
        if at < length:
            return State(x, state.anchor, public, prefixes, state.t + 1)
        return State(x, x, np.zeros_like(x), (None,) * depth, state.t + 1)

    return Algorithm(
        "dp-ftrl",
        epochs * length,
        init,
        query,
        release,
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
    batch: int | None = None,
    epochs: int = 3,
    steps: int | None = None,
    clip: float = 1.0,
    step_size: float = 0.5,
) -> Example:
    """Logistic regression, 200 records, d = 3, three epochs of 10 batches; with `steps`, that many batches.

    >>> example().algorithm.steps
    30
    """
    problem, data = case or baseline_case()
    size = batch or max(1, problem.count // 10)
    common: dict[str, Any] = {"clip": clip, "batch": size, "step_size": step_size}
    length = -(-problem.count // size)
    steps = epochs * length if steps is None else steps

    def build(scale: float) -> Algorithm:
        whole = dp_ftrl(problem, scale=scale, epochs=-(-steps // length), **common)
        return replace(whole, steps=steps)

    return Example(
        build(certified_noise(build(1.0).ledger(), target, adjacency)),
        "baseline",
        problem,
        data,
        adjacency,
        target,
        no_bound="a baseline",
        note=f"{steps / length:g} epochs of batches of {size} records",
    )
