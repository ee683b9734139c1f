"""Shuffled guarantees: every person randomises their own record, and only the heap of reports is seen.

    M(D) = {R(d_1), ..., R(d_n)} as a multiset, which is sorted here: the permutation that a trusted shuffler
    draws tells nothing beside it.

The claim is about replacing one of n records; that of the randomiser itself is local (`Neighbours.local`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.auditing.sampling import Mechanism, name_of
from dpverify.neighbours import Data


def shuffled(randomiser: Mechanism) -> Mechanism:
    """The mechanism that applies a local randomiser `(record, rng) -> report` to every record of a data set,
    and shuffles the reports.

    >>> flipped = shuffled(lambda bit, rng: bit ^ bool(rng.random() < 0.25))
    >>> reports = flipped(np.array([True, False, True]), np.random.default_rng(0))
    >>> len(reports), reports == sorted(reports)
    (3, True)
    """

    def mechanism(data: Data, rng: np.random.Generator) -> list[Any]:
        records = zip(*data) if isinstance(data, tuple) else data
        reports = [randomiser(record, rng) for record in records]
        return sorted(reports, key=_key)

    mechanism.__qualname__ = mechanism.__name__ = f"shuffled {name_of(randomiser)}"
    return mechanism


def _key(report: Any) -> Any:
    """By value where a report is a number or an array of them, else by how it is written."""
    array = np.asarray(report)
    return (0, array.ravel().tolist(), "") if array.dtype.kind in "biuf" else (1, [], repr(report))
