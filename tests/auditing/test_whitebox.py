"""Bounds on the profile from exact losses: they cover the exact Gaussian profile and catch a claim that is
too small.
"""

import numpy as np
from scipy.special import bdtrc, ndtr, ndtri

from dpverify import losses
from dpverify.accounting import account
from dpverify.algorithms import example
from dpverify.auditing.whitebox import (
    loss_audit,
    loss_tradeoff,
    mean_lower_bound,
    profile_bounds,
    tradeoff_bounds,
)
from dpverify.guarantees import GDP
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED


def test_profile_bounds_cover_the_exact_profile():
    rng = np.random.default_rng(3)
    alpha = 0.2
    misses = 0
    trials = 40
    epsilons = np.array([0.0, 0.5, 1.0, 2.0])
    exact = np.array([GDP(1.0).delta_at(e) for e in epsilons])
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
    assert low <= GDP(1.0).delta_at(0.7) <= high
    assert bounds.at(5.0)[0] == 0.0


def test_a_ledger_that_charges_too_little_is_refuted_by_exact_losses():
    case = example("private-gd")
    pair = Neighbours.replace(case.data, 0, -3 * np.asarray(case.data)[0])
    exact = account(case.algorithm.ledger(), pair.adjacency)
    result = loss_audit(case.algorithm, pair, GDP(exact.mu / 50), runs=2000)
    assert result.verdict is REFUTED
    profile = loss_audit(case.algorithm, pair, case.claimed, runs=500).evidence.certificate["profile"]
    assert all(row["lower"] <= row["ledger"] + 1e-12 for row in profile)


LEVELS = np.array([0.02, 0.1, 0.3, 0.5, 0.7, 0.95])


def test_tradeoff_bounds_cover_the_exact_curve():
    rng = np.random.default_rng(8)
    alpha = 0.2
    misses = 0
    trials = 40
    exact = ndtr(ndtri(1 - LEVELS) - 1.0)
    for _ in range(trials):
        curve = tradeoff_bounds(
            rng.normal(0.5, 1, 400), rng.normal(-0.5, 1, 400), np.linspace(-3, 3, 7), alpha
        )
        low, high = np.array([curve.at(level) for level in LEVELS]).T
        misses += bool((low > exact).any() or (high < exact).any())
    assert misses == 0 or bdtrc(misses - 1, trials, alpha) > 1e-6


def test_tradeoff_bounds_close_in_on_the_curve_and_leave_a_wrong_one_outside():
    rng = np.random.default_rng(9)
    curve = tradeoff_bounds(
        rng.normal(0.5, 1, 40_000), rng.normal(-0.5, 1, 40_000), np.linspace(-3, 3, 25), 1e-3
    )
    low, high = np.array([curve.at(level) for level in LEVELS]).T
    exact, wrong = (ndtr(ndtri(1 - LEVELS) - mu) for mu in (1.0, 0.9))
    assert (low <= exact).all()
    assert (exact <= high).all()
    assert (high - low).max() < 0.05
    assert (wrong > high).any()


def test_the_curve_of_an_algorithm_lies_above_that_of_its_ledger_and_is_attained_where_the_loss_is_gaussian():
    case = example("private-gd")
    pair = Neighbours.replace(case.data, 0, -3 * np.asarray(case.data)[0])
    mu = account(case.algorithm.ledger(), pair.adjacency).mu
    curve = loss_tradeoff(case.algorithm, pair, np.linspace(-2 * mu, 2 * mu, 9), runs=4000)
    for level in LEVELS:
        low, high = curve.at(level)
        assert 0 <= low <= high
        assert high >= ndtr(ndtri(1 - level) - mu)
    assert curve.at(0.5)[1] < 1 - 0.5 / 2


def test_epsilons_are_not_chosen_by_the_losses_that_are_tested_there(monkeypatch):
    case = example("private-gd")
    pair = Neighbours.zero_out(case.data, 0)
    drawn = losses.privacy_losses

    def larger(algorithm, pair, runs, seed):
        return drawn(algorithm, pair, runs, seed) * (5.0 if seed == 7 else 1.0)

    def tested():
        profile = loss_audit(case.algorithm, pair, case.claimed, runs=300, seed=7).evidence.certificate
        return [row["epsilon"] for row in profile["profile"]]

    before = tested()
    monkeypatch.setattr(losses, "privacy_losses", larger)
    assert tested() == before
