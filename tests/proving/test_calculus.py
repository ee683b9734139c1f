"""Integrals, derivatives, limits and infinite sums: closed forms that are checked, and planted wrong ones."""

import pytest
import sympy as sp

from dpverify.checking import decide
from dpverify.claims import Claim, Paper
from dpverify.effort import QUICK
from dpverify.proving import prove
from dpverify.proving.calculus import Closing
from dpverify.proving.closed_forms import NotClosed
from dpverify.proving.convergence import Growth, Open
from dpverify.relations import AtMost, Equal
from dpverify.theorems import Theorem
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

X, u = sp.symbols("X u", real=True)
x, a = sp.symbols("x a", positive=True)
t = sp.Symbol("t", integer=True)


@pytest.mark.parametrize(
    "wrong", [X**2, X**3 / 3 + sp.Abs(X), sp.atan(X), X**3 / 3 + 1 / (X - sp.Rational(1, 2))]
)
def test_a_wrong_antiderivative_is_not_taken(monkeypatch, wrong):
    monkeypatch.setattr(sp, "integrate", lambda *_: wrong)
    assert prove(Equal(sp.Integral(X**2, (X, 0, 1)), sp.Rational(1, 3))).verdict is UNDECIDED


def test_a_wrong_partial_sum_is_not_taken(monkeypatch):
    right = sp.summation
    monkeypatch.setattr(sp, "summation", lambda *args: right(*args) + 1)
    assert prove(Equal(sp.Sum(2**-t, (t, 0, sp.oo)), 3)).verdict is UNDECIDED


def test_a_sum_without_a_formula_for_its_partial_sums_says_so():
    squares = prove(Equal(sp.Sum(t**-2, (t, 1, sp.oo)), sp.pi**2 / 6))
    assert squares.verdict is UNDECIDED and "no formula for its partial sums" in squares.because


def test_a_wrong_derivative_is_seen_by_numbers(monkeypatch):
    monkeypatch.setattr(sp, "diff", lambda *_: 3 * X)
    assert "numbers disagree" in prove(Equal(sp.Derivative(X**2, X), 3 * X)).because


def test_a_bound_symbol_has_no_assumption_that_its_range_does_not_give():
    """x is declared positive, and runs over (-1, 1) here."""
    assert prove(Equal(sp.Integral(x, (x, -1, 1)), 0)).verdict is PROVED
    assert prove(AtMost(0, sp.Integral(sp.log(x), (x, -1, 1)))).verdict is UNDECIDED


def test_hypotheses_on_a_free_symbol_say_nothing_of_a_bound_one():
    assert prove(Equal(sp.Integral(1 / X, (X, -1, 1)), 0, [X > 2])).verdict is UNDECIDED


def test_the_closed_forms_stand_in_the_certificate():
    certificate = prove(Equal(sp.Integral(X, (X, 0, a)), a**2 / 2)).evidence.certificate
    assert certificate["closed forms"] == {"Integral(X, (X, 0, a))": "a**2/2"}


def test_a_witness_is_of_the_closed_form():
    refuted = prove(AtMost(sp.Integral(sp.exp(-(X**2)), (X, 0, a)), a / 2))
    assert refuted.verdict is REFUTED and "erf" in str(refuted.witness.exact)


def test_a_theorem_may_use_one_with_an_integral():
    paper = Paper("p", "a paper")
    area = sp.Integral(X, (X, 0, a))
    used = Theorem(shows=AtMost(area, a**2)).use("lemma", a=a)

    def claim(name, uses, statement):
        return Claim(f"p/{name}", paper, name, "identity", "", PROVED, uses, None, None, lambda: statement)

    lemma, theorem = claim("lemma", (), Equal(area, a**2 / 2)), claim("theorem", ("p/lemma",), used)
    result = decide(theorem, QUICK, {"p/lemma": lemma})
    assert result.verdict is PROVED and result.depends == ("p/lemma",)


def test_growth_asks_for_every_sign():
    y, growing = sp.Symbol("y", positive=True), Growth(sp.Symbol("y", positive=True), _sure)
    assert growing.limit(sp.exp(-a * y) * y**5) == 0
    assert growing.limit((2 * y**2 + 1) / (y**2 + y)) == 2
    assert growing.limit(sp.sqrt(y) / sp.log(y)) == sp.oo
    for open_ in (sp.exp(u * y), y**u, sp.log(u + 1 / y), sp.sin(y), sp.sqrt(y + 1) - sp.sqrt(y)):
        with pytest.raises(Open):
            growing.limit(open_)


def _sure(e):
    if e.is_positive is None:
        raise Open(str(e))
    return int(sp.sign(e))


def test_what_cannot_be_closed_is_named():
    with pytest.raises(NotClosed, match=r"Integral\(f\(X\), \(X, 0, 1\)\) is not known"):
        part = Equal(sp.Integral(sp.Function("f")(X), (X, 0, 1)), 1)
        Closing(part, QUICK).statement(part)
