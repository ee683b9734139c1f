"""The first claims of adp-erm, momentum-agg and diff2: they exist, end as expected, and their witnesses stand on their JSON."""

import json

import pytest

from dpverify.checking import check
from dpverify.claims import find
from dpverify.proving import verify_witness
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED

EXPECTED = {
    "adp-erm/remark-4.1-min": PROVED,
    "adp-erm/remark-4.1-attain": PROVED,
    "adp-erm/remark-4.1-alt": REFUTED,
    "adp-erm/prop-5.1-eq9": REFUTED,
    "adp-erm/prop-5.1-eq9-run": REFUTED,
    "momentum-agg/thm-4-conv-quad": PROVED,
    "momentum-agg/thm-4-conv-suff": PROVED,
    "momentum-agg/thm-4-dp": REFUTED,
    "momentum-agg/prop-13": PROVED,
    "momentum-agg/prop-14": PROVED,
    "momentum-agg/prop-16": PROVED,
    "momentum-agg/prop-18": PROVED,
    "momentum-agg/prop-18-run": SUPPORTED,
    "momentum-agg/lemma-17": REFUTED,
    "diff2/prop-4.1": PROVED,
    "diff2/thm-4.3-exponents": PROVED,
    "diff2/lemma-b.8": PROVED,
    "diff2/lemma-d.1": PROVED,
}


@pytest.fixture(scope="session")
def checked():
    found = find(papers=["adp-erm", "momentum-agg", "diff2"])
    ids = [*EXPECTED, *(found[id].correction for id in EXPECTED if found[id].correction)]
    return {c.claim.id: c for c in check(*ids, jobs=2)}


@pytest.mark.parametrize("id", EXPECTED)
def test_claim_ends_as_expected(checked, id):
    assert checked[id].result.verdict is EXPECTED[id] is checked[id].claim.expect, checked[id].result.because


@pytest.mark.parametrize("id", [id for id, verdict in EXPECTED.items() if verdict is REFUTED])
def test_refutation_stands_alone_and_names_a_proved_correction(checked, id):
    claim, result = checked[id].claim, checked[id].result
    exact = json.loads(json.dumps(result.witness.to_json()))["exact"]
    assert verify_witness(exact) if exact else result.evidence.alpha <= 1e-6
    assert claim.breaks in ("privacy", "theorem", "proof")
    assert checked[claim.correction].result.verdict is PROVED


def test_witness_with_its_sides_exchanged_is_not_accepted(checked):
    exact = json.loads(json.dumps(checked["momentum-agg/thm-4-dp"].result.witness.exact))
    assert not verify_witness(exact | {"left": exact["right"], "right": exact["left"]})
