"""mypy finds nothing wrong: a test like the others, so that it runs beside them and not before them all."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason='needs mypy: pip install ".[dev]"')
def test_the_types_agree():
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
