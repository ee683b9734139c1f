"""The one bisection: where a monotone condition changes, to the last digit or as near as is asked."""

from __future__ import annotations

from collections.abc import Callable


def bisect(
    holds: Callable[[float], bool], low: float, high: float, *, relative: float = 0.0, absolute: float = 0.0
) -> tuple[float, float]:
    """The ends of an interval in which the condition changes: it fails at the first, or never was tried
    there, and holds at the second.

    >>> low, high = bisect(lambda x: x * x >= 2, 0.0, 2.0)
    >>> low < 2**0.5 <= high, high - low < 1e-15
    (True, True)
    """
    while high - low > max(absolute, relative * abs(high)):
        middle = low + 0.5 * (high - low)
        if middle in (low, high):
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that rises from below 0 reaches it.

    >>> round(find_root(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    return bisect(lambda x: function(x) >= 0, low, high)[1]


def first_at_most(curve: Callable[[float], float], bound: float, *, longest: float = 1e6) -> float:
    """The smallest x >= 0 at which a falling curve is at most `bound`, to 1e-12 of itself; inf if beyond
    `longest`.

    >>> first_at_most(lambda x: 1 / (1 + x), 0.25)
    3.0
    """
    if curve(0.0) <= bound:
        return 0.0
    low, high = 0.0, 1.0
    while curve(high) > bound:
        low, high = high, 2 * high
        if high > longest:
            return float("inf")
    return bisect(lambda x: curve(x) <= bound, low, high, relative=1e-12)[1]
