"""Where things stand in files, as reports and editors name it."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A file, as reports show it, and a line."""

    file: str
    line: int


def shown_path(path: str) -> str:
    """A path as reports show it: from the current folder if it lies there, else from that of dpverify; a
    report names no folder of the machine it was made on unless the file lies elsewhere.

    >>> shown_path(__file__).endswith("dpverify/places.py")
    True
    """
    full = Path(path).resolve()
    for base in (Path.cwd(), Path(__file__).resolve().parent.parent):
        if full.is_relative_to(base):
            return full.relative_to(base).as_posix()
    return full.as_posix()


def place_of(thing: Any) -> Place | None:
    """Where a callable is defined: a function, what a partial wraps, or the class of an object.

    >>> place_of(partial(shown_path, "x")) == place_of(shown_path)
    True
    >>> place_of(len) is None
    True
    """
    while isinstance(thing, partial):
        thing = thing.func
    thing = inspect.unwrap(thing)
    if not (inspect.isroutine(thing) or inspect.isclass(thing)):
        thing = type(thing)
    try:
        file = inspect.getsourcefile(thing)
        line = inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return None
    return Place(shown_path(file), max(line, 1)) if file else None
