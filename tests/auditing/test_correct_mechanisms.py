"""Correct mechanisms of unusual shape are not refuted, on any rung; a leaky twin of each still is."""

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing import Tape
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import replay
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.releases import Gaussian, Laplace
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

DATA = np.linspace(0.1, 0.9, 12)[:, None]
REPLACED = Neighbours.replace(DATA, 3, [1.0])
ADDED = Neighbours.add(DATA, [0.95])
UNIT = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0, ADD_REMOVE: 1.0})
BUDGET = Budget(runs=1500)


def permuted(data, rng):
    return data[rng.permutation(len(data))].sum() + rng.normal()


def by_rejection(data, rng):
    """Gaussian noise by the polar method, which takes as many tries as it takes."""
    while True:
        u, v = rng.uniform(-1, 1, 2)
        s = u * u + v * v
        if 0 < s < 1:
            return data.sum() + u * np.sqrt(-2 * np.log(s) / s)


def discarded(data, rng):
    """Noise drawn until it is small: less of it than declared would be fine with a claim of its own."""
    z = rng.normal()
    while abs(z) > 4:
        z = rng.normal()
    return data.sum() + z


def sampled(data, rng):
    return data[rng.random(len(data)) < 0.5].sum() + rng.normal()


def rounded(data, rng):
    return np.round(data.sum() + rng.normal())


def coarse(data, rng):
    return np.round(data.sum() + rng.normal(), 1)


def clipped(data, rng):
    return np.clip(data.sum() + rng.normal(), 5.0, 7.0)


def centred(data, rng):
    out = np.array([data.sum(), 0.0, 0.0]) + rng.normal(size=3)
    return out - out.mean()


def standardised(data, rng):
    out = np.array([data.sum(), 0.0, 0.0]) + rng.normal(size=3)
    return out / np.linalg.norm(out)


def shrunk(data, rng):
    """An estimate that is drawn towards a public value after the noise."""
    return 0.5 * (data.sum() + rng.normal()) + 3.0


def two_draws(data, rng):
    return data.sum() + np.sqrt(0.5) * (rng.normal() + rng.normal())


def two_draws_too_small(data, rng):
    return data.sum() + 0.3 * (rng.normal() + rng.normal())


SHAPES = [permuted, by_rejection, discarded, sampled, rounded, coarse, clipped, centred, standardised, shrunk]


@pytest.mark.parametrize("pair", [REPLACED, ADDED], ids=["replace", "add"])
@pytest.mark.parametrize("mechanism", [*SHAPES, two_draws], ids=lambda f: f.__name__)
def test_what_happens_around_the_noise_is_not_taken_for_a_wrong_declaration(mechanism, pair):
    result = audit(mechanism, pair, GDP(1.0), declared=UNIT, budget=BUDGET, smaller=False)
    assert result.verdict is SUPPORTED, result.because


@pytest.mark.parametrize("seed", range(3))
def test_on_other_seeds_too(seed):
    for mechanism in SHAPES:
        assert replay(mechanism, ADDED, UNIT, seed=seed).verdict is not REFUTED
        assert noise_as_declared(mechanism, DATA, UNIT, seed=seed, draws=600).verdict is not REFUTED


@pytest.mark.parametrize("factor", [0.5, 0.9])
def test_too_little_noise_is_seen_without_a_tape(factor):
    """Half the noise, or twice the query: it cannot be told which, and either is too much."""

    def quiet(data, rng):
        return data.sum() + rng.normal(scale=factor)

    def around(data, rng, runs):
        return rng.normal(data.sum(), factor, size=(runs, 1))

    def scaled_down(data, rng):
        return data.sum() + factor * rng.standard_normal()

    for mechanism in (quiet, around, scaled_down):
        assert replay(mechanism, Neighbours.add(DATA, [1.0]), UNIT).verdict is REFUTED


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_noise_is_scaled_in_many_ways(scale):
    declared = Gaussian(scale=scale, sensitivity={ADD_REMOVE: 1.0})
    pair = Neighbours.add(DATA, [1.0])
    mechanisms = [
        lambda data, rng: data.sum() + scale * rng.standard_normal(),
        lambda data, rng: data.sum() + rng.normal(scale=scale),
        lambda data, rng: (data.sum() + scale * rng.normal()) / 12,
        lambda data, rng: -(data.sum() + rng.normal(0, scale)) + 5,
    ]
    for mechanism in mechanisms:
        assert replay(mechanism, pair, declared).verdict is SUPPORTED
        assert noise_as_declared(mechanism, DATA, declared, draws=500).verdict is SUPPORTED


def test_noise_of_another_law_is_not_taken_for_the_declared_one():
    def laplace(data, rng, runs):
        return data.sum() + rng.laplace(scale=0.7, size=(runs, 1))

    assert noise_as_declared(laplace, DATA, UNIT).verdict is UNDECIDED
    assert replay(laplace, REPLACED, UNIT).verdict is UNDECIDED


def test_a_query_that_moves_too_far_is_seen_without_a_tape():
    declared = Laplace(scale=1.0, sensitivity={REPLACE: 0.5, ADD_REMOVE: 0.5})

    def permuted_sum(data, rng):
        return data[rng.permutation(len(data))].sum() + rng.laplace()

    def around(data, rng, runs):
        return rng.laplace(data.sum(), 1.0, size=(runs, 1))

    for mechanism in (permuted_sum, around):
        assert replay(mechanism, REPLACED, declared).verdict is REFUTED
        assert replay(mechanism, ADDED, declared).verdict is REFUTED


def test_what_cannot_be_told_apart_is_said():
    result = replay(rounded, REPLACED, UNIT)
    assert result.verdict is UNDECIDED
    assert "tape" in result.because


def test_too_little_noise_in_two_draws_is_seen_by_the_outputs():
    result = audit(two_draws_too_small, REPLACED, GDP(1.0), declared=UNIT, budget=BUDGET, smaller=False)
    assert result.verdict is REFUTED


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_sums_in_low_precision_are_not_accused_of_their_rounding(kind):
    rng = np.random.default_rng(0)
    data = rng.uniform(-1, 1, size=(400, 5))
    data /= np.linalg.norm(data, axis=1, keepdims=True)
    pair = Neighbours.replace(data, 0, -data[0])
    declared = Gaussian(scale=1.0, sensitivity={REPLACE: 2.0})

    def low(data, rng, tape, factor=1.0):
        total = np.zeros(5, dtype=kind)
        for row in data.astype(kind):
            total = total + kind(factor) * row
        return tape.record(total, total + rng.normal(size=5).astype(kind), declared)

    assert replay(low, pair).verdict is SUPPORTED
    if kind is np.float32:  # half precision has no room for a third of such a sum
        assert replay(lambda data, rng, tape: low(data, rng, tape, 3.0), pair).verdict is REFUTED


def test_large_sums_are_not_accused_of_their_rounding():
    data = np.full((1000, 1), 1e12)
    pair = Neighbours.replace(data, 0, [1e12 + 1])
    declared = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})

    def total(data, rng, tape):
        value = sum(float(row[0]) for row in data)
        return tape.record(value, value + rng.normal(), declared)

    assert replay(total, pair).verdict is not REFUTED


@pytest.mark.parametrize("batched", [False, True])
def test_answers_told_by_the_number_of_outputs(batched):
    """Randomised response, told by how many outputs there are."""

    def respond(data, rng, truth=0.7):
        honest = rng.random() < truth
        return [0.0] * (1 + int(data.sum() > 7) if honest else 2 - int(data.sum() > 7))

    def respond_all(data, rng, runs, truth=0.7):
        return [respond(data, rng, truth) for _ in range(runs)]

    pair = Neighbours.replace(DATA, 0, [5.0])
    mechanism = respond_all if batched else respond
    assert audit(mechanism, pair, PureDP(1.0), budget=BUDGET).verdict is SUPPORTED

    def liar(data, rng):
        return respond(data, rng, 0.95)

    assert audit(liar, pair, PureDP(1.0), budget=BUDGET, smaller=False).verdict is REFUTED


def test_rows_of_many_lengths():
    """A noisy histogram that prints only the bins above a threshold: as many as there happen to be."""

    def threshold(data, rng):
        counts = np.histogram(data, bins=6, range=(0, 1.2))[0] + rng.laplace(scale=2.0, size=6)
        return counts[counts > 1.0]

    assert audit(threshold, REPLACED, PureDP(1.0), budget=BUDGET).verdict is SUPPORTED


def test_a_stable_release_of_the_tape_is_unchanged():
    tape = Tape()
    assert tape.record(np.float32(1.0), 2.0, UNIT) == 2.0
    assert tape.entries[0].precision == np.finfo(np.float32).eps


@pytest.mark.parametrize("size", [2, 3])
def test_groups_of_records(size):
    def total(data, rng):
        return np.clip(data, 0, 1).sum() + rng.normal()

    pair = Neighbours.group(DATA * 0, {index: [1.0] for index in range(size)})
    assert pair.size == size
    assert replay(total, pair, UNIT).verdict is SUPPORTED
    assert audit(total, pair, GDP(float(size)), declared=UNIT, budget=BUDGET).verdict is SUPPORTED
    single = audit(total, pair, GDP(0.5), budget=BUDGET, smaller=False)
    assert single.verdict is REFUTED
    assert replay(lambda data, rng: 2 * data.sum() + rng.normal(), pair, UNIT).verdict is REFUTED


def test_users_with_many_records():
    users = ["a", "b", "a", "c", "a", "b"]
    pair = Neighbours.without_user(np.ones((6, 1)), users, "a")
    declared = Gaussian(scale=1.0, sensitivity={ADD_REMOVE: 1.0})

    def by_record(data, rng):
        return data.sum() + rng.normal()

    def by_user(data, rng):
        return min(data.sum(), 3.0) / 3 + rng.normal()

    assert replay(by_record, pair, declared).verdict is REFUTED
    assert replay(by_user, pair, declared).verdict is SUPPORTED
    assert audit(by_record, pair, ApproxDP(1.0, 1e-5), budget=BUDGET, smaller=False).verdict is REFUTED
