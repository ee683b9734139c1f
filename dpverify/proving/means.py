"""Means, powers and logarithms.

weighted means   prod z_i^w_i <= sum w_i z_i for z_i > 0, w_i >= 0, sum w_i = 1
logarithms       0 < a and log a <= log b give a <= b; log z <= z - 1 is at hand for every logarithm that
arises
products         c_1 log z_1 + ... >= 0 if prod z_i^c_i >= 1, for z_i > 0 and rational c_i
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.relations import AtMost, Equal

HANDLES = (AtMost,)


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """The two reductions, where they apply."""
    left, right = sp.sympify(relation.lhs), sp.sympify(relation.rhs)
    powers = [p.as_base_exp() for e in (left, right) for p in e.atoms(sp.Pow, sp.exp)]
    if not (left - right).has(sp.log) and not any(b == sp.E or e.free_symbols for b, e in powers):
        return GaveUp("there is no logarithm and no power with a symbolic exponent in it")
    return Ways(_reductions(relation, left, right))


def _reductions(relation: AtMost, left: Any, right: Any) -> Iterator[Reduction]:
    given = tuple(relation.given)
    if not relation.strict and (weighted := _weighted(left, right)) is not None:
        weights, values = weighted
        steps: list[tuple[Any, str]] = [(Equal(sum(weights), 1, given), "the weights add up to 1")]
        steps += [(AtMost(0, w, given), "a weight") for w in weights]
        steps += [(AtMost(0, z, given, strict=True), "a value") for z in values]
        product = _product(values, weights)
        steps.append((Equal(left, product, given), "the product of the values to their weights"))
        yield Reduction(tuple(steps), "the inequality of weighted means")
    if (parts := _logarithms(right - left)) is not None:
        yield _without_logarithms(relation, parts)
    if all(_one_product(e) and not _never_positive(e) for e in (left, right)):
        yield _by_logarithms(relation, left, right)


def _one_product(e: Any) -> bool:
    return not isinstance(e, sp.Add) or not e.free_symbols


def _never_positive(e: Any) -> bool:
    """Whether no logarithm of it, or of a factor, is real."""
    logs = sp.expand_log(sp.log(e), force=True).atoms(sp.log)
    return any(log.is_extended_real is False for log in logs)


def _weighted(left: Any, right: Any) -> tuple[list[Any], list[Any]] | None:
    """Weights and values with right = sum of weight times value, the weights free of the bases in `left`."""
    bases = {p.as_base_exp()[0] for p in sp.Mul.make_args(left)}
    plain = all(isinstance(b, sp.Symbol | sp.Indexed) and b.is_positive for b in bases)
    if not plain or not isinstance(right, sp.Add):
        return None
    weights, values = [], []
    for term in right.args:
        weight: list[Any] = []
        value: list[Any] = []
        for factor in sp.Mul.make_args(term):
            (value if factor.has(*bases) else weight).append(factor)
        weights.append(sp.Mul(*weight))
        values.append(sp.Mul(*value))
        if not all(factor.as_base_exp()[0] in bases for factor in value):
            return None
    return weights, values


def _product(values: list[Any], weights: list[Any]) -> Any:
    """prod z^w with the exponents multiplied out: the bases are positive, so that (y^a)^w = y^(a w)."""
    exponents: dict[Any, Any] = {}
    for z, w in zip(values, weights):
        for factor in sp.Mul.make_args(z):
            base, exponent = factor.as_base_exp()
            exponents[base] = exponents.get(base, 0) + exponent * w
    return sp.Mul(*[base ** sp.simplify(exponent) for base, exponent in exponents.items()])


def _logarithms(e: Any) -> list[tuple[Any, Any]] | None:
    """(c, z) with e = sum c log z and rational c, if e is of that form."""
    parts = []
    for term in sp.Add.make_args(sp.expand(e)):
        c, rest = term.as_coeff_Mul()
        if not isinstance(rest, sp.log) or not c.is_Rational:
            return None
        parts.append((c, rest.args[0]))
    return parts


def _without_logarithms(relation: AtMost, parts: list[tuple[Any, Any]]) -> Reduction:
    given = tuple(relation.given)
    steps: list[tuple[Any, str]] = [(AtMost(0, z, given, strict=True), "a logarithm is of") for _, z in parts]
    above = sp.Mul(*[z**c for c, z in parts if c > 0])
    below = sp.Mul(*[z**-c for c, z in parts if c < 0])
    steps.append((AtMost(below, above, given, strict=relation.strict), "without logarithms"))
    return Reduction(tuple(steps), "a sum of logarithms is the logarithm of the product")


def _by_logarithms(relation: AtMost, left: Any, right: Any) -> Reduction:
    given = tuple(relation.given)
    low, high = (sp.expand_log(sp.log(e), force=True) for e in (left, right))
    tangents = [AtMost(z, z.args[0] - 1, given) for z in sorted(low.atoms(sp.log), key=sp.default_sort_key)]
    known = tuple(sp.Le(t.lhs, t.rhs) for t in tangents if not t.lhs.is_number)
    steps: list[tuple[Any, str]] = [
        (AtMost(0, e, given, strict=True), "both sides are positive") for e in (left, right)
    ]
    steps += [
        (Equal(sp.log(e), log, given), "the logarithm, spelt out") for e, log in ((left, low), (right, high))
    ]
    steps += [(tangent, "the tangent of the logarithm") for tangent in tangents if not tangent.lhs.is_number]
    known = tuple(c for c in known if c not in (sp.true, sp.false))
    steps.append((AtMost(low, high, (*given, *known), strict=relation.strict), "in logarithms"))
    return Reduction(tuple(steps), "the logarithm is increasing")
