"""DP-SGD in PyTorch with a bug: each of four parameters is clipped at CLIP, so a record moves them all by 2
CLIP; the noise is for CLIP.

dpverify audit examples.dpsgd_torch:train --neighbours examples.dpsgd_torch:pair --epsilon 1 --delta 0.04
--runs 2000
"""

import numpy as np
import torch
from torch.func import grad, vmap

from dpverify import ApproxDP, Budget, Neighbours, audit

CLIP = 1.0
NOISE = 2.0
RATE = 0.01
STEPS = 2
CLAIM = ApproxDP(
    1.0, 0.04
)  # STEPS releases of sensitivity CLIP with noise NOISE CLIP, a record added or removed


def loss(w, x, y):
    """The squared error of a network with three hidden units, on one record."""
    return (torch.tanh(x @ w["w1"] + w["b1"]) @ w["w2"] + w["b2"] - y).square().sum()


def train(data, rng, mended=False):
    """The trained weights."""
    x, y = (torch.as_tensor(part) for part in data)
    noise = torch.Generator().manual_seed(int(rng.integers(2**62)))
    w = {
        name: torch.full(shape, 0.1, dtype=torch.float64)
        for name, shape in {"w1": (2, 3), "b1": (3,), "w2": (3, 1), "b2": (1,)}.items()
    }
    for _ in range(STEPS):
        rows = {name: g.flatten(1) for name, g in vmap(grad(loss), in_dims=(None, 0, 0))(w, x, y).items()}
        norms = {name: g.norm(dim=1) for name, g in rows.items()}
        whole = torch.stack(list(norms.values())).norm(dim=0)
        for name, g in rows.items():
            factor = (CLIP / (whole if mended else norms[name])).clamp(max=1.0)
            noisy = factor @ g + NOISE * CLIP * torch.randn(g.shape[1], generator=noise, dtype=g.dtype)
            w[name] = w[name] - RATE * noisy.reshape(w[name].shape)
    return np.concatenate([part.numpy().ravel() for part in w.values()])


pair = Neighbours.remove((np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1000.0, 0.0])), 0)

if __name__ == "__main__":
    print(audit(train, pair, CLAIM, budget=Budget(runs=2_000)))
    print(audit(lambda data, rng: train(data, rng, mended=True), pair, CLAIM, budget=Budget(runs=2_000)))
