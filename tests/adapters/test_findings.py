"""Every finding says what it is about; its script uses the library alone, and still shows the violation where
that library is installed.
"""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.version import Version

from dpverify.adapters import targets
from dpverify.reporting.causes import causes
from dpverify.reporting.targets import read, write_page

FOLDER = Path(__file__).parents[2] / "findings"
CAUSES = causes(FOLDER)
SLOW = {"diffprivlib_logistic_intercept"}  # half a minute; its target is examined in the same environment


def installed(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@pytest.mark.parametrize("one", CAUSES, ids=lambda one: one.name)
def test_a_script_needs_nothing_of_ours(one):
    tree = ast.parse((FOLDER / "scripts" / f"{one.name}.py").read_text())
    imported = [
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    ]
    assert not any(name.startswith("dpverify") for name in imported)
    assert any(one.about(target.name) for target in targets()), one["targets"]


@pytest.mark.parametrize("one", CAUSES, ids=lambda one: one.name)
def test_the_finding_still_stands(one):
    version = installed(one.package)
    if version is None:
        pytest.skip(f"needs {one['library']}")
    if Version(version) < Version(one.version):
        pytest.skip(f"{version} is older than {one['library']}, which it is about")
    if one.name in SLOW:
        pytest.skip("takes half a minute")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", FOLDER / "scripts" / f"{one.name}.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{run.stdout}{run.stderr}"
    if one["mended"]:
        assert run.returncode == 1 and "mended" in said, said
    else:
        assert run.returncode == 0, f"Mended in {one.package} {version}? {said}"


def test_the_page_is_the_one_that_the_results_give(tmp_path):
    kept = (FOLDER / "README.md").read_text()
    for name in ("results", "scripts"):
        (tmp_path / name).symlink_to(FOLDER / name)
    write_page(tmp_path)
    assert (tmp_path / "README.md").read_text() == kept
    drawn, pages = ({p.name: p.read_text() for p in (f / "pages").glob("*")} for f in (tmp_path, FOLDER))
    assert drawn == pages


def test_every_kept_result_is_of_a_target():
    assert {record["target"] for record in read(FOLDER)} <= {target.name for target in targets()}
