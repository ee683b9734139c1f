"""Increasing and ArgMin: true statements are proved, false ones never, and a hole in the domain is no interval."""

import importlib.util
from pathlib import Path

import pytest
import sympy as sp

from dpverify.proving import prove, verify_witness
from dpverify.relations import ArgMin, Increasing
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED


def cases(name):
    spec = importlib.util.spec_from_file_location(f"cases_{name}", Path(__file__).with_name(f"cases_{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = cases("shape")


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.TRUE])
def test_true_statements_are_proved(build):
    result = prove(build())
    assert result.verdict is PROVED, str(result)
    assert all(step.result.verdict is PROVED for step in result.steps)


@pytest.mark.parametrize(("name", "build"), [pytest.param(name, build, id=name) for name, build in CASES.FALSE])
def test_false_statements_are_refuted_by_a_witness_that_stands_alone(name, build):
    result = prove(build())
    assert result.verdict is (UNDECIDED if name in CASES.MISSED else REFUTED), str(result)
    assert result.witness is None or verify_witness(result.witness.to_json()["exact"])


def test_a_domain_with_a_hole_is_no_interval():
    from dpverify.effort import QUICK
    from dpverify.proving import shape

    y = CASES.y
    assert "not a bound linear" in shape.attempt(Increasing(-1 / y, y, given=[y**2 >= 1]), QUICK)


def test_the_comparison_with_the_left_end_is_a_step_of_the_proof():
    m = CASES.m
    result = prove(ArgMin(m + 4 / m, m, sp.Integer(2), starts=1))
    assert result.verdict is PROVED
    assert "compared with m = 1" in {step.reason for step in result.steps}
