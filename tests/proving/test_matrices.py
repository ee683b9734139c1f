"""Matrix inequalities: true ones are proved, false ones refuted by minors or by a dual matrix; changed
records are rejected.
"""

import copy
import json

import pytest

from dpverify.effort import QUICK
from dpverify.exam import matrices as CASES
from dpverify.proving import matrices, prove
from dpverify.witnesses import verify_witness


def test_a_point_survives_json_and_a_wrong_point_does_not():
    pytest.importorskip("cvxpy")
    relation = dict(CASES.TRUE)["gradient descent as (3.14)"]()
    certificate = json.loads(json.dumps(matrices.attempt(relation, QUICK).content))
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
