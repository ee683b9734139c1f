"""The exam of the engine: no falsehood proved, at least 95 % of the truths proved, no truth refuted; counts
in the summary.
"""

import json

import pytest

from dpverify.exam import cases, report, sit
from dpverify.exam.kinds import EMPTY, TRUE, UNDEFINED
from dpverify.verdicts import PROVED, REFUTED
from dpverify.witnesses import verify_witness


@pytest.fixture(scope="module")
def grades():
    return list(sit(seconds=3600))  # in a process of its own, where statements bear no marks


def test_every_cause_is_asked_both_ways():
    truths = {case.cause for case in cases() if case.truth}
    assert truths == {case.cause for case in cases()} == {case.cause for case in cases() if not case.truth}


def test_no_falsehood_is_proved_and_no_truth_refuted(grades):
    assert [g.case.name for g in grades if g.wrong] == []


def test_what_has_no_meaning_is_said_to_have_none(grades):
    """Hypotheses that contradict each other are the reason given; so is what is not defined or modelled."""
    empty = [g.result.because for g in grades if g.case.kind is EMPTY]
    assert [why for why in empty if "hypothes" not in why] == []  # hypothesis, hypotheses
    undefined = [g.result for g in grades if g.case.kind is UNDEFINED and g.result.verdict is not REFUTED]
    refused = ("defined", "not modelled", "hypotheses", "is no value", "of the state alone")
    reasons = (*refused, "mechanisms: ")  # a condition of a rule that does not hold
    assert [r.because for r in undefined if not any(word in r.because for word in reasons)] == []


def test_at_least_95_percent_of_the_truths_are_proved(grades, record_property):
    record_property("exam", report(grades).splitlines()[0])
    print(report(grades))
    truths = [g for g in grades if g.case.kind is TRUE]
    assert sum(g.result.verdict is PROVED for g in truths) >= 0.95 * len(truths), report(grades)


def test_every_witness_stands_on_its_json_alone(grades):
    refuted = [g.result.witness for g in grades if g.result.verdict is REFUTED]
    assert [w.let for w in refuted if not verify_witness(json.loads(json.dumps(w.exact)))] == []


def test_certificates_do_not_fit_falsehoods(grades):
    """A certificate of a truth is not accepted for a relation that differs from it."""
    import importlib

    import sympy as sp

    from dpverify.relations import AtMost, Equal

    checked = set()
    for g in grades:
        relation = g.case.build()
        evidence = g.result.evidence
        if g.result.verdict is not PROVED or not {"reduction", "inferences"}.isdisjoint(evidence.certificate):
            continue
        tactic = importlib.import_module(f"dpverify.proving.{evidence.method}")
        if isinstance(relation, Equal) and not isinstance(relation.derived, sp.MatrixBase):
            false = Equal(relation.derived, relation.stated + sp.Rational(1, 10**6), relation.given)
        elif isinstance(relation, AtMost):
            false = AtMost(relation.rhs + 1, relation.lhs, relation.given)
        else:
            continue
        checked.add(evidence.method)
        assert not tactic.check(false, evidence.certificate), g.case.name
    assert {"squares", "polynomials", "signs", "balls", "linear"} <= checked
