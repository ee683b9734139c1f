"""A bet must never gain on average under its claim: the capacity is checked against brute force over admitted
pairs.
"""

import numpy as np
import pytest

from dpverify.auditing.betting import best_bet, capacity
from dpverify.auditing.claimed import worst_pair
from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, Profile, PureDP, TradeOff

POINTS = [PureDP(0.0), PureDP(1.0), ApproxDP(1.0, 1e-5), ApproxDP(0.5, 0.1)]
CLAIMS = [*POINTS, GDP(0.3), GDP(2.0), RDP(4.0, 0.3), ZCDP(0.2), Profile(GDP(0.7).delta_at)]


def admitted(claim, pair, rng, bins):
    """A pair of distributions on the bins that the claim admits: a random channel applied to the worst
    pair.
    """
    channel = rng.dirichlet(np.full(bins, 0.3), size=len(pair.p))
    return pair.p @ channel, pair.q @ channel


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_no_admitted_pair_makes_a_bet_grow(claim):
    rng = np.random.default_rng(1)
    pair = worst_pair(claim)
    for bins in (2, 5, 12):
        p1, q1 = rng.dirichlet(np.ones(bins)), rng.dirichlet(np.ones(bins))
        bet = best_bet(p1, q1, pair)
        a, b = np.exp(bet.log_a), np.exp(bet.log_b)
        assert capacity(a, b, pair) == pytest.approx(2)
        for _ in range(50):
            p, q = admitted(claim, pair, rng, bins)
            assert (p @ a) * (q @ b) <= 1 + 1e-9


GAUSSIAN = {
    RDP(4.0, 0.3): 0.15**0.5,
    ZCDP(0.2): 0.4**0.5,
}  # the mu of a Gaussian mechanism that meets the claim with equality


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_worst_pair_is_never_stricter_than_the_claim(claim):
    """A Renyi bound implies more than its own delta(eps) says (H is convex), so it is compared with a
    mechanism that meets it.
    """
    pair = worst_pair(claim)
    assert pair.p.sum() == pytest.approx(1)
    assert pair.q.sum() == pytest.approx(1)
    truth = GDP(GAUSSIAN[claim]) if claim in GAUSSIAN else claim
    for epsilon in np.linspace(0, 4, 57):
        hockey = np.maximum(pair.p[:-1] - np.exp(epsilon) * pair.q[:-1], 0).sum() + pair.p[-1]
        back = np.maximum(pair.q - np.exp(epsilon) * pair.p, 0).sum()
        assert min(hockey, back) >= truth.delta_at(epsilon) - 1e-12
        assert max(hockey, back) <= claim.delta_at(epsilon) + 2e-3  # and hardly looser


def test_trade_off_of_a_gaussian_is_its_profile():
    from scipy.special import ndtr, ndtri

    f = TradeOff(lambda x: float(ndtr(ndtri(1 - x) - 1.0)), "1-GDP")
    for epsilon in (0.0, 0.5, 2.0):
        assert GDP(1.0).delta_at(epsilon) <= f.delta_at(epsilon) <= GDP(1.0).delta_at(epsilon) + 2e-3


def test_the_bet_is_growth_optimal_for_two_bins():
    # one pair of Bernoullis against pure DP: the growth is the divergence from the nearest admitted pair,
    # found by grid
    p1 = 0.6
    q1 = 0.1
    claim = PureDP(1.0)
    q = np.linspace(0.1, 0.6, 200_001)
    p = np.minimum(np.e * q, 1 - (1 - q) / np.e)

    def kl(a, b):
        return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))

    best = np.min(kl(p1, p) + kl(q1, q))
    bet = best_bet(np.array([1 - p1, p1]), np.array([1 - q1, q1]), worst_pair(claim))
    assert bet.growth == pytest.approx(best, rel=1e-3)


def test_a_floor_under_the_profile_does_not_coarsen_it():
    floor = Profile(lambda epsilon: max(GDP(0.5).delta_at(epsilon), 1e-9), "a profile with a floor")
    pair = worst_pair(floor)
    assert np.sum((pair.ratios > 1) & (pair.ratios < np.exp(1.0))) > 20
    assert pair.p[-1] == pytest.approx(1e-9, rel=0.1)
