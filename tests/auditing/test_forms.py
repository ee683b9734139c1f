"""Outputs taken apart together are what they are one by one, and as they were when they came."""

import math

import numpy as np
import pytest

from dpverify.auditing.outcomes import Plain, plain, settled, stacked

OUTPUTS = {
    "numbers": lambda rng: [rng.normal(), int(rng.integers(9)), bool(rng.integers(2)), None],
    "numbers that are none": lambda rng: [math.nan, math.inf, rng.normal()],
    "NumPy's": lambda rng: (np.float64(rng.normal()), np.int64(rng.integers(9)), np.bool_(rng.integers(2))),
    "whole numbers beyond 2^53": lambda rng: [2**60 + int(rng.integers(9)), 1.0],
    "whole numbers beyond float64": lambda rng: {"n": 7**400 + int(rng.integers(9))},
    "two types": lambda rng: [1.0 if rng.integers(2) else 1],
    "two lengths": lambda rng: [0.5] * int(rng.integers(1, 3)),
    "a dict": lambda rng: {"b": rng.normal(), "a1": [rng.normal(), 2], "c": {"a1": math.inf, "z": "t"}},
    "two orders of keys": lambda rng: {"a": 1.0, "b": 2.0} if rng.integers(2) else {"b": 2.0, "a": 1.0},
    "keys that are no texts": lambda rng: {int(rng.integers(3)): rng.normal()},
    "texts in a dict": lambda rng: {"label": f"of {rng.integers(20)}", "text": "some long word"},
    "a text": lambda rng: f"mean {rng.normal():.3f} of {rng.integers(10)}, temperature",
    "a text of all digits": lambda rng: f"{rng.normal()}",
    "a text of more digits": lambda rng: f"{rng.normal()}{rng.integers(9)}",
    "a word": lambda rng: ["yes", "no", "", "perhaps so", "9f3e41c2"][rng.integers(5)],
    "a word in Greek": lambda rng: ["α", "β1"][rng.integers(2)],
    "a text with an end": lambda rng: ["a\0b", "c"][rng.integers(2)],
    "where an object is": lambda rng: f"<thing at 0x{rng.integers(2**40):x}> {rng.integers(9)}",
    "bytes": lambda rng: rng.bytes(int(rng.integers(3))),
    "arrays": lambda rng: [rng.normal(size=2), rng.integers(9, size=(1, 2)), np.array(1.5)],
    "an array of two lengths": lambda rng: rng.normal(size=rng.integers(1, 3)),
    "arrays of large whole numbers": lambda rng: (np.array([2**60, int(rng.integers(9))]),),
    "arrays of half precision": lambda rng: {"a": np.array([rng.normal()], dtype=np.float16)},
    "now and then nothing": lambda rng: rng.normal() if rng.integers(3) else None,
    "records": lambda rng: [{"id": i, "x": rng.normal()} for i in range(5)],
    "records alike": lambda rng: [{"a": 1.0}] * int(rng.integers(1, 4)),
    "layers by number": lambda rng: {f"layer{i}": {"head0": rng.normal(), "n": 2**40} for i in range(4)},
    "a checkpoint": lambda rng: {
        "state": {
            f"conv{i}": {"weight": rng.normal(size=(2, 2)), "bias": rng.normal(size=2)} for i in (1, 2)
        },
        "optimizer": {"beta1": 0.9, "beta2": 0.99, "steps": int(rng.integers(9))},
    },
    "a set beside": lambda rng: [rng.normal(), {1, 2}],
}


def in_full(side):
    """All that is told of outcomes, without what is only a matter of padding."""
    numbers = [tuple(row[:size]) for row, size in zip(side.numbers.tolist(), side.sizes)]
    low = [{i: bits for i, bits in enumerate(row) if bits} for row in side.low_bits.tolist()]
    keyed = [{s: v for s, v in zip(side.slots.tolist(), row) if v} for row in side.keyed.tolist()]
    return repr(numbers), side.shapes.tolist(), low, keyed


@pytest.mark.parametrize("name", OUTPUTS)
def test_together_is_as_one_by_one(name):
    rng = np.random.default_rng(0)
    outputs = [OUTPUTS[name](rng) for _ in range(60)]
    together = plain([settled(output) for output in outputs])
    assert isinstance(together, Plain)
    assert in_full(together) == in_full(stacked([plain([output]) for output in outputs]))


def test_what_is_written_into_an_output_later_is_not_seen():
    kept = {"a": [1.0, np.zeros(2)], "b": 2}
    outcomes = []
    for i in range(20):
        kept["a"][0] = float(i)
        kept["a"][1][0] = float(i)
        kept["b"] = i
        outcomes.append(settled(kept))
    assert plain(outcomes).numbers[:, [0, 1, 3]].tolist() == [[float(i)] * 3 for i in range(20)]
