"""Noise for float64 statistics is drawn in float32.

library: pfl 0.6.0
met by: GaussianMechanism with PyTorch as the framework on statistics in float64; float32, pfl's default, has
    noise with as many bits as the statistic
severity: corner case
claim: Gaussian noise of the given standard deviation (docstring of GaussianMechanism)
shown: a statistic of 0 comes out as a float32 number in every run, one of 1/3 never
cause: add_gaussian_noise of internal/ops/pytorch_ops.py fills a float32 buffer, and adds it to the statistic
remedy: draw noise in the type of the statistic
upstream: no public thread found (searched 2026-11-17)
targets: pfl:gaussian-float64
"""

import warnings

import numpy as np
import torch
from pfl.internal.ops import pytorch_ops
from pfl.internal.ops.selector import set_framework_module
from pfl.privacy.gaussian_mechanism import GaussianMechanism
from pfl.stats import MappedVectorStatistics

warnings.simplefilter("ignore")
set_framework_module(pytorch_ops)


def released(value, seed):
    statistic = MappedVectorStatistics({"s": torch.full((1,), value, dtype=torch.float64)}, weight=1.0)
    return np.asarray(GaussianMechanism(1.0, 1.0).add_noise(statistic, 1, seed=seed)[0]["s"], dtype=float)[0]


def short(value):
    """How many of a hundred outputs are float32 numbers."""
    outputs = [released(value, seed) for seed in range(1, 101)]
    return sum(float(np.float32(output)) == output for output in outputs)


nothing, something = short(0.0), short(1 / 3)
print(f"outputs that are float32 numbers: {nothing} of 100 for a statistic of 0, {something} for one of 1/3")
raise SystemExit(0 if nothing == 100 and something < 10 else "mended")
