"""The exact test of two binomials, against brute force and against the counts of the published method."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpverify.auditing.exact import clopper_pearson, epsilon_lower_bound, equivalent_epsilon, mu_lower_bound, point_curve, refutes
from dpverify.guarantees import GDP


@pytest.mark.parametrize(("epsilon", "delta", "n"), [(1.0, 0.0, 30), (0.5, 0.05, 40), (2.0, 1e-3, 25)])
def test_false_refutations_by_enumeration(epsilon, delta, n):
    """For every q, the probability of all counts that refute is at most alpha: no sampling involved."""
    alpha, slope, curve = 0.05, math.exp(epsilon), point_curve(epsilon, delta)
    rejected = np.array([[refutes(x, n, y, n, curve, slope, alpha) for y in range(n + 1)] for x in range(n + 1)])
    assert rejected[n, 0]
    sizes = []
    for q in np.linspace(0.005, 0.6, 40):
        p = float(curve(np.array([q]))[0])
        sizes.append(binom.pmf(np.arange(n + 1), n, p) @ rejected @ binom.pmf(np.arange(n + 1), n, q))
    assert max(sizes) <= alpha
    assert max(sizes) > alpha / 5  # and not wastefully below it


def test_bound_beats_clopper_pearson_on_each_side():
    n, x, y, delta = 10_000, 573, 324, 1e-5
    halves = math.log((clopper_pearson(x, n, 0.025)[0] - delta) / clopper_pearson(y, n, 0.025)[1])
    assert epsilon_lower_bound(x, n, y, n, delta, 0.05) > halves


def test_bounds_are_zero_without_a_difference():
    assert epsilon_lower_bound(50, 100, 50, 100, 0.0, 0.05) == 0
    assert mu_lower_bound(50, 100, 50, 100, 0.05, (0.5, 0.5)) == 0


def test_lower_bounds_grow_with_the_sample():
    bounds = [mu_lower_bound(int(0.69 * n), n, int(0.31 * n), n, 0.05, (0.69, 0.31)) for n in (100, 1000, 10_000)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 1.0


def test_equivalent_epsilon_inverts_the_profile():
    assert GDP(0.5).delta(equivalent_epsilon(0.5, 1e-6)) == pytest.approx(1e-6, rel=1e-6)
