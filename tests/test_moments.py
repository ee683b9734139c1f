"""Exact moments are those of the runs, and what is not affine is refused."""

import dataclasses

import numpy as np
import pytest

from dpverify.algorithms import example
from dpverify.algorithms.adp_sgd import adp_sgd
from dpverify.algorithms.adp_sgd_norm import adp_sgd_norm
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import private_gd_momentum
from dpverify.algorithms.private_sgd import private_sgd
from dpverify.algorithms.private_sgd_momentum import private_sgd_momentum
from dpverify.engine import Algorithm
from dpverify.formulas.adp_erm import adaptive_alpha, polynomial_b
from dpverify.moments import NotAffine, NotQuadratic, exact_moments
from dpverify.montecarlo import run
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.problems import least_squares, logistic
from dpverify.releases import Laplace
from dpverify.schedules import Schedule

PROBLEM, DATA = quadratic_case(count=30, dimension=3)
B = polynomial_b(1, 1)
FOUR = Schedule(4.0)


def laplace_gd():
    gd = private_gd(PROBLEM, clip=1.0, variances=FOUR, steps=6)
    return Algorithm(
        "laplace-gd",
        6,
        gd.init,
        gd.query,
        lambda t: Laplace(0.1 * t, {REPLACE: 0.1}),
        gd.update,
        load=gd.load,
    )


CASES = {
    "gd": private_gd(PROBLEM, clip=0.5, variances=Schedule([9.0, 4.0, 1.0]), steps=3),
    "momentum": private_gd_momentum(PROBLEM, clip=0.5, variances=FOUR, steps=6, beta=0.7, step_size=0.4),
    "sgd poisson": private_sgd(PROBLEM, clip=0.5, batch=6, variances=FOUR, steps=5),
    "sgd fixed": private_sgd(PROBLEM, clip=0.5, batch=6, variances=FOUR, steps=5, how="without replacement"),
    "sgd replaced": private_sgd(PROBLEM, clip=0.5, batch=6, variances=FOUR, steps=5, how="with replacement"),
    "sgd momentum": private_sgd_momentum(
        PROBLEM, clip=0.5, batch=6, variances=FOUR, steps=5, beta=0.5, step_size=0.4
    ),
    "adp": adp_sgd(PROBLEM, G=0.5, sigma=0.3, alpha=adaptive_alpha(B), b=B, steps=5, eta=0.8),
    "laplace": laplace_gd(),
}


@pytest.mark.parametrize("name", CASES)
def test_the_runs_have_the_exact_mean_covariance_and_loss(name):
    runs = 30_000
    moments = exact_moments(CASES[name], DATA)
    x = run(CASES[name], DATA, runs, seed=1).output
    deviation = np.sqrt(np.diag(moments.covariance[-1]))
    assert np.all(
        np.abs(x.mean(axis=0) - moments.mean[-1]) <= 6 * deviation / np.sqrt(runs)
    )  # false alarm below 1e-8
    centred = (x - moments.mean[-1]) / deviation
    products = np.einsum("ri,rj->rij", centred, centred)
    wanted = moments.covariance[-1] / np.outer(deviation, deviation)
    assert np.all(np.abs(products.mean(axis=0) - wanted) <= 6 * products.std(axis=0) / np.sqrt(runs))
    values = PROBLEM.value(x, DATA)
    assert abs(values.mean() - moments.expected_value(PROBLEM, DATA)[-1]) <= 6 * values.std() / np.sqrt(runs)


@pytest.mark.parametrize("name", ["gd", "momentum", "sgd poisson", "laplace"])
def test_the_influence_is_what_more_noise_in_one_step_adds(name):
    algorithm = CASES[name]
    influence = exact_moments(algorithm, DATA).influence(PROBLEM, DATA)

    def excess(louder):
        def release(t):
            quiet = algorithm.release(t)
            noise = quiet.inner if quiet.sampled else quiet
            more = dataclasses.replace(noise, scale=noise.scale * 2**0.5) if t == louder else noise
            return dataclasses.replace(quiet, inner=more) if quiet.sampled else more

        moments = exact_moments(dataclasses.replace(algorithm, release=release), DATA)
        return moments.expected_excess(PROBLEM, DATA)[-1]

    added = [excess(t) - excess(None) for t in range(1, algorithm.steps + 1)]
    variances = [algorithm.release(t).variance() for t in range(1, algorithm.steps + 1)]
    assert influence * variances == pytest.approx(added, rel=1e-6)


def test_least_squares_without_clipping_is_affine_too():
    rng = np.random.default_rng(0)
    rows, targets = rng.standard_normal((20, 3)), rng.standard_normal(20)
    problem = least_squares(rows, count=20)
    algorithm = private_gd(problem, clip=1e12, variances=Schedule(1e-22), steps=5)
    moments = exact_moments(algorithm, (rows, targets))
    x = run(algorithm, (rows, targets), 20_000).output
    values = problem.value(x, (rows, targets))
    assert abs(
        values.mean() - moments.expected_value(problem, (rows, targets))[-1]
    ) <= 6 * values.std() / np.sqrt(20_000)


@pytest.mark.parametrize("clip", [1.0, 1e3])
def test_a_clip_that_only_far_states_meet_leaves_no_exact_moments(clip):
    rows, targets = np.array([[0.5]]), np.array([1.0])
    problem = least_squares(rows, count=1, ridge=0.01)
    with pytest.raises(NotAffine, match="step 1 of private-gd is not affine"):
        exact_moments(private_gd(problem, clip=clip, variances=Schedule(50.0), steps=20), (rows, targets))


def test_a_wrong_variance_would_show():
    moments = exact_moments(CASES["laplace"], DATA)
    x = run(CASES["laplace"], DATA, 30_000, seed=1).output
    halved = np.diag(moments.covariance[-1]) / 2  # as if Lap(b) had variance b^2
    assert np.all(x.var(axis=0) > 1.5 * halved)


def test_what_is_not_affine_is_refused_with_the_place():
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((20, 3)), np.sign(rng.standard_normal(20))
    with pytest.raises(NotAffine, match="step 1 of private-gd is not affine"):
        exact_moments(private_gd(logistic(rows, count=20), clip=1.0, variances=FOUR, steps=2), (rows, labels))
    norm = adp_sgd_norm(PROBLEM, G=1.0, sigma=1.0, alpha=Schedule(1.0), steps=2, eta=0.1, b0_squared=1.0)
    with pytest.raises(NotAffine, match="step 1 of adp-sgd-norm is not affine"):
        exact_moments(norm, DATA)
    stochastic = private_sgd(least_squares(rows, count=20), clip=1e6, batch=5, variances=FOUR, steps=2)
    with pytest.raises(NotAffine, match="batch noise of private-sgd depends on the state"):
        exact_moments(stochastic, (rows, labels))
    moments = exact_moments(CASES["gd"], DATA)
    with pytest.raises(NotQuadratic, match="quadratic problem, got Linear"):
        moments.expected_value(logistic(rows, count=20), (rows, labels))
    assert example("adp-sgd-norm", as_printed=True).algorithm.memory is not None
