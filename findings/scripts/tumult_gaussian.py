"""Gaussian noise is drawn exactly, and then added to the value in double precision.

library: tmlt.core 0.19.1
met by: AddGaussianNoise on doubles; in Tumult Analytics sums, averages, variances and standard deviations of
    a column of doubles under a RhoZCDPBudget, whose default mechanism it is. Laplace noise, the default under
    a PureDPBudget, has none of it, nor has the noise of whole numbers
severity: breaks for a documented option
claim: the smallest d_out satisfied by the measurement, 1/2 of zCDP at distance 1 and variance 1 (docstring of
    AddGaussianNoise.privacy_function)
shown: variance 1: an output that is no multiple of 2^-53 was made from 0 and not from 1, in a quarter of
    the runs
cause: AddGaussianNoise in measurements/noise_mechanisms.py draws at mean 0 and adds the value to the rounded
    draw, so that the sum has the bits of the value; AddLaplaceNoise draws at the value, and rounds once
remedy: draw at the value, gaussian(u=float(value), ...), which the sampler offers
upstream: no public thread found (searched 2026-11-17);
    https://www.tmlt.io/resources/tiny-bits-matter-precision-based-attacks-on-differential-privacy, by its
    authors, explains such attacks on other libraries
targets: tumult:gaussian-bits
"""

import numpy as np
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements.noise_mechanisms import AddGaussianNoise, AddLaplaceNoise


def share(measurement, value):
    """How many of 2000 outputs are no multiple of 2^-53."""
    return sum(measurement(np.float64(value)) * 2.0**53 % 1 != 0 for _ in range(2000)) / 2000


gaussian, laplace = AddGaussianNoise(NumpyFloatDomain(), 1), AddLaplaceNoise(NumpyFloatDomain(), 1)
from_0, from_1 = share(gaussian, 0.0), share(gaussian, 1.0)
print(
    f"Gaussian noise: {from_0:.3f} of the outputs of 0 have a bit below 2^-53, and {from_1:g} of those of 1"
)
print(f"Laplace noise: {share(laplace, 0.0):.3f} and {share(laplace, 1.0):.3f}")
raise SystemExit(0 if from_0 > 0.2 and from_1 == 0 else "mended")
