"""Noise in double precision has bits that tell the value it was added to.

library: diffprivlib 0.6.6
met by: mechanisms.Laplace, Gaussian, GaussianAnalytic, LaplaceTruncated, LaplaceFolded,
    LaplaceBoundedDomain, LaplaceBoundedNoise, Staircase, Uniform; not Snapping, Geometric and
    GaussianDiscrete, which are made for it
severity: breaks for an ordinary user
claim: epsilon-differential privacy (docstrings of the mechanisms; that of Laplace adds that its samples
    prevent attacks through the limited precision of floating point, which they do, and their sum does not)
shown: an output with a bit below 2^-54 was made from 0 and not from 1, in about 9 % of runs
cause: noise is drawn and added in floating point (Mironov 2012; Casacuberta et al. 2022)
remedy: noise on a grid, as the discrete mechanisms of the library have it
upstream: https://github.com/IBM/differential-privacy-library/issues/94
targets: diffprivlib:*-bits
"""

import numpy as np
from diffprivlib.mechanisms import Laplace

mechanism = Laplace(epsilon=1.0, sensitivity=1.0, random_state=0)


def low_bits(value, runs=5000):
    outputs = np.array([mechanism.randomise(value) for _ in range(runs)])
    return int((np.mod(outputs * 2.0**54, 1.0) != 0).sum())


zero, one = low_bits(0.0), low_bits(1.0)
print(f"outputs with a bit below 2^-54, of 5000: {zero} made from 0, {one} made from 1")
raise SystemExit(0 if one == 0 < zero else "mended")
