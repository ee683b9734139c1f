"""A kept proof is a suggestion: it saves a search, and nothing is believed because it is kept."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.keeping import keep_proofs
from dpverify.language import Function, inner, norm2, vectors
from dpverify.proving import derivatives, kept, prove, sampling
from dpverify.proving.attempts import disagreement
from dpverify.proving.domain import domain_of
from dpverify.relations import AtMost, Equal, Increasing
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import PROVED, REFUTED

x, y, z = sp.symbols("x y z", positive=True)
X = sp.Symbol("X", real=True)
u, v = vectors("u v")
L = sp.Symbol("L", positive=True)
F = Function("F", smooth=L)

TRUE = {
    "squares": AtMost(2 * x * y, x**2 + y**2),
    "solver": AtMost(x**2 * y, (2 * x**3 + y**3) / 3, [z > 1, x > z], by=("polynomials",)),
    "identity": Equal((x + 1) ** 2, x**2 + 2 * x + 1),
    "reduction": Increasing(x / (1 + x), x, strict=True),
    "logarithm": AtMost(sp.log(1 + x), x),
    "vectors": AtMost(inner(u, v), (x * norm2(u) + norm2(v) / x) / 2),
    "functions": AtMost(F(u) + inner(F.gradient(u), v - u) - L * norm2(v - u) / 2, F(v)),
    "theorem": Theorem(given=[x <= y, y <= z], shows=AtMost(x, 2 * z)).have(AtMost(x, z), "transitive"),
    "several": AllOf(AtMost(2 * x * y, x**2 + y**2), AtMost(0, x)),
}


def written_down(proofs):
    """What a file would give back."""
    return {
        name: kept.Suggestion(*json.loads(json.dumps([proof.tactic, proof.certificate])))
        for name, proof in proofs.items()
    }


@pytest.mark.parametrize("name", TRUE)
def test_what_is_kept_is_not_searched_for_and_ends_in_the_same_proof(name):
    with kept.open_book({}) as first:
        searched = prove(TRUE[name])
    with kept.open_book(written_down(first.found)) as second:
        checked = prove(TRUE[name])
    assert searched.verdict is checked.verdict is PROVED
    assert first.found and second.used and not second.found
    assert (searched.because, searched.judges) == (checked.because, checked.judges)
    assert [s.statement for s in searched.steps] == [s.statement for s in checked.steps]


FALSE = {
    "squares": AtMost(3 * x * y, x**2 + y**2),
    "solver": AtMost(x**2 * y, (2 * x**3 + y**3) / 4, [z > 1, x > z], by=("polynomials",)),
    "identity": Equal((x + 1) ** 2, x**2 + x + 1),
    "reduction": Increasing(x / (1 + x**2), x, strict=True),
    "logarithm": AtMost(sp.log(1 + x), x / 2),
    "vectors": AtMost(inner(u, v), (x * norm2(u) + norm2(v) / x) / 3),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_proof_of_one_relation_under_the_name_of_another_proves_nothing(name):
    with kept.open_book({}) as book:
        prove(TRUE[name])
    for proof in book.found.values():
        with kept.open_book({kept.key(FALSE[name]): proof}):
            assert prove(FALSE[name]).verdict is REFUTED


@pytest.mark.parametrize("name", ["squares", "solver", "identity", "reduction", "logarithm", "vectors"])
@pytest.mark.parametrize("tactic", ["no such tactic", "os", "squares", "gram", "matrices"])
def test_with_a_suggestion_that_does_not_fit_the_search_begins(name, tactic):
    relation = TRUE[name]
    with kept.open_book({}) as book:
        prove(relation)
    closed = book.found[kept.key(relation)]
    if closed.tactic == tactic:
        pytest.skip("it fits")
    with kept.open_book({kept.key(relation): replace(closed, tactic=tactic)}) as other:
        assert prove(relation).verdict is PROVED
    assert kept.key(relation) in other.found


@pytest.mark.parametrize(
    "certificate", [{}, {"summary": ""}, {"reduction": "so it is"}, {"smt2": "(assert false)"}]
)
@pytest.mark.parametrize(
    "tactic", ["squares", "linear", "polynomials", "gram", "derivatives", "balls", "signs"]
)
def test_an_empty_certificate_proves_nothing_and_breaks_nothing(tactic, certificate):
    for relation, verdict in ((TRUE["squares"], PROVED), (FALSE["squares"], REFUTED)):
        with kept.open_book({kept.key(relation): kept.Suggestion(tactic, certificate)}):
            assert prove(relation).verdict is verdict


def test_hypotheses_that_contradict_each_other_are_found_with_a_kept_proof_too():
    with kept.open_book({}) as book:
        prove(AtMost(2 * x * y, x**2 + y**2))
    empty = AtMost(2 * x * y, x**2 + y**2, [x > 1, x < 1])
    (proof,) = book.found.values()
    with kept.open_book({kept.key(empty): proof}):
        assert prove(empty).because == "the hypotheses contradict each other, so that anything would follow"


def test_a_relation_is_known_by_what_is_assumed_of_its_symbols():
    positive, real = AtMost(0, x), AtMost(0, sp.Symbol("x", real=True))
    assert kept.key(positive) != kept.key(real)
    with kept.open_book({}) as book:
        prove(positive)
    (proof,) = book.found.values()
    with kept.open_book({kept.key(real): proof}):
        assert prove(real).verdict is REFUTED


def test_equal_relations_have_one_name_however_their_symbols_were_declared():
    """Algebra puts one of two equal symbols for the other, as it happens to have met them."""
    again = sp.Symbol("x", positive=True, real=True, finite=True)
    assert again == x
    assert kept.key(AtMost(0, again)) == kept.key(AtMost(0, x))


CLAIMS = '''
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost

PAPER = Paper("mine", "A paper of mine (2020)")
x, y, z = sp.symbols("x y z", positive=True)


@claim(PAPER, "mean", at="Lemma 1")
def mean():
    """The product is at most the mean of the powers."""
    return AtMost(x**2 * y, (2 * x**3 + y**3) / 3, [z > 1, x > z], by=("polynomials",))
'''


@pytest.fixture
def claims(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CLAIMS)
    return path


def test_proofs_are_kept_beside_the_claims_without_what_a_solver_does_not_need(claims):
    pytest.importorskip("z3")
    (path,) = keep_proofs(paths=[claims])
    assert path == claims.parent / "proofs.json"
    proofs = kept.read(claims.parent)
    assert len(proofs) == len(json.loads(path.read_text())) == 1
    (proof,) = proofs.values()
    assert proof.tactic == "polynomials"
    assert "(declare-fun x" in proof.certificate["smt2"]
    assert "(declare-fun z" not in proof.certificate["smt2"]


def test_a_file_that_holds_no_proofs_is_named(claims):
    (claims.parent / "proofs.json").write_text("[1, 2]")
    with pytest.raises(
        ValueError, match=r"Expected proofs in .*proofs\.json, as `dpverify proofs` writes them"
    ):
        kept.read(claims.parent)


WAYS = {
    "increasing": AtMost(sp.log(1 + x), x, by=("derivatives",)),
    "decreasing": AtMost(0, sp.exp(-x) * x + 1 - sp.tanh(x), [x >= 1], by=("derivatives",)),
    "concave": AtMost(X**2, sp.sin(2 * X), [X >= 0, X <= 1], by=("derivatives",)),
    "bottom": AtMost(X + 1, sp.exp(X), by=("derivatives",)),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_derivative_is_taken_again_along_the_variable_that_is_kept(name):
    made = derivatives.attempt(WAYS[name], QUICK)
    ways = [way for way in made.reductions if way.recipe.get("way") == name]
    for way in ways:
        again = list(derivatives.again(WAYS[name], way.recipe))
        assert [str(a) for a, _ in again[0].steps] == [str(a) for a, _ in way.steps]
        assert (again[0].because, again[0].recipe) == (way.because, way.recipe)
    assert ways
    assert list(derivatives.again(WAYS[name], {"variable": "another", "way": name})) == []


@pytest.mark.parametrize(
    ("relation", "fails"),
    [
        (AtMost(x, 1, [x < 2]), True),  # at every other point
        (AtMost(x, 1, [x < sp.Rational(101, 100)]), True),  # by so little that floats leave a doubt
        (AtMost(x, 1, [x < 1]), False),
        (AtMost(sp.log(x), x), False),
        (AtMost(2 * x * y, x**2 + y**2), False),
        (AtMost(sp.zeta(x + 1), sp.zeta(x + 1) + x), False),  # floats do not have it
    ],
)
def test_a_replay_disagrees_where_a_relation_fails(relation, fails):
    assert (disagreement(relation, replace(QUICK, replays=40)) is not None) is fails


def test_points_at_which_floats_leave_no_doubt_are_counted_but_for_the_first():
    domain = domain_of(AtMost(x, 1, [x < 2]))
    found = list(sampling.points(domain, 40, np.random.default_rng(0), sure=3))
    assert sum(bool(point[x] < 1 - sp.Rational(1, 10**5)) for point in found) == 3
    assert sum(bool(point[x] > 1) for point in found) > 5
