"""What a guarantee allows a ledger of Gaussian steps to spend, and the guard that stops when it is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.accounting import calibrate
from dpverify.accounting.gaussian import gaussian_mu
from dpverify.engine import Algorithm
from dpverify.formulas.dynamic_noise import affordable_steps
from dpverify.guarantees import Guarantee
from dpverify.neighbours import ZERO_OUT, Adjacency
from dpverify.parts.gradients import full_batch_sensitivity
from dpverify.releases import Gaussian, Release

Array = np.ndarray[Any, Any]


def certified_budget(target: Guarantee, adjacency: Adjacency) -> float:
    """The largest R = sum 1/sigma_t^2 that meets the target exactly; under replacement a record costs four
    times as much.

    >>> from dpverify.formulas.dynamic_noise import zcdp_budget
    >>> from dpverify.guarantees import ApproxDP
    >>> from dpverify.neighbours import ZERO_OUT
    >>> certified_budget(ApproxDP(4.0, 1e-8), ZERO_OUT) > zcdp_budget(4.0, 1e-8)
    True
    """
    sensitivity = full_batch_sensitivity(1.0)
    return float(calibrate(lambda m: [Gaussian(m, sensitivity)], target, adjacency, tolerance=1e-9)) ** -2


def guarded(algorithm: Algorithm, budget: float, adjacency: Adjacency, *, strict: bool = False) -> Algorithm:
    """The algorithm cut off by the guard of Algorithm 1: step t costs (sensitivity/scale)^2, 1/sigma_t^2 for
    a zeroed record.

    >>> from dpverify.algorithms import example
    >>> from dpverify.neighbours import REPLACE
    >>> full = example("private-gd").algorithm
    >>> guarded(full, gaussian_mu(full.ledger(), REPLACE) ** 2, REPLACE).steps == full.steps
    True
    >>> guarded(full, gaussian_mu(full.ledger(), REPLACE) ** 2 / 2, REPLACE).steps < full.steps
    True
    """
    costs = np.array([release.ratio(adjacency) ** 2 for release in algorithm.ledger()])
    steps = affordable_steps(costs, budget, strict=strict)
    if steps == 0:
        raise ValueError(f"Expected budget={budget} to pay for the first step, which costs {costs[0]:.6g}.")
    return replace(algorithm, steps=steps)


def guarded_as_printed(algorithm: Algorithm, budget: float) -> tuple[Algorithm, str]:
    """The algorithm under the strict guard of Algorithm 1, which a zeroed record is charged by, and in words
    where that stops it; an only step, which the guard would not let pass, is taken all the same.

    >>> from dpverify.algorithms import example
    >>> full = example("private-gd", steps=5).algorithm
    >>> guarded_as_printed(full, gaussian_mu(full.ledger(), ZERO_OUT) ** 2)[1]
    'the strict guard stops after 4 of 5 steps'
    """
    if algorithm.steps == 1:
        return algorithm, "the strict guard would not let the only step pass; it is taken all the same"
    halted = guarded(algorithm, budget, ZERO_OUT, strict=True)
    said = f"the strict guard stops after {halted.steps} of {algorithm.steps} steps"
    return halted, said if halted.steps < algorithm.steps else ""


def certified_noise(ledger: Sequence[Release], target: Guarantee, adjacency: Adjacency) -> float:
    """The factor on the noise of a Gaussian ledger for which it meets the target: one look at the ledger.

    >>> from dpverify.guarantees import GDP
    >>> from dpverify.neighbours import REPLACE
    >>> round(certified_noise([Gaussian(1.0, {REPLACE: 1.0})] * 4, GDP(1.0), REPLACE), 4)
    2.0
    """
    mu = gaussian_mu(ledger, adjacency)
    return calibrate(lambda m: [Gaussian(m, {adjacency: mu})], target, adjacency)
