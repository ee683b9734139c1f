"""The plugin, run in a pytest of its own: marked mechanisms, the fixture, the failure message, the sum of
alphas.
"""

import subprocess
import sys
from xml.etree import ElementTree

import pytest
from _pytest.pytester import SysModulesSnapshot

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def keep_what_is_imported(monkeypatch):
    """The pytest of a test runs in this process, which has imported most of what an audit needs. Afterwards
    only the files of its tests are forgotten: NumPy cannot be loaded twice.
    """
    monkeypatch.setattr(
        "_pytest.pytester.SysModulesSnapshot",
        lambda preserve: SysModulesSnapshot(lambda name: not name.startswith("test_")),
    )


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
    outcome = pytester.runpytest_inprocess(
        "--dp-profile", "quick", "--dp-seed", "4", "-p", "no:cacheprovider"
    )
    outcome.assert_outcomes(passed=3, failed=3)
    text = outcome.stdout.str()
    assert "a contradiction" in text
    assert "1-DP is refuted" in text
    assert "audit of unclipped" in text
    outcome.stdout.fnmatch_lines(["*dp: 6 audits; the chance of a false alarm anywhere is at most 6e-06*"])


USERS = """
from typing import NamedTuple
import numpy as np
import pytest
from dpverify.algorithms import Algorithm
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.properties import hold
from dpverify.releases import Gaussian

DATA = np.array([[0.5, 0.0], [0.0, 2.0], [-1.0, 1.0]])
DECLARED = Gaussian(scale=2.0, sensitivity={REPLACE: 2.0})

class State(NamedTuple):
    x: np.ndarray

def clipped(rows):
    return rows / np.maximum(1, np.linalg.norm(rows, axis=-1, keepdims=True))

def optimizer(clip):
    return Algorithm(
        "mine", 3, init=lambda runs: State(np.zeros((runs, 2))), release=lambda t: DECLARED,
        query=lambda data, state: clip(state.x[:, None] - data).sum(axis=1),
        update=lambda state, s: State(state.x - 0.1 * s), load=np.asarray_chkfinite,
    )

def train(data, rng):
    return clipped(data).sum(axis=0) + 2 * rng.standard_normal(2)

def forgot(data, rng):
    return data.sum(axis=0) + 2 * rng.standard_normal(2)

def train_many(data, rng, runs):  # the search for neighbours calls it tens of thousands of times
    return clipped(data).sum(axis=0) + 2 * rng.standard_normal((runs, 2))

def forgot_many(data, rng, runs):
    return data.sum(axis=0) + 2 * rng.standard_normal((runs, 2))

def test_laws_of_an_algorithm():
    hold(optimizer(clipped), DATA, family="sensitivity")

def test_laws_of_a_callable():
    hold(train, DATA, declared=DECLARED)

def test_laws_of_an_algorithm_that_forgot_to_clip():
    hold(optimizer(lambda rows: rows), DATA, family="sensitivity")

def test_laws_of_a_callable_that_forgot_to_clip():
    hold(forgot, DATA, declared=DECLARED)

@pytest.mark.dp(epsilon=4.0, delta=0.1, relation="replace")
def test_claim_and_relation(dp_audit):
    assert dp_audit(train_many, data=DATA).verdict == "SUPPORTED"

@pytest.mark.dp(epsilon=4.0, delta=0.1, relation="replace")
def test_claim_and_relation_without_clip(dp_audit):
    dp_audit(forgot_many, data=DATA)

@pytest.mark.dp(epsilon=4.0, relation="add/remove")
def test_another_relation_than_that_of_the_pair(dp_audit):
    dp_audit(train, Neighbours.replace(DATA, 0, [1.0, 0.0]))
"""


def test_a_users_file_puts_an_optimizer_through_the_laws_in_one_line(pytester):
    pytester.makepyfile(USERS)
    outcome = pytester.runpytest_inprocess(
        "--dp-profile", "quick", "--dp-seed", "1", "-p", "no:cacheprovider"
    )
    outcome.assert_outcomes(passed=3, failed=4)
    text = outcome.stdout.str()
    assert "its declared replace sensitivity is 2. This refutes the declaration" in text
    assert "(4, 0.1)-DP is refuted" in text
    assert (
        "Expected relation='add/remove' in the marker dp(...) to be that of its neighbours, replace." in text
    )
    failed = [line.split("::")[1].split(" ")[0] for line in text.splitlines() if line.startswith("FAILED")]
    assert sorted(failed) == [
        "test_another_relation_than_that_of_the_pair",
        "test_claim_and_relation_without_clip",
        "test_laws_of_a_callable_that_forgot_to_clip",
        "test_laws_of_an_algorithm_that_forgot_to_clip",
    ]
    outcome.stdout.fnmatch_lines(["*dp: 2 audits; the chance of a false alarm anywhere is at most 2e-06*"])


def test_the_seed_and_the_profile_reach_the_audit(pytester):
    pytester.makepyfile("""
        import numpy as np
        from dpverify.guarantees import GDP
        from dpverify.neighbours import Neighbours

        def test_budget(dp_audit):
            noisy = lambda data, rng, runs: data.sum() + rng.normal(size=(runs, 1))
            evidence = dp_audit(noisy, Neighbours.replace(np.zeros((1, 1)), 0, [1.0]), GDP(1.0)).evidence
            assert (evidence.seed, evidence.samples) == (7, 2000)
    """)
    pytester.runpytest_inprocess(
        "--dp-profile", "quick", "--dp-seed", "7", "-p", "no:cacheprovider"
    ).assert_outcomes(passed=1)


def test_a_marker_without_a_claim_is_misuse(pytester):
    pytester.makepyfile(
        "import pytest\n@pytest.mark.dp(data=[[0.0]])\ndef m(data, rng): return rng.normal()\n"
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret != 0
    assert "Expected one of epsilon, mu and claim" in result.stdout.str()


def test_the_plugin_loads_nothing_heavy():
    code = (
        "import sys, dpverify.pytest_plugin; print([m for m in ('numpy', 'scipy', 'sympy', "
        "'dpverify.auditing') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


GIVEN = """
from functools import partial
import numpy as np
from hypothesis import given, settings, strategies as st
from dpverify import Budget, GDP, Neighbours

PAIR = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])
BUDGET = Budget(runs=500, alpha=1e-6)

def noisy(data, rng, runs, scale, slips=99.0):
    return data.sum() * (5.0 if scale >= slips else 1.0) + scale * rng.normal(size=(runs, 1))

@settings(max_examples=4, deadline=None, database=None, derandomize=True)
@given(scale=st.floats(1.0, 3.0))
def test_of_every_scale(dp_audit, scale):
    dp_audit(partial(noisy, scale=scale), PAIR, GDP(1 / scale), budget=BUDGET)

class TestOfAMethod:
    @given(scale=st.sampled_from([2.0]))
    def test_without_settings(self, dp_audit, scale):
        dp_audit(partial(noisy, scale=scale), PAIR, GDP(1 / scale), budget=BUDGET)

@settings(max_examples=20, deadline=None, database=None, derandomize=True)
@given(scale=st.integers(1, 10))
def test_of_a_scale_that_breaks_it(dp_audit, scale):
    dp_audit(partial(noisy, scale=float(scale), slips=4.0), PAIR, GDP(1 / scale), budget=BUDGET)

def broken(data, rng):
    raise ArithmeticError("of the mechanism")

def test_of_a_mechanism_that_crashes(dp_audit):
    dp_audit(broken, PAIR, GDP(1.0), budget=BUDGET)

def test_that_could_not_have_failed(dp_audit):
    dp_audit(partial(noisy, scale=1.0), PAIR, GDP(1.0), budget=Budget(runs=2, alpha=1e-6))
"""


def test_audits_within_given_and_their_properties(pytester):
    pytester.makepyfile(GIVEN)
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--junitxml=junit.xml")
    outcome.assert_outcomes(passed=2, failed=3)
    text = outcome.stdout.str()
    assert "scale=4" in text, "Hypothesis' smallest example is shown"
    assert "1/4" in text or "0.25-GDP is refuted" in text
    assert "ArithmeticError: of the mechanism" in text and "in broken" in text
    assert "could not have refuted" in text
    cases = ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    properties = {
        case.get("name"): {p.get("name"): p.get("value") for p in case.iter("property")} for case in cases
    }
    first = properties["test_of_every_scale"]
    assert first["dp_verdict"] == "SUPPORTED" and int(first["dp_audits"]) >= 4
    assert (
        float(first["dp_shown"]) > 0
        and "80 % power" in first["dp_ceiling"]
        and float(first["dp_seconds"]) > 0
    )
    assert float(first["dp_alpha"]) == pytest.approx(1e-6 * int(first["dp_audits"]))
    assert properties["test_of_a_scale_that_breaks_it"]["dp_verdict"] == "REFUTED"


def test_undecided_fails_unless_it_is_allowed_and_scores_are_judged(pytester):
    pytester.makepyfile(
        """
        import numpy as np
        import pytest
        from dpverify.neighbours import Neighbours

        PAIR = Neighbours.replace(np.zeros((4, 1)), 0, [1.0])
        SCORES = np.random.default_rng(0).normal(size=(2, 500))

        def noisy(data, rng, runs):
            return data.sum() + rng.laplace(size=(runs, 1))

        def fails(data, rng):
            raise ValueError("always")

        @pytest.mark.dp(epsilon=20.0)
        def test_that_could_not_have_failed(dp_audit):
            dp_audit(noisy, PAIR)

        @pytest.mark.dp(epsilon=20.0)
        def test_that_may_be_undecided(dp_audit):
            assert dp_audit(noisy, PAIR, undecided=True).verdict == "UNDECIDED"

        @pytest.mark.dp(epsilon=20.0, undecided=True)
        def test_whose_mark_says_that_it_may(dp_audit):
            dp_audit(noisy, PAIR)

        @pytest.mark.dp(epsilon=20.0, undecided=True)
        def test_that_crashes(dp_audit):
            dp_audit(fails, PAIR)

        @pytest.mark.dp(epsilon=1.0)
        def test_of_scores(dp_audit):
            dp_audit(scores=SCORES)

        @pytest.mark.dp(epsilon=1.0)
        def test_of_telling_scores(dp_audit):
            dp_audit(scores=(SCORES[0] + 9, SCORES[1]))
        """
    )
    outcome = pytester.runpytest_inprocess("--dp-profile", "quick", "-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=3, failed=3)
    text = outcome.stdout.str()
    assert "could not have refuted" in text
    assert "ValueError: always" in text
    assert "guesses right" in text


def test_a_mistyped_argument_and_two_claims_are_misuse_without_a_traceback(pytester):
    pytester.makepyfile("""
        import numpy as np
        import pytest
        from dpverify import Neighbours

        PAIR = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])

        @pytest.mark.dp(epsilon=1.0, neighbors=PAIR)
        def train(data, rng):
            return data.sum() + rng.normal()

        @pytest.mark.dp(epsilon=1.0, mu=1.0)
        def test_two(dp_audit):
            dp_audit(train, PAIR)

        @pytest.mark.dp(epsilon=1.0)
        def test_option(dp_audit):
            dp_audit(train, PAIR, runs=100)

        @pytest.mark.dp(epsilon=1.0)
        def test_order(dp_audit):
            dp_audit(PAIR, train)

        @pytest.mark.dp(epsilon=1.0, delta=-0.1)
        def test_delta(dp_audit):
            dp_audit(train, PAIR)

        @pytest.mark.dp(epsilon=1.0)
        def test_one_list(dp_audit):
            dp_audit(scores=7)

        @pytest.mark.dp(epsilon=1.0)
        def test_option_of_scores(dp_audit):
            dp_audit(scores=([1.0], [0.0]), rungs=["noise"])
    """)
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(failed=7)
    text = outcome.stdout.str()
    assert "Expected delta=-0.1 in [0, 1]. It stands in the marker dp(...)." in text
    assert "Expected scores=7 to be a pair (members, others)." in text
    assert "Expected rungs=['noise'] of dp_audit(scores=...) among budget, undecided." in text
    assert "Expected runs=100 of dp_audit(...) among budget" in text and "got neighbours first" in text
    assert "Did you mean neighbours?" in text and "got epsilon and mu" in text
    assert "pytest_plugin.py" not in text


def test_a_search_stays_in_the_domain_that_the_test_names(pytester):
    pytester.makepyfile("""
        import numpy as np
        import pytest

        DATA = np.full((3, 1), 0.5)

        def noisy(data, rng):
            return data.sum() + rng.laplace()

        def inside(record):
            return bool(0 <= record[0] <= 1)

        @pytest.mark.dp(epsilon=1.0, data=DATA, domain=inside)
        def marked(data, rng):
            return noisy(data, rng)

        @pytest.mark.dp(epsilon=1.0)
        def test_domain(dp_audit):
            dp_audit(noisy, data=DATA, domain=inside)

        @pytest.mark.dp(epsilon=1.0)
        def test_draw_record(dp_audit):
            dp_audit(noisy, data=DATA, draw_record=lambda rng: rng.random(1))

        @pytest.mark.dp(epsilon=1.0)
        def test_all_numbers(dp_audit):
            dp_audit(noisy, data=DATA)
    """)
    outcome = pytester.runpytest_inprocess("--dp-profile", "quick", "-p", "no:cacheprovider")
    outcome.assert_outcomes(passed=3, failed=1)


def test_a_marked_test_without_an_audit_fails_and_what_is_marked_to_be_skipped_is(pytester):
    pytester.makepyfile(
        FILE
        + """
@pytest.mark.dp(epsilon=1.0)
def test_that_forgot_its_audit():
    assert True

@pytest.mark.skip(reason="known")
@pytest.mark.dp(epsilon=1.0, neighbours=PAIR)
def known(data, rng, runs):
    return 9 * data.sum() + rng.laplace(size=(runs, 1))

@pytest.mark.xfail(reason="known")
@pytest.mark.dp(epsilon=1.0, neighbours=PAIR)
def expected(data, rng, runs):
    return 9 * data.sum() + rng.laplace(size=(runs, 1))
"""
    )
    result = pytester.runpytest("-k", "forgot or known or expected")
    result.assert_outcomes(failed=1, skipped=1, xfailed=1)
    result.stdout.fnmatch_lines(["*Expected test_that_forgot_its_audit, which is marked dp*"])
