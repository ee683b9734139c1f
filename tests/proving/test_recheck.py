"""A kept proof stands step by step; with a step that does not fit, or a statement that differs, it falls."""

import json
from dataclasses import replace

import pytest
import sympy as sp

from dpverify.proving import prove
from dpverify.proving.recheck import stands
from dpverify.relations import AtMost, Equal, Increasing
from dpverify.theorems import AllOf, ForEvery, ForSome, Theorem
from dpverify.verdicts import PROVED, Result

x, y, z, c = sp.symbols("x y z c", positive=True)
X = sp.Symbol("X", real=True)
t, T = (sp.Symbol(name, integer=True, positive=True) for name in "tT")
e = sp.IndexedBase("e", positive=True)
falls = ForEvery(AtMost(e[t + 1], e[t] / 2), t, 1, T)

PROOFS = {
    "chain": Theorem(shows=AtMost(sp.log(1 + x), x + x**2)).calc(
        sp.log(1 + x), ("<=", x, "tangent"), ("<=", x + x**2, "a square")
    ),
    "facts": Theorem(given=[x <= y, y <= z], shows=AtMost(x, 2 * z)).have(AtMost(x, z), "transitive"),
    "sequence": Theorem(given=[falls], shows=AtMost(e[T + 1], e[1] / 2**T)).unroll(
        e[t], sp.Rational(1, 2), 0, (t, 1, T), "T steps"
    ),
    "cases": Theorem(shows=AtMost(sp.Abs(X), sp.sqrt(X**2 + 1))).cases(X >= 0, X < 0),
    "induction": Theorem(shows=AtMost(T, 2**T)).induct(T, 1),
    "several": AllOf(AtMost(2 * x * y, x**2 + y**2), AtMost(0, x)),
    "existence": ForSome([c], AtMost(x / (1 + x**2), c), at={c: 1}),
    "reduction": Increasing(x / (1 + x), x, strict=True),
    "calculus": Equal(sp.Integral(sp.exp(-x * X), (X, 0, sp.oo)), 1 / x),
}


@pytest.fixture(scope="module")
def kept():
    results = {name: prove(statement) for name, statement in PROOFS.items()}
    return {name: Result.from_json(json.loads(json.dumps(r.to_json()))) for name, r in results.items()}


@pytest.mark.parametrize("name", PROOFS)
def test_a_kept_proof_stands(kept, name):
    assert kept[name].verdict is PROVED
    assert stands(PROOFS[name], kept[name])


@pytest.mark.parametrize("name", PROOFS)
def test_it_falls_without_one_of_its_steps(kept, name):
    shorter = replace(kept[name], steps=kept[name].steps[:-1])
    assert not stands(PROOFS[name], shorter)


def test_it_falls_for_another_statement(kept):
    assert not stands(Theorem(shows=AtMost(2**T, T)).induct(T, 1), kept["induction"])
    other = Theorem(given=[x <= y, z <= y], shows=AtMost(x, 2 * z)).have(AtMost(x, z), "transitive")
    assert not stands(other, kept["facts"])


def test_it_falls_with_a_certificate_that_does_not_fit(kept):
    """The certificate of one step in the place of that of another."""
    first, *rest = kept["chain"].steps
    wrong = replace(first, result=rest[-1].result)
    assert not stands(PROOFS["chain"], replace(kept["chain"], steps=(wrong, *rest)))
