"""The Keras API of jax-privacy: make_private on a linear model, trained by fit() as its users do.

    published  the sums of clipped records with their noise, batch by batch, sorted along every coordinate

Each run starts from weights of 0 with a key of its own; a record is its own gradient. Shown on jax-privacy
2.0.0, each by a target: batches as Keras shuffles them are charged like Poisson samples (the default; an open
issue of its repository says that this voids the guarantee); with Poisson sampling and gradient accumulation a
record is drawn for every part of an update by itself, so that it may count several times in one; a noise
multiplier that is given is held against epsilon at the rate of one part, not of the whole update. With
Poisson sampling and no seed every second call of fit() raises, because the seed that it draws for itself is
negative; NumPy is seeded here so that it is not.
"""

from __future__ import annotations

import os
import warnings
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.jax_privacy.running import WIDTH, Array, float64, jax_target, training_claim
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ApproxDP, Guarantee
from dpverify.neighbours import ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

LARGEST = 1e30  # Keras hands its arrays on in float32


@lru_cache(maxsize=16)
def _model(
    records: int, batch: int, accumulation: int, updates: int, noise: float, clip: float, poisson: bool
) -> Any:
    """A linear model that make_private prepared."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras
    from jax_privacy import keras_api

    config = keras_api.DPKerasConfig(
        epsilon=1e9,  # the noise is given
        delta=1e-5,
        clipping_norm=clip,
        batch_size=batch,
        gradient_accumulation_steps=accumulation,
        train_steps=updates * accumulation,
        train_size=records,
        noise_multiplier=noise,
        poisson_sampling_in_fit=poisson,
    )
    layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros", dtype="float64")
    model = keras_api.make_private(keras.Sequential([keras.Input((WIDTH,), dtype="float64"), layer]), config)
    steps = accumulation if accumulation > 1 else None
    model.compile(
        keras.optimizers.SGD(1.0, gradient_accumulation_steps=steps), loss=lambda y, shown: -shown[:, 0]
    )
    return model


def _fit(model: Any, data: Array, batch: int, epochs: int, seed: int) -> Array:
    """The weights after every batch of a training from 0, (batches, width)."""
    import keras

    rng = np.random.default_rng(seed)
    weights = model.trainable_weights[0]
    for variable in model.non_trainable_weights:
        if variable.name == "_optimizer_steps":
            variable.assign(np.zeros(1, np.uint32))
        if variable.name == "_rng":
            variable.assign(rng.integers(2**32, size=2, dtype=np.uint32))
    weights.assign(np.zeros((WIDTH, 1)))
    seen: list[Array] = []

    def look(step: int, logs: Any) -> None:
        model.jax_state_sync()
        seen.append(np.array(weights.value, dtype=float)[:, 0])

    watch = keras.callbacks.LambdaCallback(on_train_batch_end=look)
    keras.utils.set_random_seed(_usable(rng))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Keras on NumPy
        model.fit(data, np.zeros((len(data), 1)), batch, epochs, verbose=0, callbacks=[watch])
    return np.array(seen)


def _usable(rng: np.random.Generator) -> int:
    """A seed of NumPy's global generator whose first whole number of 64 bits, which fit() takes for the seed
    of its Poisson sampler, is not negative: with others fit() raises.
    """
    bits = np.iinfo(np.int64)
    while True:
        seed = int(rng.integers(2**32))
        if np.random.RandomState(seed).randint(bits.min, bits.max, dtype=np.int64) >= 0:
            return seed


def keras(
    records: int = 2,
    batch: int = 2,
    accumulation: int = 1,
    updates: int = 2,
    noise: float = 1.0,
    clip: float = 1.0,
    poisson: bool = False,
    opposite: bool = False,
    validated: float = 0.0,
    queried: bool = False,
) -> Subject:
    """make_private and fit() on batches of `batch` records, `accumulation` of them in an update; the claim is
    what its accountant says of Poisson samples of batch accumulation records.

    `opposite`: all other records point the other way. `validated`: the claim is epsilon at that delta, the
    smallest at which DPKerasConfig accepts the noise multiplier that it is given. `queried`: the sums without
    noise are looked at too, for updates that are charged for all records.
    """
    positive(records=records, batch=batch, accumulation=accumulation, updates=updates, noise=noise, clip=clip)
    whole = batch * accumulation
    if records % whole:
        raise ValueError(f"Expected batch={batch} times accumulation={accumulation} to divide {records}.")

    def sums(rows: Array, noise: float, seed: int) -> Array:
        """The noisy sum of every update, in units of the clip."""
        with float64():
            model = _model(records, batch, accumulation, updates, noise, clip, poisson)
            after = _fit(model, rows, batch, updates * whole // records, seed)
        updated = after[accumulation - 1 :: accumulation]
        return np.diff(updated, axis=0, prepend=np.zeros((1, WIDTH))) * whole

    def train(data: Any, rng: np.random.Generator, tape: Tape) -> Array:
        rows = np.asarray(data, dtype=float)
        if len(rows) != records:
            raise ValueError(f"Expected {records} records, got {len(rows)}.")
        seed = int(rng.integers(2**62))
        released = sums(rows, noise, seed)
        if not queried:
            return np.sort(released, axis=0).ravel()
        queries = 2 * sums(rows, noise / 2, seed) - released  # the same draws, with half of the noise
        declared = Gaussian(noise, {ZERO_OUT: 1.0})
        return np.concatenate([tape.record(*each, declared) for each in zip(queries, released)])

    data = np.full((records, WIDTH), 0.0)
    data[1:, 0] = -5.0 if opposite else 0.0
    data[0, 0] = 5.0
    claim: Guarantee = training_claim("DpsgdTrainingAccountant", noise, updates, records, whole)
    if validated:
        part = training_claim("DpsgdTrainingAccountant", noise, updates, records, batch)
        epsilons = np.linspace(0.0, 20.0, 2001)
        accepted = next(float(e) for e in epsilons if part.delta_at(float(e)) <= validated)
        claim = ApproxDP(accepted, validated)
    return Subject(
        train,
        claim,
        Neighbours.zero_out(data, 0),
        "jax_privacy.keras_api.DPKerasConfig: epsilon, delta, noise_multiplier",
        runs=200 if queried else 600,
        largest=LARGEST,
        shrinks=False,
    )


accumulated = partial(keras, records=4, batch=1, accumulation=4, updates=1, poisson=True, queried=True)
validated = partial(keras, records=4, batch=1, accumulation=4, updates=1, validated=0.01)
shuffled = partial(keras, records=8, batch=1, updates=8, noise=0.5, opposite=True)

CLAIM = "epsilon at delta of DPKerasConfig, zero-out"
PACKAGES = ("jax-privacy", "keras", "jax", "dp-accounting")
USUAL = {"empty": UNDECIDED, "single": UNDECIDED}  # another number of records is another configuration

TARGETS = (
    jax_target(
        "jax-privacy:keras",
        "make_private, all records in one batch",
        CLAIM,
        keras,
        packages=PACKAGES,
        expect=USUAL,
    ),
    jax_target(
        "jax-privacy:keras-accumulated",
        "make_private, Poisson sampling and four parts to an update",
        CLAIM,
        accumulated,
        packages=PACKAGES,
        expect={**USUAL, "sensitivity": REFUTED, "half": SUPPORTED},  # outputs would take thousands of runs
    ),
    jax_target(
        "jax-privacy:keras-validated",
        "make_private, a noise multiplier that is given, four parts to an update",
        CLAIM,
        validated,
        packages=PACKAGES,
        expect={**USUAL, "training": REFUTED, "huge": REFUTED},
    ),
    jax_target(
        "jax-privacy:keras-shuffled",
        "make_private as it comes: batches are shuffled, and charged like Poisson samples",
        CLAIM,
        shuffled,
        packages=PACKAGES,
        expect={**USUAL, "training": REFUTED, "huge": REFUTED},
    ),
)
