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
            released = (
                np.reshape(self.frozen[at].released, np.shape(released))
                if np.shape(released)
                else float(self.frozen[at].released)
            )
        query = query(released) if callable(query) else query
        kind = np.asarray(query).dtype
        precision = float(np.finfo(kind if kind.kind == "f" else float).eps)
        entry = Entry(np.array(query, dtype=float), np.array(released, dtype=float), declared, precision)
        self.entries.append(entry)
        return released
