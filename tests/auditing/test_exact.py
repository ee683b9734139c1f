"""The exact test of two binomials, against brute force and against the counts of the published method."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.exact import (
    FINE,
    Tangent,
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


def nearest(line, x, y):
    """The deviance of all x from the line, by brute force over the line's points."""
    u = np.linspace(0, min(1, (1 - line.height) / line.slope), 20_001)[1:-1]
    return np.array(
        [line.deviance(np.full(len(u), a / line.n), np.full(len(u), y / line.m), u).min() for a in x]
    )


@pytest.mark.parametrize(("n", "m", "slope", "height"), [(40, 40, 2.7, 0.0), (60, 25, 1.2, 0.05)])
def test_counts_are_ordered_by_their_deviance_from_the_tangent(n, m, slope, height):
    """Against a search over the whole line; the counts that were seen are as far as themselves."""
    line = Tangent(n, m, slope, height)
    for x, y in [(20, 0), (30, 3), (n - 1, 6), (n, 0)]:
        least = line.least(x, y)
        assert least == pytest.approx(nearest(line, [x], y)[0], rel=1e-4)
        needed = line.needed(np.arange(m + 1.0), least)
        assert needed[y] == x and (np.diff(needed) >= 0).all()
        for other in range(0, m, 4):
            above = np.arange(math.ceil(n * height + n * slope * other / m), n + 1)
            far = above[nearest(line, above, other) >= least * (1 + 1e-4)]
            assert (far >= needed[other]).all() and needed[other] >= (far.min() - 1 if len(far) else n)
    assert line.least(int(n * height), 1) == 0


@pytest.mark.parametrize(("n", "m"), [(5, 5), (60, 40), (20_000, 20_000), (300_000, 250_000)])
def test_tails_are_bounds_and_grouping_shifts_them_by_two_groups_at_most(n, m):
    """Against the sum over all counts. Small counts are exact; of large ones each side is rounded, and
    bounded, by a group at most.
    """
    rng, slack = np.random.default_rng(0), 1e-6
    tried = 0
    for _ in range(12):
        q, slope = rng.uniform(0.01, 0.3), rng.uniform(0.5, 3)
        line = Tangent(n, m, slope, 0.0)
        p = min(q * slope, 0.95)
        x, y = round(n * p * rng.uniform(1, 1 + 3 / math.sqrt(n * p))), round(m * q)
        least = line.least(min(x, n), y)
        if least == 0:
            continue
        tried += 1
        every = np.arange(*binom.interval(1 - 1e-13, m, q)) if m > 100 else np.arange(m + 1.0)

        def exact(shift=0, every=every, p=p, q=q, line=line, least=least):
            return binom.pmf(every, m, q) @ binom.sf(line.needed(every, least) - 1 - shift, n, p)

        x_size, y_size = (int(math.sqrt(k * u * (1 - u)) / FINE) for k, u in ((n, p), (m, q)))
        steepest = np.diff(line.needed(np.array([max(y - 5 * math.sqrt(y), 0), y]), least))[0] / (
            5 * math.sqrt(y) + 1
        )
        shift, more = 2 * (x_size + steepest * y_size), 2 / FINE if max(x_size, y_size) > 1 else 1e-9
        bound = _tails(line, least, np.array([p]), np.array([q]), slack)[0]
        assert exact() - 1e-12 <= bound
        assert bound <= (1 + more) * exact(shift if more > 1e-9 else 0) + slack + 1e-12
    assert tried >= 3


def test_rare_counts_are_told_apart_by_their_shares():
    """Of 33 outputs of a kind all are on one side: under epsilon = 1 each has a chance of at least 1 in
    1 + e to be on the other, so that this has probability at most (e / (1 + e))^33 < 4e-5.
    """
    n = 80_000
    curve = point_curve(1.0, 0.0)
    assert refutes(33, n, 0, n, curve, math.e, 1e-4)
    assert not refutes(33, n, 0, n, curve, math.e, 1e-6)
    assert not refutes(33, n, 12, n, curve, math.e, 0.2)


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


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 5), (10, 10), (1000, 1000), (100_000, 1)])
@pytest.mark.parametrize("slope", [0.01, 0.5, 1.5, math.e, 1e4, 1e8])
@pytest.mark.parametrize("height", [0.0, 1e-3, 0.5, 0.999, 1 - 1e-7])
def test_counts_are_among_those_that_are_as_far_as_they_are(n, m, slope, height):
    """However deviances are rounded, and where nearly all outputs are allowed inside of the event."""
    line = Tangent(n, m, slope, height)
    for x in {1, 2, n // 2, n - 1, n} - {0}:
        for y in {0, 1, m // 2}:
            least = line.least(min(x, n), y)
            assert least == 0 or line.needed(np.array([float(y)]), least)[0] <= x


@pytest.mark.parametrize("n", [1, 2, 100, 3000])
@pytest.mark.parametrize("mu", [9.0, 10.0, 11.0])
def test_counts_that_a_loose_claim_makes_certain_do_not_refute_it(n, mu):
    """The event x > mu/2 of a Gaussian mechanism has nearly all outputs on one side and none on the other."""
    curve = worst_pair(GDP(mu)).curve
    for slope in (0.5, 1.0, 30.0):
        assert not refutes(n, n, 0, n, lambda q: np.interp(q, *curve), slope, 1e-3)
    assert not refutes(n, n, 0, n, point_curve(1.0, 0.9999), math.e, 1e-3)


@pytest.mark.parametrize(("slope", "height"), [(1.0, 0.0), (0.5, 0.5), (0.7, 0.3)])
def test_lines_that_end_where_both_are_certain_order_counts_as_others_do(slope, height):
    n = 40
    line = Tangent(n, n, slope, height)
    for x, y in [(35, 2), (39, 5)]:
        least = line.least(x, y)
        needed = line.needed(np.arange(n + 1.0), least)
        assert needed[y] == x
        for other in (8, 20):
            far = nearest(line, np.arange(n + 1), other)
            far[: math.ceil(n * height + slope * other)] = 0  # below the line
            assert needed[other] == np.searchsorted(far, least)
    assert refutes(90, 100, 10, 100, point_curve(0.0, 0.0), 1.0, 1e-3)


@pytest.mark.parametrize(
    ("n", "m", "alpha", "expected", "delta"),
    [(8, 4, 0.2, (0.6983516413128135, 0.3489756038545779), None), (7, 3, 0.3, None, 0.0)],
)
def test_bounds_are_too_large_as_seldom_as_promised_by_enumeration(n, m, alpha, expected, delta):
    """For every true parameter just below a bound and every q, all counts with a larger bound together: the
    bound is one confidence statement, though many parameters are tried for it.
    """

    def bound(x, y):
        if delta is None:
            return mu_lower_bound(x, n, y, m, alpha, expected)
        return epsilon_lower_bound(x, n, y, m, delta, alpha)

    bounds = np.array([[bound(x, y) for y in range(m + 1)] for x in range(n + 1)])
    q = np.linspace(0.005, 0.995, 199)
    sides = np.arange(n + 1)[:, None], np.arange(m + 1)[:, None]
    for true in np.unique(bounds[bounds > 0]) * (1 - 1e-12):
        p = ndtr(ndtri(q) + true) if delta is None else point_curve(true, delta)(q)
        larger = (bounds > true) @ binom.pmf(sides[1], m, q)
        assert (binom.pmf(sides[0], n, p) * larger).sum(axis=0).max() <= alpha


@pytest.mark.parametrize("alpha", [0.3, 1e-6, 7e-17, 1e-30])
@pytest.mark.parametrize(("x", "n"), [(0, 10), (3, 10), (9, 10), (0, 100_000), (70, 100_000)])
def test_interval_bounds_hold_at_the_smallest_levels(x, n, alpha):
    lower, upper = clopper_pearson(x, n, alpha)
    assert upper == 1 or binom.cdf(x, n, upper) == pytest.approx(alpha, rel=1e-6, abs=0)
    assert x == 0 or binom.sf(x - 1, n, lower) == pytest.approx(alpha, rel=1e-6, abs=0)
