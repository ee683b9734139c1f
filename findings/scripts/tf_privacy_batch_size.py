"""The sum and its noise are divided by the number of examples at hand, which one example changes.

library: tensorflow-privacy 0.9.0
met by: DPKerasSGDOptimizer with its default num_microbatches=None on batches whose size is not public, such
    as Poisson samples; on batches of one fixed size there is none of it
severity: corner case
claim: the epsilon of compute_dp_sgd_privacy_statement, for examples that are added or removed, one of them
    under Poisson sampling (its text)
shown: noise_multiplier 1, losses of zero, 100 000 weights: noise of scale 0.0100 for a batch of 100, 0.0101
    for one of 99, 4.5 standard errors apart in a single step
cause: _compute_gradients divides by the number of microbatches, which is the size of the batch by default
remedy: take the divisor as a parameter, or state that the size of a batch is public
upstream: no public thread found (searched 2026-11-17)
targets: tf-privacy:dpkeras-sgd-size
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from tensorflow_privacy import DPKerasSGDOptimizer


def noise(size, weights=100_000):
    tf.random.set_seed(0)
    variable = tf.Variable(tf.zeros(weights))
    optimizer = DPKerasSGDOptimizer(l2_norm_clip=1.0, noise_multiplier=1.0, learning_rate=1.0)
    [(gradient, _)] = optimizer._compute_gradients(
        lambda: tf.reduce_sum(variable) * tf.zeros(size), [variable]
    )
    return float(np.std(gradient))


scales = [noise(100), noise(99)]
apart = (scales[1] / scales[0] - 1) / np.sqrt(0.5 / 100_000)
print(f"noise of scale {scales[0]:.5f} for 100 examples, {scales[1]:.5f} for 99: {apart:.1f} standard errors")
raise SystemExit(0 if apart > 2 else "mended")
