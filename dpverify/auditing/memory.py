"""What a mechanism remembers outside of itself: variables of the user's modules, attributes of classes, and
caches of functions, wherever a function that it reaches names them.

A mechanism that keeps its answers there is told apart by its second call: not because its first leaks, but
because it is not a fresh one. So that every run can begin as the first did, these are put back.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import inspect
import types
from typing import Any

import numpy as np

from dpverify.auditing.fingerprints import is_ours, names_in

LARGEST = 10**7  # bytes of a variable that is put back
Place = tuple[Any, str]  # a module's variables, or a class, and a name there


class Memory:
    """The state that a mechanism has outside of itself, as it is now, to be put back later.

    >>> @functools.lru_cache
    ... def answer(data):
    ...     return float(np.random.default_rng().normal())
    >>> memory = Memory(answer)
    >>> first = answer(1)
    >>> memory.changed(), answer(1) == first, memory.put_back(), answer(1) == first
    (True, True, None, False)
    """

    def __init__(self, mechanism: Any) -> None:
        places: dict[tuple[int, str], Place] = {}
        self._caches: list[Any] = []
        _reach(mechanism, places, self._caches, set())
        self._filled = [cache.cache_info().currsize for cache in self._caches]
        self._kept: list[tuple[Place, bytes, Any]] = []
        for place in places.values():
            try:
                content = _digest(_get(place))
                self._kept.append((place, content, copy.deepcopy(_get(place))))
            except Exception:  # what cannot be copied, or is large, cannot be put back
                continue
        self._changed: list[tuple[Place, Any]] = []

    def changed(self) -> bool:
        """Whether anything is other than it was."""
        differ = [(place, value) for place, content, value in self._kept if not _same(place, content)]
        known = {(id(scope), name) for (scope, name), _ in self._changed}
        self._changed += [(place, value) for place, value in differ if (id(place[0]), place[1]) not in known]
        return bool(differ) or [cache.cache_info().currsize for cache in self._caches] != self._filled

    def put_back(self) -> None:
        """Make everything that was found changed as it was; caches are emptied."""
        values = copy.deepcopy([value for _, value in self._changed])
        for ((scope, name), _), value in zip(self._changed, values):
            if isinstance(scope, dict):
                scope[name] = value
            else:
                setattr(scope, name, value)
        for cache in self._caches:
            cache.cache_clear()


def _get(place: Place) -> Any:
    scope, name = place
    return scope.get(name) if isinstance(scope, dict) else getattr(scope, name, None)


def _digest(value: Any) -> bytes:
    import cloudpickle

    content = cloudpickle.dumps(value)
    if len(content) > LARGEST:
        raise ValueError(f"Expected at most {LARGEST} bytes, got {len(content)}.")
    return hashlib.sha256(content).digest()


def _same(place: Place, content: bytes) -> bool:
    try:
        return _digest(_get(place)) == content
    except Exception:
        return False


def _reach(thing: Any, places: dict[tuple[int, str], Place], caches: list[Any], seen: set[int]) -> None:
    """Note every place and cache that a callable reaches."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, functools.partial):
        _reach(thing.func, places, caches, seen)
    elif isinstance(thing, types.MethodType):
        _reach(thing.__func__, places, caches, seen)
    elif hasattr(thing, "cache_info") and hasattr(thing, "cache_clear"):
        caches.append(thing)
        _reach(getattr(thing, "__wrapped__", None), places, caches, seen)
    elif isinstance(thing, staticmethod | classmethod):
        _reach(thing.__func__, places, caches, seen)
    elif inspect.isfunction(thing) and is_ours(thing.__module__):
        for name in sorted(names_in(thing.__code__) & thing.__globals__.keys()):
            _named(thing.__globals__, name, names_in(thing.__code__), places, caches, seen)
        for cell in thing.__closure__ or ():
            try:
                _reach(cell.cell_contents, places, caches, seen)
            except ValueError:  # not filled yet
                continue
    elif inspect.isclass(thing):
        if is_ours(thing.__module__):
            for name, value in vars(thing).items():
                if callable(value) or isinstance(value, staticmethod | classmethod):
                    _reach(value, places, caches, seen)
                elif not name.startswith("__") and not hasattr(value, "__get__"):
                    places[id(thing), name] = (thing, name)
    elif not isinstance(thing, types.ModuleType | np.ndarray) and is_ours(type(thing).__module__):
        _reach(type(thing), places, caches, seen)


def _named(
    scope: dict[str, Any],
    name: str,
    names: set[str],
    places: dict[tuple[int, str], Place],
    caches: list[Any],
    seen: set[int],
) -> None:
    value = scope[name]
    if isinstance(value, types.ModuleType):
        if is_ours(value.__name__) and id(value) not in seen:
            seen.add(id(value))
            for inner in sorted(names & vars(value).keys()):
                _named(vars(value), inner, names, places, caches, seen)
        return
    # a generator that went back would draw the same noise in every run
    stays = isinstance(value, np.random.Generator | np.random.RandomState) or hasattr(value, "cache_clear")
    if not (stays or inspect.isroutine(value) or inspect.isclass(value)):
        places[id(scope), name] = (scope, name)
    _reach(value, places, caches, seen)
