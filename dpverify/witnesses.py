"""Witnesses are verified from their JSON alone: each kind by the module that makes it, found by its name.

A maker writes its kind into `exact` and has `verify(exact) -> bool`. Adding a kind is one line here.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

MAKERS = {
    "point": "dpverify.proving.refutation",
    "vectors": "dpverify.proving.realisations",
    "matrices": "dpverify.proving.matrices",
    "order": "dpverify.proving.order_witnesses",
    "event": "dpverify.auditing.witness",
    "replay": "dpverify.auditing.replay",
    "noise": "dpverify.auditing.noise",
    "accountant": "dpverify.auditing.accountant",
    "losses": "dpverify.auditing.whitebox",
    "one run": "dpverify.auditing.one_run",
    "gradients": "dpverify.adapters.gradients",
    "comparison": "dpverify.witnesses",
}


def verify_witness(exact: dict[str, Any]) -> bool:
    """Whether a witness stands, from the machine-readable half of its JSON alone.

    >>> verify_witness(comparison(2.5, "<=", 2.0, what="the reported epsilon"))
    True
    >>> verify_witness(comparison(1.5, "<=", 2.0, what="the reported epsilon"))
    False
    """
    kind = exact.get("kind")
    if kind not in MAKERS:
        raise ValueError(f"Expected a witness of kind {', '.join(map(repr, MAKERS))}, got {kind!r}.")
    return bool(importlib.import_module(MAKERS[kind]).verify(exact))


RELATIONS = {
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
    "<": lambda left, right: left < right,
    "==": lambda left, right: left == right,
}


def comparison(left: float, stated: str, right: float, **figures: Any) -> dict[str, Any]:
    """The record of two numbers of which the claim states a relation that does not hold.

    >>> comparison(3, "<=", 2)
    {'kind': 'comparison', 'left': 3, 'stated': '<=', 'right': 2}
    """
    if stated not in RELATIONS:
        raise ValueError(f"Expected stated={stated!r} among {', '.join(RELATIONS)}.")
    return {"kind": "comparison", "left": left, "stated": stated, "right": right, **figures}


def verify(exact: dict[str, Any]) -> bool:
    """Whether the two numbers of a comparison break the relation that is stated of them."""
    left, right = float(exact["left"]), float(exact["right"])
    if math.isnan(left) or math.isnan(right):
        return False
    return not RELATIONS[exact["stated"]](left, right)
