"""The noise against its declaration: what is said to be found with 80 % power is found so often."""

import re

import numpy as np
import pytest

from dpverify.auditing.noise import noise_as_declared
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian, Laplace
from dpverify.verdicts import REFUTED

DATA = np.zeros((1, 1))


def noisy(declared, scale):
    def mechanism(data, rng, tape):
        draw = rng.laplace if isinstance(declared, Laplace) else rng.normal
        return tape.record(data.sum(), data.sum() + draw(scale=scale), declared)

    return mechanism


@pytest.mark.parametrize("release", [Gaussian, Laplace])
def test_a_scale_at_the_ceiling_is_refuted_four_times_in_five(release):
    declared = release(scale=1.0, sensitivity={REPLACE: 1.0})
    said = noise_as_declared(noisy(declared, 1.0), DATA, alpha=0.01, draws=100).evidence.ceiling
    [scale] = re.findall(r"below (\d\.\d+) of", said)
    results = [
        noise_as_declared(noisy(declared, float(scale)), DATA, alpha=0.01, seed=seed, draws=100)
        for seed in range(300)
    ]
    found = sum(result.verdict is REFUTED for result in results)
    assert 220 <= found <= 270  # of 240 expected, three standard deviations below, and not far above
