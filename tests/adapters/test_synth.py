"""SmartNoise: every target ends as known, and twins without the findings are acquitted: MWEM with bins for
all categories, a scaler that looks for its noise at the right distance, covariances in one order. AIM and
QUAIL with a planted overspending and PATEGAN with one teacher for all are caught.
"""

import numpy as np
import pytest

from dpverify.adapters import select
from dpverify.auditing import Budget, audit
from dpverify.properties.examination import examine
from dpverify.properties.laws import laws
from dpverify.verdicts import REFUTED, SUPPORTED

pytest.importorskip("snsynth", reason='needs SmartNoise: pip install ".[synth]"')


@pytest.mark.parametrize("target", select("smartnoise:*"), ids=lambda target: target.name)
def test_target_ends_as_known(target):
    assert examine(target).surprises == []


def test_mwem_with_a_bin_for_every_category_is_acquitted(monkeypatch):
    from snsynth import mwem

    plain = np.histogramdd
    wide = mwem.MWEMSynthesizer._histogram_from_data_attributes

    def with_all(self, data, splits=()):
        ends = np.array([[0], [2]])
        histograms = wide(self, np.concatenate([data, ends]), splits)
        for histogram in histograms:
            histogram.data = histogram.data - plain(ends, bins=histogram.bins)[0]
        return histograms

    monkeypatch.setattr(mwem.MWEMSynthesizer, "_histogram_from_data_attributes", with_all)
    subject = select("smartnoise:mwem")[0]()
    found = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=subject.runs))
    assert found.verdict is SUPPORTED


def test_a_scaler_at_the_distance_of_a_replaced_record_is_acquitted(monkeypatch):
    from snsynth.transform import standard

    search = standard.binary_search_param
    monkeypatch.setattr(
        standard,
        "binary_search_param",
        lambda make, d_in, d_out, **options: search(make, 2 * d_in, d_out, **options),
    )
    subject = select("smartnoise:standard-scaler")[0]()
    found = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=subject.runs))
    assert found.verdict is SUPPORTED


def test_choices_of_aim_at_twice_their_budget_are_seen(monkeypatch):
    from snsynth.aim import aim

    choose = aim.AIMSynthesizer._worst_approximated
    monkeypatch.setattr(
        aim.AIMSynthesizer,
        "_worst_approximated",
        lambda self, candidates, answers, model, epsilon, sigma: choose(
            self, candidates, answers, model, 2 * epsilon, sigma
        ),
    )
    assert laws()["budget"](select("smartnoise:aim")[0]()).verdict is REFUTED


def test_covariances_with_the_noise_of_their_own_order_are_acquitted(monkeypatch):
    from snsynth.models import dp_covariance

    given = dp_covariance.covariance_sensitivity

    def in_order(n, ranges, intercept):
        size = ranges.shape[1]
        square = np.zeros((size, size))
        square[np.triu_indices(size)] = given(n, ranges, intercept)
        return square.T[np.tril_indices(size)]

    monkeypatch.setattr(dp_covariance, "covariance_sensitivity", in_order)
    subject = select("smartnoise:covariance")[0]()
    found = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=subject.runs))
    assert found.verdict is SUPPORTED


def test_a_quail_whose_synthesizer_gets_all_of_epsilon_is_seen(monkeypatch):
    from snsynth import quail

    fit = quail.QUAILSynthesizer.fit

    def generous(self, *data, **named):
        half = self.dp_synthesizer
        self.dp_synthesizer = lambda epsilon: half(epsilon=self.epsilon)
        return fit(self, *data, **named)

    monkeypatch.setattr(quail.QUAILSynthesizer, "fit", generous)
    assert laws()["budget"](select("smartnoise:quail")[0]()).verdict is REFUTED


def test_one_teacher_for_all_votes_of_pategan_is_seen(monkeypatch):
    from snsynth.pytorch.nn import pategan

    pate = pategan.pate
    monkeypatch.setattr(
        pategan,
        "pate",
        lambda made_up, networks, scale, **options: pate(
            made_up, [networks[0]] * len(networks), scale, **options
        ),
    )
    assert laws()["sensitivity"](select("smartnoise:pategan-votes")[0](), seed=0).verdict is REFUTED
