"""What a tactic may answer instead of a certificate: simpler relations that together imply the one at hand."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reduction:
    """Relations that, all proved, imply the relation at hand; `because` names the theorem that says so."""

    steps: tuple[tuple[Any, str], ...]
    because: str


class Missing(RuntimeError):
    """An optional engine is not installed; the message says what to install."""


def engine(module: str, extra: str) -> Any:
    """An optional engine, or `Missing` with the command that installs it.

    >>> engine("math", "smt").pi > 3
    True
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f'needs {module}: pip install "dpverify[{extra}]"') from error
