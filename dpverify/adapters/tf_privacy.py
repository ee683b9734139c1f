"""TensorFlow Privacy: DPKerasSGDOptimizer on the linear loss <w, record> over two variables, and sums under
tree aggregation.

    sgd   query     sum_i clip(g_i, clip)                released   (query + N(0, (noise clip)^2 I)) / number
    of microbatches
    tree  query     sum over the steps so far            released   query + noise of a binary tree with N(0,
    (noise clip)^2 I) at each node

Everything is float32 (it refuses float64), so that sums may be off by 1e-6 of the clip. A run of the
optimizer is an iteration of a loop inside one `tf.function`; the tree draws every entry by itself, so that
all runs are one tensor. The clipped sum is what an optimizer without noise returns. Its privacy statement
speaks of added and removed examples.

TensorFlow Privacy 0.9.0 needs TensorFlow 2.15 and NumPy 1.26, with which dpverify runs too: in an environment
of its own,

    pip install tensorflow==2.15.1 tensorflow-privacy==0.9.0
    pip install --no-deps .        # from a clone
    pip install "numpy<2" "sympy>=1.13" "mpmath>=1.3,<1.4" "hypothesis>=6.100" "pytest>=8" "python-flint>=0.7"
    "joblib>=1.4"
    pip install "numpy<2" "threadpoolctl>=3" "typer>=0.12" "rich>=13" "jinja2>=3.1" "matplotlib>=3.9"
    "latex2mathml>=3.77"

(`pip check` then names numpy, dp-accounting and packaging.)
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ZCDP, Profile
from dpverify.neighbours import ADD_REMOVE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED

Array = np.ndarray[Any, Any]

WIDTH = 4  # of a record; the first half goes to one variable, the rest to another
ROUNDED = 1 + 1e-6  # what float32 adds to a clipped norm
BLOCK = 1000  # runs of a tree at once
DATA = np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]])


def _tensorflow() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow

    return tensorflow


@lru_cache(maxsize=8)  # it takes seconds to trace
def gradients(noise: float, clip: float, reseeded: bool = True) -> tuple[Any, Any]:
    """(records, runs) -> the gradients that DPKerasSGDOptimizer computes, one row a run; and the generator
    that its noise comes from.

    The seed of an operation is fixed when it is traced. So that runs can be seeded,
    tf.random_normal_initializer, which the library draws with, draws from that generator while it is traced;
    without `reseeded` it is left alone.
    """
    tf = _tensorflow()
    from tensorflow_privacy import DPKerasSGDOptimizer

    half = WIDTH // 2
    variables = [tf.Variable(tf.zeros(half)), tf.Variable(tf.zeros(WIDTH - half))]
    optimizer = DPKerasSGDOptimizer(l2_norm_clip=clip, noise_multiplier=noise, learning_rate=1.0)
    generator = tf.random.Generator.from_seed(0)

    def initializer(stddev: Any) -> Any:
        return lambda shape: generator.normal(shape, stddev=stddev)

    @tf.function(input_signature=[tf.TensorSpec((None, WIDTH), tf.float32), tf.TensorSpec((), tf.int32)])
    def compute(rows: Any, runs: Any) -> Any:
        def losses() -> Any:
            return tf.linalg.matvec(rows[:, :half], variables[0]) + tf.linalg.matvec(
                rows[:, half:], variables[1]
            )

        def once(_: Any) -> Any:
            return tf.concat([gradient for gradient, _ in optimizer._compute_gradients(losses, variables)], 0)

        return tf.map_fn(
            once,
            tf.range(runs),
            fn_output_signature=tf.TensorSpec((WIDTH,), tf.float32),
            parallel_iterations=1,
        )

    with patch.object(tf, "random_normal_initializer", initializer) if reseeded else nullcontext():
        compute(tf.zeros((1, WIDTH)), 1)
    return compute, generator


def _charged(noise: float, steps: int) -> Profile:
    """What the accountant of its privacy statement (RDP, add or remove one) says of that many full
    batches.
    """
    import dp_accounting

    event = dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(noise), steps)
    accountant = dp_accounting.rdp.RdpAccountant().compose(event)
    return Profile(
        lambda epsilon: float(accountant.get_delta(epsilon)), "the RDP accountant of TensorFlow Privacy"
    )


def dpkeras_sgd(steps: int = 2, noise: float = 1.0, clip: float = 1.0, relation: str = "zero-out") -> Subject:
    """DPKerasSGDOptimizer, one example a microbatch, full batch; neighbours differ in a zeroed record, or in
    an "add/remove"d one.
    """
    positive(steps=steps, noise=noise, clip=clip)
    if relation not in ("zero-out", "add/remove"):
        raise ValueError(f"Expected relation={relation!r} to be 'zero-out' or 'add/remove'.")
    tf = _tensorflow()
    declared = Gaussian(noise * clip, {ADD_REMOVE if relation == "add/remove" else ZERO_OUT: clip * ROUNDED})

    plain, _ = gradients(0.0, clip)
    noisy, generator = gradients(noise, clip)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        with np.errstate(over="ignore"):
            rows = tf.constant(np.asarray(data, dtype=np.float32))
        n = len(rows)
        query = np.tile(n * plain(rows, 1).numpy().astype(float), (runs, 1))
        generator.reset_from_seed(int(rng.integers(2**62)))
        published = []
        for _ in range(steps):
            gradient = noisy(rows, runs).numpy().astype(float)
            published.append(tape.record(query, n * gradient, declared) / n if n else gradient)
        return np.concatenate(published, axis=1)

    pair = Neighbours.remove(DATA, 0) if relation == "add/remove" else Neighbours.zero_out(DATA, 0)
    return Subject(
        train,
        _charged(noise, steps),
        pair,
        "the RDP accountant of compute_dp_sgd_privacy_statement",
        runs=4_000,
        any_number=True,
        largest=1e38,
    )


def dpkeras_sgd_size(steps: int = 1, noise: float = 1.0, clip: float = 1.0) -> Subject:
    """The same on added and removed examples, the relation of its privacy statement, with `num_microbatches`
    as it is by default.

    Sum and noise are divided by the number of examples at hand, which is then part of what is published;
    without any, every entry is infinite. One of the epsilons of its statement assumes Poisson sampling, under
    which that number is not fixed. With batches of one size nothing of this shows (`tf-privacy:dpkeras-sgd`).
    """
    return dpkeras_sgd(steps, noise, clip, "add/remove")


def tree(
    leaves: int = 4, joined: int = 1, noise: float = 1.0, clip: float = 1.0, efficient: bool = True
) -> Subject:
    """TreeCumulativeSumQuery over `leaves` steps; the examples at hand are those of step `joined`, the other
    steps have none.
    """
    positive(leaves=leaves, joined=joined, noise=noise, clip=clip)
    if joined > leaves:
        raise ValueError(f"Expected joined={joined} <= leaves={leaves}.")
    tf = _tensorflow()
    from tensorflow_privacy.privacy.analysis.tree_aggregation_accountant import compute_zcdp_single_tree
    from tensorflow_privacy.privacy.dp_query.tree_aggregation_query import TreeCumulativeSumQuery

    half = WIDTH // 2
    specs = [tf.TensorSpec((BLOCK, half)), tf.TensorSpec((BLOCK, WIDTH - half))]
    summing = TreeCumulativeSumQuery.build_l2_gaussian_query(
        clip, noise, specs, noise_seed=0, use_efficient=efficient
    )
    start = summing.initial_global_state()
    parameters, aggregator = summing.derive_sample_params(start), summing._tree_aggregator

    def block(total: list[Array], seed: int) -> Array:
        """The noisy sums of all steps, for as many runs as a block has; the tree starts anew with that
        seed.
        """
        seeded = start.tree_state.value_generator_state._replace(seeds=tf.constant(seed, tf.int64, (2,)))
        state = start._replace(
            tree_state=aggregator.reset_state(start.tree_state._replace(value_generator_state=seeded))
        )
        published: list[Array] = []
        for step in range(1, leaves + 1):
            now = [tf.constant(np.tile(part if step == joined else 0 * part, (BLOCK, 1))) for part in total]
            sums, state, _ = summing.get_noised_result(now, state)
            published.extend(part.numpy().astype(float) for part in sums)
        return np.concatenate(published, axis=1)

    def train(data: Any, rng: np.random.Generator, runs: int) -> Array:
        with np.errstate(over="ignore"):
            rows = np.asarray(data, dtype=np.float32)
        total = [np.zeros((1, half), np.float32), np.zeros((1, WIDTH - half), np.float32)]
        for row in rows:
            clipped = summing.preprocess_record(
                parameters, [tf.constant(row[None, :half]), tf.constant(row[None, half:])]
            )
            total = [part + own.numpy() for part, own in zip(total, clipped)]
        seeds = rng.integers(2**62, size=-(-runs // BLOCK)).tolist()
        return np.concatenate([block(total, seed) for seed in seeds])[:runs]

    claim = ZCDP(float(compute_zcdp_single_tree(noise, leaves, 1, 1)))
    return Subject(
        train,
        claim,
        Neighbours.zero_out(DATA, 0),
        "compute_zcdp_single_tree, one participation",
        runs=10_000,
        any_number=True,
        largest=1e38,
    )


INSTALL = (
    "an environment of its own: pip install tensorflow==2.15.1 tensorflow-privacy==0.9.0, dpverify "
    "with --no-deps (dpverify/adapters/tf_privacy.py)"
)
PACKAGES = ("tensorflow-privacy", "tensorflow")

OVERFLOW = {
    "huge": REFUTED,
    "nan": REFUTED,
}  # a norm that is not finite makes every entry NaN: so tf.clip_by_global_norm documents it

TARGETS = (
    Target(
        "tf-privacy:dpkeras-sgd",
        "DPKerasSGDOptimizer, full batch of a fixed size; its noise is that of float32, whose lowest bits "
        "tell",
        "the RDP of its privacy statement",
        dpkeras_sgd,
        PACKAGES,
        INSTALL,
        expect={**OVERFLOW, "empty": UNDECIDED, "step": REFUTED},
    ),
    Target(
        "tf-privacy:dpkeras-sgd-size",
        "DPKerasSGDOptimizer, full batch of any size",
        "the RDP of its privacy statement, add/remove",
        dpkeras_sgd_size,
        PACKAGES,
        INSTALL,
        expect={**OVERFLOW, "empty": UNDECIDED, "sensitivity": REFUTED, "step": REFUTED, "training": REFUTED},
    ),
    Target(
        "tf-privacy:tree",
        "TreeCumulativeSumQuery, one participation; its noise is that of float32, whose lowest bits tell",
        "the zCDP of its tree accountant",
        tree,
        PACKAGES,
        INSTALL,
        expect={**OVERFLOW, "training": REFUTED},
    ),
)
