"""Algorithms side by side: exact intervals, the same guarantee for all, a verdict that says no more than it
can.
"""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dpverify.cli.compare import add
from dpverify.comparing import compare, median_interval
from dpverify.guarantees import ApproxDP
from dpverify.parts.cases import baseline_case


@pytest.fixture
def call():
    app = typer.Typer()
    add(app)
    app.callback()(lambda: None)
    return lambda *arguments: CliRunner().invoke(app, ["compare", *arguments])


def test_intervals_of_medians_cover_as_often_as_they_say():
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(2000):
        low, high = median_interval(rng.standard_cauchy(size=40) + 3.0, 0.1)
        missed += not low <= 3.0 <= high
    assert missed <= 0.1 * 2000 + 6 * 14  # false alarm below 1e-8; the true rate is below 0.1
    assert median_interval(np.arange(3.0), 0.05) == (float("-inf"), float("inf"))


def test_all_are_calibrated_for_the_same_guarantee_and_ordered():
    rows = compare(
        ["dp-ftrl", "private-gd"], baseline_case(), ApproxDP(2.0, 1e-5), runs=200, batch=20, steps=10
    )
    assert [row["algorithm"] for row in rows] == ["private-gd", "dp-ftrl"]
    assert all(row["certified"] for row in rows)
    assert rows[0]["steps"] == 10 and rows[1]["times_best"] > 1


def test_the_command_says_who_wins(call, tmp_path):
    picture = tmp_path / "c.svg"
    result = call("private-gd", "dp-ftrl", "--runs", "300", "--plot", str(picture))
    assert result.exit_code == 0, result.output
    assert "private-gd wins: its median is at most" in result.stdout
    assert picture.read_text().lstrip().startswith("<?xml")
    table = json.loads(call("private-gd", "diff2-gd", "--runs", "50", "--json").stdout)
    assert len(table["rows"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["private-gd"], "at least two different algorithms"),
        (["private-gd", "nope"], "name='nope'"),
        (
            ["private-gd", "dp-nag-opt"],
            "dp-nag-opt cannot be run here: Expected target=(2, 1e-05)-DP of pure DP",
        ),
        (["private-gd", "diff2-gd", "--relation", "swap"], "relation='swap'"),
        (["private-gd", "diff2-gd", "--epsilon", "-1"], "epsilon=-1.0 >= 0"),
        (
            ["private-gd", "diff2-gd", "--set", "beta=0.5"],
            "that one of private-gd, diff2-gd has, got beta=0.5",
        ),
        (["private-gd", "diff2-gd", "--clip", "0"], "clip=0.0 > 0"),
    ],
)
def test_misuse_is_said(call, arguments, message):
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_setting_that_only_some_have_is_said_to_be_left_out(call):
    result = call("private-gd", "dpsgd-poisson", "--batch", "50", "--runs", "50")
    assert result.exit_code == 0, result.output
    assert "private-gd has no setting batch, and ran without" in result.stdout
    assert "dpsgd-poisson has no setting" not in result.stdout
