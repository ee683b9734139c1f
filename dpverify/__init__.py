"""dpverify: is this differentially private optimizer what its paper and its author say it is?

Names load on first use, so that `import dpverify` is cheap: `dpverify.<tab>` lists them.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names for type checkers and editors
    from dpverify.auditing import Budget as Budget
    from dpverify.auditing import audit as audit
    from dpverify.checking import check as check
    from dpverify.claims import Claim as Claim
    from dpverify.claims import Paper as Paper
    from dpverify.claims import claim as claim
    from dpverify.engine import Algorithm as Algorithm
    from dpverify.guarantees import GDP as GDP
    from dpverify.guarantees import ApproxDP as ApproxDP
    from dpverify.guarantees import Profile as Profile
    from dpverify.guarantees import PureDP as PureDP
    from dpverify.montecarlo import run as run
    from dpverify.neighbours import Neighbours as Neighbours
    from dpverify.proving import prove as prove
    from dpverify.relations import AtMost as AtMost
    from dpverify.relations import Equal as Equal
    from dpverify.relations import Minimises as Minimises
    from dpverify.schedules import Schedule as Schedule
    from dpverify.verdicts import Evidence as Evidence
    from dpverify.verdicts import Result as Result
    from dpverify.verdicts import Verdict as Verdict
    from dpverify.verdicts import Witness as Witness

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


if not TYPE_CHECKING:  # for which a name that is not listed above is a mistake

    def __getattr__(name: str) -> Any:
        if name in _NAMES:
            value = getattr(importlib.import_module(f"dpverify.{_NAMES[name]}"), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'dpverify' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
