"""Laplace noise: density exp(-|u|/b) / 2b on each coordinate, for a sensitivity in the L1 norm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.neighbours import Adjacency
from dpverify.releases.base import Law, Noise

if TYPE_CHECKING:
    from dpverify.releases.rules import Currency

Array = np.ndarray[Any, Any]


def _cdf(z: Array) -> Array:
    tail = 0.5 * np.exp(-np.abs(z))
    return np.where(z < 0, tail, 1 - tail)


DOUBLE_EXPONENTIAL = Law(
    "Laplace", cdf=_cdf, median=math.log(2), energy=np.abs, shape=1.0, size=lambda energy: energy
)


@dataclass(frozen=True)
class Laplace(Noise):
    """The query's value plus i.i.d. Laplace noise of that *scale* (variance 2 b^2); L1 sensitivity.

    >>> from dpverify.neighbours import REPLACE
    >>> Laplace(scale=2.0, sensitivity={REPLACE: 1.0}).variance()
    8.0
    """

    norm = 1
    law = DOUBLE_EXPONENTIAL
    unit_variance = 2.0

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """An exponential with a random sign."""
        drawn = rng.standard_exponential(shape)
        signs = rng.integers(0, 256, size=(drawn.size + 7) // 8, dtype=np.uint8)
        np.negative(drawn, out=drawn, where=np.unpackbits(signs, count=drawn.size).reshape(shape).view(bool))
        return drawn

    def log_standard(self, rows: Array) -> Array:
        return -np.abs(rows).sum(axis=1) - rows.shape[1] * math.log(2)

    def epsilon(self, adjacency: Adjacency) -> float:
        return self.ratio(adjacency)

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        from dpverify.releases.rules import pure_formula

        return pure_formula(self.quotient(adjacency), currency)

    def attains(self, currency: Currency) -> bool:
        from dpverify.releases.rules import PURE

        return currency == PURE
