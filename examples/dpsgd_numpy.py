"""DP-SGD in NumPy with a bug: the gradient is averaged first and clipped then, so one record moves it by far
more than 2 CLIP / n.

dpverify audit examples.dpsgd_numpy:train --neighbours examples.dpsgd_numpy:pair --mu 1.7321
"""

import numpy as np

from dpverify import GDP, Budget, Neighbours, audit

CLIP = 1.0
NOISE = 2.0
RATE = 0.5
STEPS = 3
CLAIM = GDP(STEPS**0.5 * 2 / NOISE)  # STEPS releases of sensitivity 2 CLIP / n with noise NOISE CLIP / n


def gradients(w, x, y):
    """The gradient of the logistic loss, one row per record."""
    return -(y / (1 + np.exp(y * (x @ w))))[:, None] * x


def clip(g):
    """Vectors on the last axis, shortened to norm CLIP if they are longer."""
    return g / np.maximum(1.0, np.linalg.norm(g, axis=-1, keepdims=True) / CLIP)


def train(data, rng, mended=False):
    """The last iterate; replacing one record is to be hidden."""
    x, y = data
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        g = gradients(w, x, y)
        g = clip(g).mean(axis=0) if mended else clip(g.mean(axis=0))
        w = w - RATE * (g + NOISE * CLIP / len(x) * rng.normal(size=w.shape))
    return w


x = np.zeros((8, 2))
x[0] = [40.0, 0.0]
pair = Neighbours.replace((x, np.ones(8)), 0, (np.array([-40.0, 0.0]), 1.0))

if __name__ == "__main__":
    print(audit(train, pair, CLAIM, budget=Budget(runs=2_000)))
    print(audit(lambda data, rng: train(data, rng, mended=True), pair, CLAIM, budget=Budget(runs=2_000)))
