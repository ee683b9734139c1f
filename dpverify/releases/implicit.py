"""Gaussian noise in an equation whose solution is published: what was released is its query's value *there*,
plus noise.

    released = value(released) + N(0, scale^2 I),   as the noisy linear term of a perturbed objective

Citation: Chaudhuri, Monteleoni and Sarwate 2011; Kifer, Smith and Thakurta 2012; Redberg, Koskela and Wang
2023. One record moves the value along fixed directions, k of them (1 if it is added, removed or zeroed, 2 if
replaced), by at most `sensitivity`; how far depends on the solution, hence on the noise. With mu =
sensitivity/scale and R the length of k standard normal numbers the privacy loss is at most

    ln(stretch) + mu R + mu^2/2,

where `stretch` bounds the ratio of the two Jacobians. So delta(eps) = E[1 - exp(eps - that)]_+, in closed
form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.neighbours import REPLACE, Adjacency
from dpverify.releases.curves import Curve
from dpverify.releases.gaussian import Gaussian

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Implicit(Gaussian):
    """The solution of an equation with Gaussian noise in it; `stretch` >= 1 bounds the ratio of the Jacobians
    on neighbouring data sets.

    >>> from dpverify.neighbours import ZERO_OUT
    >>> from dpverify.releases.curves import gaussian_curve
    >>> here = Implicit(2.0, {ZERO_OUT: 1.0}).curve(ZERO_OUT)(np.array([1.0]))
    >>> bool(np.allclose(here, 2 * gaussian_curve(0.5)(np.array([1.0]))))
    True
    """

    stretch: float = 1.0
    gaussian = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stretch >= 1:
            raise ValueError(f"Expected stretch={self.stretch} >= 1.")

    def curve(self, adjacency: Adjacency) -> Curve:
        mu, replaced = self.ratio(adjacency), adjacency is REPLACE
        if mu == 0 or math.isinf(mu):
            return lambda epsilon: np.full(np.shape(epsilon), float(mu > 0))

        def curve(epsilon: Array) -> Array:
            from scipy.special import ndtr

            level = np.asarray(epsilon) - math.log(self.stretch) - mu**2 / 2
            least = np.maximum(level / mu, 0.0)  # R beyond which the loss exceeds epsilon
            beyond = least + mu
            if replaced:
                chance = np.exp(-(least**2) / 2)
                weighed = np.exp(-(beyond**2) / 2) - mu * math.sqrt(2 * math.pi) * ndtr(-beyond)
            else:
                chance, weighed = 2 * ndtr(-least), 2 * ndtr(-beyond)
            return np.clip(chance - np.exp(level + mu**2 / 2) * weighed, 0.0, 1.0)

        return curve

    def costs(self, adjacency: Adjacency) -> list[Any]:
        raise ValueError(f"Expected a release that composes as Gaussian noise does, got {self.key()}.")

    def formula(self, currency: Any, adjacency: Adjacency) -> Any:
        from dpverify.releases.rules import NoRule

        raise NoRule("there is no rule for Implicit")

    def attains(self, currency: Any) -> bool:
        return False
