"""Our rates are PEPit's, at its numbers."""

import importlib.util
import sys
from pathlib import Path

import pytest

PEPit = pytest.importorskip("PEPit", reason="needs PEPit, which the extra bench installs")


def benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "pepit.py"
    spec = importlib.util.spec_from_file_location("benchmark_pepit", path)
    module = importlib.util.module_from_spec(spec)

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_tight_rates_agree_at_numbers():
    """PEPit's solver is exact to about five digits."""
    table = benchmark()
    at = {str(s): float(v) for s, v in table.NUMBERS.items()}
    for row in table.ROWS:
        theirs = float(row.theirs(PEPit, at).solve(verbose=0))
        ours = float(row.rate.xreplace(table.NUMBERS))
        if row.tight:
            assert theirs == pytest.approx(ours, abs=1e-4), row.name
        else:
            assert theirs <= ours + 1e-4, row.name
