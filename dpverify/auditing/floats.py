"""What float64 holds, and what is kept of numbers that it does not hold: their size, their low bits, which
NaN they are.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

EXACT = 2**53  # whole numbers up to here are float64s
FAR = 1e75  # beyond, numbers grow as their logarithm: fourth powers stay finite, and the order stays


@lru_cache(maxsize=256)
def kind_of(dtype: np.dtype) -> str:
    """The name of a type of numbers, with its order of bytes if that is unusual; none for float64."""
    name = {"float64": "", "int64": "int"}.get(dtype.name, dtype.name)
    return name if dtype.isnative else f"{name}{dtype.byteorder}"


def holds(array: np.ndarray) -> bool:
    """Whether float64 holds every number of the array."""
    if array.dtype.kind in "iu":
        return array.size == 0 or bool(array.max() <= EXACT and array.min() >= -EXACT)
    return array.dtype.kind in "fb" and array.dtype.itemsize <= 8


def nearest(whole: int) -> int:
    """The nearest whole number of 53 bits and as many zeros as it takes."""
    zeros = max(whole.bit_length() - 53, 0)
    return (whole + (1 << zeros >> 1)) >> zeros << zeros


def size_of(whole: int) -> float:
    """A whole number as a float64; one that is beyond them grows as its logarithm (see `tame`).

    >>> size_of(2**60), size_of(-(2**2000)) == size_of(-(2**2000) + 1) < size_of(-(2**1999)) < 0
    (1.152921504606847e+18, True)
    """
    if abs(whole) < 2**1000:
        return float(whole)
    return math.copysign(FAR * (1 + math.log(abs(whole)) - math.log(FAR)), 1 if whole > 0 else -1)


USUAL = int(np.array([math.nan]).view(np.int64)[0])


def nan_codes(values: np.ndarray) -> np.ndarray:
    """1 for the usual NaN; for others, which look alike in print, 4 and the sign and the fraction they hold.

    >>> nan_codes(np.array([USUAL, USUAL + 3]).view(float)).tolist()
    [1.0, 7.0]
    """
    bits = np.ascontiguousarray(values).view(np.int64)
    return np.where(bits == USUAL, 1.0, 4.0 + (bits & (2**51 - 1)) + 2.0**51 * (bits < 0))


def near(values: np.ndarray) -> bool:
    """Whether no number is beyond FAR; NaN is not."""
    if values.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            # not by np.dot, whose threads wait for each other where other work is done
            if np.einsum("i,i->", values.ravel(), values.ravel()) <= FAR * FAR:
                return True  # once through them is enough where they are small
    return bool(values.size == 0 or (values.max() <= FAR and values.min() >= -FAR))


def tame(values: np.ndarray) -> np.ndarray:
    """The same numbers, but those beyond FAR grow as their logarithm."""
    if near(values):
        return values
    size = np.abs(values)
    with np.errstate(divide="ignore"):
        return np.where(
            size <= FAR, values, np.sign(values) * FAR * (1 + np.log(np.maximum(size, FAR) / FAR))
        )
