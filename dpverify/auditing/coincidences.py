"""Columns to look at where coordinates coincide exactly: by chance they hardly would.

sums        and differences of two coordinates that take the same value again and again, or, of whole
            numbers (and their exclusive or), keep to a value or a residue, on one side more than on the other
equations   exact ones: of two coordinates, one of which is a function of the other; of three, one of which is
            the sum or the product of the others; of four, in two equal sums or products
followers   two numbers that stand side by side, anywhere in the output
bits        of whole numbers, one, or the exclusive or of two, of one or of two coordinates
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpverify.auditing.cells import grain_of, rounded
from dpverify.auditing.features import PART, Scale
from dpverify.auditing.floats import EXACT
from dpverify.auditing.scores import Score

NUMBERS = 2**18  # of each side, the last, that they are learned from, about
FEWEST_ROWS = 256
SHORTEST = 4  # coordinates of an output in which two are not looked for anywhere
SURPRISING = 4.0  # standard deviations between the sides that make one of thousands worth a look
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
MOST_RELATED = 28  # coordinates of which any two or three can be related with so little work
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp({})": np.exp,
    "log |{}|": lambda values: np.log(np.abs(values)),
    "1 / {}": lambda values: 1 / values,
    "sqrt |{}|": lambda values: np.sqrt(np.abs(values)),
    "|{}|": np.abs,
}
JOINS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"+": np.add, "*": np.multiply}


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


def _equal(a: np.ndarray, b: np.ndarray, rounding: float) -> np.ndarray:
    return np.asarray(np.abs(a - b) <= rounding * (np.abs(a) + np.abs(b)))


def rounding_of(values: np.ndarray) -> float:
    """The part of two such numbers by which they may differ and be equal: more where all of them are stored
    in half or single precision, and not whole.

    >>> thirds = np.arange(1, 9) / 3
    >>> rounding_of(thirds), rounding_of(thirds.astype(np.float32).astype(float)), rounding_of(3 * thirds)
    (1e-09, 1e-05, 1e-09)
    """
    if not (values == np.rint(values)).all():
        for kind, rounding in ((np.float16, 1e-2), (np.float32, 1e-5)):
            with np.errstate(over="ignore"):
                if (values.astype(kind) == values).all():
                    return rounding
    return 1e-9


def equations(x: np.ndarray, y: np.ndarray, most: int = 2) -> list[Score]:
    """Exact equations between two, three or four coordinates that hold more often on one side.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.standard_normal((2, 500, 6))
    >>> x[:40, 4] = x[:40, 1] * x[:40, 3]
    >>> [score.text for score in equations(x, y)]
    ['1 where output[1] * output[3] = output[4], else 0']
    """
    k = x.shape[1]
    if not 2 <= k <= MOST_RELATED:
        return []
    single = [_coordinate(i) for i in range(k)]
    sides = [([_function(i, written) for written in FUNCTIONS for i in range(k)], single)]
    for sign in JOINS:
        joined = [_join(i, j, sign) for i in range(k) for j in range(i, k)]
        apart = [term for term in joined if len(term.columns) == 2]
        sides += [(joined, single), (apart, apart)]
    rounding = max(rounding_of(side[-FEWEST_ROWS:]) for side in (x, y))
    found: list[tuple[float, Term, Term]] = []
    for left, right in sides:
        rows = min(PART, len(x), WORK // (len(left) * len(right)))
        if rows >= FEWEST_ROWS // 2:
            found += _equations(x[-rows:].T, y[-rows:].T, left, right, rounding)
    found.sort(key=lambda each: -each[0])
    return [_equation(left, right, rounding) for _, left, right in found[:most]]


def _equations(
    x: np.ndarray, y: np.ndarray, left: Sequence[Term], right: Sequence[Term], rounding: float
) -> Iterator[tuple[float, Term, Term]]:
    """The equations of a term on the left and one on the right that hold more often on one side, and by how
    many standard deviations.
    """
    with np.errstate(all="ignore"):
        sides = [(np.stack([t.apply(rows) for t in left]), [t.apply(rows) for t in right]) for rows in (x, y)]
        for at, term in enumerate(right):
            a, b = (_equal(first, second[at], rounding).sum(axis=1) for first, second in sides)
            surprise = np.abs(a - b) / np.sqrt(a + b + 1)
            for i in np.flatnonzero(surprise > SURPRISING).tolist():
                if not left[i].columns & term.columns:
                    yield float(surprise[i]), left[i], term


def _equation(left: Term, right: Term, rounding: float) -> Score:
    def apply(out: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return _equal(left.apply(out.T), right.apply(out.T), rounding).astype(float)

    says = f"1 where {left.text} = {right.text} (but for a part of {rounding:g}), else 0"
    return Score(f"1 where {left.text} = {right.text}, else 0", apply, says=says)


FOLLOWED = 2**16  # numbers of each side, the last, in which those side by side are looked at, about
MOST_VALUES = 256  # whole numbers that are told apart by themselves; others by where they lie
PLACES = 64  # between the quantiles of all numbers


def followers(x: np.ndarray, y: np.ndarray, most: int = 2) -> list[Score]:
    """Two numbers that stand side by side in more outputs of one side than of the other.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.integers(256, size=(2, 400, 30)).astype(float)
    >>> x[range(60), rng.integers(29, size=60)] = 7.0
    >>> x[range(60), 11], x[range(60), 12] = 19.0, 55.0
    >>> [score.text for score in followers(x, y)]
    ['how often 19 is followed by 55 in the output']
    """
    if x.shape[1] <= SHORTEST:
        return []
    rows = min(PART, max(FEWEST_ROWS, FOLLOWED // x.shape[1]))
    both = np.concatenate([x[-rows:], y[-rows:]])
    values = np.unique(both)
    few = len(values) <= MOST_VALUES
    cuts = values[:-1] if few else np.unique(np.quantile(both, np.arange(1, PLACES) / PLACES))
    ends = values if few else np.concatenate([[-np.inf], cuts, [np.inf]])
    base = len(cuts) + 1
    place = np.searchsorted(cuts, both)
    codes = base * place[:, :-1] + place[:, 1:]
    once = np.unique(np.arange(len(both))[:, None] * base**2 + codes)  # in an output, however often
    first, second = (
        np.bincount(once[part] % base**2, minlength=base**2)
        for part in (once < len(both) // 2 * base**2, once >= len(both) // 2 * base**2)
    )
    surprise = np.abs(first - second) / np.sqrt(first + second + 1)
    best = np.argsort(-surprise, kind="stable")[:most]
    places = [divmod(int(code), base) for code in best if surprise[code] > SURPRISING]
    return [_followed([(ends[at], ends[at + (not few)]) for at in pair]) for pair in places]


def _followed(ranges: Sequence[tuple[float, float]]) -> Score:
    """How often a number in the first range, or equal to its two ends, is followed by one in the second."""

    def within(out: np.ndarray, low: float, high: float) -> np.ndarray:
        return out == low if low == high else (out > low) & (out <= high)

    def apply(out: np.ndarray) -> np.ndarray:
        return (within(out[:, :-1], *ranges[0]) & within(out[:, 1:], *ranges[1])).sum(axis=1).astype(float)

    first, second = (f"{low:g}" if low == high else f"one in ({low:.6g}, {high:.6g}]" for low, high in ranges)
    return Score(f"how often {first} is followed by {second} in the output", apply)
