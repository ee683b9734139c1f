"""Packages that only a part of dpverify needs; where one is missing, the command that installs it is said."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_asked_in_vain: ContextVar[set[str] | None] = ContextVar("asked_in_vain", default=None)


class Missing(RuntimeError):
    """An optional package is not installed; the message says how to install it.

    >>> Missing("z3", "smt").package
    'z3'
    """

    def __init__(self, package: str, extra: str):
        super().__init__(package, extra)  # what pickle makes it from again
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return f'needs {self.package}, not installed: pip install ".[{self.extra}]" in a clone'


@contextmanager
def noting_missing() -> Iterator[set[str]]:
    """The packages that the block asks for and that are not installed, whether or not it goes on without.

    >>> with noting_missing() as missing:
    ...     try:
    ...         optional("no_such_package.part", "smt")
    ...     except Missing:
    ...         print(missing)
    {'no_such_package'}
    """
    packages: set[str] = set()
    token = _asked_in_vain.set(packages)
    try:
        yield packages
    finally:
        _asked_in_vain.reset(token)


def optional(module: str, extra: str) -> Any:
    """A module of an optional package, or `Missing` with the command that installs it.

    >>> optional("math", "smt").pi > 3
    True
    >>> optional("no_such_package.part", "smt")
    Traceback (most recent call last):
    dpverify.optional.Missing: needs no_such_package, not installed: pip install ".[smt]" in a clone
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = Missing(module.partition(".")[0], extra)
        if (packages := _asked_in_vain.get()) is not None:
            packages.add(missing.package)
        raise missing from error
