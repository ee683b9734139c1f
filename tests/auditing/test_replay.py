"""Replay accuses nobody whose random stream depends on the number of records: two such executions cannot be
compared.
"""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.auditing.replay import describe, replay
from dpverify.auditing.tape import Tape
from dpverify.neighbours import ADD_REMOVE, REPLACE, Neighbours
from dpverify.releases import Gaussian, Subsampled
from dpverify.verdicts import REFUTED, SUPPORTED

DECLARED = Subsampled(Gaussian(scale=1.0, sensitivity={ADD_REMOVE: 1.0}), size=1, of=2, how="poisson")


def with_a_public_coin(data, rng, runs, tape):
    """A correct step on a Poisson batch, then a fair coin that turns the sign of the output."""
    value = (rng.random((runs, len(data))) < DECLARED.rate) @ data
    released = tape.record(value, value + DECLARED.noise(rng, value.shape), DECLARED)
    return np.where(rng.random((runs, 1)) < 0.5, released, -released)


@pytest.mark.parametrize("seed", range(5))
def test_a_coin_after_a_poisson_batch_is_not_accused(seed):
    assert (
        replay(with_a_public_coin, Neighbours.add(np.ones((1, 1)), [1.0]), seed=seed).verdict is not REFUTED
    )


@pytest.mark.parametrize("leak", [0.0, 1.0])
def test_outputs_of_any_kind_are_replayed(leak):
    """A model with a name, its weights in a dict: what it knows beyond its release is seen."""
    declared = Gaussian(scale=1.0, sensitivity={ADD_REMOVE: 1.0})

    def train(data, rng, tape):
        total = data.sum()
        released = tape.record(total, total + rng.normal(), declared)
        return {"name": "linear", "weights": (np.array([released, 0.0]), leak * total)}

    result = replay(train, Neighbours.add(np.ones((3, 1)), [1.0]))
    assert result.verdict is (REFUTED if leak else SUPPORTED)


def test_a_text_that_reads_like_the_shape_of_an_array_is_told_whole():
    words = np.array([["array of shape (9, 9)"]])
    assert describe(words, np.array([["another"]])) == "[['array of shape (9, 9)']]"
    assert "with record 0 = " in describe(np.eye(20), np.eye(20)[1:])


ONE = Gaussian(scale=2.0, sensitivity={REPLACE: 1.0})


def single_sum(data):
    """A sum in float32, handed on as a float."""
    return float(np.cumsum(data, dtype=np.float32)[-1])


def taped_sum(data, rng, tape, times=1.0):
    total = times * single_sum(data)
    return tape.record(total, total + 2.0 * rng.normal(), ONE)


def noisy_sum(data, rng, times=1.0):
    return times * single_sum(data) + 2.0 * rng.normal()


def pairs_that_round_up():
    """Pairs whose sums in float32 move further than 1 by rounding alone."""
    for seed in range(100):
        data = np.random.default_rng(seed).random(3000)
        data[0] = 0.0
        pair = Neighbours.replace(data, 0, 1.0)
        if single_sum(pair.other) - single_sum(pair.data) > 1:
            yield pair


@pytest.mark.parametrize(("mechanism", "declared"), [(taped_sum, None), (noisy_sum, ONE)])
def test_a_sum_in_float32_that_was_made_a_float_may_be_rounded(mechanism, declared):
    pairs = list(pairs_that_round_up())
    assert len(pairs) > 5
    for pair in pairs:
        assert replay(mechanism, pair, declared).verdict is SUPPORTED


@pytest.mark.parametrize(("mechanism", "declared"), [(taped_sum, None), (noisy_sum, ONE)])
def test_a_sum_in_float32_that_moves_twice_as_far_is_seen(mechanism, declared):
    def twice(data, rng, tape=None):
        return mechanism(data, rng, times=2.0) if tape is None else mechanism(data, rng, tape, times=2.0)

    def untaped(data, rng):
        return twice(data, rng)

    data = np.random.default_rng(0).random(500)
    data[0] = 0.0
    pair = Neighbours.replace(data, 0, 1.0)
    assert replay(twice if declared is None else untaped, pair, declared).verdict is REFUTED


@pytest.mark.parametrize("data", [np.zeros(4000), np.full(4000, 0.5), np.full(4000, 0.1)])
def test_float64s_that_a_float32_holds_by_chance_are_not_taken_for_one(data):
    def counted(data, rng, tape):
        total = data.sum()
        return tape.record(total, total + rng.normal(), ONE)

    assert replay(counted, Neighbours.replace(data, 0, data[0] + 1.001)).verdict is REFUTED
    assert replay(counted, Neighbours.replace(data, 0, data[0] + 2.0)).verdict is REFUTED


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("leak", [0.0, 1.0])
def test_outputs_are_compared_only_where_as_much_was_drawn(seed, leak):
    """How much is drawn depends on the data, what is drawn does not; without a coin outputs are compared."""

    def train(data, rng, tape, coin=1.0):
        total = data.sum()
        for _ in range(int(total) + rng.integers(2)):
            rng.random()
        released = tape.record(total, total + 2.0 * rng.normal(), ONE)
        return released + coin * rng.normal() + leak * total

    def without_coin(data, rng, tape):
        return train(data, rng, tape, coin=0.0)

    pair = Neighbours.replace(np.zeros(3), 0, 1.0)
    result = replay(train, pair, seed=seed)
    assert result.verdict is SUPPORTED and "was not seen" in result.because
    assert replay(without_coin, pair, seed=seed).verdict is (REFUTED if leak else SUPPORTED)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("beyond", "verdict"), [(0.0, SUPPORTED), (0.01, REFUTED)])
def test_steps_from_frozen_releases_are_rounded_as_they_were(kind, beyond, verdict):
    def descent(data, rng, tape):
        weights = np.zeros(2, dtype=kind)
        for _ in range(4):
            total = np.clip(data, 0, 1).sum(axis=0).astype(kind) * kind(0.7)
            noisy = total + kind(2) * rng.standard_normal(2, dtype=kind)
            weights = weights + kind(0.1) * tape.record(total, noisy, ONE)
        return weights + kind(beyond) * data.sum().astype(kind)

    pair = Neighbours.replace(np.zeros((2, 2)), 0, [1.0, 0.0])
    assert replay(descent, pair).verdict is verdict


@pytest.mark.parametrize("released", [1, 1.5, [1.0, 2.5], np.float32(0.1), np.arange(3, dtype=np.float32)])
def test_a_frozen_release_is_handed_back_as_it_was(released):
    tape = Tape()
    tape.record(0.0, released, None)
    again = Tape(frozen=tape.entries).record(0.0, released, None)
    assert type(again) is type(released)
    assert np.array_equal(again, released) and np.asarray(again).dtype == np.asarray(released).dtype
