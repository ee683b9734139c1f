"""Keras: with Poisson sampling and gradient accumulation, a record may count several times in one update.

library: jax-privacy 2.0.0
met by: DPKerasConfig(poisson_sampling_in_fit=True, gradient_accumulation_steps=4), both documented
severity: breaks for a documented option
claim: epsilon at delta for batches of batch_size * gradient_accumulation_steps records (docstring of
    DPKerasConfig)
shown: 4 records in 4 parts of an update: one record moves the update by 2, 3 or 4 times what is charged in a
    quarter of all updates
cause: each part is a Poisson sample of its own at rate batch_size / train_size; the accountant is asked about
    one sample at four times that rate, in which a record is once or not at all
remedy: draw one sample for an update, and cut it into parts; or charge each part as a step
upstream: no public thread found (searched 2026-11-17);
    https://github.com/google-deepmind/jax_privacy/issues/288 is about how train_steps are counted with
    accumulation
targets: jax-privacy:keras-accumulated
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np
from jax_privacy import keras_api

config = keras_api.DPKerasConfig(
    epsilon=1e6,  # hardly any noise, so that the query shows
    delta=1e-5,
    clipping_norm=1.0,
    batch_size=1,
    gradient_accumulation_steps=4,
    train_steps=100,
    train_size=4,
    noise_multiplier=0.1,
    poisson_sampling_in_fit=True,
)
layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")
model = keras_api.make_private(keras.Sequential([keras.Input((1,)), layer]), config)
model.compile(keras.optimizers.SGD(1.0, gradient_accumulation_steps=4), loss=lambda y, shown: -shown[:, 0])
records, before, moved = np.array([[1.0], [0.0], [0.0], [0.0]]), 0.0, []
np.random.seed(0)
while len(moved) < 25:  # an epoch is one update
    try:
        model.fit(records, np.zeros((4, 1)), batch_size=1, verbose=0)
    except ValueError:  # without a seed, every second sampler gets a negative one
        continue
    after = float(np.array(layer.kernel)[0, 0])
    moved.append(round(4 * (after - before)))  # the sum of clipped gradients
    before = after
print(f"charged 1; one record moved 25 updates by {sorted(moved)}")
raise SystemExit(0 if max(moved) > 1 else "mended")
