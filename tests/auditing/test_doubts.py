"""What a refutation may owe to something else is said only where it is surely so."""

import numpy as np
import pytest

from dpverify import Budget, Neighbours, PureDP, audit
from dpverify.auditing import doubts
from dpverify.verdicts import REFUTED


@pytest.mark.parametrize(("together", "alike"), [(0, False), (3, False), (4, False), (12, True), (32, True)])
def test_few_rare_numbers_in_one_call_are_chance(together, alike):
    """That three of three are in one of 32 calls has a chance of 1 in 1024, not of 1 in a million."""
    calls = np.zeros((32, 32, 1))
    calls[0, :together] = 1.0
    assert doubts._alike_within(calls) is alike


def test_independent_runs_with_many_rare_numbers_are_not_taken_for_dependent():
    rng = np.random.default_rng(0)
    assert not any(doubts._alike_within(1.0 * (rng.random((32, 32, 100)) < 0.004)) for _ in range(60))


class Counting:
    """A leak, and a state that has nothing to do with it."""

    def __init__(self):
        self.calls = 0

    def __call__(self, data, rng):
        self.calls += 1
        return 9 * float(data.sum()) + rng.laplace()


def test_a_refutation_that_came_early_has_the_whole_budget_to_come_back(monkeypatch):
    given = []
    told_apart = doubts._told_apart

    def noted(audit, pair, runs, crashed):
        given.append(runs)
        return told_apart(audit, pair, runs, crashed)

    monkeypatch.setattr(doubts, "_told_apart", noted)
    pair = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])
    result = audit(Counting(), pair, PureDP(1.0), budget=Budget(runs=5000))
    assert result.verdict is REFUTED
    assert result.evidence.samples < 1000
    assert given and min(given) >= 5000
