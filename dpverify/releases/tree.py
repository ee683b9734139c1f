"""Sums over nodes of a binary tree of steps, each with its own Gaussian noise, with a record in every
epoch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.neighbours import ADD_REMOVE, Adjacency
from dpverify.releases.base import Cost, Release, check_sensitivity, look_up
from dpverify.releases.gaussian import NORMAL, Gaussian

Array = np.ndarray[Any, Any]


EXACT = 256, 5  # so many steps and epochs at most have their worst places found without rounding


def dyadic(first: int, last: int) -> bool:
    """Whether that is a node of the binary tree of steps.

    >>> dyadic(5, 8), dyadic(2, 3)
    (True, False)
    """
    length = last - first + 1
    return length & (length - 1) == 0 and (first - 1) % length == 0


def occurrences(first: int, last: int, period: int, decay: float = 1.0) -> list[float]:
    """What 0, 1, 2, ... occurrences, one in an epoch, weigh in a node at most: each as late as its epoch and
    the node let it be.

    >>> occurrences(1, 4, period=2), occurrences(2, 3, period=2, decay=0.5)
    ([0.0, 1.0, 2.0], [0.0, 1.0, 1.5])
    """
    sums, place = [0.0], last
    while place >= first:
        sums.append(sums[-1] + decay ** (last - place))
        place = (place - 1) // period * period  # the end of the epoch before
    return sums


@dataclass(frozen=True)
class TreeNode(Release):
    """Sums over some nodes of a binary tree of steps, each with its own Gaussian noise; the value has shape
    (runs, nodes, d).

    `nodes` are the intervals (first, last) of steps summed; `scale` has one entry per node; `sensitivity`
    (one entry per node) is what *one occurrence* of a record moves that node's sum by, at its last step; at
    step i it is decay^(last - i) times that. A record occurs once in every epoch (steps 1..period,
    period+1..2 period,
    ...), anywhere in it.

    >>> from dpverify.neighbours import REPLACE
    >>> node = TreeNode(scale=(2.0, 2.0), sensitivity={REPLACE: (1.0, 1.0)}, nodes=((2, 2), (1, 2)), period=4)
    >>> node.noise(np.random.default_rng(0), (5, 2, 3)).shape
    (5, 2, 3)
    """

    scale: tuple[float, ...]
    sensitivity: Mapping[Adjacency, tuple[float, ...]]
    nodes: tuple[tuple[int, int], ...]
    period: int
    decay: float = 1.0

    norm = 2
    law = NORMAL
    gaussian = True

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise ValueError(f"Expected 0 <= decay={self.decay} <= 1.")
        if len(self.scale) != len(self.nodes):
            raise ValueError(
                f"Expected one scale per node, got scale={self.scale} for {len(self.nodes)} nodes."
            )
        if not all(s >= 0 for s in self.scale):
            raise ValueError(f"Expected scale={self.scale} >= 0.")
        check_sensitivity(self.sensitivity)
        for adjacency, per_node in self.sensitivity.items():
            if len(per_node) != len(self.nodes):
                raise ValueError(
                    f"Expected one sensitivity per node, got sensitivity[{adjacency}]={per_node} "
                    f"for {len(self.nodes)} nodes."
                )
        for first, last in self.nodes:
            if not 1 <= first <= last:
                raise ValueError(
                    f"Expected nodes (first, last) with 1 <= first <= last, got {(first, last)}."
                )
        if self.period < 1:
            raise ValueError(f"Expected period={self.period} >= 1.")

    def ratios(self, adjacency: Adjacency) -> tuple[float, ...]:
        """Sensitivity over scale of every node, for one occurrence of the record."""
        pairs = zip(look_up(self.sensitivity, adjacency), self.scale)
        return tuple(0.0 if s == 0 else math.inf if scale == 0 else float(s / scale) for s, scale in pairs)

    def ratio(self, adjacency: Adjacency) -> float:
        return max(self.ratios(adjacency))

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        drawn = rng.standard_normal(shape)
        drawn *= np.asarray(self.scale)[:, None]
        return drawn

    def standardised(self, residual: Array) -> Array | None:
        return residual / np.asarray(self.scale)[:, None] if min(self.scale) > 0 else None

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        total = np.zeros(len(residual))
        for k, scale in enumerate(self.scale):
            total += Gaussian(scale, self.sensitivity_of(k)).log_density(residual[:, k], unit)
        return total

    def variance(self) -> float:
        """The variance of one coordinate of the noise of its quietest node."""
        return min(self.scale) ** 2

    def scaled(self, factor: float) -> TreeNode:
        return replace(self, scale=tuple(factor * s for s in self.scale))

    def sensitivity_of(self, k: int) -> dict[Adjacency, float]:
        """The sensitivity of node k to one occurrence."""
        return {adjacency: per_node[k] for adjacency, per_node in self.sensitivity.items()}

    def most(self, k: int) -> float:
        """What all occurrences of a record move node k by at most, in units of its sensitivity to one."""
        return occurrences(*self.nodes[k], self.period, self.decay)[-1]

    def moved(self, gap: Array, adjacency: Adjacency) -> list[tuple[float, float]]:
        allowed = look_up(self.sensitivity, adjacency)
        return [(float(np.linalg.norm(gap[k])), s * self.most(k)) for k, s in enumerate(allowed)]

    @property
    def adjacencies(self) -> list[Adjacency]:
        """An epoch goes through all records, so that their number is public."""
        return [adjacency for adjacency in super().adjacencies if adjacency is not ADD_REMOVE]

    def tight(self, adjacency: Adjacency, pure: bool) -> bool:
        """Several epochs of many steps, or nodes that are not dyadic, are bounded from above."""
        end = max(last for _, last in self.nodes)
        few = end <= EXACT[0] and end <= EXACT[1] * self.period
        return end <= self.period or (few and all(dyadic(*node) for node in self.nodes))

    def costs(self, adjacency: Adjacency) -> list[Cost]:
        return [
            Cost(ratio**2, node, self.period, self.decay)
            for node, ratio in zip(self.nodes, self.ratios(adjacency))
        ]
