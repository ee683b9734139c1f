"""Gaussian releases compose exactly: together they are as easy to tell apart as N(0, 1) and N(mu, 1).

    mu^2 = sum_t (sensitivity_t / scale_t)^2                                        (Gaussian steps)
         + max over the places of a record of sum_nodes (f_node sensitivity / scale)^2   (tree nodes; f = the
         weight of its occurrences)

The maximum over places is taken level by level (nodes of one length), which is an upper bound, and exact for
one level or one epoch.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from dpverify.neighbours import Adjacency
from dpverify.releases import Gaussian, Release, Subsampled, TreeNode, occurrences


def is_gaussian(ledger: Sequence[Release]) -> bool:
    """Whether the closed form applies: Gaussian steps, tree nodes, and subsampled Gaussian steps on the whole
    data set.
    """
    return all(isinstance(_whole(release), (Gaussian, TreeNode)) for release in ledger)


def _whole(release: Release) -> Release:
    """A batch without replacement of all records is the data set itself."""
    if isinstance(release, Subsampled) and release.how != "with replacement" and release.size == release.of:
        return release.inner
    return release


def gaussian_mu(ledger: Sequence[Release], adjacency: Adjacency) -> float:
    """mu of the Gaussian DP guarantee of the whole ledger; inf where nothing is guaranteed.

    >>> from dpverify.neighbours import REPLACE
    >>> gaussian_mu([Gaussian(1.0, {REPLACE: 3.0}), Gaussian(1.0, {REPLACE: 4.0})], REPLACE)
    5.0
    """
    total = 0.0
    nodes: list[tuple[int, int, float]] = []
    kinds: set[tuple[int, float]] = set()
    for release in map(_whole, ledger):
        if isinstance(release, Gaussian):
            total += release.ratio(adjacency) ** 2
        elif isinstance(release, TreeNode):
            kinds.add((release.period, release.decay))
            nodes += [(*node, ratio**2) for node, ratio in zip(release.nodes, release.ratios(adjacency))]
        else:
            raise ValueError(
                f"Expected a ledger of Gaussian releases for the closed form, got {type(release).__name__}."
            )
    if len(kinds) > 1:
        raise ValueError(f"Expected tree nodes of one period and decay, got {sorted(kinds)}.")
    return math.sqrt(total + (tree_cost(nodes, *kinds.pop()) if kinds else 0.0))


def tree_cost(nodes: Sequence[tuple[int, int, float]], period: int, decay: float = 1.0) -> float:
    """The most that a record can cost: nodes (first, last, weight), one occurrence in every epoch; cost
    weight * f^2 a node.

    f adds decay^(last - i) for an occurrence at step i.

    >>> tree_cost([(1, 1, 1.0), (1, 2, 1.0), (3, 3, 1.0), (1, 4, 1.0)], period=4)
    3.0
    >>> tree_cost([(1, 4, 1.0)], period=2)
    4.0
    """
    if not nodes:
        return 0.0
    if max(last for _, last, _ in nodes) <= period:
        ends = {last for _, last, _ in nodes}  # a later place in the same nodes costs more
        return max(
            sum(w * decay ** (2 * (last - place)) for first, last, w in nodes if first <= place <= last)
            for place in ends
        )
    levels: dict[int, dict[tuple[int, int], float]] = defaultdict(lambda: defaultdict(float))
    for first, last, weight in nodes:
        levels[last - first][first, last] += weight
    return sum(
        _level_cost(sorted((a, b, w) for (a, b), w in level.items()), period, decay)
        for level in levels.values()
    )


def _level_cost(nodes: list[tuple[int, int, float]], period: int, decay: float) -> float:
    """The same for disjoint nodes in order, by dynamic programming over the epochs."""
    if any(a[1] >= b[0] for a, b in pairwise(nodes)):
        return sum(_level_cost(part, period, decay) for part in _disjoint(nodes))
    epochs = math.ceil(nodes[-1][1] / period)
    best: dict[tuple[int, int], float] = {
        (-1, 0): 0.0
    }  # (node of the last occurrence, how many it has) -> cost so far
    start = 0
    for epoch in range(epochs):
        low, high = epoch * period + 1, (epoch + 1) * period
        while start < len(nodes) and nodes[start][1] < low:
            start += 1
        here = []
        k = start
        while k < len(nodes) and nodes[k][0] <= high:
            here.append(k)
            k += 1
        top = max(best.values())
        new: dict[tuple[int, int], float] = {(-1, 0): top}
        for k in here:
            weight = nodes[k][2]
            most = occurrences(*nodes[k][:2], period, decay)
            new[k, 1] = max(
                new.get((k, 1), 0.0), max((v for (j, _), v in best.items() if j != k), default=0.0) + weight
            )
            for (j, count), value in best.items():
                if j == k:
                    new[k, count + 1] = max(
                        new.get((k, count + 1), 0.0),
                        value + weight * (most[count + 1] ** 2 - most[count] ** 2),
                    )
        if len(here) > 2:  # a node inside this epoch cannot occur again: one representative is enough
            last = here[-1]
            inner = max(v for (j, _), v in new.items())
            new = {key: v for key, v in new.items() if key[0] == last}
            new[-1, 0] = inner
        best = new
    return max(best.values())


def _disjoint(nodes: list[tuple[int, int, float]]) -> list[list[tuple[int, int, float]]]:
    """Overlapping nodes of one length, split into families of disjoint ones."""
    families: list[list[tuple[int, int, float]]] = []
    for node in nodes:
        for family in families:
            if family[-1][1] < node[0]:
                family.append(node)
                break
        else:
            families.append([node])
    return families
