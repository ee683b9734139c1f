"""Inequalities that follow from the signs of the parts: x^2 + y >= 0 for y >= 0.

SymPy's assumption system decides the sign of rhs - lhs, as it stands, factored, or expanded; one-symbol
hypotheses (x >= 1, x < 1) become sign assumptions through x = 1 + u or x = 1 - u with u >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import sampling
from dpverify.proving.domain import domain_of
from dpverify.proving.floats import walked
from dpverify.proving.identities import normalise, without_sums
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.relations import AtMost

HANDLES = (AtMost,)
PART = 1 / 8  # of the time of an attempt, for one way to write the difference
SAMPLE = 64  # points at which a hopeless attempt is given up before any algebra

_FORMS: dict[str, Callable[[Any], Any]] = {  # factored means over one denominator, too
    "as it stands": lambda e: e,
    "factored": sp.factor,
    "expanded": sp.expand,
    "with sums in normal form": lambda e: (
        sp.factor(sp.expand(normalise(e), power_exp=True)) if e.has(sp.Sum) else e
    ),
}


def _shifted(relation: AtMost) -> Any:
    domain = domain_of(relation)
    left, right = domain.expressions
    swap = {}
    for s, b in domain.bounds.items():
        if s.is_integer or s in domain.lengths:
            continue
        if b.low.is_finite and b.low != 0:
            swap[s] = b.low + sp.Dummy(s.name, nonnegative=True, **({"positive": True} if b.low_open else {}))
        elif b.low == 0 and not s.is_positive:
            swap[s] = sp.Dummy(s.name, nonnegative=True, **({"positive": True} if b.low_open else {}))
        elif b.high.is_finite and not b.low.is_finite:
            swap[s] = b.high - sp.Dummy(
                s.name, nonnegative=True, **({"positive": True} if b.high_open else {})
            )
        elif b.low == 0 and b.high == 1:
            u = sp.Dummy(s.name, positive=True)
            swap[s] = 1 / (1 + u) if b.high_open else s
    return (right - left).xreplace(swap) if swap else right - left


def _formed(gap: Any, name: str) -> Any | None:
    try:
        return _FORMS[name](gap)
    except (sp.PolynomialError, NotImplementedError, AttributeError):
        return None


def _holds(form: Any, strict: bool) -> bool:
    form = without_sums(form)
    return bool(form.is_positive if strict else form.is_nonnegative)


def _needs_hypotheses(relation: AtMost, effort: Effort) -> bool:
    """Whether floats see it fail inside the bounds of single symbols, which are all that is used here."""
    domain = domain_of(relation)
    if not domain.coupled and not domain.at_every:
        return False
    start = {s: sp.Integer(domain.shortest(s) + 2) for s in domain.lengths}
    names = [s for s in domain.symbols if s not in start] + domain.entries(start)
    sides = walked(names, domain.at(start)) if names else None
    if sides is None:
        return False
    rng = np.random.default_rng(effort.seed)
    with np.errstate(all="ignore"):
        left, right = sides(*[sampling.sample(domain, name, SAMPLE, rng) for name in names])
        return bool(np.any(right - left < -1e-6 * (np.abs(left) + np.abs(right))))


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Look for a form of rhs - lhs whose sign is evident."""
    if _needs_hypotheses(relation, effort):
        return GaveUp("it does not hold without the hypotheses on several symbols")
    gap = _shifted(relation)
    seen: set[Any] = {None}
    cut_short = False
    for name in _FORMS:
        try:
            with within(PART * effort.tactic_seconds):  # no form is worth the time of all others
                form = _formed(gap, name)
        except TimeLimit:
            cut_short = True
            continue
        if form not in seen and _holds(form, relation.strict):
            summary = f"rhs - lhs = {sp.sstr(form)}, {name}, has a sign by its parts"
            return Certificate({"form": name, "summary": summary})
        seen.add(form)
    return GaveUp("the sign of rhs - lhs is not evident from its parts", cut_short)


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Rewrite again, in the form named, and ask for the sign."""
    form = _formed(_shifted(relation), certificate["form"])
    return form is not None and _holds(form, relation.strict)
