"""`dpverify run`: the figures, the plot, and what it says to bad input."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dpverify.algorithms import example
from dpverify.cli.run import add
from dpverify.montecarlo import run
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
    assert "epsilon = 7.44 at delta = 1e-08: does NOT certify the claim" in result.stdout


def test_a_plot_is_written(call, tmp_path):
    result = call("adp-sgd", "--as-printed", "--runs", "50", "--plot", str(tmp_path / "path.svg"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "path.svg").read_text().lstrip().startswith("<?xml")


def test_a_bound_that_is_exceeded_is_said(monkeypatch, call):
    from dataclasses import replace

    case = replace(example("private-gd"), bound=1e-9)
    figures = summary(
        case, run(case.algorithm, case.data, 200, measure={case.quantity: case.measured}), False
    )
    assert figures["exceeds_bound"]
    monkeypatch.setattr("dpverify.algorithms.example", lambda name, as_printed: case)
    result = call("private-gd", "--runs", "200")
    assert result.exit_code == 1
    assert "EXCEEDED" in result.stdout


def test_a_bound_that_is_reached_is_not_exceeded():
    from dataclasses import replace

    from dpverify.reporting.runs import exact_mean

    case = example("private-gd")
    case = replace(case, bound=exact_mean(case))
    assert not summary(
        case, run(case.algorithm, case.data, 50, measure={case.quantity: case.measured}), False
    )["exceeds_bound"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "name='nope'; there are adp-sgd"),
        (["private-gd", "--runs", "0"], "runs=0 >= 1"),
        (["private-gd", "--seed", "-1"], "seed=-1 >= 0"),
        (["private-gd", "--workers", "0"], "workers=0 >= 1"),
        (["private-gd", "--plot", "x.txt"], "to end in .svg"),
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
