"""The exact privacy loss: its identities, its law where it is known, mixtures by brute force, and what it
refuses.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms.adp_sgd_norm import adp_sgd_norm
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import private_gd_momentum
from dpverify.algorithms.private_sgd import private_sgd
from dpverify.engine import Algorithm
from dpverify.losses import privacy_losses
from dpverify.montecarlo import run
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours, check_neighbours
from dpverify.parts.cases import quadratic_case
from dpverify.problems import logistic, quadratic
from dpverify.releases import Laplace, NotEnumerable
from dpverify.schedules import Schedule

PROBLEM, DATA = quadratic_case(count=20, dimension=3)
RNG = np.random.default_rng(0)
ROWS, LABELS = RNG.standard_normal((6, 2)), np.sign(RNG.standard_normal(6))
LOGISTIC = logistic(ROWS, count=6)
EDGE = np.array([1.0, 0.0, 0.0])


def laplace_gd():
    gd = private_gd(LOGISTIC, clip=1.0, variances=Schedule(4.0), steps=4)
    sensitivity = {REPLACE: 2 * math.sqrt(2) / 6}
    return Algorithm(
        "laplace-gd", 4, gd.init, gd.query, lambda t: Laplace(0.5, sensitivity), gd.update, load=gd.load
    )


CASES = {
    "gd": (
        private_gd(LOGISTIC, clip=0.5, variances=Schedule(6.0), steps=4),
        Neighbours.zero_out((ROWS, LABELS), 2),
    ),
    "removed": (
        private_gd(LOGISTIC, clip=0.5, variances=Schedule(6.0), steps=4),
        Neighbours.remove((ROWS, LABELS), 2),
    ),
    "momentum": (
        private_gd_momentum(LOGISTIC, clip=0.5, variances=Schedule(6.0), steps=4, beta=0.5, step_size=1.0),
        Neighbours.replace((ROWS, LABELS), 2, (-ROWS[2], LABELS[2])),
    ),
    "laplace": (laplace_gd(), Neighbours.replace((ROWS, LABELS), 2, (-ROWS[2], LABELS[2]))),
    "poisson": (
        private_sgd(LOGISTIC, clip=0.5, batch=2, variances=Schedule(1.5), steps=3),
        Neighbours.remove((ROWS, LABELS), 2),
    ),
    "fixed": (
        private_sgd(LOGISTIC, clip=0.5, batch=2, variances=Schedule(1.5), steps=3, how="without replacement"),
        Neighbours.zero_out((ROWS, LABELS), 2),
    ),
    "replaced": (
        private_sgd(LOGISTIC, clip=0.5, batch=2, variances=Schedule(1.5), steps=3, how="with replacement"),
        Neighbours.zero_out((ROWS, LABELS), 2),
    ),
    "raw norm, whole batch": (
        adp_sgd_norm(
            LOGISTIC,
            G=0.5,
            sigma=0.5,
            alpha=Schedule(1.0),
            steps=3,
            eta=0.5,
            b0_squared=1.0,
            batch=6,
            raw=True,
        ),
        Neighbours.zero_out((ROWS, LABELS), 2),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_the_inverse_likelihood_ratio_is_one_both_ways(name):
    algorithm, pair = CASES[name]
    for way in (pair, pair.swapped()):
        ratio = np.exp(-privacy_losses(algorithm, way, 10_000, seed=1))
        assert ratio.std() > 0.01, "the two data sets can be told apart"
        assert abs(ratio.mean() - 1) <= 6 * ratio.std() / math.sqrt(
            len(ratio)
        )  # false alarm below 1e-8, nearly normal


def test_a_wrong_scale_breaks_that_identity():
    algorithm, pair = CASES["gd"]
    losses = privacy_losses(algorithm, pair, 20_000, seed=1)
    ratio = np.exp(-1.5 * losses)  # as if the density had a smaller variance
    assert abs(ratio.mean() - 1) > 6 * ratio.std() / math.sqrt(len(ratio))


def test_a_constant_difference_has_a_normal_loss_with_mean_half_mu_squared():
    algorithm = private_gd(PROBLEM, clip=1.0, variances=Schedule([9.0, 4.0, 16.0]), steps=3)
    data = DATA.copy()
    data[0] = EDGE
    losses = privacy_losses(algorithm, Neighbours.replace(data, 0, -EDGE), 20_000, seed=2)
    mu = gaussian_mu(algorithm.ledger(), REPLACE)  # the worst pair: mu is exact
    assert stats.kstest(losses, stats.norm(mu**2 / 2, mu).cdf).pvalue > 1e-6


def test_losses_belong_to_the_transcripts_of_the_same_seed():
    algorithm = private_gd(PROBLEM, clip=1.0, variances=Schedule(4.0), steps=2)
    pair = Neighbours.zero_out(DATA, 0)
    releases = run(algorithm, DATA, 10, seed=3, keep=("releases",)).releases
    scale = algorithm.release(1).scale
    by_hand = np.zeros(10)
    for released in releases:
        a, b = (PROBLEM.private_sum(np.zeros((10, 3)), d, 1.0) / 20 for d in (pair.data, pair.other))
        by_hand += (((released - b) ** 2).sum(axis=1) - ((released - a) ** 2).sum(axis=1)) / (2 * scale**2)
    assert np.allclose(privacy_losses(algorithm, pair, 10, seed=3), by_hand)
    assert np.array_equal(
        privacy_losses(algorithm, pair, 3000, seed=3),
        privacy_losses(algorithm, pair, 3000, seed=3, workers=2),
    )


@pytest.mark.parametrize("how", ["poisson", "without replacement", "with replacement"])
def test_a_secret_batch_is_averaged_over_as_by_hand(how):
    data = np.array([[0.9], [0.3], [0.3], [-0.5]])
    problem = quadratic([1.0], count=4)
    algorithm = private_sgd(problem, clip=1.0, batch=2, variances=Schedule(1.0), steps=1, how=how)
    pair = Neighbours.zero_out(data, 0)
    released = run(algorithm, data, 50, seed=4, keep=("releases",)).releases[0][:, 0]

    def density(values):
        if how == "poisson":
            batches = [
                (s, 0.5**4) for s in (c for k in range(5) for c in itertools.combinations(range(4), k))
            ]
        elif how == "without replacement":
            batches = [(s, 1 / 6) for s in itertools.combinations(range(4), 2)]
        else:
            batches = [(s, 1 / 16) for s in itertools.product(range(4), repeat=2)]
        return sum(p * stats.norm.pdf(released, -sum(values[i] for i in s) / 2, 0.5) for s, p in batches)

    by_hand = np.log(density(pair.data[:, 0])) - np.log(density(pair.other[:, 0]))
    assert np.allclose(privacy_losses(algorithm, pair, 50, seed=4), by_hand)


def test_what_cannot_be_listed_is_refused_with_the_reason():
    many = private_sgd(PROBLEM, clip=1.0, batch=10, variances=Schedule(1.0), steps=1)
    with pytest.raises(NotEnumerable, match="more than 20000 components"):
        privacy_losses(many, Neighbours.zero_out(DATA, 0), 5)
    raw = adp_sgd_norm(
        PROBLEM, G=1.0, sigma=1.0, alpha=Schedule(1.0), steps=2, eta=0.1, b0_squared=1.0, raw=True
    )
    with pytest.raises(NotEnumerable, match="whole sequences of batches"):
        privacy_losses(raw, Neighbours.zero_out(DATA, 0), 5)
    with pytest.raises(ValueError, match="runs=0 >= 1"):
        privacy_losses(many, Neighbours.zero_out(DATA, 0), 0)


def test_without_noise_the_loss_is_infinite_or_nothing():
    silent = private_gd(PROBLEM, clip=1.0, variances=Schedule(0.0), steps=1)
    assert np.all(privacy_losses(silent, Neighbours.zero_out(DATA, 0), 3) == math.inf)
    assert np.all(privacy_losses(silent, Neighbours(DATA, DATA, REPLACE), 3) == 0)


@pytest.mark.parametrize(
    ("other", "relation"),
    [
        (DATA * 2, REPLACE),
        (DATA[:-1], REPLACE),
        (DATA[:-2], ADD_REMOVE),
        (np.vstack([DATA[:-2], DATA[:1]]), ADD_REMOVE),
        (np.vstack([DATA[:-1], DATA[:1]]), ZERO_OUT),
    ],
)
def test_what_are_no_neighbours_is_refused(other, relation):
    algorithm = private_gd(PROBLEM, clip=1.0, variances=Schedule(4.0), steps=1)
    with pytest.raises(ValueError, match=f"Expected neighbours under {relation}, got data sets of 20 and"):
        privacy_losses(algorithm, Neighbours(DATA, other, relation), 3)


def test_every_way_to_make_neighbours_is_accepted():
    for pair in (
        Neighbours.add(DATA, EDGE),
        Neighbours.remove(DATA, 0),
        Neighbours.remove(DATA, 19),
        Neighbours.replace(DATA, 3, EDGE),
        Neighbours.zero_out(DATA, 3),
        Neighbours(DATA, DATA, ZERO_OUT),
    ):
        check_neighbours(pair)
        check_neighbours(pair.swapped())
