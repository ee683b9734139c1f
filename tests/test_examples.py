"""The examples and the code of the README run, and end as they say."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from dpverify.auditing import Budget, audit
from dpverify.verdicts import REFUTED, SUPPORTED

ROOT = Path(__file__).parents[1]


@pytest.fixture
def numpy_example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return import_module("examples.dpsgd_numpy")


def test_the_bug_of_the_numpy_example_is_found_on_a_few_records(numpy_example):
    result = audit(
        numpy_example.train, numpy_example.pair, numpy_example.CLAIM, budget=Budget(runs=2_000), public=()
    )
    assert result.verdict is REFUTED
    assert len(result.witness.exact["data"][0]) <= 4


def test_the_mended_numpy_example_passes(numpy_example):
    mended = audit(
        lambda data, rng: numpy_example.train(data, rng, mended=True),
        numpy_example.pair,
        numpy_example.CLAIM,
        budget=Budget(runs=1_000),
    )
    assert mended.verdict is SUPPORTED


def test_the_first_example_of_the_readme_prints_what_is_shown_below_it(capsys):
    text = (ROOT / "README.md").read_text()
    first, shown = re.search(r"```python\n(import numpy.*?)```\n\n(    REFUTED.*?)\n\n", text, re.S).groups()
    exec(compile(first, "README.md", "exec"), {})

    def words(text):  # the numbers may differ with the version of a library
        return re.sub(r"[0-9][0-9.e+-]*", "0", " ".join(text.split()))

    assert words(capsys.readouterr().out) == words(shown)


def test_the_commands_of_the_example_workflow_are_commands(capsys):
    """Every option that examples/ci.yml gives to dpverify is one that it has."""
    from typer.main import get_command

    from dpverify.cli import application

    text = " ".join((ROOT / "examples" / "ci.yml").read_text().split())
    command = get_command(application())
    used = re.findall(r"dpverify (audit|check|report) ((?:(?!- )[^#])*?)(?= # | - )", text)
    assert {name for name, _ in used} == {"audit", "check", "report"}
    for name, rest in used:
        known = {option for parameter in command.commands[name].params for option in parameter.opts}
        assert set(re.findall(r"(?<!\S)--?[a-z]+", rest)) <= known, name
