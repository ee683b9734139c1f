"""Accountants: exact where they say so, upper bounds everywhere, tight where a closed form exists, and
invertible.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.accounting import account, calibrate, epsilon, meets, overspend
from dpverify.accounting.gaussian import gaussian_mu, tree_cost
from dpverify.accounting.pure import pure_epsilon
from dpverify.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT
from dpverify.releases import Gaussian, Laplace, Subsampled, TreeNode

ALL = {ADD_REMOVE: 1.0, REPLACE: 2.0, ZERO_OUT: 1.0}


def test_gaussian_composition_is_exact_for_each_relation():
    ledger = [Gaussian(s, ALL) for s in (2.0, 3.0, 5.0)]
    mu = math.sqrt(sum(s**-2 for s in (2.0, 3.0, 5.0)))
    assert math.isclose(gaussian_mu(ledger, ZERO_OUT), mu)
    assert math.isclose(gaussian_mu(ledger, REPLACE), 2 * mu)
    assert account(ledger, ADD_REMOVE) == GDP(gaussian_mu(ledger, ADD_REMOVE))


@pytest.mark.parametrize("method", ["pld", "rdp"])
def test_upper_bounds_lie_above_the_exact_gaussian(method):
    ledger = [Gaussian(s, ALL) for s in (2.0, 3.0, 5.0)]
    exact, upper = account(ledger, REPLACE), account(ledger, REPLACE, method)
    for eps in (0.0, 0.5, 1.0, 3.0):
        assert upper.delta_at(eps) >= exact.delta_at(eps) * (1 - 1e-6)
    if method == "pld":
        assert math.isclose(epsilon(upper, 1e-5), epsilon(exact, 1e-5), rel_tol=1e-3)


def test_many_places_are_rounded_up_and_hardly(monkeypatch):
    nodes = [(t - (t & -t) + 1, t, 1.0 + t % 3) for t in range(1, 41)]
    exact = tree_cost(nodes, 5, 0.97)
    monkeypatch.setattr("dpverify.accounting.gaussian.POINTS", 8)
    assert exact <= tree_cost(nodes, 5, 0.97) < 1.02 * exact


def tree(steps):
    """All nodes of the binary tree over `steps` positions, with weight 1."""
    return [(t - 2**k + 1, t, 1.0) for t in range(1, steps + 1) for k in range(20) if t % 2**k == 0]


@pytest.mark.parametrize(("steps", "period"), [(8, 8), (6, 8), (8, 4), (8, 3), (12, 5), (9, 2), (7, 1)])
def test_the_cost_of_a_tree_is_that_of_the_worst_placement_of_a_record(steps, period):
    nodes = [(a, b, w + 0.1 * (b - a)) for a, b, w in tree(steps)]
    epochs = [
        range(e * period + 1, min((e + 1) * period, steps) + 1) for e in range(math.ceil(steps / period))
    ]
    worst = max(
        sum(w * sum(a <= p <= b for p in places) ** 2 for a, b, w in nodes)
        for places in itertools.product(*epochs)
    )
    assert math.isclose(tree_cost(nodes, period), worst)
    shifted = [(a + 1, b + 1, w) for a, b, w in nodes if b - a == 1]  # not dyadic: bounded level by level
    assert tree_cost([*nodes, *shifted], period) >= worst
    for level in {b - a for a, b, _ in nodes}:
        only = [node for node in nodes if node[1] - node[0] == level]
        exact = max(
            sum(w * sum(a <= p <= b for p in places) ** 2 for a, b, w in only)
            for places in itertools.product(*epochs)
        )
        assert math.isclose(tree_cost(only, period), exact), "one level is exact"


def test_tree_releases_are_charged_by_the_place_of_a_record():
    first = TreeNode((2.0,), {REPLACE: (1.0,)}, ((1, 1),), period=2)
    second = TreeNode((2.0, 2.0), {REPLACE: (1.0, 1.0)}, ((2, 2), (1, 2)), period=2)
    assert math.isclose(gaussian_mu([first, second], REPLACE) ** 2, 2 / 4)  # its own leaf, and the root
    assert math.isclose(gaussian_mu([first, second, Gaussian(1.0, {REPLACE: 1.0})], REPLACE) ** 2, 2 / 4 + 1)


def exact_delta(p, q, eps, points):
    """The hockey-stick divergence of two densities on the line."""
    value, _ = integrate.quad(
        lambda u: max(p(u) - math.exp(eps) * q(u), 0.0), -40, 40, points=points, limit=400
    )
    return value


@pytest.mark.parametrize("eps", [0.05, 0.3, 1.0])
def test_one_poisson_step_is_the_exact_divergence(eps):
    q, sigma = 0.2, 1.0
    step = [Subsampled(Gaussian(sigma, ALL), size=2, of=10, how="poisson")]
    with_record = lambda u: (1 - q) * stats.norm.pdf(u) + q * stats.norm.pdf(u - 1)  # noqa: E731
    worst = max(
        exact_delta(with_record, stats.norm.pdf, eps, [0, 1]),
        exact_delta(stats.norm.pdf, with_record, eps, [0, 1]),
    )
    for relation in (ADD_REMOVE, ZERO_OUT):
        assert math.isclose(account(step, relation).delta_at(eps), worst, rel_tol=1e-3, abs_tol=1e-9)
    other = lambda u: (1 - q) * stats.norm.pdf(u) + q * stats.norm.pdf(u + 1)  # noqa: E731
    assert math.isclose(
        account(step, REPLACE).delta_at(eps),
        exact_delta(with_record, other, eps, [-1, 0, 1]),
        rel_tol=1e-3,
        abs_tol=1e-9,
    )


@pytest.mark.parametrize("how", ["without replacement", "with replacement"])
def test_fixed_size_batches_are_bounded_by_the_accountant_on_worst_data(how):
    # Records 0 or 1 each, batch of 2 of 5: the record is 1 on one side and 0 on the other, everybody else is
    # 0 (or 1).
    step = Subsampled(Gaussian(0.7, {REPLACE: 1.0}), size=2, of=5, how=how)
    curve = account([step], REPLACE)
    for others in (0, 1):
        laws = []
        for value in (0, 1):
            data = np.array([value] + [others] * 4)
            batch, log = step.batches(np.unique(data, return_inverse=True)[1])
            sums = batch @ data if batch.dtype == bool else data[batch].sum(axis=1)
            weights = np.exp(log)
            laws.append(lambda u, s=sums, w=weights: float(w @ stats.norm.pdf(u, s, 0.7)))
        for eps in (0.1, 0.5, 1.5):
            worst = max(
                exact_delta(laws[0], laws[1], eps, [0, 1, 2]), exact_delta(laws[1], laws[0], eps, [0, 1, 2])
            )
            assert curve.delta_at(eps) >= worst * (1 - 1e-6) - 1e-12


def test_pld_of_batches_without_replacement_is_tighter_than_rdp():
    ledger = [Subsampled(Gaussian(4.0, ALL), size=5, of=100)] * 20
    assert epsilon(account(ledger, REPLACE), 1e-5) < epsilon(account(ledger, REPLACE, "rdp"), 1e-5)


def test_pure_epsilons_add_up_and_batches_help():
    eps0 = 0.5
    step = Subsampled(Laplace(2.0, {REPLACE: 1.0}), size=1, of=4)
    assert math.isclose(pure_epsilon([step] * 3, REPLACE), 3 * math.log1p(math.expm1(eps0) / 4))
    assert pure_epsilon([step, Gaussian(1.0, ALL)], REPLACE) == math.inf
    assert account([Laplace(2.0, ALL)] * 4, REPLACE, "pure") == PureDP(4.0)


def test_the_laplace_ledger_bounds_every_split_of_the_sensitivity_over_coordinates():
    # Laplace in several coordinates: the loss of shifts r_1, ..., r_k with sum r, composed on a grid by dp-
    # accounting.
    from dp_accounting.pld import privacy_loss_distribution as pld

    ours = account([Laplace(1.0, {REPLACE: 1.0})] * 8, REPLACE)
    for shifts in ([1.0], [0.5, 0.5], [0.8, 0.2], [0.25] * 4):
        theirs = pld.identity()
        for shift in shifts:
            theirs = theirs.compose(pld.from_laplace_mechanism(1 / shift))
        theirs = theirs.self_compose(8)
        for eps in (0.5, 1.0, 2.0, 4.0):
            assert ours.delta_at(eps) >= theirs.get_delta_for_epsilon(eps) * (1 - 1e-3) - 1e-9


def test_mixed_ledgers_compose():
    ledger = [Gaussian(3.0, ALL), Laplace(5.0, ALL), Subsampled(Gaussian(2.0, ALL), size=1, of=20)]
    both = account(ledger, REPLACE)
    for part in ledger:
        assert both.delta_at(0.5) > account([part], REPLACE).delta_at(0.5)
    assert account(ledger, REPLACE, "rdp").delta_at(0.5) >= both.delta_at(0.5)


def test_records_pay_for_the_batches_of_their_own_shard_alone():
    shard = [Subsampled(Gaussian(2.0, ALL), size=2, of=10, first=first) for first in (0, 10, 20)]
    alone = [Subsampled(Gaussian(2.0, ALL), size=2, of=10)]
    for eps in (0.1, 0.5):
        assert math.isclose(account(shard, REPLACE).delta_at(eps), account(alone, REPLACE).delta_at(eps))
    assert account([*shard, shard[0]], REPLACE).delta_at(0.5) > account(shard, REPLACE).delta_at(0.5)


@pytest.mark.parametrize(
    ("build", "target"),
    [
        (lambda m: [Gaussian(m, ALL)] * 10, ApproxDP(1.0, 1e-5)),
        (lambda m: [Gaussian(m, ALL)] * 10, GDP(0.3)),
        (lambda m: [Gaussian(m, ALL)] * 10, ZCDP(0.1)),
        (lambda m: [Laplace(m, ALL)] * 10, PureDP(0.7)),
        (lambda m: [Laplace(m, ALL)] * 10, ApproxDP(0.7, 0.0)),
        (lambda m: [Subsampled(Gaussian(m, ALL), size=1, of=20)] * 10, ApproxDP(1.0, 1e-5)),
        (lambda m: [Laplace(1e-4 * m, ALL)], PureDP(0.7)),
    ],
)
def test_calibration_meets_the_target_with_nothing_to_spare(build, target):
    m = calibrate(build, target, REPLACE, tolerance=1e-3)
    assert meets(build(m), REPLACE, target)
    assert not meets(build(m / 1.002), REPLACE, target)


def test_what_has_no_noise_or_no_sensitivity_has_no_guarantee():
    for ledger in ([Gaussian(0.0, ALL)], [Gaussian(1.0, {REPLACE: math.inf})], [Laplace(0.0, ALL)]):
        assert account(ledger, REPLACE).delta_at(100.0) == 1.0
        assert epsilon(account(ledger, REPLACE), 1e-5) == math.inf
    assert not meets(
        [Subsampled(Gaussian(1.0, {REPLACE: math.inf}), size=1, of=5)], REPLACE, ApproxDP(1.0, 1e-5)
    )
    assert overspend([Gaussian(1.0, {REPLACE: 0.0})], REPLACE, GDP(1.0)) == -math.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: account([], REPLACE), "ledger with at least one release"),
        (lambda: account([Gaussian(1.0, ALL)], REPLACE, "magic"), "method='magic'"),
        (lambda: account([Gaussian(1.0, {REPLACE: 1.0})], ADD_REMOVE), "adjacency='add/remove'"),
        (
            lambda: account([Subsampled(Gaussian(1.0, ALL), size=1, of=5)], ADD_REMOVE),
            "for sampling without replacement",
        ),
        (lambda: account([Laplace(1.0, ALL)], REPLACE, "gaussian"), "closed form, got Laplace"),
        (lambda: epsilon(GDP(1.0), 1.5), "delta=1.5 < 1"),
        (lambda: calibrate(lambda m: [Gaussian(m, ALL)], PureDP(1.0), REPLACE), "to be reachable"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
