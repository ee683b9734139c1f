"""The loss is released with noise, and the gradient is used without.

release  F(x[t]) + noise,   update  x[t+1] = x[t] - RATE sum_i clip(g_i(x[t]), C)        instead of noise on
the gradient
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, TWIN, Array, clipped_sum, gradients


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent along exact gradients beside a noisy loss."""
    x = np.zeros((runs, data.shape[1]))
    for _ in range(STEPS):
        loss = np.minimum(0.5 * (gradients(x, data) ** 2).sum(axis=2), 1.0).sum(axis=1, keepdims=True)
        tape.record(loss, loss + DECLARED.noise(rng, loss.shape), DECLARED)
        x = x - RATE * clipped_sum(x, data)
    return x


BUG = Bug(
    what="noise on the loss but not on the gradient",
    seen_in="design variant of LeakPro PR #438",
    mechanism=bug,
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
