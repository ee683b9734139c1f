"""What is installed: every package is found by itself, and SymPy's cache is set in any order."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_every_folder_with_modules_is_a_package_of_the_wheel(monkeypatch):
    monkeypatch.chdir(ROOT)
    handed = {}
    monkeypatch.setattr("setuptools.setup", lambda **given: handed.update(given))
    exec((ROOT / "setup.py").read_text())
    folders = {
        path.parent.relative_to(ROOT)
        for name in ("dpverify", "symbolic", "properties")
        for path in (ROOT / name).rglob("*.py")
    }
    expected = {
        re.sub(r"^(symbolic|properties)", r"dpverify.\1", ".".join(folder.parts)) for folder in folders
    }
    assert set(handed["packages"]) == expected


@pytest.mark.parametrize("first", ["dpverify.schedules", "dpverify.relations", "dpverify.checking"])
def test_the_cache_of_sympy_is_set_whatever_is_imported_first(first):
    ask = f"import {first}, os, sympy; print(os.environ['SYMPY_CACHE_SIZE'])"
    environment = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "100000", done.stderr
