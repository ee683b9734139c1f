"""Every planted bug ends as it should, on the rung that should decide it, and no correct twin is accused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import dpverify.zoo
from dpverify.accounting import account, epsilon
from dpverify.cli import application
from dpverify.neighbours import ADD_REMOVE
from dpverify.verdicts import REFUTED, SUPPORTED
from dpverify.witnesses import verify_witness
from dpverify.zoo import bugs, find
from dpverify.zoo.inspection import inspect

BUGS = bugs()
SAFE = {"budget_formula_without_log", "noise_of_sum_on_mean"}


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_the_bug_is_found_and_its_twin_is_not_accused(bug):
    row = inspect(bug)
    assert row.result.verdict is bug.expect, row.result.because
    assert row.rung == bug.rung, row.result.because
    assert row.twin.verdict is SUPPORTED, row.twin.because
    if row.found:
        assert row.samples >= 2
        assert row.result.witness is not None
        if "claim" in row.result.witness.exact:
            assert verify_witness(row.result.witness.exact)


def test_there_are_bugs_on_every_rung_and_each_says_what_it_is():
    rungs = {bug.rung for bug in BUGS if bug.expect is REFUTED}
    assert rungs == {"replay", "noise", "statistics", "accountant"}
    assert len({bug.what for bug in BUGS}) == len(BUGS)
    assert all(bug.what and bug.seen_in for bug in BUGS)


def test_only_errors_on_the_safe_side_are_not_expected_to_be_found_and_they_say_why():
    assert {bug.name for bug in BUGS if bug.expect is not REFUTED} == SAFE
    assert all(bool(bug.why) == (bug.expect is not REFUTED) for bug in BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_bug_and_twin_are_vectorised_over_runs_and_leave_the_data_alone(bug):
    from dpverify.auditing import Tape
    from dpverify.auditing.sampling import call

    before = [np.array(side) for side in (bug.neighbours.data, bug.neighbours.other)]
    for mechanism in (bug.mechanism, bug.twin):
        for side in (bug.neighbours.data, bug.neighbours.other):
            assert len(call(mechanism, side, np.random.SeedSequence(1), 50, Tape())) == 50
    assert all(np.array_equal(a, b) for a, b in zip(before, (bug.neighbours.data, bug.neighbours.other)))


def test_the_believed_epsilon_is_what_an_accountant_certifies_at_the_physical_batch_size():
    from dpverify.zoo.accumulation_at_physical_batch import BELIEVED, BUG, DELTA, LOGICAL, STEPS

    for release, claim in ((BELIEVED, BUG.claim), (LOGICAL, BUG.twin_claim)):
        needed = epsilon(account([release] * STEPS, ADD_REMOVE), DELTA)
        assert needed <= claim.epsilon <= 1.01 * needed


def run(*arguments):
    return CliRunner().invoke(application(), ["zoo", *arguments])


def test_the_command_lists_bugs_and_exits_0_when_all_end_as_they_should():
    result = run("forgotten_clip", "fixed_seed")
    assert result.exit_code == 0, result.output
    assert "forgotten_clip" in result.output
    assert "2 found, 0 not as expected." in result.output
    rows = json.loads(run("forgotten_clip", "--json").stdout)
    assert (rows[0]["bug"], rows[0]["found"], rows[0]["rung"]) == ("forgotten_clip", True, "replay")


@pytest.mark.parametrize("missed", [True, False], ids=["a bug is missed", "a twin is accused"])
def test_the_command_exits_1_when(missed, monkeypatch):
    bug = find("forgotten_clip")
    doctored = replace(bug, mechanism=bug.twin) if missed else replace(bug, twin=bug.mechanism)
    monkeypatch.setattr(dpverify.zoo, "bugs", lambda: [doctored])
    result = run()
    assert result.exit_code == 1, result.output
    assert ("expected REFUTED by replay" if missed else "its correct twin is accused") in result.output


def test_an_unknown_bug_is_misuse():
    assert run("no_such_bug").exit_code == 2
