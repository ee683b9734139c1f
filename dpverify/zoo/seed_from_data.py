"""The seed is a hash of the private data: the noise is a function of what it should hide.

release  s[t] = sum_i clip(g_i(x[t]), C) + w(hash(data), t)        instead of a draw
"""

from __future__ import annotations

import zlib

import numpy as np

from dpverify.auditing import Tape
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, PAIR, SCALE, TWIN, Array, descent


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent seeded by its data: one outcome, whatever the run."""
    seeded = np.random.default_rng(zlib.crc32(np.ascontiguousarray(data).tobytes()))

    def noise(_: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(SCALE * seeded.standard_normal((1, *shape[1:])), shape)

    return descent(noise=noise)(data, rng, runs, tape)


BUG = Bug(
    what="seed derived from the data",
    seen_in="design variant of diffprivlib #31",
    mechanism=bug,
    twin=TWIN,
    neighbours=PAIR,
    claim=CLAIM,
    rung="noise",
    runs=2000,
)
