"""Gaussian noise: N(0, scale^2 I), for a sensitivity in the L2 norm; it composes exactly."""

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
    from scipy.special import ndtr

    return ndtr(z)


NORMAL = Law(
    "Gaussian",
    cdf=_cdf,
    median=0.6744897501960817,
    energy=lambda z: z * z / 2,
    shape=0.5,
    size=lambda energy: math.sqrt(2 * energy),
    stable=True,
)


@dataclass(frozen=True)
class Gaussian(Noise):
    """The query's value plus N(0, scale^2 I); `sensitivity` is in the L2 norm.

    >>> from dpverify.neighbours import REPLACE
    >>> Gaussian(scale=2.0, sensitivity={REPLACE: 1.0}).ratio(REPLACE)
    0.5
    """

    norm = 2
    law = NORMAL
    gaussian = True

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return rng.standard_normal(shape)

    def log_standard(self, rows: Array) -> Array:
        return -0.5 * np.einsum("rk,rk->r", rows, rows) - rows.shape[1] * math.log(math.sqrt(2 * math.pi))

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        from dpverify.releases.rules import gaussian_formula

        return gaussian_formula(self.quotient(adjacency), currency)

    def formula_on_batches(self, chance: Any, how: str, currency: Currency, adjacency: Adjacency) -> Any:
        from dpverify.releases.rules import gaussian_on_batches

        return gaussian_on_batches(self.quotient(adjacency), chance, how, currency)

    def attains(self, currency: Currency) -> bool:
        from dpverify.releases.rules import PURE

        return currency != PURE
