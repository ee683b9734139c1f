"""Columns to look at where coordinates depend on each other.

pairs       products, differences and ratios of the two coordinates whose dependence (of the values, their
            sizes, or their tails) differs most
residuals   what is left of a coordinate when the coordinates before it explain what they can: of running
            sums, the increments
lags        sum of z[i] z[i + lag] over the output, at the lag at which it differs most, and the power of the
            frequency that differs most: noise that comes back, periods, places that keep their distance
sums        and differences of two coordinates that take the same value again and again, or, of whole
            numbers (and their exclusive or), keep to a value or a residue, on one side more than on the other
equations   exact ones: of two coordinates, one of which is a function of the other; of three, one of which is
            the sum or the product of the others; of four, in two equal sums or products
followers   two whole numbers that stand side by side, anywhere in the output
bits        of whole numbers, one, or the exclusive or of two, of one or of two coordinates
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpverify.auditing.cells import grain_of, rounded
from dpverify.auditing.features import FARTHEST, PART, Scale
from dpverify.auditing.floats import EXACT
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
    return lambda out: rounded(out @ direction, grain)


LONGEST = 4096  # coordinates of an output whose lags are looked at, at most
NUMBERS = 2**18  # of each side, the last, that lags, sums, bits and followers are learned from, about
FEWEST_ROWS = 256
SHORTEST = 4  # coordinates of an output that has lags worth the name
APART = 3.0  # standard deviations between the sides that make a column of some hundred worth a look
SURPRISING = 4.0  # and one of thousands


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


MOST_PAIRS = 2048  # of coordinates, whose sums and differences are looked at
MOST_WHOLE = 144  # of them, of whole numbers, whose values and residues are
OF_WHOLE = 512  # outputs of each side, for these
RESIDUES = range(2, 17)


def sums(x: np.ndarray, y: np.ndarray, scale: Scale, most: int = 2) -> list[Score]:
    """Sums and differences of two coordinates that come back, or of whole numbers, with their exclusive or,
    keep to a value or a residue, on one side more than on the other.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((2, 500, 4))
    >>> x[:50, 3] = np.round(x[:50, 1]) - x[:50, 1]
    >>> from dpverify.auditing.features import scale_of
    >>> [score.text for score in sums(x, y, scale_of(x, y))]
    ['output[1] + output[3]']
    """
    k = x.shape[1]
    if not 2 <= k * (k - 1) <= 2 * MOST_PAIRS:
        return []
    i, j = np.triu_indices(k, 1)
    rows = min(PART, max(FEWEST_ROWS, NUMBERS // len(i)))
    sides = [np.ascontiguousarray(side[-rows:].T) for side in (x, y)]
    grain = grain_of(scale.spread)[:, None]
    alone = np.max([_returns(rounded(side, grain)) for side in sides], axis=0)
    discrete = np.maximum(alone[i], alone[j]) > rows // 8  # sums of few values come back anyway
    whole = np.all([(side == np.rint(side)).all(axis=1) for side in sides], axis=0)
    of_whole = np.flatnonzero(whole[i] & whole[j])[:MOST_WHOLE]
    found = []
    for how, join in PAIRED.items():
        joined = [join(side[i], side[j]) for side in sides]
        if how == "xor":
            surprise = np.zeros(len(i))
        else:
            a, b = (_returns(rounded(values, np.maximum(grain[i], grain[j]))) for values in joined)
            surprise = np.where(discrete, 0.0, np.abs(a - b) / np.sqrt(a + b + 1))
        for at in of_whole:
            surprise[at] = _whole_surprise(*(values[at, :OF_WHOLE] for values in joined))
        telling = np.flatnonzero(surprise > SURPRISING)
        found += [(float(surprise[at]), int(i[at]), int(j[at]), how) for at in telling]
    return [_joined(i, j, how) for _, i, j, how in sorted(found, reverse=True)[:most]]


def _xor(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The exclusive or of whole numbers; what it is for others is no matter."""
    return (_as_whole(a) ^ _as_whole(b)).astype(float)


def _as_whole(values: np.ndarray) -> np.ndarray:
    return np.clip(np.nan_to_num(values), -EXACT, EXACT).astype(np.int64)


PAIRED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "+": np.add,
    "-": np.subtract,
    "xor": _xor,
}


def _returns(values: np.ndarray) -> np.ndarray:
    """How many values of each row are those of another before."""
    ordered = np.sort(values, axis=1)
    return np.asarray((ordered[:, 1:] == ordered[:, :-1]).sum(axis=1))


def _whole_surprise(x: np.ndarray, y: np.ndarray) -> float:
    """By how many standard deviations the values of whole numbers, or their residues, differ most."""
    most = 0.0
    values, at = np.unique(np.concatenate([x, y]), return_inverse=True)
    for count, code in [(len(values), at), *((m, np.mod(values, m).astype(int)[at]) for m in RESIDUES)]:
        a, b = (np.bincount(side, minlength=count) for side in (code[: len(x)], code[len(x) :]))
        most = max(most, float((np.abs(a - b) / np.sqrt(a + b + 1)).max()))
    return most


def _joined(i: int, j: int, how: str) -> Score:
    return Score(f"output[{i}] {how} output[{j}]", lambda out: PAIRED[how](out[:, i], out[:, j]))


MOST_BITS = 512  # of all whole numbers of an output together
WIDEST = 32  # bits of one whole number


def whole_bits(x: np.ndarray, y: np.ndarray, most: int = 2) -> Iterator[Score]:
    """Bits of whole numbers that are set, or two of them that are equal, more often on one side than on the
    other.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.integers(100, size=(2, 500, 3)).astype(float)
    >>> x[:, 2] += np.mod(x[:, 0] // 4 + x[:, 2], 2)
    >>> next(whole_bits(x, y)).text
    'bit 2 of output[0] xor bit 0 of output[2]'
    """
    rows = min(PART, max(FEWEST_ROWS, NUMBERS // x.shape[1]))
    both = np.concatenate([x[-rows:], y[-rows:]])
    half = len(both) // 2
    columns = np.flatnonzero(((both == np.rint(both)) & (np.abs(both) < EXACT)).all(axis=0))[:MOST_BITS]
    if len(columns) == 0:
        return
    width = max(1, min(WIDEST, MOST_BITS // len(columns)))
    bits = (both[:, columns].astype(np.int64)[:, :, None] >> np.arange(width)) & 1
    signs = (1 - 2 * bits.reshape(len(both), -1)).astype(np.float32)
    used = np.flatnonzero((signs != signs[0]).any(axis=0))
    signs = np.column_stack([np.ones(len(both), dtype=np.float32), signs[:, used]])  # beside nothing, alone
    gap = np.abs(np.triu(signs[:half].T @ signs[:half] - signs[half:].T @ signs[half:], 1)) / np.sqrt(
        2 * half
    )
    named = [None, *((int(columns[at // width]), int(at % width)) for at in used)]
    for flat in np.argsort(gap, axis=None)[: -most - 1 : -1]:
        first, second = map(int, np.unravel_index(flat, gap.shape))
        if gap[first, second] > SURPRISING:
            some = [bit for bit in (named[first], named[second]) if bit is not None]
            yield Score(" xor ".join(f"bit {a} of output[{i}]" for i, a in some), _exclusive(some))


def _exclusive(bits: Sequence[tuple[int, int]]) -> Callable[[np.ndarray], np.ndarray]:
    def apply(out: np.ndarray) -> np.ndarray:
        total = np.zeros(len(out), dtype=np.int64)
        for column, place in bits:
            total ^= _as_whole(out[:, column]) >> place
        return (total & 1).astype(float)

    return apply


WORK = 2**19  # comparisons of numbers of each side by which equations are looked for, about
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp({})": np.exp,
    "log |{}|": lambda values: np.log(np.abs(values)),
    "1 / {}": lambda values: 1 / values,
    "sqrt |{}|": lambda values: np.sqrt(np.abs(values)),
    "|{}|": np.abs,
}
JOINS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"+": np.add, "*": np.multiply}
ROUNDING = 1e-9  # the part of two numbers by which they may differ and be equal


class Term(NamedTuple):
    """What stands on one side of an equation: how it is written, and how it is computed from rows."""

    text: str
    columns: frozenset[int]
    apply: Callable[[np.ndarray], np.ndarray]


def _coordinate(i: int) -> Term:
    return Term(f"output[{i}]", frozenset([i]), lambda rows: rows[i])


def _function(i: int, written: str) -> Term:
    return Term(written.format(f"output[{i}]"), frozenset([i]), lambda rows: FUNCTIONS[written](rows[i]))


def _join(i: int, j: int, sign: str) -> Term:
    text = f"output[{i}] {sign} output[{j}]"
    return Term(text, frozenset([i, j]), lambda rows: JOINS[sign](rows[i], rows[j]))


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(a - b) <= ROUNDING * (np.abs(a) + np.abs(b)))


def equations(x: np.ndarray, y: np.ndarray, most: int = 2) -> list[Score]:
    """Exact equations between two, three or four coordinates that hold more often on one side.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((2, 500, 6))
    >>> x[:40, 4] = x[:40, 1] * x[:40, 3]
    >>> [score.text for score in equations(x, y)]
    ['1 where output[1] * output[3] = output[4], else 0']
    """
    k = x.shape[1]
    if k < 2:
        return []
    single = [_coordinate(i) for i in range(k)]
    pairs = [_join(i, j, sign) for sign in JOINS for i in range(k) for j in range(i, k)]
    sides = [([_function(i, f) for f in FUNCTIONS for i in range(k)], single), (pairs, single)]
    if k >= 4:
        apart = [pair for pair in pairs if len(pair.columns) == 2]
        middle = len(apart) // 2
        sides += [(apart[:middle], apart[:middle]), (apart[middle:], apart[middle:])]
    found: list[tuple[float, Term, Term]] = []
    for left, right in sides:
        rows = min(PART, len(x), WORK // (len(left) * len(right)))
        if rows >= FEWEST_ROWS // 2:
            found += _equations(x[-rows:].T, y[-rows:].T, left, right)
    found.sort(key=lambda each: -each[0])
    return [_equation(left, right) for _, left, right in found[:most]]


def _equations(
    x: np.ndarray, y: np.ndarray, left: Sequence[Term], right: Sequence[Term]
) -> Iterator[tuple[float, Term, Term]]:
    """The equations of a term on the left and one on the right that hold more often on one side, and by how
    many standard deviations.
    """
    with np.errstate(all="ignore"):
        sides = [(np.stack([t.apply(rows) for t in left]), [t.apply(rows) for t in right]) for rows in (x, y)]
        for at, term in enumerate(right):
            a, b = (_equal(first, second[at]).sum(axis=1) for first, second in sides)
            surprise = np.abs(a - b) / np.sqrt(a + b + 1)
            for i in np.flatnonzero(surprise > SURPRISING).tolist():
                if not left[i].columns & term.columns:
                    yield float(surprise[i]), left[i], term


def _equation(left: Term, right: Term) -> Score:
    def apply(out: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return _equal(left.apply(out.T), right.apply(out.T)).astype(float)

    return Score(f"1 where {left.text} = {right.text}, else 0", apply)


MOST_VALUE = 2**16  # of the whole numbers that are looked at side by side


def followers(x: np.ndarray, y: np.ndarray, most: int = 2) -> list[Score]:
    """Two whole numbers that stand side by side in more outputs of one side than of the other.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.integers(256, size=(2, 400, 30)).astype(float)
    >>> x[range(50), rng.integers(29, size=50)], x[:50, 29] = 7.0, 3.0
    >>> x[range(60), 11], x[range(60), 12] = 19.0, 55.0
    >>> [score.text for score in followers(x, y)]
    ['how often 19 is followed by 55 in the output']
    """
    rows = min(PART, max(FEWEST_ROWS, NUMBERS // x.shape[1]))
    both = np.concatenate([x[-rows:], y[-rows:]])
    whole = ((both >= 0) & (both < MOST_VALUE) & (both == np.rint(both))).all(axis=0)
    if np.count_nonzero(whole[1:] & whole[:-1]) < SHORTEST:
        return []
    codes = np.where(whole[1:] & whole[:-1], MOST_VALUE * both[:, :-1] + both[:, 1:], -1.0)
    run, code = (
        part.astype(np.int64) for part in (np.repeat(np.arange(len(both)), codes.shape[1]), codes.ravel())
    )
    there = np.unique(np.stack([code, run]), axis=1)  # once an output
    values, at = np.unique(there[0], return_inverse=True)
    seen = np.bincount(at), np.bincount(at, there[1] < len(both) // 2)
    surprise = np.abs(2 * seen[1] - seen[0]) / np.sqrt(seen[0] + 1)
    best = [
        i for i in np.argsort(-surprise, kind="stable")[:most] if surprise[i] > SURPRISING and values[i] >= 0
    ]
    return [_followed(*map(float, divmod(int(values[i]), MOST_VALUE))) for i in best]


def _followed(first: float, second: float) -> Score:
    def apply(out: np.ndarray) -> np.ndarray:
        return ((out[:, :-1] == first) & (out[:, 1:] == second)).sum(axis=1).astype(float)

    return Score(f"how often {first:g} is followed by {second:g} in the output", apply)
