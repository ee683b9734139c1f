"""Trees of sums over dyadic intervals of steps: grown step by step, read off by walking down.

A node is summed from its left sibling and the newer half, so that a step costs as many additions as nodes end
with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dpverify.formulas.momentum_agg import level
from dpverify.problems import Problem, Records

Array = np.ndarray[Any, Any]


def node_sums(
    siblings: tuple[Array | None, ...], term: Array, t: int, decay: float
) -> tuple[list[Array], tuple[Array | None, ...]]:
    """The decayed sums of all nodes that end at step t, and the left siblings that later steps need.

        F_[y,t] = decay^(length/2) F_left + F_right

    >>> sums, _ = node_sums((np.array([3.0]), None), np.array([1.0]), 2, 0.5)
    >>> [float(s[0]) for s in sums]
    [1.0, 2.5]
    """
    sums = [term]
    for k in range(level(t)):
        left = siblings[k]
        assert left is not None
        sums.append(decay ** (2**k) * left + sums[-1])
    top = level(t)
    return sums, (*siblings[:top], sums[-1], *siblings[top + 1 :])


def prefix(
    known: tuple[Array | None, ...], node: Array, t: int, decay: float
) -> tuple[Array, tuple[Array | None, ...]]:
    """The decayed sum over COMPOSE(1, t) from the node of t's lowest bit and the sum before it: one addition
    a step.

    >>> prefix((None, np.array([4.0])), np.array([1.0]), 3, 0.5)[0].tolist()
    [3.0]
    """
    k = level(t)
    before = t - 2**k
    total = node if before == 0 else decay ** (2**k) * known[level(before)] + node
    return total, (*known[:k], total, *known[k + 1 :])


class Node(NamedTuple):
    """A released node of the tree with its halves, and what its step remembers; the halves go once no window
    can need them.
    """

    first: int
    last: int
    value: Array
    left: Node | None
    right: Node | None
    remembered: Any


Forest = tuple[Node, ...]  # the nodes of COMPOSE(1, t), from the left


def grow(forest: Forest, values: list[Array], t: int, window: int, remembered: Any = None) -> Forest:
    """The forest with the nodes that end at step t, shortest first; of the past it keeps what windows of that
    length need.

    >>> one = grow((), [np.ones(1)], 1, 4)
    >>> [(node.first, node.last) for node in grow(one, [np.ones(1), 2 * np.ones(1)], 2, 4)]
    [(1, 2)]
    """
    node = Node(t, t, values[0], None, None, remembered)
    roots = list(forest)
    for k, value in enumerate(values[1:]):
        left = roots.pop()
        node = Node(left.first, t, value, left if 2**k < window else None, node, None)
    return (*roots, node)


def covering(forest: Forest, a: int, b: int) -> Iterator[Node]:
    """The nodes of COMPOSE(a, b), found by walking down from the roots: a logarithmic number of visits.

    >>> forest = ()
    >>> for t in range(1, 7):
    ...     forest = grow(forest, [np.ones(1)] * (level(t) + 1), t, 8)
    >>> [(node.first, node.last) for node in covering(forest, 2, 5)]
    [(2, 2), (3, 4), (5, 5)]
    """
    for node in forest:
        if node.last < a or node.first > b:
            continue
        if a <= node.first and node.last <= b:
            yield node
        else:
            if node.right is None or (node.left is None and a < node.right.first):
                raise ValueError(f"Expected steps {a}..{b} to lie in the window that the forest keeps.")
            yield from covering((node.right,) if node.left is None else (node.left, node.right), a, b)


def epoch_order(rng: np.random.Generator, runs: int, count: int) -> Array:
    """A uniformly random order of the records for every run."""
    return rng.permuted(np.broadcast_to(np.arange(count), (runs, count)), axis=1)


def normalised(direction: Array) -> Array:
    """Every row at length 1; a row of zeros stays.

    >>> normalised(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    return direction / np.where(length > 0, length, 1.0)


def load_exactly(problem: Problem, data: Any) -> Records:
    """The data set, which must have as many records as the problem: an epoch goes through them all."""
    loaded = problem.load(data)
    if len(loaded) != problem.count:
        raise ValueError(
            f"Expected data with {problem.count} records, the length of an epoch, got {len(loaded)}."
        )
    return loaded
