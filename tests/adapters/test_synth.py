"""SmartNoise: every target ends as known, and twins without the findings are acquitted: MWEM with bins for
all categories, and a scaler that looks for its noise at the right distance. AIM with a planted overspending
is caught.
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
