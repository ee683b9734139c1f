"""Fingerprints: a short name for all that the outputs of a mechanism depend on, or none.

A callable is followed through its code, constants, defaults, closure, the globals and the attributes of
modules that it names, the callables it calls, its class and its own attributes; what comes from an installed
library counts by the library's version. What cannot be followed (an open file, a random generator, an
extension object that does not pickle) has no fingerprint, and then nothing is kept.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import platform
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
    digest = hashlib.sha256(f"python {platform.python_version()}, numpy {np.__version__}".encode())
    try:
        for thing in things:
            _follow(thing, digest, {})
    except NoFingerprint:
        return None
    return digest.hexdigest()[:20]


def _follow(thing: Any, digest: Any, seen: dict[int, Any]) -> None:
    """Add the content of a thing to the digest; `seen` holds what was met, which also keeps it alive."""

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
        return note(f"module {_version(thing.__name__)}")
    elif isinstance(thing, types.BuiltinFunctionType | np.ufunc | types.WrapperDescriptorType):
        return note(f"built in {getattr(thing, '__module__', '')} {getattr(thing, '__name__', thing)}")
    elif inspect.isfunction(thing):
        library = _library(thing.__module__)
        note(f"function {thing.__module__} {thing.__qualname__} {library}")
        parts = [] if library else _function(thing)
    elif inspect.isclass(thing):
        library = _library(thing.__module__)
        note(f"class {thing.__module__} {thing.__qualname__} {library}")
        parts = [] if library else [list(thing.__mro__[1:-1]), _attributes(vars(thing))]
    else:
        parts = _object(thing)
    for part in parts:
        _follow(part, digest, seen)
    return None


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
    named = []
    for name in sorted(names & scope.keys()):
        value = scope[name]
        named.append((name, value))
        if isinstance(value, types.ModuleType) and not _library(value.__name__):
            named += [(key, getattr(value, key)) for key in sorted(names) if hasattr(value, key)]
    own = dict(vars(function))
    return [function.__code__, function.__defaults__, function.__kwdefaults__, held, named, own]


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
    path = Path(file).resolve()
    if any(path.is_relative_to(root) for root in _roots()):
        return _version(module)
    return ""


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
