"""Relations about vectors: certificates that fit nothing else, witnesses that are vectors, planted errors."""

import json

import numpy as np
import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.language import Function, VectorSequence, inner, norm, norm2, vectors
from dpverify.proving import gram, prove, realisations
from dpverify.proving.candidates import Realiser, Rows
from dpverify.proving.concrete import Exact
from dpverify.proving.vector_statements import Statement
from dpverify.relations import AtMost, Equal, Increasing, PositiveSemidefinite
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED
from dpverify.witnesses import verify_witness

x, y, z = vectors("x y z")
L, mu, eta = sp.symbols("L mu eta", positive=True)
f = Function("f", smooth=L, strongly_convex=mu)
after = x - eta * f.gradient(x)


def test_a_certificate_fits_its_relation_alone():
    relation = AtMost(norm2(x + y), 2 * norm2(x) + 2 * norm2(y))
    certificate = prove(relation).evidence.certificate
    assert gram.check(relation, certificate)
    assert not gram.check(AtMost(norm2(x + y), norm2(x) + 2 * norm2(y)), certificate)
    assert not gram.check(AtMost(norm2(x + y), 2 * norm2(x) + 2 * norm2(y), strict=True), certificate)


def test_a_negative_multiplier_is_not_accepted():
    relation = AtMost(norm2(x), 1, [norm2(x) >= 1])
    fact = gram.Statement(relation).hypotheses[0]
    forged = {"multipliers": [[fact.text, gram.to_json(fact.expression), ["Rational", -1, 1]]]}
    assert not gram.check(relation, forged)


def test_no_value_of_an_inner_product_is_made_up():
    """Free numbers for the three inner products would refute this."""
    relation = AtMost(inner(x, y) ** 2, norm2(x) * norm2(y))
    assert prove(relation).verdict is PROVED
    assert realisations.refute(relation, QUICK) is None


def test_a_witness_stands_on_its_json_and_not_after_a_change():
    result = prove(AtMost(norm2(after), norm2(x), [eta * L <= 1]))
    assert result.verdict is REFUTED
    record = json.loads(json.dumps(result.witness.exact))
    assert verify_witness(record)
    for entry in record["numbers"]:
        if entry[0][0] == "vector":
            entry[1:] = [0, 1]
        if entry[0][0] == "function" and entry[0][2] == "centre":
            entry[1:] = [0, 1]
    assert not verify_witness(record)


def test_a_function_outside_of_its_class_is_no_witness():
    result = prove(AtMost(f(x), f.minimum, [mu < L]))
    record = json.loads(json.dumps(result.witness.exact))
    assert verify_witness(record)
    for entry in record["numbers"]:
        if entry[0][0] == "function" and entry[0][2] == "curvature":
            entry[1:] = [3, 1]  # three times as far from the least curvature as the class allows
    assert not verify_witness(record)


def test_multipliers_of_the_claim_are_checked():
    lhs, rhs = f(x) - f.minimum, inner(f.gradient(x), x - f.minimiser) - mu / 2 * norm2(x - f.minimiser)
    fact = f.strong_convexity(x, f.minimiser)
    assert prove(AtMost(lhs, rhs, multipliers=[(fact, 1)])).verdict is PROVED
    with pytest.raises(ValueError, match="values cancel"):
        prove(AtMost(lhs, rhs, multipliers=[(fact, 2)]))
    with pytest.raises(ValueError, match="a hypothesis or a fact of a class"):
        prove(AtMost(lhs, rhs, multipliers=[(sp.Le(f(x), f(y)), 1)]))


def test_one_name_and_two_classes_are_refused():
    result = prove(AtMost(f(x), Function("f", smooth=L)(x)))
    assert result.verdict is UNDECIDED and "two different functions are called f" in result.because


def test_equations_among_vectors():
    assert prove(Equal(norm2(x + y), norm2(x) + norm2(y), [sp.Eq(inner(x, y), 0)])).verdict is PROVED
    assert prove(Equal(norm2(x + y), norm2(x) + norm2(y))).verdict is REFUTED


def test_floats_and_fractions_agree_on_random_realisations():
    """The vectorised evaluation that searches and the exact one that verifies are written twice."""
    relation = AtMost(f(after) - f.minimum + norm2(after - y), norm2(x) * eta, [eta * L <= 1])
    statement = gram.Statement(relation)
    for shape in realisations._shapes(statement):
        realiser = Realiser(relation, statement, shape)
        rows = realiser.sample(20, np.random.default_rng(0))
        state = Rows(realiser, rows)
        for k in range(len(rows)):
            exact = Exact(statement, realiser.realisation(rows[k]))
            for atom in realiser.atoms:
                value = float(state.atom(atom)[k])
                assert value == pytest.approx(float(exact.atom(atom)), rel=1e-4, abs=1e-4), atom


def test_hypotheses_have_a_model_of_vectors():
    assert realisations.model([norm2(x) <= 1, inner(x, y) >= 2], QUICK) is not None
    assert realisations.model([norm2(x) <= 1, norm2(y) <= 1, inner(x, y) >= 2], QUICK) is None


def test_vectors_stand_only_in_comparisons():
    """Free values for the entries would refute this truth."""
    matrix = sp.Matrix([[norm2(x), inner(x, y)], [inner(x, y), norm2(y)]])
    for relation in (
        PositiveSemidefinite(matrix),
        Increasing(f(after), eta),
        Increasing(eta * norm2(x), eta),
    ):
        result = prove(relation)
        assert result.verdict is UNDECIDED
        assert "only in comparisons" in result.because


def test_a_value_at_a_free_index_is_not_the_values_in_a_sum():
    t, T = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True)
    v = VectorSequence("v")
    for claim in (f(v[t]), norm2(v[t])):
        result = prove(Equal(sp.Sum(claim, (t, 1, T)), T * claim))
        assert result.verdict is not PROVED


def test_a_kink_is_no_witness_against_a_function_that_is_not_convex():
    g = Function("g", lipschitz=1)
    assert prove(AtMost(g(x) - g(y), norm2(x - y) + sp.Rational(1, 4))).verdict is PROVED


@pytest.mark.parametrize(
    ("relation", "why"),
    [
        (AtMost(f(x), f(y), [mu > 2 * L]), "of their classes"),
        (AtMost(norm2(x), 0, [norm2(x) <= -1]), "contradict"),
        (AtMost(norm2(x) + sp.sqrt(1 - eta), norm2(x) + 1), "1 - eta >= 0"),
        (AtMost(f.minimum, f(x / (1 - eta))), "1 - eta != 0"),
        (AtMost(norm2(x) * 0.5, norm2(x)), "not exact"),
        (AtMost(norm2(x) * sp.Symbol("c"), norm2(x)), "not declared to be a real"),
    ],
)
def test_what_is_empty_undefined_or_inexact_is_not_proved(relation, why):
    result = prove(relation)
    assert result.verdict is UNDECIDED
    assert why in result.because


def test_a_definition_that_divides_by_a_norm_is_no_polynomial():
    scale = sp.Symbol("s", positive=True)
    given = [sp.Eq(scale, eta / norm(x)), norm(x) > 0]
    assert prove(Equal(norm2(scale * x), eta**2, given=given)).verdict is PROVED
    assert prove(Equal(norm2(scale * x), 2 * eta**2, given=given)).verdict is REFUTED


def test_a_function_is_not_taken_for_an_interpolation_inequality_by_its_name():
    x, y = vectors("x y")

    def plain(f):
        relation = AtMost(f(x), f(y) + inner(f.gradient(x), x - y) + inner(f.gradient(y), x - y))
        return {fact.text.split()[0]: fact.plain for fact in Statement(relation).instances}

    assert plain(Function("interpolation_error", convex=True)) == {"convexity": True}
    assert not plain(Function("f", smooth=1))["interpolation"] and plain(Function("f", smooth=1))["descent"]
