"""Fingerprints: a short name for all that the outputs of a mechanism depend on, or none.

A callable is followed through its code, constants, defaults, closure, the globals that it names, what it
imports, the callables it calls, its class and its own attributes; a module of the user's through whatever of
it any code that was met names (in a text, too), or through all of it, where names are computed (`getattr`,
`eval`); what comes from an installed library counts by the library's version. What cannot be followed (a
file, the environment, another process, a random generator, an extension object that does not pickle) has no
fingerprint, and then nothing is kept. A file that a library opens by itself is not seen.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import importlib.util
import inspect
import pickle
import platform
import re
import sys
import sysconfig
import types
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np


class NoFingerprint(Exception):
    """Something was met whose content cannot be told."""


def fingerprint(*things: Any) -> str | None:
    """The name of the content of these things, or None where it cannot be told.

    >>> fingerprint(len, np.ones(3)) == fingerprint(len, np.ones(3)) != fingerprint(len, np.zeros(3))
    True
    >>> fingerprint(np.random.default_rng(0)) is None
    True
    """
    names: set[str] = set()
    try:
        while True:  # a module may be handed to code that is met later, and names more of it
            known = len(names)
            digest = hashlib.sha256(f"python {platform.python_version()}, numpy {np.__version__}".encode())
            for thing in things:
                _follow(thing, digest, {}, names)
            if len(names) == known:
                return digest.hexdigest()[:20]
    except NoFingerprint:
        return None


OUTSIDE = re.compile(  # names that lead to what no code shows: files, the environment, other processes
    r"open|environb?|getenv|argv|stdin|input|import_module|__import__|modules|(safe_)?load|loadtxt|genfromtxt|"
    r"fromfile|memmap|mmap|read_\w+|urlopen|urlretrieve|Popen|check_output|getoutput"
)
PROCESSES = re.compile(r"subprocess|multiprocessing|socket|urllib|http|sqlite3|shelve|dbm|requests")
COMPUTED = {"getattr", "attrgetter", "globals", "vars", "eval", "exec", "__dict__", "__getattribute__"}
SCOPE = {"globals", "vars", "eval", "exec"}


def _follow(thing: Any, digest: Any, seen: dict[int, Any], names: set[str]) -> None:
    """Add the content of a thing to the digest; `seen` holds what was met, which also keeps it alive, and
    `names` those that any code has used so far.
    """

    def note(text: str) -> None:
        digest.update(text.encode() + b"\0")

    if thing is None or isinstance(thing, str | int | float | complex | bytes | type(Ellipsis)):
        return note(f"{type(thing).__name__} {thing!r}")
    if id(thing) in seen:
        return note(f"again {seen[id(thing)][0]}")
    seen[id(thing)] = (len(seen), thing)
    parts: list[Any]
    if isinstance(thing, np.ndarray | np.generic):
        array = np.asarray(thing)
        note(f"array {array.shape} {array.dtype}")
        if array.dtype.kind != "O":
            return digest.update(np.ascontiguousarray(array).tobytes())
        parts = array.ravel().tolist()
    elif isinstance(thing, np.random.Generator | np.random.RandomState | types.GeneratorType):
        raise NoFingerprint  # it changes with every call
    elif isinstance(thing, tuple | list):
        note(f"{type(thing).__name__} {len(thing)}")
        parts = list(thing)
    elif isinstance(thing, set | frozenset):
        note(f"set {len(thing)}")
        parts = sorted(thing, key=repr)
    elif isinstance(thing, dict | types.MappingProxyType):
        note(f"dict {len(thing)}")
        parts = [part for item in thing.items() for part in item]
    elif isinstance(thing, functools.partial):
        note("partial")
        parts = [thing.func, thing.args, thing.keywords]
    elif isinstance(thing, functools._lru_cache_wrapper):  # it pickles as its name alone
        note("cached")
        parts = [thing.__wrapped__]
    elif isinstance(thing, types.MethodType):
        note("method")
        parts = [thing.__func__, thing.__self__]
    elif isinstance(thing, types.CodeType):
        note(f"code {thing.co_code.hex()} {thing.co_names} {thing.co_varnames}")
        parts = list(thing.co_consts)
    elif isinstance(thing, types.ModuleType):
        note(f"module {_version(thing.__name__)}")
        _expect_no_process(thing.__name__)
        parts = _module(thing, names)
    elif isinstance(thing, types.BuiltinFunctionType | np.ufunc | types.WrapperDescriptorType):
        module = getattr(thing, "__module__", "")
        return note(f"built in {module} {getattr(thing, '__name__', thing)} {_compiled(module)}")
    elif inspect.isfunction(thing):
        library = _library(thing.__module__)
        note(f"function {thing.__module__} {thing.__qualname__} {library}")
        if is_ours(thing.__module__):
            names |= _used(thing)
        parts = [] if library else _function(thing)
    elif inspect.isclass(thing):
        library = _library(thing.__module__)
        note(f"class {thing.__module__} {thing.__qualname__} {library}")
        parts = [] if library else [list(thing.__mro__[1:-1]), _attributes(vars(thing))]
    else:
        parts = _object(thing)
    for part in parts:
        _follow(part, digest, seen, names)
    return None


def _used(function: Any) -> set[str]:
    """The names in a function of the user's, and those that stand in its texts."""
    named = names_in(function.__code__)
    if any(map(OUTSIDE.fullmatch, named)):
        raise NoFingerprint
    return named | {text for text in _texts(function.__code__) if text.isidentifier()}


def _texts(thing: Any) -> set[str]:
    if isinstance(thing, str):
        return {thing}
    parts = thing.co_consts if isinstance(thing, types.CodeType) else thing
    return set().union(*map(_texts, parts)) if isinstance(parts, tuple | frozenset) else set()


def _expect_no_process(module: str) -> None:
    if PROCESSES.fullmatch(module.partition(".")[0]):
        raise NoFingerprint


def _module(module: types.ModuleType, names: set[str]) -> list[Any]:
    """What the user's own module holds under these names; all of it, where names are computed."""
    if not is_ours(module.__name__):
        return []
    held = vars(module)
    chosen = _all_of(held) if names & COMPUTED else names & held.keys()
    return [_compiled(module.__name__), [(name, held[name]) for name in sorted(chosen)]]


def _all_of(scope: dict[str, Any]) -> set[str]:
    """The names of a module's variables, but for those that Python gives to every module."""
    return {name for name in scope if not (name.startswith("__") and name.endswith("__"))}


def _compiled(module: str | None) -> str:
    """The content of the user's own module that is no Python, but compiled; "" of any other."""
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if not is_ours(module) or file is None or Path(file).suffix in (".py", ".pyc"):
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _function(function: Any) -> list[Any]:
    """What a function of ours depends on: its code, what it holds, and the globals that it names."""
    held = []
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # not filled yet
            held.append(None)
    names = names_in(function.__code__)
    scope = function.__globals__
    if names & SCOPE and is_ours(function.__module__):
        names |= _all_of(scope)
    named = [(name, scope[name]) for name in sorted(names & scope.keys())]
    own = dict(vars(function))
    imported = _imported(function.__code__, scope) if is_ours(function.__module__) else []
    return [function.__code__, function.__defaults__, function.__kwdefaults__, held, named, own, imported]


def _imported(code: types.CodeType, scope: dict[str, Any]) -> list[Any]:
    """The user's modules that a body imports, and the bodies within it; of a library's, their version."""
    found: list[Any] = []
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for at, step in enumerate(steps):
        if step.opname != "IMPORT_NAME":
            continue
        level, members = steps[at - 2].argval, steps[at - 1].argval
        try:
            name = importlib.util.resolve_name("." * level + step.argval, scope.get("__package__"))
        except ImportError:
            raise NoFingerprint from None
        _expect_no_process(name)
        ends = [end for end, letter in enumerate(name + ".") if letter == "."]
        found += [_loaded(name[:end]) for end in ends]
        if isinstance(found[-1], types.ModuleType):
            found += [_loaded(f"{name}.{member}") for member in members or ()]
    inner = [const for const in code.co_consts if inspect.iscode(const)]
    return found + [part for body in inner for part in _imported(body, scope)]


def _loaded(name: str) -> Any:
    """The user's module of that name; of a library's, its version; "" if there is no such module."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return ""
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
    if any(map(_installed, places)):
        return _version(name)
    try:
        return importlib.import_module(name)
    except Exception:  # whatever it raises, its content cannot be told
        raise NoFingerprint from None


def names_in(code: types.CodeType) -> set[str]:
    """The names of globals and attributes in a body, and in the bodies within it."""
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*(names_in(const) for const in inner))


def _attributes(members: Any) -> list[Any]:
    skipped = {"__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__static_attributes__"}
    skipped |= {"__annotations__", "__orig_bases__"}  # of no effect, and those of a NamedTuple do not pickle
    unwrapped = []
    for name in sorted(set(members) - skipped):
        value = members[name]
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if isinstance(value, property):
            value = (value.fget, value.fset, value.fdel)
        if isinstance(value, functools.cached_property):
            value = value.func
        if not isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
            unwrapped.append((name, value))
    return unwrapped


def _object(thing: Any) -> list[Any]:
    """The class of an object and what it holds; one that holds nothing that can be seen must pickle."""
    state = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                state[name] = getattr(thing, name)
    if _library(type(thing).__module__) or not state:
        try:
            return [type(thing), pickle.dumps(thing)]
        except Exception:  # whatever it raises, its content cannot be told
            raise NoFingerprint from None
    return [type(thing), [(name, state[name]) for name in sorted(state)]]


def is_ours(module: str | None) -> bool:
    """Whether a module is neither an installed library's nor part of dpverify.

    >>> is_ours("numpy"), is_ours("dpverify.auditing"), is_ours("__main__")
    (False, False, True)
    """
    return not _library(module) and (module or "").partition(".")[0] not in ("dpverify", "builtins")


def _library(module: str | None) -> str:
    """The name and version of the library that a module belongs to; "" if it is the user's own."""
    if module is None or module == "__main__":
        return ""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module if module.partition(".")[0] in sys.stdlib_module_names else ""
    return _version(module) if _installed(file) else ""


def _installed(file: str | None) -> bool:
    """Whether a file is one of an installed library; what has none is built in."""
    return file is None or any(Path(file).resolve().is_relative_to(root) for root in _roots())


@functools.cache
def _roots() -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {Path(sysconfig.get_path(name)).resolve() for name in names}
    folders |= {
        Path(entry).resolve() for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))
    }
    return tuple(sorted(folders))


@functools.cache
def _version(module: str) -> str:
    top = module.partition(".")[0]
    for name in _distributions().get(top, [top]):
        try:
            return f"{module} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return f"{module} {getattr(sys.modules.get(top), '__version__', '')}"


@functools.cache
def _distributions() -> Any:
    return metadata.packages_distributions()
