"""Calibration counts: small by default, large with `--dp-profile deep`."""

import pytest


@pytest.fixture(scope="session")
def many(request):
    """How many audits: the first number by default, the second with `--dp-profile deep`."""
    deep = request.config.getoption("--dp-profile") == "deep"
    return lambda few, lots: lots if deep else few
