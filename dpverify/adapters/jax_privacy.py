"""jax-privacy: clipped gradients, privatizers, batch selection and execution plans, on the linear loss <w,
record> over two leaves.

    query     sum_i clip(g_i, clip)          released   query + N(0, (noise clip)^2 I)
    factors   Y = X + N Z, Z ~ N(0, std^2 I)  recorded as   L^-1 Y = L^-1 X + Z', N N^T = L L^T, Z' ~ N(0,
    std^2 I)

X are the queries of all steps, one row each, and N is the noising matrix. L^-1 undoes the correlation and
loses nothing, so the tape sees one release of the whole training with independent noise. Runs are mapped over
inside of one compiled function, in float64.

Findings on jax-privacy 2.0.0, of which the first three are targets and the others are shown in the tests:
  - bfloat16 (float16) gradients with the default `dtype=None` of a privatizer get noise of 128 (1024)
  different values, none beyond
    2.9 (3.5) standard deviations: far from the Gaussian that is charged. With `dtype=float32` there is none
    of it.
  - the norm of float16 gradients is computed in float16: entries below 1.7e-4 square to 0, and what has norm
  0 is not clipped.
  - `BandMFExecutionPlanConfig(column_normalize=True)` multiplies the noise by the norm of the strategy, which
  normalizing took away:
    a strategy of norm 1/2 gets half of the noise that its `dp_event` charges.
    `toeplitz.inverse_as_streaming_matrix` asks for norm 1,
    the plan neither asks nor checks; what `default` optimizes has norm 1.
  - squared norms of bfloat16 leaves are added up in bfloat16: from a few hundred leaves on, clipped gradients
  are longer than the clip.
  - `rescale_to_unit_norm` with a clip near the square root of the smallest number (1e-19 in float32) gives
  norms far above 1.
  - a dense noising matrix repeats the noise of its last row in every step beyond it, without an error
  (nothing is claimed there; pull
    request 338 of its repository, later than this version, makes it an error).
  - `matrix_factorization_privatizer` documents the covariance N^T N; it is N N^T, which is what privacy
  needs.
  - an empty batch is refused, so that batches of Poisson sampling have to be padded; `prng_key=None` draws 31
  bits from NumPy's
    global generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import Subject, Target, positive
from dpverify.adapters.gradients import gradients_agree
from dpverify.auditing.tape import Tape
from dpverify.guarantees import Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Adjacency, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

Array = np.ndarray[Any, Any]

WIDTH = 4  # of a record; the first half goes to one leaf, the rest to another
RECORDS = np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]])
FILLER = 7.0  # what stands in rows that are marked as padding: it must not count
BLOCK = 4096  # runs in a compiled function, unless it is one


@contextmanager
def float64() -> Iterator[None]:
    """JAX in float64 on the CPU, and as it was afterwards."""
    import jax

    with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        yield


def in_blocks(function: Callable[..., Any], seeds: Array, *others: Any) -> list[Array]:
    """What a function mapped over runs gives, in blocks of two sizes so that it is compiled for few shapes.

    >>> in_blocks(lambda seeds, rows: (seeds + rows,), np.arange(3), np.ones(3))
    [array([1., 2., 3.])]
    """
    parts = []
    size = 1 if len(seeds) == 1 else BLOCK
    for start in range(0, len(seeds), size):
        rows = np.arange(start, start + size).clip(max=len(seeds) - 1)
        out = function(seeds[rows], *(other[rows] for other in others))
        parts.append([np.asarray(part)[: len(seeds) - start].astype(float) for part in out])
    return [np.concatenate(part) for part in zip(*parts)]


def weights(width: int = WIDTH, dtype: Any = float) -> dict[str, Array]:
    """Two leaves, of equal shape if the width is even."""
    return {"first": np.zeros(width // 2, dtype), "second": np.zeros(width - width // 2, dtype)}


def linear_loss(w: Any, x: Any) -> Any:
    """The sum of <w, record> over a batch; its gradient on one record is the record."""
    half = w["first"].shape[0]
    return (x[:, :half] @ w["first"] + x[:, half:] @ w["second"]).sum()


def flat(tree: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return jnp.concatenate([leaf.ravel() for leaf in jax.tree.leaves(tree)])


def _trainer(
    gradient: Any, privatizer: Callable[[Any], Any], steps: int, batches: str, dtype: Any = float
) -> Callable[..., list[Array]]:
    """`(records, seeds, padding) -> queries, releases`, each (runs, steps, width), of that many steps of
    gradient descent.

    `batches`: "all" (every record in every step, no padding), "fixed" (padding (steps, rows)) or "drawn"
    (padding (runs, steps, rows)).
    """
    import jax
    import jax.numpy as jnp

    def one(seed: Any, records: Any, padding: Any) -> Any:
        noise = privatizer(jax.random.key(seed))
        start = jax.tree.map(jnp.asarray, weights(records.shape[1], dtype))

        def step(carry: Any, padded: Any) -> Any:
            w, state = carry
            query = (
                gradient(w, records) if padded is None else gradient(w, records, is_padding_example=padded)
            )
            noisy, state = noise.update(query, state)
            return (jax.tree.map(lambda p, g: p - g, w, noisy), state), (flat(query), flat(noisy))

        return jax.lax.scan(step, (start, noise.init(start)), padding, length=steps)[1]

    compiled = jax.jit(jax.vmap(one, in_axes=(0, None, 0 if batches == "drawn" else None)))

    def run(records: Array, seeds: Array, padding: Array | None) -> list[Array]:
        with float64():
            records = jnp.asarray(records).astype(dtype)
            if batches == "drawn":
                return in_blocks(lambda s, p: compiled(s, records, p), seeds, padding)
            return in_blocks(lambda s: compiled(s, records, padding), seeds)

    return run


def _seeds(rng: np.random.Generator, runs: int) -> Array:
    return rng.integers(2**62, size=runs)


def _sensitivity(gradient: Any) -> dict[Adjacency, float]:
    """What jax-privacy says of a function of bounded sensitivity, for every relation."""
    from dp_accounting import NeighboringRelation as Relation

    said = {
        ADD_REMOVE: Relation.ADD_OR_REMOVE_ONE,
        ZERO_OUT: Relation.REPLACE_SPECIAL,
        REPLACE: Relation.REPLACE_ONE,
    }
    return {ours: float(gradient.sensitivity(theirs)) for ours, theirs in said.items()}


def _of(accountant: Any, source: str) -> Profile:
    return Profile(lru_cache(maxsize=4096)(lambda epsilon: float(accountant.get_delta(epsilon))), source)


@lru_cache(maxsize=64)
def _claim(
    kind: str,
    noise: float,
    steps: int,
    records: int,
    batch: int,
    sampling: str = "POISSON",
    **more: int | None,
) -> Profile:
    """The profile that a training accountant of jax-privacy composes to answer for one delta: the same
    accountant answers for all.
    """
    from jax_privacy.accounting import accountants, analysis

    composed = accountants.PldAccountantConfig().create_accountant()

    class Kept(accountants.PldAccountantConfig):
        def create_accountant(self) -> Any:
            return composed

    parameters = analysis.DpParams(
        noise_multipliers=noise,
        num_samples=records,
        batch_size=batch,
        delta=1e-5,
        sampling_method=analysis.SamplingMethod[sampling],
        **more,
    )
    getattr(analysis, kind)(Kept()).compute_epsilon(steps, parameters)
    return _of(composed, f"jax_privacy.accounting.{kind}")


def _padded(data: Array, multiple: int) -> tuple[Array, Array]:
    """The records in whole microbatches, at least one, as `split_and_pad_global_batch` gives them; and which
    rows are padding.
    """
    from jax_privacy import batch_selection

    size = max(-(-len(data) // multiple), 1) * multiple
    (rows,) = batch_selection.split_and_pad_global_batch(np.arange(len(data)), size, multiple)
    filled = np.concatenate([data, np.full((1, data.shape[1]), FILLER)])
    return filled[rows], rows < 0


@lru_cache(maxsize=64)
def _dpsgd(
    steps: int, noise: float, dtype: str, noise_dtype: str | None, microbatch: int | None, **clipping: Any
) -> tuple[Any, Any]:
    from jax_privacy import clipped_grad, noise_addition

    gradient = clipped_grad(linear_loss, microbatch_size=microbatch, **clipping)
    privatizer = partial(
        noise_addition.gaussian_privatizer, stddev=noise * gradient.sensitivity(), dtype=noise_dtype
    )
    return gradient, _trainer(
        gradient, lambda key: privatizer(prng_key=key), steps, "fixed" if microbatch else "all", dtype
    )


def _descent(trainer: Any, steps: int, declared: Any, microbatch: int = 0) -> Callable[..., Array]:
    """Training on all records in every step; every step is a release."""

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        padding = None
        if microbatch:
            data, padding = _padded(data, microbatch)
            padding = np.tile(padding, (steps, 1))
        queries, releases = trainer(data, _seeds(rng, runs), padding)
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
    claim = _claim("DpsgdTrainingAccountant", noise, steps, 2, 2)
    said_by = "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove"
    return Subject(
        train,
        claim,
        Neighbours.remove(RECORDS, 0),
        said_by,
        gradients=None if microbatch else gradients,
        runs=4000,
    )


def low_precision(
    dtype: str = "bfloat16", noise_dtype: str = "", steps: int = 1, noise: float = 1.0, clip: float = 1.0
) -> Subject:
    """The same in bfloat16, float16 or float32; `noise_dtype` is the privatizer's own setting, by default the
    gradients'.

    Rounding alone moves a query a little further than the clip, so that only what is published is looked at.
    """
    positive(steps=steps, noise=noise, clip=clip)
    for name, value in {"dtype": dtype, "noise_dtype": noise_dtype or dtype}.items():
        if value not in ("bfloat16", "float16", "float32"):
            raise ValueError(f"Expected {name}={value!r} to be bfloat16, float16 or float32.")
    _, trainer = _dpsgd(steps, noise, dtype, noise_dtype or None, None, l2_clip_norm=clip)

    def train(data: Any, rng: np.random.Generator, runs: int) -> Array:
        return trainer(np.asarray(data, dtype=float), _seeds(rng, runs), None)[1].reshape(runs, -1)

    claim = _claim("DpsgdTrainingAccountant", noise, steps, 2, 2)
    pair = Neighbours.remove(
        np.array([[1.6e-4] * WIDTH if clip < 1e-3 else [2.0, 0.0, 0.0, 0.0], [0.0] * WIDTH]), 0
    )
    return Subject(
        train, claim, pair, "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove", runs=40_000
    )


def _in_turn(data: Array, steps: int) -> tuple[Array, Array]:
    """Record i is in the batch of step i mod steps and in no other; all others are padding there."""
    rows, _ = _padded(data, 1)
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
        else:
            noising, squared = _tree(steps)
            matrix, most = noising, squared**0.5
    gradient = clipped_grad(linear_loss, l2_clip_norm=clip)
    scale = noise * most * clip
    privatizer = partial(noise_addition.matrix_factorization_privatizer, matrix, stddev=scale)
    return _trainer(gradient, lambda key: privatizer(prng_key=key), steps, "fixed"), noising, scale, most


def factorised(kind: str, steps: int, noise: float, clip: float) -> Subject:
    """Correlated noise by a noising matrix; every record is in one step only."""
    positive(steps=steps, noise=noise, clip=clip)
    trainer, noising, scale, most = _factorised(kind, steps, noise, clip)
    declared = Gaussian(scale, {ZERO_OUT: most * clip, REPLACE: 2 * most * clip})

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        rows, padding = _in_turn(np.asarray(data, dtype=float), steps)
        queries, releases = trainer(rows, _seeds(rng, runs), padding)
        return _recorded(tape, queries, releases, noising, declared)

    claim = _claim("SingleReleaseTrainingAccountant", noise, steps, 2, 1)
    said_by = (
        "jax_privacy.accounting.SingleReleaseTrainingAccountant; a record that goes leaves its place empty"
    )
    return Subject(train, claim, Neighbours.zero_out(RECORDS, 0), said_by, runs=4000)


def dpftrl(steps: int = 4, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """matrix_factorization_privatizer with the inverse of the Toeplitz strategy of least maximal error."""
    return factorised("toeplitz", steps, noise, clip)


def tree(steps: int = 4, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """matrix_factorization_privatizer with the dense noising matrix of tree aggregation."""
    return factorised("tree", steps, noise, clip)


def _drawn(strategy: Any, records: int, steps: int, rows: int, rng: np.random.Generator, runs: int) -> Array:
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
    return _trainer(gradient, lambda key: privatizer(prng_key=key), steps, "drawn")


def _batches(strategy: Any, release: Any, steps: int, noise: float, clip: float) -> Callable[..., Array]:
    """DP-SGD on batches that a strategy of jax-privacy selects; its releases are recorded if they can be
    declared.
    """
    trainer = _sampled(steps, noise, clip)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        rows, _ = _padded(data, 1)
        queries, releases = trainer(
            rows, _seeds(rng, runs), _drawn(strategy, len(data), steps, len(rows), rng, runs)
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
    claim = _claim("DpsgdTrainingAccountant", noise, steps, 2 * cycle, 1, cycle_length=cycle)
    pair = Neighbours.remove(RECORDS[:1], 0)
    return Subject(
        _batches(strategy, release, steps, noise, clip),
        claim,
        pair,
        "jax_privacy.accounting.DpsgdTrainingAccountant, add/remove",
        runs=10_000 * cycle,
    )


def truncated(steps: int = 2, noise: float = 0.5, clip: float = 1.0) -> Subject:
    """CyclicPoissonSampling of probability 1/2 on four records, of which at most three are kept."""
    positive(steps=steps, noise=noise, clip=clip)
    from jax_privacy import batch_selection

    strategy = batch_selection.CyclicPoissonSampling(
        sampling_prob=0.5, iterations=steps, truncated_batch_size=3
    )
    claim = _claim("DpsgdTrainingAccountant", noise, steps, 4, 2, truncated_batch_size=3)
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
    claim = _claim("DpsgdTrainingAccountant", noise, steps, 2, 1, "FIXED_BATCH_SIZE")
    pair = Neighbours.replace(
        np.array([[3.0, 0.0, 4.0, 0.0], [-3.0, 0.0, -4.0, 0.0]]), 0, np.array([-3.0, 0.0, -4.0, 0.0])
    )
    said_by = "jax_privacy.accounting.DpsgdTrainingAccountant with FIXED_BATCH_SIZE, replace"
    return Subject(_batches(strategy, None, steps, noise, clip), claim, pair, said_by, runs=10_000)


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
        _trainer(gradient, seeded, steps, "drawn"),
        noising,
        _of(accountant, "BandMFExecutionPlanConfig.plan.dp_event"),
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
        rows, _ = _padded(data, 1)
        padding = _drawn(plan.batch_selection_strategy, len(data), steps, len(rows), rng, runs)
        queries, releases = trainer(rows, _seeds(rng, runs), padding)
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
    )


def per_example(
    loss: Callable[..., Any], params: Any, *batch: Any, **options: Any
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The gradient of every record by the name of a leaf: as `clipped_grad` has it within the batch, and of
    that record alone.

    All other rows are marked as padding, so that the sum that `clipped_grad` gives is the gradient of one
    record.
    """
    import jax
    import jax.numpy as jnp
    from jax_privacy import clipped_grad

    clip = options.pop("l2_clip_norm", np.inf)
    has_aux, keep = options.get("has_aux", False), options.get("keep_batch_dim", True)
    together = jax.jit(
        clipped_grad(loss, l2_clip_norm=clip, batch_argnums=tuple(range(1, len(batch) + 1)), **options).fun
    )
    alone = jax.jit(jax.grad(loss, has_aux=has_aux))
    rows = len(jax.tree.leaves(batch)[0])
    found, reference = [], []
    for i in range(rows):
        own = [
            jax.tree.map(
                lambda part, i=i: jnp.asarray(part)[i : i + 1] if keep else jnp.asarray(part)[i], part
            )
            for part in batch
        ]
        within, single = (
            together(params, *map(_arrays, batch), is_padding_example=np.arange(rows) != i),
            alone(params, *own),
        )
        found.append(_named(within[0] if has_aux else within))
        reference.append(_named(single[0] if has_aux else single))
    return _stacked(found), _stacked(reference)


def _arrays(tree: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return jax.tree.map(jnp.asarray, tree)


def _named(tree: Any) -> dict[str, Array]:
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {
        jax.tree_util.keystr(path) or "the parameters": np.asarray(leaf, dtype=float) for path, leaf in leaves
    }


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def check_gradients(
    loss: Callable[..., Any],
    params: Any,
    *batch: Any,
    whole: Callable[..., Any] | None = None,
    reduction: str = "mean",
    tolerance: float = 1e-4,
    model: str = "the model",
    **options: Any,
) -> Result:
    """Whether `clipped_grad` of jax-privacy differentiates, clips and adds up a loss of yours record by
    record, as it must.

    Three comparisons: each record within its batch against that record alone; the same clipped at the median
    norm against clipping by hand; and the sum over the records against the gradient of the loss of the
    `whole` batch, a "mean" or a "sum" over its records (by default `loss` itself, unless
    `keep_batch_dim=False`, where `loss` is that of one record). The last one finds batch normalization and
    every other loss that mixes records: then clipping single records does not bound what you think it does.
    `options` go to `clipped_grad`. Needs jax-privacy.
    """
    import jax

    if reduction not in ("mean", "sum"):
        raise ValueError(f"Expected reduction={reduction!r} to be 'mean' or 'sum'.")
    if not batch:
        raise ValueError("Expected at least one array of records, got batch=().")
    found, reference = per_example(loss, params, *batch, **options)
    results = [gradients_agree(found, reference, tolerance, model)]
    norms = np.sqrt(sum((part.reshape(len(part), -1) ** 2).sum(axis=1) for part in reference.values()))
    clip = float(np.median(norms))
    if 0 < clip < np.inf:
        shrink = np.minimum(1.0, clip / np.maximum(norms, 1e-300))
        by_hand = {name: (part.T * shrink).T for name, part in reference.items()}
        results.append(
            gradients_agree(
                per_example(loss, params, *batch, **options, l2_clip_norm=clip)[0],
                by_hand,
                tolerance,
                f"{model}, clipped at {clip:.3g}",
            )
        )
    batched = loss if whole is None and options.get("keep_batch_dim", True) else whole
    if batched is not None:
        gradient = jax.grad(batched, has_aux=whole is None and options.get("has_aux", False))(
            params, *map(_arrays, batch)
        )
        together = _named(gradient[0] if whole is None and options.get("has_aux", False) else gradient)
        times = len(norms) if reduction == "mean" else 1
        added = gradients_agree(
            {name: part.sum(axis=0, keepdims=True) for name, part in found.items()},
            {name: times * part[None] for name, part in together.items()},
            tolerance,
            f"{model}, added up over the batch",
        )
        if added.verdict is REFUTED:
            mixes = (
                "The gradients of single records do not add up to that of the batch: the loss mixes "
                "records, or its reduction is another one."
            )
            added = added.with_(because=f"{added.because} {mixes}")
        results.append(added)
    wrong = [result for result in results if result.verdict is REFUTED]
    if wrong:
        return wrong[0]
    largest = max(result.evidence.certificate["largest"] for result in results if result.evidence)
    evidence = Evidence(
        "per-example gradients",
        {
            "parameters": len(reference),
            "records": len(norms),
            "comparisons": len(results),
            "largest": largest,
        },
        ceiling=f"any leaf that is off by {tolerance:g} of its gradient on these records",
    )
    return Result(
        SUPPORTED,
        f"{model}: {len(reference)} leaves agree in {len(results)} comparisons (largest relative "
        f"gap {largest:.2g}).",
        evidence,
    )


def models(seed: int = 0) -> dict[str, tuple[Callable[..., Any], Any, tuple[Any, ...]]]:
    """Small models of many kinds: their loss, a mean over the batch, with parameters and a batch of six
    records.
    """
    import jax
    import jax.numpy as jnp

    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        return rng.normal(size=shape) / np.sqrt(shape[0])

    def norm(x: Any, scale: Any, shift: Any) -> Any:
        return (
            scale * (x - x.mean(axis=-1, keepdims=True)) / jnp.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
            + shift
        )

    def mlp(w: Any, batch: Any) -> Any:
        x, y = batch
        hidden = jnp.tanh(x @ w["in"]["kernel"] + w["in"]["bias"])
        return ((hidden @ w["out"]["kernel"] + w["out"]["bias"] - y) ** 2).sum(axis=-1).mean()

    def convolution(w: Any, batch: Any) -> Any:
        x, y = batch
        maps = jax.nn.relu(
            jax.lax.conv_general_dilated(x, w["kernel"], (1, 1), "SAME") + w["bias"][:, None, None]
        )
        return ((maps.mean(axis=(2, 3)) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def embedding(w: Any, batch: Any) -> Any:
        tokens, y = batch
        return ((w["table"][tokens].mean(axis=1) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def layer_norm(w: Any, batch: Any) -> Any:
        x, y = batch
        return ((norm(x @ w["in"], w["scale"], w["shift"]) @ w["out"] - y) ** 2).sum(axis=-1).mean()

    def attention(w: Any, batch: Any) -> Any:
        x, y = batch
        scores = jnp.einsum("bik,bjk->bij", x @ w["query"], x @ w["key"]) / 2.0
        mixed = jnp.einsum("bij,bjk->bik", jax.nn.softmax(scores, axis=-1), x @ w["value"])
        return (
            ((norm(mixed + x, w["scale"], w["shift"]).mean(axis=1) @ w["out"] - y) ** 2).sum(axis=-1).mean()
        )

    def shared(w: Any, batch: Any) -> Any:
        tokens, y = batch
        hidden = w["table"][tokens].mean(axis=1)
        for _ in range(2):
            hidden = jnp.tanh(hidden @ w["again"])
        return (
            -(jax.nn.log_softmax(hidden @ w["table"].T) * jax.nn.one_hot(y, w["table"].shape[0]))
            .sum(axis=-1)
            .mean()
        )

    n, x, y, tokens = 6, draw(6, 4), draw(6, 2), rng.integers(0, 7, size=(6, 5))
    return {
        "two layers": (
            mlp,
            {"in": {"kernel": draw(4, 5), "bias": draw(5)}, "out": {"kernel": draw(5, 2), "bias": draw(2)}},
            ((x, y),),
        ),
        "convolution": (
            convolution,
            {"kernel": draw(3, 2, 3, 3), "bias": draw(3), "out": draw(3, 2)},
            ((draw(n, 2, 5, 5), y),),
        ),
        "embedding": (embedding, {"table": draw(7, 4), "out": draw(4, 2)}, ((tokens, y),)),
        "layer normalization": (
            layer_norm,
            {"in": draw(4, 5), "scale": draw(5), "shift": draw(5), "out": draw(5, 2)},
            ((x, y),),
        ),
        "attention": (
            attention,
            {
                "query": draw(4, 4),
                "key": draw(4, 4),
                "value": draw(4, 4),
                "scale": draw(4),
                "shift": draw(4),
                "out": draw(4, 2),
            },
            ((draw(n, 3, 4), y),),
        ),
        "shared parameters": (shared, {"table": draw(7, 4), "again": draw(4, 4)}, ((tokens, tokens[:, 0]),)),
    }


def gradients() -> Mapping[str, Any]:
    """Per-example gradients of every model, and of one also in microbatches."""
    with float64():
        found = {name: per_example(loss, params, *batch) for name, (loss, params, batch) in models().items()}
        loss, params, batch = models()["two layers"]
        return {**found, "two layers, in microbatches": per_example(loss, params, *batch, microbatch_size=2)}


_target = partial(
    Target, packages=("jax-privacy", "jax", "optax", "dp-accounting"), install='pip install "dpverify[jax]"'
)
ADD_OR_REMOVE = "the profile of DpsgdTrainingAccountant (PLD), add/remove"
ONE_RELEASE = "the profile of SingleReleaseTrainingAccountant (PLD), zero-out"
PLAN = "the profile of plan.dp_event under its PLD accountant, zero-out"
NO_EMPTY = {"empty": UNDECIDED}  # it refuses a batch without rows
BROKEN = {"step": REFUTED, "training": REFUTED}

TARGETS = (
    _target(
        "jax-privacy:dpsgd",
        "clipped_grad and gaussian_privatizer, full batch",
        ADD_OR_REMOVE,
        dpsgd,
        expect=NO_EMPTY,
    ),
    _target(
        "jax-privacy:microbatch",
        "the same with rescale_to_unit_norm, normalize_by, and microbatches with padding",
        ADD_OR_REMOVE,
        partial(dpsgd, clip=0.5, rescale_to_unit_norm=True, normalize_by=3.0, microbatch=2),
    ),
    _target(
        "jax-privacy:bfloat16",
        "the same in bfloat16: the noise has 128 values, none beyond 2.9 standard deviations",
        ADD_OR_REMOVE,
        low_precision,
        expect={**NO_EMPTY, **BROKEN},
    ),
    _target(
        "jax-privacy:float16",
        "the same in float16, clip 1e-4, noise in float32: the squares of entries below 1.7e-4 "
        "are 0, and nothing is clipped",
        ADD_OR_REMOVE,
        partial(low_precision, dtype="float16", noise_dtype="float32", clip=1e-4),
        expect={**NO_EMPTY, **BROKEN},
    ),
    _target(
        "jax-privacy:dpftrl",
        "matrix factorisation, Toeplitz strategy, every record in one step",
        ONE_RELEASE,
        dpftrl,
    ),
    _target(
        "jax-privacy:tree",
        "matrix factorisation, dense noising matrix of a binary tree, every record in one step",
        ONE_RELEASE,
        tree,
    ),
    _target(
        "jax-privacy:poisson", "DP-SGD on batches of CyclicPoissonSampling, rate 1/2", ADD_OR_REMOVE, poisson
    ),
    _target(
        "jax-privacy:cyclic",
        "DP-SGD on batches of CyclicPoissonSampling, two groups, rate 1/2",
        ADD_OR_REMOVE,
        partial(poisson, noise=0.4, cycle=2),
    ),
    _target(
        "jax-privacy:truncated",
        "DP-SGD on batches of CyclicPoissonSampling, at most three of four records",
        "the profile of DpsgdTrainingAccountant (PLD), zero-out",
        truncated,
    ),
    _target(
        "jax-privacy:fixed",
        "DP-SGD on batches of FixedBatchSampling, one of two records",
        "the profile of DpsgdTrainingAccountant (PLD), replace",
        fixed,
        expect=NO_EMPTY,
    ),
    _target("jax-privacy:bandmf", "BandMFExecutionPlanConfig with two bands", PLAN, bandmf),
    _target(
        "jax-privacy:bandmf-poisson",
        "BandMFExecutionPlanConfig with two bands, rate 0.8",
        PLAN,
        partial(bandmf, steps=2, noise=0.4, rate=0.8),
    ),
    _target(
        "jax-privacy:bandmf-normalized",
        "BandMFExecutionPlanConfig, column_normalize with a strategy of norm 1/2: half the noise "
        "that it charges",
        PLAN,
        partial(bandmf, noise=1.0, strategy=(0.5,), column_normalize=True),
        expect={**BROKEN, "noise": REFUTED, "empty": REFUTED, "single": REFUTED},
    ),
)
