"""What is decided without a tactic: one case of a statement, a run, and what is no statement at all."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.definedness import Prove
from dpverify.relations import Instance, Tested
from dpverify.theorems import step_of
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step
from dpverify.witnesses import verify_witness


def no_statement(statement: Any) -> str | None:
    """Why something that is no statement is none, and what would be one.

    >>> no_statement(sp.Symbol("x") <= 1)
    'x <= 1 is a hypothesis; a conclusion is AtMost(x, 1)'
    """
    if isinstance(statement, sp.Eq):
        return f"{statement} is a hypothesis; a conclusion is Equal({statement.lhs}, {statement.rhs})"
    if isinstance(statement, sp.Le | sp.Lt | sp.Ge | sp.Gt):
        return f"{statement} is a hypothesis; a conclusion is AtMost({statement.lts}, {statement.gts})"
    if isinstance(statement, list | tuple):
        return "several conclusions at once are AllOf(first, second, ...)"
    if isinstance(statement, bool | sp.logic.boolalg.Boolean):
        return f"{statement} is what became of a comparison; a conclusion is AtMost(a, b) or Equal(a, b)"
    if not is_dataclass(statement):
        kind = type(statement).__name__
        return f"a claim returns a statement, such as AtMost(a, b) or Theorem(shows=...), and not {kind}"
    return None


def decide_instance(case: Instance, effort: Effort, prove: Prove) -> Result:
    """The verdict on one case of a statement, which meets its hypotheses: refuted there, or supported.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving import prove
    >>> from dpverify.relations import AtMost
    >>> decide_instance(Instance(AtMost(1, 2), let={"n": "1"}), QUICK, prove).because
    'it holds at n = 1'
    """
    where = ", ".join(f"{k} = {v}" for k, v in case.let.items())
    met = _steps(
        [(hypothesis, "hypothesis of the statement, at this case") for hypothesis in case.meets],
        effort,
        prove,
    )
    for step in met:
        if step.result.verdict is not PROVED:
            return Result(
                UNDECIDED,
                f"the case {where} is not known to meet the hypothesis {step.statement} "
                f"({step.result.verdict})",
                steps=met,
                cut_short=step.result.cut_short,
            )
    result = prove(case.relation, effort)
    steps = (*met, step_of(case.relation, "what the statement says of this case", result))
    if result.verdict is REFUTED:
        assert result.witness is not None
        w = result.witness
        witness = replace(w, let=case.let | w.let)
        if case.because:
            witness = replace(witness, because=case.because, computed=False)
        assert result.evidence is not None
        evidence = replace(result.evidence, certificate=result.evidence.certificate | {"at": where})
        return Result(REFUTED, f"it fails at {where}", evidence, witness, steps)
    if result.verdict in (PROVED, SUPPORTED):
        evidence = Evidence(
            "instance",
            {"at": where},
            ceiling="one case of the statement; it could have failed there and did not",
        )
        return Result(SUPPORTED, f"it holds at {where}", evidence, steps=steps, cut_short=result.cut_short)
    return Result(UNDECIDED, f"at {where}: {result.because}", steps=steps, cut_short=result.cut_short)


def _steps(steps: Any, effort: Effort, prove: Prove) -> tuple[Step, ...]:
    return tuple(step_of(relation, reason, prove(relation, effort)) for relation, reason in steps)


def decide_test(test: Tested, effort: Effort) -> Result:
    """The verdict of a run, which is never PROVED; a witness counts only if it is verified.

    >>> from dpverify.effort import QUICK
    >>> decide_test(Tested("it ran", lambda effort: Result(UNDECIDED, "too few runs")), QUICK).because
    'too few runs'
    """
    result = test.run(effort)
    if not isinstance(result, Result):
        raise TypeError(f"Expected a Result from the run of {test.statement!r}, got {type(result).__name__}.")
    if result.verdict is PROVED:
        raise ValueError(
            f"Expected a run to end in SUPPORTED, REFUTED or UNDECIDED, got PROVED from {test.statement!r}."
        )
    if (
        result.verdict is REFUTED
        and result.witness
        and result.witness.exact
        and not verify_witness(result.witness.exact)
    ):
        return Result(UNDECIDED, f"a witness was found but not verified: {result.because}")
    return result
