"""`dpverify audit` and `dpverify zoo` from the command line: exit codes, JSON on stdout alone, a picture."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dpverify.cli import application

MODULE = """
import time

import numpy as np
from dpverify.neighbours import Neighbours

pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])

def train(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 1))

def hangs(data, rng):
    time.sleep(5 * data.sum())
    return rng.normal()
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "audited_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    runner = CliRunner()
    return lambda *arguments: runner.invoke(application(), list(arguments))


AUDIT = ("audit", "audited_module:train", "--neighbours", "audited_module:pair", "--runs", "2000")


def test_a_true_claim_exits_0_and_a_false_one_1(run):
    assert run(*AUDIT, "--epsilon", "1").exit_code == 0
    refuted = run(*AUDIT, "--epsilon", "0.2", "--delta", "1e-5")
    assert refuted.exit_code == 1
    assert "a contradiction" in refuted.output


def test_a_call_that_takes_too_long_is_an_outcome(run):
    asked = ("audit", "audited_module:hangs", *AUDIT[2:4], "--runs", "200", "--epsilon", "1")
    late = run(*asked, "--call-seconds", "0.005")
    assert late.exit_code == 1
    assert "took longer than call_seconds=0.005" in late.output
    assert run(*asked, "--call-seconds", "0").exit_code == 2


def test_json_and_picture(run, tmp_path):
    result = run(*AUDIT, "--mu", "2", "--json", "--plot", "curve.svg")
    assert json.loads(result.stdout)["verdict"] == "SUPPORTED"
    assert (tmp_path / "curve.svg").read_text().lstrip().startswith("<?xml")
    assert "wrote curve.svg" in result.stderr
    assert "wrote curve.png" in run(*AUDIT, "--mu", "2", "--plot", "curve.png").output
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_drawn_is_said(run, tmp_path):
    few = run(*AUDIT, "--mu", "2", "--runs", "10", "--plot", "few.svg")
    assert "no picture: runs=10 are too few" in few.output
    assert not (tmp_path / "few.svg").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (*AUDIT,),
        (*AUDIT, "--epsilon", "1", "--mu", "1"),
        (*AUDIT, "--epsilon", "-1"),
        (*AUDIT, "--epsilon", "1", "--alpha", "2"),
        (*AUDIT, "--epsilon", "1", "--delta", "-0.1"),
        (*AUDIT, "--mu", "1", "--delta", "1e-5"),
        (*AUDIT, "--epsilon", "1", "--order", "2", "--delta", "1e-5"),
        (*AUDIT, "--rho", "1", "--order", "2"),
        ("audit", "audited_module:nobody", "--neighbours", "audited_module:pair", "--epsilon", "1"),
        ("zoo", "no_such_bug"),
    ],
)
def test_misuse_exits_2(run, arguments):
    assert run(*arguments).exit_code == 2


def test_zoo_of_two(run):
    result = run("zoo", "forgotten_clip", "noise_ten_percent_short", "--json")
    rows = json.loads(result.stdout)
    assert result.exit_code == 0
    assert [row["rung"] for row in rows] == ["replay", "noise"]
    assert all(row["twin"] != "REFUTED" for row in rows)


def test_scores_of_one_training(run, tmp_path):
    rng = np.random.default_rng(0)
    for name, shift in (("members", 3.0), ("others", 0.0)):
        values = shift + rng.normal(size=500)
        (tmp_path / f"{name}.csv").write_text("score\n" + "\n".join(map(str, values)))
    files = ("--scores", "members.csv", "others.csv")
    refuted = run("audit", *files, "--epsilon", "1", "--json")
    assert refuted.exit_code == 1
    figures = json.loads(refuted.stdout)["evidence"]["certificate"]
    assert figures["epsilon_lower_bound"] > 1
    assert figures["auroc"] > 0.9
    assert run("audit", *files, "--mu", "12").exit_code != 1
    assert run("audit", "--scores", "members.csv", "nowhere.csv", "--epsilon", "1").exit_code == 2
    unused = run("audit", *files, "--epsilon", "1", "--neighbours", "training:pair")
    assert unused.exit_code == 2 and "--neighbours training:pair with a mechanism" in unused.output
    assert run("audit", "audited_module:train", *files, "--epsilon", "1").exit_code == 2
    assert run("audit", "--epsilon", "1").exit_code == 2


def test_data_that_are_no_neighbours_are_misuse(run, tmp_path):
    module = MODULE + "\nbad = Neighbours(np.zeros((3, 1)), np.ones((3, 1)), 'replace')\n"
    (tmp_path / "audited_pair.py").write_text(module)
    result = run("audit", "audited_pair:train", "--neighbours", "audited_pair:bad", "--epsilon", "1")
    assert result.exit_code == 2
    assert "differ in 3" in result.output


def test_a_budget_in_seconds(run):
    assert run(*AUDIT, "--epsilon", "1", "--seconds", "5").exit_code == 0
    assert run(*AUDIT, "--epsilon", "1", "--seconds", "-5").exit_code == 2
