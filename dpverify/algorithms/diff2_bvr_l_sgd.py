"""DIFF2-BVR-L-SGD: DIFF2's private gradient each round, then local steps of one client on differences over
secret batches.

    release  k = 1     d_r as in DIFF2-GD (a gradient every T rounds, differences otherwise),   w = v_r
             k = 2..K  mean over a secret batch of b records of client 1 + r mod P of clip(grad l(y_{k-1}) -
             grad l(y_{k-2}), C)
                       + N(0, (sigma_3 C)^2 I),   C = C_3 |y_{k-1} - y_{k-2}|,   added to w
    update   y_k = y_{k-1} - eta (public gradient + w);   x_r = y_K;   output y_{k-1} for a random round and a
    random k

Citation: diff2, Algorithms 1 and 4; noise: Proposition E.2 with u_1 = u_2 = 3. The paper's utility bound
(Theorem 5.3) has no constants; the bound is ours, for steps that are short enough.

Calibration. Proposition E.2 with Lemma B.7 is enough where it applies (its terms of order 3 and more do not
vanish as sigma_3 grows, so batches must be small), and loose: at n = 50 a client, P = 4, b = 5, R = 8, T = 4,
K = 4, (3, 1e-5)-DP the accountant certifies 0.68 of its three noises.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.accounting import calibrate
from dpverify.algorithms import Example
from dpverify.algorithms.diff2_dp_gd import gradient_bound, record_smoothness
from dpverify.algorithms.diff2_gd import diff2_gd, server_releases
from dpverify.algorithms.dp_nsgd import point
from dpverify.bounds import Bound
from dpverify.engine import Algorithm, Answer
from dpverify.formulas.diff2 import (
    TARGET,
    printed_local_sigma,
    printed_variances,
    renyi_order,
    round_variances,
)
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency, Data
from dpverify.parts.bounding import first_gap, unclipped
from dpverify.parts.cases import logistic_case
from dpverify.parts.clients import client_sizes, clipped_mean, distance, kept, squared_gradient
from dpverify.problems import Problem
from dpverify.releases import Gaussian, Release, Subsampled
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


class State(NamedTuple):
    x: Array  # (runs, d), y_{k-1}
    previous: Array  # (runs, d), y_{k-2}
    begun: Array  # (runs, d), x_{r-1}, where the round began
    before: Array  # (runs, d), x_{r-2}
    v: Array  # (runs, d), the server's gradient
    w: Array  # (runs, d), the client's
    chosen: Array  # (runs, d)
    t: int


def all_releases(
    sizes: tuple[int, ...],
    variances: Schedule,
    local_sigma: float,
    rounds: int,
    restart: int,
    clip: float,
    local: int,
    batch: int,
) -> list[Release]:
    """The releases of all rounds: the server's, then those of the client whose turn it is."""
    if local < 1:
        raise ValueError(f"Expected local={local} >= 1.")
    if not 1 <= batch <= min(sizes):
        raise ValueError(f"Expected 1 <= batch={batch} <= {min(sizes)}, the records of the smallest client.")
    inner = Gaussian(local_sigma, {REPLACE: 2 / batch, ZERO_OUT: 1 / batch})
    releases: list[Release] = []
    for r, server in enumerate(server_releases(sizes, variances, rounds, restart, clip), start=1):
        p = r % len(sizes)
        own = Subsampled(inner, size=batch, of=sizes[p], first=sum(sizes[:p]))
        releases += [server, *[own] * (local - 1)]
    return releases


def diff2_bvr_l_sgd(
    problem: Problem,
    *,
    clip: float,
    difference_clip: float,
    variances: Schedule,
    local_sigma: float,
    restart: int,
    rounds: int,
    local: int,
    batch: int,
    step_size: float,
    clients: int | tuple[int, ...],
) -> Algorithm:
    """DIFF2 with local steps: K is `local`, b `batch`, C_2 = C_3 `difference_clip`, sigma_3 `local_sigma`.

    >>> algorithm = diff2_bvr_l_sgd(logistic_case()[0], clip=1.0, difference_clip=0.25,
    ...     variances=Schedule(1.0), local_sigma=2.0,
    ...     restart=2, rounds=3, local=4, batch=5, step_size=0.1, clients=4)
    >>> algorithm.steps, algorithm.release(2).first
    (12, 20)
    """
    if not difference_clip > 0:
        raise ValueError(f"Expected difference_clip={difference_clip} > 0.")
    sizes = client_sizes(problem, clients)
    releases = all_releases(sizes, variances, local_sigma, rounds, restart, clip, local, batch)

    def place(t: int) -> tuple[int, int]:
        return (t - 1) // local + 1, (t - 1) % local + 1

    def init(runs: int) -> State:
        x = np.tile(problem.start, (runs, 1))
        zero = np.zeros_like(x)
        return State(x, x, x, x, zero, zero, x, 1)

    def query(data: Any, state: State, chosen: Array | None = None) -> Answer:
        r, k = place(state.t)
        if k == 1 and (r - 1) % restart == 0:
            return Answer(clipped_mean(problem, state.x, data, clip, sizes))
        if k == 1:
            unit = difference_clip * distance(state.x, state.before)
            return Answer(clipped_mean(problem, state.x, data, unit, sizes, minus=state.before), unit)
        unit = difference_clip * distance(state.x, state.previous)
        return Answer(
            problem.private_sum(state.x, data, unit, batch=chosen, minus=state.previous) / batch, unit
        )

    def update(state: State, released: Array) -> State:
        r, k = place(state.t)
        v = state.v
        if k == 1:
            v = released if (r - 1) % restart == 0 else state.v + released
        w = v if k == 1 else state.w + released
        x = state.x - step_size * (problem.public_gradient(state.x) + w)
        begun, before = (x, state.begun) if k == local else (state.begun, state.before)
        return State(x, state.x, begun, before, v, w, state.chosen, state.t + 1)

    return Algorithm(
        "diff2-bvr-l-sgd",
        rounds * local,
        init,
        query,
        lambda t: releases[t - 1],
        update,
        load=problem.load,
        coins=kept,
        output=lambda state: state.chosen,
        work=problem.work,
    )


def local_bound(
    problem: Problem,
    data: Data,
    *,
    clip: float,
    L: float,
    eta: float,
    rounds: int,
    restart: int,
    local: int,
    clients: int,
    noises: tuple[float, float, float],
) -> Bound | None:
    """The bound of local steps, where no gradient is clipped and eta is small enough; `noises` are E|noise|^2
    of a restart, and those of the server's and the client's differences per squared distance.
    """
    if not unclipped(problem, clip):
        return None
    first, second, third = noises
    twice = 1 if clients == 1 else 2  # the client whose turn it is is not everybody
    apart = 2 * L * (1 - 1 / clients)
    values: dict[str, Any] = {"eta": eta, "L": L, "S": rounds * local, "T": restart, "K": local}
    values |= {"e": [first_gap(problem, data)], "a": twice * first, "q": twice * local * second}
    bound = Bound("diff2/bound-local", values | {"p": twice * third + 2 * (local - 1) * apart**2})
    return None if bound.broken else bound


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    rounds: int = 8,
    restart: int = 4,
    local: int = 4,
    batch: int = 5,
    clients: int | None = None,
    clip: float = 1.0,
    step_size: float = 0.2,
) -> Example:
    """Logistic regression, 200 records, d = 3, 4 clients, 8 rounds of 4 steps, batches of 5, (3, 1e-5)-DP.

    >>> example(as_printed=True).algorithm.steps
    32
    """
    problem, data = case or logistic_case(200)
    clients, L = clients or (4 if case is None else 1), record_smoothness(problem)
    epsilon, delta = point(target).epsilon, point(target).delta
    sizes = client_sizes(problem, clients)
    order = renyi_order(epsilon, delta)
    u = 3.0
    first = printed_variances(rounds, restart, problem.count, epsilon, order, u)[0]
    second = first * (rounds - -(-rounds // restart)) / -(-rounds // restart)
    allowed = (1 - 2 / u) * epsilon
    try:
        third = printed_local_sigma(
            rounds=rounds,
            local=local,
            clients=clients,
            batch=batch,
            size=min(sizes),
            order=order,
            allowed=allowed,
        )
    except ValueError:
        if as_printed:
            raise
        third = math.sqrt(first * clients * rounds * (local - 1) / -(-rounds // restart))  # to scale alone

    def releases(m: float) -> list[Release]:
        return all_releases(
            sizes,
            round_variances(m**2 * first, m**2 * second, restart),
            m * third,
            rounds,
            restart,
            clip,
            local,
            batch,
        )

    factor = 1.0 if as_printed else calibrate(releases, target, adjacency, tolerance=1e-2)
    variances = round_variances(factor**2 * first, factor**2 * second, restart)
    common: dict[str, Any] = {
        "clip": clip,
        "difference_clip": L,
        "variances": variances,
        "restart": restart,
        "rounds": rounds,
        "step_size": step_size,
        "clients": clients,
    }
    sigmas = factor * math.sqrt(first), factor * math.sqrt(second)
    if local == 1:
        settings: dict[str, Any] = {"eta": step_size, "rounds": rounds, "restart": restart, "sigma": sigmas}
        bound = gradient_bound(problem, data, clips=(clip, L), L=L, **settings)
        note = "with one step a round it is DIFF2-GD, whose bound this is" if bound else ""
    else:
        d, spread = problem.dimension, L**2 * (sizes[0] - batch) / (batch * max(sizes[0] - 1, 1))
        noises = d * (sigmas[0] * clip) ** 2, d * (sigmas[1] * L) ** 2, d * (factor * third * L) ** 2 + spread
        settings = {"clip": clip, "L": L, "eta": step_size, "rounds": rounds, "restart": restart}
        bound = local_bound(problem, data, local=local, clients=clients, noises=noises, **settings)
        note = ""
    noted = f"sigma_1 = {sigmas[0]:.3g}, sigma_2 = {sigmas[1]:.3g}, sigma_3 = {factor * third:.3g}"
    return Example(
        diff2_bvr_l_sgd(problem, local_sigma=factor * third, local=local, batch=batch, **common),
        "diff2",
        problem,
        data,
        adjacency,
        target,
        quantity="E |F'(x)|^2",
        measure=squared_gradient(problem, data),
        bound=bound,
        no_bound="" if bound else "it is proved where no gradient is clipped, for eta small enough",
        note="; ".join(filter(None, [note, noted])),
        forms=lambda: {
            "K = 1 is DIFF2-GD": (
                diff2_bvr_l_sgd(problem, local_sigma=factor * third, local=1, batch=batch, **common),
                diff2_gd(problem, **common),
            )
        },
    )
