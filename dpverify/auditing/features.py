"""Columns to look at: what an output shows besides its coordinates.

summaries   largest, smallest, their places, norm and sum of the standardised output, equal, nearly equal
            and zero coordinates, equal increments, the common divisor, inner product and norms of its halves,
            ascents, inversions, coordinates in their upper half (how many, the longest run, which), and for
            discrete outputs the row as a whole
bits        those of the stored numbers that differ most
residues    of integers modulo 2 ... 16, or up to 256 where they differ most; of numbers on a lattice, or with
            noise of low precision, their offset from it
places      numbers with few decimal places, or with few bits
waves       numbers modulo the period whose wave differs most in the density of the two sides
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.cells import grain_of, rounded
from dpverify.auditing.floats import EXACT
from dpverify.auditing.scores import SHOWN, Score, listed

SIGNS = 10  # coordinates, at most, whose signs are looked at together
FARTHEST = 1e9
SMALLEST = 1e-300  # what numbers may be divided by
PART = 4096  # draws of each side that scales, bits, residues and lattices are learned from


class Scale(NamedTuple):
    """A robust centre and spread of every coordinate, and the middle between its 16 % and 84 % quantiles."""

    centre: np.ndarray
    spread: np.ndarray
    middle: np.ndarray

    def standardised(self, out: np.ndarray, most: float, of: Any = slice(None)) -> np.ndarray:
        """Those coordinates less their centre, over their spread, at most so far from 0."""
        z: np.ndarray = out[:, of] - self.centre[of]
        z /= self.spread[of]
        return np.clip(z, -most, most, out=z)


def scale_of(x: np.ndarray, y: np.ndarray) -> Scale:
    """The scale of every coordinate of both sides together.

    >>> scale_of(np.arange(100.0)[:, None], np.arange(100.0)[:, None]).centre.tolist()
    [49.0]
    """
    both = np.sort(np.concatenate([x[:PART].T, y[:PART].T], axis=1), axis=1)
    low, centre, high = (both[:, int(level * (both.shape[1] - 1))] for level in (0.16, 0.5, 0.84))
    spread = (high - low) / 2
    with np.errstate(over="ignore"):  # infinitely wide is wide enough
        wide = np.minimum(both.std(axis=1), 1e150)
    return Scale(centre, np.where(spread > 0, spread, np.where(wide > 0, wide, 1.0)), (low + high) / 2)


def coordinate(i: int) -> Score:
    """One number of the output.

    >>> coordinate(1).apply(np.array([[1.0, 2.0]])).tolist()
    [2.0]
    """
    return Score(f"output[{i}]", lambda out: out[:, i])


def summaries(scale: Scale) -> Iterator[Score]:
    """Summaries of whole outputs of two or more numbers."""
    middle = scale.middle

    yield Score("largest coordinate", lambda out: _columns(out).max(axis=0))
    yield Score("smallest coordinate", lambda out: _columns(out).min(axis=0))
    yield Score("place of the largest coordinate", lambda out: out.argmax(axis=1).astype(float))
    yield Score("place of the smallest coordinate", lambda out: out.argmin(axis=1).astype(float))
    yield Score(
        "squared norm of the standardised output",
        lambda out: _squares(scale.standardised(out, FARTHEST)),
        plain=False,
    )
    yield Score("norm of the output", lambda out: np.linalg.norm(out, axis=1))
    yield Score(
        "sum of the standardised output",
        lambda out: scale.standardised(out, FARTHEST).sum(axis=1),
        plain=False,
    )
    yield Score("sum of the output", lambda out: out.sum(axis=1))
    yield Score("ascents in the output", lambda out: (out[:, 1:] > out[:, :-1]).sum(axis=1).astype(float))
    yield Score("coordinates that are 0", lambda out: (out == 0).sum(axis=1).astype(float))
    yield Score("coordinates equal to another", _equal_coordinates)
    yield Score("smallest gap between two coordinates", _smallest_gap)
    grain = float(grain_of(scale.spread).max()) * 2.0**10
    yield Score(
        "increments equal to another", lambda out: _equal_coordinates(rounded(np.diff(out, axis=1), grain))
    )
    yield Score("greatest common divisor of the output", _common_divisor)
    half = len(middle) // 2
    if len(middle) == 2 * half:
        yield Score(
            "inner product of the halves of the output",
            lambda out: np.einsum("ij,ij->i", out[:, :half], out[:, half:]),
        )
        yield Score(
            "norm of the first half of the output less that of the second",
            lambda out: np.linalg.norm(out[:, :half], axis=1) - np.linalg.norm(out[:, half:], axis=1),
        )
    above = f"coordinates above {listed(middle)}"

    def upper(text: str, says: str, apply: Callable[[np.ndarray], np.ndarray]) -> Score:
        return Score(text, lambda out: apply(out > middle), plain=len(middle) <= SHOWN, says=says)

    yield upper("coordinates in their upper half", f"number of {above}", lambda up: up.sum(axis=1) * 1.0)
    yield upper("longest run in the upper half", f"longest run of {above}", _longest_run)
    if len(middle) <= SIGNS:
        yield Score("inversions in the output", _inversions)
        powers = 2.0 ** np.arange(len(middle))
        which = f"sum of 2^i over the {above}"
        yield upper("which coordinates are in their upper half", which, lambda up: up @ powers)


def _equal_coordinates(out: np.ndarray) -> np.ndarray:
    ordered = np.sort(out, axis=1)
    return (ordered[:, 1:] == ordered[:, :-1]).sum(axis=1).astype(float)


def _common_divisor(out: np.ndarray) -> np.ndarray:
    """That of whole numbers; of others, 0.

    >>> _common_divisor(np.array([[4.0, 6.0], [4.0, 0.5]])).tolist()
    [2.0, 0.0]
    """
    whole = ((out == np.rint(out)) & (np.abs(out) < EXACT)).all(axis=1)
    divisor = np.zeros(len(out))
    if whole.any():
        divisor[whole] = np.gcd.reduce(out[whole].astype(np.int64), axis=1)
    return divisor


def _inversions(out: np.ndarray) -> np.ndarray:
    """How many pairs of coordinates are in descending order.

    >>> _inversions(np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])).tolist()
    [0.0, 2.0]
    """
    columns, total = _columns(out), np.zeros(len(out), dtype=np.int8)
    for i, column in enumerate(columns):
        for later in columns[i + 1 :]:
            total += column > later
    return total.astype(float)


def _smallest_gap(out: np.ndarray) -> np.ndarray:
    return np.asarray(np.diff(_columns(np.sort(out, axis=1)), axis=0).min(axis=0))


def _columns(out: np.ndarray) -> np.ndarray:
    """The columns one after the other in memory: what is asked of short rows is sooner asked of them."""
    return np.ascontiguousarray(out.T)


def _squares(z: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ij,ij->i", z, z))


def _longest_run(upper: np.ndarray) -> np.ndarray:
    """The longest run of True in each row.

    >>> _longest_run(np.array([[True, True, False, True]])).tolist()
    [2.0]
    """
    run, longest = np.zeros(len(upper)), np.zeros(len(upper))
    for column in _columns(upper):
        run += 1
        run *= column
        np.maximum(longest, run, out=longest)
    return longest


def row_codes(out: np.ndarray) -> np.ndarray:
    """One number per row, the same for equal rows and (but for chance below 2^-50 a pair) for them alone.

    >>> codes = row_codes(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]))
    >>> bool(codes[0] == codes[1] != codes[2])
    True
    """
    bits = np.ascontiguousarray(out, dtype=float).view(np.uint64)
    odd = np.random.default_rng(0).integers(2**63, size=out.shape[1], dtype=np.uint64) * np.uint64(2)
    mixed = (bits ^ (bits >> np.uint64(29))) * (odd + np.uint64(1))
    mixed ^= mixed >> np.uint64(32)
    total = (mixed * np.uint64(0x9E3779B97F4A7C15)).sum(axis=1, dtype=np.uint64)
    return (total >> np.uint64(12)).astype(float)


def rows(scale: Scale) -> Score:
    """The row as a whole, every coordinate rounded to a 2^-40th of its spread."""
    grain = grain_of(scale.spread)
    return Score("the row as a whole (its code)", lambda out: row_codes(rounded(out, grain)), plain=False)


def _words(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=float).view(np.uint64)


FRACTION = 52  # bits of the fraction of a stored number
LOW = 12  # so many of the lowest bits are touched by the rounding of sums
EVERYWHERE = 0.3  # by how much a low bit must differ, in every part of the range, to be no such rounding


def bits(x: np.ndarray, y: np.ndarray) -> Iterator[Score]:
    """The stored bit whose frequency differs most between the sides.

    Adding a constant to noise moves the lowest bits, too: cancellation leaves k of them empty with
    probability about 2^-k, in some parts of the range, and rounding makes the last even up to 3 times in 4.
    That is true of every implementation in floating point, so one of the lowest 12 bits that are used (single
    precision leaves 29 empty) counts only if it differs by 0.3 or more in every part of the range.
    """
    part = min(PART, max(256, 100_000 // x.shape[1]))
    x, y = x[:part], y[:part]
    u, v = _words(x), _words(y)
    used = np.bitwise_or.reduce(np.concatenate([u, v]), axis=0)
    low = LOW + np.log2(np.maximum(used & (~used + np.uint64(1)), 1).astype(float))
    low = np.minimum(low, FRACTION)  # exponent and sign are never rounded away
    p = _frequencies(u)
    q = _frequencies(v)
    places = np.arange(64)
    both = (p + q) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.nan_to_num((p - q) ** 2 / (both * (1 - both)), posinf=0.0)
    t = np.where((places[:, None] >= low) | (np.abs(p - q) > EVERYWHERE), t, 0.0)
    columns = t.argmax(axis=1)
    most = t[places, columns]
    telling = np.flatnonzero(most * len(x) > 8)
    found = [(float(most[place]), int(columns[place]), int(place)) for place in telling]
    for _, at, place in sorted(found, reverse=True)[:4]:
        if place >= low[at] or _everywhere(bit_score(at, place), x, y, at):
            yield bit_score(at, place)


def _frequencies(words: np.ndarray) -> np.ndarray:
    """How often each of the 64 bits, the lowest first, is set in each column of words.

    >>> _frequencies(np.array([[1], [3]], dtype=np.uint64))[:3].tolist()
    [[1.0], [0.5], [0.0]]
    """
    octets = words.astype("<u8").view(np.uint8).reshape(*words.shape, 8)
    bits = np.unpackbits(octets, axis=2, bitorder="little")
    return bits.sum(axis=0, dtype=np.int64).T / len(words)


def _everywhere(score: Score, x: np.ndarray, y: np.ndarray, at: int, parts: int = 8) -> bool:
    """Whether the mean of a score differs in the same direction in every part of a coordinate's range."""
    cuts = np.quantile(np.abs(np.concatenate([x[:, at], y[:, at]])), np.arange(1, parts) / parts)
    sums = []
    for side in (x, y):
        part = np.searchsorted(cuts, np.abs(side[:, at]))
        times = np.maximum(np.bincount(part, minlength=parts), 1)
        sums.append(np.bincount(part, score.apply(side), minlength=parts) / times)
    moved = sums[0] - sums[1]
    return bool((moved > EVERYWHERE).all() or (moved < -EVERYWHERE).all())


def bit_score(column: int, place: int) -> Score:
    """One bit of the stored number (0 the lowest of the fraction, 63 the sign).

    >>> bit_score(0, 63).apply(np.array([[-1.0], [2.0], [-0.0]])).tolist()
    [1.0, 0.0, 1.0]
    """

    def apply(out: np.ndarray) -> np.ndarray:
        return ((_words(out[:, column]) >> np.uint64(place)) & np.uint64(1)).astype(float)

    return Score(f"bit {place} of output[{column}]", apply)


def lattice_step(values: np.ndarray) -> float:
    """The step of a lattice that (nearly) all differences of the values are multiples of; 0 if there is none.

    >>> lattice_step(np.array([0.3, 0.5, 1.1, 1.5, 0.7] * 20))
    0.2
    """
    values = np.unique(values)
    if len(values) < 3:
        return 0.0
    gaps = np.diff(values)
    fine = 64 * np.spacing(np.abs(values).max())
    gaps = gaps[gaps > fine]
    if len(gaps) < 2:
        return 0.0
    step = float(gaps.min())
    near = gaps[gaps < 0.05 * step * step / fine] if fine > 0 else gaps
    if len(near) < 2:
        return 0.0
    off = np.abs(near / step - np.round(near / step))
    return float(f"{step:.12g}") if step > SMALLEST and np.mean(off < 0.02) > 0.98 else 0.0


def residues(x: np.ndarray, y: np.ndarray, columns: Sequence[Score]) -> Iterator[Score]:
    """Residues of those columns: of integers modulo 2 ... 16, else from a lattice that one side lies on."""
    for column in columns:
        a, b = column.apply(x[:PART]), column.apply(y[:PART])
        values = np.concatenate([a, b])
        if len(np.unique(values)) < 4:
            continue
        if (values == np.round(values)).all():
            for modulus in [*range(2, 17), *_moduli(a, b)]:
                yield _residue(column, float(modulus), f"{modulus}")
            continue
        yield from _places(a, b, column)
        for step in _noise_grains(a, b):
            yield _residue(column, step, f"{step:.6g}", 1 / 64)
        for step in {lattice_step(a), lattice_step(b)} - {0.0}:
            yield _residue(column, step, f"{step:.6g}", 1 / 64)
            yield _residue(column, 2 * step, f"{2 * step:.6g}", 1 / 64)


def _moduli(x: np.ndarray, y: np.ndarray, most: int = 2) -> list[int]:
    """Larger moduli by which the residues of the two sides differ most, and by more than chance explains."""
    found = []
    if max(np.abs(x).max(), np.abs(y).max()) > 2.0**53:  # whole for want of bits
        return []
    x, y = (side.astype(np.int64) for side in (x, y))
    for modulus in range(17, 257):
        # whole numbers are sooner divided than their rest is taken
        a, b = (np.bincount(side - side // modulus * modulus, minlength=modulus) for side in (x, y))
        surprise = ((a - b) ** 2 / np.maximum(a + b, 1)).max()
        if surprise > 24:
            found.append((float(surprise), modulus))
    return [modulus for _, modulus in sorted(found, reverse=True)[:most]]


def _places(x: np.ndarray, y: np.ndarray, column: Score) -> Iterator[Score]:
    """How many decimal places, or whether few bits, where some numbers of one side have few of them."""
    for text, few in (("decimal places", decimal_places), ("largest of the 16 lowest bits", _long)):
        if any(np.count_nonzero(found < found.max()) >= 8 for found in (few(x), few(y))):
            yield Score(f"{text} of {column.text}", _of_column(column, few))


def _of_column(
    column: Score, function: Callable[[np.ndarray], np.ndarray]
) -> Callable[[np.ndarray], np.ndarray]:
    return lambda out: function(column.apply(out))


def decimal_places(values: np.ndarray) -> np.ndarray:
    """With how many decimal places, up to 9, the numbers are written; 10 if with more.

    >>> decimal_places(np.array([0.25, 3.0, 0.1 + 0.2, 1 / 3])).tolist()
    [2.0, 0.0, 1.0, 10.0]
    """
    places, at = np.full(len(values), 10.0), np.arange(len(values))
    for k in range(9, -1, -1):  # what has few has no more
        left = values[at]
        at = at[np.abs(left - np.round(left, k)) <= 4 * np.spacing(np.abs(left))]
        places[at] = k
    return places


def _long(values: np.ndarray) -> np.ndarray:
    return ((_words(values) & np.uint64(0xFFFF)) != 0).astype(float)


def _noise_grains(x: np.ndarray, y: np.ndarray) -> list[float]:
    """Grains of half or single precision at the size of the numbers, where one side keeps to some residues:
    that is noise of low precision, added in a higher one to what it should hide.
    """
    both = np.sort(np.concatenate([x, y]))
    low, high = both[int(0.16 * len(both))], both[int(0.84 * len(both))]
    if not high > low:
        return []
    grains = 2.0 ** (np.floor(np.log2((high - low) / 2)) - np.array([11, 24]))
    grains = grains[grains > SMALLEST]  # of subnormal numbers there is none finer
    return [float(grain) for grain in grains if max(_concentration(side, grain) for side in (x, y)) > 4]


def _concentration(values: np.ndarray, modulus: float, bins: int = 32) -> float:
    """How much more often than the mean the commonest residue is seen."""
    steps = values / modulus
    rest = steps - np.floor(steps)  # modulo 1, sooner
    return float(np.bincount((rest * bins).astype(int), minlength=bins).max() * bins / len(values))


def _residue(column: Score, modulus: float, written: str, grain: float = 0.0) -> Score:
    def apply(out: np.ndarray) -> np.ndarray:
        steps = column.apply(out) / modulus
        rest = steps - np.floor(steps)
        return np.mod(np.round(rest / grain) * grain, 1.0) if grain else np.round(rest * modulus)

    what = f"({column.text})" if " " in column.text else column.text
    says = f"{what} / {modulus!r} modulo 1, to the nearest 1/{1 / grain:g}" if grain else ""
    return Score(f"{what} modulo {written}", apply, says=says)


PERIODS = 2**16  # bins of a histogram whose Fourier transform shows periods down to two of them
SURPRISE = 20.0  # of the power of a wave, which for equal sides exceeds this once in 10^4 histograms


def waves(x: np.ndarray, y: np.ndarray, columns: Sequence[Score]) -> Iterator[Score]:
    """Those columns modulo a period, where the densities of the two sides differ by a wave.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 4000, 1))
    >>> x = np.round(x / 0.002) * 0.002 + 0.0005 * x
    >>> [score] = waves(x, y, [coordinate(0)])
    >>> score.text
    'output[0] modulo 0.002'
    """
    for column in columns if len(x) >= 512 else ():
        sides = [column.apply(side[:PART]) for side in (x, y)]
        [centre], [spread], _ = scale_of(*(side[:, None] for side in sides))
        a, b = ((side - centre) / (8 * spread) + 0.5 for side in sides)
        a, b = (side[(side >= 0) & (side < 1)] for side in (a, b))
        counts = [np.bincount((side * PERIODS).astype(int), minlength=PERIODS) for side in (a, b)]
        wave = np.fft.rfft(counts[0] - counts[1])
        power = (wave.real**2 + wave.imag**2) / max(len(a) + len(b), 1)
        first = int(power[16:].argmax()) + 16  # longer waves are seen as cells
        if power[first] < SURPRISE or spread < SMALLEST:
            continue
        near = first + np.linspace(-1, 1, 41)
        waves = [np.exp(2j * np.pi * np.outer(near, side)).sum(axis=1) for side in (a, b)]
        period = float(8 * spread / near[np.abs(waves[0] - waves[1]).argmax()])
        yield _residue(column, period, f"{period:.3g}", 1 / 64)
