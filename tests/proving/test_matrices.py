"""Matrix inequalities: true ones are proved, false ones refuted by minors or by a dual matrix; changed records are rejected."""

import copy
import importlib.util
import json
from pathlib import Path

import pytest

from dpverify.effort import QUICK
from dpverify.proving import matrices, prove, verify_witness
from dpverify.verdicts import PROVED, REFUTED


def cases(name):
    spec = importlib.util.spec_from_file_location(f"cases_{name}", Path(__file__).with_name(f"cases_{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = cases("matrices")


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.TRUE])
def test_true_statements_are_proved(build):
    result = prove(build())
    assert result.verdict is PROVED, str(result)
    assert all(step.result.verdict is PROVED for step in result.steps)


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.FALSE])
def test_false_statements_are_refuted_by_a_witness_that_stands_alone(build):
    result = prove(build())
    assert result.verdict is REFUTED, str(result)
    assert verify_witness(result.witness.to_json()["exact"])


def test_a_point_survives_json_and_a_wrong_point_does_not():
    pytest.importorskip("cvxpy")
    relation = dict(CASES.TRUE)["gradient descent as (3.14)"]()
    certificate = json.loads(json.dumps(matrices.attempt(relation, QUICK)))
    assert matrices.check(relation, certificate)
    moved = copy.deepcopy(certificate)
    moved["at"][0] = ["Rational", -1, 1]
    assert not matrices.check(relation, moved)
    shorter = copy.deepcopy(certificate)
    shorter["at"].pop()
    assert not matrices.check(relation, shorter)


def test_a_dual_witness_survives_json_and_no_change():
    pytest.importorskip("cvxpy")
    exact = json.loads(json.dumps(prove(dict(CASES.FALSE)["a point in an empty interval"]()).witness.exact))
    assert exact["kind"] == "matrices"
    assert verify_witness(exact)
    negative = copy.deepcopy(exact)
    negative["duals"][0][0][0][1] *= -1
    assert not verify_witness(negative)
    other = copy.deepcopy(exact)
    other["blocks"][0][1][1] = ["Rational", 99, 1]
    assert not verify_witness(other)
