"""Outcomes: whatever a mechanism returns, raises, or never returns, made plain.

Each run is made plain by itself and at once, for a later call may write into the same array: the numbers in
its output in order (a text counts as its hash and the numbers written in it, long words and long texts
without numbers also as their letters, bytes as theirs; of a dict, the numbers in its keys, too; of an object,
its attributes; of an exception, what caused it), the structure around them (types, precisions and lengths; of
a text, where its digits are; of a dict, the order of its keys), and what is left of numbers that no float64
holds. `layout` makes columns of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.floats import holds, kind_of
from dpverify.auditing.forms import SIMPLE, Columns, Cut, alike, cut, together, whole
from dpverify.auditing.leaves import NOTED, Beside, NotAnOutcome, Raised, as_array, leaves, nothing_beside
from dpverify.auditing.texts import code

LATE = Raised("out of time", "")  # the outcome of a run that took longer than its budget
TOO_DEEP = "returned an object that contains itself, or is nested too deeply"
_structure_code = lru_cache(maxsize=1024)(code)


class Plain(NamedTuple):
    """Outcomes made plain: (runs, width) numbers, padded with 0; how many there are; the structure, below 0
    for a run that raised; low bits; numbers by the slots of their keys, and which slots these are.
    """

    numbers: np.ndarray
    sizes: np.ndarray
    shapes: np.ndarray
    low_bits: np.ndarray
    keyed: np.ndarray
    slots: np.ndarray

    def at(self, rows: Any) -> Plain:
        """Those rows of them."""
        parts = {name: part[rows] for name, part in zip(self._fields, self) if name != "slots"}
        return self._replace(**parts)

    def first(self, runs: int) -> Plain:
        """The first runs of them."""
        return self.at(slice(runs))

    def at_slots(self, slots: np.ndarray) -> np.ndarray:
        """The numbers at those slots: 0 where no key has one of them."""
        if np.array_equal(slots, self.slots):
            return self.keyed
        keyed = np.zeros((self.runs, len(slots)))
        there = np.isin(slots, self.slots)
        keyed[:, there] = self.keyed[:, np.searchsorted(self.slots, slots[there])]
        return keyed

    @property
    def runs(self) -> int:
        return len(self.sizes)

    @property
    def raised(self) -> int:
        """How many runs raised, or were out of time."""
        return int((self.shapes < 0).sum())


class Settled(NamedTuple):
    """An outcome that was taken apart: its numbers, its structure, and what is beside them."""

    numbers: list[float]
    shape: int
    beside: Beside


def _apart(output: Any) -> Settled:
    numbers: list[float] = []
    beside = nothing_beside()
    try:
        shape = _structure_code(leaves(output, numbers, beside))
    except RecursionError:
        raise NotAnOutcome(TOO_DEEP) from None
    return Settled(numbers, -shape if isinstance(output, Raised) else shape, beside)


def settled(output: Any) -> Any:
    """The outcome as it is now, whatever the mechanism does with it later: a number or a text is itself, an
    array is copied, lists, tuples and dicts of them are cut, anything else is taken apart.

    >>> written = [1.0, 2.0]
    >>> kept = settled(written)
    >>> written[0] = 5.0
    >>> kept.parts
    [1.0, 2.0]
    """
    kind = type(output)
    if kind in SIMPLE:
        return output
    if kind is np.ndarray and output.dtype.kind not in "OV":
        return output.copy()
    try:
        return cut(output) or _apart(output)
    except RecursionError:
        raise NotAnOutcome(TOO_DEEP) from None


def plain(outputs: Sequence[Any]) -> Plain:
    """The outputs of single runs, made plain.

    >>> plain([1.5, [1.0, 2.0]]).sizes.tolist()
    [1, 2]
    """
    quick = _numbers_alone(outputs)
    if quick is not None:
        return quick
    pieces: list[Plain] = []
    order: list[int] = []
    for same in alike(outputs):
        columns = together(same.form, same.rows)
        if columns is not None:
            pieces.append(_of_columns(columns))
            order += same.places
    if len(order) < len(outputs):
        rest = sorted(set(range(len(outputs))).difference(order))
        pieces.append(_one_by_one([_apart_from(outputs[i]) for i in rest]))
        order += rest
    return pieces[0] if len(pieces) == 1 else stacked(pieces).at(np.argsort(order))


def _apart_from(output: Any) -> Settled:
    if isinstance(output, Settled):
        return output
    return _apart(whole(output.form, iter(output.parts)) if isinstance(output, Cut) else output)


def _of_columns(columns: Columns) -> Plain:
    n, width = columns.numbers.shape
    slots = sorted(columns.keyed)
    keyed = np.zeros((n, len(slots)))
    for at, slot in enumerate(slots):
        keyed[:, at] = columns.keyed[slot]
    shape = _structure_code(columns.structure)
    return Plain(
        columns.numbers, np.full(n, width), np.full(n, shape), np.zeros((n, 0)), keyed, np.array(slots, int)
    )


def _one_by_one(apart: Sequence[Settled]) -> Plain:
    rows, beside = [part.numbers for part in apart], [part.beside for part in apart]
    sizes = np.array([len(row) for row in rows])
    width = int(sizes.max(initial=0))
    if (sizes == width).all():
        matrix = np.array(rows, dtype=float).reshape(len(rows), width)
    else:
        matrix = np.zeros((len(rows), width))
        for i, numbers in enumerate(rows):
            matrix[i, : len(numbers)] = numbers
    shapes = np.array([part.shape for part in apart], dtype=int)
    low_bits = [noted.low_bits for noted in beside]
    keyed = [noted.keyed for noted in beside]
    slots = sorted(set().union(*keyed))
    at = {slot: column for column, slot in enumerate(slots)}
    return Plain(
        matrix,
        sizes,
        shapes,
        _scattered(low_bits, NOTED * width if any(low_bits) else 0),
        _scattered([{at[slot]: number for slot, number in row.items()} for row in keyed], len(slots)),
        np.array(slots, dtype=int),
    )


def _scattered(rows: list[dict[int, float]], width: int) -> np.ndarray:
    """A matrix with these entries, and zeros elsewhere."""
    matrix = np.zeros((len(rows), width))
    if not width:
        return matrix
    places = list(rows[0])
    if all(map(places.__eq__, map(list, rows))):  # all have them at the same places
        matrix[:, places] = np.fromiter(chain.from_iterable(map(dict.values, rows)), float).reshape(
            -1, len(places)
        )
        return matrix
    for i, row in enumerate(rows):
        for column, number in row.items():
            matrix[i, column] = number
    return matrix


ALIKE = ({float, np.float64}, {int, np.int64}, {bool, np.bool_})  # types that mean the same


def _numbers_alone(outputs: Sequence[Any]) -> Plain | None:
    """The plain form of outputs that are all numbers, or arrays of numbers of one shape: the fast way."""
    kinds = set(map(type, outputs))
    if any(kinds <= alike for alike in ALIKE) or (
        kinds == {np.ndarray} and len({(output.shape, output.dtype) for output in outputs}) == 1
    ):
        array = np.array(outputs)
    else:
        return None
    return _matrix(array) if holds(array) else None


@lru_cache(maxsize=256)
def _shape_code(shape: tuple[int, ...], dtype: np.dtype) -> int:
    return code(f"array{shape}{kind_of(dtype)}" if shape else kind_of(dtype))


def _matrix(array: np.ndarray) -> Plain:
    """The plain form of an array of numbers with one row per run."""
    n = len(array)
    matrix = array.reshape(n, -1).astype(float)
    shape = _shape_code(array.shape[1:], array.dtype)
    nothing = np.zeros((n, 0))
    return Plain(
        matrix, np.full(n, matrix.shape[1]), np.full(n, shape), nothing, nothing, np.zeros(0, dtype=int)
    )


def plain_batch(output: Any, runs: int) -> Plain:
    """The output of one batched call: an array with one row per run, a list of outputs, or a tuple or dict of
    such.

    >>> plain_batch({"a": np.zeros((3, 2)), "b": np.ones(3)}, 3).numbers.tolist()[0]
    [0.0, 0.0, 1.0]
    """
    array = as_array(output)
    regular = isinstance(array, np.ndarray) and array.ndim and len(array) == runs and holds(array)
    if regular and not isinstance(output, np.ma.MaskedArray):
        return _matrix(array)
    if isinstance(output, Mapping):
        names = list(output)
        parts = [_rows(output[name], runs) for name in names]
        return plain([dict(zip(names, row)) for row in zip(*parts)])
    if isinstance(output, tuple):
        return plain(list(zip(*(_rows(part, runs) for part in output))))
    return plain(_rows(output, runs))


def _rows(part: Any, runs: int) -> list[Any]:
    array = as_array(part)
    found = (
        np.shape(array) if isinstance(array, np.ndarray) else (len(part),) if hasattr(part, "__len__") else ()
    )
    if not found or found[0] != runs:
        raise NotAnOutcome(f"returned shape {found}; expected {runs} runs on the first axis")
    return list(part if isinstance(part, np.ma.MaskedArray) else array)


def stacked(parts: list[Plain]) -> Plain:
    if not parts:
        none, empty = np.zeros(0, dtype=int), np.zeros((0, 0))
        return Plain(empty, none, none, empty, empty, none)

    def together(matrices: list[np.ndarray]) -> np.ndarray:
        width = max(matrix.shape[1] for matrix in matrices)
        if all(matrix.shape[1] == width for matrix in matrices):
            return np.concatenate(matrices)
        return np.concatenate([np.pad(m, ((0, 0), (0, width - m.shape[1]))) for m in matrices])

    slots = np.unique(np.concatenate([part.slots for part in parts]))
    return Plain(
        together([part.numbers for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        np.concatenate([part.shapes for part in parts]),
        together([part.low_bits for part in parts]),
        np.concatenate([part.at_slots(slots) for part in parts]),
        slots,
    )


def same_outcomes(a: Plain, b: Plain) -> bool:
    """Whether two outcomes are the same; one may be padded further than the other."""
    both = stacked([a, b])
    return all(np.array_equal(part[: a.runs], part[a.runs :], equal_nan=True) for part in both[:-1])
