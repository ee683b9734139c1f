"""The mechanisms of diffprivlib by the published densities, at the scale that the library has computed for
itself: the exact loss is at most what is claimed, or the finding is there.
"""

import math
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("diffprivlib", reason='needs pip install ".[sklearn]"')

from diffprivlib import mechanisms
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import kstest

from dpverify.adapters.diffprivlib import choices
from dpverify.guarantees import GDP

pytestmark = pytest.mark.filterwarnings("ignore")
GRID = np.linspace(-40, 40, 400_001)


def lap(x, scale):
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def loss(p, q):
    seen = (p > 1e-300) & (q > 1e-300)
    return float(np.abs(np.log(p[seen] / q[seen])).max())


def excess(p, q, epsilon, width=1.0):
    """The delta at that epsilon."""
    return float(
        max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum())
        * width
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 0.0), (3.0, 0.0), (1.0, 0.3)])
def test_laplace_and_what_is_made_of_it_are_right(epsilon, delta):
    mechanism = mechanisms.Laplace(epsilon=epsilon, delta=delta, sensitivity=1.0)
    scale = math.sqrt(mechanism.variance(0.0) / 2)
    width = GRID[1] - GRID[0]
    p, q = lap(GRID, scale), lap(GRID - 1, scale)
    assert excess(p, q, epsilon, width) <= delta + 1e-6
    assert loss(p, q) == pytest.approx(epsilon - math.log1p(-delta))
    seeded = mechanisms.Laplace(
        epsilon=epsilon, delta=delta, sensitivity=1.0, random_state=np.random.RandomState(0)
    )
    assert kstest([seeded.randomise(0.0) for _ in range(2000)], "laplace", args=(0, scale)).pvalue > 1e-3


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "diameter"), [(1, 1, 1), (1, 1, 2), (0.1, 1, 5), (3, 0.5, 4), (1, 1.1, 1)]
)
def test_laplace_on_a_bounded_domain_is_right_at_every_pair(epsilon, sensitivity, diameter):
    scale = mechanisms.LaplaceBoundedDomain(
        epsilon=epsilon, sensitivity=sensitivity, lower=0.0, upper=diameter
    )._find_scale()
    mass = lambda x: 1 - (np.exp(-x / scale) + np.exp(-(diameter - x) / scale)) / 2  # noqa: E731
    x = np.linspace(0, diameter, 1001)
    worst = 0.0
    for moved in np.linspace(0, min(sensitivity, diameter), 101):
        at = x[x + moved <= diameter]
        if len(at):
            worst = max(worst, float((moved / scale + np.abs(np.log(mass(at + moved) / mass(at)))).max()))
    assert worst <= epsilon + 1e-9
    if sensitivity <= diameter:
        assert worst == pytest.approx(epsilon)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.4), (1.0, 0.1), (3.0, 1e-3)])
def test_bounded_laplace_noise_is_right_and_tight(epsilon, delta):
    bound = math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon
    mechanism = mechanisms.LaplaceBoundedNoise(epsilon=epsilon, delta=delta, sensitivity=1.0)
    mechanism.randomise(0.0)
    assert mechanism._noise_bound == pytest.approx(bound)
    outside = (
        (1 - math.exp(-epsilon * 1.0))
        * math.exp(-epsilon * (bound - 1))
        / (2 * (1 - math.exp(-epsilon * bound)))
    )
    assert outside == pytest.approx(
        delta
    )  # the mass that the neighbour cannot have; elsewhere the ratio is at most exp(epsilon)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-5, 0.01, 0.3, 0.9])
def test_gaussian_noise_is_enough(epsilon, delta):
    classical = mechanisms.Gaussian(epsilon=epsilon, delta=delta, sensitivity=1.0)._scale
    analytic = mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1.0)._scale
    assert GDP(1 / classical).delta_at(epsilon) <= delta
    assert GDP(1 / analytic).delta_at(epsilon) == pytest.approx(delta, rel=1e-4)


@pytest.mark.parametrize(
    ("epsilon", "delta", "factor"),
    [(1.0, 1e-20, 100), (5.0, 1e-18, 500), (20.0, 1e-8, 1.2), (35.0, 0.5, 1.08)],
)
def test_analytic_gaussian_noise_is_too_small_where_one_minus_erf_cancels(epsilon, delta, factor):
    scale = mechanisms.GaussianAnalytic(epsilon=epsilon, delta=delta, sensitivity=1.0)._scale
    assert GDP(1 / scale).delta_at(epsilon) > factor * delta


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-6), (2.0, 0.1), (5.0, 0.5)])
def test_discrete_gaussian_noise_is_right_up_to_its_tolerance(epsilon, delta, sensitivity):
    scale = mechanisms.GaussianDiscrete(epsilon=epsilon, delta=delta, sensitivity=sensitivity)._scale
    k = np.arange(-3000, 3001)
    p = np.exp(-(k**2) / (2 * scale**2))
    p /= p.sum()
    worst = max(excess(p, np.roll(p, moved), epsilon) for moved in range(1, sensitivity + 1))
    assert worst == pytest.approx(delta, rel=1e-4)


@pytest.mark.parametrize(("lower", "upper"), [(-math.inf, math.inf), (0, 1), (-2, 3)])
@pytest.mark.parametrize("how", ["truncated", "folded"])
def test_geometric_noise_is_right_at_every_pair(how, lower, upper):
    epsilon, k = 1.0, np.arange(-60, 61)
    ratio = math.exp(-epsilon)

    def law(value):
        p = Counter()
        for noise, mass in zip(k, (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)):
            out = value + noise
            while how == "folded" and not lower <= out <= upper:
                out = 2 * lower - out if out < lower else 2 * upper - out
            p[min(max(out, lower), upper)] += mass
        return p

    for value in range(-3, 4):
        p, q = law(value), law(value + 1)
        assert max(abs(math.log(p[o] / q[o])) for o in p if abs(o) < 40 and q[o]) <= epsilon + 1e-9
    if how == "truncated" and upper == 3:
        truncated = mechanisms.GeometricTruncated(
            epsilon=epsilon, lower=-2, upper=3, random_state=np.random.RandomState(0)
        )
        draws = Counter(truncated.randomise(0) for _ in range(4000))
        assert all(abs(draws[o] / 4000 - law(0)[o]) < 0.04 for o in range(-2, 4))


def test_geometric_noise_loses_its_value_beyond_doubles():
    outputs = {
        mechanisms.Geometric(epsilon=1.0, random_state=s).randomise(2**60 + moved)
        for s in range(50)
        for moved in (128, 129)
    }
    assert outputs == {2**60, 2**60 + 256}  # one each


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_staircase_and_binary_are_right(epsilon):
    gamma = 1 / (1 + math.exp(epsilon / 2))
    step = np.floor(np.abs(GRID)) + (np.abs(GRID) % 1 >= gamma)
    other = np.floor(np.abs(GRID - 1)) + (np.abs(GRID - 1) % 1 >= gamma)
    assert np.abs(step - other).max() == 1  # heights fall by exp(-epsilon) from step to step
    staircase = mechanisms.Staircase(epsilon=epsilon, sensitivity=1.0, random_state=np.random.RandomState(0))
    heights = np.histogram(np.abs([staircase.randomise(0.0) for _ in range(4000)]), [0, gamma, 1])[0] / [
        gamma,
        1 - gamma,
    ]
    assert math.log(heights[0] / heights[1]) == pytest.approx(epsilon, abs=0.35)
    binary = mechanisms.Binary(epsilon=epsilon, value0="a", value1="b", random_state=np.random.RandomState(0))
    assert np.mean([binary.randomise("a") == "b" for _ in range(4000)]) == pytest.approx(
        1 / (1 + math.exp(epsilon)), abs=0.03
    )


@pytest.mark.parametrize("delta", [0.01, 0.5])
def test_uniform_noise_is_right_and_tight(delta):
    uniform = mechanisms.Uniform(delta=delta, sensitivity=1.0, random_state=np.random.RandomState(0))
    width = math.sqrt(12 * uniform.variance(0.0))
    assert 1 / width == pytest.approx(delta)  # what of the noise is outside of the same noise moved by 1
    assert (
        kstest([uniform.randomise(0.0) for _ in range(2000)], "uniform", args=(-width / 2, width)).pvalue
        > 1e-3
    )


@pytest.mark.parametrize("monotonic", [False, True])
def test_selection_is_right_on_a_grid_of_utilities(monotonic):
    def exponential(utility):
        return np.diff(
            mechanisms.Exponential(
                epsilon=1.0, sensitivity=1.0, utility=utility, monotonic=monotonic
            )._probabilities,
            prepend=0,
        )

    def permute_and_flip(
        utility,
    ):  # two candidates: the better one, or the other if it comes first and its coin says so
        falls = np.exp(
            mechanisms.PermuteAndFlip(
                epsilon=1.0, sensitivity=1.0, utility=utility, monotonic=monotonic
            )._probabilities
        )
        return np.array(
            [falls[0] / 2 + (1 - falls[1]) * falls[0] / 2, falls[1] / 2 + (1 - falls[0]) * falls[1] / 2]
        )

    for law in (exponential, permute_and_flip):
        worst = 0.0
        for gap in np.linspace(-6, 6, 25):
            for a, b in ((1, 0), (0, 1), (1, 1)) if monotonic else ((1, 0), (1, -1), (-1, 1), (-1, -1)):
                worst = max(worst, loss(law([0.0, float(gap)]), law([float(a), float(gap + b)])))
        assert 0.9 < worst <= 1 + 1e-9


def _categorical(mechanism):
    labels = mechanism._domain_values
    return np.array(
        [[mechanism._get_prob(x, y) / mechanism._normalising_constant[x] for y in labels] for x in labels]
    )


def test_labels_are_right_unless_their_constants_agree_at_half_epsilon_only():
    for make in (
        mechanisms.ExponentialCategorical(
            epsilon=1.0, utility_list=[("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 2.0)]
        ),
        mechanisms.ExponentialHierarchical(epsilon=1.0, hierarchy=[["a", "b"], ["c", "d"]]),
        mechanisms.ExponentialHierarchical(epsilon=1.0, hierarchy=[["a"], ["b"], ["c"], ["d", "e"]]),
    ):
        law = _categorical(make)
        assert max(loss(p, q) for p in law for q in law) <= 1 + 1e-9
    law = _categorical(mechanisms.ExponentialCategorical(epsilon=4.0, utility_list=choices.balanced(4.0)[1]))
    assert max(loss(p, q) for p in law for q in law) == pytest.approx(4.31, abs=0.01)


def test_snapping_is_right_on_its_grid():
    mechanism = mechanisms.Snapping(epsilon=1.0, sensitivity=1.0, lower=-8.0, upper=8.0)
    scale = 1 / mechanism.effective_epsilon()
    step = mechanism._get_nearest_power_of_2(scale)
    inner = np.arange(-8, 8 + step / 2, step)
    edges = np.concatenate([[-np.inf], inner[:-1] + step / 2, [np.inf]])

    def cdf(x):
        return np.where(
            x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2
        )

    def law(value):
        return np.diff(cdf(edges - value))

    assert 0.9 < max(loss(law(v), law(v + 1)) for v in np.linspace(-8, 7, 31)) <= 1 + 1e-9
    assert {
        float(
            mechanisms.Snapping(
                epsilon=1.0, sensitivity=1.0, lower=-8.0, upper=8.0, random_state=s
            ).randomise(0.3)
        )
        for s in range(60)
    } <= set(inner)


def _vector(x, norm, alpha, epsilon=1.0):
    """The density of the minimiser of a perturbed logistic loss of one record (label 1, feature x), by the
    change of variables.
    """
    left = epsilon - 2 * math.log1p(0.25 * norm / alpha)
    total, left = (alpha, left) if left > 0 else (0.25 * norm / math.expm1(epsilon / 4), epsilon / 2)
    w = np.concatenate([-np.geomspace(50, 1e-7, 4000), np.geomspace(1e-7, 50, 4000)])
    noise = total * w - x * expit(-w * x)
    return lap(noise, 2 * norm / left) * (total + x * x * expit(w * x) * expit(-w * x))


def test_the_curvature_of_a_loss_grows_with_the_square_of_the_norm():
    for alpha in (0.01, 1.0, 100.0):
        assert loss(_vector(1.0, 1.0, alpha), _vector(0.0, 1.0, alpha)) <= 1
        assert loss(_vector(1.0, 1.0, alpha), _vector(-1.0, 1.0, alpha)) <= 1
    assert loss(_vector(1000.0, 1000.0, 3000.0), _vector(0.0, 1000.0, 3000.0)) == pytest.approx(4.2, abs=0.1)


def test_an_intercept_that_is_not_regularised_is_lost():
    """At slope -10 and intercept 10: the noise that makes them the minimiser, its density, and the Jacobian,
    on two neighbours.
    """
    theta = np.array([-10.0, 10.0])
    alpha = 1.0
    epsilon = 1.0
    norm = math.sqrt(2)
    scale = 2 * norm / (epsilon - 2 * math.log1p(0.25 * norm / alpha))

    def log_density(x, y):
        rows = np.array([[value, 1.0] for value in x])
        noise = -(alpha * theta * [1, 0] + (expit(rows @ theta) - y) @ rows)
        curvature = expit(rows @ theta) * expit(-rows @ theta)
        return -np.linalg.norm(noise) / scale + math.log(
            np.linalg.det(np.diag([alpha, 0.0]) + (rows * curvature[:, None]).T @ rows)
        )

    labels = np.array([1.0, 0.0])
    assert log_density([1.0, 0.0], labels) - log_density([-1.0, 0.0], labels) == pytest.approx(8.5, abs=0.2)


def _bingham(rows, dimension, epsilon=1.0, divided=True, points=100_001):
    """The log density over the square of the first coordinate when all rows are the first axis, and its base
    measure.
    """
    angle = (np.arange(points) + 0.5) / points * np.pi / 2
    base = (dimension - 2) * np.log(np.sin(angle))
    size = epsilon * rows / 4
    b = (
        brentq(lambda b: 1 / b + (dimension - 1) / (b + 2 * size) - 1, 1e-9, dimension + 1e-9)
        if size
        else dimension
    )
    left = 1 - np.cos(angle) ** 2
    log = -size * left - (dimension * np.log1p(2 * size * left / b) if divided else 0)
    total = log + base
    return log - total.max() - math.log(np.exp(total - total.max()).sum()), total, np.cos(angle) ** 2


def test_bingham_draws_from_another_law_than_bingham_and_exceeds_epsilon_from_four_dimensions_on():
    state = np.random.RandomState(0)
    drawn = np.array(
        [
            mechanisms.Bingham(epsilon=8.0, random_state=state).randomise(np.diag([1.0, 0.0]))[0] ** 2
            for _ in range(1500)
        ]
    )

    def mean(divided):
        _, total, square = _bingham(1, 2, 8.0, divided)
        return np.average(square, weights=np.exp(total - total.max()))

    assert drawn.mean() == pytest.approx(mean(True), abs=0.02)
    assert abs(drawn.mean() - mean(False)) > 0.1

    def exchanged(dimension, power):
        """The loss along the first axis where one of 1000 records there goes to the second, with 999."""
        sizes = np.array([0, 1, *[1000] * (dimension - 2)]) / 4
        b = brentq(lambda b: (1 / (b + 2 * sizes)).sum() - 1, 0.5, dimension)
        return sizes[1] + power * math.log1p(2 * sizes[1] / b)

    for dimension, found in ((3, 0.99), (4, 1.24), (5, 1.48), (10, 2.69)):
        assert exchanged(dimension, power=0) <= 0.5
        assert exchanged(dimension, power=dimension) == pytest.approx(found, abs=0.01)
