"""GaussianAnalytic adds too little noise where delta is below the precision of 1 - erf.

library: diffprivlib 0.6.6
met by: mechanisms.GaussianAnalytic with a tiny delta (1e-17 and less), or with an epsilon of 20 and more
severity: corner case
claim: (epsilon, delta)-differential privacy (docstring of GaussianAnalytic)
shown: the delta of the noise that is added, exactly: 200 times the 1e-20 that was asked for at epsilon 1, 1.3
    times the 1e-8 at epsilon 20
cause: the distribution function is computed as (1 + erf(x / sqrt 2)) / 2, which loses all digits where it is
    below 1e-16; exp(epsilon) times that loss is counted as none
remedy: scipy.special.ndtr, or log_ndtr beside epsilon
upstream: no public thread found (searched 2026-11-17)
targets: diffprivlib:GaussianAnalytic
"""

import numpy as np
from diffprivlib.mechanisms import GaussianAnalytic
from scipy.special import log_ndtr


def exact(epsilon, scale):
    """The delta of Gaussian noise of that scale on what moves by 1 (Balle and Wang 2018)."""
    first, second = log_ndtr(0.5 / scale - epsilon * scale), log_ndtr(-0.5 / scale - epsilon * scale)
    return np.exp(first) - np.exp(epsilon + second)


factors = []
for epsilon, delta in ((1.0, 1e-5), (1.0, 1e-20), (20.0, 1e-8)):
    mechanism = GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1.0)
    factors.append(exact(epsilon, np.sqrt(mechanism.variance(0.0))) / delta)
    print(f"epsilon {epsilon:g}, delta {delta:g}: the noise has {factors[-1]:.3f} times that delta")
raise SystemExit(0 if factors[0] < 1.001 and min(factors[1:]) > 1.1 else "mended")
