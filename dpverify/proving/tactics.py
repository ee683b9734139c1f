"""The tactics by their names, in the order in which they are tried."""

from __future__ import annotations

import importlib
from typing import Any

TACTICS = (
    "cases",
    "identities",
    "signs",
    "linear",
    "integers",
    "whole",
    "monomials",
    "polynomials",
    "squares",
    "balls",
    "derivatives",
    "optimality",
    "sums",
    "means",
    "induction",
    "shape",
    "matrices",
    "orders",
    "mechanisms",
)
GRAM = "gram"  # the tactic for vectors and functions, which the others do not read
# What a checker raises at a certificate that is not of its form.
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)
DEEPEST = 12  # reductions in one another: a tactic that reduces a relation to its like would go on for ever


def tactic_named(name: str) -> Any:
    """The module of a tactic, loaded when it is first asked for.

    >>> tactic_named("signs").HANDLES
    (<class 'dpverify.relations.AtMost'>,)
    """
    return importlib.import_module(f"dpverify.proving.{name}")
