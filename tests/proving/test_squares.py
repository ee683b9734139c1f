"""Sums of squares: true inequalities are proved, false ones never; a certificate changed anywhere is
rejected.
"""

import copy
import json

import pytest

from dpverify.effort import QUICK
from dpverify.exam import squares as CASES
from dpverify.proving import squares
from dpverify.proving.codec import to_json
from dpverify.proving.reduction import GaveUp
from dpverify.relations import AtMost


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.TRUE])
def test_certificates_survive_json_and_no_change(build):
    pytest.importorskip("cvxpy")
    relation = build()
    certificate = json.loads(json.dumps(squares.attempt(relation, QUICK).content))
    assert squares.check(relation, certificate)
    heavier = copy.deepcopy(certificate)
    heavier["squares"][0]["terms"][0][0][1] += 1
    assert not squares.check(relation, heavier)
    negative = copy.deepcopy(certificate)
    negative["squares"][0]["terms"][0][0][1] *= -1
    assert not squares.check(relation, negative)
    shorter = copy.deepcopy(certificate)
    shorter["squares"][0]["terms"].pop()
    assert not squares.check(relation, shorter)
    elsewhere = copy.deepcopy(certificate)
    elsewhere["squares"][0]["product"].append(99)
    assert not squares.check(relation, elsewhere)


def test_a_square_of_what_is_not_real_proves_nothing():
    root = ["Pow", ["Rational", -1, 1], ["Rational", 1, 2]]
    one = ["Rational", 1, 1]
    forged = {"squares": [{"product": [], "terms": [[one, ["Mul", root, to_json(CASES.x)]]]}]}
    assert not squares.check(AtMost(CASES.x**2, 0), forged)
    honest = {"squares": [{"product": [], "terms": [[one, to_json(CASES.x)]]}]}
    assert squares.check(AtMost(0, CASES.x**2), honest)


def test_a_certificate_does_not_serve_a_stricter_or_another_statement():
    pytest.importorskip("cvxpy")
    x, y = CASES.x, CASES.y
    certificate = squares.attempt(AtMost(2 * x * y, x**2 + y**2), QUICK).content
    assert not squares.check(AtMost(2 * x * y, x**2 + y**2, strict=True), certificate)
    assert not squares.check(AtMost(2 * x * y, x**2 + 2 * y**2), certificate)


def test_a_nonnegative_polynomial_that_is_no_sum_of_squares_is_left_open():
    pytest.importorskip("cvxpy")
    x, y = CASES.x, CASES.y
    motzkin = CASES.least(x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1)
    assert squares.attempt(motzkin, QUICK) == GaveUp("no sum of squares of low degree was found")
