"""Fine cells on a column, and in each the log-ratio of the two sides as far as the draws support it.

A column is cut at the quantiles of both sides together, or between its values where they are few, into 2^L
cells. From the whole line down, cells are halved; where the counts in a half differ from what was believed of
the cell by more than chance explains at that fineness (a G-statistic above 0.7 log(cells) + 3.5), both halves
have log-ratios of their own, shrunk towards the cell's; else they inherit its. Narrow bumps, tails, atoms,
holes, single categories, skew and modes are found by the same rule as shifts and scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

PRIOR = 2.0  # draws that each cell borrows from its parent
MOST_CELLS = 1024
FEW_CUTS, MANY_VALUES = 48, 512  # so many values are soonest compared with every one of so few cuts
SOME = 1024  # values of a column that show how wide it is
MOST_VALUES = 4096  # up to so many values of a column have a cell each


def grain_of(spread: np.ndarray) -> np.ndarray:
    """A power of two near a 2^-40th of the spread."""
    return 2.0 ** (np.ceil(np.log2(np.maximum(spread, 1e-290))) - 40)


def rounded(values: np.ndarray, grain: np.ndarray | float) -> np.ndarray:
    """The values rounded to multiples of the grain, so that sums in another order stay equal; those far
    beyond it stay.

    >>> bool(rounded(np.array([0.1 + 0.2]), 2.0**-40)[0] == rounded(np.array([0.3]), 2.0**-40)[0])
    True
    """
    with np.errstate(over="ignore"):
        steps = values * (1 / grain)  # both are powers of two: a product is the quotient, and sooner made
    np.rint(steps, out=steps)
    if steps.size and max(steps.max(), -steps.min()) < 2.0**52:
        steps *= grain
        return steps
    return np.where(np.abs(steps) < 2.0**52, steps * grain, values)


def between_grains(edges: np.ndarray, grain: float) -> np.ndarray:
    """Cuts that part values as these edges part the values rounded to the grain: halfway to the next.

    >>> edges, values = np.array([0.25, 0.5]), np.array([0.3, 0.4, 0.6, 0.7])
    >>> np.searchsorted(between_grains(edges, 0.25), values).tolist()
    [0, 1, 1, 2]
    >>> np.searchsorted(edges, rounded(values, 0.25)).tolist()
    [0, 1, 1, 2]
    """
    with np.errstate(over="ignore"):
        steps = np.floor(edges / grain)
    return np.where(np.abs(steps) < 2.0**52, (steps + 0.5) * grain, edges)


class Column(NamedTuple):
    """The values of a column on the first side and on both together, rounded to the grain, in order."""

    x: np.ndarray
    both: np.ndarray
    grain: float

    @property
    def sizes(self) -> tuple[int, int]:
        """How many values each side has."""
        return len(self.x), len(self.both) - len(self.x)

    def up_to(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How many values of each side are at most these."""
        x = np.searchsorted(self.x, edges, side="right")
        return x, np.searchsorted(self.both, edges, side="right") - x

    def counts(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How many values of each side lie in the cells between these edges."""
        x, y = (np.concatenate([[0], below, [n]]) for below, n in zip(self.up_to(edges), self.sizes))
        return x[1:] - x[:-1], y[1:] - y[:-1]


def sort_columns(x: np.ndarray, y: np.ndarray) -> list[Column]:
    """The columns of two matrices, each a row of these.

    >>> [column.both.tolist() for column in sort_columns(np.array([[2.0], [5.0]]), np.array([[1.0], [5.0]]))]
    [[1.0, 2.0], [5.0, 5.0]]
    """
    both = np.concatenate([x, y], axis=1)
    some = np.sort(both[:, :: max(1, both.shape[1] // SOME)], axis=1)
    last = some.shape[1] - 1
    low, high = some[:, int(0.16 * last)], some[:, int(0.84 * last)]
    spread = np.maximum(high - low, np.maximum(np.abs(low), np.abs(high)) / 64)  # else it may be dust itself
    size = np.minimum(np.maximum(-both.min(axis=1), both.max(axis=1)), 1e150)
    grain = grain_of(np.where(spread > 0, spread, np.where(size > 0, size, 1.0)))
    both = rounded(both, grain[:, None])
    a = np.sort(both[:, : x.shape[1]], axis=1)
    both.sort(axis=1)
    return [Column(*column) for column in zip(a, both, grain.tolist())]


@dataclass(frozen=True)
class Cells:
    """A column cut into cells: their edges among its values rounded to the grain, the log-ratio in each, the
    counts on the two sides, and by how much these support the log-ratios (in nats, less the price of
    fineness).
    """

    edges: np.ndarray
    grain: float
    ratios: np.ndarray
    x: np.ndarray
    y: np.ndarray
    gain: float

    @cached_property
    def cuts(self) -> np.ndarray:
        """What parts the values themselves as the edges part them rounded."""
        return between_grains(self.edges, self.grain)

    def apply(self, values: np.ndarray) -> np.ndarray:
        """The log-ratio of the cell that each value lies in."""
        if len(self.cuts) > FEW_CUTS or len(values) < MANY_VALUES:
            return self.ratios[np.searchsorted(self.cuts, values)]
        values, above = np.ascontiguousarray(values), np.zeros(len(values), dtype=np.uint8)
        for cut in self.cuts:
            above += values > cut
        return self.ratios[above]


def cell_edges(values: np.ndarray, most: int = MOST_CELLS) -> np.ndarray:
    """Edges between the values of a sorted column if they are few, else at quantiles, heavy values apart,
    both ends finer, and what lies far out a cell of its own.

    >>> cell_edges(np.array([0.0, 1.0, 1.0, 3.0])).tolist()
    [0.0, 1.0]
    """
    jumps = np.flatnonzero(values[1:] > values[:-1])
    if len(jumps) < min(MOST_VALUES, len(values) // 4) or len(jumps) < 64:
        return values[jumps]
    cells = min(most, 1 << max(3, int(np.log2(len(values) / 16))))
    tail = 1 << np.arange(3, int(np.log2(len(values) / cells)) + 1)
    ranks = np.concatenate([tail, np.arange(1, cells) * len(values) // cells, len(values) - 1 - tail[::-1]])
    edges = values[ranks]
    heavy = edges[1:][edges[1:] == edges[:-1]]
    edges = np.sort(np.concatenate([edges, np.nextafter(heavy, -np.inf), outer_gaps(values)]))
    differs = np.append(edges[1:] > edges[:-1], True)
    return edges[differs & (edges < values[-1])]


def outer_gaps(values: np.ndarray, few: int = 4) -> np.ndarray:
    """The lower ends of the widest gaps among the outermost sixty-fourths of sorted values, a few at least
    beyond each: what lies apart is a cell of its own.

    >>> outer_gaps(np.concatenate([np.arange(1000.0), np.arange(5000.0, 5006.0)])).tolist()[1]
    999.0
    """
    outer = max(len(values) // 64, 4 * few)
    low, high = np.diff(values[:outer])[few - 1 :], np.diff(values[-outer:])[: 1 - few]
    return np.array([values[few - 1 + low.argmax()], values[len(values) - outer + high.argmax()]])


def learn_cells(columns: Sequence[Column], most: int = MOST_CELLS) -> list[Cells]:
    """The cells of every column, at most so many.

    >>> rng = np.random.default_rng(0)
    >>> x, y = np.append(rng.normal(size=900), np.full(100, 0.5)), rng.normal(size=1000)
    >>> [cells] = learn_cells(sort_columns(x[None], y[None]))
    >>> bool(cells.apply(np.array([0.5]))[0] > 2), bool(abs(cells.apply(np.array([-0.5]))[0]) < 0.5)
    (True, True)
    """
    edges = [cell_edges(column.both, most) for column in columns]
    x, y = zip(*(column.counts(cuts) for column, cuts in zip(columns, edges)))
    levels = np.array([max(1, int(np.ceil(np.log2(len(cuts) + 1)))) for cuts in edges])
    learned: dict[int, Cells] = {}
    for level in np.unique(levels):
        alike = np.flatnonzero(levels == level).tolist()
        a, b = np.zeros((2, len(alike), 1 << level), dtype=int)
        for row, i in enumerate(alike):
            a[row, : len(x[i])], b[row, : len(y[i])] = x[i], y[i]
        for i, ratios, gain in zip(alike, *supported_ratios(a, b)):
            # neighbours that have one log-ratio are one cell, and all are where nothing is supported
            ratios = ratios[: len(x[i])] if gain else ratios[:1]
            first = np.flatnonzero(np.concatenate([[True], ratios[1:] != ratios[:-1]]))
            learned[i] = Cells(
                edges[i][first[1:] - 1],
                columns[i].grain,
                ratios[first],
                np.add.reduceat(x[i], first),
                np.add.reduceat(y[i], first),
                float(gain),
            )
    return [learned[i] for i in range(len(columns))]


def supported_ratios(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The log-ratio in each of 2^L cells as far as the counts support it, and by how much they do; one row a
    column.

    >>> counts = np.array([[500, 520, 300, 500]]), np.array([[500, 480, 100, 500]])
    >>> ratios, gain = supported_ratios(*counts)
    >>> bool(ratios[0, 2] > 0.5), bool(abs(ratios[0, 0] - ratios[0, 3]) < 0.3), bool(gain[0] > 20)
    (True, True, True)
    """
    from scipy.special import expit, xlogy

    tree = [(x.astype(float), y.astype(float))]
    while tree[-1][0].shape[1] > 1:
        a, b = tree[-1]
        tree.append((a[:, ::2] + a[:, 1::2], b[:, ::2] + b[:, 1::2]))
    tree.reverse()
    balance = np.maximum(tree[0][1], 1) / np.maximum(tree[0][0], 1)
    ratio, gain = np.zeros((len(x), 1)), np.zeros(len(x))
    for level, (a, b) in enumerate(tree[1:]):
        parent = np.repeat(ratio, 2, axis=1)
        share = expit(parent)
        both = a * balance + b
        believed = xlogy(a * balance, share) + xlogy(b, 1 - share)
        free = xlogy(a * balance, a * balance) + xlogy(b, b) - xlogy(both, both)
        excess = 2 * (free - believed) - 0.7 * np.log(1 << level) - 3.5
        gain += np.maximum(excess, 0).sum(axis=1) / 2
        differs = (excess[:, ::2] > 0) | (excess[:, 1::2] > 0)
        fresh = np.log(a * balance + 2 * PRIOR * share) - np.log(b + 2 * PRIOR * (1 - share))
        ratio = np.where(np.repeat(differs, 2, axis=1), np.clip(fresh, -30, 30), parent)
    return ratio, gain


@dataclass(frozen=True)
class Outside:
    """What lies beyond two edges, and the log-ratio of the two sides there; between them it is 0."""

    edges: tuple[float, float]
    ratios: np.ndarray

    @property
    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges, and the log-ratios between them."""
        return np.array(self.edges), np.array([self.ratios[0], 0.0, self.ratios[1]])

    def apply(self, values: np.ndarray) -> np.ndarray:
        """The log-ratio at each value."""
        low, high = self.edges
        return self.ratios[0] * (values <= low) + self.ratios[1] * (values > high)


def learn_outside(column: Column) -> Outside | None:
    """What lies far out, if it is seen more often on one side than chance explains: by a rule of its own,
    because few draws that share a cell with the tail beside them are not told from it.

    >>> rng = np.random.default_rng(0)
    >>> x, y = np.append(rng.normal(size=990), rng.normal(50, 1, size=10)), rng.normal(size=1000)
    >>> outside = learn_outside(sort_columns(x[None], y[None])[0])
    >>> bool(outside.apply(np.array([49.0]))[0] > 2), outside.apply(np.array([0.0])).tolist()
    (True, [0.0])
    """
    both, last = column.both, len(column.both) - 1
    spread = both[int(0.84 * last)] - both[int(0.16 * last)]
    if last < 64 or max(both[0] * -1, both[-1]) <= 4 * np.abs(both[[last // 8, last - last // 8]]).max():
        return None
    ends = outer_gaps(both)
    gaps = both[np.minimum(np.searchsorted(both, ends, side="right"), last)] - ends
    low, high = (ends + gaps / 2).tolist()
    a, b = (count[[0, 2]] for count in column.counts(np.array([low, high])))
    surprise = np.where(gaps > spread, (a - b) ** 2 / np.maximum(a + b, 1), 0.0)
    if surprise.max() < 3.0:
        return None
    m, n = column.sizes
    ratios = np.log((a + 0.5) / (b + 0.5) * n / m)
    return Outside((low, high), np.where(surprise >= 3.0, ratios, 0.0))


@dataclass(frozen=True)
class Atoms:
    """Values that come back, and the log-ratio of the two sides at each; elsewhere it is 0."""

    grain: float
    values: np.ndarray
    ratios: np.ndarray

    @property
    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges just below and at each value, and the log-ratios between them."""
        edges = np.stack([np.nextafter(self.values, -np.inf), self.values], axis=1).ravel()
        return edges, np.append(np.stack([np.zeros_like(self.ratios), self.ratios], axis=1).ravel(), 0.0)

    def apply(self, values: np.ndarray) -> np.ndarray:
        """The log-ratio at each value."""
        values = rounded(values, self.grain)
        at = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return np.where(self.values[at] == values, self.ratios[at], 0.0)


def learn_atoms(column: Column, most: int = 512) -> Atoms | None:
    """Values that are seen three times or more, if any of them is seen more often on one side than chance
    explains.

    >>> rng = np.random.default_rng(0)
    >>> x, y = np.append(rng.normal(size=90), np.full(10, 0.5)), rng.normal(size=100)
    >>> atoms = learn_atoms(sort_columns(x[None], y[None])[0])
    >>> atoms.values.tolist(), atoms.apply(np.array([0.4])).tolist()
    ([0.5], [0.0])
    """
    again = np.flatnonzero(column.both[2:] == column.both[:-2])  # the third time, or a later one
    if len(again) == 0:
        return None
    values = np.unique(column.both[again])
    below = column.up_to(np.nextafter(values, -np.inf))
    a, b = (upto - before for upto, before in zip(column.up_to(values), below))
    surprise = (a - b) ** 2 / np.maximum(a + b, 1)
    kept = np.argsort(-surprise, kind="stable")[:most]
    kept = np.sort(kept[surprise[kept] >= 3.0])
    if len(kept) == 0:
        return None
    m, n = column.sizes
    ratios = np.log((a[kept] + 0.5) / (b[kept] + 0.5) * n / m)
    return Atoms(column.grain, values[kept], ratios)
