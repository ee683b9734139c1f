"""The noise in a whole output, where it can be seen: output = factor * (query + noise), noise as rng drew it.

A generator that writes down the noise it gives tells what was added, whatever else was drawn. The split
stands only if the same query and the same factor explain every run exactly (up to rounding): an output that
was rounded, clipped or centred after the noise, or whose query depends on other draws (a batch, a rejection),
is not split. The factor is post-processing, and cannot be told from the size of the noise: query and noise
are given in the unit in which the noise has the declared scale.
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
        self.scales: set[float] = set()
        self.laws: set[str] = set()

    def _keep(self, law: str, values: Any, centre: Any = 0.0, scale: Any = 1.0) -> Any:
        self.laws.add(law)
        self.noise.extend(np.ravel(np.asarray(values, dtype=float) - centre).tolist())
        self.scales.update(np.ravel(np.asarray(scale, dtype=float)).tolist())
        return values

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._keep("Gaussian", super().normal(loc, scale, size), loc, scale)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._keep("Laplace", super().laplace(loc, scale, size), loc, scale)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return self._keep("Gaussian", super().standard_normal(size, dtype, out))


class Split(NamedTuple):
    """The query (k,), the noise that rng added to it (runs, k), and how exact that is."""

    query: np.ndarray
    noise: np.ndarray
    rounding: float


def split(
    mechanism: Mechanism, data: Data, declared: Any, seed: np.random.SeedSequence, runs: int
) -> Split | None:
    """The query and the noise in the outputs of some runs, or None if they are not their sum.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> declared, seed = Gaussian(scale=2.0, sensitivity={REPLACE: 1.0}), np.random.SeedSequence(0)
    >>> noisy = lambda data, rng: (data.sum() + 2.0 * rng.normal()) / 5
    >>> round(float(split(noisy, np.ones(3), declared, seed, 8).query[0]), 9)
    3.0
    >>> split(lambda data, rng: round(data.sum() + rng.normal()), np.ones(3), declared, seed, 8)
    """
    rng = Recorder(np.random.PCG64(seed))
    outputs, noise = _executed(mechanism, data, seed, runs, rng)
    if outputs is None or noise is None or np.size(declared.scale) != 1:
        return None
    if rng.laws != {declared.law.name} or len(rng.scales) != 1 or not all(rng.scales):
        return None  # noise of another law, or of several scales
    if not np.isfinite(outputs).all() or outputs.shape[1] == 0:
        return None
    moved = noise - noise[0]
    at = np.unravel_index(np.abs(moved).argmax(), moved.shape)
    factor = float((outputs - outputs[0])[at] / moved[at]) if moved[at] else 0.0
    if factor == 0:
        return None  # no noise, or the same in every run
    queries = outputs - factor * noise
    rounding = ROUNDING * float(np.abs(outputs).max() + np.abs(factor * noise).max())
    spread = float(np.abs(queries - queries[0]).max())  # the data may be summed in another order in every run
    if spread > 16 * rounding:
        return None
    unit = float(declared.scale) / rng.scales.pop()
    return Split(
        queries.mean(axis=0) / factor * unit, noise * unit, max(rounding, spread) / abs(factor) * unit
    )


def _executed(
    mechanism: Mechanism, data: Data, seed: np.random.SeedSequence, runs: int, rng: Recorder
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Outputs (runs, k), and as many numbers of noise, if there are as many."""
    if batched(mechanism):
        outputs = call(mechanism, data, seed, runs, rng=rng)
        drawn = np.array(rng.noise)
        noise = drawn.reshape(outputs.shape) if drawn.size == outputs.size else None
    else:
        rows, drawn_by_run = [], []
        for _ in range(runs):
            rng.noise = []
            rows.append(call(mechanism, data, seed, rng=rng)[0])
            drawn_by_run.append(rng.noise)
        if len({len(row) for row in [*rows, *drawn_by_run]}) != 1:
            return None, None
        outputs, noise = np.array(rows), np.array(drawn_by_run)
    return outputs, noise
