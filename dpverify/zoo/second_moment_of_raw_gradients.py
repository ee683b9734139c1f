"""Adam's second moment is a moving average of raw squared gradients.

update  w[t] = b w[t-1] + (1 - b) v[t]^2,  x[t+1] = x[t] - RATE s[t] / (sqrt(w[t]) + 1),   v the query
instead of w from s
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, Array, clipped_sum

DECAY = 0.9


def _adaptive(data: Array, rng: np.random.Generator, runs: int, tape: Tape, raw: bool) -> Array:
    x = np.zeros((runs, data.shape[1]))
    second = np.zeros_like(x)
    for _ in range(STEPS):
        value = clipped_sum(x, data)
        noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
        second = DECAY * second + (1 - DECAY) * (value if raw else noisy) ** 2
        x = x - RATE * noisy / (np.sqrt(second) + 1)
    return x


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Steps scaled by what should not be seen."""
    return _adaptive(data, rng, runs, tape, raw=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Steps scaled by what was released."""
    return _adaptive(data, rng, runs, tape, raw=False)


BUG = Bug(
    what="moving average of raw squared gradients",
    seen_in="design variant of SPRINT_gan #5",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(PAIR.data, 0, [0.0, 0.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
