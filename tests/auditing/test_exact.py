"""The exact test of two binomials, against brute force and against the counts of the published method."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpverify.auditing.exact import (
    FINE,
    _tails,
    clopper_pearson,
    epsilon_lower_bound,
    equivalent_epsilon,
    mu_lower_bound,
    point_curve,
    refutes,
)
from dpverify.guarantees import GDP


@pytest.mark.parametrize(("epsilon", "delta", "n"), [(1.0, 0.0, 30), (0.5, 0.05, 40), (2.0, 1e-3, 25)])
def test_false_refutations_by_enumeration(epsilon, delta, n):
    """For every q, the probability of all counts that refute is at most alpha: no sampling involved."""
    alpha = 0.05
    slope = math.exp(epsilon)
    curve = point_curve(epsilon, delta)
    rejected = np.array(
        [[refutes(x, n, y, n, curve, slope, alpha) for y in range(n + 1)] for x in range(n + 1)]
    )
    assert rejected[n, 0]
    sizes = []
    for q in np.linspace(0.005, 0.6, 40):
        p = float(curve(np.array([q]))[0])
        sizes.append(binom.pmf(np.arange(n + 1), n, p) @ rejected @ binom.pmf(np.arange(n + 1), n, q))
    assert max(sizes) <= alpha
    assert max(sizes) > alpha / 5  # and not wastefully below it


def test_bound_beats_clopper_pearson_on_each_side():
    n = 10_000
    x = 573
    y = 324
    delta = 1e-5
    halves = math.log((clopper_pearson(x, n, 0.025)[0] - delta) / clopper_pearson(y, n, 0.025)[1])
    assert epsilon_lower_bound(x, n, y, n, delta, 0.05) > halves


def test_bounds_are_zero_without_a_difference():
    assert epsilon_lower_bound(50, 100, 50, 100, 0.0, 0.05) == 0
    assert mu_lower_bound(50, 100, 50, 100, 0.05, (0.5, 0.5)) == 0


def test_lower_bounds_grow_with_the_sample():
    bounds = [
        mu_lower_bound(int(0.69 * n), n, int(0.31 * n), n, 0.05, (0.69, 0.31)) for n in (100, 1000, 10_000)
    ]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 1.0


def test_equivalent_epsilon_inverts_the_profile():
    assert GDP(0.5).delta_at(equivalent_epsilon(0.5, 1e-6)) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (60, 40), (20_000, 20_000), (300_000, 250_000)])
def test_tails_are_bounds_and_grouping_shifts_them_by_two_groups_at_most(n, m):
    """Against the sum over all counts. Small counts are exact; of large ones each side is rounded, and
    bounded, by a group at most.
    """
    rng, slack = np.random.default_rng(0), 1e-6
    for _ in range(8):
        q, slope = rng.uniform(0.01, 0.6), rng.uniform(0.5, 3)
        p = q * rng.uniform(1, 1.6)
        spread = math.sqrt(p * (1 - p) / n + slope**2 * q * (1 - q) / m)
        observed = p - slope * q + rng.uniform(-1, 2.5) * spread
        y = np.arange(m + 1)

        def exact(value, y=y, p=p, q=q, slope=slope):
            return binom.pmf(y, m, q) @ binom.sf(np.ceil(n * (value + slope * y / m) - 1e-9) - 1, n, p)

        x_size, y_size = (int(math.sqrt(k * u * (1 - u)) / FINE) for k, u in ((n, p), (m, q)))
        shift, more = 2 * (x_size / n + slope * y_size / m), 2 / FINE if max(x_size, y_size) > 1 else 1e-9
        bound = _tails(observed, slope, n, m, np.array([p]), np.array([q]), slack)[0]
        assert (
            exact(observed) - 1e-12
            <= bound
            <= (1 + more) * exact(observed - shift if more > 1e-9 else observed) + slack + 1e-12
        )


@pytest.mark.parametrize(
    ("counts", "at_least"),
    [((3319, 3319, 0, 3319, 1e-5, 5e-4), 5.9), ((20, 100_000, 0, 100_000, 0.0, 0.05), 1.1)],
)
def test_bounds_from_rare_counts_are_at_least_those_of_an_interval_on_each_side(counts, at_least):
    x, n, y, m, delta, alpha = counts
    sides = clopper_pearson(x, n, alpha / 2)[0] - delta, clopper_pearson(y, m, alpha / 2)[1]
    bound = epsilon_lower_bound(*counts)
    assert bound >= math.log(sides[0] / sides[1]) - 0.01
    assert bound >= at_least
