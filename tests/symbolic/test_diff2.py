"""The comparisons of diff2's figures, on small runs."""

import numpy as np
import pytest

from dpverify.engine import walk
from dpverify.montecarlo import generator
from dpverify.symbolic.diff2 import experiments


@pytest.mark.parametrize("restart", [1, 4])
def test_runs_are_judged_where_the_last_round_ends(monkeypatch, restart):
    monkeypatch.setattr(experiments, "ROUNDS", 40)
    problem, train, test = experiments.setting("Friedman", 0)
    end = experiments.ends("Friedman", 0, restart, (0.125,), 3.0)
    *_, last = walk(experiments.run_of(problem, restart, 0.125, 3.0), train, 1, generator(0, 0))
    expected = [
        problem.value(last.x, train)[0],
        np.sum(problem.gradient(last.x, train) ** 2),
        np.mean(
            [
                problem.private_value(last.x, problem.load((a[None], y[None])))[0]
                for a, y in zip(test.features, test.targets)
            ]
        ),
    ]
    assert list(end.values()) == pytest.approx(expected)
    assert end["train loss"] != pytest.approx(problem.value(last.chosen, train)[0])


def test_a_step_size_that_does_not_do_is_passed_over(monkeypatch):
    monkeypatch.setattr(experiments, "ROUNDS", 200)
    alone = experiments.ends("Friedman", 0, 4, (0.125,), 3.0)
    assert experiments.ends("Friedman", 0, 4, (8.0, 0.125), 3.0) == alone
    assert set(experiments.ends("Friedman", 0, 4, (8.0,), 3.0).values()) == {np.inf}
