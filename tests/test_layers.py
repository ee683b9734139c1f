"""The layers of docs/architecture.md are those of the code: every module stands in one of them, and imports
its own layer and those below, never one above. The tests stand where the code stands that they are about.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"


def layers():
    """The layer of each part, from the table of the page: the ground is 0."""
    rows = re.findall(r"^\| (\d+) \| [^|]* \| ([^|]*) \|$", PAGE.read_text(), flags=re.MULTILINE)
    return {name: int(number) for number, names in rows for name in re.findall(r"`(\w+)`", names)}


def parts():
    """Every part of the code: a module or a package of dpverify, and the two folders beside it."""
    paths = {path.stem: [path] for path in (ROOT / "dpverify").glob("*.py") if path.stem != "__init__"}
    folders = [path for path in (ROOT / "dpverify").iterdir() if (path / "__init__.py").exists()]
    for folder in [*folders, ROOT / "symbolic", ROOT / "properties"]:
        paths[folder.name] = sorted(folder.rglob("*.py"))
    return paths


def imported(path):
    """The parts of dpverify that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dpverify."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "dpverify":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("dpverify."))


def test_every_part_of_the_code_stands_in_one_layer():
    assert set(layers()) == set(parts())


@pytest.mark.parametrize("part", sorted(parts()))
def test_a_part_imports_nothing_above_it(part):
    layer = layers()
    found_by_path = {("claims", "symbolic")}
    above = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in parts()[part]
        for name in imported(path)
        if name in layer and layer[name] > layer[part] and (part, name) not in found_by_path
    }
    assert not above


def test_the_tests_mirror_the_code_or_the_page_about_them_names_what_they_are():
    page = (ROOT / "tests" / "README.md").read_text()
    packages = {name for name, paths in parts().items() if any(path.name == "__init__.py" for path in paths)}
    folders = {
        path.name
        for path in (ROOT / "tests").iterdir()
        if any(path.glob("*.*")) and path.name != "__pycache__"
    }
    files = {path.name for path in (ROOT / "tests").glob("*.py")}
    mirrored = {f"test_{name}.py" for name in set(parts()) - packages}
    assert {name for name in folders - packages if f"`{name}/`" not in page} == set()
    assert {name for name in files - mirrored if f"`{name}`" not in page} == set()


def crowded(source):
    """The lines on which three or more values are assigned that could stand on lines of their own: none is
    made of what another of them replaces.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 2:
            targets = [t for target in node.targets for t in getattr(target, "elts", [])]
            replaced = {name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name)}
            used = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
            if targets and not replaced & used:
                yield node.lineno


def test_one_value_stands_on_a_line_where_three_are_assigned():
    assert list(crowded("a, b, c = 1, 2, 3\nd, e = 1, 2")) == [1]
    assert list(crowded("a, b, c = b, c, a")) == []
    written = [path for paths in parts().values() for path in paths]
    written += sorted((ROOT / "tests").rglob("*.py"))
    assert [f"{path.name}:{line}" for path in written for line in crowded(path.read_text())] == []
