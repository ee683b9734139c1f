"""Linear comparisons of whole numbers, by Z3: no whole counterexample exists.

Only the hypotheses that are linear with rational coefficients are told to the solver; the others are left
out, which proves more. The certificate is the SMT-LIB text; its checker translates again, compares, and
solves again.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.reduction import Certificate, GaveUp, Outcome, engine
from dpverify.proving.refutation import domain_of
from dpverify.relations import AtMost

HANDLES = (AtMost,)


def _linear(e: Any, symbols: list[sp.Symbol]) -> sp.Poly | None:
    """The expression times its common denominator, if it is linear with rational coefficients."""
    if e.free_symbols - set(symbols) or not e.is_polynomial(*symbols):
        return None
    polynomial = sp.Poly(sp.expand(e), *symbols)
    if polynomial.total_degree() > 1 or not all(c.is_Rational for c in polynomial.coeffs()):
        return None
    return polynomial.clear_denoms()[1]


def _text(relation: AtMost) -> str | None:
    """The hypotheses and the negated conclusion in SMT-LIB; None if it is not a linear comparison."""
    domain = domain_of(relation)
    symbols = [s for s in domain.symbols if s.is_integer]
    left, right = domain.expressions
    if not symbols or domain.lengths or (goal := _linear(right - left, symbols)) is None:
        return None
    names = {s: f"n{i}" for i, s in enumerate(symbols)}
    lines = [f"(declare-fun {names[s]} () Int)" for s in symbols]

    def term(polynomial: sp.Poly) -> str:
        parts = [
            f"(* {_number(c)} {names[symbols[powers.index(1)]]})" if any(powers) else _number(c)
            for powers, c in polynomial.terms()
        ]
        return f"(+ 0 {' '.join(parts)})"

    def say(op: str, polynomial: sp.Poly) -> None:
        lines.append(f"(assert ({op} {term(polynomial)} 0))")

    for s in symbols:
        bounds = domain.bounds[s]
        for end, op in ((bounds.low, ">="), (bounds.high, "<=")):
            if end.is_Integer:
                lines.append(f"(assert ({op} {names[s]} {_number(end)}))")
    for condition in domain.coupled:
        ops = {sp.Le: "<=", sp.Lt: "<", sp.Ge: ">=", sp.Gt: ">", sp.Eq: "="}
        sign = ops.get(type(condition))
        if sign and (known := _linear(condition.lhs - condition.rhs, symbols)) is not None:
            say(sign, known)
    say("<=" if relation.strict else "<", goal)
    return "\n".join(lines)


def _number(c: Any) -> str:
    return str(int(c)) if c >= 0 else f"(- {-int(c)})"


def _unsatisfiable(text: str, milliseconds: int) -> bool:
    z3 = engine("z3", "smt")
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.add(z3.parse_smt2_string(text))
    return bool(solver.check() == z3.unsat)


def attempt(relation: AtMost, effort: Effort) -> Outcome:
    """Ask whether a whole counterexample can exist."""
    text = _text(relation)
    if text is None:
        return GaveUp("not a linear comparison of whole numbers")
    if not _unsatisfiable(text, effort.solver_ms):
        return GaveUp("a solver did not exclude a whole counterexample")
    summary = "no counterexample in whole numbers can exist"
    return Certificate({"smt2": text, "ms": 4 * effort.solver_ms, "summary": summary})


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Translate again, compare the text, and solve it again."""
    return _text(relation) == certificate["smt2"] and _unsatisfiable(certificate["smt2"], certificate["ms"])
