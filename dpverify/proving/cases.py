"""Comparisons under a hypothesis that says `or`: proved in each of its cases."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.relations import AtMost, Equal

HANDLES = (AtMost, Equal)


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """The relation under each part of the first hypothesis that is a disjunction."""
    given = [sp.sympify(g) for g in relation.given]
    either = next((g for g in given if isinstance(g, sp.Or)), None)
    if either is None:
        return GaveUp("no hypothesis says `or`")
    others = [g for g in given if g is not either]
    steps = []
    for case in sorted(either.args, key=sp.default_sort_key):
        parts = case.args if isinstance(case, sp.And) else (case,)
        steps.append((replace(relation, given=(*others, *parts)), f"if {sp.sstr(case)}"))
    return Ways([Reduction(tuple(steps), f"in each case of {sp.sstr(either)}")])
