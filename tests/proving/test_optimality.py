"""Minimises and Hoelder: true statements are proved, false ones never, and the reasons can be read."""

import importlib.util
from pathlib import Path

import pytest

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
    assert "Lagrangian sufficiency with the multiplier Sum(sqrt(q[t_in]), (t_in, 1, T))**2/R" in result.because
    assert {step.reason for step in result.steps} >= {"the stated point spends the budget", "it is stationary for the multiplier"}


def test_a_multiplier_that_depends_on_the_index_is_no_proof():
    from dpverify.effort import QUICK
    from dpverify.proving import optimality

    assert "depends on t" in optimality.attempt(CASES.variances(at=CASES.T / CASES.R), QUICK)
