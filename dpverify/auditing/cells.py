"""Fine cells on a column, and in each the log-ratio of the two sides as far as the draws support it.

A column is cut at the quantiles of both sides together, or between its values where they are few, into 2^L
cells. From the whole line down, a cell is halved where the halves differ between the two sides, or where
halves of halves do, by more than chance explains at that fineness (a G-statistic above 1.4 log(cells) + 4).
The log-ratio of a cell that is not halved further is that of its counts, shrunk towards its parent's. Narrow
bumps, atoms, holes, single categories, skew and modes are found by the same rule as shifts and scales.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PRIOR = 2.0  # draws that each cell borrows from its parent
MOST_CELLS = 1024
MOST_VALUES = 4096  # up to so many values of a column have a cell each


@dataclass(frozen=True)
class Cells:
    """A column cut into cells: their edges, the log-ratio in each, and the counts on the two sides.

    Values are first rounded to the `grain`, so that sums in another order stay equal.
    """

    grain: float
    edges: np.ndarray
    ratios: np.ndarray
    x: np.ndarray
    y: np.ndarray
    gain: float

    def apply(self, values: np.ndarray) -> np.ndarray:
        """The log-ratio of the cell that each value lies in."""
        return self.ratios[np.searchsorted(self.edges, rounded(values, self.grain), side="left")]


def grain_of(spread: np.ndarray | float) -> np.ndarray:
    """A power of two near a 2^-40th of the spread."""
    return 2.0 ** (np.ceil(np.log2(np.maximum(spread, 1e-290))) - 40)


def rounded(values: np.ndarray, grain: np.ndarray | float) -> np.ndarray:
    """The values rounded to multiples of the grain; those far beyond it stay.

    >>> bool(rounded(np.array([0.1 + 0.2]), 2.0**-40)[0] == rounded(np.array([0.3]), 2.0**-40)[0])
    True
    """
    with np.errstate(over="ignore"):
        steps = values / grain
    np.round(steps, out=steps)
    return np.where(np.abs(steps) < 2.0**52, steps * grain, values)


def _sorted(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Both sides rounded and in order, the two together, and the grain."""
    both = np.sort(np.concatenate([x, y]))
    spread = both[int(0.84 * (len(both) - 1))] - both[int(0.16 * (len(both) - 1))]
    if spread == 0:
        spread = min(max(-both[0], both[-1]), 1e150)
    grain = float(grain_of(spread if spread > 0 else 1.0))
    return rounded(np.sort(x), grain), rounded(np.sort(y), grain), rounded(both, grain), grain


def _counts(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How many of the sorted values lie in each cell."""
    return np.diff(np.concatenate([[0], np.searchsorted(values, edges, side="right"), [len(values)]]))


def cell_edges(values: np.ndarray) -> np.ndarray:
    """Edges between the values of a sorted column if they are few, else at quantiles, heavy values apart.

    >>> cell_edges(np.array([0.0, 1.0, 1.0, 3.0])).tolist()
    [0.0, 1.0]
    """
    jumps = np.flatnonzero(values[1:] > values[:-1])
    if len(jumps) < min(MOST_VALUES, len(values) // 4) or len(jumps) < 64:
        return values[jumps]
    cells = min(MOST_CELLS, 1 << max(3, int(np.log2(len(values) / 32))))
    tail = 1 << np.arange(1, int(np.log2(len(values) / cells)) + 1)  # both ends are cut finer
    ranks = np.concatenate([tail, np.arange(1, cells) * len(values) // cells, len(values) - 1 - tail[::-1]])
    edges = values[ranks]
    heavy = edges[1:][edges[1:] == edges[:-1]]
    edges = np.unique(np.concatenate([edges, np.nextafter(heavy, -np.inf)]))
    return edges[edges < values[-1]]


def learn_cells(x: np.ndarray, y: np.ndarray) -> Cells:
    """The cells of one column, learned from its values on the two sides.

    >>> rng = np.random.default_rng(0)
    >>> cells = learn_cells(np.append(rng.normal(size=900), np.full(100, 0.5)), rng.normal(size=1000))
    >>> bool(cells.apply(np.array([0.5]))[0] > 2), bool(abs(cells.apply(np.array([-0.5]))[0]) < 0.5)
    (True, True)
    """
    x, y, both, grain = _sorted(x, y)
    edges = cell_edges(both)
    a, b = _counts(x, edges), _counts(y, edges)
    ratios, gain = supported_ratios(a, b)
    first = np.flatnonzero(np.concatenate([[True], ratios[1:] != ratios[:-1]]))  # of neighbours that are one
    a, b = np.add.reduceat(a, first), np.add.reduceat(b, first)
    return Cells(grain, edges[first[1:] - 1], ratios[first], a, b, gain)


def _entropy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    from scipy.special import xlogy

    return xlogy(x, x) + xlogy(y, y) - xlogy(x + y, x + y)


def supported_ratios(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """The log-ratio in each cell as far as the counts support it, and by how much they do (in nats, less the
    price of fineness).

    >>> ratios, gain = supported_ratios(np.array([500, 520, 300, 500]), np.array([500, 480, 100, 500]))
    >>> bool(ratios[2] > 0.5), bool(abs(ratios[0] - ratios[3]) < 0.3), gain > 20
    (True, True, True)
    """
    levels = max(1, int(np.ceil(np.log2(len(x)))))
    pad = (1 << levels) - len(x)
    tree = [(np.pad(x, (0, pad)).astype(float), np.pad(y, (0, pad)).astype(float))]
    for _ in range(levels):
        a, b = tree[-1]
        tree.append((a[::2] + a[1::2], b[::2] + b[1::2]))
    tree.reverse()
    wanted, excess = [], []
    for level in range(levels):  # the split of every cell of this level into its halves
        (a, b), (c, d) = tree[level], tree[level + 1]
        halves = _entropy(c, d)
        statistic = 2 * (halves[::2] + halves[1::2] - _entropy(a, b))
        excess.append(statistic - 1.4 * np.log(1 << level) - 4.0)
        wanted.append(excess[-1] > 0)
    for level in range(levels - 1, 0, -1):
        wanted[level - 1] |= wanted[level].reshape(-1, 2).any(axis=1)
    total_x, total_y = max(x.sum(), 1), max(y.sum(), 1)
    ratio = np.zeros(1)
    for level in range(levels):
        a, b = tree[level + 1]
        parent = np.repeat(ratio, 2)
        odds = np.exp(np.clip(parent, -30, 30))
        fresh = np.log((a / total_x + PRIOR / total_x * 2 * odds / (1 + odds)) * total_y) - np.log(
            b + PRIOR * 2 / (1 + odds)
        )
        ratio = np.where(np.repeat(wanted[level], 2), fresh, parent)
    gain = sum(float(np.maximum(e, 0).sum()) for e in excess) / 2
    return ratio[: len(x)], gain


@dataclass(frozen=True)
class Atoms:
    """Values that come back, and the log-ratio of the two sides at each; elsewhere it is 0."""

    grain: float
    values: np.ndarray
    ratios: np.ndarray

    def apply(self, values: np.ndarray) -> np.ndarray:
        values = rounded(values, self.grain)
        at = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return np.where(self.values[at] == values, self.ratios[at], 0.0)


def learn_atoms(x: np.ndarray, y: np.ndarray, most: int = 512) -> Atoms | None:
    """Values that are seen three times or more, if any of them is seen more often on one side than chance
    explains.

    >>> rng = np.random.default_rng(0)
    >>> atoms = learn_atoms(np.append(rng.normal(size=90), np.full(10, 0.5)), rng.normal(size=100))
    >>> atoms.values.tolist(), atoms.apply(np.array([0.4])).tolist()
    ([0.5], [0.0])
    """
    x, y, both, grain = _sorted(x, y)
    starts = np.flatnonzero(np.concatenate([[True], both[1:] != both[:-1]]))
    times = np.diff(np.append(starts, len(both)))
    values = both[starts[times >= 3]]
    a, b = (
        np.searchsorted(side, values, side="right") - np.searchsorted(side, values, side="left")
        for side in (x, y)
    )
    surprise = (a - b) ** 2 / np.maximum(a + b, 1)
    kept = np.argsort(-surprise, kind="stable")[:most]
    kept = np.sort(kept[surprise[kept] >= 3.0])
    if len(kept) == 0:
        return None
    ratios = np.log((a[kept] + 0.5) / (b[kept] + 0.5) * len(y) / len(x))
    return Atoms(grain, values[kept], ratios)
