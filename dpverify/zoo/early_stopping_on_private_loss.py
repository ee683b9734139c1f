"""Training stops when the loss on the private data, without noise, is small enough (LeakPro PR #438).

update  x[t+1] = x[t] - RATE s[t] only while F(x[t]) > threshold        instead of for a public number of
steps
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, TWIN, Array, clipped_sum, gradients


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent that stops by a look at the private loss."""
    x = np.zeros((runs, data.shape[1]))
    for _ in range(STEPS):
        value = clipped_sum(x, data)
        noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
        loss = 0.5 * (gradients(x, data) ** 2).sum(axis=(1, 2))
        x = np.where(loss[:, None] > 10.0, x - RATE * noisy, x)
    return x


BUG = Bug(
    what="early stopping on the private loss",
    seen_in="LeakPro PR #438",
    mechanism=bug,
    twin=TWIN,
    neighbours=Neighbours.replace(PAIR.data, 0, [0.0, 0.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
