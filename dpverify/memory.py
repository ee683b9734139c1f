"""Results of checks, kept by the content they depend on: what did not change is not checked again.

The key of a claim covers its own source, the rest of its module (other claims left out, unless it names
them), every module of claims that it imports, all of dpverify but its report and its command line, the
effort, and the versions of Python and of the packages that can change a verdict. A claim that crashed or ran
out of time is never kept.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import json
import os
import sys
import tempfile
from dataclasses import asdict
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from dpverify.claims import Claim
from dpverify.effort import Effort
from dpverify.verdicts import UNDECIDED, Result

PACKAGES = (
    "sympy",
    "mpmath",
    "numpy",
    "scipy",
    "python-flint",
    "z3-solver",
    "cvxpy",
    "clarabel",
    "scs",
    "dp-accounting",
    "hypothesis",
    "scikit-learn",
    "joblib",
)
OUTSIDE = ("reporting", "cli", "exam")  # parts of dpverify that cannot change a verdict


def versions() -> dict[str, str]:
    """The versions of Python and of the installed packages that can change a verdict.

    >>> "sympy" in versions()
    True
    """
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _digest(*parts: str | bytes) -> str:
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "big") + data)
    return h.hexdigest()


@lru_cache(maxsize=1)
def _engine() -> str:
    """The source of everything that can change a verdict, claims left out."""
    import dpverify

    home = Path(inspect.getfile(dpverify)).parent
    files = sorted(p for p in home.rglob("*.py") if p.relative_to(home).parts[0] not in OUTSIDE)
    laws = Path(inspect.getfile(importlib.import_module("dpverify.properties"))).parent
    return _digest(
        *[part for p in (*files, *sorted(laws.rglob("*.py"))) for part in (p.name, p.read_bytes())],
        json.dumps(versions()),
    )


def _is_claim(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(d, ast.Call) and getattr(d.func, "id", getattr(d.func, "attr", "")) == "claim"
        for d in node.decorator_list
    )


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


class Pieces(NamedTuple):
    """A module of claims in pieces: what its claims share, the text of each claim, the names in each, and
    what it imports.
    """

    shared: str
    claims: dict[str, str]
    names: dict[str, set[str]]
    imports: tuple[str, ...]
    relative: bool


@lru_cache(maxsize=256)
def _pieces(path: str) -> Pieces:
    text = Path(path).read_text()
    tree, lines = ast.parse(text), text.splitlines()
    claims: dict[str, str] = {}
    names: dict[str, set[str]] = {"": set()}
    kept = list(lines)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_claim(node):
            first, last = min(d.lineno for d in node.decorator_list) - 1, node.end_lineno or node.lineno
            claims[node.name] = "\n".join(lines[first:last])
            names[node.name] = _names(node)
            kept[first:last] = [""] * (last - first)
        else:
            names[""] |= _names(node)
    imports, relative = [], False
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom) and part.module and part.module.startswith("dpverify.symbolic"):
            imports += [part.module, *(f"{part.module}.{alias.name}" for alias in part.names)]
        elif isinstance(part, ast.Import):
            imports += [alias.name for alias in part.names if alias.name.startswith("dpverify.symbolic")]
        relative |= isinstance(part, ast.ImportFrom) and bool(part.level)
    return Pieces("\n".join(line for line in kept if line.strip()), claims, names, tuple(imports), relative)


def _source_of(item: Claim) -> list[str]:
    """The source that the claim depends on in its own module: the shared part, itself, and the claims that
    these name.
    """
    pieces = _pieces(item.file)
    wanted: set[str] = set()
    todo = [item.function.__name__, *(pieces.names[""] & pieces.claims.keys())]
    while todo:
        name = todo.pop()
        if name in pieces.claims and name not in wanted:
            wanted.add(name)
            todo.extend(pieces.names[name] & pieces.claims.keys())
    return [pieces.shared, *(pieces.claims[name] for name in sorted(wanted))]


@lru_cache(maxsize=256)
def _imported(path: str) -> str:
    """A digest of every module of claims that a module imports, at any distance."""
    seen, todo, texts = {path}, [path], []
    while todo:
        here = todo.pop()
        pieces = _pieces(here)
        found = [getattr(sys.modules.get(name), "__file__", None) for name in pieces.imports]
        if pieces.relative:
            found += [str(p) for p in sorted(Path(here).parent.glob("*.py"))]
        for where in found:
            if where and where not in seen:
                seen.add(where)
                todo.append(where)
                texts.append(Path(where).read_text())
    return _digest(*texts)


def forget() -> None:
    """Read the sources again: they may have changed within this process."""
    _pieces.cache_clear()
    _imported.cache_clear()
    _engine.cache_clear()


class Memory:
    """Results on disk, one file per key.

    >>> import tempfile
    >>> Memory(tempfile.mkdtemp()).hits
    0
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.hits = 0

    def key(self, item: Claim, effort: Effort) -> str:
        """What the result of a claim depends on, as one number."""
        return _digest(
            item.id, _engine(), json.dumps(asdict(effort)), *_source_of(item), _imported(item.file)
        )

    def recall(self, item: Claim, effort: Effort) -> Result | None:
        """The kept result, if nothing that it depends on has changed."""
        record = self._read(self.key(item, effort))
        try:
            return None if record is None else Result.from_json(record)
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, item: Claim, effort: Effort, result: Result) -> None:
        """Keep a result, all of it or nothing."""
        if result.verdict is UNDECIDED and ("crashed" in result.because or "no answer in" in result.because):
            return
        self._write(self.key(item, effort), result.to_json())

    def recall_record(self, what: str, effort: Effort) -> dict[str, Any] | None:
        """A kept record that depends on its name, the effort and dpverify alone: a run, an audit."""
        return self._read(_digest(what, _engine(), json.dumps(asdict(effort))))

    def keep_record(self, what: str, effort: Effort, record: dict[str, Any]) -> None:
        """Keep such a record."""
        self._write(_digest(what, _engine(), json.dumps(asdict(effort))), record)

    def _read(self, key: str) -> dict[str, Any] | None:
        try:
            record = json.loads((self.folder / f"{key}.json").read_text())
        except (OSError, ValueError):
            return None
        self.hits += 1
        return record

    def _write(self, key: str, record: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(handle, "w") as file:
            json.dump(record, file)
        os.replace(name, self.folder / f"{key}.json")
