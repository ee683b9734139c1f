"""An infinite gradient passes the clip as inf * 0 = NaN, and a step that is not finite is skipped, as loss
scaling does.

release  s[t] = sum_i g_i min(1, C / |g_i|) + N(0, scale^2 I)        instead of replacing what is not finite
by 0 first
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, Array, clipped_sum


def _mixed_precision(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    x = np.zeros((runs, data.shape[1]))
    for _ in range(STEPS):
        with np.errstate(invalid="ignore"):
            value = clipped_sum(x, data)
        noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
        x = np.where(np.isfinite(noisy).all(axis=1, keepdims=True), x - RATE * noisy, x)
    return x


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent in which one infinite record stops every step."""
    return _mixed_precision(data, rng, runs, tape)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """The same after records that are not finite were set to 0."""
    return _mixed_precision(np.where(np.isfinite(data), data, 0.0), rng, runs, tape)


BUG = Bug(
    what="an infinite gradient passes the clip as NaN",
    seen_in="jax_privacy, guide to pitfalls",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(PAIR.data, 0, [np.inf, 0.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
