"""The curves of Gaussian noise on Poisson batches are the integrals that they stand for, and the
distributions made of them are those that dp-accounting makes of the same pair.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.releases.curves import addition_curve, composed, removal_curve, repeated, replacement_curve

SETTINGS = [(1.0, 0.1), (0.6, 0.01), (3.0, 0.5), (0.1, 0.2), (8.0, 0.98)]  # noise, rate
BOTH = {ADD_REMOVE: 1.0, REPLACE: 2.0}


@pytest.mark.parametrize(("noise", "rate"), SETTINGS)
@pytest.mark.parametrize("epsilon", [-0.3, 0.0, 0.5, 2.0])
def test_a_curve_is_the_largest_difference_of_its_pair(noise, rate, epsilon):
    def density(x, mean):
        return math.exp(-(((x - mean) / noise) ** 2) / 2) / (noise * math.sqrt(2 * math.pi))

    def mixture(x, moved):
        return (1 - rate) * density(x, 0) + rate * density(x, moved)

    def largest_difference(first, second):
        def part(x):
            return max(mixture(x, first) - math.exp(epsilon) * mixture(x, second), 0.0)

        ends = (-12 * noise - 2, 12 * noise + 2)
        return quad(part, *ends, points=[-1, -0.5, 0, 0.5, 1], limit=2000)[0]

    at = np.array(epsilon)
    assert removal_curve(rate, noise)(at) == pytest.approx(largest_difference(1, 0), abs=1e-7)
    assert addition_curve(rate, noise)(at) == pytest.approx(largest_difference(0, 1), abs=1e-7)
    if epsilon >= 0:
        assert replacement_curve(rate, noise)(at) == pytest.approx(largest_difference(1, -1), abs=1e-7)


@pytest.mark.parametrize(("noise", "rate"), [*SETTINGS, (0.02, 1 / 3)])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
def test_distributions_are_those_of_dp_accounting(noise, rate, relation):
    from dp_accounting import NeighboringRelation as Theirs
    from dp_accounting.pld import privacy_loss_distribution as pld

    release = Subsampled(Gaussian(noise, BOTH), rate * 300, 300, "poisson")
    interval = max(0.01, release.reach(relation) / 10_000)
    ours = release.distribution(relation, interval)
    theirs = pld.from_gaussian_mechanism(
        noise,
        value_discretization_interval=interval,
        sampling_prob=rate,
        neighboring_relation=Theirs.REPLACE_ONE if relation is REPLACE else Theirs.ADD_OR_REMOVE_ONE,
    )
    for times in (1, 5):
        together, all_theirs = repeated(ours, times), theirs.self_compose(times)
        for epsilon in (0.0, 0.3, 3.0, 800.0):
            delta = all_theirs.get_delta_for_epsilon(epsilon)
            assert together.get_delta_for_epsilon(epsilon) == pytest.approx(delta, abs=1e-9)


@pytest.mark.parametrize("release", [Gaussian(1.0, BOTH), Subsampled(Gaussian(1.0, BOTH), 1, 5, "poisson")])
def test_compositions_are_those_of_dp_accounting(release):
    one, other = (
        release.distribution(ADD_REMOVE, interval=1e-3),
        Laplace(2.0, BOTH).distribution(ADD_REMOVE, 1e-3),
    )
    epsilons = (0.0, 0.5, 3.0, 9.0)

    def profile(distribution):
        return [distribution.get_delta_for_epsilon(epsilon) for epsilon in epsilons]

    assert profile(composed(one, other)) == profile(one.compose(other))
    assert profile(composed(other, other)) == profile(other.compose(other))
    assert profile(composed(composed(one, one), one)) == profile(one.compose(one).compose(one))
    for distribution in (one, other):
        for times in (2, 30):
            theirs = distribution.self_compose(times)
            assert profile(repeated(distribution, times)) == pytest.approx(profile(theirs), abs=1e-13)


def test_where_exp_of_epsilon_is_beyond_all_numbers_nothing_is_left():
    far = np.array([29.0, 31.0, 699.0, 701.0, 5000.0])
    for curve in (removal_curve, addition_curve, replacement_curve):
        values = curve(0.1, 0.05)(far)
        assert np.all(np.isfinite(values)) and np.all(np.diff(values) <= 1e-12) and values[-1] == 0
    assert removal_curve(0.1, 0.05)(np.array([180.0])) > 0.05  # the loss is 200 at the mean of the record
