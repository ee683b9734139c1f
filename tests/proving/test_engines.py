"""Without an optional engine, what needs it is undecided with a message that says what to install; nothing
crashes.
"""

import sys

import pytest
import sympy as sp

from dpverify.optional import Missing
from dpverify.proving import prove
from dpverify.proving.reduction import engine
from dpverify.relations import AtMost, PositiveSemidefinite
from dpverify.verdicts import SUPPORTED, UNDECIDED

a, b, c = sp.symbols("a b c", real=True)


def test_a_missing_engine_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(Missing, match=r'needs z3, not installed: pip install "\.\[smt\]"'):
        engine("z3", "smt")


def test_without_z3_and_cvxpy_an_inequality_is_not_proved_by_them_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    motzkin = AtMost(a**2 * b**2 * (3 * c**2 - a**2 - b**2), c**6)
    result = prove(motzkin)
    assert result.verdict is SUPPORTED
    assert 'pip install ".[smt]"' in result.because and 'pip install ".[sdp]"' in result.because


def test_without_cvxpy_a_search_for_a_certificate_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    p = sp.Symbol("p", real=True)
    result = prove(PositiveSemidefinite(sp.Matrix([[p, 1], [1, 2]]), unknowns=[p]))
    assert result.verdict is UNDECIDED
    assert 'pip install ".[sdp]"' in result.because
