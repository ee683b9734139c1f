"""Increasing and ArgMin: true statements are proved, false ones never, and a hole in the domain is no
interval.
"""

import sympy as sp

from dpverify.exam import shape as CASES
from dpverify.proving import prove
from dpverify.relations import ArgMin, Increasing
from dpverify.verdicts import PROVED


def test_a_domain_with_a_hole_is_no_interval():
    from dpverify.effort import QUICK
    from dpverify.proving import shape

    y = CASES.y
    assert "not a bound linear" in shape.attempt(Increasing(-1 / y, y, given=[y**2 >= 1]), QUICK).why


def test_the_comparison_with_the_left_end_is_a_step_of_the_proof():
    m = CASES.m
    result = prove(ArgMin(m + 4 / m, m, sp.Integer(2), starts=1))
    assert result.verdict is PROVED
    assert "compared with m = 1" in {step.reason for step in result.steps}
