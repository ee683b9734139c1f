"""pfl: every target ends as known, planted bugs are caught, and the columns of the factorization are what is
said of them.
"""

import numpy as np
import pytest

pytest.importorskip("pfl", reason="needs pfl, see dpverify/adapters/pfl.py")

from dpverify.adapters import pfl as adapter
from dpverify.auditing import Budget, Tape, audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import execute, replay
from dpverify.properties.examination import examine
from dpverify.verdicts import REFUTED, SUPPORTED


@pytest.mark.parametrize("target", adapter.TARGETS, ids=lambda target: target.name)
def test_target_ends_as_known(target):
    if not target.installed:
        pytest.skip(target.install)
    assert examine(target).surprises == []


@pytest.mark.parametrize("target", adapter.TARGETS, ids=lambda target: target.name)
def test_same_seed_same_output(target):
    if not target.installed:
        pytest.skip(target.install)
    subject = target()
    first, again = (
        subject.mechanism(subject.neighbours.data, np.random.default_rng(3), runs=2, tape=Tape())
        for _ in range(2)
    )
    assert np.array_equal(first, again)


def test_a_forgotten_clip_is_caught(monkeypatch):
    from pfl.privacy.gaussian_mechanism import GaussianMechanism

    monkeypatch.setattr(
        GaussianMechanism, "constrain_sensitivity", lambda self, statistics: (statistics, None)
    )
    subject = adapter.gaussian()
    assert replay(subject.mechanism, subject.neighbours).verdict is REFUTED


def test_half_the_noise_is_caught(monkeypatch):
    from pfl.privacy import gaussian_mechanism

    monkeypatch.setattr(gaussian_mechanism, "get_noise_stddev", lambda clip, relative: 0.5 * clip * relative)
    subject = adapter.gaussian()
    assert noise_as_declared(subject.mechanism, subject.neighbours.data).verdict is REFUTED
    assert (
        audit(
            subject.mechanism,
            subject.neighbours,
            subject.claim,
            budget=Budget(runs=4000),
            rungs=["statistics"],
        ).verdict
        is REFUTED
    )


def test_the_same_seed_in_every_round_is_caught(monkeypatch):
    honest = adapter._noisy
    monkeypatch.setattr(
        adapter,
        "_noisy",
        lambda mechanism, query, users, rng: honest(mechanism, query, users, np.random.default_rng(1)),
    )
    subject = adapter.gaussian()
    assert noise_as_declared(subject.mechanism, subject.neighbours.data).verdict is REFUTED


def test_users_of_round_2_have_the_noise_that_is_charged():
    pytest.importorskip("torch")
    subject = adapter.ftrl(joined=2)
    assert replay(subject.mechanism, subject.neighbours).verdict is SUPPORTED
    assert (
        audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=10_000)).verdict
        is SUPPORTED
    )


def test_the_factor_with_columns_of_norm_1_keeps_the_claim(monkeypatch):
    """The same optimizer, its X factored as C'C with a lower triangular C: Cholesky of X turned around,
    turned back.
    """
    pytest.importorskip("torch")
    cholesky = np.linalg.cholesky
    monkeypatch.setattr(np.linalg, "cholesky", lambda X: cholesky(X[::-1, ::-1]).T[::-1, ::-1])
    subject = adapter.ftrl()
    monkeypatch.undo()
    queries = [
        execute(subject.mechanism, data, 0, 0).tape.entries[0].query
        for data in (subject.neighbours.data, subject.neighbours.other)
    ]
    assert np.linalg.norm(queries[0] - queries[1]) == pytest.approx(
        1.0, abs=1e-6
    )  # the factorization is in float32
    assert (
        audit(
            subject.mechanism,
            subject.neighbours,
            subject.claim,
            budget=Budget(runs=20_000),
            rungs=["statistics"],
        ).verdict
        is SUPPORTED
    )


def test_float32_statistics_show_bits_as_well():
    # Noise alone has bits below 2^-24 wherever it is small; a statistic of size 1 rounds them away.
    pytest.importorskip("torch")
    subject = adapter.gaussian_torch()

    def in_float32(data, rng, runs, tape):
        from pfl.privacy.gaussian_mechanism import GaussianMechanism

        adapter._framework("numpy_ops")
        mechanism = GaussianMechanism(1.0, 1.0)
        query = np.tile(adapter._sum(mechanism, data), (runs, 1)).astype(np.float32)
        adapter._framework("pytorch_ops")
        return adapter._noisy(mechanism, query, len(data), rng)

    assert (
        audit(
            in_float32, subject.neighbours, subject.claim, budget=Budget(runs=2000), rungs=["statistics"]
        ).verdict
        is REFUTED
    )


@pytest.mark.parametrize(
    ("build", "settings", "message"),
    [
        (adapter.gaussian, {"noise": -1.0}, "Expected noise=-1.0 > 0"),
        (adapter.laplace, {"epsilon": 0.0}, "Expected epsilon=0.0 > 0"),
        (adapter.ftrl, {"joined": 9}, "Expected joined=9 <= rounds=8"),
    ],
)
def test_bad_settings(build, settings, message):
    with pytest.raises(ValueError, match=message):
        build(**settings)
