"""Marks are set by what ran, alone; they travel; what too few tests ran is named."""

import importlib.util
import pickle
import sys
from pathlib import Path

import pytest

SOURCE = """'''A module.'''
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import never

def absolute(x):
    '''With a docstring.'''
    if x < 0:
        return -x
    try:
        return x
    finally:
        pass
"""


@pytest.fixture
def lines(monkeypatch):
    """The plugin, apart from the one that may be at work."""
    spec = importlib.util.spec_from_file_location(
        "executed_lines", Path(__file__).parent / "executed_lines.py"
    )
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "executed_lines", module)
    spec.loader.exec_module(module)
    return module


def test_a_mark_is_set_where_a_statement_ran_and_nowhere_else(lines):
    space = {}
    exec(compile(lines.marked(SOURCE, "dpverify/x.py"), "x.py", "exec"), space)
    nodes = lines.statements(lines.ast.parse(SOURCE))

    def ran():
        marks = lines.marks["dpverify/x.py"]
        assert len(marks) == len(nodes)
        return {nodes[last - i].lineno for last, run in enumerate(marks) for i in range(run)}

    assert {node.lineno for node in nodes} == {3, 4, 7, 9, 10, 11, 12, 14}
    assert ran() == {3, 4, 7}
    assert space["absolute"](1) == 1 and ran() == {3, 4, 7, 9, 11, 12, 14}
    assert space["absolute"](-1) == 1 and ran() == {3, 4, 7, 9, 10, 11, 12, 14}
    assert space["absolute"].__doc__ == "With a docstring." and space["__doc__"] == "A module."


def test_what_is_sent_to_a_worker_does_not_depend_on_what_ran(lines):
    marks = lines.marks_for("dpverify/x.py", 3)
    before = pickle.dumps(marks)
    marks[1] = 1
    assert pickle.dumps(marks) == before and pickle.loads(before) is marks


def test_what_workers_ran_is_added_up_and_modules_that_never_ran_are_named(lines):
    lines.add({"dpverify/verdicts.py": bytes([1, 1, 0, *[0] * 197]).hex()})
    lines.add({"dpverify/verdicts.py": bytes([0, 1, 1, *[0] * 197]).hex()})
    counted = lines.counted()
    assert counted["dpverify/verdicts.py"][0] == 3 and counted["dpverify/zoo/__init__.py"][0] == 0
    share, modules, adapters = lines.in_words(counted)
    assert "dpverify/zoo/__init__.py (0 %)" in modules
    assert "adapters/" not in modules and "symbolic/" not in modules + adapters
    assert "dpverify/adapters/published.py (0 %)" in adapters and " 0.0 % of " in share


def test_modules_of_others_are_left_alone(lines):
    finder = lines.Finder()
    assert finder.find_spec("json") is None
    assert isinstance(finder.find_spec("dpverify").loader, lines.MarkingLoader)
