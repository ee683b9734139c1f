"""The random key is not split between steps: every step adds the same noise (jax PR #3646).

release  s[t] = sum over batch t of clip(g_i(x[t]), C) + w,   w ~ N(0, scale^2 I) drawn once        instead of
afresh at every t

The records take turns, so that the difference of two releases shows one record's gradient without noise.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, Array, clipped_sum


def _transcript(data: Array, rng: np.random.Generator, runs: int, tape: Tape, again: bool) -> Array:
    x = np.zeros((runs, data.shape[1]))
    noise = DECLARED.noise(rng, x.shape)
    shown = []
    for t in range(STEPS):
        value = clipped_sum(x, data[t::STEPS])
        shown.append(tape.record(value, value + noise, DECLARED))
        x = x - RATE * shown[-1]
        noise = noise if again else DECLARED.noise(rng, x.shape)
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with one draw of noise for all steps."""
    return _transcript(data, rng, runs, tape, again=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with fresh noise at every step."""
    return _transcript(data, rng, runs, tape, again=False)


BUG = Bug(
    what="same noise every step",
    seen_in="jax PR #3646",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
