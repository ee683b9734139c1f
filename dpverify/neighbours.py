"""Neighbouring data sets: two data sets and the relation that makes them neighbours.

A data set is an array whose first axis counts the records, or a tuple of such arrays of equal length
(features, labels).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

Data = Any  # an array of records, or a tuple of arrays with one row per record


class Adjacency(StrEnum):
    """How two neighbouring data sets differ; a sensitivity means nothing without it.

    add/remove: one record more or less, so that the number of records is private.
    replace:    one record has another value; the number of records is public.
    zero-out:   one record contributes nothing (its value is 0); the number of records is public.

    >>> Adjacency("replace") is REPLACE
    True
    """

    ADD_REMOVE = "add/remove"
    REPLACE = "replace"
    ZERO_OUT = "zero-out"


ADD_REMOVE = Adjacency.ADD_REMOVE
REPLACE = Adjacency.REPLACE
ZERO_OUT = Adjacency.ZERO_OUT


def _each(data: Data, change: Any) -> Data:
    if isinstance(data, tuple):
        return tuple(change(np.asarray(part), i) for i, part in enumerate(data))
    return change(np.asarray(data), 0)


def records(data: Data) -> int:
    """The number of records of a data set.

    >>> records((np.zeros((3, 2)), np.zeros(3)))
    3
    """
    parts = data if isinstance(data, tuple) else (data,)
    if not parts:
        raise ValueError("Expected data with at least one array, got an empty tuple.")
    lengths = {len(np.asarray(part)) for part in parts}
    if len(lengths) != 1:
        raise ValueError(f"Expected arrays with one row per record, got data with lengths {sorted(lengths)}.")
    return lengths.pop()


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two data sets that differ in one record, and how; or in a group of `size` records, or in all records of
    one user (then what is claimed, and every sensitivity, is one for users).

    >>> pair = Neighbours.replace(np.array([[0.0], [1.0]]), 0, [5.0])
    >>> pair.other.tolist(), str(pair.adjacency)
    ([[5.0], [1.0]], 'replace')
    """

    data: Data
    other: Data
    adjacency: Adjacency
    size: int = 1
    user: Any = None

    def __post_init__(self) -> None:
        if self.adjacency not in list(Adjacency):
            raise ValueError(f"Expected adjacency={self.adjacency!r} among {', '.join(Adjacency)}.")
        object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        if not isinstance(self.size, int | np.integer):
            raise TypeError(f"Expected size={self.size!r} to be a whole number.")
        if self.size < 1:
            raise ValueError(f"Expected size={self.size} >= 1.")

    @classmethod
    def replace(cls, data: Data, index: int, record: Any) -> Neighbours:
        """`data`, and the same with the record at `index` replaced by `record` (a tuple of parts where data
        is one).
        """
        _index(data, index)
        _as_many_parts(data, record)

        def change(part: np.ndarray, i: int) -> np.ndarray:
            value = record[i] if isinstance(data, tuple) else record
            new = np.array(part, dtype=np.result_type(part, np.asarray(value)))
            try:
                new[index] = value
            except ValueError:
                shape = np.shape(new[index])
                raise ValueError(f"Expected record={value!r} of shape {shape}, as the others are.") from None
            return new

        return cls(data, _each(data, change), REPLACE)

    @classmethod
    def remove(cls, data: Data, index: int) -> Neighbours:
        """`data`, and the same without the record at `index`."""
        _index(data, index)
        return cls(data, _each(data, lambda part, i: np.delete(part, index, axis=0)), ADD_REMOVE)

    @classmethod
    def add(cls, data: Data, record: Any) -> Neighbours:
        """`data`, and the same with `record` appended."""
        _as_many_parts(data, record)

        def change(part: np.ndarray, i: int) -> np.ndarray:
            value = record[i] if isinstance(data, tuple) else record
            new, shape = np.asarray(value), part.shape[1:]
            if new.size != math.prod(shape):
                raise ValueError(f"Expected record={value!r} of shape {shape}, as the others are.")
            return np.concatenate([part, new.reshape((1, *shape))])

        return cls(data, _each(data, change), ADD_REMOVE)

    @classmethod
    def zero_out(cls, data: Data, index: int) -> Neighbours:
        """`data`, and the same with the record at `index` set to 0."""
        _index(data, index)

        def change(part: np.ndarray, i: int) -> np.ndarray:
            new = np.array(part)
            new[index] = 0
            return new

        return cls(data, _each(data, change), ZERO_OUT)

    @classmethod
    def group(cls, data: Data, changes: Mapping[int, Any]) -> Neighbours:
        """`data`, and the same with several records replaced; None in place of a record: that are removed.

        >>> Neighbours.group(np.zeros((3, 1)), {0: [1.0], 2: [5.0]}).other.tolist()
        [[1.0], [0.0], [5.0]]
        >>> Neighbours.group(np.zeros((3, 1)), {0: None, 2: None}).size
        2
        """
        if not changes:
            raise ValueError("Expected changes of at least one record, got none.")
        removed = [index for index, record in changes.items() if record is None]
        if removed and len(removed) < len(changes):
            raise ValueError(f"Expected changes={changes} to replace records or to remove them, not both.")
        pair = cls(data, data, ADD_REMOVE if removed else REPLACE)
        for index in sorted(changes, reverse=True):
            pair = (
                cls.remove(pair.other, index) if removed else cls.replace(pair.other, index, changes[index])
            )
        return cls(data, pair.other, pair.adjacency, len(changes))

    @classmethod
    def without_user(cls, data: Data, users: Sequence[Any], user: Any) -> Neighbours:
        """`data`, and the same without the records of one user; `users` names the user of each record.

        >>> Neighbours.without_user(np.arange(3.0)[:, None], ["a", "b", "a"], "a").other.tolist()
        [[1.0]]
        """
        if len(users) != records(data):
            raise ValueError(f"Expected one of users for each record, got {len(users)} for {records(data)}.")
        rows = [index for index, owner in enumerate(users) if owner == user]
        if not rows:
            raise ValueError(f"Expected user={user!r} among users.")
        other = _each(data, lambda part, i: np.delete(part, rows, axis=0))
        return cls(data, other, ADD_REMOVE, len(rows), user)

    @classmethod
    def local(cls, value: Any, other: Any) -> Neighbours:
        """One person's record with this value or that: what a local guarantee is about, whose mechanism gets
        a data set of one record.

        >>> Neighbours.local(0.0, 1.0).other.tolist()
        [1.0]
        """
        return cls(np.asarray(value)[None], np.asarray(other)[None], REPLACE)

    @classmethod
    def answers(cls, first: Sequence[int], second: Sequence[int]) -> Neighbours:
        """Data sets whose column sums are these answers to counting queries, each of which one person changes
        by at most 1: that person's record, and the records of others, 0 or 1 in each column.

        >>> pair = Neighbours.answers([1, 1], [2, 0])
        >>> pair.data.tolist(), pair.other.tolist()
        ([[0, 1], [1, 0]], [[1, 0], [1, 0]])
        """
        a, b = np.asarray(first), np.asarray(second)
        if a.shape != b.shape or a.ndim != 1 or min(a.min(initial=0), b.min(initial=0)) < 0:
            raise ValueError(f"Expected two lists of as many counts, got first={first}, second={second}.")
        if np.abs(a - b).max(initial=0) > 1:
            raise ValueError(f"Expected counts that differ by at most 1, got first={first}, second={second}.")
        both = np.minimum(a, b)
        others = (np.arange(both.max(initial=0))[:, None] < both).astype(int)
        data, other = (np.concatenate([(side - both)[None], others]) for side in (a, b))
        return cls(data, other, REPLACE)

    def swapped(self) -> Neighbours:
        """The same pair the other way round."""
        return Neighbours(self.other, self.data, self.adjacency, self.size, self.user)


def patterns(queries: int = 5) -> dict[str, Neighbours]:
    """Pairs of answers to counting queries on which mechanisms over lists of answers (noisy maxima, sparse
    vectors, histograms) break most easily (Ding et al. 2018, table 1); the answers are column sums.

    >>> pair = patterns(3)["one above, rest below"]
    >>> pair.data.sum(axis=0).tolist(), pair.other.sum(axis=0).tolist()
    ([1, 1, 1], [2, 0, 0])
    """
    if queries < 2:
        raise ValueError(f"Expected queries={queries} >= 2.")
    ones, half = np.ones(queries, dtype=int), (np.arange(queries) >= (queries + 1) // 2).astype(int)
    one = (np.arange(queries) == 0).astype(int)
    pairs = {
        "one above": (ones, ones + one),
        "one below": (ones, ones - one),
        "one above, rest below": (ones, 2 * one),
        "one below, rest above": (ones, 2 * (ones - one)),
        "half above, half below": (ones, 2 * half),
        "all above": (ones, 2 * ones),
        "all below": (ones, 0 * ones),
        "crossed": (ones - half, half),
    }
    return {name: Neighbours.answers(first, second) for name, (first, second) in pairs.items()}


def _index(data: Data, index: int) -> None:
    n = records(data)
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise TypeError(f"Expected index={index!r} to be a whole number.")
    if not 0 <= index < n:
        raise IndexError(f"Expected 0 <= index={index} < {n}, the number of records.")


def _as_many_parts(data: Data, record: Any) -> None:
    if isinstance(data, tuple) and not (isinstance(record, tuple | list) and len(record) == len(data)):
        raise ValueError(f"Expected record={record!r} to be a tuple of {len(data)} parts, as data are.")


def check_neighbours(pair: Neighbours) -> None:
    """Refuses a pair whose data sets are not neighbours under its relation.

    >>> check_neighbours(Neighbours(np.zeros((3, 1)), np.ones((3, 1)), REPLACE))
    Traceback (most recent call last):
    ...
    ValueError: Expected neighbours under replace, got data sets of 3 and 3 records that differ in 3.
    """
    first, second = _rows(pair.data), _rows(pair.other)
    short, long = sorted((first, second), key=len)
    if pair.adjacency is ADD_REMOVE:
        rest = iter(long)
        fine = all(record in rest for record in short) and 0 < len(long) - len(short) <= pair.size
        differ = len(long) - len(short) if fine else sum((Counter(long) - Counter(short)).values())
    else:
        rows = [i for i, (a, b) in enumerate(zip(first, second)) if a != b]
        differ = len(rows) if len(first) == len(second) else len(long)
        fine = len(first) == len(second) and differ <= pair.size
        if fine and pair.adjacency is ZERO_OUT and rows:
            zero = _rows(_each(pair.data, lambda part, i: np.zeros_like(part[:1])))[0]
            fine = any(all(side[i] == zero for i in rows) for side in (first, second))
    if not fine:
        group = f" in a group of {pair.size}" if pair.size > 1 else ""
        raise ValueError(
            f"Expected neighbours under {pair.adjacency}{group}, got data sets of {len(first)} and "
            f"{len(second)} records that differ in {differ}."
        )


def equal(pair: Neighbours) -> bool:
    """Whether the two data sets hold the same records in the same order.

    >>> equal(Neighbours.replace(np.zeros((2, 1)), 0, [0.0]))
    True
    """
    return _rows(pair.data) == _rows(pair.other)


def _rows(data: Data) -> list[Any]:
    """Every record as something that can be compared: two are equal if they hold the same values."""
    parts = []
    for part in _parts(data):
        try:
            array = np.asarray(part)
        except ValueError:  # records of different lengths
            parts.append([repr(row) for row in part])
            continue
        if array.ndim == 0:
            raise TypeError(f"Expected data with one row per record, got a {type(part).__name__}.")
        if array.dtype.kind in "biuf":  # one width, so that 1 is 1.0, and 0.0 is -0.0
            wide = np.ascontiguousarray(array, dtype=float) + 0.0
            rows = [row.tobytes() for row in wide]
            if array.dtype.kind in "iu" and np.abs(wide).max(initial=0) > EXACT:
                rows = [row + _bits(whole) for row, whole in zip(rows, array)]
            parts.append(rows)
        else:
            parts.append([repr(row) for row in array.tolist()])
    return list(zip(*parts))


EXACT = 2**53  # whole numbers beyond are no float64s


def _bits(row: np.ndarray) -> bytes:
    """What float64s do not hold of whole numbers: nothing, if they hold all of it."""
    lost = [number for number in np.ravel(row).tolist() if float(number) != number]
    return repr(lost).encode() if lost else b""


def _parts(data: Any) -> tuple[Any, ...]:
    return data if isinstance(data, tuple) else (data,)
