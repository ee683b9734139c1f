"""The documentation: every snippet of every page runs, and the pages build without a warning."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpverify.cli import application

ROOT = Path(__file__).parents[2]
GENERATED = {"gallery.md", "plots.md", "_commands.md"}
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if page.name not in GENERATED and not {"language", "_build"} & set(page.parts)
)
SNIPPET = re.compile(r"^```(python|console)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_snippet_runs(page, tmp_path, monkeypatch):
    """Python blocks of a page share their names; one that opens with the name of a file is added to that
    file; commands end neither in misuse nor in a crash.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT))
    names = {"__name__": "a page"}
    whole = page.read_text()
    for snippet in SNIPPET.finditer(whole):
        kind, text = snippet.groups()
        if file := re.match(r"# (\w+\.py)\n", text):
            with open(file.group(1), "a") as page_file:
                page_file.write(text)
            continue
        if kind == "python":
            above = "\n" * (whole.count("\n", 0, snippet.start()) + 1)  # so that an error names its line
            exec(compile(above + text, str(page), "exec"), names)
            continue
        for line in re.findall(r"^\$ dpverify (.*)$", text, flags=re.MULTILINE):
            done = CliRunner().invoke(
                application(), re.split(r"\s+", line.partition(" #")[0].replace("'", ""))
            )
            assert done.exit_code in (0, 1, 3), f"dpverify {line}: {done.output}"


def test_the_first_output_of_the_readme_is_true(capsys):
    whole = (ROOT / "README.md").read_text()
    snippet = SNIPPET.search(whole)
    exec(compile(snippet.group(2), "README.md", "exec"), {"__name__": "the README"})
    shown = re.match(r"\n\n((?:    .*\n)+)", whole[snippet.end() :]).group(1)
    assert shown.split() == capsys.readouterr().out.split()


def test_the_test_of_the_tutorial_ends_as_the_tutorial_says(tmp_path):
    for _, text in SNIPPET.findall((ROOT / "docs" / "tutorials" / "audit-in-ci.md").read_text()):
        if file := re.match(r"# (\w+\.py)\n", text):
            with open(tmp_path / file.group(1), "a") as saved:
                saved.write(text)
    # A tenth of the default runs: the bug falls within a hundred, and the mended one has only to pass.
    options = ["-q", "-p", "no:cacheprovider", "--dp-profile", "quick"]
    command = [sys.executable, "-m", "pytest", *options, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout[-3000:]
    assert "But the claim says 1.73205-GDP: a contradiction." in done.stdout


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "furo", "myst_parser")),
    reason='needs Sphinx: pip install ".[docs]"',
)
def test_the_pages_build_without_a_warning(tmp_path):
    source = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("_build", "_pictures", *GENERATED))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-D", "gallery_bugs=forgotten_clip"]
    done = subprocess.run([*command, source, tmp_path / "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    for page in PAGES:
        if page.parent != ROOT:
            assert (tmp_path / "out" / page.relative_to(ROOT / "docs").with_suffix(".html")).exists()
    assert "forgotten_clip.svg" in (tmp_path / "out" / "gallery.html").read_text()
