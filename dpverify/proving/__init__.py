"""Provers: one tactic per file; the search may be clever, the check is dumb.

A tactic module has
    HANDLES                     the relation types it is for
    attempt(relation, effort)   a certificate (a JSON-able dict), a `Reduction` to simpler relations (or a
    list or an iterator of
                                them, to try in turn), a `Counterpoint`, a `Result` of a scan (never PROVED),
                                or a string: why it gave up
    check(relation, cert)       the dumb checker of a certificate (a tactic that only reduces has none)
    consequences(relation)      optional: plain comparisons that must hold if the relation does (refuting one
    refutes it)
    refute(relation, effort)    optional: a witness of the tactic's own kind, which its `verify(exact)`
    accepts from JSON alone
PROVED needs a certificate that its checker accepts, and a replay that agrees: of a comparison at random
admissible points, of
any other relation at its consequences, which are searched for a witness before a proof is believed.
"""

from __future__ import annotations

import importlib
import textwrap
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpverify.effort import QUICK, Effort
from dpverify.optional import Missing
from dpverify.proving import realisations
from dpverify.proving.gram import beyond, mentions
from dpverify.proving.judges import confirm, judges_of
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.reduction import Counterpoint, Reduction, depth
from dpverify.proving.refutation import admissible, domain_of, refute, violated, witness_at
from dpverify.relations import AtMost, Derivation, Equal, Instance, Quoted, Tested
from dpverify.theorems import AllOf, ForSome, Theorem, formal, latex
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step, Witness
from dpverify.witnesses import verify_witness

TACTICS = (
    "identities",
    "signs",
    "linear",
    "polynomials",
    "squares",
    "balls",
    "derivatives",
    "optimality",
    "induction",
    "shape",
    "matrices",
    "asymptotics",
    "mechanisms",
)


def prove(relation: Any, effort: Effort = QUICK) -> Result:
    """Decide a relation: PROVED with a certificate, REFUTED with a verified witness, SUPPORTED by a scan, or
    UNDECIDED.

    >>> import sympy as sp
    >>> x = sp.Symbol("x", positive=True)
    >>> prove(AtMost(2 * x, x**2 + 1)).verdict
    <Verdict.PROVED: 'PROVED'>
    """
    start = time.perf_counter()
    result = _decide(relation, effort)
    taken = time.perf_counter() - start
    if depth.get():
        return result.with_(seconds=taken)
    judged = judges_of(result) if result.verdict is PROVED else ()
    return result.with_(seconds=taken, latex=latex(relation), formal=formal(relation), judges=judged)


def _decide(relation: Any, effort: Effort) -> Result:
    if isinstance(relation, Theorem | AllOf | ForSome):
        from dpverify.proving import theorem

        return theorem.decide(relation if isinstance(relation, Theorem) else Theorem(relation), effort)
    if isinstance(relation, Derivation):
        return _derivation(relation.steps, effort)
    if isinstance(relation, Instance):
        return _instance(relation, effort)
    if isinstance(relation, Tested):
        return _tested(relation, effort)
    if isinstance(relation, Quoted):
        return Result(UNDECIDED, relation.why)
    if beyond(relation):
        return Result(
            UNDECIDED, "not modelled: vectors and functions stand only in comparisons (AtMost, Equal)"
        )
    plain = isinstance(relation, Equal | AtMost)
    if plain and (disproof := refutation_of(relation, effort)) is not None:
        return disproof
    tried: list[str] = []
    first = tuple(getattr(relation, "by", ()))
    tactics = ("gram",) if mentions(relation) else (*first, *(n for n in TACTICS if n not in first))
    for name in tactics:
        tactic = importlib.import_module(f"dpverify.proving.{name}")
        if not isinstance(relation, tactic.HANDLES):
            continue
        if (refuted := _broken(tactic, relation, effort, hard=False)) is not None:
            return refuted
        outcome = _attempt(tactic, name, relation, effort)
        if isinstance(outcome, Result):
            return outcome
        tried.append(f"{name}: {outcome}")
        if (refuted := _broken(tactic, relation, effort, hard=True)) is not None:
            return refuted
    if plain and not depth.get():  # inside a reduction only a proof counts
        return _scanned(relation, effort, tried)
    return Result(UNDECIDED, f"no tactic closed it ({'; '.join(tried) or 'none handles it'})")


def refutation_of(relation: Equal | AtMost, effort: Effort, hard: bool = False) -> Result | None:
    """The refutation of a comparison by a verified point, if the search finds one; a hard search goes uphill
    too.

    >>> import sympy as sp
    >>> refutation_of(AtMost(sp.Symbol("x", real=True), 3), QUICK).verdict
    <Verdict.REFUTED: 'REFUTED'>
    """
    witness = refute(relation, effort, hard=hard)
    return _refuted(relation, witness) if witness else None


def _broken(tactic: Any, relation: Any, effort: Effort, hard: bool) -> Result | None:
    """The refutation of a consequence of the relation, or by the tactic's own kind of witness, if one is
    found.
    """
    for consequence in getattr(tactic, "consequences", lambda r: ())(relation):
        if witness := refute(consequence, effort, hard):
            return _refuted(relation, witness, f"it would follow that {consequence}")
    if hard and hasattr(tactic, "refute"):
        try:
            witness = tactic.refute(relation, effort)
        except Missing:
            return None
        return _refuted(relation, witness) if witness else None
    return None


def _attempt(tactic: Any, name: str, relation: Any, effort: Effort) -> Result | str:
    try:
        with within(effort.tactic_seconds):
            found = tactic.attempt(relation, effort)
    except (Missing, TimeLimit) as stopped:
        return str(stopped)
    if isinstance(found, Reduction | list | Iterator):
        return _reduced(iter([found] if isinstance(found, Reduction) else found), name, effort)
    if isinstance(found, Counterpoint):
        witness = witness_at(relation, found.point)
        return (
            _refuted(relation, witness)
            if witness
            else f"a solver's counterexample {found.point} was not confirmed"
        )
    if isinstance(found, str) or (isinstance(found, Result) and found.verdict is not PROVED):
        return found
    if not tactic.check(relation, found):
        return "its certificate was not accepted by the checker"
    if isinstance(relation, Equal | AtMost) and (point := _disagreement(relation, effort)):
        return f"a replay disagrees with the certificate at {point}"
    method = str(found.get("method", name))
    return Result(
        PROVED,
        f"{method}: {found['summary']}" if "summary" in found else method,
        Evidence(name, found),
        judges=confirm(name, found, effort.solver_ms),
    )


def _disagreement(relation: Equal | AtMost, effort: Effort) -> str | None:
    """A random admissible rational point at which the relation fails to 50 digits, if there is one."""
    if mentions(relation):
        witness = realisations.refute(relation, effort, hard=False, seed=effort.seed + 1)
        return str(witness.let) if witness else None
    domain = domain_of(relation)
    for point in domain.points(effort.replays, np.random.default_rng(effort.seed + 1)):
        if violated(relation, domain, point):
            return str({str(k): str(v) for k, v in point.items()})
    return None


def _reduced(reductions: Iterator[Reduction], name: str, effort: Effort) -> Result | str:
    """The first of several reductions that closes; each is left at its first step that is not proved, and the
    next is found only then.
    """
    outcomes: list[str] = []
    while True:
        try:
            with within(effort.tactic_seconds):
                reduction = next(reductions, None)
        except (Missing, TimeLimit) as stopped:
            outcomes.append(str(stopped))
            break
        if reduction is None:
            break
        token = depth.set(depth.get() + 1)
        try:
            outcome = _closed(reduction, name, effort)
        finally:
            depth.reset(token)
        if isinstance(outcome, Result):
            return outcome
        outcomes.append(outcome)
    return "; or ".join(outcomes) or "it does not apply"


def _closed(reduction: Reduction, name: str, effort: Effort) -> Result | str:
    steps = []
    for relation, reason in reduction.steps:
        step = Step(str(relation), reason, prove(relation, effort))
        if step.result.verdict is not PROVED:
            return (
                f"{reduction.because}, but {step.statement} is {step.result.verdict} "
                f"({textwrap.shorten(step.result.because, 160)})"
            )
        steps.append(step)
    return Result(
        PROVED,
        f"{name}: {reduction.because}",
        Evidence(name, {"reduction": reduction.because}),
        steps=tuple(steps),
    )


def _steps(steps: Any, effort: Effort) -> tuple[Step, ...]:
    return tuple(Step(str(relation), reason, prove(relation, effort)) for relation, reason in steps)


def _derivation(steps: Any, effort: Effort) -> Result:
    if not steps:
        return Result(UNDECIDED, "the derivation has no steps")
    done = _steps(steps, effort)
    weakest = min(done, key=lambda step: step.result.verdict.strength)
    verdict, at = weakest.result.verdict, 1 + done.index(weakest)
    if verdict is PROVED:
        return Result(
            PROVED,
            f"{len(done)} step{'s' if len(done) > 1 else ''}, each proved",
            Evidence("derivation", {"steps": len(done)}),
            steps=done,
        )
    because = f"step {at} of {len(done)} ({weakest.reason}) is {verdict}: {weakest.result.because}"
    return Result(verdict, because, weakest.result.evidence, weakest.result.witness, steps=done)


def _instance(case: Instance, effort: Effort) -> Result:
    where = ", ".join(f"{k} = {v}" for k, v in case.let.items())
    met = _steps(
        [(hypothesis, "hypothesis of the statement, at this case") for hypothesis in case.meets], effort
    )
    for step in met:
        if step.result.verdict is not PROVED:
            return Result(
                UNDECIDED,
                f"the case {where} is not known to meet the hypothesis {step.statement} "
                f"({step.result.verdict})",
                steps=met,
            )
    result = prove(case.relation, effort)
    steps = (*met, Step(str(case.relation), "what the statement says of this case", result))
    if result.verdict is REFUTED:
        assert result.witness is not None
        w = result.witness
        witness = Witness(case.let | w.let, w.then, w.contradicts, w.exact, case.because or w.because)
        return Result(REFUTED, f"it fails at {where}", result.evidence, witness, steps)
    if result.verdict in (PROVED, SUPPORTED):
        evidence = Evidence(
            "instance",
            {"at": where},
            ceiling="one case of the statement; it could have failed there and did not",
        )
        return Result(SUPPORTED, f"it holds at {where}", evidence, steps=steps)
    return Result(UNDECIDED, f"at {where}: {result.because}", steps=steps)


def _tested(test: Tested, effort: Effort) -> Result:
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


def _refuted(relation: Any, witness: Witness, via: str = "") -> Result:
    if not verify_witness(witness.exact):
        return Result(UNDECIDED, f"a witness was found but not verified from its record: {witness.let}")
    at = ", ".join(f"{k} = {v}" if "=" not in k else k for k, v in witness.let.items())
    return Result(
        REFUTED,
        f"{via + ', which ' if via else ''}fails at {at}",
        Evidence("refutation", {"verified": "exact"}),
        witness,
    )


def _scanned(relation: Equal | AtMost, effort: Effort, tried: list[str]) -> Result:
    if witness := refute(relation, effort, hard=True):
        return _refuted(relation, witness)
    count = admissible(relation, effort)
    why = "; ".join(tried) or "no tactic applies"
    if count >= 100:
        evidence = Evidence(
            "scan",
            {"tried": tried},
            samples=count,
            seed=effort.seed,
            ceiling="a violation at one of the scanned points, or uphill from the best of them, would "
            "have been found",
        )
        return Result(
            SUPPORTED, f"no violation at {count} admissible points; no proof closed it ({why})", evidence
        )
    return Result(UNDECIDED, f"no proof closed it ({why}) and only {count} admissible points were found")
