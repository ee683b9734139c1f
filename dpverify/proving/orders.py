"""O, Omega and Theta in any number of variables.

proved    |f| <= c g (1 + log u)^k, wherever the hypotheses hold, with c and k chosen here unless the claim
          gives them: an inequality like any other. Where f and g are sums of products of powers the constant
          comes from a linear program, otherwise from the largest ratio that a sample shows.
refuted   along a path: a curve t -> (N(t), d(t), ...) that meets every hypothesis for all whole t >= t0, on
          which the ratio leaves every bound because the rules of `convergence` give its limit and balls see
          the ratio move, or because rate(t) g <= C f with a rate that does (t^q or log(t)^q, the latter only
          if no logarithms are hidden), which is an inequality in t alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.domain import Domain
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.order_constants import constants, inequalities
from dpverify.proving.order_paths import closed, paths, records, starts
from dpverify.proving.order_witnesses import verify, witness_of
from dpverify.proving.reduction import Outcome, Reduction, Ways
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost, BigO, Omega, Order
from dpverify.verdicts import Witness

HANDLES = (Order,)
STARTS = (2, 3, 10, 100, 1000)
SECONDS = 2.0  # of processor time for one record


def attempt(order: Order, effort: Effort) -> Outcome:
    """Both sides one after the other, or one side with constants."""
    if order.kind == "Theta":
        rest = {"given": order.given, "hiding": order.hiding, "of": order.of}
        halves = (
            (Omega(order.expression, order.scale, constant=order.lower, **rest), "the lower side"),
            (BigO(order.expression, order.scale, constant=order.upper, **rest), "the upper side"),
        )
        return Ways([Reduction(halves, "both sides")])
    return Ways(_ways(order, effort))


def consequences(order: Order) -> Iterator[AtMost]:
    """With constants and nothing hidden: the inequalities themselves. Without, Omega of something positive
    is positive.
    """
    for side in order.sides:
        constant = getattr(order, side)
        if constant is not None and not order.hiding:
            yield from inequalities(order, side, constant, ())
        elif side == "lower":
            where = sp.Gt(order.scale, 0)
            given = order.given if where is sp.true else (*order.given, where)
            yield AtMost(0, order.expression, given, strict=True)


def _ways(order: Order, effort: Effort) -> Iterator[Reduction]:
    (side,) = order.sides
    terms = [(AtMost(0, order.scale, order.given), "the scale is not negative")]
    terms += [(AtMost(1, u, order.given), "a hidden logarithm is not negative") for u in order.hiding]
    for constant, powers in constants(order, side, effort):
        shown = {f"{side} constant": sp.sstr(constant)}
        if order.hiding:
            shown |= {f"power of 1 + log({sp.sstr(u)})": str(k) for u, k in zip(order.hiding, powers)}
        bounds = inequalities(order, side, constant, powers)
        reasons = ("with this constant", "the same for its negative")
        yield Reduction((*terms, *zip(bounds, reasons)), f"{order.kind} with constants", shown=shown)


def refute(order: Order, effort: Effort) -> Witness | None:
    """A path on which no constant serves."""
    for side in order.sides:
        half = (BigO if side == "upper" else Omega)(
            order.expression, order.scale, order.given, None, order.hiding, order.of
        )
        if getattr(order, side) is None and (witness := _refute_side(half, side)) is not None:
            return witness
    return None


def _refute_side(order: Order, side: str) -> Witness | None:
    parts = [closed(e) for e in (order.expression, order.scale, *order.hiding)]
    domain = Domain(parts, order.given)
    if domain.lengths or any(e.atoms(sp.Indexed, sp.Sum, sp.Product) for e in domain.expressions):
        return None
    t = fresh("t", [order.expression, order.scale, *order.given], integer=True, positive=True)
    for path in paths(order, domain, t):
        start = next((start for start in STARTS if starts(domain, path, t, start)), None)
        for exact in records(order, side, path, t, start) if start is not None else ():
            if _verified(exact):
                return witness_of(order, side, path, exact, t)
    return None


def _verified(exact: dict[str, Any]) -> bool:
    """Whether a record stands, if that is seen soon: another one may be simpler."""
    try:
        with within(SECONDS):
            return verify(exact)
    except TimeLimit:
        return False
