"""SmartNoise's QUAIL, and the covariances behind the linear regression of `snsynth.models`.

    QUAIL          s epsilon for a private classifier of the label, which sees four fifths of the records, and
                   (1 - s) epsilon for a private synthesizer of the other columns; s = 0.9
    DPcovariance   every entry of the covariance matrix with Laplace noise for its share of epsilon

QUAIL takes classifier and synthesizer from outside: here they are noisy counts of ours, so that what is shown
is QUAIL's own. `DPLinearRegression` ends in an error on all data (`amsweep` asks an array whether it `is
False`), after the covariances have been drawn; these are looked at by themselves.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import mock

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.smartnoise.marginals import INSTALL, PACKAGES, quiet
from dpverify.guarantees import PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Spent, Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED


class _Counted:
    """A private model that publishes how many of the values that it is fitted to are above a half."""

    def __init__(self, epsilon: float, rng: np.random.Generator) -> None:
        self.epsilon, self.rng = epsilon, rng
        self.shown = 0.0

    def _count(self, values: Any) -> None:
        self.shown = float(np.sum(np.asarray(values) > 0.5) + self.rng.laplace(scale=1 / self.epsilon))


class _Classifier(_Counted):
    def fit(self, features: Any, labels: Any) -> None:
        self._count(labels)

    def predict(self, features: Any) -> Any:
        return np.zeros(len(features))


class _Synthesizer(_Counted):
    def fit(self, data: Any, **_: Any) -> None:
        self._count(data)


def quail(epsilon: float = 1.0, accuracy: bool = False) -> Subject:
    """Six records of a feature and a label, of which one is replaced. Published are the two private counts,
    or the attribute `target_accuracy` of the fitted synthesizer, the share of labels of the other fifth of
    the records that the classifier has right. The report on the classes, which takes long, is left out.
    """
    positive(epsilon=epsilon)

    def fitted(data: Any, rng: np.random.Generator) -> Any:
        import pandas as pd
        import sklearn.metrics
        from snsynth.quail import QUAILSynthesizer

        synthesizer = QUAILSynthesizer(
            epsilon,
            partial(_Synthesizer, rng=rng),
            partial(_Classifier, rng=rng),
            "label",
            seed=int(rng.integers(2**31)),
        )
        table = pd.DataFrame(
            np.nan_to_num(np.asarray(data) > 0.5).astype(float), columns=["feature", "label"]
        )
        with quiet(), mock.patch.object(sklearn.metrics, "classification_report", return_value=""):
            synthesizer.fit(table)
        return synthesizer

    def run(data: Any, rng: np.random.Generator) -> Any:
        synthesizer = fitted(data, rng)
        counts = [synthesizer.private_model.shown, synthesizer.private_synth.shown]
        return np.array([synthesizer.target_accuracy] if accuracy else counts)

    def spent(data: Any) -> Spent:
        synthesizer = fitted(data, np.random.default_rng(0))
        return [
            ("the classifier", synthesizer.private_model.epsilon),
            ("the synthesizer", synthesizer.private_synth.epsilon),
        ]

    values = np.zeros((6, 2))
    values[0] = 1.0
    pair = Neighbours.replace(values, 0, [0.0, 0.0])
    said_by = "the parameter epsilon of snsynth.quail.QUAILSynthesizer"
    return Subject(
        run,
        PureDP(epsilon),
        pair,
        said_by,
        calls=None if accuracy else spent,
        runs=300 if accuracy else 600,
        shrinks=False,
    )


def covariance(epsilon: float = 1.0) -> Subject:
    """A hundred records of three columns, the first two within (0, 1) and the third within (0, 1000), of
    which one is replaced: their number is taken for public.
    """
    positive(epsilon=epsilon)
    columns = ["a", "b", "c"]

    def run(data: Any, rng: np.random.Generator) -> Any:
        import pandas as pd
        from snsynth.models.dp_covariance import DPcovariance

        np.random.seed(int(rng.integers(2**31)))
        table = pd.DataFrame(np.asarray(data, dtype=float), columns=columns)
        bounds = pd.DataFrame([[0.0, 0.0, 0.0], [1.0, 1.0, 1000.0]])
        with quiet():
            return np.array(DPcovariance(len(table), columns, bounds, epsilon).release(table))

    values = np.zeros((100, 3))
    values[0] = [1.0, 0.0, 0.0]
    pair = Neighbours.replace(values, 0, [1.0, 0.0, 1000.0])
    said_by = "the parameter global_eps of snsynth.models.dp_covariance.DPcovariance"
    return Subject(run, PureDP(epsilon), pair, said_by, runs=150, shrinks=False)


NEEDS = (*PACKAGES, "scikit-learn")
TARGETS = (
    Target(
        "smartnoise:quail",
        "QUAIL with a classifier and a synthesizer of ours, and what each of them gets of epsilon: half the "
        "claim stands in so few runs",
        "epsilon-DP",
        quail,
        NEEDS,
        INSTALL,
        {"half": SUPPORTED, "empty": UNDECIDED, "single": UNDECIDED},
    ),
    Target(
        "smartnoise:quail-accuracy",
        "the accuracy that a fitted QUAIL holds as target_accuracy",
        "epsilon-DP",
        partial(quail, accuracy=True),
        NEEDS,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": UNDECIDED, "huge": REFUTED},
    ),
    Target(
        "smartnoise:covariance",
        "the covariances of three columns of different ranges, as DPLinearRegression draws them",
        "epsilon-DP",
        covariance,
        NEEDS,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": UNDECIDED, "huge": REFUTED},
    ),
)
