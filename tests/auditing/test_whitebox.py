"""Bounds on the profile from exact losses: they cover the exact Gaussian profile and catch a claim that is too small."""

import numpy as np
from scipy.special import bdtrc

from dpverify.accounting import account
from dpverify.algorithms import example
from dpverify.auditing.whitebox import loss_audit, mean_lower_bound, profile_bounds
from dpverify.guarantees import GDP
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED


def test_profile_bounds_cover_the_exact_profile():
    rng, alpha, misses, trials = np.random.default_rng(3), 0.2, 0, 40
    epsilons = np.array([0.0, 0.5, 1.0, 2.0])
    exact = np.array([GDP(1.0).delta(e) for e in epsilons])
    for _ in range(trials):
        bounds = profile_bounds(rng.normal(0.5, 1.0, 400), epsilons, alpha)
        misses += bool((bounds.lower > exact).any() or (bounds.upper < exact).any())
    assert misses == 0 or bdtrc(misses - 1, trials, alpha) > 1e-6


def test_mean_bound_is_tight_for_rare_events():
    z = np.zeros(100_000)
    z[:50] = 1.0
    assert 3e-4 < mean_lower_bound(z, 0.05) < 5e-4


def test_bounds_between_the_grid_points():
    bounds = profile_bounds(np.random.default_rng(0).normal(0.5, 1.0, 4000), np.array([0.0, 1.0, 2.0]), 1e-3)
    low, high = bounds.at(0.7)
    assert low <= GDP(1.0).delta(0.7) <= high
    assert bounds.at(5.0)[0] == 0.0


def test_a_ledger_that_charges_too_little_is_refuted_by_exact_losses():
    case = example("private-gd")
    pair = Neighbours.replace(case.data, 0, -3 * np.asarray(case.data)[0])
    exact = account(case.algorithm.ledger(), pair.adjacency)
    result = loss_audit(case.algorithm, pair, GDP(exact.mu / 50), runs=2000)
    assert result.verdict is REFUTED
    profile = loss_audit(case.algorithm, pair, case.claimed, runs=500).evidence.certificate["profile"]
    assert all(row["lower"] <= row["ledger"] + 1e-12 for row in profile)
