"""One training with random canaries: valid when the claim is true, and it finds a training that memorises."""

import numpy as np
import pytest
from scipy.special import bdtrc

from dpverify import ApproxDP, PureDP
from dpverify.auditing.one_run import epsilon_from_guesses, one_run, p_value
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

CANARIES = np.eye(300)


def noisy_sum(scale):
    def train(data, rng):
        return data.sum(axis=0) + rng.laplace(scale=scale, size=data.shape[1])

    return train


def read(output, canary):
    return output @ canary


@pytest.mark.parametrize(("scale", "verdict"), [(0.2, REFUTED), (1.0, SUPPORTED)])
def test_one_run_of_a_laplace_sum(scale, verdict):
    assert one_run(noisy_sum(scale), np.zeros((1, 300)), CANARIES, read, PureDP(1.0)).verdict is verdict


def test_too_few_canaries_are_undecided():
    assert one_run(noisy_sum(1.0), np.zeros((1, 4)), np.eye(4), read, PureDP(3.0)).verdict is UNDECIDED
    with pytest.raises(ValueError, match="canaries"):
        one_run(noisy_sum(1.0), np.zeros((1, 4)), np.eye(4)[:1], read, PureDP(3.0))


def test_false_alarms_of_one_run_on_randomised_response():
    """The worst mechanism of 1-DP answers every coin truthfully with probability e/(1+e): the bound exceeds 1
    at most as often as alpha.
    """
    rng, trials, alpha, m = np.random.default_rng(0), 3000, 0.05, 200
    right = rng.binomial(m, np.e / (1 + np.e), trials)
    bounds = {int(v): epsilon_from_guesses(int(v), m, m, 0.0, alpha) for v in np.unique(right)}
    alarms = sum(bounds[int(v)] > 1 for v in right)
    print(f"\none run: {alarms} false alarms in {trials} at alpha = {alpha}")
    assert bdtrc(alarms - 1, trials, alpha) > 1e-6
    assert alarms > alpha * trials / 4


def test_delta_costs_power_and_never_gains_it():
    assert p_value(180, 200, 200, 1.0, 1e-3) > p_value(180, 200, 200, 1.0, 0.0)
    assert epsilon_from_guesses(180, 200, 200, 1e-3, 0.05) < epsilon_from_guesses(180, 200, 200, 0.0, 0.05)
    assert one_run(noisy_sum(0.2), np.zeros((1, 300)), CANARIES, read, ApproxDP(1.0, 1e-6)).verdict is REFUTED
