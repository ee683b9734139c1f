"""Two buffers of noise take turns and are filled only once: every step adds the noise of two steps before.

release  s[t] = sum over batch t of clip(g_i(x[t]), C) + w[t mod 2],   w[0], w[1] ~ N(0, scale^2 I)
instead of a draw at every t

Neighbouring steps have independent noise; the difference of s[2] and s[0] has none.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, STEPS, Array, fresh_noises, fresh_transcript, transcript


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with two draws of noise that take turns."""
    drawn = fresh_noises(rng, runs, data)
    return transcript(data, [drawn[t % 2] for t in range(STEPS)], tape)


BUG = Bug(
    what="noise reused two steps later",
    seen_in="design variant of jax PR #3646",
    mechanism=bug,
    twin=fresh_transcript,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
