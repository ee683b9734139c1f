"""Two buffers of noise take turns and are filled only once: every step adds the noise of two steps before.

release  s[t] = sum over batch t of clip(g_i(x[t]), C) + w[t mod 2],   w[0], w[1] ~ N(0, scale^2 I)
instead of a draw at every t

Neighbouring steps have independent noise; the difference of s[2] and s[0] has none.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, DECLARED, PAIR, RATE, STEPS, Array, clipped_sum


def _transcript(data: Array, rng: np.random.Generator, runs: int, tape: Tape, again: bool) -> Array:
    x = np.zeros((runs, data.shape[1]))
    noise = [DECLARED.noise(rng, x.shape) for _ in range(STEPS)]
    shown = []
    for t in range(STEPS):
        value = clipped_sum(x, data[t::STEPS])
        shown.append(tape.record(value, value + noise[t % 2 if again else t], DECLARED))
        x = x - RATE * shown[-1]
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with two draws of noise that take turns."""
    return _transcript(data, rng, runs, tape, again=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with fresh noise at every step."""
    return _transcript(data, rng, runs, tape, again=False)


BUG = Bug(
    what="noise reused two steps later",
    seen_in="design variant of jax PR #3646",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
