"""The gate: what it lets through, what it refuses and why, and that a relation is defined and not empty."""

import contextlib
import threading
import time

import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.language import Function, Vector
from dpverify.proving import gate, models, prove
from dpverify.proving.assumptions import admits
from dpverify.proving.domain import Domain
from dpverify.proving.forms import Refused
from dpverify.proving.limits import GRACE, TimeLimit, interrupting, uninterrupted, within
from dpverify.proving.refutation import refute
from dpverify.proving.search import AIMED
from dpverify.relations import AtMost, Equal, Induction
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Result

x = sp.Symbol("x", positive=True)
X, Y = sp.symbols("X Y", real=True)
T = sp.Symbol("T", integer=True, positive=True)
s = sp.Symbol("s", integer=True)
q = sp.IndexedBase("q", positive=True)


def test_hypotheses_are_flattened_and_negations_pushed_inside():
    given = [sp.And(X > 0, X < 2), sp.Not(X > 1), sp.Or(X < 1, sp.Not(sp.And(Y > 0, Y < 1)))]
    held = gate.elaborate(AtMost(X, 1, given)).given
    assert held[:3] == (X > 0, X < 2, X <= 1)
    assert held[3] == sp.Or(X < 1, Y <= 0, Y >= 1)


def test_an_index_has_the_properties_of_its_range_alone():
    t = sp.Symbol("t", positive=True)
    total = gate.elaborate(AtMost(0, sp.Sum(t, (t, -T, T)))).rhs
    (index,) = total.bound_symbols
    assert index.is_integer and index.is_positive is None
    kept = sp.Sum(q[s], (s, 1, T))
    assert gate.elaborate(AtMost(0, kept)).rhs == kept


def test_an_index_that_is_free_elsewhere_is_renamed():
    both = gate.elaborate(AtMost(s * sp.Sum(s, (s, 1, 3)), 6 * s)).lhs
    assert both.free_symbols == {s}
    assert s not in {i for total in both.atoms(sp.Sum) for i in total.bound_symbols}


@pytest.mark.parametrize(
    ("relation", "named"),
    [
        (AtMost(x, 0.5), "write Rational(1, 2)"),
        (AtMost(sp.zeta(x), 1), "zeta in zeta(x)"),
        (AtMost(sp.Symbol("z"), 1), "the symbol z"),
        (AtMost(sp.Symbol("z", irrational=True), 1), "irrational=True on the symbol z"),
        (AtMost(sp.Symbol("x", real=True), x), "two different symbols are called x"),
        (AtMost(0, sp.Sum(q[s], (s, 1, X))), "the end X"),
    ],
    ids=str,
)
def test_a_refusal_names_the_subexpression(relation, named):
    with pytest.raises(Refused, match=named.replace("(", r"\(").replace(")", r"\)")):
        gate.elaborate(relation)


def test_a_proof_carries_a_point_that_meets_the_hypotheses():
    result = prove(AtMost(X, 3, [X > 1, X < Y, Y < 3]))
    assert result.verdict is PROVED
    point = {sp.Symbol(k, real=True): sp.Rational(v) for k, v in result.evidence.certificate["model"].items()}
    assert 1 < point[X] < point[Y] < 3


def test_a_side_that_is_not_defined_is_named_with_a_point():
    result = prove(AtMost(sp.sqrt(1 - x), 1))
    assert result.verdict is UNDECIDED
    assert "sqrt(1 - x)" in result.because and "x = 2" in result.because
    assert prove(AtMost(sp.sqrt(1 - x), 1, [x <= 1])).verdict is PROVED


def test_hypotheses_at_every_index_hold_at_every_entry_of_a_point():
    relation = AtMost(q[T], q[1], [q[s + 1] <= q[s]])
    assert refute(relation, QUICK, AIMED) is None
    assert refute(AtMost(q[1], q[T], [q[s + 1] <= q[s]]), QUICK, AIMED) is not None


def test_every_property_of_a_symbol_is_enforced():
    numbers = [sp.Integer(k) for k in range(-3, 12)] + [sp.Rational(1, 2)]
    for name, allowed in {
        "prime": [2, 3, 5, 7, 11],
        "even": [-2, 0, 2, 4, 6, 8, 10],
        "composite": [4, 6, 8, 9, 10],
        "zero": [0],
    }.items():
        assert [n for n in numbers if admits(sp.Symbol("z", **{name: True}), n)] == allowed
    entry = sp.IndexedBase("z", nonpositive=True)[1]
    assert [n for n in (-1, 0, 1) if admits(entry, n)] == [-1, 0]


def test_a_whole_number_that_an_equation_defines_stays_whole():
    N = sp.Symbol("N", integer=True, positive=True)
    domain = Domain([X], [sp.Eq(N, X**2)])
    assert domain.holds({X: sp.Integer(2)})
    assert not domain.holds({X: sp.Rational(1, 2)})


def test_limits_lie_inside_one_another():
    with pytest.raises(TimeLimit), within(0.05), within(60):
        while True:
            pass
    with within(60):
        with pytest.raises(TimeLimit), within(0.05):
            while True:
                pass
        assert sum(range(1000)) == 499500, "the outer limit is still far"


def test_an_inner_limit_does_not_take_the_end_of_an_outer_one_for_its_own():
    left = []
    with pytest.raises(TimeLimit), within(0.05):
        with contextlib.suppress(TimeLimit), within(60):
            while True:
                pass
        left.append("the inner block, and the outer one went on")
    assert not left


def test_a_solver_that_does_not_return_is_interrupted():
    stopped = threading.Event()
    with contextlib.suppress(TimeLimit), within(0.01), interrupting(stopped.set), uninterrupted():
        latest = time.process_time() + GRACE + 30
        while not stopped.is_set() and time.process_time() < latest:
            pass
    assert stopped.is_set()


def test_what_was_cut_short_says_so_and_survives_json():
    result = Result(UNDECIDED, "no answer", cut_short=True)
    assert Result.from_json(result.to_json()).cut_short


def test_a_jump_does_not_pass_for_a_derivative():
    jump = sp.Piecewise((1, X < -(10**8)), (0, True))
    T0 = sp.Symbol("T0", integer=True, nonnegative=True)
    claim = Induction(AtMost(X, sp.Rational(1, 2), [Y <= sp.Rational(1, 2)]), X, T0, 0, Y, jump)
    assert prove(claim).verdict is not PROVED
    assert prove(Equal(sp.floor(X) + 1, sp.ceiling(X))).verdict is not PROVED


def test_what_a_definition_is_made_of_has_a_value_in_the_model():
    m, n = (sp.Symbol(name, integer=True, positive=True) for name in "mn")
    x, p, q = sp.symbols("x p q", positive=True)
    assert models.model([sp.Eq(m, n)], QUICK) == {"n": "1", "m = n": "1"}
    chained = [sp.Eq(p, sp.exp(x) / (1 + sp.exp(x))), sp.Eq(q, 1 - p)]
    assert prove(Equal(p, sp.exp(x) * q, chained)).verdict is PROVED
    assert prove(Equal(p, 2 * sp.exp(x) * q, chained)).verdict is REFUTED
    assert models.model([sp.Eq(p, 1 + x), sp.Eq(q, -p)], QUICK) is None  # no positive q


@pytest.mark.parametrize("name", ["positive", "negative", "nonnegative", "nonpositive", "zero", "integer"])
@pytest.mark.parametrize("value", [sp.Integer(-2), sp.Rational(-1, 2), sp.Integer(0), sp.Rational(3, 2)])
def test_a_rational_is_admitted_where_sympy_says_so(name, value):
    assert admits(sp.Symbol("s", **{name: True}), value) is bool(getattr(value, f"is_{name}"))


def test_a_number_that_an_equation_names_restricts_nothing():
    value, point = Function("F", smooth=1), Vector("w")
    named = sp.Eq(X, value(point))
    assert models.model([named, Y > 2, value(point) > 1], QUICK) is not None
    assert models.model([named, sp.Eq(X, value(point) + 1)], QUICK) is None  # a contradiction stays one
    assert models.model([sp.Eq(x, value(point)), value(point) < 0], QUICK) is None  # x is positive
