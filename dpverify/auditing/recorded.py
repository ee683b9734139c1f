"""The noise in a whole output, where it can be seen: output = query + factor * noise, noise as rng drew it.

A generator that writes down the noise it gives tells what was added, whatever else was drawn. The split
stands only if the same query and the same factor explain every run exactly (up to rounding): an output that
was rounded, clipped or centred after the noise, or whose query depends on other draws (a batch, a rejection),
is not split.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.sampling import Mechanism, batched, call
from dpverify.neighbours import Data

ROUNDING = 64 * np.finfo(float).eps  # of the numbers added, for a handful of float64 operations


class Recorder(np.random.Generator):
    """A generator that keeps the Gaussian and Laplace noise it draws, without the centre it is drawn around.

    >>> rng = Recorder(np.random.PCG64(0))
    >>> value = rng.normal(10.0, 2.0)
    >>> bool(rng.noise[0] == value - 10.0)
    True
    """

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        self.noise: list[float] = []

    def _keep(self, values: Any, centre: Any = 0.0) -> Any:
        self.noise.extend(np.ravel(np.asarray(values, dtype=float) - centre).tolist())
        return values

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._keep(super().normal(loc, scale, size), loc)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._keep(super().laplace(loc, scale, size), loc)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._keep(super().standard_normal(size, dtype, out))


class Split(NamedTuple):
    """The query (k,), the noise that was added to it (runs, k), and how exact that is."""

    query: np.ndarray
    noise: np.ndarray
    rounding: float


def split(mechanism: Mechanism, data: Data, seed: np.random.SeedSequence, runs: int) -> Split | None:
    """The query and the noise in the outputs of some runs, or None if they are not their sum.

    >>> noisy = lambda data, rng: data.sum() + 2 * rng.normal()
    >>> round(float(split(noisy, np.ones(3), np.random.SeedSequence(0), 8).query[0]), 9)
    3.0
    >>> split(lambda data, rng: round(data.sum() + rng.normal()), np.ones(3), np.random.SeedSequence(0), 8)
    """
    outputs, noise = _executed(mechanism, data, seed, runs)
    if outputs is None or noise is None or not np.isfinite(outputs).all() or outputs.shape[1] == 0:
        return None
    moved = noise - noise[0]
    at = np.unravel_index(np.abs(moved).argmax(), moved.shape)
    if moved[at] == 0:
        return None  # no noise, or the same in every run
    factor = (outputs - outputs[0])[at] / moved[at]
    queries = outputs - factor * noise
    rounding = ROUNDING * float(np.abs(outputs).max() + np.abs(factor * noise).max())
    # the data may be summed in another order in every run
    spread = float(np.abs(queries - queries[0]).max())
    if spread > 16 * rounding:
        return None
    return Split(queries.mean(axis=0), factor * noise, max(rounding, spread))


def _executed(
    mechanism: Mechanism, data: Data, seed: np.random.SeedSequence, runs: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Outputs (runs, k) and as many numbers of noise, if there are as many."""
    rng = Recorder(np.random.PCG64(seed))
    if batched(mechanism):
        outputs = call(mechanism, data, seed, runs, rng=rng)
        noise = np.array(rng.noise)
        return outputs, noise.reshape(outputs.shape) if noise.size == outputs.size else None
    rows, drawn = [], []
    for _ in range(runs):
        rng.noise = []
        rows.append(call(mechanism, data, seed, rng=rng)[0])
        drawn.append(rng.noise)
    if len({len(row) for row in [*rows, *drawn]}) != 1:
        return None, None
    return np.array(rows), np.array(drawn)
