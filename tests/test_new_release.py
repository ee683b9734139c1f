"""A kind of release that no other file knows is run, charged, calibrated, and audited."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from dpverify.accounting import account, calibrate, epsilon, meets
from dpverify.algorithms import example
from dpverify.auditing import Budget, audit
from dpverify.auditing.algorithm import as_mechanism
from dpverify.guarantees import PureDP
from dpverify.losses import privacy_losses
from dpverify.moments import exact_moments
from dpverify.montecarlo import run
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Law, Noise, Subsampled
from dpverify.verdicts import REFUTED

LOGISTIC = Law(
    "logistic",
    cdf=stats.logistic.cdf,
    median=math.log(3),
    energy=lambda z: -np.log(2 * stats.logistic.sf(np.abs(z))),
    shape=1.0,
    size=lambda energy: energy,
)


@dataclass(frozen=True)
class Logistic(Noise):
    """Logistic noise: slopes of its log density are below 1/scale, so it costs that times L1."""

    norm = 1
    law = LOGISTIC
    unit_variance = math.pi**2 / 3

    def draw(self, rng, shape):
        return rng.logistic(size=shape)

    def log_standard(self, rows):
        return -(np.abs(rows) + 2 * np.log1p(np.exp(-np.abs(rows)))).sum(axis=1)

    def epsilon(self, adjacency):
        return self.ratio(adjacency)


SENSITIVITY = {REPLACE: 0.01, ZERO_OUT: 0.005}
CASE = example("dp-gd")


def with_release(release):
    return replace(CASE.algorithm, steps=3, release=lambda t: release)


def test_it_runs_and_its_moments_are_exact():
    algorithm = with_release(Logistic(0.1, SENSITIVITY))
    runs = run(algorithm, CASE.data, 20_000, measure={"F": lambda x: CASE.problem.value(x, CASE.data)})
    exact = exact_moments(algorithm, CASE.data).expected_value(CASE.problem, CASE.data)[-1]
    assert abs(runs.mean("F") - exact) < 6 * runs.standard_error("F")  # false alarm below 1e-8


def test_it_is_charged_and_calibrated():
    ledger = with_release(Logistic(0.1, SENSITIVITY)).ledger()
    assert account(ledger, REPLACE, "pure").epsilon == pytest.approx(0.3)
    assert 0 < epsilon(account(ledger, REPLACE), 1e-6) <= 0.3 + 1e-3
    assert epsilon(account(ledger, REPLACE, "rdp"), 1e-6) < 0.33
    batch = Subsampled(Logistic(0.1, SENSITIVITY), size=20, of=200)
    assert account([batch], REPLACE, "pure").epsilon < 0.2 * 0.1
    scale = calibrate(lambda m: [Logistic(m, SENSITIVITY)] * 3, PureDP(0.3), REPLACE)
    assert scale == pytest.approx(0.1, rel=1e-5)
    assert meets([Logistic(scale, SENSITIVITY)] * 3, REPLACE, PureDP(0.3))


def test_the_exact_loss_of_a_transcript_stays_below_its_epsilon():
    pair = Neighbours.zero_out(CASE.data, 0)
    for release in (Logistic(0.1, SENSITIVITY), Subsampled(Logistic(0.1, SENSITIVITY), size=200, of=200)):
        losses = privacy_losses(with_release(release), pair, 500)
        assert 0 < np.abs(losses).max() <= 3 * 0.05
        assert np.exp(-losses).mean() == pytest.approx(1.0, abs=0.05)


class Quiet(Logistic):
    """Draws half the noise that it declares."""

    def draw(self, rng, shape):
        return 0.5 * super().draw(rng, shape)


@pytest.mark.parametrize(("kind", "claim"), [(Logistic, PureDP(0.1)), (Quiet, PureDP(0.3))])
def test_an_audit_refutes_a_claim_that_is_too_small_and_noise_that_is_too_quiet(kind, claim):
    algorithm, pair = with_release(kind(0.1, SENSITIVITY)), Neighbours.zero_out(CASE.data, 0)
    assert audit(as_mechanism(algorithm), pair, claim, budget=Budget(runs=2000)).verdict is REFUTED


def test_an_audit_acquits_it_where_the_claim_is_right():
    pair = Neighbours.zero_out(CASE.data, 0)
    result = audit(
        as_mechanism(with_release(Logistic(0.1, SENSITIVITY))), pair, PureDP(0.15), budget=Budget(runs=2000)
    )
    assert result.verdict is not REFUTED
