"""Tumult Core: every target ends as known, and what is planted in its noise is caught."""

import pytest

pytest.importorskip("tmlt.core", reason="needs Tumult, see dpverify/adapters/tumult.py")

from dpverify.adapters import tumult
from dpverify.auditing import Budget, audit
from dpverify.properties.examination import examine
from dpverify.verdicts import REFUTED, SUPPORTED


@pytest.mark.parametrize("target", tumult.TARGETS, ids=lambda target: target.name)
def test_target_ends_as_known(target):
    assert examine(target).surprises == []


def test_half_the_noise_is_caught_and_the_whole_is_not(monkeypatch):
    from tmlt.core.measurements import noise_mechanisms

    def verdict():
        subject = tumult.laplace()
        budget = Budget(runs=4000)
        return audit(
            subject.mechanism, subject.neighbours, subject.claim, budget=budget, smaller=False
        ).verdict

    assert verdict() is SUPPORTED
    plain = noise_mechanisms.AddLaplaceNoise.__call__

    def halved(self, value):
        return value + (plain(self, value) - value) / 2

    monkeypatch.setattr(noise_mechanisms.AddLaplaceNoise, "__call__", halved)
    assert verdict() is REFUTED


def test_gaussian_noise_that_is_drawn_at_the_value_is_acquitted(monkeypatch):
    from tmlt.core.measurements.noise_mechanisms import AddGaussianNoise
    from tmlt.core.random.continuous_gaussian import gaussian

    def drawn(self, value):
        return gaussian(u=float(value), sigma_squared=self.sigma_squared.to_float(round_up=True))

    monkeypatch.setattr(AddGaussianNoise, "__call__", drawn)
    subject = tumult.gaussian(bits=True)
    result = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=4000))
    assert result.verdict is SUPPORTED, result


@pytest.mark.parametrize(
    ("build", "settings"), [(tumult.laplace, {"scale": -1}), (tumult.quantile, {"epsilon": 0})]
)
def test_bad_settings_are_named(build, settings):
    ((wrong, value),) = settings.items()
    with pytest.raises(ValueError, match=rf"{wrong}={value}"):
        build(**settings)
