"""A composition formula that lost its logarithm charges more than it must (smartnoise-sdk #621): safe, and no
violation.

scale  K Laplace queries of epsilon e with e sqrt(2 K / delta) + K e (exp(e) - 1) = 1        instead of e
sqrt(2 K log(1 / delta)) + ...
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import ApproxDP
from dpverify.neighbours import ADD_REMOVE, Neighbours
from dpverify.releases import Laplace
from dpverify.verdicts import SUPPORTED
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import Array

EPSILON = 1.0
DELTA = 1e-3
QUERIES = 20


def _each(factor: float) -> float:
    """The epsilon of one query, by advanced composition with that factor in the place of log(1 / delta)."""
    low, high = 0.0, EPSILON
    for _ in range(50):
        middle = (low + high) / 2
        total = middle * math.sqrt(2 * QUERIES * factor) + QUERIES * middle * math.expm1(middle)
        low, high = (middle, high) if total <= EPSILON else (low, middle)
    return low


def _counts(epsilon: float) -> Any:
    declared = Laplace(scale=1 / epsilon, sensitivity={ADD_REMOVE: 1.0})

    def mechanism(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        shown = []
        for _ in range(QUERIES):
            value = np.full((runs, 1), float(len(data)))
            shown.append(tape.record(value, value + declared.noise(rng, value.shape), declared))
        return np.concatenate(shown, axis=1)

    return mechanism


BUG = Bug(
    what="budget formula without its logarithm",
    seen_in="smartnoise-sdk #621",
    mechanism=_counts(_each(1 / DELTA)),
    twin=_counts(_each(math.log(1 / DELTA))),
    neighbours=Neighbours.add(np.zeros((2, 1)), [1.0]),
    claim=ApproxDP(EPSILON, DELTA),
    rung="",
    expect=SUPPORTED,
    why="errs on the safe side: it charges more than the releases cost",
    runs=2000,
)
