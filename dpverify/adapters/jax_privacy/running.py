"""What the targets of jax-privacy share: compiled trainings of a linear loss, their claims, and padding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import Target
from dpverify.guarantees import Profile

Array = np.ndarray[Any, Any]
WIDTH = 4  # of a record; the first half goes to one leaf, the rest to another
RECORDS = np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.5, 0.0, 0.0]])
FILLER = 7.0  # what stands in rows that are marked as padding: it must not count
# A huge record that is still a number in each format.
LARGEST = {"float64": 1e200, "float32": 1e38, "bfloat16": 1e38, "float16": 6e4}
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


def trainer_of(
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


def draw_seeds(rng: np.random.Generator, runs: int) -> Array:
    return rng.integers(2**62, size=runs)


def profile_by(accountant: Any, source: str) -> Profile:
    return Profile(lru_cache(maxsize=4096)(lambda epsilon: float(accountant.get_delta(epsilon))), source)


@lru_cache(maxsize=64)
def training_claim(
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
    return profile_by(composed, f"jax_privacy.accounting.{kind}")


def padded(data: Array, multiple: int) -> tuple[Array, Array]:
    """The records in whole microbatches, at least one, as `split_and_pad_global_batch` gives them; and which
    rows are padding.
    """
    from jax_privacy import batch_selection

    size = max(-(-len(data) // multiple), 1) * multiple
    (rows,) = batch_selection.split_and_pad_global_batch(np.arange(len(data)), size, multiple)
    filled = np.concatenate([data, np.full((1, data.shape[1]), FILLER)])
    return filled[rows], rows < 0


jax_target = partial(
    Target, packages=("jax-privacy", "jax", "optax", "dp-accounting"), install='pip install ".[jax]"'
)
