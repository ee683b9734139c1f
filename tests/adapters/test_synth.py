"""SmartNoise synthesizers: every target ends as known, and MWEM with bins for all categories is acquitted."""

import numpy as np
import pytest

from dpverify.adapters import select
from dpverify.auditing import Budget, audit
from dpverify.properties.examination import examine
from dpverify.verdicts import SUPPORTED

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
