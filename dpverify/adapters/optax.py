"""Optax: differentially_private_aggregate and the optimizer dpsgd made of it, on the linear loss <w, record>
over two leaves.

    released   (sum_i clip(g_i, clip) + N(0, (noise clip)^2 I)) / n

The gradients of single records are the user's (jax.vmap); the sum is seen by running the same transformation
without noise. Optax has no accountant and names no neighbours: it says that noise_multiplier is the ratio of
noise to clip, and cites Abadi et al. (2016), whose neighbours differ by one record that is there or not. What
follows from both is T releases of 1/noise-GDP each.

Shown on optax 0.2.8:
  - with n public (a record that goes leaves its place empty) it is kept; with one record more or less, n
  itself is divided by, and the
    noise that is left tells n. Optax says nothing of this; a divisor that does not depend on the data is up
    to the user.
  - a gradient that is not a number is multiplied by 1, an infinite one by 0, and either way the update is not
  a number.
  - without a key (which warns that one will be required) the key is 0: everybody knows the noise.
  - bfloat16 gradients get noise of 128 different values, none beyond 2.9 standard deviations; there is no
  setting against it.
  - on an empty batch, everything is divided by 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.jax_privacy.running import (
    LARGEST,
    RECORDS,
    flat,
    float64,
    in_blocks,
    linear_loss,
    weights,
)
from dpverify.auditing.tape import Tape
from dpverify.guarantees import GDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED

Array = np.ndarray[Any, Any]


@lru_cache(maxsize=64)
def _trainer(
    steps: int, noise: float, clip: float, momentum: float | None, dtype: str, keyed: bool
) -> Callable[..., list[Array]]:
    """`(records, seeds) -> queries, releases, weights`, each (runs, steps, width)."""
    import jax
    import jax.numpy as jnp
    from optax import contrib

    def transformation(seed: Any, multiplier: float) -> Any:
        if momentum is not None:
            return contrib.dpsgd(
                learning_rate=1.0,
                l2_norm_clip=clip,
                noise_multiplier=multiplier,
                seed=seed,
                momentum=momentum or None,
            )
        return contrib.differentially_private_aggregate(
            clip, multiplier, key=jax.random.key(seed) if keyed else None
        )

    def one(seed: Any, records: Any) -> Any:
        start = jax.tree.map(jnp.asarray, weights(records.shape[1], dtype))
        noisy, quiet = (transformation(seed, multiplier) for multiplier in (noise, 0.0))

        def step(carry: Any, _: None) -> Any:
            w, states = carry
            gradients = jax.vmap(jax.grad(linear_loss), in_axes=(None, 0))(w, records[:, None])
            released, first = noisy.update(gradients, states[0], w)
            query, second = quiet.update(gradients, states[1], w)
            return (jax.tree.map(lambda p, g: p + g, w, released), (first, second)), (
                flat(query),
                flat(released),
            )

        return jax.lax.scan(step, (start, (noisy.init(start), quiet.init(start))), None, length=steps)[1]

    compiled = jax.jit(jax.vmap(one, in_axes=(0, None)))

    def run(records: Array, seeds: Array) -> list[Array]:
        with float64(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that seed= and no key are deprecated
            records = jnp.asarray(records).astype(dtype)
            return in_blocks(lambda s: compiled(s, records), seeds)

    return run


def _subject(
    trainer: Any,
    pair: Neighbours,
    steps: int,
    noise: float,
    clip: float,
    momentum: float = 0.0,
    dtype: str = "float64",
) -> Subject:
    seen = dtype == "float64"

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        data = np.asarray(data, dtype=float)
        queries, updates = trainer(data, rng.integers(2**62, size=runs))
        if not seen:
            return updates.reshape(runs, -1)
        unit = clip / max(len(data), 1)
        public = {ZERO_OUT: unit, REPLACE: 2 * unit}
        declared = Gaussian(noise * unit, {ADD_REMOVE: unit} if pair.adjacency is ADD_REMOVE else public)
        published: list[Array] = []
        for t in range(
            steps
        ):  # what is new in an update, beyond momentum times the one before, is the release
            with np.errstate(invalid="ignore"):  # without records, updates are infinite
                query, released = (
                    part[:, t] - momentum * part[:, t - 1] if t and momentum else part[:, t]
                    for part in (queries, updates)
                )
            new = tape.record(query, released, declared)
            published.append(new + momentum * published[-1] if t and momentum else new)
        return np.concatenate(published, axis=1)

    said_by = (
        "optax.contrib: noise_multiplier is the ratio of the standard deviation to the clipping "
        "norm; no relation is named"
    )
    return Subject(
        train,
        GDP(steps**0.5 / noise),
        pair,
        said_by,
        runs=4000 if seen else 40_000,
        any_number=True,
        largest=LARGEST[dtype],
    )


def dpsgd(
    steps: int = 4, noise: float = 1.0, clip: float = 1.0, momentum: float = 0.5, dtype: str = "float64"
) -> Subject:
    """optax.contrib.dpsgd; the number of records is public. Only in float64 are its releases compared digit
    by digit.
    """
    positive(steps=steps, noise=noise, clip=clip)
    if not 0 <= momentum < 1:
        raise ValueError(f"Expected 0 <= momentum={momentum} < 1.")
    if dtype not in ("bfloat16", "float16", "float32", "float64"):
        raise ValueError(f"Expected dtype={dtype!r} to be bfloat16, float16, float32 or float64.")
    trainer = _trainer(steps, noise, clip, momentum, dtype, True)
    pair = Neighbours.zero_out(RECORDS if dtype == "float64" else np.array([[2.0, 0.0, 0.0, 0.0]]), 0)
    return _subject(trainer, pair, steps, noise, clip, momentum, dtype)


def aggregate(
    steps: int = 4, noise: float = 1.0, clip: float = 1.0, public: bool = False, keyed: bool = True
) -> Subject:
    """optax.contrib.differentially_private_aggregate alone; the number of records is public or not, the key
    is given or not.
    """
    positive(steps=steps, noise=noise, clip=clip)
    pair = Neighbours.zero_out(RECORDS, 0) if public else Neighbours.remove(RECORDS, 0)
    return _subject(_trainer(steps, noise, clip, None, "float64", keyed), pair, steps, noise, clip)


INSTALL = 'pip install ".[jax]"'
PACKAGES = ("optax", "jax")
CLAIM = "noise_multiplier is the ratio of noise to clip: sqrt(steps)/noise-GDP"
NAN = {"nan": REFUTED}

TARGETS = (
    Target(
        "optax:dpsgd",
        "contrib.dpsgd with momentum, full batch of public size",
        f"{CLAIM}, zero-out",
        dpsgd,
        PACKAGES,
        INSTALL,
        {**NAN, "empty": UNDECIDED},
    ),
    Target(
        "optax:bfloat16",
        "contrib.dpsgd on bfloat16 gradients: the noise has 128 values, none beyond 2.9 standard deviations",
        f"{CLAIM}, zero-out",
        partial(dpsgd, dtype="bfloat16", steps=1, momentum=0.0),
        PACKAGES,
        INSTALL,
        {
            **NAN,
            "huge": REFUTED,
            "step": REFUTED,
            "training": REFUTED,
        },
    ),
    Target(
        "optax:aggregate",
        "contrib.differentially_private_aggregate, one record more or less: it divides by their number",
        f"{CLAIM}, add/remove",
        aggregate,
        PACKAGES,
        INSTALL,
        {
            **NAN,
            "sensitivity": REFUTED,
            "empty": REFUTED,
            "huge": REFUTED,
            "step": REFUTED,
            "training": REFUTED,
        },
    ),
    Target(
        "optax:unkeyed",
        "contrib.differentially_private_aggregate without a key: the key is 0",
        f"{CLAIM}, zero-out",
        partial(aggregate, public=True, keyed=False),
        PACKAGES,
        INSTALL,
        {**NAN, **dict.fromkeys(("fresh", "noise", "single", "step", "training"), REFUTED)},
    ),
)
