"""Opacus (PyTorch): its optimizers and its engine on the linear loss <w, record>, and its per-example
gradients on any model.

    query     sum_i clip(g_i, clip)          released   query + N(0, (noise clip)^2 I)

Steps are recorded by the hook that Opacus calls once a gradient is noised. Its accountants speak of the
sampled Gaussian mechanism (Mironov, Talwar and Zhang 2019): added or removed records. Not in its claim:
gradients that are not numbers, which no optimizer of Opacus keeps out. `secure_mode` needs torchcsprng, which
has no release for this Python, and cannot be run.
"""

from dpverify.adapters.opacus import distributed, engine, layers, optimizers
from dpverify.adapters.opacus.gradients import check_gradients

__all__ = ["TARGETS", "check_gradients"]

TARGETS = (*optimizers.TARGETS, *engine.TARGETS, *distributed.TARGETS, *layers.TARGETS)
