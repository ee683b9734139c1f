"""Verdicts have no truth value, and cannot be had without what they promise."""

import json

import pytest

from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step, Verdict, Witness


def test_a_result_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value"):
        bool(Result(UNDECIDED, "nothing closed it"))


def test_refuted_needs_a_witness():
    with pytest.raises(ValueError, match="Expected a witness"):
        Result(REFUTED, "because I say so")


@pytest.mark.parametrize("verdict", [PROVED, SUPPORTED])
def test_proved_and_supported_need_evidence(verdict):
    with pytest.raises(ValueError, match="Expected evidence"):
        Result(verdict, "because I say so")


def test_the_weakest_verdict_is_refuted_then_undecided_then_supported():
    assert sorted(Verdict, key=lambda v: v.strength) == [REFUTED, UNDECIDED, SUPPORTED, PROVED]


def test_a_result_is_json_all_the_way_down():
    witness = Witness({"x": "1/2"}, "then", "contradicts", {"kind": "point"})
    inner = Result(REFUTED, "fails", Evidence("refutation"), witness)
    outer = Result(REFUTED, "step 1", None, witness, steps=(Step("x <= 0", "reason", inner),), seconds=0.5)
    record = json.loads(json.dumps(outer.to_json()))
    assert record["steps"][0]["witness"]["let"] == {"x": "1/2"}
    assert record["verdict"] == "REFUTED"
    assert "a contradiction" in str(outer)
