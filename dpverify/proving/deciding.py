"""How a relation is decided: the gate, a quick search against it, the tactics in turn, and a hard search for
a counterexample before a proof is believed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.effort import QUICK, Effort
from dpverify.proving import calculus, gate, kept, models, realisations
from dpverify.proving.attempts import attempt, proved_again
from dpverify.proving.counterexamples import broken_consequence, refuted_by, scanned
from dpverify.proving.definedness import Definedness, Undefined
from dpverify.proving.forms import Refused
from dpverify.proving.judges import judged, judges_of
from dpverify.proving.limits import StillOpen, limited
from dpverify.proving.reduction import (
    depth,
    nested,
)
from dpverify.proving.refutation import refute
from dpverify.proving.search import AIMED, EASY, HARD
from dpverify.proving.tactics import GRAM, TACTICS, tactic_named
from dpverify.proving.unevaluated import holds_calculus
from dpverify.proving.vector_statements import beyond, mentions
from dpverify.proving.without_tactics import decide_instance, decide_test, no_statement
from dpverify.relations import AtMost, Equal, Instance, Quoted, Tested
from dpverify.theorems import AllOf, ForSome, Theorem, formal, latex
from dpverify.verdicts import PROVED, UNDECIDED, Result, Witness

ATTEMPTS = 6  # times as long as one attempt may take, a relation may take in all


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
    if not depth.get() and not isinstance(relation, Instance) and holds_calculus(relation):
        return calculus.decide(relation, effort)
    if isinstance(relation, Theorem | AllOf | ForSome):
        from dpverify.proving import theorem

        return theorem.decide(relation if isinstance(relation, Theorem) else Theorem(relation), effort)
    if isinstance(relation, Instance):
        return decide_instance(relation, effort, prove)
    if isinstance(relation, Tested):
        return decide_test(relation, effort)
    if isinstance(relation, Quoted):
        return Result(UNDECIDED, relation.why)
    if (why := no_statement(relation)) is not None:
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
    result = limited(lambda: _admitted(modelled, effort), ATTEMPTS * effort.tactic_seconds)
    return Result(UNDECIDED, result.why, cut_short=True) if isinstance(result, StillOpen) else result


def _admitted(relation: Any, effort: Effort) -> Result:
    """Decide a relation in which everything is modelled."""
    plain = isinstance(relation, Equal | AtMost)
    outermost = not depth.get()
    cut_short = False
    known = kept.suggestion(relation)
    if plain and known is None:
        easy = limited(lambda: refute(relation, effort, EASY), effort.tactic_seconds)
        if isinstance(easy, Witness):
            return refuted_by(relation, easy)
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
        again = proved_again(known, relation, effort, _decide_step)
        if isinstance(again, Result):
            tactic = tactic_named(known.tactic)
            return _believed(relation, tactic, again, point, effort) if outermost else again
    tried: list[str] = []
    first = tuple(getattr(relation, "by", ()))
    tactics = (GRAM,) if mentions(relation) else (*first, *(n for n in TACTICS if n not in first))
    for name in tactics:
        tactic = tactic_named(name)
        if not isinstance(relation, tactic.HANDLES):
            continue
        refuted = broken_consequence(tactic, relation, effort, EASY)
        if isinstance(refuted, Result):
            return refuted
        if undefined is None:
            outcome = attempt(tactic, name, relation, effort, _decide_step)
            if isinstance(outcome, Result):
                if outcome.verdict is PROVED and outermost:
                    return _believed(relation, tactic, outcome, point, effort)
                return outcome
            tried.append(f"{name}: {outcome.why}")
            cut_short |= outcome.cut_short
        refuted = broken_consequence(tactic, relation, effort, HARD)
        if isinstance(refuted, Result):
            return refuted
        cut_short |= refuted is not None
    if undefined is not None:
        if plain and outermost:
            hard = limited(lambda: refute(relation, effort, HARD), effort.tactic_seconds)
            if isinstance(hard, Witness):
                return refuted_by(relation, hard)
        return Result(UNDECIDED, str(undefined), cut_short=cut_short or undefined.cut_short)
    if plain and outermost:  # inside a reduction only a proof counts
        return scanned(relation, effort, tried, cut_short)
    why = f"no tactic closed it ({'; '.join(tried) or 'none handles it'})"
    return Result(UNDECIDED, why, cut_short=cut_short)


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


def _decide_step(relation: Any, effort: Effort, as_written: bool) -> Result:
    """Decide a step of a reduction."""
    return prove_step(relation, effort) if as_written else _inside(relation, effort)


def model_found(hypotheses: Sequence[Any], effort: Effort) -> dict[str, str] | None:
    """A point that meets the hypotheses, in words, if one is found in time."""
    point = limited(lambda: models.model(hypotheses, effort), effort.tactic_seconds)
    return point if isinstance(point, dict) else None


def model(hypotheses: Sequence[Any], effort: Effort) -> dict[str, str] | Result:
    """A point that meets the hypotheses, in words; or the result that says that there is none, or that none
    was found.
    """
    point = limited(lambda: models.model(hypotheses, effort), effort.tactic_seconds)
    if isinstance(point, dict):
        return point
    if models.contradiction(hypotheses, effort, _inside):
        return Result(UNDECIDED, "the hypotheses contradict each other, so that anything would follow")
    why = "no point that meets the hypotheses was found"
    return Result(UNDECIDED, why, cut_short=isinstance(point, StillOpen))


def _inhabited(relation: Equal | AtMost, effort: Effort) -> dict[str, str] | Result:
    """The same for vectors and functions, which have to be of their classes."""
    example = limited(lambda: realisations.inhabited(relation, effort), effort.tactic_seconds)
    if isinstance(example, dict):
        return example
    if models.contradiction(gate.hypotheses(relation), effort, _inside):
        return Result(UNDECIDED, "the hypotheses contradict each other, so that anything would follow")
    why = "no vectors and functions were found that meet the hypotheses and are of their classes"
    return Result(UNDECIDED, why, cut_short=isinstance(example, StillOpen))


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
        against = limited(lambda: refute(relation, effort, AIMED), effort.tactic_seconds)
        if isinstance(against, Witness):
            return _contested(proof, refuted_by(relation, against))
    broken = broken_consequence(tactic, relation, effort, AIMED)
    if isinstance(broken, Result):
        return _contested(proof, broken)
    assert proof.evidence is not None
    evidence = replace(proof.evidence, certificate=proof.evidence.certificate | {"model": point})
    return proof.with_(evidence=evidence)


def _contested(proof: Result, refutation: Result) -> Result:
    """A verified counterexample outweighs a proof, which then shows a fault of the engine."""
    because = f"{refutation.because} (although {proof.because}: a fault of that tactic)"
    return refutation.with_(because=because)
