"""How much the noise of each step adds to the final loss, found by retraining (dynamic-noise, appendix D)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.engine import Algorithm
from dpverify.montecarlo import run
from dpverify.neighbours import Data
from dpverify.problems import Problem, Records
from dpverify.schedules import Schedule

Array = np.ndarray[Any, Any]


def retrained_influence(
    build: Callable[[Schedule], Algorithm],
    problem: Problem,
    data: Data | Records,
    base: Schedule,
    steps: int,
    *,
    grid: Any = None,
    repeats: int = 100,
    seed: int = 0,
) -> Schedule:
    """Influence by retraining (appendix D): for each t, train with sigma_t on a grid, fit loss = c2 sigma_t^2
    + c0, take q_t = c2.

    `build(variances)` makes the algorithm; the grid defaults to ten values of sigma in [20, 200]. The same
    noise is used along the grid, so that the fit sees sigma_t alone. A fitted slope may be negative for want
    of repeats; it is returned as it is.

    >>> from dpverify.algorithms.private_gd import private_gd
    >>> from dpverify.problems import quadratic
    >>> problem, data = quadratic([1.0], count=1), np.zeros((1, 1))
    >>> build = lambda variances: private_gd(problem, clip=1.0, variances=variances, steps=2, step_size=0.5)
    >>> q = retrained_influence(build, problem, data, Schedule(1.0), 2, grid=[1.0, 2.0], repeats=2000)
    >>> bool(np.allclose(q.values(2), [0.03125, 0.125], rtol=0.2))
    True
    """

    sigmas = np.linspace(20, 200, 10) if grid is None else np.asarray(grid, dtype=float)
    loaded = problem.load(data)
    fitted = []
    for t in range(steps):
        losses = []
        for sigma in sigmas:
            variances = base.values(steps)
            variances[t] = sigma**2
            result = run(
                build(Schedule(variances)),
                loaded,
                repeats,
                seed + t,
                measure={"F": lambda x: problem.value(x, loaded)},
                keep=(),
            )
            losses.append(result.mean("F"))
        fitted.append(np.polyfit(sigmas**2, losses, 1)[0])
    return Schedule(np.array(fitted))
