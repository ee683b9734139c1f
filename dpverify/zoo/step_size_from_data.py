"""The step size is one over a smoothness constant that is computed from the private data.

update  x[t+1] = x[t] - s[t] / L(data),   L(data) = 10 + max_i |record_i|        instead of a public step size
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, STEPS, TWIN, Array, clipped_sum


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with a step size that one record can change."""
    x = np.zeros((runs, data.shape[1]))
    smoothness = 10 + np.linalg.norm(data, axis=1).max()
    for _ in range(STEPS):
        value = clipped_sum(x, data)
        x = x - tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED) / smoothness
    return x


BUG = Bug(
    what="step size computed from the data",
    seen_in="jax_privacy, guide to pitfalls (auxiliary information)",
    mechanism=bug,
    twin=TWIN,
    neighbours=Neighbours.replace(PAIR.data, 0, [0.0, 0.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
