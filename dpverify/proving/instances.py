"""Earlier claims at terms: what holds for all values of symbols holds for terms of their kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.language.vectors import Atom
from dpverify.proving.calculus import Closing
from dpverify.proving.closed_forms import NotClosed
from dpverify.proving.definedness import needs
from dpverify.proving.forms import Refused
from dpverify.proving.proof import Proof, Stuck, as_conditions, show_condition
from dpverify.proving.ranges import at_index, known_at, require_free_index, show_for_every, substituted
from dpverify.proving.symbols import fresh, placed, running
from dpverify.proving.unevaluated import holds_calculus
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.theorems import AllOf, ForEvery, Iterates, SumOver, Theorem, Use

# What may be declared of a symbol beside its sign.
KINDS = ("rational", "integer", "noninteger", "even", "odd", "prime", "composite")

# How the id of a claim becomes what it states: set while a claim is being checked, for `Theorem.use`.
statements: ContextVar[Callable[[str], tuple[str, Any]] | None] = ContextVar("statements", default=None)


def use_claim(inference: Use, proof: Proof) -> None:
    """What holds for all values of symbols holds for terms that meet the symbols' assumptions and the
    hypotheses: at every index of a range if these are shown at an arbitrary one, and in a case if they are
    shown there.
    """
    if inference.over is not None:
        index, low, high = inference.over
        require_free_index(index, low, proof)
        limits = SumOver(AtMost(low, high), index, low, high, inference.reason)
        spoken = _sequences(inference.terms.values())  # what is known of others says nothing of the terms
        relations = [r for r in known_at(limits, proof) if spoken & _sequences(sides_of(r))] if spoken else []
        known = [condition for relation in relations for condition in as_conditions(relation)]
        shown = _instances(inference, proof, [sp.Ge(index, low), sp.Le(index, high), *known])
        proof.recursions += [ForEvery(relation, index, low, high) for relation in shown]
    elif inference.when is not None:
        shown = _instances(inference, proof, [inference.when])
        proof.in_case += [(inference.when, fact) for relation in shown for fact in as_conditions(relation)]
    else:
        proof.learn(*_instances(inference, proof, []))


def _sequences(terms: Iterable[Any]) -> set[Any]:
    """The sequences of which entries stand in the terms."""
    return {entry.base for term in terms for entry in sp.sympify(term).atoms(sp.Indexed)}


def _instances(inference: Use, proof: Proof, supposed: list[Any]) -> list[AtMost | Equal]:
    """What an earlier claim says of the terms, its assumptions and hypotheses being shown where `supposed`
    holds as well; this is forgotten again.
    """
    facts, objects = list(proof.facts), set(proof.objects)
    proof.facts = [*facts, *[condition for condition in supposed if condition not in (sp.true, True)]]
    try:
        return _instantiated(inference, proof)
    finally:
        proof.facts = facts
        if supposed:  # a function or a noise that exists there need not exist elsewhere
            proof.objects = objects


def _instantiated(inference: Use, proof: Proof) -> list[AtMost | Equal]:
    """What an earlier claim says of the terms, once they are shown to be of its kind and to meet its
    hypotheses.
    """
    lookup = statements.get()
    if lookup is None:
        raise Stuck(f"{inference.id} can be used only while claims are being checked")
    id, statement = lookup(inference.id)
    theorem = _with_closed_forms(_flat(statement), proof)
    _at_one_index(theorem, id)
    symbols = {s.name: s for s in _free(theorem) if not isinstance(s, Atom)}
    unknown = sorted(set(inference.terms) - set(symbols))
    if unknown:
        raise Stuck(f"{id} has no symbol {unknown[0]!r}; it has {', '.join(sorted(symbols))}")
    chosen = {symbols[name]: sp.sympify(term) for name, term in inference.terms.items()}
    for symbol, term in chosen.items():
        show_fit(symbol, term, f"{symbol} of {id}", proof)
    for condition in theorem.given:
        if isinstance(condition, ForEvery | Iterates):
            _discharge(condition, chosen, id, proof)
        else:
            show_condition(placed(condition, chosen), f"a hypothesis of {id}", proof)
    shown = []
    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        if not isinstance(part, Equal | AtMost):
            raise Stuck(f"{id} shows {part}, which is not a comparison of numbers")
        for condition in part.given:
            show_condition(placed(condition, chosen), f"a hypothesis of {id}", proof)
        proof.admit(substituted(part, chosen), f"what {id} says")
        shown.append(substituted(part, chosen))
    proof.depends.append(id)
    return shown


def _flat(statement: Any) -> Theorem:
    """One theorem for a statement whose conclusions may be theorems themselves: what they show together,
    given all that they suppose.
    """
    if isinstance(statement, AllOf):
        parts = [_flat(part) for part in statement.parts]
        shows = [one for p in parts for one in (p.shows.parts if isinstance(p.shows, AllOf) else (p.shows,))]
        return Theorem(AllOf(*shows), [condition for part in parts for condition in part.given])
    if isinstance(statement, Theorem):
        inner = _flat(statement.shows)
        return Theorem(inner.shows, [*statement.given, *inner.given])
    return Theorem(statement)


def _at_one_index(theorem: Theorem, id: str) -> None:
    """A hypothesis on q[t], where the conclusion does not speak of t, is meant at every t: to show it at one
    is not enough.
    """
    parts = theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,)
    plain = [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)]
    for part in parts:
        if isinstance(part, Equal | AtMost):
            held = [sp.sympify(c) for c in (*plain, *part.given)]
            if every := running([sp.sympify(side) for side in sides_of(part)], held):
                name = sorted(map(str, every))[0]
                raise Stuck(f"{id} has a hypothesis for every {name}: write it as a ForEvery")


def _with_closed_forms(theorem: Theorem, proof: Proof) -> Theorem:
    """A statement that is used, with the closed forms that are checked for its integrals and the like."""
    bare = replace(theorem, proof=())
    if not holds_calculus(bare):
        return bare
    closing = Closing(bare, proof.effort)
    try:
        closed: Theorem = closing.statement(bare)
    except NotClosed as why:
        raise Stuck(str(why)) from None
    proof.steps += closing.steps
    return closed


def show_fit(symbol: sp.Symbol, term: Any, reason: str, proof: Proof) -> None:
    """A term takes the place of a symbol if it is a number wherever the hypotheses hold, and of the kind that
    the symbol is declared to be.
    """
    from dpverify.proving import gate

    try:
        gate.elaborate(AtMost(term, term))
    except Refused as why:
        raise Stuck(f"{term} is no value for {symbol}: {why}") from None
    if any(True for _ in needs(term, ())):
        proof.establish(AtMost(term, term), f"{reason} is defined")
    for condition in assumed(symbol, term):
        proof.establish(condition, reason)
    for name in KINDS:
        declared = symbol.assumptions0.get(name)
        if declared is not None and getattr(term, f"is_{name}") is not declared:
            raise Stuck(f"{term} is not known to be {'' if declared else 'not '}{name}, as {symbol} is")


def _discharge(hypothesis: ForEvery | Iterates, chosen: dict[Any, Any], id: str, proof: Proof) -> None:
    """A hypothesis for every index, at these terms, is shown at an arbitrary one; an iteration has to be one
    of this theorem.
    """
    if isinstance(hypothesis, Iterates):
        process = _iterates_at(hypothesis, chosen)
        named = {hypothesis.index, hypothesis.name.label}  # the sequence is that iteration's alone
        if named & set(chosen) or process not in proof.theorem.given:
            raise Stuck(f"{id} is about an iteration that is not among the hypotheses: {process}")
        return
    low, high = (placed(end, chosen) for end in (hypothesis.low, hypothesis.high))
    taken = [*proof.known, *chosen, *chosen.values(), low, high, *sides_of(hypothesis.relation)]
    index = fresh(hypothesis.index.name, taken, integer=True)
    relation = substituted(at_index(hypothesis, index), chosen)
    show_for_every(relation, SumOver(relation, index, low, high, f"a hypothesis of {id}"), proof)


def _iterates_at(process: Iterates, chosen: dict[Any, Any]) -> Iterates:
    """The iteration with terms for the symbols in it; the names of its state and of its sequence stay."""
    return replace(
        process,
        value=process.value.xreplace(chosen),
        step=tuple(vector.replaced(chosen) for vector in process.step),
        noises=tuple(noise.replaced(chosen) for noise in process.noises),
        where=tuple(condition.xreplace(chosen) for condition in process.where),
        low=placed(process.low, chosen),
        high=placed(process.high, chosen),
    )


def assumed(symbol: sp.Symbol, term: Any) -> list[AtMost]:
    """What the assumptions on a symbol ask of the term that takes its place."""
    if symbol.is_positive:
        return [] if term.is_positive else [AtMost(0, term, strict=True)]
    if symbol.is_nonnegative:
        return [] if term.is_nonnegative else [AtMost(0, term)]
    if symbol.is_negative:
        return [] if term.is_negative else [AtMost(term, 0, strict=True)]
    if symbol.is_nonpositive:
        return [] if term.is_nonpositive else [AtMost(term, 0)]
    if symbol.is_nonzero:
        return [] if term.is_nonzero else [AtMost(0, term**2, strict=True)]
    return []


def _free(theorem: Theorem) -> set[Any]:
    found: set[Any] = set()
    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        for name in ("lhs", "rhs", "derived", "stated"):
            if hasattr(part, name):
                found |= sp.sympify(getattr(part, name)).free_symbols
        for condition in getattr(part, "given", ()):
            found |= condition.free_symbols
    for condition in theorem.given:
        if not isinstance(condition, ForEvery | Iterates):
            found |= condition.free_symbols
    return {s for s in found if isinstance(s, sp.Symbol)}
