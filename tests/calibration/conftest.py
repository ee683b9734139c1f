"""Calibration counts: small by default, large with `--dp-profile deep`; and the audit that many make."""

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.verdicts import REFUTED


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


@pytest.fixture(scope="session")
def tried(many, ends):
    """Tries a leak of an attack and its twin: one in so many by default, all of them in three seeds with
    `--dp-profile deep`.
    """

    def attempt(leaks, name, one_in):
        if list(leaks).index(name) % many(one_in, 1):
            pytest.skip(f"one of {one_in}, unless the profile is deep")
        leak, twin, claim = leaks[name]
        for seed in range(many(1, 3)):
            assert ends(leak, claim, 100_000, seed).verdict is REFUTED
            result = ends(twin, claim, many(1000, 20_000), seed)
            assert result.verdict is not REFUTED and result.evidence is not None

    return attempt
