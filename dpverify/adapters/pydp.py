"""PyDP (OpenMined, on Google's C++ library): its Laplacian algorithms on a few values.

    Algorithm(epsilon, lower_bound, upper_bound).quick_result(values),    claimed: epsilon-DP, add/remove

Noise is drawn by the C++ library and takes no seed: the law `seeds` says so.

Shown on python-dp 1.1.5: nothing was refuted but what follows from there being no seed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.guarantees import PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, Verdict


def algorithm(name: str, epsilon: float = 1.0, lower: float = 0.0, upper: float = 1.0) -> Subject:
    """Four values of which one is at the bound that is larger in size, and the three others alone."""
    positive(epsilon=epsilon)
    settings: dict[str, Any] = {} if name == "Count" else {"lower_bound": lower, "upper_bound": upper}

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        from pydp.algorithms import laplacian

        kind, values = getattr(laplacian, name), [float(value) for value in np.ravel(data)]
        outputs = [kind(epsilon=epsilon, dtype="float", **settings).quick_result(values) for _ in range(runs)]
        return np.array(outputs, dtype=float)[:, None]

    far = max(lower, upper, key=abs)
    pair = Neighbours.remove(np.array([[far], [lower], [lower], [upper]]), 0)
    said_by = f"the parameter epsilon of pydp.algorithms.laplacian.{name}"
    return Subject(run, PureDP(epsilon), pair, said_by, runs=10_000, any_number=True)


INSTALL = 'pip install ".[pipelines]"'
CLAIM = "epsilon-DP for one value more or less"


def _target(name: str, about: str, build: Callable[..., Subject], **known: Verdict) -> Target:
    odd = {"seeds": REFUTED, **known}  # its noise takes no seed
    return Target(f"pydp:{name}", about, CLAIM, build, ("python-dp",), INSTALL, odd)


TARGETS = (
    _target("count", "Count of four values", partial(algorithm, "Count")),
    _target("sum", "BoundedSum within (-2, 1)", partial(algorithm, "BoundedSum", lower=-2.0)),
    _target("mean", "BoundedMean within (0, 1)", partial(algorithm, "BoundedMean")),
    _target(
        "variance",
        "BoundedVariance within (-1, 1): of three shares of the budget little is seen, half the claim stands",
        partial(algorithm, "BoundedVariance", lower=-1.0),
        half=SUPPORTED,
    ),
)
