"""What is outside of the language is refused, with the nearest thing that can be said."""

import pytest
import sympy as sp

from dpverify.language import Function, Vector, norm2
from dpverify.proving import prove
from dpverify.relations import AtMost, Increasing
from dpverify.theorems import Theorem
from dpverify.verdicts import UNDECIDED

x, y = sp.symbols("x y", real=True)
t, N = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "N"))
plain = sp.Symbol("z")
S = sp.MatrixSymbol("S", 2, 2)

REFUSED = {
    "an unknown function": (AtMost(sp.Function("f")(x), 1), "dpverify.language.Function"),
    "another special function": (AtMost(sp.zeta(2 + x**2), 2), "the functions that are, are"),
    "a matrix without entries": (AtMost(S[0, 0] + x - x, S.det()), "dpverify.language.Vector"),
    "a complex number": (AtMost(sp.I * x, 1), "imaginary part"),
    "a float": (AtMost(0.1 * x, x), "write Rational(1, 10)"),
    "a symbol of any kind": (AtMost(plain, plain + 1), "Symbol('z', real=True)"),
    "an assumption as a hypothesis": (AtMost(x, 1, [sp.Q.negative(x)]), "declared with it"),
    "a comparison that Python decided": (AtMost(x, y, [x == y]), "Eq(a, b)"),
    "a condition as a conclusion": (x <= y, "AtMost(x, y)"),
    "an equation as a conclusion": (sp.Eq(x, y), "Equal(x, y)"),
    "a list of conclusions": ([AtMost(x, x), AtMost(0, x**2)], "AllOf(first, second, ...)"),
    "nothing": (None, "Theorem(shows=...)"),
    "a condition shown by a theorem": (Theorem(shows=x <= x + y), "AtMost(x, x + y)"),
    "vectors outside of comparisons": (Increasing(norm2(Vector("v")) * x, x), "a symbol of its own"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_what_can_be_said(name):
    statement, advice = REFUSED[name]
    result = prove(statement)
    assert result.verdict is UNDECIDED
    assert "not modelled" in result.because
    assert advice in result.because


def test_an_integral_without_a_range_has_no_value():
    result = prove(AtMost(sp.Integral(sp.exp(-(x**2)), x), 2))
    assert result.verdict is UNDECIDED and "the range of x is not given" in result.because


def test_functions_and_vectors_have_no_more_than_they_have():
    f, v = Function("f", convex=True), Vector("v")
    with pytest.raises(AttributeError, match=r"smooth=L and strongly_convex=mu"):
        f.hessian(v)
    with pytest.raises(AttributeError, match=r"x = y \+ eta \* f.gradient\(y\)"):
        f.prox(v)
    with pytest.raises(TypeError, match="Say it with inner products"):
        v[0]
