"""`dpverify list`, `check` and `explain`: tables, JSON, exit codes 0, 1, 2."""

import json

import pytest
from typer.testing import CliRunner

from dpverify.cli import application

FIELDS = {
    "id",
    "paper",
    "at",
    "kind",
    "statement",
    "verdict",
    "expect",
    "because",
    "witness",
    "uses",
    "correction",
    "evidence",
    "seconds",
}
BODY = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost, Equal
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED
PAPER = Paper("p", "P (2020)")
x = sp.Symbol("x", real=True)

@claim(PAPER, "square", at="Eq (1)", kind="inequality")
def square():
    "a square is not negative"
    return Theorem(AtMost(0, x**2)).have(Equal(x * x, x**2), "by definition")

@claim(PAPER, "wrong", at="Eq (2)", expect=REFUTED, correction="square", breaks="proof")
def wrong():
    "[x] is at most its square"
    return AtMost(x, x**2)
"""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "paper.py"
    path.write_text(BODY)

    def call(*args, body=BODY):
        path.write_text(body)
        return CliRunner().invoke(application(), [*args, "--claims", str(path)])

    return call


def test_check_passes_when_verdicts_are_as_expected(run):
    result = run("check", "--jobs", "1")
    assert result.exit_code == 0
    assert "1 PROVED, 1 REFUTED; 0 not as expected" in result.output


def test_check_fails_when_one_differs(run):
    result = run("check", "--jobs", "1", body=BODY.replace("expect=REFUTED, ", ""))
    assert result.exit_code == 1
    assert "expected PROVED" in " ".join(result.output.split())


def test_check_json_is_one_array_with_the_contracted_fields(run):
    result = run("check", "--json", "--jobs", "1")
    rows = json.loads(result.stdout)
    assert [row["id"] for row in rows] == ["p/square", "p/wrong"]
    assert all(set(row) >= FIELDS for row in rows)
    assert rows[1]["witness"]["let"] and rows[1]["correction"] == "p/square"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["check", "p/nothing"], "No claim matches 'p/nothing'"),
        (["check", "--paper", "nobody"], "Expected --paper nobody to be one of p"),
        (["check", "--profile", "slow"], "'slow' is not one of 'quick', 'full'"),
        (["list", "--paper", "nobody"], "Expected --paper nobody"),
    ],
)
def test_misuse_exits_with_2_and_says_what_was_wrong(run, args, message):
    result = run(*args)
    assert result.exit_code == 2
    assert message in result.output


def test_a_missing_file_of_claims_is_misuse():
    result = CliRunner().invoke(application(), ["check", "--claims", "nowhere.py"])
    assert result.exit_code == 2
    assert "no such file" in result.output


def test_explain_shows_statement_steps_verdict_and_witness(run):
    good, bad = run("explain", "p/square").output, run("explain", "p/wrong").output
    assert (
        "a square is not negative" in good
        and "1. ✓" in good
        and "by definition" in good
        and "✓ PROVED" in good
    )
    assert (
        "✗ REFUTED" in bad
        and "Let" in bad
        and "a contradiction" in bad
        and "the nearest true form: p/square" in bad
    )


def test_list_prints_every_claim(run):
    assert "2 claims" in run("list").output
    assert [row["id"] for row in json.loads(run("list", "--json").stdout)] == ["p/square", "p/wrong"]


def test_help_of_every_command_has_a_sentence():
    runner, app = CliRunner(), application()
    assert runner.invoke(app, ["--help"]).exit_code == 0
    for command in app.registered_commands:
        text = runner.invoke(app, [command.name or command.callback.__name__, "--help"]).output
        assert "Usage" in text and len(text.splitlines()) > 5
