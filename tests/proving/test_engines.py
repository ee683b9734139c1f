"""Without an optional engine, what needs it is undecided with a message that says what to install; nothing
crashes.
"""

import pickle
import sys

import pytest
import sympy as sp

from dpverify.checking import decide
from dpverify.claims import Claim, Paper
from dpverify.optional import Missing
from dpverify.proving import prove
from dpverify.proving.reduction import engine
from dpverify.relations import AtMost, PositiveSemidefinite
from dpverify.verdicts import PROVED, SUPPORTED, UNDECIDED, Result

a, b, c = sp.symbols("a b c", real=True)


def test_a_missing_engine_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(Missing, match=r'needs z3, not installed: pip install "\.\[smt\]"'):
        engine("z3", "smt")


def test_a_missing_package_is_the_same_after_a_journey_between_processes():
    missing = pickle.loads(pickle.dumps(Missing("z3", "smt")))
    assert (missing.package, str(missing)) == ("z3", str(Missing("z3", "smt")))


def test_packages_that_were_asked_for_in_vain_are_a_field_of_the_result(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    p = sp.Symbol("p", real=True)
    open_ = PositiveSemidefinite(sp.Matrix([[p, 1], [1, 2]]), unknowns=[p])
    paper = Paper("p", "a paper")

    def decided(statement):
        item = Claim("p/c", paper, "", "identity", "", PROVED, (), None, None, lambda: statement)
        return Result.from_json(decide(item).to_json())

    assert decided(open_).missing == ("cvxpy",)
    assert decided(AtMost(0, a**2)).missing == ()


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
