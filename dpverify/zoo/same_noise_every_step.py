"""The random key is not split between steps: every step adds the same noise (jax PR #3646).

release  s[t] = sum over batch t of clip(g_i(x[t]), C) + w,   w ~ N(0, scale^2 I) drawn once        instead of
afresh at every t

The records take turns, so that the difference of two releases shows one record's gradient without noise.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, STEPS, Array, fresh_noises, fresh_transcript, transcript


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with one draw of noise for all steps."""
    return transcript(data, fresh_noises(rng, runs, data)[:1] * STEPS, tape)


BUG = Bug(
    what="same noise every step",
    seen_in="jax PR #3646",
    mechanism=bug,
    twin=fresh_transcript,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
