"""Records spread over clients: their clipped means, and what one record moves them by.

The records come client by client: client p has `sizes[p]` of them, and F is the mean over the clients of
their means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.neighbours import REPLACE, ZERO_OUT, Adjacency
from dpverify.problems import Problem, Records

Array = np.ndarray[Any, Any]


def client_sizes(problem: Problem, clients: int | tuple[int, ...]) -> tuple[int, ...]:
    """The number of records of every client, from their number (equal shares) or as given.

    >>> from dpverify.parts.cases import logistic_case
    >>> client_sizes(logistic_case()[0], 4)
    (20, 20, 20, 20)
    """
    if isinstance(clients, int):
        if clients < 1 or problem.count % clients:
            raise ValueError(
                f"Expected clients={clients} >= 1 that divides the {problem.count} records, or "
                "the sizes of the clients."
            )
        return (problem.count // clients,) * clients
    if min(clients, default=0) < 1 or sum(clients) != problem.count:
        raise ValueError(f"Expected clients={clients} of at least one record each, {problem.count} together.")
    return tuple(clients)


def clipped_mean(
    problem: Problem, x: Array, data: Records, clip: Any, sizes: tuple[int, ...], minus: Array | None = None
) -> Array:
    """The mean over the clients of ClippedMean (Algorithm 2) of their records' gradients at x, or of gradient
    differences to `minus`.

    >>> from dpverify.problems import mean_estimation
    >>> problem = mean_estimation(1, count=3)
    >>> data = problem.load(np.array([[-1.0], [-9.0], [-2.0]]))
    >>> clipped_mean(problem, np.zeros((1, 1)), data, 3.0, (2, 1)).tolist()
    [[2.0]]
    """
    if len(data) != sum(sizes):
        raise ValueError(f"Expected data with {sum(sizes)} records, those of the clients, got {len(data)}.")
    if len(set(sizes)) == 1:
        return problem.private_sum(x, data, clip, minus=minus) / len(data)
    if ("clients", sizes) not in data.memo:
        ends = np.cumsum(sizes).tolist()
        data.memo["clients", sizes] = [
            Records(data.features[e - n : e], data.targets[e - n : e]) for n, e in zip(sizes, ends)
        ]
    parts = data.memo["clients", sizes]
    means = [problem.private_sum(x, part, clip, minus=minus) / n for n, part in zip(sizes, parts)]
    return np.mean(means, axis=0)


def mean_sensitivity(sizes: tuple[int, ...], clip: float) -> dict[Adjacency, float]:
    """What one record moves that mean by: 2C/(n_min P) if replaced (Lemma C.1), half of it if zeroed."""
    most = clip / (min(sizes) * len(sizes))
    return {REPLACE: 2 * most, ZERO_OUT: most}


def distance(x: Array, y: Array) -> Array:
    """|x - y|, one per run."""
    return np.linalg.norm(x - y, axis=1)


def kept(state: Any, rng: np.random.Generator) -> Any:
    """The state with its iterate kept for the output with probability 1/t: a uniformly random one of all."""
    return state._replace(chosen=np.where(rng.random((len(state.x), 1)) * state.t < 1, state.x, state.chosen))


def squared_gradient(problem: Problem, data: Any) -> Callable[[Array], Array]:
    """|F'|^2 at each row: what the paper bounds (equal clients)."""
    loaded = problem.load(data)
    return lambda x: np.sum(problem.gradient(x, loaded) ** 2, axis=1)
