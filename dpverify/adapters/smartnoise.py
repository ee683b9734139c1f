"""SmartNoise synthesizers: MWEM on one column whose categories are given from outside.

    MWEMSynthesizer(epsilon).fit(rows, transformer=TableTransformer([LabelTransformer()]) fitted on them)

Published is which categories a sample of 100 records holds. The library draws from the generators of Python,
of NumPy and of the operating system, so that no seed repeats a run. The relation is one record more or less.

Shown on smartnoise-synth 1.0.8: the bins of MWEM end at the least and the largest category of the records.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.guarantees import PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED

CATEGORIES = ("a", "b", "c")
SAMPLES = 100


def mwem(epsilon: float = 1.0, iterations: int = 1) -> Subject:
    """Twenty records, of which the only one of the last category is removed."""
    positive(epsilon=epsilon, iterations=iterations)

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        from snsynth.mwem import MWEMSynthesizer
        from snsynth.transform import LabelTransformer, TableTransformer

        rows = [(CATEGORIES[int(np.clip(value, 0, 2))],) for value in np.ravel(data)]
        seen = []
        for _ in range(runs):
            transformer = TableTransformer([LabelTransformer(nullable=False)])
            transformer.fit([(category,) for category in CATEGORIES])
            synthesizer = MWEMSynthesizer(epsilon=epsilon, iterations=iterations)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                synthesizer.fit(rows, transformer=transformer)
            drawn = {row[0] for row in synthesizer.sample(SAMPLES)}
            seen.append([float(category in drawn) for category in CATEGORIES])
        return np.array(seen)

    pair = Neighbours.remove(np.array([[2.0], *[[0.0]] * 10, *[[1.0]] * 9]), 0)
    said_by = "the parameter epsilon of snsynth.mwem.MWEMSynthesizer"
    return Subject(run, PureDP(epsilon), pair, said_by, runs=300, any_number=True, any_record=False)


TARGETS = (
    Target(
        "smartnoise:mwem",
        "MWEM on a column of three public categories: its bins are those from the least to the largest that "
        "occurs",
        "epsilon-DP",
        mwem,
        ("smartnoise-synth", "torch"),
        'pip install ".[synth]"',
        {"training": REFUTED, "empty": UNDECIDED, "single": REFUTED, "seeds": REFUTED},
    ),
)
