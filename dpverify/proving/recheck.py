"""Does a kept result still stand? Witnesses and certificates are checked again, a proof step by step.

No search is made for what a certificate holds. Where a tactic reduced a relation to others, it says again to
which ones, and each of these has to stand.
"""

from __future__ import annotations

from typing import Any

from dpverify.effort import QUICK, Effort
from dpverify.optional import Missing
from dpverify.proving import calculus, gate
from dpverify.proving.forms import Refused
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.proof import under
from dpverify.proving.reduction import Reduction, Ways, nested
from dpverify.proving.replays import replayed
from dpverify.proving.tactics import GRAM, MALFORMED, TACTICS, tactic_named
from dpverify.theorems import AllOf, ForSome, Theorem
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Result
from dpverify.witnesses import verify_witness

CHECKED = (*TACTICS, GRAM)


def stands(relation: Any, result: Result, effort: Effort = QUICK) -> bool:
    """Whether the checker of a kept result accepts it again: its witness if it is refuted, its certificate if
    it is proved, step by step. What has neither, a run, stands by the signature of its record.

    >>> import sympy as sp
    >>> from dpverify.proving import prove
    >>> from dpverify.relations import AtMost
    >>> x, y = sp.symbols("x y", positive=True)
    >>> kept = prove(AtMost(2 * x * y, x**2 + y**2))
    >>> stands(AtMost(2 * x * y, x**2 + y**2), kept), stands(AtMost(3 * x * y, x**2 + y**2), kept)
    (True, False)
    """
    try:
        if result.verdict is REFUTED:
            return _witness_stands(result)
        if result.verdict is PROVED:
            return _proof_stands(relation, result, effort)
        gate.elaborate(relation)
    except Refused:
        return result.verdict is UNDECIDED
    except (Missing, RecursionError, TimeLimit, *MALFORMED):
        return False
    return True


def _witness_stands(result: Result) -> bool:
    return result.witness is not None and (not result.witness.exact or verify_witness(result.witness.exact))


def _proof_stands(statement: Any, result: Result, effort: Effort) -> bool:
    method = result.evidence.method if result.evidence else ""
    if method == "calculus":
        closed = calculus.Closing(statement, effort).statement(statement)
        last = result.steps[-1]
        return last.statement == str(closed) and stands(closed, last.result, effort)
    if isinstance(statement, Theorem | AllOf | ForSome):
        from dpverify.proving.theorem import proof_stands

        theorem = statement if isinstance(statement, Theorem) else Theorem(statement)
        if method == "proof":
            return proof_stands(theorem, result, effort)
        statement = under(theorem.shows, theorem.given)  # what a tactic saw of a theorem without a proof
    return method in CHECKED and _certificate_stands(gate.elaborate(statement), result, effort)


def _certificate_stands(relation: Any, result: Result, effort: Effort) -> bool:
    assert result.evidence is not None
    tactic = tactic_named(result.evidence.method)
    if not isinstance(relation, tactic.HANDLES):
        return False
    if "reduction" not in result.evidence.certificate:
        with within(effort.tactic_seconds):
            return bool(tactic.check(relation, result.evidence.certificate))
    reduction = _found_again(tactic, relation, result, effort)
    if reduction is None or replayed(reduction.replays, effort.seed)[1]:
        return False
    with nested(reduction.as_written):
        pairs = zip(reduction.steps, result.steps, strict=True)
        return all(_step_stands(part, step.result, reduction.as_written, effort) for (part, _), step in pairs)


def _step_stands(part: Any, result: Result, as_written: bool, effort: Effort) -> bool:
    if result.verdict is not PROVED or result.evidence is None:
        return False
    if as_written or isinstance(part, Theorem | AllOf | ForSome):
        return stands(part, result, effort)
    return result.evidence.method in CHECKED and _certificate_stands(part, result, effort)


def _found_again(tactic: Any, relation: Any, result: Result, effort: Effort) -> Reduction | None:
    """The reduction that the tactic makes of the relation, to the steps that were kept."""
    assert result.evidence is not None
    shown = [step.statement for step in result.steps]
    with within(effort.tactic_seconds):
        outcome = tactic.attempt(relation, effort)
        for reduction in outcome.reductions if isinstance(outcome, Ways) else ():
            same = reduction.because == result.evidence.certificate["reduction"]
            if same and [str(part) for part, _ in reduction.steps] == shown:
                return reduction
    return None
