"""Induction: true statements are proved, false ones never; the base and the step can be read."""

import importlib.util
from pathlib import Path

import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.proving import induction, prove, verify_witness
from dpverify.relations import AtMost, Equal, Induction
from dpverify.verdicts import PROVED, REFUTED


def cases(name):
    spec = importlib.util.spec_from_file_location(f"cases_{name}", Path(__file__).with_name(f"cases_{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = cases("induction")


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


def test_base_and_step_are_named():
    result = prove(CASES.contraction())
    assert [step.reason for step in result.steps] == ["base, T = 0", "the next term increases with v", "step from T to T + 1, at the bound"]


def test_a_bound_that_needs_the_sign_of_the_terms_proves_that_sign():
    x, T = sp.Symbol("x", positive=True), CASES.T
    shrinking = Induction(AtMost(x, sp.Integer(1)), x, T, 0, sp.Integer(1), x**2 / (1 + x))
    assert prove(shrinking).verdict is PROVED
    leaving = Induction(AtMost(x, sp.Integer(1)), x, T, 0, sp.Integer(1), x**2 - 2)  # -1, -1, ...: the symbol claims a sign they lack
    assert prove(leaving).verdict is not PROVED


def test_an_induction_cannot_start_where_its_counter_cannot_be():
    v, n = CASES.v, CASES.n  # n >= 1: the step from 0 to 1 would go unproved
    jump = Induction(Equal(v, sp.Integer(0)), v, n, 0, sp.Integer(0), v + sp.KroneckerDelta(n, 0))
    assert "cannot be 0" in induction.attempt(jump, QUICK)
