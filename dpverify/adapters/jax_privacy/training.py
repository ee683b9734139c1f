"""clipped_grad and gaussian_privatizer of jax-privacy on all records in every step, in several precisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.jax_privacy.gradients import gradients
from dpverify.adapters.jax_privacy.running import (
    LARGEST,
    RECORDS,
    WIDTH,
    Array,
    draw_seeds,
    jax_target,
    linear_loss,
    padded,
    trainer_of,
    training_claim,
)
from dpverify.auditing.tape import Tape
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED


def _sensitivity(gradient: Any) -> dict[Adjacency, float]:
    """What jax-privacy says of a function of bounded sensitivity, for every relation."""
    from dp_accounting import NeighboringRelation as Relation

    said = {
        ADD_REMOVE: Relation.ADD_OR_REMOVE_ONE,
        ZERO_OUT: Relation.REPLACE_SPECIAL,
        REPLACE: Relation.REPLACE_ONE,
    }
    return {ours: float(gradient.sensitivity(theirs)) for ours, theirs in said.items()}


@lru_cache(maxsize=64)
def _dpsgd(
    steps: int, noise: float, dtype: str, noise_dtype: str | None, microbatch: int | None, **clipping: Any
) -> tuple[Any, Any]:
    from jax_privacy import clipped_grad, noise_addition

    gradient = clipped_grad(linear_loss, microbatch_size=microbatch, **clipping)
    privatizer = partial(
        noise_addition.gaussian_privatizer, stddev=noise * gradient.sensitivity(), dtype=noise_dtype
    )
    return gradient, trainer_of(
        gradient, lambda key: privatizer(prng_key=key), steps, "fixed" if microbatch else "all", dtype
    )


def _descent(trainer: Any, steps: int, declared: Any, microbatch: int = 0) -> Callable[..., Array]:
    """Training on all records in every step; every step is a release."""

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        padding = None
        if microbatch:
            data, padding = padded(data, microbatch)
            padding = np.tile(padding, (steps, 1))
        queries, releases = trainer(data, draw_seeds(rng, runs), padding)
        return np.concatenate(
            [tape.record(queries[:, t], releases[:, t], declared) for t in range(steps)], axis=1
        )

    return train


def dpsgd(
    steps: int = 4,
    noise: float = 1.0,
    clip: float = 1.0,
    rescale_to_unit_norm: bool = False,
    normalize_by: float = 1.0,
    microbatch: int = 0,
    nan_safe: bool = True,
) -> Subject:
    """clipped_grad and gaussian_privatizer, full batch; with microbatches, batches are padded to a multiple
    of their size.
    """
    positive(steps=steps, noise=noise, clip=clip, normalize_by=normalize_by)
    if microbatch < 0:
        raise ValueError(f"Expected microbatch={microbatch} >= 0.")
    gradient, trainer = _dpsgd(
        steps,
        noise,
        "float64",
        None,
        microbatch or None,
        l2_clip_norm=clip,
        rescale_to_unit_norm=rescale_to_unit_norm,
        normalize_by=normalize_by,
        nan_safe=nan_safe,
    )
    sensitivity = _sensitivity(gradient)
    declared = Gaussian(noise * sensitivity[ADD_REMOVE], sensitivity)

    train = _descent(trainer, steps, declared, microbatch)
    claim = training_claim("DpsgdTrainingAccountant", noise, steps, 2, 2)
    said_by = "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove"
    return Subject(
        train,
        claim,
        Neighbours.remove(RECORDS, 0),
        said_by,
        gradients=None if microbatch else gradients,
        runs=4000,
        any_number=True,
    )


def low_precision(
    dtype: str = "bfloat16", noise_dtype: str = "", steps: int = 1, noise: float = 1.0, clip: float = 1.0
) -> Subject:
    """clipped_grad and gaussian_privatizer in bfloat16, float16 or float32; `noise_dtype` is the privatizer's
    own setting, by default the gradients'.

    Rounding alone moves a query a little further than the clip, so that only what is published is looked at.
    """
    positive(steps=steps, noise=noise, clip=clip)
    for name, value in {"dtype": dtype, "noise_dtype": noise_dtype or dtype}.items():
        if value not in ("bfloat16", "float16", "float32"):
            raise ValueError(f"Expected {name}={value!r} to be bfloat16, float16 or float32.")
    _, trainer = _dpsgd(steps, noise, dtype, noise_dtype or None, None, l2_clip_norm=clip)

    def train(data: Any, rng: np.random.Generator, runs: int) -> Array:
        return trainer(np.asarray(data, dtype=float), draw_seeds(rng, runs), None)[1].reshape(runs, -1)

    claim = training_claim("DpsgdTrainingAccountant", noise, steps, 2, 2)
    pair = Neighbours.remove(
        np.array([[1.6e-4] * WIDTH if clip < 1e-3 else [2.0, 0.0, 0.0, 0.0], [0.0] * WIDTH]), 0
    )
    return Subject(
        train,
        claim,
        pair,
        "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove",
        runs=40_000,
        largest=LARGEST[dtype],
        any_number=True,
    )


ADD_OR_REMOVE = "the profile of DpsgdTrainingAccountant (PLD), add/remove"
NO_EMPTY = {"empty": UNDECIDED}  # it refuses a batch without rows
BROKEN = {"step": REFUTED, "training": REFUTED}

TARGETS = (
    jax_target(
        "jax-privacy:dpsgd",
        "clipped_grad and gaussian_privatizer, full batch",
        ADD_OR_REMOVE,
        dpsgd,
        expect=NO_EMPTY,
    ),
    jax_target(
        "jax-privacy:microbatch",
        "clipped_grad with rescale_to_unit_norm, normalize_by, and microbatches with padding",
        ADD_OR_REMOVE,
        partial(dpsgd, clip=0.5, rescale_to_unit_norm=True, normalize_by=3.0, microbatch=2),
    ),
    jax_target(
        "jax-privacy:bfloat16",
        "clipped_grad and gaussian_privatizer in bfloat16: the noise has 128 values, none beyond 2.9 "
        "standard deviations",
        ADD_OR_REMOVE,
        low_precision,
        expect={**NO_EMPTY, **BROKEN, "huge": REFUTED},
    ),
    jax_target(
        "jax-privacy:float16",
        "clipped_grad in float16, clip 1e-4, noise in float32: the squares of entries below 1.7e-4 "
        "are 0, and nothing is clipped",
        ADD_OR_REMOVE,
        partial(low_precision, dtype="float16", noise_dtype="float32", clip=1e-4),
        expect={**NO_EMPTY, **BROKEN},
    ),
)
