"""Neighbouring data sets: two data sets and the relation that makes them neighbours.

A data set is an array whose first axis counts the records, or a tuple of such arrays of equal length
(features, labels).
"""

from __future__ import annotations

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


ADD_REMOVE, REPLACE, ZERO_OUT = Adjacency.ADD_REMOVE, Adjacency.REPLACE, Adjacency.ZERO_OUT


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
    """Two data sets that differ in one record, and how.

    >>> pair = Neighbours.replace(np.array([[0.0], [1.0]]), 0, [5.0])
    >>> pair.other.tolist(), str(pair.adjacency)
    ([[5.0], [1.0]], 'replace')
    """

    data: Data
    other: Data
    adjacency: Adjacency

    @classmethod
    def replace(cls, data: Data, index: int, record: Any) -> Neighbours:
        """`data`, and the same with the record at `index` replaced by `record` (a tuple of parts where data
        is one).
        """
        _index(data, index)

        def change(part: np.ndarray, i: int) -> np.ndarray:
            new = np.array(
                part, dtype=np.result_type(part, np.asarray(record[i] if isinstance(data, tuple) else record))
            )
            new[index] = record[i] if isinstance(data, tuple) else record
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

        def change(part: np.ndarray, i: int) -> np.ndarray:
            new = np.asarray(record[i] if isinstance(data, tuple) else record)
            return np.concatenate([part, new.reshape((1, *part.shape[1:]))])

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

    def swapped(self) -> Neighbours:
        """The same pair the other way round."""
        return Neighbours(self.other, self.data, self.adjacency)


def _index(data: Data, index: int) -> None:
    n = records(data)
    if not 0 <= index < n:
        raise IndexError(f"Expected 0 <= index={index} < {n}, the number of records.")


def check_neighbours(pair: Neighbours) -> None:
    """Refuses a pair whose data sets are not neighbours under its relation.

    >>> check_neighbours(Neighbours(np.zeros((3, 1)), np.ones((3, 1)), REPLACE))
    Traceback (most recent call last):
    ...
    ValueError: Expected neighbours under replace, got data sets of 3 and 3 records that differ in 3.
    """
    sides = [
        np.column_stack([np.asarray(p, float).reshape(len(p), -1) for p in _parts(side)])
        for side in (pair.data, pair.other)
    ]
    sizes = [len(side) for side in sides]
    short, long = sorted(sides, key=len)
    if pair.adjacency is not ADD_REMOVE:
        differ = int(np.any(short != long, axis=1).sum()) if sizes[0] == sizes[1] else max(sizes)
        fine = sizes[0] == sizes[1] and differ <= 1
        if fine and pair.adjacency is ZERO_OUT and differ:
            row = int(np.flatnonzero(np.any(short != long, axis=1))[0])
            fine = not np.any(short[row]) or not np.any(long[row])
    else:
        same = np.all(short == long[: len(short)], axis=1)
        first = int(np.argmin(same)) if not same.all() else len(short)
        differ = (
            int(np.any(short[first:] != long[first + 1 :], axis=1).sum())
            if len(long) == len(short) + 1
            else max(sizes)
        )
        fine = len(long) == len(short) + 1 and differ == 0
    if not fine:
        raise ValueError(
            f"Expected neighbours under {pair.adjacency}, got data sets of {sizes[0]} and "
            f"{sizes[1]} records that differ in {differ}."
        )


def _parts(data: Any) -> tuple[Any, ...]:
    return data if isinstance(data, tuple) else (data,)
