"""What an audit saw, for a picture: how the wealth of its bets grew, and what the learned score reaches on
fresh runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.drawing import Sampler
from dpverify.auditing.sampling import Budget, Mechanism
from dpverify.auditing.sequential import Sequential, believed
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours


class NoPicture(ValueError):
    """There is nothing to draw; the message says why."""


class Observed(NamedTuple):
    """Counts above each threshold of the best score in `fresh` runs a side, the likeliest bins first; and the
    log of the wealth after so many runs a side.
    """

    on_data: np.ndarray
    on_other: np.ndarray
    fresh: int
    wealth: list[tuple[int, float]]


def observe(mechanism: Mechanism, neighbours: Neighbours, claim: Guarantee, budget: Budget) -> Observed:
    """Bet on the first half of the runs, and count on the second.

    >>> noisy_sum = lambda data, rng, runs: data.sum() + rng.normal(size=(runs, 1))
    >>> from dpverify.guarantees import GDP
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    >>> seen = observe(noisy_sum, pair, GDP(1.0), Budget(runs=1000))
    >>> bool((seen.on_data >= seen.on_other).all()), seen.wealth[0]
    (True, (20, 0.0))
    """
    test = Sequential(worst_pair(claim))
    fresh: list[tuple[np.ndarray, np.ndarray]] = []
    for a, b in Sampler(mechanism, neighbours, budget):
        if 2 * test.samples < budget.runs:
            test.feed(a, b)
        else:
            fresh.append((a, b))
    if not fresh:
        raise NoPicture(f"runs={budget.runs} are too few to bet on one half and to count on the other")
    desk = test.early
    desk.bettors[0].learn(desk.counts, test.pair)
    score = desk.bettors[0].of
    p, q = believed("smooth", *desk.counts[score])
    order = np.argsort(-(p / q), kind="stable")
    edges, apply = desk.edges[score], desk.scores[score].apply
    x, y = (np.concatenate([apply(side[i]) for side in fresh]) for i in (0, 1))
    on_data, on_other = (
        np.cumsum(np.bincount(np.searchsorted(edges, side, side="left"), minlength=len(edges) + 1)[order])
        for side in (x, y)
    )
    return Observed(on_data[:-1], on_other[:-1], len(x), test.path)
