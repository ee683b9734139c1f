"""Gradient-boosted trees that tell the outputs of the two sides apart: what depends on several coordinates.

    score   f(x) = sum over trees of  rate * leaf(x),   leaf = sum of (side - p) / (sum of p (1 - p) + ridge)

with p = 1 / (1 + e^-f) of the trees before. In each level of a tree all nodes are split by one coordinate at
one cut (Prokhorenkova et al. 2018, "CatBoost": oblivious trees), so that a tree is a few comparisons and a
table: to apply it takes little, and signs of products, whose first split shows nothing, are found at the
next. Each tree is grown on the next part of the draws in random order (Friedman 2002, "Stochastic gradient
boosting"): every second one on few draws, so that trees differ and one of them begins with the right split
of a product, the others on many, so that what is rare is seen often enough. Cuts are finer in the tails, and
a leaf that chance explains counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

TREES = 16
DEPTH = 5
RATE = 0.3
BINS = 42  # of each coordinate: about equally full, but for those in the tails
TAILS = 2.0 ** -np.arange(6, 11)  # shares of the draws that the cuts in a tail leave outside
ROWS = 4096  # draws of both sides together on which every second tree is grown, at most
NUMBERS = 2**18  # in the draws on which the others are grown, at most, unless these are fewer than ROWS
SOME = 4 * ROWS  # draws, about, that show where to cut
CHANCE = 3.0  # the square of a leaf's standardised value up to which it counts for nothing
RIDGE = 4.0  # draws that each side of a split is thought to have more, without a difference


class Tree(NamedTuple):
    """The coordinates and the cuts of its levels, and the values of its leaves, in the order of the answers
    read as a binary number.
    """

    columns: list[int]
    cuts: list[int]
    leaves: np.ndarray


def grow_trees(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A score that is larger where outputs of the first side are likelier.

    >>> rng = np.random.default_rng(0)
    >>> x, y, more = rng.normal(size=(3, 1000, 3))
    >>> x[:, 2] = np.abs(x[:, 2]) * np.sign(x[:, 0] * x[:, 1])
    >>> score = grow_trees(x, y)
    >>> alike = np.sign(more[:, 0] * more[:, 1] * more[:, 2]) > 0
    >>> bool(score(more[alike]).mean() > score(more[~alike]).mean() + 0.5)
    True
    """
    columns = np.concatenate([x, y]).T
    side = np.repeat([1.0, 0.0], [len(x), len(y)])
    cuts = _cuts(columns)
    bins = np.stack([_above(column, edges) for column, edges in zip(columns, cuts)])
    order, at = np.random.default_rng(0).permutation(len(side)), 0
    score, trees = np.zeros(len(side)), []
    for number in range(TREES):
        rows = max(ROWS, NUMBERS // len(columns)) if number % 2 else ROWS
        if at + rows > len(order):
            at = 0
        some = order[at : at + rows]
        at += rows
        tree = _grown(bins[:, some], side[some], score[some])
        score += tree.leaves[_leaf([bins[i] for i in tree.columns], tree.cuts)]
        trees.append(tree)

    def apply(out: np.ndarray) -> np.ndarray:
        used = {i: np.ascontiguousarray(out[:, i]) for tree in trees for i in tree.columns}
        total = np.zeros(len(out))
        for tree in trees:
            edges = [cuts[i][cut] for i, cut in zip(tree.columns, tree.cuts)]
            total += tree.leaves[_leaf([used[i] for i in tree.columns], edges)]
        return total

    return apply


def _cuts(columns: np.ndarray) -> np.ndarray:
    """Cuts between the bins of every column."""
    some = np.sort(columns[:, :: max(1, columns.shape[1] // SOME)], axis=1)
    middle = BINS - 2 * len(TAILS)
    levels = np.sort(np.concatenate([TAILS, np.arange(1, middle) / middle, 1 - TAILS]))
    return some[:, (levels * (some.shape[1] - 1)).astype(int)]


def _above(column: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """How many cuts each value is above."""
    above = np.zeros(len(column), dtype=np.uint8)
    for cut in cuts:
        above += column > cut
    return above


def _leaf(columns: Sequence[np.ndarray], cuts: Sequence[float]) -> np.ndarray:
    """In which leaf each output lies, by the columns and the cuts of the levels."""
    leaf = np.zeros(len(columns[0]), dtype=np.uint8)
    for column, cut in zip(columns, cuts):
        leaf <<= 1
        leaf |= column > cut
    return leaf


def _grown(bins: np.ndarray, side: np.ndarray, score: np.ndarray) -> Tree:
    """One more tree, given the bins of some draws, their side, and their score so far."""
    k, n = bins.shape
    believed = 1 / (1 + np.exp(-score))
    missing = side - believed
    cells = np.ascontiguousarray(bins.T) + np.arange(k) * BINS
    weights = np.repeat(missing, k)
    columns: list[int] = []
    cuts: list[int] = []
    node = np.zeros(n, dtype=np.int64)
    for level in range(DEPTH):
        shape = (1 << level, k, BINS)
        at = (cells + (node * (k * BINS))[:, None]).ravel()
        size = shape[0] * k * BINS
        below = np.bincount(at, weights, minlength=size).reshape(shape).cumsum(axis=2)
        count = np.bincount(at, minlength=size).reshape(shape).cumsum(axis=2)
        rest, others = below[:, :, -1:] - below, count[:, :, -1:] - count
        gain = (below**2 / (count + RIDGE) + rest**2 / (others + RIDGE)).sum(axis=0)[:, :-1]
        column, cut = map(int, np.unravel_index(gain.argmax(), gain.shape))
        columns.append(column)
        cuts.append(cut)
        node = 2 * node + (bins[column] > cut)
    leaves = 1 << DEPTH
    certain = np.bincount(node, believed * (1 - believed), minlength=leaves) + RIDGE / 4
    total = np.bincount(node, missing, minlength=leaves)
    kept = np.maximum(0.0, 1 - CHANCE * certain / np.maximum(total**2, 1e-12))
    return Tree(columns, cuts, RATE * kept * total / certain)
