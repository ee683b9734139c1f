"""The sum and its noise are divided by the size of the batch at hand, which one record changes.

library: optax 0.2.8
met by: optax.contrib.differentially_private_aggregate (or dpsgd) on batches whose size is not public, such as
    Poisson samples, which the usual accountants ask for; on batches of one fixed size there is none of it
severity: corner case
claim: the DPSGD algorithm of Abadi et al. 2016 (docstring of differentially_private_aggregate), which divides
    by a fixed lot size; nothing is said of the sampling
shown: noise_multiplier 1, records of zeros, 100 000 weights: noise of scale 0.0100 for a batch of 100, 0.0101
    for one of 99, 4.5 standard errors apart in a single step
cause: update_fn divides by the first axis of the gradients
remedy: take the divisor as a parameter, or state that the size of a batch is public
upstream: no public thread found (searched 2026-11-17)
targets: optax:aggregate
"""

import jax
import numpy as np
from optax.contrib import differentially_private_aggregate


def noise(size, weights=100_000):
    aggregate = differentially_private_aggregate(1.0, 1.0, key=jax.random.key(1))
    released, _ = aggregate.update(np.zeros((size, weights), np.float32), aggregate.init(None))
    return float(np.std(released))


scales = [noise(100), noise(99)]
apart = (scales[1] / scales[0] - 1) / np.sqrt(0.5 / 100_000)
print(f"noise of scale {scales[0]:.5f} for 100 records, {scales[1]:.5f} for 99: {apart:.1f} standard errors")
raise SystemExit(0 if apart > 3 else "mended")
