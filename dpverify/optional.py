"""Packages that only a part of dpverify needs; where one is missing, the command that installs it is said."""

from __future__ import annotations

import importlib
import re
from typing import Any

NEEDS = re.compile(r"needs (\w+), not installed")


class Missing(RuntimeError):
    """An optional package is not installed; the message says how to install it."""


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
        package = module.partition(".")[0]
        raise Missing(f'needs {package}, not installed: pip install ".[{extra}]" in a clone') from error
