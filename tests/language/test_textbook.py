"""The table of textbook facts: every one is proved, and the page says so."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from dpverify.proving import prove
from dpverify.theorems import formal
from dpverify.verdicts import PROVED


def _benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "textbook.py"
    spec = importlib.util.spec_from_file_location("benchmark_textbook", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLE = _benchmark()


@pytest.mark.parametrize("fact", TABLE.FACTS, ids=lambda fact: fact.name)
def test_the_fact_is_proved(fact):
    result = prove(fact.build())
    assert result.verdict is PROVED, result.because


def test_the_page_has_every_fact_with_its_verdict_and_statement():
    text = TABLE.PAGE.read_text()
    rows = re.findall(r"^\| (optimization|privacy) \| (.*?) \| (\w+) \|", text, flags=re.MULTILINE)
    assert rows == [(fact.area, fact.name, "PROVED") for fact in TABLE.FACTS]
    assert len(rows) == 30
    for fact in TABLE.FACTS:
        assert formal(fact.build()) in text, fact.name


def test_rows_of_pepit_are_found_by_name():
    names = {row.name for row in TABLE.pepit_rows().ROWS}
    asked = [fact.row for fact in TABLE.FACTS if fact.row]
    assert asked, "no fact is compared with PEPit"
    assert set(asked) <= names
