"""The mechanisms of diffprivlib that choose: among labels, or among candidates by their utilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.diffprivlib.common import guarantee, keeper, mechanism_subject, one_value
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.subjects import Subject


def binary(epsilon: float = 1.0) -> Subject:
    """The value is 0 or 1, its label "0" or "1"."""
    positive(epsilon=epsilon)
    return _labelled("Binary", epsilon, 0, 1, ["0", "1"], 8_000, value0="0", value1="1")


def _labelled(
    name: str, epsilon: float, value: int, other: int, labels: list[str], runs: int, **settings: Any
) -> Subject:
    built = keeper(name)

    def one(data: Any, state: np.random.RandomState) -> Any:
        return float(
            labels.index(built(state, epsilon=epsilon, **settings).randomise(_label(one_value(data), labels)))
        )

    pair = Neighbours(np.array([[value]]), np.array([[other]]), REPLACE)
    return mechanism_subject(name, one, guarantee(epsilon), pair, runs)


def _label(value: Any, labels: list[str]) -> str:
    return labels[value] if isinstance(value, int) and 0 <= value < len(labels) else str(value)


def categorical(epsilon: float = 1.0) -> Subject:
    """A label far from four that are close together: the normalising constants differ, and half the budget
    goes to them.
    """
    positive(epsilon=epsilon)
    labels = ["a", "b", "c", "d", "e"]
    utility = [(x, y, 1.0 if x == "a" else 0.01) for x in labels for y in labels if x < y]
    return _labelled("ExponentialCategorical", epsilon, 0, 1, labels, 10_000, utility_list=utility)


def balanced(epsilon: float = 4.0) -> tuple[list[str], list[tuple[str, str, float]]]:
    """Eight labels whose normalising constants agree at epsilon / 2 and not at epsilon, with the utilities
    between them.

    With f = exp(-epsilon d / 2), h = exp(-0.02), m = exp(-epsilon / 2), c = (h + m) / 2: f(0, 1) = m; f(0, .)
    = c; f(1, .) = h three times and m three times; among the first three of the rest m, elsewhere c. Every
    row adds up to m + 6 c.

    >>> rows = {k: sum(np.exp(-2 * d) for *pair,
    ...     d in balanced(4.0)[1] if k in pair) for k in balanced(4.0)[0]}
    >>> bool(max(rows.values()) - min(rows.values()) < 1e-12)
    True
    """
    h, m = math.exp(-0.02), math.exp(-epsilon / 2)
    c = (h + m) / 2

    def f(i: int, j: int) -> float:
        if i == 0:
            return m if j == 1 else c
        if i == 1:
            return h if j < 5 else m
        return m if j < 5 else c

    labels = [str(k) for k in range(8)]
    return labels, [
        (labels[i], labels[j], -2 / epsilon * math.log(f(i, j))) for i in range(8) for j in range(i + 1, 8)
    ]


def categorical_balanced(epsilon: float = 4.0) -> Subject:
    """Eight labels whose normalising constants agree at epsilon / 2, and not at epsilon."""
    positive(epsilon=epsilon)
    labels, utility = balanced(epsilon)
    return _labelled("ExponentialCategorical", epsilon, 0, 1, labels, 100_000, utility_list=utility)


def hierarchical(epsilon: float = 1.0) -> Subject:
    """Two branches of two leaves: balanced, so the whole budget goes to the distance."""
    positive(epsilon=epsilon)
    return _labelled(
        "ExponentialHierarchical",
        epsilon,
        0,
        2,
        ["a", "b", "c", "d"],
        8_000,
        hierarchy=[["a", "b"], ["c", "d"]],
    )


def selection(name: str) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0, sensitivity: float = 1.0, monotonic: bool = False, gap: float = 4.0
    ) -> Subject:
        """Two candidates: the better is ahead by `gap`, and one record brings it back (both utilities move,
        unless monotonic).
        """
        positive(epsilon=epsilon, sensitivity=sensitivity)
        built = keeper(name)

        def one(data: Any, state: np.random.RandomState) -> Any:
            utility = np.asarray(data, dtype=float)[0].tolist()
            return built(
                state, epsilon=epsilon, sensitivity=sensitivity, utility=utility, monotonic=monotonic
            ).randomise()

        ahead = gap * sensitivity
        pair = Neighbours.replace(
            np.array([[0.0, ahead]]), 0, [sensitivity, ahead - (0.0 if monotonic else sensitivity)]
        )
        return mechanism_subject(name, one, guarantee(epsilon), pair, 8_000)

    return build
