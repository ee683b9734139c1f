"""Inequalities that follow from the signs of the parts: x^2 + y >= 0 for y >= 0.

SymPy's assumption system decides the sign of rhs - lhs, as it stands, factored, or expanded; one-symbol
hypotheses (x >= 1, x < 1) become sign assumptions through x = 1 + u or x = 1 - u with u >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.identities import normalise, without_sums
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.proving.refutation import domain_of
from dpverify.relations import AtMost

HANDLES = (AtMost,)

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


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Look for a form of rhs - lhs whose sign is evident."""
    gap = _shifted(relation)
    seen: set[Any] = {None}
    for name in _FORMS:
        form = _formed(gap, name)
        if form not in seen and _holds(form, relation.strict):
            summary = f"rhs - lhs = {sp.sstr(form)}, {name}, has a sign by its parts"
            return Certificate({"form": name, "summary": summary})
        seen.add(form)
    return GaveUp("the sign of rhs - lhs is not evident from its parts")


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Rewrite again, in the form named, and ask for the sign."""
    form = _formed(_shifted(relation), certificate["form"])
    return form is not None and _holds(form, relation.strict)
