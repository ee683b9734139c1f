"""dpverify: is this differentially private optimizer what its paper and its author say it is?

Names load on first use, so that `import dpverify` is cheap: `dpverify.<tab>` lists them.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

__version__ = "0.1.0"

# Read when SymPy is loaded, here and in workers: a proof outgrows the usual 1000.
os.environ.setdefault("SYMPY_CACHE_SIZE", "100000")

_NAMES = {
    "Verdict": "verdicts",
    "Result": "verdicts",
    "Evidence": "verdicts",
    "Witness": "verdicts",
    "Paper": "claims",
    "Claim": "claims",
    "claim": "claims",
    "Equal": "relations",
    "AtMost": "relations",
    "Minimises": "relations",
    "Derivation": "relations",
    "prove": "proving",
    "check": "checking",
    "Schedule": "schedules",
    "Algorithm": "engine",
    "run": "montecarlo",
    "audit": "auditing",
    "Budget": "auditing",
    "Neighbours": "neighbours",
    "PureDP": "guarantees",
    "ApproxDP": "guarantees",
    "GDP": "guarantees",
    "Profile": "guarantees",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(importlib.import_module(f"dpverify.{_NAMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'dpverify' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
