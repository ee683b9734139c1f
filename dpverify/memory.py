"""Results of checks, kept by the content they depend on: what did not change is not checked again.

The key of a claim covers its own source, the rest of its module (other claims left out, unless it names
them), every module of claims that it imports, all of dpverify but its report and its command line, the
effort, and every installed package. Beside a result stand the files of the user's that were read or imported
for it (helpers, tables), each with its digest. A result is recalled only if all of this is as it was and its
signature, made with a key that lies in the user's own cache folder, is right: a folder that somebody else
wrote, or a record that somebody edited, is not believed. A claim that crashed or was cut short is never kept.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import pickle
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from dpverify.claims import Claim
from dpverify.effort import Effort
from dpverify.signing import cache_folder, read_signed, secret, write_signed
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
    numbers = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in PACKAGES:
        try:
            numbers[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            numbers[name] = "not installed"
    return numbers


def _digest(*parts: str | bytes) -> str:
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "big") + data)
    return h.hexdigest()


@lru_cache(maxsize=1)
def _engine() -> str:
    """The source of everything that can change a verdict, claims left out, and what is installed."""
    files = sorted(p for p in _home().rglob("*.py") if p.relative_to(_home()).parts[0] not in OUTSIDE)
    laws = Path(inspect.getfile(importlib.import_module("dpverify.properties"))).parent
    return _digest(
        *[part for p in (*files, *sorted(laws.rglob("*.py"))) for part in (p.name, p.read_bytes())],
        *sorted(
            filter(None, (distribution.read_text("RECORD") for distribution in metadata.distributions()))
        ),
        json.dumps(versions()),
    )


@lru_cache(maxsize=1)
def _home() -> Path:
    import dpverify

    return Path(inspect.getfile(dpverify)).parent


_read: set[str] | None = None  # the files that this process has opened since somebody asked


def watch_files() -> None:
    """From now on, note which files this process reads: what a result may depend on."""
    global _read
    if _read is None:
        _read = set()
        sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _read is not None and isinstance(arguments[0], str | bytes):
        _read.add(os.path.abspath(os.fsdecode(arguments[0])))


def _users(path: str) -> bool:
    """Whether a file is the user's: no part of Python, of an installed package or of dpverify."""
    strange = ("/proc/", "/sys/", "/dev/", "/etc/", "/usr/", *map(str, _library_folders()))
    return not path.startswith(strange) and not {"site-packages", "dist-packages"} & set(Path(path).parts)


@lru_cache(maxsize=1)
def _library_folders() -> tuple[Path, ...]:
    symbolic = Path(inspect.getfile(importlib.import_module("dpverify.symbolic"))).parent
    laws = Path(inspect.getfile(importlib.import_module("dpverify.properties"))).parent
    return (_home(), symbolic, laws, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")))


def files_read(but: set[str]) -> dict[str, str]:
    """The user's files that this process has read or imported since `watch_files`, each with its digest."""
    paths = set(filter(None, map(_users_source, (_read or set()).union(_loaded())))) - but
    return {path: digest for path in sorted(paths) if (digest := _digest_of(path))}


@lru_cache(maxsize=50_000)  # thousands of modules are loaded, and asked about after every claim
def _users_source(name: str) -> str | None:
    """The file of the user's from which a module or a file that was read comes, if it is one."""
    path = os.path.abspath(name)
    with suppress(ValueError, NotImplementedError):
        path = importlib.util.source_from_cache(path)
    return path if _users(path) else None


def _digest_of(path: str) -> str | None:
    try:
        return _digest(Path(path).read_bytes())
    except OSError:  # a folder, or a file that was there for a moment only
        return None


def _loaded() -> list[str]:
    """The files of the modules that are loaded."""
    return sorted(
        {file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}
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
        if isinstance(part, ast.ImportFrom) and part.module and not part.level:
            imports += [part.module, *(f"{part.module}.{alias.name}" for alias in part.names)]
        elif isinstance(part, ast.Import):
            imports += [alias.name for alias in part.names]
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
    """A digest of every module of claims, or of the user's, that a module imports, at any distance."""
    seen = {path}
    todo = [path]
    texts = []
    while todo:
        here = todo.pop()
        pieces = _pieces(here)
        files = [getattr(sys.modules.get(name), "__file__", None) for name in pieces.imports]
        if pieces.relative:
            files += [str(p) for p in sorted(Path(here).parent.glob("*.py"))]
        for where in files:
            if where and where not in seen and where.endswith(".py") and _claims_or_users(where):
                seen.add(where)
                todo.append(where)
                texts.append(Path(where).read_text())
    return _digest(*texts)


def _claims_or_users(path: str) -> bool:
    return _users(os.path.abspath(path)) or Path(path).is_relative_to(_library_folders()[1])


def forget() -> None:
    """Read the sources again: they may have changed within this process."""
    _pieces.cache_clear()
    _imported.cache_clear()
    _engine.cache_clear()


class Memory:
    """Results on disk, one file per key, signed.

    >>> import tempfile
    >>> Memory(tempfile.mkdtemp()).hits
    0
    """

    def __init__(self, folder: str | Path | None = None):
        self.folder = cache_folder() / "results" if folder is None else Path(folder)
        self.hits = 0
        self.secret = secret()  # handed on to workers, wherever they are

    def key(self, item: Claim, used: Sequence[Claim], effort: Effort) -> str:
        """What the result of a claim depends on, as one number; its proof may use the `used` claims."""
        sources = [part for c in (item, *used) for part in (*_source_of(c), _imported(c.file))]
        return _digest(item.id, _engine(), json.dumps(asdict(effort)), *sources)

    def recall(self, item: Claim, used: Sequence[Claim], effort: Effort) -> Result | None:
        """The kept result, if nothing that it depends on has changed."""
        record = self._read(self.key(item, used, effort))
        try:
            return None if record is None else Result.from_json(record)
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, item: Claim, used: Sequence[Claim], effort: Effort, result: Result, but: set[str]) -> None:
        """Keep a result, all of it or nothing, unless it was cut short; `but` names the files of claims,
        which the key covers.
        """
        if result.cut_short:
            return
        own = (self.folder.absolute(), cache_folder().absolute())
        files = {
            path: digest
            for path, digest in files_read(but).items()
            if not any(Path(path).is_relative_to(folder) for folder in own)
        }
        self._write(self.key(item, used, effort), result.to_json(), files)

    def recall_record(self, what: str, effort: Effort) -> dict[str, Any] | None:
        """A kept record that depends on its name, the effort and dpverify alone: a run, an audit."""
        record = self._read(_digest(what, _engine(), json.dumps(asdict(effort))))
        self.hits += record is not None
        return record

    def keep_record(self, what: str, effort: Effort, record: dict[str, Any]) -> None:
        """Keep such a record."""
        self._write(_digest(what, _engine(), json.dumps(asdict(effort))), record, {})

    def piece_key(self, task: bytes, piece: Any) -> str:
        """What the result of a piece of work depends on: the pickled task, the piece, and dpverify."""
        return _digest("piece", _engine(), task, pickle.dumps(piece))

    def recall_piece(self, key: str) -> tuple[Any] | None:
        """The kept result of a piece, in a tuple, if the user's modules are as they were."""
        record = self._read(key)
        return None if record is None else (pickle.loads(base64.b64decode(record["pickle"])),)

    def keep_piece(self, key: str, result: Any) -> None:
        """Keep the result of a piece, unless it is a verdict that more time could change."""
        if isinstance(result, Result) and result.verdict is UNDECIDED:
            return
        import cloudpickle

        mine = {path: _digest_of(path) for path in _loaded() if _users(path)}
        files = {path: digest for path, digest in mine.items() if digest}
        self._write(key, {"pickle": base64.b64encode(cloudpickle.dumps(result)).decode()}, files)

    def forget_piece(self, key: str) -> None:
        """Drop a kept piece."""
        (self.folder / f"{key}.json").unlink(missing_ok=True)

    def problem(self) -> str | None:
        """Why nothing can be kept in the folder, if so; results are then checked anew, and that is all."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                return None
        except OSError as error:
            return f"{self.folder}: {error.strerror}"

    def _read(self, key: str) -> dict[str, Any] | None:
        content = read_signed(self.folder / f"{key}.json", key, self.secret)
        if content is None:
            return None
        kept = json.loads(content)
        if any(_digest_of(path) != digest for path, digest in kept["files"].items()):
            return None
        return kept["record"]

    def _write(self, key: str, record: dict[str, Any], files: dict[str, str]) -> None:
        content = json.dumps({"files": files, "record": record}).encode()
        write_signed(self.folder / f"{key}.json", key, content, self.secret)
