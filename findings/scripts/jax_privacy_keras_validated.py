"""Keras: a noise multiplier is held against epsilon at the rate of one part of an update.

library: jax-privacy 2.0.0
met by: DPKerasConfig(noise_multiplier=..., gradient_accumulation_steps=8); without a noise multiplier the
    right rate is used
severity: breaks for a documented option
claim: DPKerasConfig raises where the noise multiplier leads to more than epsilon (its error message)
shown: 1000 records, batches of 10, 8 to an update, 100 updates, noise multiplier 1, delta 1e-5: accepted for
    epsilon 1.1, by its own accountant 5.6
cause: _validate_params passes batch_size to the accountant, update_with_calibrated_noise_multiplier
    effective_batch_size
remedy: effective_batch_size in both
upstream: https://github.com/google-deepmind/jax_privacy/pull/287 (merged) mends it after this version
targets: jax-privacy:keras-validated
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

from jax_privacy import keras_api
from jax_privacy.accounting import accountants, analysis

asked = 1.1
try:
    config = keras_api.DPKerasConfig(
        epsilon=asked,
        delta=1e-5,
        clipping_norm=1.0,
        batch_size=10,
        gradient_accumulation_steps=8,
        train_steps=100,
        train_size=1000,
        noise_multiplier=1.0,
    )
except ValueError as error:
    print(f"refused: {error}")
    raise SystemExit("mended") from None
accountant = analysis.DpsgdTrainingAccountant(
    dp_accountant_config=accountants.PldAccountantConfig(value_discretization_interval=1e-3)
)
spent = accountant.compute_epsilon(
    config.train_steps,
    analysis.DpParams(
        noise_multipliers=1.0, batch_size=config.effective_batch_size, num_samples=1000, delta=1e-5
    ),
)
print(f"accepted for epsilon {asked}; its accountant says {spent:.2f} at the batch size of an update")
raise SystemExit(0 if spent > asked + 0.2 else "mended")
