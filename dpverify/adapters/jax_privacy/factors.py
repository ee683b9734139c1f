"""Correlated noise of jax-privacy: matrix factorisations and banded execution plans."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.jax_privacy.batches import drawn_padding
from dpverify.adapters.jax_privacy.running import (
    RECORDS,
    WIDTH,
    Array,
    draw_seeds,
    float64,
    jax_target,
    linear_loss,
    padded,
    profile_by,
    trainer_of,
    training_claim,
)
from dpverify.adapters.jax_privacy.training import BROKEN
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED

BUFFERS, SCALES = (0.9, 0.4), (0.3, 0.2)  # of a buffered Toeplitz strategy: their decay, and what is read


def _in_turn(data: Array, steps: int) -> tuple[Array, Array]:
    """Record i is in the batch of step i mod steps and in no other; all others are padding there."""
    rows, _ = padded(data, 1)
    numbers = np.arange(len(rows))
    return rows, (numbers % steps != np.arange(steps)[:, None]) | (numbers >= len(data))


def _recorded(tape: Tape, queries: Array, releases: Array, noising: Array, declared: Any) -> Array:
    """The releases of all steps, whose noise is N Z: written down with their correlation undone, as one
    release.
    """
    root = np.linalg.cholesky(noising @ noising.T)
    undone = np.linalg.solve(root, releases)
    went_on = tape.record(np.linalg.solve(root, queries), undone, declared)
    published = releases if went_on is undone else root @ went_on
    return published.reshape(len(published), -1)


def _tree(steps: int) -> tuple[Array, float]:
    """The noising matrix of a binary tree, one row per step and one column per node, and the most nodes that
    a step is in.
    """
    levels = range(steps.bit_length())
    nodes = [
        (k << level, (k + 1) << level) for level in levels for k in range(steps >> level)
    ]  # (before, last): steps before+1, ..., last

    def prefix(t: int) -> Array:
        used, at = set(), t
        while at:
            used.add((at - (at & -at), at))
            at -= at & -at
        return np.array([float(node in used) for node in nodes])

    noising = np.diff([prefix(t) for t in range(steps + 1)], axis=0)
    return noising, float(max(sum(before < t <= last for before, last in nodes) for t in range(1, steps + 1)))


@lru_cache(maxsize=64)
def _factorised(kind: str, steps: int, noise: float, clip: float) -> tuple[Any, Array, float, float]:
    """A trainer with correlated noise, its noising matrix, the scale of Z, and the sensitivity of the
    strategy at clip 1.
    """
    from jax_privacy import clipped_grad, matrix_factorization, noise_addition

    with float64():
        if kind == "toeplitz":
            coefficients = matrix_factorization.toeplitz.optimal_max_error_strategy_coefs(steps)
            matrix = matrix_factorization.toeplitz.inverse_as_streaming_matrix(coefficients)
            noising, most = (
                np.asarray(matrix.materialize(steps)),
                float(matrix_factorization.toeplitz.sensitivity_squared(coefficients)) ** 0.5,
            )
        elif kind == "buffered":
            buffered = matrix_factorization.buffered_toeplitz
            strategy = buffered.BufferedToeplitz.build(buf_decay=BUFFERS, output_scale=SCALES)
            matrix = strategy.inverse_as_streaming_matrix()
            noising, most = (
                np.asarray(matrix.materialize(steps)),
                float(buffered.sensitivity_squared(strategy, steps)) ** 0.5,
            )
        else:
            noising, squared = _tree(steps)
            matrix, most = noising, squared**0.5
    gradient = clipped_grad(linear_loss, l2_clip_norm=clip)
    scale = noise * most * clip
    privatizer = partial(noise_addition.matrix_factorization_privatizer, matrix, stddev=scale)
    return trainer_of(gradient, lambda key: privatizer(prng_key=key), steps, "fixed"), noising, scale, most


def factorised(kind: str, steps: int, noise: float, clip: float) -> Subject:
    """Correlated noise by a noising matrix; every record is in one step only."""
    positive(steps=steps, noise=noise, clip=clip)
    trainer, noising, scale, most = _factorised(kind, steps, noise, clip)
    declared = Gaussian(scale, {ZERO_OUT: most * clip, REPLACE: 2 * most * clip})

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        rows, padding = _in_turn(np.asarray(data, dtype=float), steps)
        queries, releases = trainer(rows, draw_seeds(rng, runs), padding)
        return _recorded(tape, queries, releases, noising, declared)

    claim = training_claim("SingleReleaseTrainingAccountant", noise, steps, 2, 1)
    said_by = (
        "jax_privacy.accounting.SingleReleaseTrainingAccountant; a record that goes leaves its place empty"
    )
    return Subject(train, claim, Neighbours.zero_out(RECORDS, 0), said_by, runs=4000, any_number=True)


def dpftrl(steps: int = 4, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """matrix_factorization_privatizer with the inverse of the Toeplitz strategy of least maximal error."""
    return factorised("toeplitz", steps, noise, clip)


def buffered(steps: int = 4, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """matrix_factorization_privatizer with the inverse of a Toeplitz strategy of two buffers, calibrated by
    buffered_toeplitz.sensitivity_squared.
    """
    return factorised("buffered", steps, noise, clip)


def tree(steps: int = 4, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """matrix_factorization_privatizer with the dense noising matrix of tree aggregation."""
    return factorised("tree", steps, noise, clip)


@lru_cache(maxsize=64)
def _plan(
    steps: int, noise: float, clip: float, strategy: tuple[float, ...], rate: float, column_normalize: bool
) -> tuple[Any, Any, Array, Profile]:
    import optax
    from jax_privacy.experimental import execution_plan
    from jax_privacy.matrix_factorization import toeplitz

    with float64():
        plan = execution_plan.BandMFExecutionPlanConfig(
            iterations=steps,
            strategy=np.array(strategy),
            epsilon=None,
            delta=None,
            noise_multiplier=noise,
            l2_clip_norm=clip,
            sampling_prob=rate,
            column_normalize=column_normalize,
            dtype=np.float64,
            noise_seed=0,
        )
        transform = plan.plan.noise_addition_transform
        matrix = toeplitz.inverse_as_streaming_matrix(np.array(strategy), steps if column_normalize else None)
        noising = np.asarray(matrix.materialize(steps))
        accountant = plan.accountant.compose(plan.plan.dp_event)

    def seeded(key: Any) -> Any:
        """The plan's own noise at another key, which is what its state starts with."""
        return optax.GradientTransformation(lambda params: (key, transform.init(params)[1]), transform.update)

    gradient = plan.plan.clipped_grad(linear_loss)
    return (
        plan.plan,
        trainer_of(gradient, seeded, steps, "drawn"),
        noising,
        profile_by(accountant, "BandMFExecutionPlanConfig.plan.dp_event"),
    )


def bandmf(
    steps: int = 4,
    noise: float = 0.5,
    clip: float = 1.0,
    strategy: tuple[float, ...] = (0.8, 0.6),
    rate: float = 1.0,
    column_normalize: bool = False,
) -> Subject:
    """BandMFExecutionPlanConfig: cyclic Poisson sampling with as many groups as the strategy has bands, and
    its noise.

    At rate 1 a record is in every len(strategy)-th step, and columns of C that far apart are orthogonal.
    """
    positive(steps=steps, noise=noise, clip=clip, rate=rate, strategy=min(strategy, default=0.0))
    if rate > 1:
        raise ValueError(f"Expected rate={rate} <= 1.")
    strategy = tuple(strategy)[:steps]
    plan, trainer, noising, claim = _plan(steps, noise, clip, strategy, rate, column_normalize)
    rounds = -(-steps // len(strategy))
    # the plan rescales clipped gradients to norm 1; it charges `rounds` releases of that noise multiplier
    declared = Gaussian(noise, {ZERO_OUT: rounds**0.5, REPLACE: 2 * rounds**0.5})
    norm = 1.0 if column_normalize else float(np.linalg.norm(strategy))

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        rows, _ = padded(data, 1)
        padding = drawn_padding(plan.batch_selection_strategy, len(data), steps, len(rows), rng, runs)
        queries, releases = trainer(rows, draw_seeds(rng, runs), padding)
        if rate < 1:
            return releases.reshape(runs, -1)
        return _recorded(tape, queries, releases, noising * norm, declared)

    said_by = "BandMFExecutionPlanConfig: plan.dp_event under its accountant, zero-out"
    return Subject(
        train,
        claim,
        Neighbours.zero_out(np.concatenate([RECORDS[:1], np.zeros((len(strategy) - 1, WIDTH))]), 0),
        said_by,
        runs=4000 if rate == 1 else 10_000,
        any_number=True,
    )


ONE_RELEASE = "the profile of SingleReleaseTrainingAccountant (PLD), zero-out"
PLAN = "the profile of plan.dp_event under its PLD accountant, zero-out"

TARGETS = (
    jax_target(
        "jax-privacy:dpftrl",
        "matrix factorisation, Toeplitz strategy, every record in one step",
        ONE_RELEASE,
        dpftrl,
    ),
    jax_target(
        "jax-privacy:buffered",
        "matrix factorisation, buffered Toeplitz strategy, every record in one step",
        ONE_RELEASE,
        buffered,
    ),
    jax_target(
        "jax-privacy:tree",
        "matrix factorisation, dense noising matrix of a binary tree, every record in one step",
        ONE_RELEASE,
        tree,
    ),
    jax_target("jax-privacy:bandmf", "BandMFExecutionPlanConfig with two bands", PLAN, bandmf),
    jax_target(
        "jax-privacy:bandmf-poisson",
        "BandMFExecutionPlanConfig with two bands, rate 0.8",
        PLAN,
        partial(bandmf, steps=2, noise=0.4, rate=0.8),
    ),
    jax_target(
        "jax-privacy:bandmf-normalized",
        "BandMFExecutionPlanConfig, column_normalize with a strategy of norm 1/2: half the noise "
        "that it charges",
        PLAN,
        partial(bandmf, noise=1.0, strategy=(0.5,), column_normalize=True),
        expect={**BROKEN, "noise": REFUTED, "empty": REFUTED, "single": REFUTED},
    ),
)
