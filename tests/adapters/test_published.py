"""What the authors published: every target ends as known, and what is said of it can be had by hand."""

import math

import numpy as np
import pytest

from dpverify.adapters import select
from dpverify.adapters.published import (
    TARGETS,
    adp_erm,
    dp_accel,
    dynamic_noise,
    dynamic_noise_sampled,
    dynamic_noise_shuffled,
    momentum_agg,
)
from dpverify.auditing import Budget, Tape, audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.formulas.adp_erm import printed_sigma
from dpverify.properties.examination import examine
from dpverify.verdicts import REFUTED, SUPPORTED


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_target_ends_as_known(target, monkeypatch):
    # What is known is the verdict; that witnesses are made small is tested with the audits, at less cost.
    monkeypatch.setattr("dpverify.auditing.ladder._made_small", lambda result, results, audit: result)
    examination = examine(target)
    assert examination.surprises == []


def test_every_paper_has_a_target():
    papers = {"adp-erm", "diff2", "dp-accel", "dynamic-noise", "momentum-agg"}
    assert papers <= {target.name.partition(":")[2] for target in select("published:*")}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_same_seed_same_output(target):
    subject = target()
    first, again = (
        subject.mechanism(subject.neighbours.data, np.random.default_rng(3), runs=2, tape=Tape())
        for _ in range(2)
    )
    assert np.array_equal(first, again)


def test_laplace_of_the_printed_scale_keeps_the_claim_of_dp_accel():
    class Scaled:
        """A generator whose Laplace noise has the scale that is charged."""

        def __init__(self, rng):
            self.rng = rng

        def laplace(self, scale, size):
            return self.rng.laplace(scale=scale * math.sqrt(2), size=size)

    subject = dp_accel()

    def repaired(data, rng, runs, tape):
        return subject.mechanism(data, Scaled(rng), runs=runs, tape=tape)

    assert noise_as_declared(repaired, subject.neighbours.data).verdict is SUPPORTED
    assert audit(repaired, subject.neighbours, subject.claim, budget=Budget(runs=10_000)).verdict is SUPPORTED


def test_the_code_of_dp_accel_draws_at_0_71_of_the_charged_scale():
    subject = dp_accel()
    tape = Tape()
    subject.mechanism(subject.neighbours.data, np.random.default_rng(0), runs=100_000, tape=tape)
    entry = tape.entries[0]
    assert np.abs(entry.released - entry.query).mean() / entry.declared.scale == pytest.approx(
        1 / math.sqrt(2), rel=0.01
    )


def test_subsampled_dp_accel_is_refuted_too():
    subject = dp_accel(steps=1, batch=1)
    assert (
        audit(
            subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=20_000), smaller=False
        ).verdict
        is REFUTED
    )


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(200, 2.0, 1e-3), (1000, 1.0, 1e-4), (50_000, 0.8, 1e-5)]
)
def test_theorem_4_1_of_adp_erm_fails_by_integration(n, epsilon, delta):
    """One step, alpha = 1, G = 1: all records at -1, or one at 1; the delta at epsilon of the released
    mixture.
    """
    from scipy.special import ndtr

    sigma = printed_sigma(np.ones(1), G=1.0, n=n, epsilon=epsilon, delta=delta)
    # the ratio (1 - 1/n) + e^(2x/sigma^2)/n grows with x: the worst event is x > c
    c = sigma**2 / 2 * math.log(n * (math.exp(epsilon) - 1 + 1 / n))
    above = [float(ndtr((mean - c) / sigma)) for mean in (-1.0, 1.0)]
    assert (1 - 1 / n) * above[0] + above[1] / n - math.exp(epsilon) * above[0] > 1.9 * delta


def test_the_charge_of_random_batches_falls_short_by_integration():
    """One step, q = 0.1, sigma = 0.5: a record at the clip, or at 0, among zeros."""
    from scipy.special import ndtr

    claim = dynamic_noise_sampled(steps=1).claim
    q = 0.1
    sigma = 0.5
    c = 0.5 + sigma**2 * math.log((math.exp(claim.epsilon) - 1 + q) / q)
    without, seen = float(ndtr(-c / sigma)), float(ndtr((1 - c) / sigma))
    assert (1 - q) * without + q * seen - math.exp(claim.epsilon) * without > 10 * claim.delta


def test_the_charge_of_random_batches_is_enough_in_the_setting_of_its_own_test():
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent, rdp

    subject = dynamic_noise_sampled(steps=10_000, noise=8.0, count=100, delta=1e-8)
    spent = (
        rdp.RdpAccountant()
        .compose(SelfComposedDpEvent(PoissonSampledDpEvent(0.01, GaussianDpEvent(8.0)), 10_000))
        .get_epsilon(1e-8)
    )
    assert spent < subject.claim.epsilon


@pytest.mark.parametrize("build", [dynamic_noise, dynamic_noise_shuffled])
def test_a_forgotten_clip_is_caught(build, monkeypatch):
    subject = build(clip=1.0)
    monkeypatch.setattr(np, "minimum", lambda a, b, **kwargs: b * np.ones_like(a))  # every factor is 1
    result = audit(
        subject.mechanism,
        subject.neighbours,
        subject.claim,
        budget=Budget(runs=2000),
        rungs=["replay"],
        smaller=False,
    )
    assert result.verdict is REFUTED


@pytest.mark.parametrize(
    ("build", "settings", "message"),
    [
        (dp_accel, {"epsilon": -1.0}, "Expected epsilon=-1.0 > 0."),
        (dp_accel, {"batch": -1}, "Expected batch=-1 >= 0"),
        (dynamic_noise, {"clip": 0.0}, "Expected clip=0.0 > 0."),
        (adp_erm, {"count": 0}, "Expected count=0 > 0."),
        (momentum_agg, {"delta": 1e-6}, "Expected delta=1e-06 >= exp"),
    ],
)
def test_bad_settings(build, settings, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.").replace("(", r"\(")):
        build(**settings)
