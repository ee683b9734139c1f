"""Flower, OpenDP, PipelineDP and PyDP: every target ends as known, and planted bugs are caught."""

import numpy as np
import pytest

from dpverify.adapters import select
from dpverify.auditing import Budget, Tape, audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import replay
from dpverify.guarantees import PureDP
from dpverify.properties.examination import examine
from dpverify.verdicts import REFUTED, SUPPORTED


@pytest.mark.parametrize(
    "target",
    select("flower:*", "opendp:*", "pipeline-dp:*", "pydp:*"),
    ids=lambda target: target.name,
)
def test_target_ends_as_known(target):
    if not target.installed:
        pytest.skip(target.install)
    assert examine(target).surprises == []


class TestFlower:
    """What is planted in Flower's own functions is caught by the same laws that acquit it as it is."""

    @pytest.fixture(autouse=True)
    def flower(self):
        pytest.importorskip("flwr", reason='needs Flower: pip install ".[flower]"')

    def test_same_seed_same_output(self):
        subject = select("flower:fixed")[0]()
        first, again = (
            subject.mechanism(subject.neighbours.data, np.random.default_rng(3), runs=2, tape=Tape())
            for _ in range(2)
        )
        assert np.array_equal(first, again)

    def test_a_forgotten_clip_is_caught(self, monkeypatch):
        from flwr.serverapp.strategy import dp_fixed_clipping

        monkeypatch.setattr(dp_fixed_clipping, "compute_clip_model_update", lambda **_: None)
        subject = select("flower:fixed")[0]()
        assert replay(subject.mechanism, subject.neighbours).verdict is REFUTED

    def test_half_the_noise_is_caught(self, monkeypatch):
        from flwr.serverapp.strategy import dp_fixed_clipping

        monkeypatch.setattr(dp_fixed_clipping, "compute_stdv", lambda z, clip, count: z * clip / count / 2)
        subject = select("flower:fixed")[0]()
        assert noise_as_declared(subject.mechanism, subject.neighbours.data).verdict is REFUTED

    def test_half_the_local_noise_is_caught(self, monkeypatch):
        from flwr.clientapp.mod import localdp_mod

        add = localdp_mod.add_gaussian_noise_inplace
        monkeypatch.setattr(
            localdp_mod, "add_gaussian_noise_inplace", lambda arrays, scale: add(arrays, scale / 2)
        )
        subject = select("flower:local")[0]()
        assert noise_as_declared(subject.mechanism, subject.neighbours.data).verdict is REFUTED


class TestOpenDP:
    """A claim of half of what the privacy map says is refuted, the map itself is not."""

    @pytest.fixture(autouse=True)
    def opendp(self):
        pytest.importorskip("opendp", reason='needs OpenDP: pip install ".[opendp]"')

    @pytest.mark.parametrize("name", ["laplace", "laplace-integers", "randomized-response"])
    def test_half_the_scale_is_caught(self, name):
        target = select(f"opendp:{name}")[0]
        subject = target()
        budget = Budget(runs=20_000)
        stronger = type(subject.claim)(subject.claim.epsilon / 2)
        assert audit(subject.mechanism, subject.neighbours, stronger, budget=budget).verdict is REFUTED
        assert audit(subject.mechanism, subject.neighbours, subject.claim, budget=budget).verdict is SUPPORTED


class TestPipelineDP:
    """What is planted in PipelineDP is caught by the same laws that acquit it as it is; half the claim of
    every target is refuted.
    """

    @pytest.fixture(autouse=True)
    def pipeline_dp(self):
        pytest.importorskip("pipeline_dp", reason='needs PipelineDP: pip install ".[pipelines]"')

    def test_a_forgotten_user_of_a_sum_is_caught(self, monkeypatch):
        from pipeline_dp import dp_computations

        monkeypatch.setattr(
            dp_computations,
            "compute_sensitivities_for_sum",
            lambda params: dp_computations.Sensitivities(l0=1, linf=abs(params.max_value)),
        )
        subject = select("pipeline-dp:sum")[0]()  # within (-2, 1)
        found = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=5_000))
        assert found.verdict is REFUTED

    def test_the_variance_with_the_right_sensitivity_is_acquitted(self, monkeypatch):
        from pipeline_dp import dp_computations

        half = (
            dp_computations.compute_middle
        )  # of an interval of twice the length: half its own is the radius
        monkeypatch.setattr(
            dp_computations,
            "compute_squares_interval",
            lambda low, high: (0.0, 2 * (half(low, high) - low) ** 2),
        )
        subject = select("pipeline-dp:variance")[0]()
        found = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=5_000))
        assert found.verdict is SUPPORTED


class TestPyDP:
    """Half the epsilon of an algorithm is caught."""

    @pytest.fixture(autouse=True)
    def pydp(self):
        pytest.importorskip("pydp", reason='needs PyDP: pip install ".[pipelines]"')

    def test_twice_the_epsilon_is_caught(self):
        subject = select("pydp:sum")[0](epsilon=2.0)
        budget = Budget(runs=5_000)
        assert audit(subject.mechanism, subject.neighbours, PureDP(1.0), budget=budget).verdict is REFUTED
        assert audit(subject.mechanism, subject.neighbours, PureDP(2.0), budget=budget).verdict is SUPPORTED
