"""Sensitivity-reduced normalised SGD: three trees of noisy sums, of gradients at anchors and of two small
differences, give the momentum.

    G, r, Delta    at step t of epoch q: grad(w_qN+1),  grad(w_t) - grad(w_qN+1),  grad(w_qN+1) -
    grad(w_(q-1)N+1)  of the step's record
    release        for every node [y,t]: sum_i (1-alpha)^(t-i) (each of them, clipped) + Gaussian noise; Delta
    only if y > N
    update         B_t = (1-gamma) (Delta(t-N+1,t) + B_{t-N}) + gamma G(t-N+1,t)  (t >= 2N; G(t-N+1,t)
    before),   G_t = rho G_{t-N} + B_t
                   m_t = alpha (G_t + r(1,t)),   w_{t+1} = w_t - eta m_t/|m_t|

Citation: momentum-agg, Algorithms 2 and 4, Theorem 8, Lemma 17; bound: Theorem 9 with the noise as it is.
X(a,b) is the sum over COMPOSE(a,b) of (1-alpha)^(b-z) X_[y,z], found by walking down the
tree: O(log N) work a step where Algorithm 4 spends O(T/N log N); `literal` runs it as it is printed.

Without noise m_t is the momentum of DP-NSGD only if every epoch takes the records in the same order: Lemma 17
subtracts from the block of one epoch the block of the epoch before, term by term, as if both had the same
records in the same places. With fresh orders, as printed, m_t is off from step 2N on by a difference of two
shuffled sums.

Calibration. As printed the nodes of r and Delta have sensitivity 2 eta N. A replaced record moves a *term* by
up to 2 eta N L, and a node by up to 2.6 times that, so the printed noise of r and Delta is short by 2.6 L,
which V_{>2N} = 4 (T/N) log2 N makes up for while L is small: at N = 20, T = 80, alpha = 0.1, (2, 1e-3)-DP,
the accountant certifies 0.18 of the printed noise of G and 0.09 of that of r and Delta for L = 1/4; for L = 8
the printed noise has eps = 4.2 .
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms import Example
from dpverify.algorithms.dp_nsgd import GradientBound, gradient_bound, gradient_norm, point, refreshed
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.momentum_agg import (
    TARGET,
    block_coefficients,
    ending_at,
    printed_sigma,
    printed_v_reduced,
    reduced_deviation,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.budgets import certified_noise
from dpverify.parts.cases import logistic_case
from dpverify.parts.trees import Forest, covering, grow, load_exactly, node_sums, normalised
from dpverify.problems import Problem
from dpverify.releases import TreeNode

Array = np.ndarray[Any, Any]

# The streams.
G = 0
R = 1
DELTA = 2


class State(NamedTuple):
    x: Array  # (runs, d)
    chosen: Array  # (runs, d), a uniformly random one of the iterates so far
    order: Array  # (runs, N), the records in the order of this epoch
    anchor: Array  # (runs, d), the iterate at the first step of this epoch
    before: Array  # (runs, d), that of the epoch before
    forest: Forest  # values (runs, 3, d)
    sums: tuple[Array, Array]  # G_t and B_t of the last step
    public: Array  # (runs, d), the momentum of the public gradient
    t: int


class Scales(NamedTuple):
    """The noise of a node: of G up to step 2N, of G later, of r and Delta."""

    early: float
    late: float
    difference: float


def sensitivity_reduced_nsgd(
    problem: Problem,
    *,
    clip: float,
    smoothness: float,
    alpha: float,
    gamma: float,
    scales: Scales,
    steps: int,
    step_size: float,
    literal: bool = False,
    reshuffle: bool = True,
) -> Algorithm:
    """Algorithm 2; `clip` is G, `smoothness` the L of a record's gradient, whose differences are clipped to
    eta N L.

    Without `reshuffle` every epoch takes the records in the order of the first.

    >>> problem, scales = logistic_case(20)[0], Scales(1.0, 1.0, 0.1)
    >>> algorithm = sensitivity_reduced_nsgd(
    ...     problem, clip=1.0, smoothness=0.25, alpha=0.1, gamma=0.5, scales=scales, steps=8, step_size=0.01)
    >>> len(algorithm.release(4).nodes)
    6
    """
    if not clip > 0 or not smoothness > 0:
        raise ValueError(f"Expected clip={clip} > 0 and smoothness={smoothness} > 0.")
    if not 0 < alpha <= 1 or not 0 <= gamma <= 1:
        raise ValueError(f"Expected 0 < alpha={alpha} <= 1 and 0 <= gamma={gamma} <= 1.")
    if problem.count < 2:
        raise ValueError(f"Expected a problem of at least 2 records, got count={problem.count}.")
    if steps < 1:
        raise ValueError(f"Expected steps={steps} >= 1.")
    N = problem.count
    depth = steps.bit_length()
    decay = 1 - alpha
    small = step_size * N * smoothness
    rho = (1 - alpha) ** problem.count
    window = steps if literal else problem.count
    coefficients = block_coefficients(gamma, rho).values(steps // N + 1) if literal else np.zeros(0)

    def streams(node: tuple[int, int]) -> tuple[int, ...]:
        return (G, R, DELTA) if node[0] > N else (G, R)

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        zero = np.zeros_like(x)
        return State(x, x, np.zeros((runs, N), dtype=np.int64), x, x, (), (zero, zero), zero, 1)

    def query(data: Any, state: State, siblings: tuple[Array | None, ...]) -> Answer:
        record = state.order[:, [(state.t - 1) % N]]
        term = np.zeros((len(state.x), 3, problem.dimension))
        term[:, G] = problem.private_sum(state.anchor, data, clip, batch=record)
        term[:, R] = problem.private_sum(state.x, data, small, batch=record, minus=state.anchor)
        if state.t > N:
            term[:, DELTA] = problem.private_sum(state.anchor, data, small, batch=record, minus=state.before)
        sums, siblings = node_sums(siblings, term, state.t, decay)
        parts = [total[:, streams(node)] for node, total in zip(ending_at(state.t), sums)]
        return Answer(np.concatenate(parts, axis=1), memory=siblings)

    def release(t: int) -> TreeNode:
        kinds = [(node, stream) for node in ending_at(t) for stream in streams(node)]
        moved = tuple(clip if stream == G else small for _, stream in kinds)
        return TreeNode(
            tuple(
                (scales.early if t <= 2 * N else scales.late) if stream == G else scales.difference
                for _, stream in kinds
            ),
            {REPLACE: tuple(2 * c for c in moved), ZERO_OUT: moved},
            tuple(node for node, _ in kinds),
            period=N,
            decay=decay,
        )

    def gathered(forest: Forest, a: int, b: int) -> Array:
        first, *rest = (decay ** (b - node.last) * node.value for node in covering(forest, a, b))
        return sum(rest, start=first)

    def fast(forest: Forest, t: int) -> tuple[Array, Array]:
        if t < N:
            return gathered(forest, 1, t)[:, G], np.zeros(0)
        old_g, old_b = next(covering(forest, t - N + 1, t - N + 1)).remembered
        block = gathered(forest, t - N + 1, t)
        b = block[:, G] if t < 2 * N else (1 - gamma) * (block[:, DELTA] + old_b) + gamma * block[:, G]
        return rho * old_g + b if t > N else b, b

    def printed(forest: Forest, t: int) -> Array:
        q, r = divmod(t, N)
        total = np.zeros((1, problem.dimension))
        if r:
            total = total + rho**q * gathered(forest, 1, r)[:, G]
        if q:
            total = total + coefficients[q - 1] * gathered(forest, r + 1, r + N)[:, G]
        for i in range(1, q):
            block = gathered(forest, t - i * N + 1, t - (i - 1) * N)
            total = total + coefficients[i - 1] * ((1 - gamma) * block[:, DELTA] + gamma * block[:, G])
        return total

    def update(state: State, released: Array) -> State:
        t = state.t
        values = []
        column = 0
        for node in ending_at(t):
            kinds = streams(node)
            value = np.zeros((len(released), 3, problem.dimension))
            value[:, kinds] = released[:, column : column + len(kinds)]
            values.append(value)
            column += len(kinds)
        forest = grow(state.forest, values, t, window, remembered=state.sums)
        sums = (printed(forest, t), state.sums[1]) if literal else fast(forest, t)
        public = decay * state.public + alpha * problem.public_gradient(state.x)
        m = alpha * (sums[0] + gathered(forest, 1, t)[:, R])
        x = state.x - step_size * normalised(m + public)
        anchor, before = (x, state.anchor) if t % N == 0 else (state.anchor, state.before)
        return state._replace(
            x=x, anchor=anchor, before=before, forest=forest, sums=sums, public=public, t=t + 1
        )

    return Algorithm(
        "sensitivity-reduced-nsgd",
        steps,
        init,
        query,
        release,
        update,
        load=lambda data: load_exactly(problem, data),
        coins=lambda state, rng: refreshed(state, rng, N, reshuffle),
        memory=lambda data, runs: (None,) * depth,
        output=lambda state: state.chosen,
    )


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 80,
    clip: float = 1.0,
    alpha: float = 0.1,
    gamma: float | None = None,
    step_size: float | None = None,
    smoothness: float | None = None,
    reshuffle: bool = True,
) -> Example:
    """Logistic regression, N = 20, d = 3, four epochs, eta = 1/sqrt(N T), gamma = eta N; the epochs take the
    records in fresh orders, or, without `reshuffle`, in one, with which Lemma 17 holds. Differences of
    gradients are clipped for a smoothness of 1/4, or for that of longer records, unless one is given.

    >>> example().algorithm.name
    'sensitivity-reduced-nsgd'
    """
    problem, data = case or logistic_case(20, ridge=0.05, doubt=0.3)
    N = problem.count
    eta = 1 / math.sqrt(N * steps) if step_size is None else step_size
    gamma = min(eta * N, 0.5) if gamma is None else gamma
    needed = (problem.lipschitz or 0.0) ** 2 / 4  # of logistic loss
    smoothness = max(0.25, needed) if smoothness is None else smoothness
    few, many = (math.sqrt(v) for v in printed_v_reduced(steps, N))
    common: dict[str, Any] = {
        "clip": clip,
        "smoothness": smoothness,
        "alpha": alpha,
        "gamma": gamma,
        "steps": steps,
        "step_size": eta,
        "reshuffle": reshuffle,
    }
    if as_printed:
        sigma = printed_sigma(point(target).epsilon, point(target).delta, 4.0)
        scales = Scales(4 * clip * sigma * few, 4 * clip * sigma * many, 2 * eta * N * sigma * many)
    else:
        shape = Scales(4 * clip * few, 4 * clip * many, 4 * eta * N * smoothness * many)
        scales = certified_scales(problem, shape, common, target, adjacency)
    proved = GradientBound(why_none="with the same order in every epoch no error averages out")
    if reshuffle and gamma == eta * N:
        deviation = reduced_deviation(alpha, gamma, N, steps, *scales)
        proved = gradient_bound("momentum-agg/bound-reduced-nsgd", problem, data, deviation, alpha, eta, clip)
        if smoothness < needed:
            clipped = f"differences of gradients are clipped below smoothness={needed:.3g}"
            proved = GradientBound(why_none=clipped)
    elif reshuffle:
        proved = GradientBound(
            why_none=f"it is proved for gamma = eta N = {eta * N:g}, not for gamma={gamma:g}"
        )
    note = proved.note
    if as_printed and alpha * N < 1:
        outside = f"Theorem 8 is for alpha >= 1/N = {1 / N:g}, which is not so here"
        note = "; ".join(filter(None, [note, outside]))
    return Example(
        sensitivity_reduced_nsgd(problem, scales=scales, **common),
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
        limit=None if reshuffle else ("normalised momentum", {"step_size": eta, "alpha": alpha}),
        forms=lambda: {
            "the fast reconstruction is the literal Algorithm 4": (
                sensitivity_reduced_nsgd(problem, scales=scales, **common),
                sensitivity_reduced_nsgd(problem, scales=scales, literal=True, **common),
            )
        },
    )


def certified_scales(
    problem: Problem, shape: Scales, common: dict[str, Any], target: Guarantee, adjacency: Adjacency
) -> Scales:
    """The scales of that shape which the accountant certifies."""
    ledger = sensitivity_reduced_nsgd(problem, scales=shape, **common).ledger()
    factor = certified_noise(ledger, target, adjacency)
    return Scales(*(factor * s for s in shape))
