"""Replay accuses nobody whose random stream depends on the number of records: two such executions cannot be
compared.
"""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.auditing.replay import describe, replay
from dpverify.neighbours import ADD_REMOVE, Neighbours
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
