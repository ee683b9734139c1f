"""Every worker starts from the same seed: the noise of two workers cancels in their difference (the pattern
of pseudopeople PR #280).

release  s_k = sum over records of worker k of clip(record_i, C) + w,   w ~ N(0, scale^2 I) the same
instead of one draw each
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLIP, DECLARED, PAIR, SCALE, Array, clip

WORKERS = 2


def _workers(data: Array, rng: np.random.Generator, runs: int, tape: Tape, same: bool) -> Array:
    shown = []
    noise = DECLARED.noise(rng, (runs, data.shape[1]))
    for worker in range(WORKERS):
        value = np.tile(clip(data[worker::WORKERS]).sum(axis=0), (runs, 1))
        shown.append(tape.record(value, value + noise, DECLARED))
        noise = noise if same else DECLARED.noise(rng, noise.shape)
    return np.concatenate(shown, axis=1)


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Two workers with one seed."""
    return _workers(data, rng, runs, tape, same=True)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Two workers with a seed each."""
    return _workers(data, rng, runs, tape, same=False)


BUG = Bug(
    what="same seed on every worker",
    seen_in="pseudopeople PR #280 (same pattern); opacus PR #196",
    mechanism=bug,
    twin=twin,
    neighbours=PAIR,
    claim=GDP(WORKERS**0.5 * 2 * CLIP / SCALE),
    rung="noise",
    runs=2000,
)
