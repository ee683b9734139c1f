"""Answers kept in a variable of a module, in a class or in a cache are no leak of one call; a leak beside
such a memory is still found.
"""

import functools
from typing import ClassVar

import numpy as np
import pytest

from dpverify import Budget, Neighbours, PureDP, audit
from dpverify.auditing.memory import Memory
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
KEPT: dict = {}
CALLS = 0
NOISE = np.random.default_rng(5)


def in_a_variable(data, rng):
    return KEPT.setdefault(data.tobytes(), float(data.sum()) + rng.laplace())


@functools.lru_cache
def answer(total):
    return total + NOISE.laplace()


def in_a_cache(data, rng):
    return answer(float(data.sum()))


class InAClass:
    kept: ClassVar = {}

    def __call__(self, data, rng):
        return self.kept.setdefault(data.tobytes(), float(data.sum()) + rng.laplace())


def counting(data, rng):
    global CALLS
    CALLS += 1
    return float(data.sum()) + rng.laplace(scale=0.4)


@pytest.mark.parametrize(
    "mechanism", [in_a_variable, in_a_cache, InAClass()], ids=["variable", "cache", "class"]
)
def test_kept_answers_are_not_taken_for_a_leak(mechanism):
    result = audit(mechanism, PAIR, PureDP(1.0), budget=Budget(runs=400))
    assert result.verdict is UNDECIDED
    assert "keeps a state" in result.because


def test_a_leak_beside_a_memory_is_found_and_its_twin_acquitted():
    assert audit(counting, PAIR, PureDP(1.0), budget=Budget(runs=2000), smaller=False).verdict is REFUTED
    assert audit(counting, PAIR, PureDP(2.5), budget=Budget(runs=2000), smaller=False).verdict is SUPPORTED


def test_what_was_changed_is_put_back():
    before = CALLS
    memory = Memory(counting)
    assert not memory.changed()
    counting(PAIR.data, np.random.default_rng(0))
    assert memory.changed()
    memory.put_back()
    assert before == CALLS
    assert not memory.changed()
