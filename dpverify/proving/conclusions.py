"""How the conclusion of a theorem follows from the facts: at once, in each case, or by induction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.proving.admission import conjuncts
from dpverify.proving.descents import scalars_of
from dpverify.proving.instances import show_fit
from dpverify.proving.proof import Disproved, Proof, Stuck, about_sequences, as_conditions, show_condition
from dpverify.proving.ranges import free_symbols_of, substituted
from dpverify.proving.symbols import placed
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.theorems import AllOf, Cases, ForEvery, ForSome, Induct, Iterates, Theorem, step_of
from dpverify.verdicts import PROVED, REFUTED, Evidence, Result


def conclude(proof: Proof) -> None:
    """The conclusion from the facts: at once, in each case, or by induction."""
    theorem = proof.theorem
    shows = theorem.shows
    cases = [step for step in theorem.proof if isinstance(step, Cases)]
    inductions = [step for step in theorem.proof if isinstance(step, Induct)]
    if len(cases) + len(inductions) > 1:
        raise Stuck("a proof has one split into cases or one induction")
    if cases:
        _exhaustive(cases[0], proof)
        for condition in cases[0].conditions:
            there = [fact for case, fact in proof.in_case if case == condition]
            _close(shows, f"the conclusion, if {condition}", proof, [condition, *there])
    elif inductions:
        _by_induction(inductions[0], proof)
    else:
        _close(shows, "the conclusion", proof)


def _close(shows: Any, reason: str, proof: Proof, more: Iterable[Any] = ()) -> None:
    if isinstance(shows, AllOf):
        for part in shows.parts:
            _close(part, reason, proof, more)
        return
    chosen_by_us = isinstance(shows, ForSome)  # if our choice fails, another one may do
    if isinstance(shows, ForSome):
        _choice_is_fair(shows, proof.theorem)
        chosen = {s: sp.sympify(v) for s, v in shows.at.items()}
        for symbol, term in chosen.items():
            show_fit(symbol, term, f"the value of {symbol}", proof)
        for part, _ in conjuncts(shows.relation):
            for condition in getattr(part, "given", ()):
                if condition.free_symbols & set(chosen):
                    wanted = placed(condition, chosen)
                    if wanted in (sp.false, False):
                        raise Stuck(f"{condition} does not hold for the values that are shown")
                    show_condition(wanted, f"{condition}, which is asked of the values", proof, more)
        shows = _put(shows.relation, chosen)
    for part in shows.parts if isinstance(shows, AllOf) else (shows,):
        wanted = as_conditions(part)
        if wanted and all(c in proof.facts for c in wanted) and not getattr(part, "given", ()):
            done = Result(PROVED, "one of the facts", Evidence("fact"))
            proof.steps.append(step_of(part, reason, done))
            continue
        try:
            proof.establish(part, reason, more)
        except Stuck:
            last = proof.steps[-1].result
            if last.verdict is REFUTED and not chosen_by_us and not about_sequences(proof.theorem):
                raise Disproved(last) from None
            raise


def _choice_is_fair(shows: ForSome, theorem: Theorem) -> None:
    """The values are made of what comes before them, and nothing else speaks of the symbols."""
    for symbol in shows.symbols:
        if symbol not in shows.at:
            raise Stuck(f"no value of {symbol} is shown")
        if symbol in shows.of:
            raise Stuck(f"the value of {symbol} is not defined: it would be made of {symbol} itself")
        every = [h for h in theorem.given if isinstance(h, ForEvery | Iterates)]
        plain = [sp.sympify(h) for h in theorem.given if h not in every]
        if any(symbol in free_symbols_of(h) for h in every) or any(symbol in h.free_symbols for h in plain):
            raise Stuck(f"a hypothesis speaks of {symbol}, whose value is to be shown")
        alien = sp.sympify(shows.at[symbol]).free_symbols - set(shows.of)
        if alien:
            raise Stuck(
                f"the value of {symbol} depends on {sorted(map(str, alien))[0]}, which comes after it"
            )


def _put(relation: Any, chosen: dict[Any, Any]) -> Any:
    """The relation at the values that are shown; what it asks of them is no hypothesis."""
    if isinstance(relation, AllOf):
        return AllOf(*[_put(part, chosen) for part in relation.parts])
    if not isinstance(relation, Equal | AtMost):
        raise Stuck(f"{relation} is not a comparison of numbers")
    given = tuple(c for c in relation.given if not c.free_symbols & set(chosen))
    return replace(substituted(relation, chosen), given=given)


def _exhaustive(cases: Cases, proof: Proof) -> None:
    """Whatever is in none of the first cases is in the last."""
    *others, last = cases.conditions
    show_condition(last, cases.reason, proof, [sp.Not(condition) for condition in others])


def _grows(hypothesis: ForEvery | Iterates, over: sp.Symbol) -> bool:
    """Whether a hypothesis for every index says at over + 1 what it says at over, and perhaps more."""
    low, high = sp.sympify(hypothesis.low), sp.sympify(hypothesis.high)
    if isinstance(hypothesis, ForEvery):
        inside = [sp.sympify(side) for side in sides_of(hypothesis.relation)]
    else:
        inside = [hypothesis.after, hypothesis.value, *hypothesis.where]
        inside += [c for v in hypothesis.step for c in scalars_of(v)]
    if over in low.free_symbols or any(over in e.free_symbols for e in inside):
        return False
    return bool((high.xreplace({over: over + 1}) - high).is_nonnegative)


def _by_induction(rule: Induct, proof: Proof) -> None:
    """A relation that holds at the start, and at T + 1 if at T, for every whole T >= start, holds for all
    of them.
    """
    over = rule.over
    start = sp.sympify(rule.start)
    shows = proof.theorem.shows
    if not over.is_integer or not start.is_Integer:
        raise Stuck(f"induction needs a whole symbol and a whole start, got {over} from {start}")
    if not isinstance(shows, Equal | AtMost):
        raise Stuck("induction is for one comparison of numbers")
    if any(over in sp.sympify(h).free_symbols for h in (*proof.plain, *shows.given)):
        raise Stuck(f"a hypothesis restricts {over}: induction is over every whole {over} >= {start}")
    for h in proof.theorem.given:
        if isinstance(h, ForEvery | Iterates) and not _grows(h, over):
            raise Stuck(f"{h} at {over} + 1 is not more than at {over}, as induction over {over} needs")
    if start != (1 if over.is_positive else 0 if over.is_nonnegative else None):
        raise Stuck(f"the least value that {over} takes is not {start}")
    proof.establish(substituted(shows, {over: start}), f"{rule.reason}: at {over} = {start}")
    here = as_conditions(shows)
    later = [placed(fact, {over: over + 1}) for fact in proof.facts if over in fact.free_symbols]
    proof.establish(
        substituted(shows, {over: over + 1}), f"{rule.reason}: from {over} to {over} + 1", [*here, *later]
    )
