"""`dpverify laws` on an algorithm, on somebody's callable, and on what it cannot load."""

import json
import textwrap

import pytest
from typer.testing import CliRunner

from dpverify.cli import application

USER = """
    import numpy as np
    from dpverify.neighbours import REPLACE, Neighbours
    from dpverify.releases import Gaussian

    data = np.array([[0.5], [-1.0], [2.0]])
    declared = Gaussian(1.0, {REPLACE: 2.0})

    def pair():
        return Neighbours.replace(np.ones((3, 1)), 0, [-1.0])

    def train(data, rng, runs):
        return np.clip(data, -1, 1).sum() + rng.normal(size=(runs, 1))

    def forgot(data, rng, runs):
        return np.sum(data) + rng.normal(size=(runs, 1))
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "users_optimizer.py").write_text(textwrap.dedent(USER))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return lambda *arguments: CliRunner().invoke(application(), ["laws", *arguments])


def test_the_laws_are_listed(run):
    listed = json.loads(run("--json").output)
    assert {"sensitivity", "noise", "budget", "training", "exact"} <= {row["law"] for row in listed}


def test_a_callable_and_its_twin_that_forgot_to_clip(run):
    details = ["--declared", "users_optimizer:declared", "--family", "sensitivity"]
    for where in (["--data", "users_optimizer:data"], ["--neighbours", "users_optimizer:pair"]):
        assert run("users_optimizer:train", *where, *details).exit_code == 0
        forgot = run("users_optimizer:forgot", *where, *details)
        assert forgot.exit_code == 1 and "REFUTED" in forgot.output


def test_a_claim_is_audited(run):
    where = ["--neighbours", "users_optimizer:pair", "--family", "audits", "--runs", "2000"]
    right = run("users_optimizer:train", *where, "--mu", "2.0", "--json")
    assert right.exit_code == 0
    assert {row["law"]: row["applies"] for row in json.loads(right.output)} == {
        "half": True,
        "step": False,
        "training": True,
    }
    assert run("users_optimizer:train", *where, "--mu", "0.2").exit_code == 1


def test_an_algorithm_by_name(run):
    result = run("private-gd", "--family", "limits")
    assert result.exit_code == 0 and "noiseless" in result.output


def test_what_cannot_be_done_is_said(run):
    assert run("users_optimizer:train").exit_code == 2
    assert run("no-such-algorithm").exit_code == 2
    assert "family" in run("private-gd", "--family", "no-such").output
