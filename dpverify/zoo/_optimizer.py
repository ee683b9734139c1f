"""The correct optimizer that most planted bugs change: noisy gradient descent on squared distances.

release  s[t] = sum_i clip(x[t] - record_i, C) + N(0, scale^2 I)
update   x[t+1] = x[t] - RATE s[t]

One record moves the sum by at most C under add/remove and 2 C under replace; STEPS releases are sqrt(STEPS) 2
C / scale = 1-GDP.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dpverify.auditing import Tape
from dpverify.guarantees import GDP, Profile
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency, Neighbours
from dpverify.releases import Gaussian, Release, Subsampled

Array = np.ndarray[Any, Any]
Query = Callable[[Array, Array], Array]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Array]

CLIP = 1.0
SCALE = 4.0
STEPS = 4
RATE = 0.1
DECLARED = Gaussian(scale=SCALE, sensitivity={ADD_REMOVE: CLIP, REPLACE: 2 * CLIP})
CLAIM = GDP(STEPS**0.5 * 2 * CLIP / SCALE)
RECORDS = 3  # public under replace
MEAN = Gaussian(scale=SCALE / RECORDS, sensitivity={REPLACE: 2 * CLIP / RECORDS})
PAIR = Neighbours.replace(np.array([[-30.0, 40.0], [0.0, -0.5], [0.25, 0.25]]), 0, [30.0, -40.0])


def clip(vectors: Array, limit: float = CLIP) -> Array:
    """Every vector on the last axis, shortened to that norm if it is longer.

    >>> clip(np.array([0.0, 4.0])).tolist()
    [0.0, 1.0]
    """
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors * np.minimum(1.0, limit / np.maximum(norms, 1e-12))


def gradients(x: Array, data: Array) -> Array:
    """The gradient of |x - record|^2 / 2 at every iterate and record: (runs, records, d)."""
    return x[:, None, :] - data


def clipped_sum(x: Array, data: Array) -> Array:
    """The query of the correct optimizer."""
    return clip(gradients(x, data)).sum(axis=1)


def clipped_mean(x: Array, data: Array) -> Array:
    """The same as a mean; declared as `MEAN`."""
    return clipped_sum(x, data) / RECORDS


def descent(
    query: Query = clipped_sum, noise: Noise | None = None, declared: Gaussian = DECLARED, steps: int = STEPS
) -> Any:
    """The optimizer with that query, noise and declaration, as a mechanism in batched form that shows its
    last iterate.
    """
    drawn = declared.noise if noise is None else noise

    def mechanism(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        x = np.zeros((runs, data.shape[1]))
        for _ in range(steps):
            value = query(x, data)
            x = x - RATE * tape.record(value, value + drawn(rng, value.shape), declared)
        return x

    mechanism.__qualname__ = mechanism.__name__ = f"descent on {query.__name__}"
    return mechanism


TWIN = descent()


def fresh_noises(rng: np.random.Generator, runs: int, data: Array) -> list[Array]:
    """A draw of the declared noise for every step."""
    return [DECLARED.noise(rng, (runs, data.shape[1])) for _ in range(STEPS)]


def transcript(data: Array, noises: list[Array], tape: Tape) -> Array:
    """All that descent releases, step by step, with these noises added; the records take turns."""
    x = np.zeros_like(noises[0])
    shown = []
    for t, noise in enumerate(noises):
        value = clipped_sum(x, data[t::STEPS])
        shown.append(tape.record(value, value + noise, DECLARED))
        x = x - RATE * shown[-1]
    return np.concatenate(shown, axis=1)


def fresh_transcript(data: Array, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
    """All that descent releases, with fresh noise at every step."""
    return transcript(data, fresh_noises(rng, runs, data), tape)


def epoch(
    data: Array, batch: Callable[[int], Array], rng: np.random.Generator, tape: Tape, declared: Subsampled
) -> Array:
    """Noisy sums over as many batches as make the records; `batch(t)` says who is in it, run by run."""
    shown = []
    for t in range(declared.of):
        value = batch(t) @ clip(data)
        shown.append(tape.record(value, value + declared.noise(rng, value.shape), declared))
    return np.concatenate(shown, axis=1)


def profile(ledger: list[Release], adjacency: Adjacency, source: str) -> Profile:
    """What an accountant claims for a ledger on a grid of losses of 1e-3, computed when it is first asked
    for.
    """

    @cache
    def curve() -> Callable[[float], float]:
        from dpverify.accounting.pld import pld_profile

        return pld_profile(ledger, adjacency, interval=1e-3)

    return Profile(lambda epsilon: curve()(epsilon), source)
