"""The noisy count of clipped gradients, by which the clip norm adapts, is not in the ledger
(tensorflow-federated PR #1080, opacus #757).

release  s[t], and the count #{i : |g_i| <= C} + N(0, 8^2)        charged as s[t] alone
"""

from __future__ import annotations

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.zoo import Bug
from dpverify.zoo._optimizer import CLAIM, CLIP, PAIR, SCALE, STEPS, Array, clip, gradients

COUNT = Gaussian(scale=8.0, sensitivity={REPLACE: 1.0})
UNIT = Gaussian(scale=SCALE, sensitivity={REPLACE: 2 * CLIP})  # in units of the public clip norm


def adaptive(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """Descent with a clip norm that follows a noisy count."""
    x, limit = np.zeros((runs, data.shape[1])), np.ones((runs, 1))
    for _ in range(STEPS):
        rows = gradients(x, data) / limit[:, None]
        value = clip(rows).sum(axis=1)
        count = (np.linalg.norm(rows, axis=2) <= 1).sum(axis=1, keepdims=True).astype(float)
        x = x - 0.1 * limit * tape.record(value, value + UNIT.noise(rng, value.shape), UNIT)
        limit = limit * np.exp(-0.01 * tape.record(count, count + COUNT.noise(rng, count.shape), COUNT))
    return x


BUG = Bug(
    what="count of clipped gradients released and not accounted",
    seen_in="tensorflow-federated PR #1080; opacus #757",
    mechanism=adaptive,
    twin=adaptive,
    neighbours=PAIR,
    claim=CLAIM,
    twin_claim=GDP((CLAIM.mu**2 + STEPS * COUNT.ratio(REPLACE) ** 2) ** 0.5),
    rung="accountant",
    runs=2000,
)
