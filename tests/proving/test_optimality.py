"""Minimises and Hoelder: true statements are proved, false ones never, and the reasons can be read."""

import re

import sympy as sp

from dpverify.exam import optimality as CASES
from dpverify.proving import prove
from dpverify.verdicts import PROVED, REFUTED


def test_the_multiplier_is_named_and_free_of_the_index():
    result = prove(CASES.variances())
    assert re.search(r"with the multiplier Sum\(sqrt\(q\[(\w+)\]\), \(\1, 1, T\)\)\*\*2/R;", result.because)
    assert {step.reason for step in result.steps} >= {
        "the stated point spends the budget",
        "it is stationary for the multiplier",
    }


def test_a_multiplier_that_depends_on_the_index_is_no_proof():
    from dpverify.effort import QUICK
    from dpverify.proving import optimality

    assert "depends on t" in optimality.attempt(CASES.variances(at=CASES.T / CASES.R), QUICK).why


def test_a_symbol_named_like_a_sum_of_the_proof_is_not_taken_for_it():
    named = sp.Symbol("S_1", positive=True)
    roots = CASES.total(sp.sqrt(CASES.q[CASES.t]))
    q = CASES.q
    t = CASES.t
    R = CASES.R
    assert prove(CASES.variances(at=named / (R * sp.sqrt(q[t])), value=None)).verdict is REFUTED
    assert (
        prove(CASES.variances(objective=named * q[t] * CASES.x, value=named * roots**2 / R)).verdict is PROVED
    )


def test_a_variable_with_log_in_its_name_is_not_taken_for_its_logarithm():
    from dpverify.proving import optimality

    x = sp.Symbol("catalogue", positive=True)
    ways = optimality._scalar_minimum(sp.exp(x), 1 / x, sp.Integer(1), x, sp.Integer(1), [], True)
    assert [replay.in_log for _, _, (replay,) in ways] == [False, True]
