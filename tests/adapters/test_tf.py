"""TensorFlow Privacy: every target ends as known, planted bugs are caught, and its own random numbers are
independent.
"""

from unittest.mock import patch

import numpy as np
import pytest

pytest.importorskip(
    "tensorflow_privacy", reason="needs TensorFlow Privacy, see dpverify/adapters/tf_privacy.py"
)

from dpverify.adapters import tf_privacy as adapter
from dpverify.auditing import Budget, Tape, audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import replay
from dpverify.neighbours import Neighbours
from dpverify.properties.examination import examine
from dpverify.verdicts import REFUTED, SUPPORTED


@pytest.fixture
def traced_anew():
    """No compiled function of another test, before and after."""
    adapter.gradients.cache_clear()
    yield
    adapter.gradients.cache_clear()


@pytest.mark.parametrize("target", adapter.TARGETS, ids=lambda target: target.name)
def test_target_ends_as_known(target):
    assert examine(target).surprises == []


@pytest.mark.parametrize("target", adapter.TARGETS, ids=lambda target: target.name)
def test_same_seed_same_output(target):
    subject = target()
    extra = {"tape": Tape()} if target.name != "tf-privacy:tree" else {}
    first, again, other = (
        subject.mechanism(subject.neighbours.data, np.random.default_rng(seed), runs=2, **extra)
        for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_its_own_random_numbers_are_independent():
    """The same law on the noise as it is without the generator that makes runs repeatable."""
    subject = adapter.dpkeras_sgd()
    tf = adapter._tensorflow()
    compute, _ = adapter.gradients(1.0, 1.0, reseeded=False)

    def train(data, rng, runs, tape):
        rows = tf.constant(np.asarray(data, dtype=np.float32))
        query = np.tile(len(data) * adapter.gradients(0.0, 1.0)[0](rows, 1).numpy().astype(float), (runs, 1))
        declared = declared_of(subject)
        return np.concatenate(
            [
                tape.record(query, len(data) * compute(rows, runs).numpy().astype(float), declared)
                for _ in range(2)
            ],
            axis=1,
        )

    assert noise_as_declared(train, subject.neighbours.data).verdict is SUPPORTED


def declared_of(subject):
    tape = Tape()
    subject.mechanism(subject.neighbours.data, np.random.default_rng(0), runs=1, tape=tape)
    return tape.entries[0].declared


@pytest.mark.usefixtures("traced_anew")
def test_a_forgotten_clip_is_caught():
    from tensorflow_privacy.privacy.dp_query.gaussian_query import GaussianSumQuery

    with patch.object(GaussianSumQuery, "preprocess_record", lambda self, params, record: record):
        subject = adapter.dpkeras_sgd()
    assert replay(subject.mechanism, subject.neighbours).verdict is REFUTED


@pytest.mark.usefixtures("traced_anew")
def test_half_the_noise_is_caught():
    from tensorflow_privacy.privacy.dp_query.gaussian_query import GaussianSumQuery

    honest = GaussianSumQuery.make_global_state
    with patch.object(
        GaussianSumQuery, "make_global_state", lambda self, clip, stddev: honest(self, clip, 0.5 * stddev)
    ):
        subject = adapter.dpkeras_sgd()
    assert noise_as_declared(subject.mechanism, subject.neighbours.data).verdict is REFUTED
    assert (
        audit(
            subject.mechanism,
            subject.neighbours,
            subject.claim,
            budget=Budget(runs=2000),
            rungs=["statistics"],
            smaller=False,
        ).verdict
        is REFUTED
    )


def test_a_tree_that_is_charged_for_one_node_is_caught():
    from dpverify.guarantees import ZCDP

    subject = adapter.tree()
    assert (
        audit(
            subject.mechanism, subject.neighbours, ZCDP(0.5), budget=Budget(runs=10_000), smaller=False
        ).verdict
        is REFUTED
    )


def test_the_plain_tree_keeps_its_claim():
    subject = adapter.tree(efficient=False)
    assert (
        audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=10_000)).verdict
        is SUPPORTED
    )


def test_removed_records_show_by_the_divisor():
    subject = adapter.dpkeras_sgd(relation="add/remove")
    pair = Neighbours.remove(np.zeros((4, 4)), 0)  # nothing but their number differs
    assert (
        audit(subject.mechanism, pair, subject.claim, budget=Budget(runs=2000), smaller=False).verdict
        is REFUTED
    )


@pytest.mark.parametrize(
    ("build", "settings", "message"),
    [
        (adapter.dpkeras_sgd, {"noise": -1.0}, "Expected noise=-1.0 > 0"),
        (adapter.dpkeras_sgd, {"relation": "replace"}, "Expected relation='replace'"),
        (adapter.tree, {"joined": 5}, "Expected joined=5 <= leaves=4"),
    ],
)
def test_bad_settings(build, settings, message):
    with pytest.raises(ValueError, match=message):
        build(**settings)
