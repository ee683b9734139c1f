"""What prepares the columns of SmartNoise's synthesizers, at a privacy cost of its own.

    StandardScaler    mean and variance of a column within public bounds, with noise for epsilon together

Its noise comes from OpenDP, which no seed repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.smartnoise.marginals import INSTALL, PACKAGES
from dpverify.guarantees import PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED

_FOUND: dict[Any, float] = {}


def _scale(asked: Any, search: Callable[[], float]) -> float:
    """A scale that was looked for: that sees the number of values and none of them, and takes a tenth of a
    second, so that once will do.
    """
    if asked not in _FOUND:
        _FOUND[asked] = search()
    return _FOUND[asked]


def standard_scaler(epsilon: float = 1.0) -> Subject:
    """Mean and variance of ten values within (0, 1), of which one is replaced: their number is taken for
    public.
    """
    positive(epsilon=epsilon)

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        from snsynth.transform import StandardScaler, standard

        values = np.ravel(np.asarray(data, dtype=float)).tolist()
        seen = []
        search = standard.binary_search_param

        def scale(make: Any, d_in: Any, d_out: float, **options: Any) -> float:
            return _scale((search, len(values), d_in, d_out), lambda: search(make, d_in, d_out, **options))

        with mock.patch.object(standard, "binary_search_param", scale):
            for _ in range(runs):
                scaler = StandardScaler(lower=0.0, upper=1.0, epsilon=epsilon)
                scaler.fit(values)
                seen.append([scaler.mean, scaler.var])
        return np.array(seen, dtype=float)

    pair = Neighbours.replace(np.linspace(0.0, 1.0, 10)[:, None], 0, [1.0])
    said_by = "the parameter epsilon of snsynth.transform.StandardScaler"
    return Subject(run, PureDP(epsilon), pair, said_by, runs=150, shrinks=False)


TARGETS = (
    Target(
        "smartnoise:standard-scaler",
        "mean and variance of a column within public bounds",
        "epsilon-DP",
        standard_scaler,
        PACKAGES,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": UNDECIDED, "huge": REFUTED, "seeds": REFUTED},
    ),
)
