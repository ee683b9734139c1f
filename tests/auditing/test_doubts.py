"""What a refutation may owe to something else is said only where it is surely so."""

import numpy as np
import pytest

from dpverify.auditing import doubts


@pytest.mark.parametrize(("together", "alike"), [(0, False), (3, False), (4, False), (12, True), (32, True)])
def test_few_rare_numbers_in_one_call_are_chance(together, alike):
    """That three of three are in one of 32 calls has a chance of 1 in 1024, not of 1 in a million."""
    calls = np.zeros((32, 32, 1))
    calls[0, :together] = 1.0
    assert doubts._alike_within(calls) is alike


def test_independent_runs_with_many_rare_numbers_are_not_taken_for_dependent():
    rng = np.random.default_rng(0)
    assert not any(doubts._alike_within(1.0 * (rng.random((32, 32, 100)) < 0.004)) for _ in range(60))
