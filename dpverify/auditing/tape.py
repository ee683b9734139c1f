"""A tape: where a mechanism writes each release, so that it can be replayed on another data set at the same
releases.

    noisy = tape.record(query, released, declared)

`query` is what was computed from the data, `released` what goes on (query + noise), `declared` the release it
is charged as. On replay the tape hands back the recorded release, so that every later step sees the same
state and only the queries can differ: a query that moves further than its declared sensitivity refutes the
declaration, in two executions. A query that is asked where its own release leads is given as a function of
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


def precision_of(query: Any, off: float = 0.0) -> float:
    """The relative precision that a query was computed in, told by its type; of float64s, each of them off by
    so much, by their bits: a sum of float32s that was made a float since has those of a float32.

    >>> precision_of(float(np.float32(0.1))) == precision_of(np.float32(0.1)) > precision_of(0.1)
    True
    >>> precision_of([3.0, 0.5]) == precision_of(0.1)  # short in any precision
    True
    """
    kind = np.asarray(query).dtype
    eps = np.finfo(kind if kind.kind == "f" else float).eps
    numbers = np.abs(np.asarray(query, dtype=float)).ravel()
    numbers = numbers[np.isfinite(numbers) & (numbers < np.finfo(np.float32).max)]
    fraction, exponent = np.frexp(numbers)

    def held_in(bits: int) -> np.ndarray:
        return np.abs(np.ldexp(np.rint(np.ldexp(fraction, bits)), exponent - bits) - numbers) <= off

    short = held_in(SHORT) | (np.abs(np.rint(numbers) - numbers) <= off)  # whole ones are added without error
    if kind.kind == "f" and held_in(SINGLE).all() and not short.all():
        eps = max(eps, np.finfo(np.float32).eps)
    return float(eps)


SINGLE = np.finfo(np.float32).nmant + 1  # bits of a float32
SHORT = 16  # bits that say nothing of the precision


@dataclass
class Entry:
    """One release: the query, what was released, what it was declared as, and the relative precision of the
    numbers that the query was computed in.
    """

    query: np.ndarray
    released: np.ndarray
    declared: Any
    precision: float = float(np.finfo(float).eps)


@dataclass
class Tape:
    """The releases of one execution; with `frozen`, a replay that hands back the releases of an earlier one.

    >>> tape = Tape()
    >>> tape.record(3.0, 3.5, None)
    3.5
    >>> Tape(frozen=tape.entries).record(8.0, 8.5, None)
    3.5
    """

    frozen: list[Entry] | None = None
    entries: list[Entry] = field(default_factory=list)

    def record(self, query: Any, released: Any, declared: Any) -> Any:
        """Write one release; returns what the mechanism goes on with (on replay: the frozen release)."""
        at = len(self.entries)
        if self.frozen is not None and at < len(self.frozen):
            released = _like(self.frozen[at].released, released)
        query = query(released) if callable(query) else query
        entry = Entry(
            np.array(query, dtype=float), np.array(released, dtype=float), declared, precision_of(query)
        )
        self.entries.append(entry)
        return released


def _like(value: np.ndarray, other: Any) -> Any:
    """A number or an array of the same type, shape and precision as another: what is computed from it is then
    rounded as it was.
    """
    array = np.reshape(value, np.shape(other)).astype(np.asarray(other).dtype)
    if hasattr(other, "new_tensor"):  # torch
        return other.new_tensor(array)
    if isinstance(other, list | int | float) and not isinstance(other, np.generic):
        return array.tolist()
    return array[()]
