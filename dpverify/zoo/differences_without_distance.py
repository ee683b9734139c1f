"""Gradient differences are clipped to C, not to C times the distance between the iterates, while the noise
has that factor.

release  s[t] = sum_i clip(g_i(x[t]) - g_i(x[t-1]), C) + N(0, (scale r)^2 I),   r = |x[t] - x[t-1]|
instead of clip(..., C r)

Noise and sensitivity have the public unit r; the tape holds the query in units.
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.neighbours import Neighbours
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, CLIP, DECLARED, RATE, STEPS, Array, clip


def _gradients(x: Array, data: Array) -> Array:
    return data * (data * x[:, None, :])


def _differences(data: Array, rng: np.random.Generator, runs: int, tape: Tape, distance: bool) -> Array:
    before, x = np.zeros((2, runs, data.shape[1]))
    estimate = np.zeros_like(x)
    unit = np.ones((runs, 1))
    for t in range(STEPS):
        rows = _gradients(x, data) - (_gradients(before, data) if t else data)
        limit = CLIP * unit[:, None] if distance or t == 0 else np.full((runs, 1, 1), CLIP)
        value = (clip(rows / limit) * limit).sum(axis=1) / unit
        noisy = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED) * unit
        estimate = estimate + noisy
        before, x = x, x - RATE * estimate
        unit = np.linalg.norm(x - before, axis=1, keepdims=True)
    return x


def bug(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Differences clipped as if the iterates were at distance 1."""
    return _differences(data, rng, runs, tape, distance=False)


def twin(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Differences clipped in proportion to the distance."""
    return _differences(data, rng, runs, tape, distance=True)


BUG = Bug(
    what="gradient differences clipped without the distance factor",
    seen_in="design variant",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.array([[30.0, 40.0], [0.0, 0.5], [0.25, 0.25]]), 0, [0.0, 0.0]),
    claim=CLAIM,
    rung="replay",
    runs=2000,
)
