"""The state of a proof: what is known so far, and how a relation becomes a fact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.language.mechanisms import Private
from dpverify.language.vectors import Atom
from dpverify.proving.existence import conditions_on, existence, objects_of
from dpverify.relations import (
    ArgMin,
    AtMost,
    Equal,
    Increasing,
    Induction,
    Minimises,
    Order,
    PositiveSemidefinite,
    sides_of,
)
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem, step_of
from dpverify.verdicts import PROVED, UNDECIDED, Result, Step

Conditional = Equal | AtMost | Minimises | Increasing | ArgMin | PositiveSemidefinite | Order | Private


class Stuck(Exception):
    """An inference that was not proved; the proof ends there."""


class Disproved(Exception):
    """A point that meets the hypotheses and the facts, which follow from them, and breaks the conclusion."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.because)
        self.result = result


@dataclass
class Proof:
    """What is known so far: hypotheses, those for every index, facts, the steps taken and the claims used."""

    theorem: Theorem
    effort: Effort
    facts: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    depends: list[str] = field(default_factory=list)
    recursions: list[ForEvery] = field(default_factory=list)  # facts that hold for every index
    in_case: list[tuple[Any, Any]] = field(default_factory=list)  # a condition, and a fact where it holds
    objects: set[Any] = field(default_factory=set)  # functions and noises that are known to exist
    supposed: list[Any] = field(default_factory=list)  # what their constants meet, as they do exist
    kept: tuple[Step, ...] | None = None  # the steps of a kept proof, to be checked again instead of proved

    def __post_init__(self) -> None:
        parts = [self.theorem.shows, *self.theorem.given]
        self.objects |= objects_of(parts)
        numbers = [c for c in existence(parts) if not isinstance(c, ForEvery) and not c.atoms(Atom)]
        self.supposed = [c for c in numbers if c not in self.theorem.given]

    @property
    def plain(self) -> list[Any]:
        """The hypotheses that are conditions on numbers, those included that nobody writes down."""
        return [
            *[h for h in self.theorem.given if not isinstance(h, ForEvery | Iterates)],
            *self.supposed,
        ]

    @property
    def known(self) -> list[Any]:
        return [*self.plain, *self.facts]

    def establish(self, relation: Any, reason: str, more: Iterable[Any] = ()) -> None:
        """Prove a relation from what is known and `more`, or end the proof.

        What is known of sequences says nothing of vectors, and is left out where these are compared.
        """
        from dpverify.proving.vector_statements import mentions

        self.admit(relation, reason)
        known = self.known
        if mentions(relation):
            known = [fact for fact in known if not sp.sympify(fact).has(sp.Indexed)]
        result = self._shown(relation, [*known, *more])
        if result.verdict is UNDECIDED and (fewer := _of_numbers(relation, [*known, *more])) is not None:
            alone = self._shown(relation, fewer)
            result = alone if alone.verdict is PROVED else result
        self.steps.append(step_of(relation, reason, result))
        self.depends += result.depends
        if result.verdict is not PROVED:
            raise Stuck(f"step {len(self.steps)} ({reason}) is {result.verdict}: {result.because}")

    def admit(self, relation: Any, reason: str) -> None:
        """Show that there are functions and noises of which the proof speaks and the statement does not: else
        what their classes and moments say, mu <= L or variance >= 0, would be a hypothesis that nobody sees.
        """
        for thing in sorted(objects_of([relation]) - self.objects, key=str):
            self.objects.add(thing)
            for condition in conditions_on(thing):
                if condition is sp.false:
                    raise Stuck(f"there is no such function or noise as {thing} of {reason}")
                self.establish(as_relation(condition), f"there is such a function or noise as {thing}")

    def _shown(self, relation: Any, given: list[Any]) -> Result:
        """The verdict on a step: proved, or found among the kept steps and accepted by its checker."""
        from dpverify.proving.deciding import prove_step
        from dpverify.proving.recheck import stands

        claimed = under(relation, given)
        if self.kept is None:
            return prove_step(claimed, self.effort)
        alike = [s.result for s in self.kept if s.statement == str(relation) and s.result.verdict is PROVED]
        accepted = (result for result in alike if stands(claimed, result, self.effort))
        return next(accepted, Result(UNDECIDED, "no kept step shows it"))

    def learn(self, *relations: Any) -> None:
        """Add what was proved to the facts."""
        for relation in relations:
            for fact in as_conditions(relation):
                if fact == sp.false:
                    raise Stuck(f"{relation} is false as it stands: the hypotheses contradict each other")
                if fact != sp.true and fact not in self.facts:
                    self.facts.append(fact)


def _of_numbers(relation: Any, known: list[Any]) -> list[Any] | None:
    """What is known of numbers alone, if the relation is about numbers alone; None if it is not, or if
    nothing else is known.
    """
    if not isinstance(relation, Equal | AtMost) or any(
        sp.sympify(e).has(sp.Indexed) for e in sides_of(relation)
    ):
        return None
    plain = [fact for fact in known if not sp.sympify(fact).has(sp.Indexed)]
    return plain if len(plain) < len(known) else None


def under(relation: Any, given: Iterable[Any]) -> Any:
    """The relation with further hypotheses.

    >>> x = sp.Symbol("x", real=True)
    >>> print(under(AtMost(x, 2), [x < 1]))
    x <= 2   given x < 1
    """
    if isinstance(relation, Induction):
        return replace(relation, relation=under(relation.relation, given))
    if isinstance(relation, AllOf):
        return AllOf(*[under(part, given) for part in relation.parts])
    if isinstance(relation, ForSome):
        return replace(relation, relation=under(relation.relation, given))
    if isinstance(relation, Conditional | Theorem):
        own = list(relation.given)
        return replace(relation, given=(*own, *[g for g in given if g not in own]))
    return relation


def as_conditions(relation: Any) -> list[Any]:
    """A comparison as a SymPy condition, for use as a hypothesis; other relations give none.

    >>> x, y = sp.symbols("x y", real=True)
    >>> as_conditions(AllOf(AtMost(x, y), Equal(x, 2 * y)))
    [x <= y, Eq(x, 2*y)]
    """
    if isinstance(relation, AllOf):
        return [c for part in relation.parts for c in as_conditions(part)]
    if isinstance(relation, Theorem):
        return as_conditions(relation.shows)
    if isinstance(relation, AtMost):
        return [(sp.Lt if relation.strict else sp.Le)(relation.lhs, relation.rhs)]
    if isinstance(relation, Equal) and not isinstance(relation.derived, sp.MatrixBase):
        return [sp.Eq(relation.derived, relation.stated)]
    return []


def as_relation(condition: Any) -> AtMost | Equal:
    """A SymPy condition as a relation to be proved.

    >>> print(as_relation(sp.Symbol("x", real=True) > 1))
    1 < x
    """
    if isinstance(condition, sp.Le | sp.Lt):
        return AtMost(condition.lhs, condition.rhs, strict=isinstance(condition, sp.Lt))
    if isinstance(condition, sp.Ge | sp.Gt):
        return AtMost(condition.rhs, condition.lhs, strict=isinstance(condition, sp.Gt))
    if isinstance(condition, sp.Eq):
        return Equal(condition.lhs, condition.rhs)
    raise ValueError(f"Expected a comparison, got the condition {condition}.")


def conditions_of(relation: Any) -> list[Any]:
    """The hypotheses under which a relation, or the relations that a theorem shows, are claimed."""
    inner = [c for part in getattr(relation, "parts", ()) for c in conditions_of(part)]
    if isinstance(relation, Theorem):
        inner += conditions_of(relation.shows)
    return [*getattr(relation, "given", ()), *inner]


def show_conditions(relation: Any, reason: str, proof: Proof, more: Iterable[Any] = ()) -> None:
    """Show the hypotheses of a relation's own, which what is learned from it will no longer name."""
    for condition in relation.given:
        show_condition(condition, f"a condition of: {reason}", proof, more)


def show_condition(condition: Any, reason: str, proof: Proof, more: Iterable[Any] = ()) -> None:
    """Show a condition: of several that are joined by `and` each, of several joined by `or` the last,
    supposing that none of the others holds.
    """
    if condition in (sp.true, True) or condition in proof.known:
        return
    if isinstance(condition, sp.And):
        for part in condition.args:
            show_condition(part, reason, proof, more)
    elif isinstance(condition, sp.Or):
        *others, last = sorted(condition.args, key=sp.default_sort_key)
        show_condition(last, reason, proof, [*more, *[sp.Not(other) for other in others]])
    elif condition in (sp.false, False):
        raise Stuck(f"{reason} does not hold")
    else:
        try:
            wanted = as_relation(condition)
        except ValueError as why:
            raise Stuck(f"{reason} is not one that can be shown: {why}") from None
        proof.establish(wanted, reason, more)


def about_sequences(theorem: Theorem) -> bool:
    """Whether hypotheses for every index, which no search for a point respects, are among the hypotheses."""
    return any(isinstance(h, ForEvery | Iterates) for h in theorem.given)
