"""The clip is forgotten: the clipped gradients are computed, the raw ones are summed (smartnoise-sdk #622).

release  s[t] = sum_i g_i(x[t]) + N(0, (C sigma)^2 I)        instead of sum_i clip(g_i(x[t]), C)
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Gaussian
from dpverify.zoo import Bug

STEPS, CLIP, SIGMA = 5, 1.0, 8.0
DECLARED = Gaussian(scale=CLIP * SIGMA, sensitivity={REPLACE: 2 * CLIP})


def _train(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape, clip: bool) -> np.ndarray:
    x = np.zeros((runs, data.shape[1]))
    for _ in range(STEPS):
        gradients = x[:, None, :] - data
        if clip:
            norms = np.linalg.norm(gradients, axis=2, keepdims=True)
            gradients = gradients * np.minimum(1, CLIP / np.maximum(norms, 1e-12))
        total = gradients.sum(axis=1)
        noisy = tape.record(total, total + DECLARED.noise(rng, total.shape), DECLARED)
        x = x - 0.1 / len(data) * noisy
    return x


def bug(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape) -> np.ndarray:
    """Noisy gradient descent on squared distances without the clip."""
    return _train(data, rng, runs, tape, clip=False)


def twin(data: np.ndarray, rng: np.random.Generator, runs: int, tape: Tape) -> np.ndarray:
    """The same with the clip."""
    return _train(data, rng, runs, tape, clip=True)


BUG = Bug(
    what="clipped gradients computed, raw ones summed",
    seen_in="smartnoise-sdk #622",
    mechanism=bug,
    twin=twin,
    neighbours=Neighbours.replace(np.full((4, 2), 0.5), 0, [30.0, 40.0]),
    claim=GDP(STEPS**0.5 * 2 / SIGMA),
    rung="replay",
)
