"""Induction: true statements are proved, false ones never; the base and the step can be read."""

import sympy as sp

from dpverify.effort import QUICK
from dpverify.exam import induction as CASES
from dpverify.proving import induction, prove
from dpverify.relations import AtMost, Equal, Induction
from dpverify.verdicts import PROVED


def test_base_and_step_are_named():
    result = prove(CASES.contraction())
    assert [step.reason for step in result.steps] == [
        "base, T = 0",
        "the next term increases with v",
        "step from T to T + 1, at the bound",
    ]


def test_a_bound_that_needs_the_sign_of_the_terms_proves_that_sign():
    x, T = sp.Symbol("x", positive=True), CASES.T
    shrinking = Induction(AtMost(x, sp.Integer(1)), x, T, 0, sp.Integer(1), x**2 / (1 + x))
    assert prove(shrinking).verdict is PROVED
    leaving = Induction(
        AtMost(x, sp.Integer(1)), x, T, 0, sp.Integer(1), x**2 - 2
    )  # -1, -1, ...: the symbol claims a sign they lack
    assert prove(leaving).verdict is not PROVED


def test_an_induction_cannot_start_where_its_counter_cannot_be():
    v, n = CASES.v, CASES.n  # n >= 1: the step from 0 to 1 would go unproved
    jump = Induction(Equal(v, sp.Integer(0)), v, n, 0, sp.Integer(0), v + sp.KroneckerDelta(n, 0))
    assert "cannot be 0" in induction.attempt(jump, QUICK).why
