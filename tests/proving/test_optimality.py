"""Minimises and Hoelder: true statements are proved, false ones never, and the reasons can be read."""

import importlib.util
import re
from pathlib import Path

import pytest
import sympy as sp

from dpverify.proving import prove, verify_witness
from dpverify.verdicts import PROVED, REFUTED


def cases(name):
    spec = importlib.util.spec_from_file_location(f"cases_{name}", Path(__file__).with_name(f"cases_{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = cases("optimality")


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


def test_the_multiplier_is_named_and_free_of_the_index():
    result = prove(CASES.variances())
    assert re.search(r"with the multiplier Sum\(sqrt\(q\[(\w+)\]\), \(\1, 1, T\)\)\*\*2/R;", result.because)
    assert {step.reason for step in result.steps} >= {"the stated point spends the budget", "it is stationary for the multiplier"}


def test_a_multiplier_that_depends_on_the_index_is_no_proof():
    from dpverify.effort import QUICK
    from dpverify.proving import optimality

    assert "depends on t" in optimality.attempt(CASES.variances(at=CASES.T / CASES.R), QUICK)


def test_a_symbol_named_like_a_sum_of_the_proof_is_not_taken_for_it():
    named = sp.Symbol("S_1", positive=True)
    roots, q, t, R = CASES.total(sp.sqrt(CASES.q[CASES.t])), CASES.q, CASES.t, CASES.R
    assert prove(CASES.variances(at=named / (R * sp.sqrt(q[t])), value=None)).verdict is REFUTED
    assert prove(CASES.variances(objective=named * q[t] * CASES.x, value=named * roots**2 / R)).verdict is PROVED
