"""Every paper: each statement of its index is a claim, verdicts are as expected, witnesses and corrections
stand on their own.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from dpverify.checking import check
from dpverify.claims import BREAKS, find
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED
from dpverify.witnesses import verify_witness

INDEX = [
    f"{path.stem.replace('_', '-')}/{id}"
    for path in sorted(Path(__file__).parent.glob("*.ids"))
    for id in path.read_text().split()
]
CLAIMS = find()
PAPERS = sorted({c.paper.key for c in CLAIMS.values()})
REFUTATIONS = [id for id, c in CLAIMS.items() if c.expect is REFUTED]


@cache
def checked(paper):
    """The claims of one paper, checked once; no paper uses a claim of another.

    With a limit, here one that no claim comes near, they are checked in a process of their own, where
    statements bear no marks: proofs take about a fifth longer with them.
    """
    return {c.claim.id: c for c in check(paper=paper, seconds=3600)}


def result_of(id):
    return checked(CLAIMS[id].paper.key)[id].result


def test_every_statement_of_the_index_is_a_claim():
    assert {id.partition("/")[0] for id in INDEX} == {c.paper.key for c in CLAIMS.values()}
    assert [id for id in INDEX if id not in CLAIMS] == []


def test_corrections_that_the_paper_does_not_print_are_ours():
    corrections = {c.correction for c in CLAIMS.values() if c.correction} - set(INDEX)
    assert [id for id in corrections if CLAIMS[id].standing != "ours"] == []


@pytest.mark.parametrize("id", CLAIMS)
def test_verdicts_are_as_expected(id):
    result = result_of(id)
    assert result.verdict is CLAIMS[id].expect, result.because


@pytest.mark.parametrize("id", REFUTATIONS)
def test_refutations_say_what_they_break_and_their_witness_stands_on_its_json(id):
    assert CLAIMS[id].breaks in BREAKS or CLAIMS[id].standing == "ours"
    result = result_of(id)
    assert result.witness.then
    if result.witness.exact:
        assert verify_witness(json.loads(json.dumps(result.witness.exact)))
    else:  # a mean found too large by many runs has no exact half; its alpha stands in the evidence
        assert 0 < result.evidence.alpha <= 1e-3


@pytest.mark.parametrize("id", REFUTATIONS)
def test_corrections_stand(id):
    """A correction is proved; one that is about runs has no proof, and a test that could have failed stands
    for it. Which of the two is said by the claim itself.
    """
    correction = CLAIMS[id].correction
    assert correction is not None
    assert CLAIMS[correction].expect in (PROVED, SUPPORTED)
    assert result_of(correction).verdict is CLAIMS[correction].expect


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_supported_says_what_it_could_have_shown(paper):
    supported = [c for c in checked(paper).values() if c.result.verdict is SUPPORTED]
    assert supported
    assert [c.claim.id for c in supported if not (c.result.evidence.ceiling or c.result.evidence.alpha)] == []


@pytest.mark.parametrize("id", [id for id, c in CLAIMS.items() if c.expect is UNDECIDED])
def test_what_is_undecided_says_why(id):
    assert len(result_of(id).because) > 60


def tainted(paper):
    return [id for id, c in checked(paper).items() if c.tainted and c.result.verdict is PROVED]


@pytest.mark.parametrize("paper", ["dynamic-noise"])
def test_taint_is_visible_where_a_statement_leans_on_a_refuted_one(paper):
    assert "dynamic-noise/appa-ter-eer-given" in tainted(paper)  # derived from Theorem A.3 as printed


@pytest.mark.parametrize("paper", ["dp-accel"])
def test_what_leans_on_corrections_is_not_tainted(paper):
    assert tainted(paper) == []
