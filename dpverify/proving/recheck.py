"""Does a kept result still stand? Witnesses and certificates are checked again; no search is made."""

from __future__ import annotations

import importlib
from typing import Any

from dpverify.optional import Missing
from dpverify.proving import TACTICS, gate
from dpverify.relations import Derivation
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Result
from dpverify.witnesses import verify_witness


def stands(relation: Any, result: Result) -> bool:
    """Whether the checker of a kept result accepts it again: its witness if it is refuted, its certificate if
    it is proved (step by step, if it is a derivation). What has neither, a run or the inferences of a
    theorem, stands by the signature of its record.

    >>> import sympy as sp
    >>> from dpverify.proving import prove
    >>> from dpverify.relations import AtMost
    >>> x, y = sp.symbols("x y", positive=True)
    >>> kept = prove(AtMost(2 * x * y, x**2 + y**2))
    >>> stands(AtMost(2 * x * y, x**2 + y**2), kept), stands(AtMost(3 * x * y, x**2 + y**2), kept)
    (True, False)
    """
    try:
        relation = gate.elaborate(relation)
    except gate.Refused:
        return result.verdict is UNDECIDED
    try:
        if result.verdict is REFUTED:
            return _witness_stands(result)
        if result.verdict is PROVED:
            return _proof_stands(relation, result)
    except (Missing, KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError):
        return False
    return True


def _witness_stands(result: Result) -> bool:
    return result.witness is not None and (not result.witness.exact or verify_witness(result.witness.exact))


def _proof_stands(relation: Any, result: Result) -> bool:
    if isinstance(relation, Derivation):
        pairs = zip(relation.steps, result.steps, strict=True)
        return all(
            step.statement == str(part) and step.result.verdict is PROVED and stands(part, step.result)
            for (part, _), step in pairs
        )
    evidence = result.evidence
    if evidence is None or evidence.method not in TACTICS or result.steps:
        return evidence is not None
    tactic = importlib.import_module(f"dpverify.proving.{evidence.method}")
    return bool(isinstance(relation, tactic.HANDLES) and tactic.check(relation, evidence.certificate))
