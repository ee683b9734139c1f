"""DP-SGD on batches that jax-privacy selects."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.jax_privacy.running import (
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
from dpverify.adapters.jax_privacy.training import ADD_OR_REMOVE, NO_EMPTY
from dpverify.auditing.tape import Tape
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.subjects import Subject


def drawn_padding(
    strategy: Any, records: int, steps: int, rows: int, rng: np.random.Generator, runs: int
) -> Array:
    """Which rows are padding in each step of each run: those that the strategy did not select."""
    padding = np.ones((runs, steps, rows), dtype=bool)
    for run in padding:
        for row, batch in zip(run, strategy.batch_iterator(records, rng)):
            row[batch] = False
    return padding


@lru_cache(maxsize=64)
def _sampled(steps: int, noise: float, clip: float) -> Any:
    from jax_privacy import clipped_grad, noise_addition

    gradient = clipped_grad(linear_loss, l2_clip_norm=clip)
    privatizer = partial(noise_addition.gaussian_privatizer, stddev=noise * gradient.sensitivity())
    return trainer_of(gradient, lambda key: privatizer(prng_key=key), steps, "drawn")


def _batches(strategy: Any, release: Any, steps: int, noise: float, clip: float) -> Callable[..., Array]:
    """DP-SGD on batches that a strategy of jax-privacy selects; its releases are recorded if they can be
    declared.
    """
    trainer = _sampled(steps, noise, clip)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        rows, _ = padded(data, 1)
        queries, releases = trainer(
            rows, draw_seeds(rng, runs), drawn_padding(strategy, len(data), steps, len(rows), rng, runs)
        )
        if release is None:
            return releases.reshape(runs, -1)
        return np.concatenate(
            [tape.record(queries[:, t], releases[:, t], release) for t in range(steps)], axis=1
        )

    return train


def poisson(steps: int = 2, noise: float = 0.5, clip: float = 1.0, cycle: int = 1) -> Subject:
    """CyclicPoissonSampling, every record with probability 1/2; with a cycle, records are assigned to its
    groups independently.
    """
    positive(steps=steps, noise=noise, clip=clip, cycle=cycle)
    from jax_privacy import batch_selection

    strategy = batch_selection.CyclicPoissonSampling(
        sampling_prob=0.5,
        iterations=steps,
        cycle_length=cycle,
        partition_type=batch_selection.PartitionType.INDEPENDENT,
    )
    inner = Gaussian(noise * clip, {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip})
    release = Subsampled(inner, size=0.5, of=1, how="poisson") if cycle == 1 else None
    claim = training_claim("DpsgdTrainingAccountant", noise, steps, 2 * cycle, 1, cycle_length=cycle)
    pair = Neighbours.remove(RECORDS[:1], 0)
    return Subject(
        _batches(strategy, release, steps, noise, clip),
        claim,
        pair,
        "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove",
        runs=10_000 * cycle,
        any_number=True,
    )


def truncated(steps: int = 2, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """CyclicPoissonSampling of probability 1/2 on four records, of which at most three are kept."""
    positive(steps=steps, noise=noise, clip=clip)
    from jax_privacy import batch_selection

    strategy = batch_selection.CyclicPoissonSampling(
        sampling_prob=0.5, iterations=steps, truncated_batch_size=3
    )
    claim = training_claim("DpsgdTrainingAccountant", noise, steps, 4, 2, truncated_batch_size=3)
    pair = Neighbours.zero_out(np.concatenate([RECORDS[:1], np.zeros((3, WIDTH))]), 0)
    return Subject(
        _batches(strategy, None, steps, noise, clip),
        claim,
        pair,
        "jax_privacy.accounting.DpsgdTrainingAccountant, zero-out",
        runs=12_000,
    )


def fixed(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """FixedBatchSampling: one of two records, without replacement."""
    positive(steps=steps, noise=noise, clip=clip)
    from jax_privacy import batch_selection

    strategy = batch_selection.FixedBatchSampling(batch_size=1, iterations=steps)
    claim = training_claim("DpsgdTrainingAccountant", noise, steps, 2, 1, "FIXED_BATCH_SIZE")
    pair = Neighbours.replace(
        np.array([[3.0, 0.0, 4.0, 0.0], [-3.0, 0.0, -4.0, 0.0]]), 0, np.array([-3.0, 0.0, -4.0, 0.0])
    )
    said_by = "jax_privacy.accounting.DpsgdTrainingAccountant with FIXED_BATCH_SIZE, replace"
    return Subject(_batches(strategy, None, steps, noise, clip), claim, pair, said_by, runs=10_000)


TARGETS = (
    jax_target(
        "jax-privacy:poisson", "DP-SGD on batches of CyclicPoissonSampling, rate 1/2", ADD_OR_REMOVE, poisson
    ),
    jax_target(
        "jax-privacy:cyclic",
        "DP-SGD on batches of CyclicPoissonSampling, two groups, rate 1/2",
        ADD_OR_REMOVE,
        partial(poisson, noise=0.4, cycle=2),
    ),
    jax_target(
        "jax-privacy:truncated",
        "DP-SGD on batches of CyclicPoissonSampling, at most three of four records",
        "the profile of DpsgdTrainingAccountant (PLD), zero-out",
        truncated,
    ),
    jax_target(
        "jax-privacy:fixed",
        "DP-SGD on batches of FixedBatchSampling, one of two records",
        "the profile of DpsgdTrainingAccountant (PLD), replace",
        fixed,
        expect=NO_EMPTY,
    ),
)
