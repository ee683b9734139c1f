"""Tight, true claims of unusual shape: atoms, lattices, categories, heavy tails, many coordinates, mixtures.

Each mechanism meets its claim with equality. With `--dp-profile deep`, 100 audits of each; the rate of false
alarms is compared with alpha by an exact binomial test at 1e-6.
"""

import math

import numpy as np
import pytest
from scipy.special import bdtrc

from dpverify import Budget, Neighbours
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.verdicts import REFUTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
E = math.e


def geometric(secret, rng, runs):
    return (secret + rng.geometric(1 - 1 / E, (runs, 1)) - rng.geometric(1 - 1 / E, (runs, 1))).astype(float)


def categories(secret, rng, runs, kinds=300):
    """One of many categories, the true one e times likelier."""
    out = rng.integers(kinds, size=(runs, 1)).astype(float)
    out[rng.random(runs) < (E - 1) / (E - 1 + kinds)] = 7.0 + 100 * secret
    return out


def atom_and_density(secret, rng, runs):
    out = rng.laplace(size=(runs, 1))
    out[rng.random(runs) < 0.02 * E**secret] = 0.25
    return out


def rounded_laplace(secret, rng, runs):
    return np.round((secret + rng.laplace(size=(runs, 1))) * 64) / 64


def clipped_laplace(secret, rng, runs):
    return np.clip(secret + rng.laplace(size=(runs, 1)), -1.0, 2.0)


def rare_disclosure(secret, rng, runs):
    """The record itself with probability delta, else randomised response."""
    out = np.where(rng.random((runs, 1)) < 1 / (1 + E), 1 - secret, secret)
    out[rng.random(runs) < 0.01] = 5.0 + secret
    return out


def response_of_bits(secret, rng, runs):
    out = rng.integers(2, size=(runs, 12)).astype(float)
    out[:, 4] = np.where(rng.random(runs) < 1 / (1 + E), 1 - secret, secret)
    return out


def spread_gaussian(secret, rng, runs):
    return 0.5 * secret / math.sqrt(30) + rng.standard_normal((runs, 30))


def noisy_place(secret, rng, runs):
    """The place of the largest of eight, by exponential noise: the exponential mechanism."""
    return (np.array([secret, *[0.0] * 7]) + rng.gumbel(size=(runs, 8))).argmax(axis=1)[:, None].astype(float)


def one_of_100(secret, rng, runs):
    out = rng.standard_normal((runs, 100))
    out[:, 57] += 0.4 * secret
    return out


def single_precision(secret, rng, runs):
    """Rounded once, at the end. Added in single precision, the last bits would tell the secret: numbers near
    0 are finer where nothing was added.
    """
    noise = rng.standard_normal((runs, 2)) * [[1.0, 3.0]]
    return (0.5 * secret + noise).astype(np.float32).astype(float)


CASES = {
    "geometric": (geometric, PureDP(1.0)),
    "categories": (categories, PureDP(1.0)),
    "atom and density": (atom_and_density, PureDP(1.0)),
    "rounded Laplace": (rounded_laplace, PureDP(1.0)),
    "clipped Laplace": (clipped_laplace, PureDP(1.0)),
    "rare disclosure": (rare_disclosure, ApproxDP(1.0, 0.01)),
    "response of bits": (response_of_bits, PureDP(1.0)),
    "spread Gaussian": (spread_gaussian, GDP(0.5)),
    "exponential mechanism": (noisy_place, PureDP(1.0)),
    "one of 100": (one_of_100, GDP(0.4)),
    "single precision": (single_precision, GDP(0.5 * math.sqrt(1 + 1 / 9))),
}


@pytest.mark.parametrize("name", CASES)
def test_tight_claims_of_unusual_shape_are_not_accused(name, many):
    mechanism, claim = CASES[name]
    alpha, audits = 0.05, many(1, 100)

    def on_data(data, rng, runs):
        return mechanism(float(data.sum()), rng, runs)

    runs = many(2000, 5000)
    budgets = [Budget(runs=runs, alpha=alpha, seed=seed) for seed in range(audits)]
    results = [statistical_audit(Audit(on_data, PAIR, claim, budget)) for budget in budgets]
    alarms = sum(result.verdict is REFUTED for result in results)
    print(f"\n{name}: {alarms} false alarms in {audits} audits at alpha = {alpha}")
    assert alarms == 0 or (audits > 1 and bdtrc(alarms - 1, audits, alpha) > 1e-6)
