"""Calibration counts: small by default, large with `--dp-profile deep`; and the audit that many make."""

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit


@pytest.fixture(scope="session")
def many(request):
    """How many audits: the first number by default, the second with `--dp-profile deep`."""
    deep = request.config.getoption("--dp-profile") == "deep"
    return lambda few, lots: lots if deep else few


@pytest.fixture(scope="session")
def ends():
    """How an audit of outputs alone ends, on a record 0 that becomes 1."""
    pair = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])

    def verdict(mechanism, claim, runs, seed, alpha=1e-3):
        budget = Budget(runs=runs, seed=seed, alpha=alpha)
        return audit(mechanism, pair, claim, budget=budget, rungs=["statistics"], smaller=False)

    return verdict
