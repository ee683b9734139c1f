"""Provers: one tactic per file; the search may be clever, the check is dumb.

A tactic module has
    HANDLES                     the relation types it is for
    attempt(relation, effort)   an `Outcome`: a `Certificate`, `Ways` to reduce it to simpler relations, a
                                `Counterpoint`, a `Scanned` result (never PROVED), or `GaveUp` and why
    check(relation, cert)       the dumb checker of a certificate (a tactic that only reduces has none)
    again(relation, recipe)     optional: the reductions that can be made without a search, or by this recipe
    consequences(relation)      optional: plain comparisons that must hold if the relation does (refuting one
    refutes it)
    refute(relation, effort)    optional: a witness of the tactic's own kind, which its `verify(exact)`
    accepts from JSON alone
A tactic sees only what the gate has let through (`gate`): modelled, defined wherever the hypotheses hold,
and with hypotheses that some explicit point meets. PROVED needs a certificate that its checker accepts, and a
hard search for a counterexample, to the relation or to a consequence of it, that came back empty.
"""

from __future__ import annotations

import importlib
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import sympy as sp

from dpverify.effort import QUICK, Effort
from dpverify.optional import Missing
from dpverify.proving import calculus, gate, kept, models, realisations
from dpverify.proving.definedness import Definedness, Undefined
from dpverify.proving.forms import Refused
from dpverify.proving.judges import judged, judges_of
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.reduction import (
    Certificate,
    Counterpoint,
    GaveUp,
    Outcome,
    Reduction,
    Scanned,
    Ways,
    depth,
    reductions,
)
from dpverify.proving.refutation import (
    AIMED,
    EASY,
    HARD,
    Search,
    admissible,
    domain_of,
    refute,
    violated,
    witness_at,
)
from dpverify.proving.replays import replayed
from dpverify.proving.vector_statements import beyond, mentions
from dpverify.relations import AtMost, Equal, Instance, Quoted, Tested
from dpverify.theorems import AllOf, ForSome, Theorem, formal, latex, step_of
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step, Witness
from dpverify.witnesses import verify_witness

ATTEMPTS = 6  # times as long as one attempt may take, a relation may take in all

TACTICS = (
    "cases",
    "identities",
    "signs",
    "linear",
    "integers",
    "whole",
    "monomials",
    "polynomials",
    "squares",
    "balls",
    "derivatives",
    "optimality",
    "sums",
    "means",
    "induction",
    "shape",
    "matrices",
    "orders",
    "mechanisms",
)
# What a checker raises at a certificate that is not of its form.
MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)
DEEPEST = 12  # reductions in one another: a tactic that reduces a relation to its like would go on for ever


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
    judges: tuple[str, ...] = ()
    if result.verdict is PROVED:
        result = judged(result, effort.tactic_seconds)
        judges = judges_of(result)
    return result.with_(seconds=taken, latex=latex(relation), formal=formal(relation), judges=judges)


def _decide(relation: Any, effort: Effort) -> Result:
    if not depth.get() and (restricted := gate.restricted_noise(relation)) is not None:
        told = "restricts the outcomes of a noise, whose law is declared by its moments alone"
        return Result(UNDECIDED, f"not modelled: the hypothesis {sp.sstr(restricted)} {told}")
    if not depth.get() and not isinstance(relation, Instance) and calculus.mentions(relation):
        return calculus.decide(relation, effort)
    if isinstance(relation, Theorem | AllOf | ForSome):
        from dpverify.proving import theorem

        return theorem.decide(relation if isinstance(relation, Theorem) else Theorem(relation), effort)
    if isinstance(relation, Instance):
        return _instance(relation, effort)
    if isinstance(relation, Tested):
        return _tested(relation, effort)
    if isinstance(relation, Quoted):
        return Result(UNDECIDED, relation.why)
    if (why := _no_statement(relation)) is not None:
        return Result(UNDECIDED, f"not modelled: {why}")
    if beyond(relation):
        return Result(
            UNDECIDED,
            "not modelled: vectors and functions stand only in comparisons (AtMost, Equal); elsewhere give a "
            "norm or a value a symbol of its own, with hypotheses",
        )
    if depth.get():
        return _admitted(relation, effort)
    try:
        modelled = gate.elaborate(relation)
    except Refused as why:
        return Result(UNDECIDED, f"not modelled: {why}")
    result = _limited(lambda: _admitted(modelled, effort), ATTEMPTS * effort.tactic_seconds)
    return Result(UNDECIDED, result.why, cut_short=True) if isinstance(result, _Open) else result


def _no_statement(statement: Any) -> str | None:
    """Why something that is no statement is none, and what would be one."""
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


class _Open(NamedTuple):
    """Why a relation is still open after an attempt, and whether more time might have closed it."""

    why: str
    cut_short: bool = False


Answer = TypeVar("Answer")


def _limited(work: Callable[[], Answer], seconds: float) -> Answer | _Open:
    """The answer of some work, or that it was cut short or needs an engine that is not there."""
    try:
        with within(seconds):
            return work()
    except Missing as missing:
        return _Open(str(missing))
    except TimeLimit as late:
        return _Open(str(late), cut_short=True)
    except RecursionError:
        return _Open("algebra went deeper than Python lets it", cut_short=True)
    except OverflowError:
        return _Open("its numbers are beyond floating point")


def _admitted(relation: Any, effort: Effort) -> Result:
    """Decide a relation in which everything is modelled."""
    plain = isinstance(relation, Equal | AtMost)
    outermost = not depth.get()
    cut_short = False
    known = kept.suggestion(relation)
    if plain and known is None:
        easy = _limited(lambda: refute(relation, effort, EASY), effort.tactic_seconds)
        if isinstance(easy, Witness):
            return _refuted(relation, easy)
        cut_short = easy is not None
    point: dict[str, str] = {}
    if outermost:
        found = (
            _inhabited(relation, effort) if mentions(relation) else model(gate.hypotheses(relation), effort)
        )
        if isinstance(found, Result):
            return found
        point = found
    undefined = _undefined(relation, effort)
    if known is not None and undefined is None:
        again = _again(known, relation, effort)
        if isinstance(again, Result):
            tactic = importlib.import_module(f"dpverify.proving.{known.tactic}")
            return _believed(relation, tactic, again, point, effort) if outermost else again
    tried: list[str] = []
    first = tuple(getattr(relation, "by", ()))
    tactics = ("gram",) if mentions(relation) else (*first, *(n for n in TACTICS if n not in first))
    for name in tactics:
        tactic = importlib.import_module(f"dpverify.proving.{name}")
        if not isinstance(relation, tactic.HANDLES):
            continue
        refuted = _broken(tactic, relation, effort, EASY)
        if isinstance(refuted, Result):
            return refuted
        if undefined is None:
            outcome = _attempt(tactic, name, relation, effort)
            if isinstance(outcome, Result):
                if outcome.verdict is PROVED and outermost:
                    return _believed(relation, tactic, outcome, point, effort)
                return outcome
            tried.append(f"{name}: {outcome.why}")
            cut_short |= outcome.cut_short
        refuted = _broken(tactic, relation, effort, HARD)
        if isinstance(refuted, Result):
            return refuted
        cut_short |= refuted is not None
    if undefined is not None:
        if plain and outermost:
            hard = _limited(lambda: refute(relation, effort, HARD), effort.tactic_seconds)
            if isinstance(hard, Witness):
                return _refuted(relation, hard)
        return Result(UNDECIDED, str(undefined), cut_short=cut_short or undefined.cut_short)
    if plain and outermost:  # inside a reduction only a proof counts
        return _scanned(relation, effort, tried, cut_short)
    why = f"no tactic closed it ({'; '.join(tried) or 'none handles it'})"
    return Result(UNDECIDED, why, cut_short=cut_short)


def refutation_of(relation: Equal | AtMost, effort: Effort, search: Search = EASY) -> Result | None:
    """The refutation of a comparison by a verified point, if the search finds one.

    >>> import sympy as sp
    >>> refutation_of(AtMost(sp.Symbol("x", real=True), 3), QUICK).verdict
    <Verdict.REFUTED: 'REFUTED'>
    """
    witness = _limited(lambda: refute(relation, effort, search), effort.tactic_seconds)
    return _refuted(relation, witness) if isinstance(witness, Witness) else None


@contextmanager
def nested(as_written: bool = False) -> Iterator[None]:
    """Inside, relations lean on one another; one that was written by an author begins afresh."""
    token, count = depth.set(depth.get() + 1), reductions.set(0 if as_written else reductions.get() + 1)
    try:
        yield
    finally:
        depth.reset(token)
        reductions.reset(count)


def _inside(relation: Any, effort: Effort, as_written: bool = False) -> Result:
    """Decide a relation that another one leans on."""
    with nested(as_written):
        return prove(relation, effort)


def prove_step(relation: Any, effort: Effort) -> Result:
    """Decide a step of a proof as its author wrote it: it passes the gate like a statement, but for the point
    that meets its hypotheses, which are those of the statement and facts that follow from them.

    >>> import sympy as sp
    >>> prove_step(AtMost(sp.Float(0.5), 1), QUICK).because
    'not modelled: the number 0.5 is not exact: write Rational(1, 2)'
    """
    try:
        return _inside(gate.elaborate(relation), effort, as_written=True)
    except Refused as why:
        return Result(UNDECIDED, f"not modelled: {why}")


def model_found(hypotheses: Sequence[Any], effort: Effort) -> dict[str, str] | None:
    """A point that meets the hypotheses, in words, if one is found in time."""
    point = _limited(lambda: models.model(hypotheses, effort), effort.tactic_seconds)
    return point if isinstance(point, dict) else None


def model(hypotheses: Sequence[Any], effort: Effort) -> dict[str, str] | Result:
    """A point that meets the hypotheses, in words; or the result that says that there is none, or that none
    was found.
    """
    point = _limited(lambda: models.model(hypotheses, effort), effort.tactic_seconds)
    if isinstance(point, dict):
        return point
    if models.contradiction(hypotheses, effort, _inside):
        return Result(UNDECIDED, "the hypotheses contradict each other, so that anything would follow")
    why = "no point that meets the hypotheses was found"
    return Result(UNDECIDED, why, cut_short=isinstance(point, _Open))


def _inhabited(relation: Equal | AtMost, effort: Effort) -> dict[str, str] | Result:
    """The same for vectors and functions, which have to be of their classes."""
    example = _limited(lambda: realisations.inhabited(relation, effort), effort.tactic_seconds)
    if isinstance(example, dict):
        return example
    if models.contradiction(gate.hypotheses(relation), effort, _inside):
        return Result(UNDECIDED, "the hypotheses contradict each other, so that anything would follow")
    why = "no vectors and functions were found that meet the hypotheses and are of their classes"
    return Result(UNDECIDED, why, cut_short=isinstance(example, _Open))


defined = Definedness(_inside)


def _undefined(relation: Any, effort: Effort) -> Undefined | None:
    """Why the relation is not known to be defined wherever its hypotheses hold; None if it is."""
    try:
        defined.show(relation, effort)
    except Undefined as why:
        return why
    return None


def _believed(relation: Any, tactic: Any, proof: Result, point: dict[str, str], effort: Effort) -> Result:
    """A proof, after a hard search for a counterexample; the point that meets the hypotheses stands in its
    certificate.
    """
    if isinstance(relation, Equal | AtMost):
        against = _limited(lambda: refute(relation, effort, AIMED), effort.tactic_seconds)
        if isinstance(against, Witness):
            return _contested(proof, _refuted(relation, against))
    broken = _broken(tactic, relation, effort, AIMED)
    if isinstance(broken, Result):
        return _contested(proof, broken)
    assert proof.evidence is not None
    evidence = replace(proof.evidence, certificate=proof.evidence.certificate | {"model": point})
    return proof.with_(evidence=evidence)


def _contested(proof: Result, refutation: Result) -> Result:
    """A verified counterexample outweighs a proof, which then shows a fault of the engine."""
    because = f"{refutation.because} (although {proof.because}: a fault of that tactic)"
    return refutation.with_(because=because)


def _broken(tactic: Any, relation: Any, effort: Effort, how: Search) -> Result | _Open | None:
    """The refutation of a consequence of the relation, or by the tactic's own kind of witness, if one is
    found.
    """

    def search() -> Result | None:
        for consequence in getattr(tactic, "consequences", lambda r: ())(relation):
            if witness := refute(consequence, effort, how):
                return _refuted(relation, witness, str(consequence))
        if how is not EASY and hasattr(tactic, "refute") and (witness := tactic.refute(relation, effort)):
            return _refuted(relation, witness)
        return None

    return _limited(search, effort.tactic_seconds)


def _again(known: kept.Suggestion, relation: Any, effort: Effort) -> Result | _Open:
    """A proof that was found before, if the checker accepts it now."""
    if known.tactic not in (*TACTICS, "gram"):
        return _Open(f"there is no tactic {known.tactic}")
    name, content = known.tactic, dict(known.certificate)
    tactic = importlib.import_module(f"dpverify.proving.{name}")
    if not isinstance(relation, tactic.HANDLES):
        return _Open(f"{name} is not for it")
    try:
        if "reduction" in content:
            ways = _ways_again(tactic, relation, content, effort)
            return _reduced((way for way in ways if _record_of(way) == content), relation, name, effort)
        refused = _limited(lambda: _refusal(tactic, relation, content, effort), effort.tactic_seconds)
    except MALFORMED as error:
        return _Open(f"it is not of its form ({error})")
    return refused or _certified(relation, name, content)


def _refusal(tactic: Any, relation: Any, content: dict[str, Any], effort: Effort) -> _Open | None:
    """Why a certificate is not believed, if it is not."""
    if not tactic.check(relation, content):
        return _Open("its certificate was not accepted by the checker")
    if isinstance(relation, Equal | AtMost) and (point := _disagreement(relation, effort)):
        return _Open(f"a replay disagrees with the certificate at {point}")
    return None


def _ways_again(tactic: Any, relation: Any, content: dict[str, Any], effort: Effort) -> Iterable[Reduction]:
    """The reductions among which the kept one is."""
    if hasattr(tactic, "again"):
        return tactic.again(relation, content["recipe"])
    outcome = _limited(lambda: tactic.attempt(relation, effort), effort.tactic_seconds)
    return outcome.reductions if isinstance(outcome, Ways) else ()


def _record_of(way: Reduction) -> dict[str, Any]:
    """A reduction as it is kept."""
    steps = [kept.key(part) for part, _ in way.steps]
    return {"reduction": way.because, "steps": steps, "recipe": way.recipe}


def _certified(relation: Any, name: str, content: dict[str, Any]) -> Result:
    """The proof of a relation by a certificate that was accepted."""
    kept.note(relation, name, content)
    return Result(PROVED, f"{name}: {content['summary']}", Evidence(name, content))


def _attempt(tactic: Any, name: str, relation: Any, effort: Effort) -> Result | _Open:
    def work() -> Outcome | _Open:
        answer: Outcome = tactic.attempt(relation, effort)
        refused = (
            _refusal(tactic, relation, answer.content, effort) if isinstance(answer, Certificate) else None
        )
        return refused or answer

    outcome = _limited(work, effort.tactic_seconds)
    match outcome:
        case _Open():
            return outcome
        case GaveUp(why, cut_short):
            return _Open(why, cut_short)
        case Scanned(result):
            if result.verdict is PROVED:
                raise ValueError(f"Expected a scan by {name} to end in less than PROVED.")
            return result
        case Counterpoint(point):
            witness = witness_at(relation, point)
            if witness is None:
                return _Open(f"a solver's counterexample {point} was not confirmed")
            return _refuted(relation, witness)
        case Ways(ways):
            if reductions.get() >= DEEPEST:
                return _Open(f"more than {DEEPEST} reductions would lie in one another")
            return _reduced(iter(ways), relation, name, effort)
        case Certificate(content):
            return _certified(relation, name, content)


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


def _reduced(ways: Iterator[Reduction], relation: Any, name: str, effort: Effort) -> Result | _Open:
    """The first of several reductions that closes; each is left at its first step that is not proved, and the
    next is found only then.
    """
    outcomes: list[str] = []
    cut_short = False
    while True:
        reduction = _limited(lambda: next(ways, None), effort.tactic_seconds)
        if reduction is None:
            break
        if isinstance(reduction, _Open):
            outcomes.append(reduction.why)
            cut_short |= reduction.cut_short
            break
        outcome = _closed(reduction, name, effort)
        if isinstance(outcome, Result):
            kept.note(relation, name, _record_of(reduction))
            return outcome
        outcomes.append(outcome.why)
        cut_short |= outcome.cut_short
    return _Open("; or ".join(outcomes) or "it does not apply", cut_short)


def _closed(reduction: Reduction, name: str, effort: Effort) -> Result | _Open:
    steps = []
    for relation, reason in reduction.steps:
        decide = prove_step if reduction.as_written else _inside
        result = decide(relation, effort)
        step = step_of(relation, reason, result)
        if step.result.verdict is not PROVED:
            return _Open(
                f"{reduction.because}, but {step.statement} is {step.result.verdict} "
                f"({textwrap.shorten(step.result.because, 160)})",
                step.result.cut_short,
            )
        steps.append(step)
    agreed, against = replayed(reduction.replays, effort.seed)
    if against:
        return _Open(f"{reduction.because}, but numbers disagree about {against}")
    choices: dict[str, str] = dict(reduction.shown)
    for step in steps:
        choices.update(step.result.evidence.certificate.get("shown", {}) if step.result.evidence else {})
    because = ", ".join([reduction.because, *[f"{what} {value}" for what, value in choices.items()]])
    content: dict[str, Any] = {"reduction": reduction.because} | ({"shown": choices} if choices else {})
    content |= {"replayed": agreed} if reduction.replays else {}
    return Result(PROVED, f"{name}: {because}", Evidence(name, content), steps=tuple(steps))


def _steps(steps: Any, effort: Effort) -> tuple[Step, ...]:
    return tuple(step_of(relation, reason, prove(relation, effort)) for relation, reason in steps)


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
                cut_short=step.result.cut_short,
            )
    result = prove(case.relation, effort)
    steps = (*met, step_of(case.relation, "what the statement says of this case", result))
    if result.verdict is REFUTED:
        assert result.witness is not None
        w = result.witness
        witness = Witness(case.let | w.let, w.then, w.contradicts, w.exact, case.because or w.because)
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


def _refuted(relation: Any, witness: Witness, consequence: str = "") -> Result:
    if not verify_witness(witness.exact):
        return Result(UNDECIDED, f"a witness was found but not verified from its record: {witness.let}")
    at = ", ".join(f"{k} = {v}" if "=" not in k else k for k, v in witness.let.items())
    because = f"fails at {at}" if at else "fails as it stands"
    certificate = {"verified": "exact"}
    if consequence:
        because = f"it would follow that {consequence}, which {because}"
        certificate["consequence"] = consequence
    return Result(REFUTED, because, Evidence("refutation", certificate), witness)


def _scanned(relation: Equal | AtMost, effort: Effort, tried: list[str], cut_short: bool) -> Result:
    def search() -> Witness | int:
        return refute(relation, effort, HARD) or admissible(relation, effort)

    outcome = _limited(search, effort.tactic_seconds)
    if isinstance(outcome, Witness):
        return _refuted(relation, outcome)
    why = "; ".join(tried) or "no tactic applies"
    if isinstance(outcome, _Open):
        return Result(UNDECIDED, f"no proof closed it ({why}), and a scan gave {outcome.why}", cut_short=True)
    if outcome >= 100:
        evidence = Evidence(
            "scan",
            {"tried": tried},
            samples=outcome,
            seed=effort.seed,
            ceiling="a violation at one of the scanned points, or uphill from the best of them, would "
            "have been found",
        )
        because = f"no violation at {outcome} admissible points; no proof closed it ({why})"
        return Result(SUPPORTED, because, evidence, cut_short=cut_short)
    because = f"no proof closed it ({why}) and only {outcome} admissible points were found"
    return Result(UNDECIDED, because, cut_short=cut_short)
