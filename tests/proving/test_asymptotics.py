"""Theta, O and Omega: proved with constants, supported at best without, refuted by a limit that is confirmed
at points.
"""

import copy
import json

import pytest

from dpverify.exam import asymptotics as CASES
from dpverify.proving import prove
from dpverify.verdicts import SUPPORTED, UNDECIDED
from dpverify.witnesses import verify_witness


@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in CASES.OPEN])
def test_without_constants_a_scan_supports_and_says_what_it_could_have_shown(build):
    result = prove(build())
    assert result.verdict is SUPPORTED, str(result)
    assert "would have been seen" in result.evidence.ceiling
    assert result.evidence.samples >= 4


def test_a_limit_survives_json_and_no_change():
    exact = json.loads(json.dumps(prove(dict(CASES.FALSE)["N log N = Theta(N)"]()).witness.exact))
    assert exact["kind"] == "asymptotics"
    assert verify_witness(exact)
    for key, value in (
        ("limit", ["Rational", 0, 1]),
        ("scale", exact["expression"]),
        ("points", exact["points"][:1]),
        ("points", exact["points"][::-1]),
    ):
        assert not verify_witness(copy.deepcopy(exact) | {key: value})


def test_nothing_claimed_is_nothing_proved():
    assert prove(CASES.order(CASES.N, CASES.N, lower=None, upper=None)).verdict is UNDECIDED
