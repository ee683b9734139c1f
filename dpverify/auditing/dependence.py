"""Columns to look at where coordinates depend on each other.

pairs       products, differences and ratios of the two coordinates whose dependence (of the values, their
            sizes, or their tails) differs most
residuals   what is left of a coordinate when the coordinates before it explain what they can: of running
            sums, the increments
directions  w . z in which the fourth moments E |z|^2 (w . z)^2 differ most: modes and tails that no
            coordinate shows by itself
tables      correlations between every second, third or fourth number: of the columns of a table in the output
lags        sum of z[i] z[i + lag] over the output, at the lag at which it differs most, and the power of the
            frequency that differs most: noise that comes back, periods, places that keep their distance
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dpverify.auditing.cells import grain_of, rounded
from dpverify.auditing.features import FARTHEST, Scale
from dpverify.auditing.scores import SHOWN, Score, listed


def pairs(x: np.ndarray, y: np.ndarray, scale: Scale, most: int = 2) -> Iterator[Score]:
    """Products, differences and ratios of the coordinates whose dependence differs most between the sides."""
    k = x.shape[1]
    centre, spread, _ = scale
    if k > 2048:
        return

    u, v = scale.standardised(x, NEAR), scale.standardised(y, NEAR)
    for name, of in (("", _itself), ("|.| of ", np.abs), (f"what is beyond {TAIL:g} of ", _tail)):
        a, b = (_covariance(of(side)) for side in (u, v))
        wide = np.diag(a) + np.diag(b)
        moved = np.abs(np.triu((a - b) / (np.sqrt(np.outer(wide, wide) / 4) + 1e-12), 1))
        for flat in np.argsort(moved, axis=None)[: -most - 1 : -1]:
            i, j = map(int, np.unravel_index(flat, moved.shape))
            if i < j:
                both = " and ".join(
                    f"(output[{at}] - {centre[at]:.6g}) / {spread[at]:.6g} (within +-{NEAR:g})"
                    for at in (i, j)
                )
                for what, join in (("product", np.multiply), ("difference", np.subtract)):
                    yield Score(
                        f"{what} of {name}standardised output[{i}] and output[{j}]",
                        _two(scale, of, i, j, join),
                        says=f"{what} of {name}{both}",
                    )
                if of is _itself:
                    yield Score(f"ratio of output[{i}] and output[{j}]", _ratio(i, j))


TAIL, NEAR = 2.0, 4.0  # spreads from the centre: what is beyond, and how far is far enough


def _itself(z: np.ndarray) -> np.ndarray:
    return z


def _tail(z: np.ndarray) -> np.ndarray:
    """The standardised values that are far from 0; 0 for the others."""
    return z * (np.abs(z) > TAIL)


def _covariance(z: np.ndarray) -> np.ndarray:
    mean = np.ones(len(z)) @ z / len(z)
    return z.T @ z / len(z) - np.outer(mean, mean)


def _two(
    scale: Scale,
    of: Callable[[np.ndarray], np.ndarray],
    i: int,
    j: int,
    join: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Callable[[np.ndarray], np.ndarray]:
    def apply(out: np.ndarray) -> np.ndarray:
        return join(*(of(scale.standardised(out, NEAR, at)) for at in (i, j)))

    return apply


def _ratio(i: int, j: int) -> Callable[[np.ndarray], np.ndarray]:
    def apply(out: np.ndarray) -> np.ndarray:
        below = np.where(out[:, j] == 0, 1.0, out[:, j])
        return np.clip(out[:, i] / below, -FARTHEST, FARTHEST)

    return apply


def residuals(x: np.ndarray, y: np.ndarray, spread: np.ndarray) -> list[Score]:
    """Every coordinate less what those before it explain linearly, where coordinates are correlated; rounded
    to a 2^-30th of its spread, so that the rounding of sums is not looked at.

    >>> steps = np.random.default_rng(0).normal(size=(2, 1000, 3))
    >>> sides = steps.cumsum(axis=2)
    >>> first, second = residuals(*sides, np.ones(3))
    >>> bool(np.allclose(second.apply(sides[0]), steps[0][:, 2], atol=0.5)), residuals(*steps, np.ones(3))
    (True, [])
    """
    n, k = x.shape
    if not 2 <= k <= 512 or n <= 4 * k:
        return []
    covariance = (np.cov((x / spread).T) + np.cov((y / spread).T)) / 2
    size = np.sqrt(np.where(np.diag(covariance) > 0, np.diag(covariance), 1.0))
    correlation = covariance / np.outer(size, size)
    np.fill_diagonal(correlation, 1.0)
    if not np.isfinite(correlation).all() or np.abs(np.triu(correlation, 1)).max() < max(0.3, 8 / n**0.5):
        return []
    lower = np.linalg.cholesky(correlation + 1e-9 * np.eye(k))
    inverse = np.linalg.inv(lower) * np.diag(lower)[:, None] / (spread * size) * (spread * size)[:, None]
    grain = grain_of(spread) * 2.0**10
    return [
        Score(
            f"output[{i}] less what those before it explain",
            _along(inverse[i], float(grain[i])),
            plain=i < SHOWN,
            says=f"w . output, w = {listed(inverse[i][: i + 1])}",
        )
        for i in range(1, k)
    ]


def _along(direction: np.ndarray, grain: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda out: rounded(out @ direction, grain) if grain else out @ direction


WIDEST = 256  # coordinates of an output whose directions are looked at, at most


def directions(x: np.ndarray, y: np.ndarray, scale: Scale) -> Iterator[Score]:
    """The output along the direction in which its fourth moments differ most from those of the other side.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((2, 2000, 4))
    >>> along = np.array([0.5, -0.5, 0.5, 0.5])
    >>> x += np.outer(np.sign(x @ along) - x @ along, along)
    >>> from dpverify.auditing.features import scale_of
    >>> [score] = directions(x, y, scale_of(x, y))
    >>> bool(np.abs(score.apply(x)).std() < 0.5 < np.abs(score.apply(y)).std())
    True
    """
    k = x.shape[1]
    if not 2 <= k <= WIDEST or len(x) < 16 * k:
        return
    moments = []
    for side in (x, y):
        z = scale.standardised(side, NEAR)
        z -= z.mean(axis=0)
        moments.append((z * np.einsum("ij,ij->i", z, z)[:, None]).T @ z / len(z))
    values, vectors = np.linalg.eigh(moments[0] - moments[1])
    along = vectors[:, np.abs(values).argmax()] / scale.spread
    yield Score(f"w . output, w = {listed(along)}", _along(along, 0.0), plain=k <= SHOWN)


COLUMNS = (2, 3, 4)  # of a table, row after row in an output
ROWS = 4  # of it, at least


def tables(width: int) -> Iterator[Score]:
    """Correlations, within one output of so many numbers, of the columns of a table that it may be.

    >>> [score.text for score in tables(8)]
    ['correlation of columns 0 and 1 of 2']
    >>> next(tables(8)).apply(np.array([[1.0, 2.0, 3.0, 6.0, 2.0, 4.0, 0.0, 0.0]])).round(9).tolist()
    [1.0]
    """
    for columns in COLUMNS:
        if width % columns == 0 and width >= ROWS * columns:
            for first in range(columns):
                for second in range(first + 1, columns):
                    text = f"correlation of columns {first} and {second} of {columns}"
                    yield Score(text, _correlation(columns, first, second))


def _correlation(columns: int, first: int, second: int) -> Callable[[np.ndarray], np.ndarray]:
    def apply(out: np.ndarray) -> np.ndarray:
        a, b = (out[:, at::columns] - out[:, at::columns].mean(axis=1)[:, None] for at in (first, second))
        with np.errstate(over="ignore"):
            sizes = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
        return np.asarray(np.einsum("ij,ij->i", a, b) / np.where((sizes > 0) & (sizes < np.inf), sizes, 1.0))

    return apply


LONGEST = 4096  # coordinates of an output whose lags are looked at, at most
NUMBERS = 2**18  # of each side, the last, that they are learned from, about
FEWEST_ROWS = 256
SHORTEST = 4  # coordinates of an output that has lags worth the name
APART = 3.0  # standard deviations between the sides that make a column worth a look


def lags(x: np.ndarray, y: np.ndarray, scale: Scale) -> Iterator[Score]:
    """Sums of products of coordinates that are as far apart as shows most, on a line and on a circle, of the
    standardised values and of their sizes; and the power of the frequency that shows most.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((2, 500, 40))
    >>> x[:, 7:] += 0.5 * x[:, :-7]
    >>> from dpverify.auditing.features import scale_of
    >>> next(lags(x, y, scale_of(x, y))).text
    'sum of products of standardised coordinates 7 apart'
    """
    k = x.shape[1]
    if not SHORTEST <= k <= LONGEST:
        return
    rows = max(FEWEST_ROWS, NUMBERS // k)
    x, y = x[-rows:], y[-rows:]
    for name, of in (("standardised coordinates", _itself), ("sizes of standardised coordinates", np.abs)):
        u, v = (of(scale.standardised(side, NEAR)) for side in (x, y))
        centre = (u.mean(axis=0) + v.mean(axis=0)) / 2
        powers = [np.abs(np.fft.rfft(side - centre, 2 * k, axis=1)) ** 2 for side in (u, v)]
        line = [np.fft.irfft(power, axis=1)[:, 1:k] for power in powers]
        circle = [side + side[:, ::-1] for side in line]
        for products, around in ((line, False), (circle, True)):
            lag = _most_apart(*products) + 1
            if lag:
                text = f"sum of products of {name} {lag} apart" + " on a circle" * around
                yield Score(text, _lagged(scale, of, centre, lag, around), plain=False)
        frequency = _most_apart(*powers) + 1
        if frequency:
            text = f"power of {name} at period {2 * k / max(frequency - 1, 0.5):.4g}"
            yield Score(text, _power(scale, of, centre, (frequency - 1) * np.pi / k), plain=False)


def _most_apart(x: np.ndarray, y: np.ndarray) -> int:
    """The column whose mean differs most between the sides, in standard deviations; -1 if none by much."""
    spread = np.sqrt((x.var(axis=0) + y.var(axis=0)) / len(x)) + 1e-12
    apart = np.abs(x.mean(axis=0) - y.mean(axis=0)) / spread
    best = int(apart.argmax())
    return best if apart[best] > APART else -1


def _lagged(
    scale: Scale, of: Callable[[np.ndarray], np.ndarray], centre: np.ndarray, lag: int, around: bool
) -> Callable[[np.ndarray], np.ndarray]:
    def apply(out: np.ndarray) -> np.ndarray:
        z = of(scale.standardised(out, NEAR)) - centre
        total = np.einsum("ij,ij->i", z[:, lag:], z[:, :-lag])
        return np.asarray(total + np.einsum("ij,ij->i", z[:, :lag], z[:, -lag:]) if around else total)

    return apply


def _power(
    scale: Scale, of: Callable[[np.ndarray], np.ndarray], centre: np.ndarray, angle: float
) -> Callable[[np.ndarray], np.ndarray]:
    turns = angle * np.arange(len(centre))
    wave = np.stack([np.cos(turns), np.sin(turns)], axis=1)

    def apply(out: np.ndarray) -> np.ndarray:
        parts = (of(scale.standardised(out, NEAR)) - centre) @ wave
        return np.asarray(np.einsum("ij,ij->i", parts, parts))

    return apply
