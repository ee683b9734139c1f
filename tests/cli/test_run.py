"""`dpverify run`: the figures, the plot, and what it says to bad input."""

import dataclasses
import json

import numpy as np
import pytest
import sympy as sp
import typer
from typer.testing import CliRunner

from dpverify.algorithms import example
from dpverify.claims import find
from dpverify.cli.run import add
from dpverify.relations import AtMost
from dpverify.reporting.runs import summary, table


@pytest.fixture
def checking_call(monkeypatch, tmp_path):
    """`dpverify run` with an empty memory of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    app = typer.Typer()
    add(app)
    app.callback()(lambda: None)
    return lambda *arguments: CliRunner().invoke(app, ["run", *arguments])


@pytest.fixture
def call(checking_call):
    """... which leaves the claim of the bound unchecked."""
    return lambda *arguments: checking_call(*arguments, "--no-check")


def test_json_has_mean_interval_bound_and_the_accountant(call):
    result = call("private-gd", "--runs", "500", "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert 0 < figures["standard_error"] < figures["mean"]
    assert figures["at_least"] < figures["exact"] < figures["bound"]
    assert figures["certified"] is True


def test_printed_constants_are_shown_for_what_they_are(call):
    result = call("private-gd", "--runs", "200", "--as-printed")
    assert result.exit_code == 0
    assert "epsilon = 3.306 at delta = 1e-08 under zero-out: certifies the claim" in result.stdout
    assert "epsilon = 7.104 at delta = 1e-08 under replace" in result.stdout
    assert "dynamic-noise/bound-gd, not checked" in result.stdout
    assert "PROVED" not in result.stdout


def test_what_is_printed_and_refuted_is_not_called_a_bound(call):
    result = call("private-gd-momentum", "--runs", "200", "--as-printed")
    lines = {line[2:17].strip(): line for line in result.stdout.splitlines()}
    assert "Theorem 4.4, with step eta_0/M" in lines["formula"]  # unchecked, so not called a bound either
    assert "dynamic-noise/thm-4.4, not checked" in lines["the paper says"]
    assert "bound" not in lines


def test_the_verdict_of_the_bound_is_computed(checking_call):
    figures = json.loads(checking_call("private-gd", "--runs", "50", "--json").stdout)
    assert figures["bound_verdict"] == "PROVED"
    assert figures["bound_judges"]
    assert "bound-gd: PROVED by" in table(figures)


def test_a_claim_that_is_no_longer_proved_is_no_bound(checking_call, monkeypatch):
    known = find()
    x = sp.Symbol("x", real=True)
    broken = dataclasses.replace(known["dynamic-noise/bound-gd"], function=lambda: AtMost(x, x - 1))
    monkeypatch.setattr("dpverify.checking.claims_in", lambda paths: {**known, broken.id: broken})
    result = checking_call("private-gd", "--runs", "50")
    assert result.exit_code == 3
    assert "dynamic-noise/bound-gd: REFUTED" in result.stdout
    assert "which is no bound now" in result.stdout
    assert "PROVED" not in result.stdout


@pytest.mark.parametrize(("refuted", "said"), [(True, "which is refuted"), (False, "given x/unproved")])
def test_a_proof_that_leans_on_what_is_not_proved_makes_no_bound(checking_call, monkeypatch, refuted, said):
    lean = {"tainted" if refuted else "given": ["x/refuted" if refuted else "x/unproved"]}
    record = {"verdict": "PROVED", "because": "it follows"} | lean
    monkeypatch.setattr("dpverify.cli.run.check_claims", lambda ids: dict.fromkeys(ids, record))
    result = checking_call("private-gd", "--runs", "50")
    assert result.exit_code == 3
    lines = {line[2:17].strip(): line for line in result.stdout.splitlines()}
    assert "formula" in lines and "bound" not in lines
    assert said in result.stdout
    assert "which is no bound now: what it leans on is not proved" in result.stdout


def test_no_certificate_is_said_in_words(call):
    result = call("dp-sgd-norm", "--runs", "50", "--as-printed")
    assert "no certificate at delta = 1e-05 under replace: does NOT certify the claim" in result.stdout


def test_a_problem_and_a_guarantee_of_ones_own(call, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 2))
    lines = [f"{a:.3f},{b:.3f},{'yes' if a > 0 else 'no'}" for a, b in rows]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,ok", *lines]))
    mine = ["--data", str(tmp_path / "mine.csv"), "--target", "ok", "--runs", "100", "--json"]
    result = call(
        "private-gd", *mine, "--epsilon", "2", "--delta", "1e-5", "--steps", "5", "--relation", "zero-out"
    )
    figures = json.loads(result.stdout)
    assert (figures["claimed"], figures["adjacency"], figures["steps"]) == ("(2, 1e-05)-DP", "zero-out", 5)
    assert figures["certified"] is True
    assert 0 < figures["mean"] < figures["bound"]
    np.savez(tmp_path / "mine.npz", X=rows, y=rows[:, 0])
    result = call(
        "dp-gd", "--data", str(tmp_path / "mine.npz"), "--target", "y", "--runs", "50", "--batch", "10"
    )
    assert result.exit_code == 0, result.output
    assert (
        "none is proved for this case: a theorem needs" in result.stdout
    )  # gradients of squares are clipped


def test_every_setting_of_an_algorithm_can_be_given(call):
    figures = json.loads(call("dp-ftrl", "--runs", "50", "--steps", "7", "--json").stdout)
    assert figures["steps"] == 7
    given = ["--set", "rounds=2", "--set", "local=3", "--set", "restart=2", "--step-size", "0.1"]
    figures = json.loads(call("diff2-bvr-l-sgd", "--runs", "50", *given, "--json").stdout)
    assert figures["steps"] == 6
    assert call("adp-sgd", "--runs", "50", "--step-size", "0.5").exit_code == 0
    assert call("sensitivity-reduced-nsgd", "--runs", "20", "--set", "reshuffle=false").exit_code == 0


def test_a_plot_is_written(call, tmp_path):
    result = call("adp-sgd", "--as-printed", "--runs", "50", "--plot", str(tmp_path / "path.svg"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "path.svg").read_text().lstrip().startswith("<?xml")


def test_a_bound_that_is_exceeded_is_said(monkeypatch, call):
    case = example("private-gd")
    case = dataclasses.replace(case, bound=dataclasses.replace(case.bound, factor=1e-6))
    assert summary(case, case.simulate(200), False)["exceeds_bound"]
    monkeypatch.setattr("dpverify.algorithms.example", lambda name, as_printed: case)
    result = call("private-gd", "--runs", "200")
    assert result.exit_code == 1
    assert "EXCEEDED" in result.stdout


def test_a_bound_that_is_reached_is_not_exceeded():
    case = example("private-gd")
    case = dataclasses.replace(
        case, bound=dataclasses.replace(case.bound, factor=case.exact_mean() / case.bound.value)
    )
    assert not summary(case, case.simulate(50), False)["exceeds_bound"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "name='nope'; there are adp-sgd"),
        (["private-gd", "--runs", "0"], "runs=0 >= 1"),
        (["private-gd", "--seed", "-1"], "seed=-1 >= 0"),
        (["private-gd", "--workers", "0"], "workers=0 >= 1"),
        (["private-gd", "--plot", "x.txt"], "to end in .svg"),
        (["private-gd", "--epsilon", "-1"], "epsilon=-1.0 >= 0"),
        (["private-gd", "--relation", "swap"], "relation='swap' to be one of add/remove, replace, zero-out"),
        (["private-gd", "--schedule", "odd"], "schedule='odd' to be 'dynamic' or 'uniform'"),
        (["private-gd", "--batch", "5"], "Expected settings of private-gd among"),
        (["private-gd", "--clip", "-1"], "clip=-1.0 > 0"),
        (["private-gd", "--target", "y"], "Expected data, of whose problem target='y' is a part"),
        (["private-gd", "--ridge", "3"], "Expected data, of whose problem ridge=3.0 is a part"),
        (["private-gd", "--step-size", "-1"], "step_size=-1.0 > 0"),
        (["private-gd", "--steps", "0"], "steps=0 >= 1"),
        (["dpsgd-poisson", "--batch", "0"], "batch=0 >= 1"),
        (["private-gd-momentum", "--set", "beta"], "set='beta' of the form NAME=NUMBER"),
        (["private-gd-momentum", "--set", "beta=x"], "set='beta=x' of the form NAME=NUMBER"),
        (["private-gd-momentum", "--set", "beta=1"], "Expected 0 <= beta=1 < 1"),
        (["private-gd", "--set", "beta=0.5"], "Expected settings of private-gd among"),
        (["private-gd", "--data", "nowhere.csv"], "data='nowhere.csv' to be a file that exists"),
    ],
)
def test_misuse_exits_with_2_and_a_sentence(call, arguments, message):
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_without_a_name_it_lists_them(call):
    result = call("--json")
    assert "private-gd" in json.loads(result.stdout)
    assert np.all([name == name.lower() for name in json.loads(result.stdout)])
