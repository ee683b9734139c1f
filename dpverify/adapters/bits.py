"""The lowest bit of an output: what is left of a number when all but the place of its last bit is forgotten.

Whatever is private stays private when less of it is published, so a claim that falls on the lowest bit falls.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def lowest_bit(values: Any) -> Any:
    """log2 of the largest power of two that divides each value; 1100, more than any double has, for 0.

    >>> lowest_bit(np.array([0.75, 6.0, 0.0])).tolist()
    [-2.0, 1.0, 1100.0]
    """
    mantissa, exponent = np.frexp(np.asarray(values, dtype=float))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    return np.where(
        whole == 0, 1100.0, exponent - 53.0 + np.log2(np.maximum(whole & -whole, 1).astype(float))
    )
