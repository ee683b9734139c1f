"""What SymPy gave to a reduction is replayed by numbers: a planted slip is caught, and its twin passes."""

import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.proving import derivatives, induction, optimality, shape
from dpverify.proving.replays import Below, Bend, Limit, Quotient, Same, Slope, replayed
from dpverify.relations import AtMost, Increasing

x, y = sp.symbols("x y", positive=True)
T, t = (sp.Symbol(name, integer=True, positive=True) for name in "Tt")
q = sp.IndexedBase("q", positive=True)

RIGHT = {
    "slope": Slope(sp.log(1 + x) * y, x, y / (1 + x)),
    "slope up to a positive factor": Slope(sp.exp(-x), x, -x),
    "bend": Bend(sp.sqrt(x), x, -1 / x),
    "bend in log x": Bend(1 / x + y * x, x, 1 / x + y * x, in_log=True),
    "limit": Limit((sp.exp(x) - 1) / x, x, sp.Integer(0), 1, sp.Integer(1)),
    "limit at infinity": Limit(x / (x + y), x, sp.oo, -1, sp.Integer(1)),
    "it grows": Limit(sp.log(x), x, sp.oo, -1, sp.Integer(1)),
    "one term more": Same(sp.Sum(q[t], (t, 1, T + 1)), sp.Sum(q[t], (t, 1, T)) + q[T + 1]),
    "quotient": Quotient(x**2 * y, x, 2 * x * y),
    "Hoelder": Below(sp.Sum(q[t], (t, 1, T)) ** 2, T * sp.Sum(q[t] ** 2, (t, 1, T))),
}
WRONG = {
    "slope": Slope(sp.log(1 + x) * y, x, -y / (1 + x)),
    "slope that turns": Slope((x - 2) ** 2, x, x),
    "bend": Bend(sp.sqrt(x), x, 1 / x),
    "bend in log x": Bend(sp.log(x) ** 3, x, sp.Integer(1), in_log=True),
    "limit": Limit((sp.exp(x) - 1) / x, x, sp.Integer(0), 1, sp.Integer(2)),
    "limit at infinity": Limit(x / (x + y), x, sp.oo, -1, sp.Integer(0)),
    "it grows": Limit(-sp.log(x), x, sp.oo, -1, sp.Integer(1)),
    "one term more": Same(sp.Sum(q[t], (t, 1, T + 1)), sp.Sum(q[t], (t, 1, T)) + q[T]),
    "quotient": Quotient(x**2 * y, x, 3 * x * y),
    "Hoelder": Below(sp.Sum(q[t], (t, 1, T)) ** 2, sp.sqrt(T) * sp.Sum(q[t] ** 2, (t, 1, T))),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_agrees_and_says_at_how_many_points(name):
    agreed, against = replayed([RIGHT[name]], 0)
    assert agreed > 0 and against == ""


@pytest.mark.parametrize("name", WRONG)
def test_a_slip_is_caught(name):
    assert replayed([WRONG[name]], 0)[1]


def test_a_number_that_cannot_be_had_is_no_opinion():
    assert replayed([Slope(sp.log(-x), x, sp.Integer(1))], 0) == (0, "")


def closed(tactic, relation):
    """The ways of a tactic that have numbers to replay, and whose numbers agree."""
    ways = [way for way in tactic.attempt(relation, QUICK).reductions if way.replays]
    return [way for way in ways if not replayed(way.replays, 0)[1]]


def test_a_wrong_exponent_in_hoelders_inequality_is_not_believed(monkeypatch):
    relation = AtMost(sp.Sum(q[t], (t, 1, T)) ** 2, T * sp.Sum(q[t] ** 2, (t, 1, T)))
    assert closed(optimality, relation)
    tidy = optimality._tidy
    monkeypatch.setattr(optimality, "_tidy", lambda e: tidy(e) / 2)
    assert not closed(optimality, relation)


def test_a_wrong_derivative_is_not_believed(monkeypatch):
    for tactic, relation in ((derivatives, AtMost(sp.log(1 + x), x)), (shape, Increasing(x + sp.exp(x), x))):
        assert closed(tactic, relation)
        monkeypatch.setattr(tactic, "_core", lambda slope: (sp.Integer(1), -1))
        assert not closed(tactic, relation)


def test_a_step_that_skips_a_little_is_not_believed(monkeypatch):
    relation = AtMost(sp.Sum(q[t], (t, 1, T)), sp.Sum(q[t], (t, 1, T)) + sp.Sum(q[t] ** 2, (t, 1, T)))
    assert closed(induction, relation)
    before = induction._step_up
    monkeypatch.setattr(induction, "_step_up", lambda e, T: before(e, T) - sp.Rational(1, 10**6))
    assert not closed(induction, relation)
