"""Learned log-ratios of the two sides, as scores: to be learned on one part of the draws and bet on with
others.

cells       the columns (coordinates, and those of `features`, `dependence` and `coincidences`) that exceed
            the claim most, or differ most, one by one
sum         of the cells' log-ratios over all coordinates that differ
anywhere    sum of the log-ratios of cells that all coordinates share: what stands now here, now there
atoms       values, and whole rows, that come back
outside     what lies far out
moments     of Gaussians, over the coordinates whose mean or scale differs
products    1/2 z' (C_x - C_y) z of the standardised output, over the covariances that differ, or all of them
trees       gradient boosting, for what depends on several coordinates
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing import coincidences, dependence, features
from dpverify.auditing.cells import (
    Atoms,
    Cells,
    Column,
    Outside,
    learn_atoms,
    learn_cells,
    learn_outside,
    sort_columns,
)
from dpverify.auditing.claimed import WorstPair
from dpverify.auditing.scores import Score, Steps
from dpverify.auditing.trees import grow_trees

FEWEST = 64  # draws a side before anything is learned
SEVERAL = 4  # coordinates, at least, that are looked at together
POOLED = 2**17  # numbers of each side, about, that they are learned from then
TREES_AT = (1024, 8192, 32_768)  # draws a side on which trees are grown: they cost most


def learn_ratios(x: np.ndarray, y: np.ndarray, pair: WorstPair, before: Sequence[Score] = ()) -> list[Score]:
    """Scores that estimate the log-ratio of the two sides, from these outputs of each; `before` are those
    learned on a part of them, whose trees are kept until there are many more.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(500, 1)) + 1, rng.normal(size=(500, 1))
    >>> learn_ratios(x, y, worst_pair(PureDP(1.0)))[0].text
    'cells of output[0]'
    """
    k = x.shape[1]
    scale = features.scale_of(x, y)
    coordinates = sort_columns(np.ascontiguousarray(x.T), np.ascontiguousarray(y.T))
    known = learn_cells(coordinates)
    gains = np.array([cells.gain for cells in known])
    some = np.argsort(-gains, kind="stable")[:4]
    sums = coincidences.sums(x, y, scale) if k > 1 else []
    looked_at = [*(features.coordinate(int(i)) for i in some), *sums]
    extra = [*features.bits(x, y), *coincidences.whole_bits(x, y), *sums]
    extra += [*features.residues(x, y, looked_at), *features.waves(x, y, looked_at)]
    if k > 1:
        extra += [*features.summaries(scale), *dependence.pairs(x, y, scale)]
        extra += [*dependence.residuals(x, y, scale.spread), *dependence.lags(x, y, scale)]
        extra += [*dependence.directions(x, y, scale), *dependence.tables(k)]
        extra += [*coincidences.equations(x, y), *coincidences.followers(x, y)]
    if extra:
        known += learn_cells(sort_columns(_values(extra, x), _values(extra, y)))
    columns = [features.coordinate(i) for i in range(k)] + extra
    scores = [_cells_score(columns[i], known[i]) for i in _best(known, pair)]
    if k > 1:
        differ = [i for i in np.argsort(-gains, kind="stable")[:32].tolist() if gains[i] > 0]
        if len(differ) > 1:
            scores.append(_sum_score(differ, [known[i] for i in differ]))
        scores += [*_anywhere(x, y), *_moments(x, y, scale)]
        joint = [features.rows(scale), *sums]
        columns = [*columns[:k], *joint]
        coordinates += sort_columns(_values(joint, x), _values(joint, y))
    scores += _seldom("values that come back", learn_atoms, columns, coordinates)
    scores += _seldom("what lies far out", learn_outside, columns[:k], coordinates[:k])
    if k > 1:
        size = max((size for size in TREES_AT if size <= len(x)), default=0)
        grown = [score for score in before if score.text == _grown_on(size)]
        scores += grown or _trees(x[:size], y[:size], gains)
    return scores


def _values(columns: Sequence[Score], out: np.ndarray) -> np.ndarray:
    return np.stack([column.apply(out) for column in columns])


def _best(known: Sequence[Cells], pair: WorstPair) -> list[int]:
    """The columns that exceed the claim most, and those that differ most."""
    beyond = np.array([excess(cells.x, cells.y, pair) for cells in known])
    gains = np.array([cells.gain for cells in known])
    chosen = [*np.argsort(-beyond, kind="stable")[:4], *np.argsort(-gains, kind="stable")[:6]]
    return [int(i) for i in dict.fromkeys(chosen)]


def excess(x: np.ndarray, y: np.ndarray, pair: WorstPair) -> float:
    """By how many standard deviations the most telling union of cells with these counts exceeds what the
    claim allows it.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> rng = np.random.default_rng(0)
    >>> sides = rng.normal(size=(500, 1)) + 2, rng.normal(size=(500, 1))
    >>> [apart] = learn_cells(sort_columns(*(side.T for side in sides)))
    >>> [excess(apart.x, apart.y, worst_pair(PureDP(epsilon))) > 5 for epsilon in (1.0, 9.0)]
    [True, False]
    """
    return float(_unions(x, y, pair)[0].max(initial=-math.inf))


class Union(NamedTuple):
    """Cells together: which, if they are likelier on the second side, their shares of the draws where they
    are likelier and on the other side, and by how many standard deviations they exceed the claim.
    """

    cells: np.ndarray
    swapped: bool
    shares: tuple[float, float]
    beyond: float


def farthest(x: np.ndarray, y: np.ndarray, pair: WorstPair) -> Union | None:
    """The union of cells with these counts that exceeds the claim most, or its complement if that is rarer:
    a claim holds from either side.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> union = farthest(np.array([50, 50, 0]), np.array([40, 35, 25]), worst_pair(PureDP(1.0)))
    >>> union.cells.tolist(), union.swapped, union.shares
    ([False, False, True], True, (0.25, 0.0))
    """
    beyond, tpr, fpr, orders = _unions(x, y, pair)
    if len(beyond) == 0:
        return None
    best = int(beyond.argmax())
    swapped, last = divmod(best, len(x) - 1)
    cells = np.zeros(len(x), dtype=bool)
    cells[orders[swapped][: last + 1]] = True
    p, q = float(tpr[best]), float(fpr[best])
    if p + q > 1:
        return Union(~cells, not swapped, (1 - q, 1 - p), float(beyond[best]))
    return Union(cells, bool(swapped), (p, q), float(beyond[best]))


def _unions(x: np.ndarray, y: np.ndarray, pair: WorstPair) -> tuple[np.ndarray, ...]:
    """Of the unions of cells in the order of their ratio, from above and from below: by how many standard
    deviations each exceeds the claim, its shares on the side where it is likelier and on the other, and the
    two orders.
    """
    n = max(int(x.sum()), 1)
    up = ((x + 0.5) / (y + 0.5)).argsort(kind="stable")
    down = up[::-1]
    sides = np.array([x[down], y[up], y[down], x[up]])
    tpr, fpr = sides.cumsum(axis=1)[:, :-1].reshape(2, -1) / n
    allowed = np.interp(fpr, *pair.curve)
    slope = np.maximum((np.interp(fpr + 1e-3, *pair.curve) - allowed) / 1e-3, 0.0)
    # a count of 0 is not certain to stay 0
    spread = np.sqrt((tpr * (1 - tpr) + slope**2 * (fpr * (1 - fpr) + 1 / n)) / n + 1 / n**2)
    return (tpr - allowed) / spread, tpr, fpr, np.array([down, up])


def _cells_score(column: Score, cells: Cells) -> Score:
    steps = Steps(column.sentence, cells.edges, cells.ratios)
    return Score(
        f"cells of {column.text}",
        lambda out: cells.apply(column.apply(out)),
        plain=column.plain,
        steps=steps,
    )


def _sum_score(columns: Sequence[int], known: Sequence[Cells]) -> Score:
    def apply(out: np.ndarray) -> np.ndarray:
        total = np.zeros(len(out))
        for i, cells in zip(columns, known):
            total += cells.apply(out[:, i])
        return total

    named = ", ".join(map(str, columns[:6])) + (", ..." if len(columns) > 6 else "")
    return Score(f"sum of the cells of outputs [{named}]", apply, plain=False)


def _anywhere(x: np.ndarray, y: np.ndarray) -> list[Score]:
    """The log-ratio of all numbers of an output together, whichever coordinates they are."""
    if x.shape[1] < SEVERAL:
        return []
    rows = max(FEWEST, POOLED // x.shape[1])
    [cells] = learn_cells(sort_columns(*(side[-rows:].reshape(1, -1) for side in (x, y))), POOLED // 16)
    if not cells.gain:
        return []

    def apply(out: np.ndarray) -> np.ndarray:
        return cells.apply(out.ravel()).reshape(out.shape).sum(axis=1)

    return [Score("sum of the cells of all outputs together", apply, dear=True, plain=False)]


def _seldom(
    name: str,
    learn: Callable[[Column], Atoms | Outside | None],
    columns: Sequence[Score],
    values: Sequence[Column],
) -> list[Score]:
    """Values that come back, or lie far out, of the columns in which some do."""
    known = [(column, learn(sides)) for column, sides in zip(columns, values)]
    kept = [(column, atoms) for column, atoms in known if atoms is not None]
    kept = sorted(kept, key=lambda pair: -float(np.abs(pair[1].ratios).max()))[:8]
    if not kept:
        return []

    def apply(out: np.ndarray) -> np.ndarray:
        return np.sum([atoms.apply(column.apply(out)) for column, atoms in kept], axis=0)

    text = f"{name} in {', '.join(column.text for column, _ in kept)}"
    if len(kept) > 1:
        return [Score(text, apply, plain=False)]
    [(column, learned)] = kept
    return [Score(text, apply, plain=column.plain, steps=Steps(column.sentence, *learned.steps))]


def _moments(x: np.ndarray, y: np.ndarray, scale: features.Scale) -> list[Score]:
    """Gaussian log-ratios over the means, scales and covariances that differ."""
    n, k = x.shape

    def standard(out: np.ndarray, of: Any = slice(None)) -> np.ndarray:
        return scale.standardised(out, 8.0, of)

    u, v = standard(x), standard(y)
    mean_u, mean_v = u.mean(axis=0), v.mean(axis=0)
    var_u, var_v = u.var(axis=0) + 1e-9, v.var(axis=0) + 1e-9
    pooled = (var_u + var_v) / 2
    moved = (mean_u - mean_v) * np.sqrt(n / 2 / pooled)
    stretched = np.log(var_u / var_v) * math.sqrt(n) / 2
    bar = math.sqrt(2 * math.log(2 * k)) + 0.5
    scores = []
    some = np.flatnonzero((np.abs(moved) > bar) | (np.abs(stretched) > bar))
    if len(some):
        # each of the two is believed only where it differs itself
        a = np.where(np.abs(moved) > bar, mean_u, (mean_u + mean_v) / 2)[some]
        b = np.where(np.abs(moved) > bar, mean_v, (mean_u + mean_v) / 2)[some]
        s = np.where(np.abs(stretched) > bar, var_u, pooled)[some]
        t = np.where(np.abs(stretched) > bar, var_v, pooled)[some]

        def moments(out: np.ndarray) -> np.ndarray:
            z = standard(out, some)
            return ((z - b) ** 2 / t - (z - a) ** 2 / s).sum(axis=1) / 2

        scores.append(Score(f"moments of outputs {some[:6].tolist()}", moments, plain=False))
    if k <= 512:
        u, v = (u - mean_u) / np.sqrt(pooled), (v - mean_v) / np.sqrt(pooled)
        gap = (u.T @ u - v.T @ v) / n
        middle = (mean_u + mean_v) / 2
        shift = (mean_u - mean_v) / np.sqrt(pooled)
        shift = np.where(np.abs(moved) > bar, shift, 0.0)
        certain = np.where(np.abs(gap) * math.sqrt(n / 2) > math.sqrt(2 * math.log(k * k)) + 0.5, gap, 0.0)
        for name, matrix in (("the covariances that differ", certain), ("all covariances", gap)):
            if np.any(matrix):
                scores.append(_products(name, matrix, shift, standard, middle, np.sqrt(pooled)))
    return scores


def _products(
    name: str,
    matrix: np.ndarray,
    shift: np.ndarray,
    standard: Callable[[np.ndarray], np.ndarray],
    middle: np.ndarray,
    root: np.ndarray,
) -> Score:
    # of u = (z - middle) / root:  u' matrix u / 2 + shift . u,  but for a constant
    square = matrix / np.outer(2 * root, root)
    slope = shift / root - 2 * square @ middle

    def apply(out: np.ndarray) -> np.ndarray:
        z = standard(out)
        half: np.ndarray = z @ square
        half += slope
        return np.asarray(np.einsum("ij,ij->i", half, z))

    return Score(f"products over {name}", apply, dear=True, plain=False)


def _grown_on(size: int) -> str:
    return f"gradient-boosted trees grown on {size} runs a side"


def _trees(x: np.ndarray, y: np.ndarray, gains: np.ndarray) -> list[Score]:
    """Trees on the coordinates; of many, on those that differ most."""
    if len(x) == 0:
        return []
    columns = np.sort(np.argsort(-gains, kind="stable")[:64])
    score = grow_trees(x[:, columns], y[:, columns])
    return [Score(_grown_on(len(x)), lambda out: score(out[:, columns]), dear=True, plain=False)]
