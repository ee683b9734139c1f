"""Canaries in data and in gradients: valid where the claim is true, and they find a training that forgets its
noise; in numpy, and in torch and JAX where they are installed.
"""

import math

import numpy as np
import pytest
from scipy.special import bdtrc

from dpverify.auditing.canaries import GradientCanaries, craft, data_canaries, flat, shaped
from dpverify.auditing.one_run import one_run
from dpverify.guarantees import GDP, ApproxDP
from dpverify.verdicts import REFUTED, SUPPORTED

SHAPES = [(30, 40), (40,)]


def arrays(library):
    """How the library makes an array of a numpy one."""
    if library == "numpy":
        return np.asarray
    if library == "torch":
        return pytest.importorskip("torch").as_tensor
    return pytest.importorskip("jax.numpy").asarray


def trained(make, canaries, noise, steps, rate=1.0):
    """A loop over layers in the library's own arrays: clip, sum, add the canaries, add noise, step."""
    rng = np.random.default_rng(7)
    layers = [make(np.zeros(shape)) for shape in SHAPES]
    for _ in range(steps):
        added = canaries.total(layers, rate=rate, rng=rng)
        noisy = [
            make(0.1 * np.ones(np.shape(layer)) + extra + noise * rng.normal(size=np.shape(layer)))
            for layer, extra in zip(layers, added)
        ]
        canaries.observe(noisy)
        layers = [layer - 0.1 * update for layer, update in zip(layers, noisy)]


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_a_loop_with_too_little_noise_is_found_and_its_twin_acquitted(library):
    make = arrays(library)
    for noise, verdict in ((0.5, REFUTED), (4.0, SUPPORTED)):
        canaries = GradientCanaries.random(300, 1240, clip=1.0)
        trained(make, canaries, noise, steps=4)
        result = canaries.audit(GDP(0.5))  # true of a noise of 4
        assert result.verdict is verdict, result.because
        assert {"auroc", "tpr_at_fpr_0.01", "mu_lower_bound"} <= set(result.evidence.certificate)


def accused(audits, noise, alpha=0.05):
    """How many audits of 0.5-GDP are refuted, of three steps on orthogonal canaries with so much noise."""
    count = 0
    for seed in range(audits):
        rng = np.random.default_rng(seed)
        canaries = GradientCanaries(np.eye(250), seed=seed)
        for _ in range(3):
            canaries.observe(canaries.total() + noise * rng.normal(size=250))
        count += canaries.audit(GDP(0.5), alpha=alpha).verdict is REFUTED
    return count


def test_true_claims_are_accused_at_most_as_often_as_alpha_and_false_ones_are():
    """Measured: 0 false alarms in 300 audits of the tight claim (the theorem itself is not tight)."""
    alarms = accused(20, 2 * math.sqrt(3.0))
    assert alarms == 0 or bdtrc(alarms - 1, 20, 0.05) > 1e-6
    assert accused(3, 0.4) == 3


def test_batches_take_each_canary_at_their_rate():
    canaries, rng = GradientCanaries(np.eye(400)), np.random.default_rng(0)
    counts = np.sum([canaries.total(rate=0.25, rng=rng) for _ in range(40)], axis=0)
    assert (counts[~canaries.included] == 0).all()
    assert abs(counts[canaries.included].mean() - 10) < 1.5  # 8 standard errors
    with pytest.raises(ValueError, match=r"rate=0.5"):
        canaries.total(rate=0.5)


def squared(weights):
    """The gradient of (x . w - y)^2 / 2 in w, for records (x, y)."""
    return lambda record: (record[:-1] @ weights - record[-1]) * record[:-1]


def test_a_crafted_record_stands_out_where_a_random_one_hides():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=12)
    gradient = squared(weights)
    records = np.concatenate([rng.normal(size=(6, 8)), np.zeros((6, 4)), rng.normal(size=(6, 1))], axis=1)
    others = [gradient(record) for record in records]
    random = np.append(rng.normal(size=8) @ np.eye(8, 12), 0.3)
    crafted = craft(gradient, random, others, clip=1.0)

    def overlap(record):
        own = gradient(record) / np.linalg.norm(gradient(record))
        return max(abs(own @ other) / np.linalg.norm(other) for other in others)

    assert overlap(random) > 0.3 > 10 * overlap(crafted)
    assert np.linalg.norm(gradient(crafted)) > 0.99


def _noisy_sum(canaries, data, scale):
    """One training, a sum of features times labels with noise, on the data and half of the canaries."""

    def train(data, rng):
        features, labels = data
        return (features.T * (2 * labels - 1)).sum(axis=1) + 20 * scale * rng.normal(size=400)

    def score(output, canary):
        return float(output @ canary[0]) * (2 * canary[1] - 1)

    return one_run(train, data, canaries, score, ApproxDP(1.0, 1e-5)).verdict


def _records():
    rng = np.random.default_rng(1)
    return rng.uniform(-1, 1, size=(20, 400)), rng.integers(0, 2, size=20)


@pytest.mark.parametrize(("scale", "verdict"), [(0.3, REFUTED), (20.0, SUPPORTED)])
def test_canaries_in_directions_of_their_own_through_one_training(scale, verdict):
    canaries = [(20 * row, k % 2) for k, row in enumerate(np.eye(400)[:200])]
    assert _noisy_sum(canaries, _records(), scale) is verdict


@pytest.mark.parametrize("kind", ["corner", "mislabelled"])
def test_canaries_made_from_the_data_acquit_enough_noise(kind):
    data = _records()
    assert _noisy_sum(data_canaries(data, 200, kind=kind), data, 200.0) is SUPPORTED


def test_mislabelled_records_have_a_wrong_label():
    data = (np.arange(6.0)[:, None], np.array([0, 1, 2, 0, 1, 2]))
    for record, label in data_canaries(data, 20, kind="mislabelled"):
        assert label != data[1][int(record[0])]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"clip=0"):
        GradientCanaries.random(10, 10, clip=0.0)
    with pytest.raises(ValueError, match=r"shape \(1, 4\)"):
        GradientCanaries(np.ones((1, 4)))
    with pytest.raises(ValueError, match="4 numbers, got 3"):
        GradientCanaries(np.eye(4)).observe(np.ones(3))
    with pytest.raises(ValueError, match="kind='loud'"):
        data_canaries(np.ones((2, 1)), 3, kind="loud")
    with pytest.raises(ValueError, match="to mislabel"):
        data_canaries(np.ones((2, 1)), 3, kind="mislabelled")
    with pytest.raises(ValueError, match="finite"):
        GradientCanaries(np.full((3, 3), np.nan))


def test_flat_and_shaped_undo_each_other():
    parts = {"b": np.arange(2.0), "a": [np.arange(6.0).reshape(2, 3)]}
    again = shaped(flat(parts), parts)
    assert np.array_equal(again["a"][0], parts["a"][0]) and np.array_equal(again["b"], parts["b"])
