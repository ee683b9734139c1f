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
from dpverify.reporting.causes import Cause, causes
from dpverify.reporting.targets import read, write_page

FOLDER = Path(__file__).parents[2] / "findings"
CAUSES = causes(FOLDER)


def installed(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def against(one, version, folder=FOLDER):
    """What a script says against its own finding at that version of the library; nothing where it agrees."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", folder / "scripts" / f"{one.name}.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{run.stdout}{run.stderr}"
    if one["mended"] and Version(version) >= Version(one["mended"]):
        gone = run.returncode == 1 and said.strip().endswith("mended")
        return "" if gone else f"In {one.package} {version} again? {said}"
    return "" if run.returncode == 0 else f"Mended in {one.package} {version}? {said}"


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
    assert against(one, version) == ""


@pytest.mark.parametrize(
    ("mended", "script", "version", "says"),
    [
        ("", "print(5)", "1.0", ""),
        ("", "raise SystemExit('mended')", "1.1", "Mended in mine 1.1? mended"),
        ("", "raise ImportError('no such name')", "1.1", "Mended in mine 1.1?"),
        ("1.1", "raise SystemExit('mended')", "1.1", ""),
        ("1.1", "print(5)", "1.0", ""),
        ("1.1", "print(5)", "1.2", "In mine 1.2 again?"),
        ("1.1", "raise ImportError('no such name')", "1.2", "In mine 1.2 again?"),
    ],
)
def test_an_upgrade_that_mends_a_finding_is_told_and_so_is_one_that_brings_it_back(
    tmp_path, mended, script, version, says
):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "finding.py").write_text(script)
    one = Cause("finding", "A title.", {"library": "mine 1.0", "mended": mended})
    told = against(one, version, tmp_path)
    assert told.startswith(says) and bool(told) == bool(says)


def test_the_page_is_the_one_that_the_results_give(tmp_path):
    kept = (FOLDER / "README.md").read_text()
    for name in ("results", "scripts"):
        (tmp_path / name).symlink_to(FOLDER / name)
    write_page(tmp_path)
    assert (tmp_path / "README.md").read_text() == kept
    drawn, pages = ({p.name: p.read_text() for p in (f / "pages").glob("*")} for f in (tmp_path, FOLDER))
    assert drawn == pages


def test_every_target_has_its_kept_result_with_what_is_said_of_it_today():
    kept = {record["target"]: record for record in read(FOLDER)}
    known = {target.name: target for target in targets()}
    assert set(kept) == set(known)
    for name, target in known.items():
        said = {
            "about": target.about,
            "notes": target.notes,
            "claims": target.claims,
            "install": target.install,
        }
        assert {field: kept[name][field] for field in said} == said, name


def test_every_kept_result_ended_as_known():
    odd = {
        (record["target"], law): (result["verdict"], result["expected"])
        for record in read(FOLDER)
        for law, result in record["laws"].items()
        if result["applies"] and result["verdict"] != result["expected"]
    }
    assert odd == {}
