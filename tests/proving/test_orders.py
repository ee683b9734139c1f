"""O, Omega and Theta: constants are chosen and shown, a refutation is a path that is verified from its
JSON.
"""

import copy
import json

import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.exam import orders as CASES
from dpverify.proving import monomials, prove
from dpverify.proving.order_paths import records
from dpverify.relations import AtMost, BigO, Omega, Theta
from dpverify.theorems import AllOf, Theorem, formal, latex
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED
from dpverify.witnesses import verify_witness

N = CASES.N
d = CASES.d
a = CASES.a
eps = CASES.eps
x = sp.Symbol("x", real=True)


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.OPEN])
def test_what_is_beyond_the_engine_is_left_open(build):
    assert prove(build()).verdict is UNDECIDED


def test_constants_are_chosen_and_shown():
    result = prove(Theta(3 * N + sp.log(N), N))
    assert result.verdict is PROVED
    assert result.evidence.certificate["shown"] == {"lower constant": "3", "upper constant": "4"}
    assert "upper constant 4" in result.because
    inner = result.steps[1].result.steps
    assert "3*N + log(N) <= 4*N" in [step.statement for step in inner]


def test_a_constant_may_depend_on_what_comes_before_it():
    result = prove(Theta(a * N**2 + N, N**2, of=[a]))
    assert result.evidence.certificate["shown"] == {"lower constant": "a", "upper constant": "a + 1"}
    assert prove(BigO(a * N**2 + N, N**2)).verdict is REFUTED
    assert prove(BigO(N**2 + a, N, of=[a])).witness.let["a"] in ("1", "2")  # it stands still on the path


def test_the_power_of_a_hidden_logarithm_is_shown():
    result = prove(BigO(N * sp.log(N) ** 2 + d, N + d, hiding=[N]))
    assert result.evidence.certificate["shown"]["power of 1 + log(N)"] == "2"


def test_a_hidden_logarithm_must_not_be_negative():
    """1 + log(1/10) is negative: up to such a factor nothing is said."""
    result = prove(BigO(eps, eps, [eps >= sp.Rational(1, 10)], hiding=[eps]))
    assert result.verdict is UNDECIDED
    assert "1 <= epsilon" in result.because


def test_a_scale_that_may_be_negative_is_none():
    assert prove(BigO(x, x, [x >= -1])).verdict is not PROVED
    assert prove(Omega(-N, -2 * N)).verdict is not PROVED


def test_a_given_constant_is_the_one_that_is_checked():
    assert prove(BigO(2 * N + d, N + d, constant=2)).verdict is PROVED
    assert prove(BigO(2 * N + d, N + d, constant=sp.Rational(199, 100))).verdict is REFUTED


@pytest.mark.parametrize("shown", ["limit", "rate"])
def test_a_path_survives_json_and_no_change(shown):
    order = BigO(N * d, N + d, [d <= N])
    wrong = prove(order)
    assert wrong.verdict is REFUTED
    assert wrong.witness.exact["kind"] == "order"
    t = sp.Symbol("t", integer=True, positive=True)
    ways = records(order, "upper", {N: t, d: t}, t, wrong.witness.exact["start"])
    exact = json.loads(json.dumps(next(record for record in ways if shown in record)))
    assert verify_witness(json.loads(json.dumps(wrong.witness.exact)))
    assert verify_witness(exact)
    still = [[symbol, ["Rational", 1, 1]] for symbol, _ in exact["path"]]
    rates = (["Rational", 1, 1], ["Pow", exact["over"], ["Rational", -1, 1]])
    for key, value in (
        ("scale", exact["expression"]),
        ("side", "lower"),
        ("path", still),
        ("path", exact["path"][:1]),
        ("path", [[symbol, ["Mul", ["Rational", -1, 1], place]] for symbol, place in exact["path"]]),
        ("start", 0),
        *[("rate", rate) for rate in rates if shown == "rate"],
    ):
        assert not verify_witness(copy.deepcopy(exact) | {key: value}), key


def test_a_limit_is_looked_for_before_an_inequality():
    """An inequality may be searched for as long as there is time: the verdict must not hang on that."""
    t = sp.Symbol("t", integer=True, positive=True)
    first, *others = records(BigO(N**2, N), "upper", {N: t, d: sp.Integer(1)}, t, 2)
    assert "limit" in first
    assert others and all("rate" in record for record in others)


def test_a_path_stays_within_the_hypotheses():
    """Without d <= 1000 the path may go anywhere; with it the statement is true."""
    assert prove(BigO(N * d, N, [d <= 1000])).verdict is PROVED
    assert prove(BigO(N * d, N)).verdict is REFUTED


def test_orders_are_said_in_words_and_typeset():
    order = BigO(N * sp.log(N) + d, N + d, [d <= N], hiding=[N])
    assert str(order) == "N*log(N) + d = O~(N + d), hiding log(N)   given d <= N"
    assert formal(order) == (
        "there are c > 0, a whole k >= 0 such that for all whole N > 0, whole d > 0: "
        "|N*log(N) + d| <= c*(N + d)*(1 + log(N))^k   given d <= N"
    )
    assert formal(Theta(a * N, N, of=[a])).startswith(
        "for all a > 0 there are c1 > 0, c2 > 0 such that for all"
    )
    assert r"\tilde{O}" in latex(order)
    assert latex(Omega(N, 1)) == r"N = \Omega\left(1\right)"
    assert latex(Theta(N, N, lower=1, upper=2)) == r"1 \cdot N \le N \le 2 \cdot N"


def test_orders_stand_in_theorems():
    theorem = Theorem(given=[eps <= 1], shows=AllOf(BigO(eps**2, eps), Omega(1 / eps, 1)))
    assert prove(theorem).verdict is PROVED


def test_products_of_powers_are_compared_exactly():
    """A certificate does not fit a neighbour, and differences are not multiplied away."""
    true = AtMost(N ** sp.Rational(2, 3) * sp.sqrt(d), N * d / eps**2, [eps <= 1])
    attempted = monomials.attempt(true, QUICK)
    assert monomials.check(true, attempted.content)
    assert not monomials.check(AtMost(true.lhs * 2, true.rhs, true.given), attempted.content)
    assert not monomials.check(AtMost(true.lhs, true.rhs), attempted.content | {"rows": []})
    y = sp.Symbol("y", positive=True)
    for false in (AtMost((1 - eps) * (1 - y), 1), AtMost((1 - eps) ** 2, 1), AtMost(eps**2, eps)):
        attempted = monomials.attempt(false, QUICK)
        assert not (hasattr(attempted, "content") and monomials.check(false, attempted.content)), str(false)


def test_a_path_may_grow_like_a_logarithm():
    width = sp.Symbol("width", positive=True)
    narrow = [width >= 1, width <= 1 + sp.log(N)]
    assert prove(BigO(width, 1 + sp.log(N), narrow)).verdict is PROVED
    result = prove(Omega(1 + sp.log(N), width**2, narrow))
    assert result.verdict is REFUTED and result.witness.let["width"] == "log(t) + 1"
