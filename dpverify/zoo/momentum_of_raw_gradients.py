"""The momentum is a running sum of raw gradients; the noise is added to the newest one alone (question raised
in SPRINT_gan #5).

update  m[t] = beta m[t-1] + v[t],  x[t+1] = x[t] - RATE (beta m[t-1] + s[t]),   v the query, s the release
instead of m from s
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, Array, clipped_sum

BETA = 0.9


def _heavy_ball(data: Array, rng: np.random.Generator, runs: int, tape: Tape, raw: bool) -> Array:
    x = np.zeros((runs, data.shape[1]))
    momentum = np.zeros_like(x)
    for _ in range(STEPS):
        value = clipped_sum(x, data)
        noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
        x = x - RATE * (BETA * momentum + noisy)
        momentum = BETA * momentum + (value if raw else noisy)
    return x


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Momentum of what should not be seen."""
    return _heavy_ball(data, rng, runs, tape, raw=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Momentum of what was released."""
    return _heavy_ball(data, rng, runs, tape, raw=False)


BUG = Bug(
    what="momentum of raw gradients",
    seen_in="question raised in SPRINT_gan #5",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
