"""Answers to queries, local and shuffled guarantees: the pair that a mechanism breaks on is in reach."""

import math

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing import shuffled
from dpverify.auditing.search import worst_neighbours, worst_of
from dpverify.guarantees import ApproxDP, PureDP
from dpverify.neighbours import REPLACE, check_neighbours, equal, patterns
from dpverify.verdicts import REFUTED, SUPPORTED

BUDGET = Budget(runs=2000)


def sums(mechanism):
    return lambda data, rng: mechanism(data.sum(axis=0), rng)


def noisy_place(scale):
    return sums(lambda answers, rng: int((answers + rng.laplace(scale=scale, size=len(answers))).argmax()))


def sparse_vector(scale, most):
    """How the first answers compare with a noisy threshold; the budget is spent on `most` that are above."""

    def mechanism(answers, rng):
        threshold, out = 1.0 + rng.laplace(scale=2.0), []
        for answer in answers:
            out.append(bool(answer + scale * rng.laplace() >= threshold))
            if sum(out) == most:
                break
        return out

    return sums(mechanism)


@pytest.mark.parametrize("queries", [2, 5, 6])
def test_patterns_are_neighbours(queries):
    for pair in patterns(queries).values():
        check_neighbours(pair)
        assert not equal(pair)
        assert np.abs(pair.data.sum(axis=0) - pair.other.sum(axis=0)).max() == 1


@pytest.mark.parametrize(
    "broken",
    [noisy_place(0.8), sparse_vector(0.0, 1), sparse_vector(1.0, 99)],
    ids=["noisy maximum", "sparse vector without noise", "sparse vector without an end"],
)
def test_mechanisms_over_answers_break_on_a_pattern(broken):
    claim = PureDP(1.0)
    pair = worst_of(broken, patterns(6).values(), claim)
    assert audit(broken, pair, claim, budget=Budget(runs=10_000), smaller=False).verdict is REFUTED


@pytest.mark.parametrize(
    "correct", [noisy_place(2.0), sparse_vector(4.0, 1)], ids=["noisy maximum", "sparse vector"]
)
def test_their_twins_break_on_none(correct):
    claim = PureDP(1.0)
    pair = worst_of(correct, patterns(6).values(), claim)
    assert audit(correct, pair, claim, budget=BUDGET).verdict is SUPPORTED


def test_answers_that_one_person_cannot_change_are_refused():
    with pytest.raises(ValueError, match="differ by at most 1"):
        Neighbours.answers([1, 1], [3, 1])
    with pytest.raises(ValueError, match="as many counts"):
        Neighbours.answers([1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="queries=1"):
        patterns(1)
    with pytest.raises(ValueError, match="that differ"):
        worst_of(noisy_place(1.0), [Neighbours.answers([1, 1], [1, 1])], PureDP(1.0))


def response(truth):
    return lambda record, rng: bool(record) == (rng.random() < truth)


@pytest.mark.parametrize(("truth", "verdict"), [(0.73, SUPPORTED), (0.9, REFUTED)])
def test_a_local_guarantee_is_one_of_two_values(truth, verdict):
    def local(data, rng):
        return response(truth)(data[0], rng)

    result = audit(local, Neighbours.local(False, True), PureDP(1.0), budget=BUDGET, smaller=False)
    assert result.verdict is verdict


@pytest.mark.parametrize(("truth", "verdict"), [(0.73, SUPPORTED), (0.99, REFUTED)])
def test_a_shuffled_guarantee_is_tighter_than_the_local_one(truth, verdict):
    """Of 60 shuffled responses at a local epsilon of 1, much less is seen; hardly randomised ones leak."""
    crowd = Neighbours.replace(np.zeros(60, dtype=bool), 0, True)
    result = audit(shuffled(response(truth)), crowd, ApproxDP(0.6, 0.05), budget=BUDGET, smaller=False)
    assert result.verdict is verdict


def test_the_heap_of_reports_tells_nothing_of_their_order():
    def whole(record, rng):
        return float(record)

    values = np.array([3.0, 1.0, 2.0])
    rng = np.random.default_rng(0)
    assert shuffled(whole)(values, rng) == shuffled(whole)(values[::-1], rng) == [1.0, 2.0, 3.0]
    texts = shuffled(lambda record, rng: str(record))(values, rng)
    assert texts == ["1.0", "2.0", "3.0"]


def test_a_leak_that_needs_a_crowd_is_found_with_the_claim():
    """A maximum that is released where all others are at the floor: beside mixed records nothing moves."""

    def crowded(data, rng):
        noise = rng.laplace(scale=2.0)
        return (20.0 * data.max() if np.sort(data, axis=0)[-2, 0] <= 0 else 0.0) + noise

    data = np.array([[0.0], [1.0], [0.4], [0.7]])
    pair = worst_neighbours(crowded, data, REPLACE, claim=PureDP(1.0), tries=20)
    assert np.sort(pair.data, axis=0)[-2, 0] <= 0 or np.sort(pair.other, axis=0)[-2, 0] <= 0
    assert audit(crowded, pair, PureDP(1.0), budget=BUDGET, smaller=False).verdict is REFUTED
    assert math.isfinite(float(pair.data.max()))
