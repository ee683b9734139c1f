"""An attempt of one tactic at a relation: its certificate is checked and replayed, its reductions are closed
step by step, and a proof that was found before is accepted again.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from dpverify.effort import Effort
from dpverify.proving import kept, realisations, sampling
from dpverify.proving.counterexamples import refuted_by
from dpverify.proving.domain import domain_of
from dpverify.proving.limits import StillOpen, limited
from dpverify.proving.reduction import (
    Certificate,
    Counterpoint,
    GaveUp,
    Outcome,
    Reduction,
    Scanned,
    Ways,
    reductions,
)
from dpverify.proving.refutation import witness_at
from dpverify.proving.replays import replayed
from dpverify.proving.tactics import DEEPEST, GRAM, MALFORMED, TACTICS, tactic_named
from dpverify.proving.vector_statements import mentions
from dpverify.proving.violations import violated
from dpverify.relations import AtMost, Equal
from dpverify.theorems import step_of
from dpverify.verdicts import PROVED, Evidence, Result

SURE = 3  # points at which floats leave no doubt, and that are looked at exactly all the same
# Decides a step of a reduction, which passes the gate like a statement if it is as its author wrote it.
Decide = Callable[[Any, Effort, bool], Result]


def attempt(tactic: Any, name: str, relation: Any, effort: Effort, decide: Decide) -> Result | StillOpen:
    """What became of a relation in the hands of one tactic; a certificate counts once it was checked.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> x = sp.Symbol("x", positive=True)
    >>> decide = lambda relation, effort, as_written: Result(UNDECIDED, "no step is needed")
    >>> attempt(tactic_named("signs"), "signs", AtMost(0, x), QUICK, decide).verdict
    <Verdict.PROVED: 'PROVED'>
    """

    def work() -> Outcome | StillOpen:
        answer: Outcome = tactic.attempt(relation, effort)
        refused = (
            _refusal(tactic, relation, answer.content, effort) if isinstance(answer, Certificate) else None
        )
        return refused or answer

    outcome = limited(work, effort.tactic_seconds)
    match outcome:
        case StillOpen():
            return outcome
        case GaveUp(why, cut_short):
            return StillOpen(why, cut_short)
        case Scanned(result):
            if result.verdict is PROVED:
                raise ValueError(f"Expected a scan by {name} to end in less than PROVED.")
            return result
        case Counterpoint(point):
            witness = witness_at(relation, point)
            if witness is None:
                return StillOpen(f"a solver's counterexample {point} was not confirmed")
            return refuted_by(relation, witness)
        case Ways(ways):
            if reductions.get() >= DEEPEST:
                return StillOpen(f"more than {DEEPEST} reductions would lie in one another")
            return _reduced(iter(ways), relation, name, effort, decide)
        case Certificate(content):
            return _certified(relation, name, content)


def proved_again(known: kept.Suggestion, relation: Any, effort: Effort, decide: Decide) -> Result | StillOpen:
    """A proof that was found before, if the checker accepts it now."""
    if known.tactic not in (*TACTICS, GRAM):
        return StillOpen(f"there is no tactic {known.tactic}")
    name, content = known.tactic, dict(known.certificate)
    tactic = tactic_named(name)
    if not isinstance(relation, tactic.HANDLES):
        return StillOpen(f"{name} is not for it")
    try:
        if "reduction" in content:
            ways = _ways_again(tactic, relation, content, effort)
            return _reduced(
                (way for way in ways if _record_of(way) == content), relation, name, effort, decide
            )
        refused = limited(lambda: _refusal(tactic, relation, content, effort), effort.tactic_seconds)
    except MALFORMED as error:
        return StillOpen(f"it is not of its form ({error})")
    return refused or _certified(relation, name, content)


def _refusal(tactic: Any, relation: Any, content: dict[str, Any], effort: Effort) -> StillOpen | None:
    """Why a certificate is not believed, if it is not."""
    if not tactic.check(relation, content):
        return StillOpen("its certificate was not accepted by the checker")
    if isinstance(relation, Equal | AtMost) and (point := disagreement(relation, effort)):
        return StillOpen(f"a replay disagrees with the certificate at {point}")
    return None


def _ways_again(tactic: Any, relation: Any, content: dict[str, Any], effort: Effort) -> Iterable[Reduction]:
    """The reductions among which the kept one is."""
    if hasattr(tactic, "again"):
        return tactic.again(relation, content["recipe"])
    outcome = limited(lambda: tactic.attempt(relation, effort), effort.tactic_seconds)
    return outcome.reductions if isinstance(outcome, Ways) else ()


def _record_of(way: Reduction) -> dict[str, Any]:
    """A reduction as it is kept."""
    steps = [kept.key(part) for part, _ in way.steps]
    return {"reduction": way.because, "steps": steps, "recipe": way.recipe}


def _certified(relation: Any, name: str, content: dict[str, Any]) -> Result:
    """The proof of a relation by a certificate that was accepted."""
    kept.note(relation, name, content)
    return Result(PROVED, f"{name}: {content['summary']}", Evidence(name, content))


def disagreement(relation: Equal | AtMost, effort: Effort) -> str | None:
    """A random admissible rational point at which the relation fails to 50 digits, if there is one.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> disagreement(AtMost(sp.Symbol("x", positive=True), -1), QUICK) is None
    False
    """
    if mentions(relation):
        witness = realisations.refute(relation, effort, hard=False, seed=effort.seed + 1)
        return str(witness.let) if witness else None
    domain = domain_of(relation)
    sure = SURE if isinstance(relation, AtMost) else None
    for point in sampling.points(domain, effort.replays, np.random.default_rng(effort.seed + 1), sure=sure):
        if violated(relation, domain, point):
            return str({str(k): str(v) for k, v in point.items()})
    return None


def _reduced(
    ways: Iterator[Reduction], relation: Any, name: str, effort: Effort, decide: Decide
) -> Result | StillOpen:
    """The first of several reductions that closes; each is left at its first step that is not proved, and the
    next is found only then.
    """
    outcomes: list[str] = []
    cut_short = False
    while True:
        reduction = limited(lambda: next(ways, None), effort.tactic_seconds)
        if reduction is None:
            break
        if isinstance(reduction, StillOpen):
            outcomes.append(reduction.why)
            cut_short |= reduction.cut_short
            break
        outcome = _closed(reduction, name, effort, decide)
        if isinstance(outcome, Result):
            kept.note(relation, name, _record_of(reduction))
            return outcome
        outcomes.append(outcome.why)
        cut_short |= outcome.cut_short
    return StillOpen("; or ".join(outcomes) or "it does not apply", cut_short)


def _closed(reduction: Reduction, name: str, effort: Effort, decide: Decide) -> Result | StillOpen:
    steps = []
    for relation, reason in reduction.steps:
        result = decide(relation, effort, reduction.as_written)
        step = step_of(relation, reason, result)
        if step.result.verdict is not PROVED:
            return StillOpen(
                f"{reduction.because}, but {step.statement} is {step.result.verdict} "
                f"({textwrap.shorten(step.result.because, 160)})",
                step.result.cut_short,
            )
        steps.append(step)
    agreed, against = replayed(reduction.replays, effort.seed)
    if against:
        return StillOpen(f"{reduction.because}, but numbers disagree about {against}")
    choices: dict[str, str] = dict(reduction.shown)
    for step in steps:
        choices.update(step.result.evidence.certificate.get("shown", {}) if step.result.evidence else {})
    because = ", ".join([reduction.because, *[f"{what} {value}" for what, value in choices.items()]])
    content: dict[str, Any] = {"reduction": reduction.because} | ({"shown": choices} if choices else {})
    content |= {"replayed": agreed} if reduction.replays else {}
    return Result(PROVED, f"{name}: {because}", Evidence(name, content), steps=tuple(steps))
