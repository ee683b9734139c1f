"""Bad input gets an error that names the argument and its value."""

import json
import threading

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing import Audit
from dpverify.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

DATA = np.arange(4.0)[:, None]
PAIR = Neighbours.replace(DATA, 0, [9.0])
FEW = Budget(runs=300)


def mechanism(data, rng):
    return data.sum() + rng.normal()


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (Neighbours(DATA, DATA + 1, REPLACE), "differ in 4"),
        (Neighbours(DATA, DATA[:3], REPLACE), "4 and 3 records"),
        (Neighbours(DATA, DATA[:2], ADD_REMOVE), "4 and 2 records"),
        (Neighbours(DATA, np.append(DATA[:3] + 1, [[0.0], [1.0]], axis=0), ADD_REMOVE), "add/remove"),
        (Neighbours(DATA, Neighbours.replace(DATA, 1, [9.0]).other, ZERO_OUT), "zero-out"),
        (Neighbours(DATA, DATA.copy(), REPLACE), "the same records"),
        (Neighbours.zero_out(DATA, 0), "the same records"),
        (Neighbours(DATA, DATA[::-1], REPLACE), "differ in 4"),
        (Neighbours((DATA, np.zeros(4)), (DATA, np.ones(4)), REPLACE), "differ in 4"),
    ],
)
def test_data_sets_that_are_no_neighbours(pair, says):
    with pytest.raises(ValueError, match=says):
        audit(mechanism, pair, GDP(1.0), budget=Budget(runs=100))


@pytest.mark.parametrize(
    "pair",
    [
        Neighbours.remove(DATA, 2),
        Neighbours.add(DATA, [0.0]).swapped(),
        Neighbours.zero_out(DATA, 1).swapped(),
        Neighbours.replace((DATA, np.array(list("abcd"))), 1, (7.0, "d")),
        Neighbours(np.zeros((3, 1)), np.zeros((2, 1)), ADD_REMOVE),
        Neighbours(DATA, np.delete(DATA, [0, 2], axis=0), ADD_REMOVE, size=2),
        Neighbours(np.zeros((1, 1)), np.zeros((0, 1)), "add/remove"),
    ],
)
def test_neighbours_that_are(pair):
    result = audit(lambda data, rng: rng.normal(), pair, GDP(1.0), budget=Budget(runs=100))
    assert "Expected" not in result.because


def test_an_unknown_relation():
    with pytest.raises(ValueError, match="adjacency='swap' among add/remove, replace, zero-out"):
        Neighbours(DATA, DATA[:3], "swap")


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        (1.0, "claim=1.0"),
        (None, "claim=None"),
        (PureDP, "claim=.*PureDP"),
        ((1.0, 1e-5), "claim="),
        (PureDP(800.0), "epsilon=800"),
        (PureDP(float("inf")), "epsilon=inf"),
        (GDP(float("inf")), "mu=inf"),
        (ZCDP(1e9), "rho=1000000000"),
        (ApproxDP(701.0, 1e-5), "epsilon=701"),
    ],
)
def test_claims_that_are_none(claim, says):
    with pytest.raises((TypeError, ValueError), match=says):
        audit(mechanism, PAIR, claim, budget=Budget(runs=100))


def test_a_claim_of_nan():
    with pytest.raises(ValueError, match="epsilon=nan"):
        audit(mechanism, PAIR, PureDP(float("nan")), budget=Budget(runs=100))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"runs": 1e5}, "runs=100000.0"),
        ({"runs": 1}, "runs=1"),
        ({"runs": True}, "runs=True"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"seed": -1}, "seed=-1"),
        ({"workers": 0}, "workers=0"),
        ({"alpha": 0.0}, "alpha=0"),
        ({"alpha": "0.1"}, "alpha='0.1'"),
        ({"seconds": 0.0}, "seconds=0"),
        ({"seconds": "5"}, "seconds='5'"),
        ({"call_seconds": -1.0}, "call_seconds=-1"),
    ],
)
def test_budgets(options, says):
    with pytest.raises((TypeError, ValueError), match=says):
        Budget(**options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"budget": 100}, "budget=100"),
        ({"declared": 3}, "declared=3"),
        ({"rungs": "statistics"}, "rungs='statistics'"),
        ({"public": "records"}, "public='records'"),
    ],
)
def test_options_of_another_kind(options, says):
    with pytest.raises(TypeError, match=says):
        audit(mechanism, PAIR, GDP(1.0), **{"budget": Budget(runs=100), **options})


def test_mechanisms_that_change_their_data():
    def adding(data, rng):
        data[0] += 1
        return rng.normal()

    result = audit(adding, Neighbours.replace(DATA.copy(), 0, [9.0]), GDP(1.0), budget=Budget(runs=100))
    assert result.verdict is UNDECIDED
    assert "adding changes its data" in result.because


def test_data_of_a_kind_of_its_own_are_taken_as_they_are():
    def total(data, rng):
        return data["value"] + rng.normal()

    pair = Neighbours({"value": 1.0}, {"value": 1.5}, REPLACE)
    assert audit(total, pair, GDP(1.0), budget=Budget(runs=500)).verdict is SUPPORTED


def test_a_group_of_a_whole_number():
    with pytest.raises(TypeError, match=r"size=1.5"):
        Neighbours(DATA, DATA[:3], ADD_REMOVE, size=1.5)


def test_a_mechanism_that_is_none():
    with pytest.raises(TypeError, match="mechanism=3"):
        Audit(3, PAIR, GDP(1.0))


def test_what_is_public_is_known_by_name():
    with pytest.raises(ValueError, match="public="):
        audit(mechanism, PAIR, GDP(1.0), public=("weather",))


def test_a_closure_that_cannot_be_pickled():
    lock = threading.Lock()

    def held(data, rng):
        with lock:
            return rng.normal()

    with pytest.raises(ValueError, match="pickled"):
        audit(held, PAIR, GDP(1.0), budget=Budget(runs=2000, workers=2), rungs=["statistics"])


def test_one_that_returns_nothing():
    result = audit(lambda data, rng: None, PAIR, GDP(1.0), budget=Budget(runs=100))
    assert result.verdict is UNDECIDED
    assert "empty output" in result.because


def test_groups_and_users_are_named():
    with pytest.raises(ValueError, match="at least one record"):
        Neighbours.group(DATA, {})
    with pytest.raises(ValueError, match="not both"):
        Neighbours.group(DATA, {0: None, 1: [2.0]})
    with pytest.raises(ValueError, match="user='z'"):
        Neighbours.without_user(DATA, list("aabb"), "z")
    with pytest.raises(ValueError, match="for each record"):
        Neighbours.without_user(DATA, list("aab"), "a")


class Survey:
    """Data of a kind of its own."""

    def __init__(self, answer):
        self.answer = answer


OF_ALL_KINDS = {
    "a dict": ({"x": 0.0}, {"x": 1.0}, lambda data: data["x"]),
    "a number": (0.0, 1.0, lambda data: data),
    "a text": ("no", "yes", lambda data: data == "yes"),
    "an object": (Survey(0), Survey(1), lambda data: data.answer),
    "records of different lengths": ([[1], [1, 2]], [[1], [1, 3]], lambda data: sum(map(sum, data))),
    "a list of dicts": ([{"a": 1}], [{"a": 2}], lambda data: data[0]["a"]),
    "large whole numbers": (np.array([2**60]), np.array([2**60 + 1]), lambda data: int(data[0] - 2**60)),
}


@pytest.mark.parametrize("kind", OF_ALL_KINDS)
def test_data_of_any_kind_are_audited_to_the_end(kind):
    first, second, query = OF_ALL_KINDS[kind]
    pair = Neighbours(first, second, REPLACE)
    result = audit(lambda data, rng: 9 * query(data) + rng.laplace(), pair, PureDP(1.0), budget=FEW)
    assert result.verdict is REFUTED
    assert json.loads(json.dumps(result.to_json()))["witness"]["exact"]["adjacency"] == "replace"


@pytest.mark.parametrize("kind", OF_ALL_KINDS)
def test_equal_data_of_any_kind_are_refused(kind):
    data = OF_ALL_KINDS[kind][0]
    with pytest.raises(ValueError, match="Expected neighbours that differ"):
        audit(lambda data, rng: rng.laplace(), Neighbours(data, data, REPLACE), PureDP(1.0), budget=FEW)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Neighbours.replace(DATA, 1.0, [9.0]), "index=1.0 to be a whole number"),
        (lambda: Neighbours.remove(DATA, True), "index=True to be a whole number"),
        (lambda: Neighbours.add(DATA, [1.0, 2.0]), r"record=\[1.0, 2.0\] of shape \(1,\)"),
        (lambda: Neighbours.replace((DATA, DATA), 0, 1.0), "record=1.0 to be a tuple of 2 parts"),
        (lambda: Neighbours.add((DATA, DATA), ([1.0],)), "to be a tuple of 2 parts"),
    ],
)
def test_records_that_do_not_fit_their_data_are_named(make, says):
    with pytest.raises((TypeError, ValueError), match=says):
        make()


@pytest.mark.parametrize("make", [PureDP, GDP, ZCDP, lambda value: ApproxDP(1.0, value)])
def test_an_array_is_no_number(make):
    with pytest.raises(TypeError, match=r"=array\(\[0.1, 0.2\]\) to be a number"):
        make(np.array([0.1, 0.2]))
