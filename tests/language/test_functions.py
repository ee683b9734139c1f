"""Functions: facts at points are proved from the fewest, and classes are declared with sense."""

import pytest
import sympy as sp

from dpverify.language import Function, Vector, norm2, vectors
from dpverify.language.functions import points
from dpverify.proving import prove
from dpverify.relations import AtMost
from dpverify.verdicts import PROVED

x, y = vectors("x y")
L, mu, eta, G = sp.symbols("L mu eta G", positive=True)
low = sp.Symbol("low", real=True)


class Silent(Function):
    """A function that tells the engine nothing, so that only the hypotheses of a relation count."""

    def instances(self, points, derived=True):
        return []

    def known(self, points, derived):
        return [instance.relation for instance in super().instances(points, derived)]


@pytest.mark.parametrize(
    "f",
    [
        Silent("f", smooth=L),
        Silent("f", smooth=L, convex=True),
        Silent("f", smooth=L, strongly_convex=mu),
        Silent("f", strongly_convex=mu),
    ],
    ids=lambda f: f.declaration,
)
def test_derived_facts_follow_from_the_fewest(f):
    given = [mu < L, *f.known([x, y], derived=False)]
    for fact in f.known([x, y], derived=True):
        assert prove(AtMost(fact.lhs, fact.rhs, given)).verdict is PROVED, fact


def test_a_kind_of_ones_own_is_not_taken_for_the_function_of_the_same_name():
    own, plain = Silent("f", smooth=L), Function("f", smooth=L)
    assert own != plain and own(x) != plain(x) and own.replaced({L: mu}) == Silent("f", smooth=mu)
    assert prove(AtMost(own(y), own.descent(x, y).rhs)).verdict is not PROVED
    assert prove(AtMost(plain(y), plain.descent(x, y).rhs)).verdict is PROVED


def test_the_gap_bounds_the_gradient_by_one_step_of_descent():
    """The fact for functions that are bounded below is the descent lemma at x - f'(x)/L."""
    f = Function("f", smooth=L)
    after = x - f.gradient(x) / L
    given = [f.descent(x, after), sp.Le(low, f(after))]
    assert prove(AtMost(norm2(f.gradient(x)), 2 * L * (f(x) - low), given)).verdict is PROVED


def test_points_are_all_points_where_the_function_occurs():
    f = Function("f", smooth=L)
    after = x - eta * f.gradient(x)
    assert points([f(after)]) == {f: [after, x]}


def test_an_undeclared_fact_is_refused():
    with pytest.raises(ValueError, match=r"declared smooth=\.\.\., which descent needs"):
        Function("f", convex=True).descent(x, y)


def test_constants_are_positive():
    with pytest.raises(ValueError, match="Expected smooth=-1 to be a positive number"):
        Function("f", smooth=-1)
    with pytest.raises(ValueError, match="Expected lipschitz=a"):
        Function("f", lipschitz=sp.Symbol("a"))


def test_the_gradient_vanishes_at_the_minimiser():
    f = Function("f", convex=True)
    assert f.gradient(f.minimiser) == Vector.zero()
    assert str(f.minimum) == "min f"


def test_the_declaration_says_the_class():
    f = Function("f", smooth=L, polyak_lojasiewicz=mu, lower_bound=low)
    assert f.declaration == "f is L-smooth and mu-Polyak-Lojasiewicz and at least low"


def test_a_function_may_be_bounded_below_by_zero():
    q, x = Function("q", lower_bound=0), Vector("x")
    assert prove(AtMost(0, q(x))).verdict is PROVED
