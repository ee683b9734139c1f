"""Linear comparisons of whole numbers, by Z3: no whole counterexample exists.

A product or power such as u N or 2^b is an unknown of its own, whole where it is known to be; parts that are
not whole are real unknowns. Only the hypotheses that are then linear with rational coefficients are told to
the solver. Both prove more than was asked. The certificate is the SMT-LIB text; its checker translates again,
compares, and solves again.
"""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.domain import domain_of
from dpverify.proving.reduction import Certificate, GaveUp, Outcome
from dpverify.proving.solvers import ask_z3
from dpverify.relations import AtMost

HANDLES = (AtMost,)
OPERATORS = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "="}


def _linear(e: Any) -> dict[Any, Any] | None:
    """The expression times its common denominator, as whole coefficients of its products; None if it has
    others.
    """
    terms = sp.expand(e).as_coefficients_dict()
    if not all(c.is_Rational and (m is sp.S.One or m.is_real) for m, c in terms.items()):
        return None
    common = math.lcm(*(int(c.q) for c in terms.values()))
    return {m: int(c * common) for m, c in terms.items()}


def _text(relation: AtMost) -> str | None:
    """The hypotheses and the negated conclusion in SMT-LIB; None if it is not a linear comparison."""
    domain = domain_of(relation)
    left, right = domain.expressions
    if domain.lengths or (goal := _linear(right - left)) is None:
        return None
    known = [
        (OPERATORS[type(condition)], terms)
        for condition in domain.coupled
        if type(condition) in OPERATORS and (terms := _linear(condition.lhs - condition.rhs)) is not None
    ]
    ends = [
        (op, {s: 1, sp.S.One: -int(end)})
        for s in domain.symbols
        for end, op in ((domain.bounds[s].low, ">="), (domain.bounds[s].high, "<="))
        if end.is_Integer
    ]
    rows = [*ends, *known, ("<=" if relation.strict else "<", goal)]
    products = {m for _, row in rows for m in row} - {sp.S.One}
    unknowns = sorted(products, key=sp.default_sort_key)
    if not any(m.is_integer for m in unknowns):
        return None
    names = {m: f"n{i}" for i, m in enumerate(unknowns)}
    lines = [f"(declare-fun {name} () {'Int' if m.is_integer else 'Real'})" for m, name in names.items()]

    def part(m: Any, c: int, real: bool) -> str:
        number = f"(to_real {_number(c)})" if real else _number(c)
        if m is sp.S.One:
            return number
        return f"(* {number} {f'(to_real {names[m]})' if real and m.is_integer else names[m]})"

    for m, name in names.items():
        if m.is_nonnegative:
            lines.append(f"(assert (>= {name} {'0' if m.is_integer else '0.0'}))")
    for op, row in rows:
        real = not all(m.is_integer for m in row)  # a comparison of whole numbers stays one
        zero = "(to_real 0)" if real else "0"
        parts = [part(m, row[m], real) for m in sorted(row, key=sp.default_sort_key)]
        lines.append(f"(assert ({op} (+ {zero} {' '.join(parts)}) {zero}))")
    return "\n".join(lines)


def _number(c: Any) -> str:
    return str(int(c)) if c >= 0 else f"(- {-int(c)})"


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Ask whether a whole counterexample can exist."""
    text = _text(relation)
    if text is None:
        return GaveUp("not a linear comparison of whole numbers")
    work = 1_000 * effort.solver_work
    if not ask_z3(text, "default", work).unsatisfiable:
        return GaveUp("a solver did not exclude a whole counterexample")
    summary = "no counterexample in whole numbers can exist"
    return Certificate({"smt2": text, "work": work, "summary": summary})


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Translate again, compare the text, and solve it again."""
    text = certificate["smt2"]
    return _text(relation) == text and ask_z3(text, "default", certificate["work"]).unsatisfiable
