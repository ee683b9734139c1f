"""A checked data set, and how its rows are cut to a norm and taken in slices."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


ENTRIES = 2**21  # a temporary array has at most about this many


def sparse(batch: Array | None) -> Array | None:
    """Record numbers instead of True and False where few are True: then only their gradients are computed."""
    if batch is None or batch.dtype != bool or 3 * np.count_nonzero(batch) > batch.size:
        return batch
    runs, chosen = np.divmod(np.flatnonzero(batch), batch.shape[1])
    sizes = np.bincount(runs, minlength=len(batch))
    first = np.cumsum(sizes) - sizes
    numbers = np.full((len(batch), int(sizes.max(initial=1))), -1)
    numbers[runs, np.arange(len(runs)) - first[runs]] = chosen
    return numbers


def width_for(each: int) -> int:
    """How many columns of `each` entries a temporary array may have.

    >>> width_for(2**21), width_for(0) == ENTRIES
    (1, True)
    """
    return max(1, ENTRIES // max(1, each))


def slices(n: int, each: int) -> list[slice]:
    """The numbers below n in slices whose temporary arrays are small enough.

    >>> slices(3, 2**20)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    width = width_for(each)
    return [slice(a, min(a + width, n)) for a in range(0, n, width)]


def finite(value: Any, name: str) -> Array:
    """`value` as an array of floats; NaN and infinity are refused by name.

    >>> finite([1, 2], "data").tolist()
    [1.0, 2.0]
    """
    array = np.asarray(value, dtype=float)
    if not np.all(np.isfinite(array)):
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"Expected finite numbers in {name}, got {name} with {bad}.")
    return array


@dataclass(frozen=True, eq=False)
class Records:
    """A checked data set with what does not depend on the iterate: the norms of its rows, and memoised
    sums.
    """

    features: Array  # (n, p)
    targets: Array  # (n,)
    memo: dict[Any, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.features)

    def norms(self, order: int) -> Array:
        """The L1 or L2 norm of every row, without overflow."""
        if order not in (1, 2):
            raise ValueError(f"Expected order={order} to be 1 or 2.")
        if ("norms", order) not in self.memo:
            largest = np.max(np.abs(self.features), axis=1, initial=0.0)
            scaled = self.features / np.where(largest > 0, largest, 1.0)[:, None]
            with np.errstate(over="ignore"):
                self.memo["norms", order] = np.minimum(
                    largest * np.linalg.norm(scaled, ord=order, axis=1), np.finfo(float).max
                )
        return self.memo["norms", order]

    def inverse_norms(self, order: int) -> Array:
        """1 / norm of every row, a large number for a row of zeros."""
        if ("inverse", order) not in self.memo:
            norms = self.norms(order)
            with np.errstate(over="ignore"):
                self.memo["inverse", order] = np.where(norms > 1e-300, 1 / np.maximum(norms, 1e-300), 1e300)
        return self.memo["inverse", order]

    def groups(self) -> Array:
        """For every record the number of its distinct value: equal records have equal numbers."""
        return np.unique(np.column_stack([self.features, self.targets]), axis=0, return_inverse=True)[
            1
        ].reshape(-1)


_kept = threading.local()


def scratch(slot: str, shape: tuple[int, ...]) -> Array:
    """An array to compute in, the same memory for a slot at every call: where a large array comes and goes,
    the pages that it is given cost more than what is computed in it. It must not be returned.

    >>> scratch("a", (2, 3)).shape, scratch("a", (2, 3)) is not scratch("b", (2, 3))
    ((2, 3), True)
    """
    size = math.prod(shape)
    if size > ENTRIES // 8:
        return np.empty(shape)
    arrays = _kept.__dict__
    if slot not in arrays or arrays[slot].size < size:
        arrays[slot] = np.empty(size)
    return arrays[slot][:size].reshape(shape)


def limits(clip: Any, inverse: Array) -> Array:
    """The largest coefficient c with |c| norm <= clip, from 1 / norm; (n,) or, for one clip per run, (runs,
    n).

    >>> limits(2.0, np.array([0.5, 0.25])).tolist()
    [1.0, 0.5]
    """
    if not (type(clip) is float and clip >= 0):  # which it is nearly always, in each of many steps
        clip = np.asarray(clip, dtype=float)
        if not np.all(clip >= 0):
            raise ValueError(f"Expected clip={clip if clip.ndim == 0 else clip.min()} >= 0.")
    with np.errstate(over="ignore"):
        return (clip[:, None] if np.ndim(clip) else clip) * inverse
