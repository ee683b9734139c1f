"""A gradient whose norm overflows makes all weights NaN, which everybody sees.

library: tensorflow-privacy 0.9.0
met by: DPKerasSGDOptimizer or TreeCumulativeSumQuery on an example whose gradient has entries beyond about
    1e19, whose squares are infinite in float32
severity: corner case
claim: gradients are clipped to l2_norm_clip (docstring of DPKerasSGDOptimizer)
shown: two examples, clip 1: with one gradient of 1e20, a number in float32, every weight is NaN after one
    step
cause: tf.clip_by_global_norm returns NaN where the norm is infinite, as its documentation says
remedy: set an example with a norm that is not finite to zero, as jax-privacy does
upstream: no public thread found (searched 2026-11-17)
targets: tf-privacy:dpkeras-sgd, tf-privacy:tree
"""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from tensorflow_privacy import DPKerasSGDOptimizer


def released(record):
    variable = tf.Variable(tf.zeros(2))
    rows = tf.constant([[record, 0.0], [0.0, 1.0]])
    optimizer = DPKerasSGDOptimizer(l2_norm_clip=1.0, noise_multiplier=1.0, learning_rate=1.0)
    [(gradient, _)] = optimizer._compute_gradients(lambda: tf.linalg.matvec(rows, variable), [variable])
    return np.array(gradient)


small, large = released(1.0), released(1e20)
print(f"noisy gradient with a record of 1: {small}, of 1e20: {large}")
raise SystemExit(0 if np.isfinite(small).all() and np.isnan(large).all() else "mended")
