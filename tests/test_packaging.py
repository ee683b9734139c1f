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


def test_type_checkers_know_the_public_names():
    import ast

    import dpverify

    tree = ast.parse(Path(dpverify.__file__).read_text())
    typed = {
        alias.asname: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == {name: f"dpverify.{module}" for name, module in dpverify._NAMES.items()}


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("dpverify", "numpy scipy sympy pytest hypothesis matplotlib sklearn"),
        ("dpverify.pytest_plugin", "numpy scipy sympy hypothesis matplotlib sklearn"),
        ("dpverify.cli", "numpy scipy sympy pytest hypothesis matplotlib sklearn rich"),
        ("dpverify.auditing", "pytest hypothesis matplotlib sklearn z3 cvxpy"),
        ("dpverify.checking", "pytest hypothesis matplotlib sklearn z3 cvxpy"),
        ("dpverify.reporting", "pytest hypothesis matplotlib sklearn z3 cvxpy"),
    ],
)
def test_what_is_heavy_or_optional_is_loaded_by_what_needs_it(module, heavy):
    ask = f"import {module}, sys; print([name for name in {heavy.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_no_file_says_to_install_from_an_index():
    """From a clone, or an address of the user's (`... @ git+https://...`), until there is one on an index."""
    named = re.compile(r'pip install "?dpverify(\[[\w,-]*\])?(?! @)["`\s]')
    folders = ("dpverify", "examples", "findings")
    for path in (*ROOT.glob("*.*"), *(file for name in folders for file in (ROOT / name).rglob("*.*"))):
        if path.suffix in (".py", ".md", ".html", ".toml", ".ini", ".yml"):
            assert not named.search(path.read_text()), path
