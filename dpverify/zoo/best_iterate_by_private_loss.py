"""The iterate with the smallest loss on the private data, without noise, is released (jax_privacy's guide:
auxiliary information).

output  x[argmin_t F(x[t])]        instead of the last iterate
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, TWIN, Array, clipped_sum, gradients


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent that shows its best iterate."""
    x = np.zeros((runs, data.shape[1]))
    iterates = []
    for _ in range(STEPS):
        value = clipped_sum(x, data)
        x = x - RATE * tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
        iterates.append(x)
    losses = [(gradients(x, data) ** 2).sum(axis=(1, 2)) for x in iterates]
    return np.stack(iterates)[np.argmin(losses, axis=0), np.arange(runs)]


BUG = Bug(
    what="model chosen by the private loss",
    seen_in="jax_privacy, guide to pitfalls (auxiliary information)",
    mechanism=bug,
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
