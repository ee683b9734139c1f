"""The plugin, run in a pytest of its own: marked mechanisms, the fixture, the failure message, the sum of alphas."""

import subprocess
import sys

pytest_plugins = ["pytester"]

FILE = """
import numpy as np
import pytest
from dpverify.neighbours import Neighbours

PAIR = Neighbours.replace(np.zeros((4, 1)), 0, [1.0])

@pytest.mark.dp(epsilon=1.0, neighbours=PAIR)
def right(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 1))

@pytest.mark.dp(epsilon=1.0, neighbours=PAIR)
def wrong(data, rng, runs):
    return 3 * data.sum() + rng.laplace(size=(runs, 1))

@pytest.mark.dp(mu=1.0, data=np.zeros((3, 1)), relation="replace")
def unclipped(data, rng):
    return data.sum() + rng.normal()

@pytest.mark.dp(mu=1.0)
def test_of_a_right_claim(dp_audit):
    assert dp_audit(right, PAIR).verdict == "SUPPORTED"

@pytest.mark.dp(mu=0.05)
def test_of_a_wrong_claim(dp_audit):
    dp_audit(right, PAIR)

def test_claim_as_argument(dp_audit):
    from dpverify import PureDP
    dp_audit(right, PAIR, PureDP(1.0))
"""


def test_right_passes_wrong_fails_and_the_message_is_the_witness(pytester):
    pytester.makepyfile(FILE)
    outcome = pytester.runpytest_subprocess("--dp-profile", "quick", "--dp-seed", "4", "-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=3, failed=3)
    text = outcome.stdout.str()
    assert "a contradiction" in text
    assert "1-DP is refuted" in text
    assert "audit of unclipped" in text
    outcome.stdout.fnmatch_lines(["*dp: 6 audits; the chance of a false alarm anywhere is at most 6e-06*"])


def test_a_marker_without_a_claim_is_misuse(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.dp(data=[[0.0]])\ndef m(data, rng): return rng.normal()\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret != 0
    assert "Expected one of epsilon, mu and claim" in result.stdout.str()


def test_the_plugin_loads_nothing_heavy():
    code = "import sys, dpverify.pytest_plugin; print([m for m in ('numpy', 'scipy', 'sympy', 'dpverify.auditing') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
