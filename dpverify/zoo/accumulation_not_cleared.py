"""The buffer of accumulated gradients is not cleared between steps (opacus PR #707, #143).

release  s[t] = sum over u <= t of sum_i clip(g_i(x[u]), C) + N(0, scale^2 I)        instead of the sum at u =
t alone
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, TWIN, Array, clipped_sum


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent whose summed gradient goes on growing."""
    x = np.zeros((runs, data.shape[1]))
    summed = np.zeros_like(x)
    for _ in range(STEPS):
        summed = summed + clipped_sum(x, data)
        x = x - RATE * tape.record(summed, summed + DECLARED.noise(rng, summed.shape), DECLARED)
    return x


BUG = Bug(
    what="accumulation buffer not cleared",
    seen_in="opacus PR #707, #143",
    mechanism=bug,
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
