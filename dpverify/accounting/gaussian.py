"""Gaussian releases compose exactly: together they are as easy to tell apart as N(0, 1) and N(mu, 1).

    mu^2 = sum_t (sensitivity_t / scale_t)^2                                             (Gaussian steps)
         + max over the places of a record of sum_nodes (f_node sensitivity / scale)^2   (tree nodes)

f is the weight of the record's occurrences in the node, one in every epoch, anywhere in it. The maximum over
all places is exact for dyadic nodes: from the leaves up, every node keeps the pairs (f, cost so far) that no
other pair beats in both; a pair more than POINTS of them is rounded up. Nodes that are not dyadic are taken
level by level, which is an upper bound.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dpverify.neighbours import Adjacency
from dpverify.releases import Release
from dpverify.releases.tree import dyadic, occurrences

Array = np.ndarray[Any, Any]
Node = tuple[int, int, float]  # the first and the last step that it sums, and its weight

POINTS = 512


def gaussian_mu(ledger: Sequence[Release], adjacency: Adjacency) -> float:
    """mu of the Gaussian DP guarantee of the whole ledger; inf where nothing is guaranteed.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> gaussian_mu([Gaussian(1.0, {REPLACE: 3.0}), Gaussian(1.0, {REPLACE: 4.0})], REPLACE)
    5.0
    """
    total = 0.0
    nodes: list[Node] = []
    kinds: set[tuple[int, float]] = set()
    for release in ledger:
        if not release.gaussian:
            raise ValueError(
                f"Expected a ledger of Gaussian releases for the closed form, got {release.key()}."
            )
        for cost in release.costs(adjacency):
            if cost.steps is None:
                total += cost.weight
            else:
                kinds.add((cost.period, cost.decay))
                nodes.append((*cost.steps, cost.weight))
    if len(kinds) > 1:
        raise ValueError(f"Expected tree nodes of one period and decay, got {sorted(kinds)}.")
    return math.sqrt(total + (tree_cost(nodes, *kinds.pop()) if kinds else 0.0))


def tree_cost(nodes: Sequence[Node], period: int, decay: float = 1.0) -> float:
    """The most that a record can cost: nodes (first, last, weight), one occurrence in every epoch; cost
    weight * f^2 a node.

    f adds decay^(last - i) for an occurrence at step i.

    >>> tree_cost([(1, 1, 1.0), (1, 2, 1.0), (3, 3, 1.0), (1, 4, 1.0)], period=4)
    3.0
    >>> tree_cost([(1, 4, 1.0)], period=2)
    4.0
    """
    if any(math.isinf(weight) for _, _, weight in nodes):
        return math.inf
    if not any(weight > 0 for _, _, weight in nodes):
        return 0.0
    if all((first - 1) // period == (last - 1) // period for first, last, _ in nodes):
        epochs: dict[int, list[Node]] = defaultdict(list)
        for node in nodes:
            epochs[(node[0] - 1) // period].append(node)
        return sum(_one_epoch(part, decay) for part in epochs.values())
    if all(dyadic(first, last) for first, last, _ in nodes):
        return _exact_cost(nodes, period, decay)
    levels: dict[int, dict[tuple[int, int], float]] = defaultdict(lambda: defaultdict(float))
    for first, last, weight in nodes:
        levels[last - first][first, last] += weight
    return sum(
        _level_cost(sorted((a, b, w) for (a, b), w in level.items()), period, decay)
        for level in levels.values()
    )


def _one_epoch(nodes: Sequence[Node], decay: float) -> float:
    """The cost of the worst place in one epoch, which is the end of some node: a later place in the same
    nodes costs more.
    """
    return max(
        sum(w * decay ** (2 * (last - place)) for first, last, w in nodes if first <= place <= last)
        for place in {last for _, last, _ in nodes}
    )


Front = tuple[Array, Array]  # f and the cost so far, for the choices that no other beats in both
Used = tuple[bool, bool]  # has the epoch that began before the node occurred, and the one that goes on?


def _exact_cost(nodes: Sequence[Node], period: int, decay: float) -> float:
    """The maximum over all places, from the leaves of the dyadic tree up."""
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for first, last, weight in nodes:
        weights[first, last] += weight
    end = max(last for _, last, _ in nodes)
    fronts: list[dict[Used, Front]] = []
    for place in range(1, end + 1):
        begins, ends = (place - 1) % period == 0, place % period == 0
        options: list[tuple[Used, Front]] = [
            ((False, False), (np.zeros(1), np.zeros(1))),
            ((not begins, not ends), (np.ones(1), np.full(1, weights[place, place]))),
        ]
        fronts.append(_merged(options))
    length = 1
    while len(fronts) > 1:
        if len(fronts) % 2:
            fronts.append({(False, False): (np.zeros(1), np.zeros(1))})
        fronts = [
            _joined(fronts[i], fronts[i + 1], i * length + 1, length, period, decay, weights)
            for i in range(0, len(fronts), 2)
        ]
        length *= 2
    return max(float(cost.max()) for _, cost in fronts[0].values())


def _joined(
    left: dict[Used, Front],
    right: dict[Used, Front],
    first: int,
    length: int,
    period: int,
    decay: float,
    weights: dict[tuple[int, int], float],
) -> dict[Used, Front]:
    """The choices in a node of twice that length, from those in its halves: no epoch occurs in both."""
    middle, last = first + length - 1, first + 2 * length - 1
    shared = middle % period != 0  # one epoch goes on across the middle
    weight = weights.get((first, last), 0.0)
    options: list[tuple[Used, Front]] = []
    for (left_before, left_after), (f_left, cost_left) in left.items():
        for (right_before, right_after), (f_right, cost_right) in right.items():
            if shared and left_after and right_before:
                continue
            before = left_before or (right_before and (first - 1) // period == middle // period)
            after = right_after or (left_after and (middle - 1) // period == (last - 1) // period)
            f = (decay**length * f_left[:, None] + f_right).ravel()
            cost = (cost_left[:, None] + cost_right).ravel() + weight * f**2
            used = (before and (first - 1) % period != 0, after and last % period != 0)
            options.append((used, (f, cost)))
    return _merged(options)


def _merged(options: list[tuple[Used, Front]]) -> dict[Used, Front]:
    """For every state the pairs that no other beats in both; more than POINTS of them are rounded up."""
    together: dict[Used, list[Front]] = defaultdict(list)
    for used, front in options:
        together[used].append(front)
    merged = {}
    for used, parts in together.items():
        f, cost = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        order = np.lexsort((-cost, -f))
        f, cost = f[order], cost[order]
        best = np.maximum.accumulate(cost)
        kept = np.r_[True, cost[1:] > best[:-1]]
        f, cost = f[kept], cost[kept]  # f falls, the cost rises
        if len(f) > POINTS:
            groups = np.array_split(np.arange(len(f)), POINTS)
            f, cost = np.array([f[g[0]] for g in groups]), np.array([cost[g[-1]] for g in groups])
        merged[used] = f, cost
    return merged


def _level_cost(nodes: list[Node], period: int, decay: float) -> float:
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


def _disjoint(nodes: list[Node]) -> list[list[Node]]:
    """Overlapping nodes of one length, split into families of disjoint ones."""
    families: list[list[Node]] = []
    for node in nodes:
        for family in families:
            if family[-1][1] < node[0]:
                family.append(node)
                break
        else:
            families.append([node])
    return families
