"""Whatever comes out of a mechanism is an outcome: a leak told by it is found, and its twin passes."""

import dataclasses
import math
import typing

import numpy as np
import pytest

from dpverify import Budget, Neighbours, PureDP, audit
from dpverify.auditing.layout import Layout
from dpverify.auditing.outcomes import plain, plain_batch
from dpverify.verdicts import REFUTED, SUPPORTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
BUDGET = Budget(runs=1000, seed=2)


class Named(typing.NamedTuple):
    model: float
    label: str


@dataclasses.dataclass
class Record:
    model: np.ndarray
    label: str


class LikeTorch:
    """A tensor on a device, as torch has them: numpy takes it once it is detached and on the host."""

    def __init__(self, values, ready=False):
        self.values, self.ready = values, ready

    def detach(self):
        return self

    def cpu(self):
        return LikeTorch(self.values, ready=True)

    def __array__(self, dtype=None, copy=None):
        if not self.ready:
            raise TypeError("on the device")
        return np.asarray(self.values, dtype=dtype)


class LikeBfloat16(LikeTorch):
    """A tensor of a type that numpy lacks."""

    def cpu(self):
        return self

    def float(self):
        return LikeTorch(self.values, ready=True)


class LikeModule:
    """A model, as torch has them: its tensors by name."""

    def __init__(self, values):
        self.values = values

    def state_dict(self):
        return {"layer.weight": LikeTorch(self.values), "steps": 3}


def told(outputs):
    """A mechanism that answers a bit by randomised response, and tells the answer by one of two outputs."""

    def mechanism(truth):
        def respond(data, rng):
            honest = rng.random() < truth
            bit = int(data[0, 0]) if honest else 1 - int(data[0, 0])
            return outputs[bit](rng)

        return respond

    return mechanism


def raises(rng):
    raise ValueError("no")


KINDS = {
    "lengths": (lambda rng: [0.0], lambda rng: [0.0, 0.0]),
    "rows": (lambda rng: rng.normal(size=3), lambda rng: rng.normal(size=4)),
    "NaN": (lambda rng: rng.normal(), lambda rng: math.nan),
    "NaN in one of many": (
        lambda rng: np.append(rng.normal(size=40), 0.0),
        lambda rng: np.append(rng.normal(size=40), math.nan),
    ),
    "infinity": (lambda rng: rng.normal(), lambda rng: math.inf),
    "sign of infinity": (lambda rng: -math.inf, lambda rng: math.inf),
    "an exception": (lambda rng: rng.normal(), raises),
    "texts": (lambda rng: "yes", lambda rng: "no"),
    "bytes": (lambda rng: b"yes", lambda rng: b"no"),
    "None": (lambda rng: 1.0, lambda rng: None),
    "booleans": (lambda rng: True, lambda rng: False),
    "whole numbers beyond 2^53": (lambda rng: 2**60, lambda rng: 2**60 + 1),
    "arrays of them": (
        lambda rng: np.array([2**60, 5]),
        lambda rng: np.array([2**60 + 1, 5]),
    ),
    "beyond 2^64": (lambda rng: 10**30, lambda rng: 10**30 + 1),
    "tuples of arrays": (
        lambda rng: (rng.normal(size=2), np.zeros((2, 2))),
        lambda rng: (rng.normal(size=2), np.eye(2)),
    ),
    "dicts of arrays": (
        lambda rng: {"w": rng.normal(size=2), "b": 0.0},
        lambda rng: {"w": rng.normal(size=2), "b": 1.0},
    ),
    "keys": (lambda rng: {"w": 0.0}, lambda rng: {"v": 0.0}),
    "named tuples": (lambda rng: Named(rng.normal(), "a"), lambda rng: Named(rng.normal(), "b")),
    "dataclasses": (
        lambda rng: Record(rng.normal(size=2), "a"),
        lambda rng: Record(rng.normal(size=2), "b"),
    ),
    "arrays of texts": (lambda rng: np.array(["a", "b"]), lambda rng: np.array(["a", "c"])),
    "tensors": (lambda rng: LikeTorch([0.0, 1.0]), lambda rng: LikeTorch([0.0, 2.0])),
    "tensors of two bytes": (lambda rng: LikeBfloat16([0.0, 1.0]), lambda rng: LikeBfloat16([0.0, 2.0])),
    "lists of tensors": (
        lambda rng: [LikeTorch([1.0]), LikeTorch([0.0])],
        lambda rng: [LikeTorch([1.0])] * 2,
    ),
    "modules": (lambda rng: LikeModule([0.0, 1.0]), lambda rng: LikeModule([0.0, 2.0])),
    "complex numbers": (lambda rng: 1 + 1j, lambda rng: 1 - 1j),
    "sets": (lambda rng: {1, 2}, lambda rng: {1, 3}),
    "numbers near the largest": (lambda rng: 1e300, lambda rng: 1e301),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_leak_told_by_any_kind_of_outcome_is_found_and_its_twin_passes(kind):
    mechanism = told(KINDS[kind])
    leak = audit(mechanism(0.95), PAIR, PureDP(1.0), budget=BUDGET, rungs=["statistics"], smaller=False)
    assert leak.verdict is REFUTED, leak.because
    twin = audit(mechanism(0.7), PAIR, PureDP(1.0), budget=BUDGET, rungs=["statistics"])  # ln(7/3) = 0.85
    assert twin.verdict is SUPPORTED, twin.because


def test_an_exception_in_a_batch_is_an_outcome_of_one_run():
    def fails(data, rng, runs):
        out = rng.normal(size=(runs, 1))
        if data.sum() > 0 and (rng.random(runs) < 0.2).any():
            raise FloatingPointError("overflow")
        return out

    def fails_alike(data, rng, runs):
        if (rng.random(runs) < 0.2).any():
            raise FloatingPointError("overflow")
        return rng.normal(size=(runs, 1))

    leak = audit(fails, PAIR, PureDP(0.5), budget=BUDGET, rungs=["statistics"], smaller=False)
    assert leak.verdict is REFUTED
    assert "raised" in leak.because
    assert audit(fails_alike, PAIR, PureDP(0.5), budget=BUDGET, rungs=["statistics"]).verdict is SUPPORTED


def test_what_appears_late_appears_in_a_new_column():
    layout = Layout()
    x, y = layout.matrices(plain([1.0, 2.0]), plain([3.0, 4.0]))
    assert x.shape == y.shape == (2, 1)
    x, y = layout.matrices(plain([1.0, math.nan]), plain([3.0, [1.0, 2.0]]))
    assert x.shape == y.shape == (2, 5)
    assert np.isfinite(x).all() and np.isfinite(y).all()
    assert x[0].tolist() == [1.0, 0, 0, 0, 0]
    x, _ = layout.matrices(plain([1.0]), plain([2.0]))
    assert x.tolist() == [[1.0, 0, 0, 0, 0]]


def test_equal_outputs_of_a_batch_and_of_single_runs_are_equal_rows():
    batch = plain_batch((np.arange(3.0), np.ones((3, 2))), 3)
    single = plain([(float(i), np.ones(2)) for i in range(3)])
    assert np.array_equal(batch.numbers, single.numbers)


def test_rare_exceptions_are_no_leak_when_they_are_as_rare_on_both_sides():
    def mechanism(data, rng):
        if rng.random() < 0.01:
            raise RuntimeError(f"at {rng.random()}")
        return rng.laplace()

    results = [
        audit(mechanism, PAIR, PureDP(0.01), budget=Budget(runs=800, seed=s), rungs=["statistics"])
        for s in range(2)
    ]
    assert all(result.verdict is not REFUTED for result in results)
