"""`dpverify run`: the figures, the plot, and what it says to bad input."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dpverify.algorithms import example
from dpverify.cli.run import add
from dpverify.reporting.runs import summary


@pytest.fixture
def call():
    app = typer.Typer()
    add(app)
    app.callback()(lambda: None)
    return lambda *arguments: CliRunner().invoke(app, ["run", *arguments])


def test_json_has_mean_interval_bound_and_the_accountant(call):
    result = call("private-gd", "--runs", "500", "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["interval"][0] < figures["mean"] < figures["interval"][1]
    assert figures["at_least"] < figures["exact"] < figures["bound"]
    assert figures["certified"] is True


def test_printed_constants_are_shown_for_what_they_are(call):
    result = call("private-gd", "--runs", "200", "--as-printed")
    assert result.exit_code == 0
    assert "epsilon = 3.306 at delta = 1e-08 under zero-out: certifies the claim" in result.stdout
    assert "epsilon = 7.104 at delta = 1e-08 under replace" in result.stdout
    assert "dynamic-noise/bound-gd PROVED" in result.stdout


def test_what_is_printed_and_refuted_is_not_called_a_bound(call):
    result = call("private-gd-momentum", "--runs", "200", "--as-printed")
    assert "none is proved for this case" in result.stdout
    assert "the paper says" in result.stdout
    assert "REFUTED, dynamic-noise/thm-4.4" in result.stdout


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
    assert "none is proved for this case" in result.stdout  # gradients of squares are clipped


def test_a_plot_is_written(call, tmp_path):
    result = call("adp-sgd", "--as-printed", "--runs", "50", "--plot", str(tmp_path / "path.svg"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "path.svg").read_text().lstrip().startswith("<?xml")


def test_a_bound_that_is_exceeded_is_said(monkeypatch, call):
    from dataclasses import replace

    case = example("private-gd")
    case = replace(case, bound=replace(case.bound, factor=1e-6))
    assert summary(case, case.simulate(200), False)["exceeds_bound"]
    monkeypatch.setattr("dpverify.algorithms.example", lambda name, as_printed: case)
    result = call("private-gd", "--runs", "200")
    assert result.exit_code == 1
    assert "EXCEEDED" in result.stdout


def test_a_bound_that_is_reached_is_not_exceeded():
    from dataclasses import replace

    case = example("private-gd")
    case = replace(case, bound=replace(case.bound, factor=case.exact_mean() / case.bound.value))
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
        (["private-gd", "--target", "y"], "Expected data, of which target='y' is a column"),
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
