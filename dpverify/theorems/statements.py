"""Statements and their proofs: hypotheses and a conclusion in the paper's variables, and how one follows from
the other.

    Theorem(shows=AtMost(...), given=[...])
        .have(relation, "why")                   a fact, from the hypotheses and the earlier facts alone
        .calc(a, ("<=", b, "why"), ("=", c, ""))  a chain; what its ends say of each other is a fact
        .use("lemma-4.1", "why", n=2 * m)        an earlier statement, shown to apply to these terms
        .use("lemma-4.1", "why", over=(t, 1, T))  the same for every t; in one case with when=x < 1
        .sum(relation, (t, 1, T), "why")         a relation that holds for every t, added up
        .unroll(x[t], ratio, extra, (t, 1, T), "why")  x[t+1] <= ratio x[t] + extra(t), applied T times
        .at(hypothesis, 5, "why")                a hypothesis for every t, at one t
        .expect(relation, [nu], "why")           a relation that holds for every outcome, in expectation
        .jensen(X, [nu])                         E sqrt(X) <= sqrt(E X)
        .descend(iterates, ratio, extra, "why")  one step from any state, as a recursion of expectations
        .cases(condition, ...)                   the conclusion in each case, and that there is no other
        .induct(T, 1)                            the conclusion at the start, and from T to T + 1

The verdict is about the statement. Every inference is checked, the last one too: the conclusion has to follow
from the hypotheses and the facts. A statement may also be a conjunction (`AllOf`) or say that something
exists (`ForSome`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from dpverify.relations import (
    AtMost,
    Equal,
    Given,
    Instance,
    described,
    sides_of,
)


@dataclass(frozen=True)
class AllOf:
    """Several conclusions at once.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(AllOf(AtMost(0, x), AtMost(-x, 0)))
    0 <= x and -x <= 0
    """

    parts: tuple[Any, ...]

    def __init__(self, *parts: Any) -> None:
        if not parts:
            raise ValueError("Expected at least one conclusion in AllOf().")
        object.__setattr__(self, "parts", parts)

    def __str__(self) -> str:
        return " and ".join(str(part) for part in self.parts)


@dataclass(frozen=True)
class ForSome:
    """There are values of `symbols` with which `relation` holds; `at` shows them, made of the symbols `of`
    alone.

    What is quantified after the constants must not stand in `of`: constants that may depend on it are another
    statement.

    >>> c, x = sp.symbols("c x", positive=True)
    >>> print(ForSome([c], AtMost(x, c * (1 + x)), at={c: 1}))
    for some c: x <= c*(x + 1)
    """

    symbols: Sequence[sp.Symbol]
    relation: Any
    at: dict[Any, Any]
    of: Sequence[sp.Symbol] = ()

    def __str__(self) -> str:
        return f"for some {', '.join(map(str, self.symbols))}: {self.relation}"


@dataclass(frozen=True)
class ForEvery:
    """A hypothesis about a sequence: `relation` holds for every whole `index` from `low` to `high`.

    >>> t, T = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True)
    >>> x = sp.IndexedBase("x", positive=True)
    >>> print(ForEvery(AtMost(x[t + 1], x[t] / 2), t, 1, T))
    x[t + 1] <= x[t]/2 for t = 1..T
    """

    relation: AtMost | Equal
    index: sp.Symbol
    low: Any
    high: Any

    def __post_init__(self) -> None:
        # Where it is used at an index, conditions of its own would be forgotten.
        if self.relation.given:
            raise ValueError(
                f"Expected relation={self.relation} without hypotheses of its own in a ForEvery: write them "
                "into the range, or among the hypotheses of the theorem."
            )

    def __str__(self) -> str:
        return f"{self.relation} for {self.index} = {self.low}..{self.high}"


@dataclass(frozen=True)
class Iterates:
    """An iteration: for every index from `low` to `high` each vector of `state` becomes that of `step`, which
    holds the state and fresh `noises`; the sequence `name` is the expectation of `value`, a number made of
    the state.

    So name[low] is its expectation at the start, and name[high + 1] at the end. An entry of a sequence of
    vectors in a step may be any vector, random and dependent on the past: a step is shown whatever it is.
    `where` are conditions that every state before a step meets, for every outcome.
    """

    name: sp.IndexedBase
    value: Any
    state: Sequence[Any]
    step: Sequence[Any]
    noises: Sequence[Any]
    index: sp.Symbol
    low: Any
    high: Any
    where: Sequence[Any] = ()

    def __post_init__(self) -> None:
        if len(self.state) != len(self.step):
            raise ValueError(
                f"Expected as many vectors in step as in state, got {len(self.step)} for {len(self.state)}."
            )
        for field in ("state", "step", "noises", "where"):
            object.__setattr__(self, field, tuple(getattr(self, field)))

    @property
    def after(self) -> Any:
        """The value after one step, from an arbitrary state."""
        later = self.value.xreplace({self.index: self.index + 1})
        return later.xreplace({old.basis: new for old, new in zip(self.state, self.step)})

    def __str__(self) -> str:
        moves = ", ".join(f"{old} -> {new}" for old, new in zip(self.state, self.step))
        limits = f"{self.index} = {self.low}..{self.high}"
        where = f", where {', '.join(sp.sstr(condition) for condition in self.where)}" if self.where else ""
        return (
            f"{self.name[self.index]} is E[{sp.sstr(self.value)}] before step {self.index} of "
            f"{moves}, {limits}{where}"
        )


@dataclass(frozen=True)
class Descend:
    """E value(after a step) <= ratio value(before) + extra, whatever the state: a recursion of expectations.

    `by` are conditions that hold for every outcome, such as instances of a descent lemma. `beside` are other
    expectations of the same iteration, each with its factor on the right side, as they are before the step;
    `later` are such expectations as they are after it. `exact` says = for <=.
    """

    iterates: Iterates
    ratio: Any
    extra: Any
    reason: str
    by: tuple[Any, ...] = ()
    beside: tuple[tuple[Iterates, Any], ...] = ()
    later: tuple[tuple[Iterates, Any], ...] = ()
    exact: bool = False


@dataclass(frozen=True)
class Have:
    """A fact that follows from the hypotheses and the earlier facts."""

    relation: Any
    reason: str


@dataclass(frozen=True)
class Calc:
    """A chain of comparisons, each with its reason."""

    start: Any
    links: tuple[tuple[str, Any, str], ...]


@dataclass(frozen=True)
class Use:
    """An earlier claim with terms for its symbols (by name): once, for every index of a range, or in the case
    of a condition.
    """

    id: str
    reason: str
    terms: dict[str, Any]
    over: tuple[sp.Symbol, Any, Any] | None = None
    when: Any = None


@dataclass(frozen=True)
class SumOver:
    """A relation that holds for every index, added up over its range."""

    relation: AtMost | Equal
    index: sp.Symbol
    low: Any
    high: Any
    reason: str


@dataclass(frozen=True)
class Unroll:
    """x[t+1] <= ratio x[t] + extra for every t from low to high, applied until x[high+1]."""

    entry: Any  # an entry of a sequence, or a combination of entries
    ratio: Any
    extra: Any
    index: sp.Symbol
    low: Any
    high: Any
    reason: str


@dataclass(frozen=True)
class At:
    """One instance of a hypothesis that holds for every index."""

    hypothesis: ForEvery
    value: Any
    reason: str


@dataclass(frozen=True)
class Expect:
    """A relation that holds for every outcome of some noises, with the expectation taken on both sides."""

    relation: AtMost | Equal
    noises: tuple[Any, ...]
    reason: str


@dataclass(frozen=True)
class Jensen:
    """E sqrt(X) <= sqrt(E X) for X >= 0, or f(E x) <= E f(x) for a convex f at a point."""

    square: Any
    noises: tuple[Any, ...]
    point: Any
    reason: str


@dataclass(frozen=True)
class Cases:
    """Conditions of which one always holds; the conclusion is shown under each."""

    conditions: tuple[Any, ...]
    reason: str


@dataclass(frozen=True)
class Induct:
    """The conclusion at the start, and from one value of `over` to the next."""

    over: sp.Symbol
    start: Any
    reason: str


Inference = Descend | Have | Calc | Use | SumOver | Unroll | At | Expect | Jensen | Cases | Induct


@dataclass(frozen=True)
class Theorem:
    """Hypotheses and a conclusion, with a proof; what is proved or refuted is this statement.

    >>> x, y = sp.symbols("x y", real=True)
    >>> theorem = Theorem(given=[x <= y], shows=AtMost(2 * x, 2 * y + 1)).have(AtMost(2 * x, 2 * y), "twice")
    >>> print(theorem)
    2*x <= 2*y + 1   given x <= y
    """

    shows: Any
    given: Given = ()
    proof: tuple[Inference, ...] = ()

    def _with(self, inference: Inference) -> Theorem:
        return replace(self, proof=(*self.proof, inference))

    def have(self, relation: Any, reason: str) -> Theorem:
        """With a fact that follows from the hypotheses and the facts before it."""
        return self._with(Have(relation, reason))

    def calc(self, start: Any, *links: tuple[str, Any, str]) -> Theorem:
        """With a chain `start op term op term ...`, op one of "=", "<=", "<", each link with its reason."""
        for link in links:
            if len(link) != 3 or link[0] not in ("=", "<=", "<"):
                raise ValueError(f"Expected a link ('=' | '<=' | '<', term, reason), got {link!r}.")
        if not links:
            raise ValueError("Expected at least one link in calc().")
        return self._with(Calc(sp.sympify(start), links))

    def use(
        self,
        id: str,
        reason: str = "",
        over: tuple[sp.Symbol, Any, Any] | None = None,
        when: Any = None,
        **terms: Any,
    ) -> Theorem:
        """With what an earlier claim says of these terms (by the names of its symbols).

        With `over=(t, 1, T)` it is shown to apply to every t of the range, where the hypotheses for every t
        on the sequences in the terms are known, and what it says is known for every t. With `when` it need
        apply in that case only, which is one of `cases`, and is known there.
        """
        if over is not None and when is not None:
            raise ValueError(f"Expected over={over} or when={when} in use({id!r}), not both.")
        return self._with(Use(id, reason, terms, over, when))

    def sum(self, relation: AtMost | Equal, limits: tuple[sp.Symbol, Any, Any], reason: str) -> Theorem:
        """With a relation that holds for every index in the range, added up over it."""
        return self._with(SumOver(relation, *limits, reason))

    def unroll(
        self, entry: Any, ratio: Any, extra: Any, limits: tuple[sp.Symbol, Any, Any], reason: str
    ) -> Theorem:
        """With entry(t+1) <= ratio entry(t) + extra(t) applied for every t of the range; the ratio is
        constant and not negative.
        """
        return self._with(Unroll(entry, ratio, extra, *limits, reason))

    def at(self, hypothesis: ForEvery, value: Any, reason: str = "") -> Theorem:
        """With a hypothesis or a recursion that holds for every index, at one value of the index."""
        return self._with(At(hypothesis, value, reason))

    def expect(self, relation: AtMost | Equal, noises: Sequence[Any], reason: str) -> Theorem:
        """With a relation that holds for every outcome of the noises, in expectation (the last noise
        first).
        """
        return self._with(Expect(relation, tuple(noises), reason))

    def jensen(self, of: Any, noises: Sequence[Any], at: Any = None, reason: str = "Jensen") -> Theorem:
        """With E sqrt(X) <= sqrt(E X) for a scalar X >= 0, or f(E x) <= E f(x) for a convex f at the
        point x.
        """
        return self._with(Jensen(of, tuple(noises), at, reason))

    def descend(
        self,
        iterates: Iterates,
        ratio: Any,
        extra: Any,
        reason: str,
        by: Sequence[Any] = (),
        beside: Sequence[tuple[Iterates, Any]] = (),
        later: Sequence[tuple[Iterates, Any]] = (),
        exact: bool = False,
    ) -> Theorem:
        """With the recursion E value(after) <= ratio E value(before) + extra, shown for one step from any
        state.

        `by` are conditions that hold for every outcome of the noises (such as `f.descent(x, x1)`); each is
        proved, and used in expectation. With `beside=[(others, factor), ...]` the right side also has factor
        E others(before), for other expectations of the same iteration, with `later` factor E others(after);
        with `exact` the two sides are equal.
        """
        before, after = (tuple((o, sp.sympify(factor)) for o, factor in pairs) for pairs in (beside, later))
        return self._with(
            Descend(iterates, sp.sympify(ratio), sp.sympify(extra), reason, tuple(by), before, after, exact)
        )

    def cases(self, *conditions: Any, reason: str = "one of these always holds") -> Theorem:
        """With the conclusion shown under each of the conditions, of which one always holds."""
        return self._with(Cases(conditions, reason))

    def induct(self, over: sp.Symbol, start: Any, reason: str = "by induction") -> Theorem:
        """With the conclusion shown at the start and from each value of `over` to the next."""
        return self._with(Induct(over, start, reason))

    def __str__(self) -> str:
        return f"{self.shows}{described(self.given)}"


def without_content(statement: Any) -> Any | None:
    """The first comparison in what a statement shows whose two sides are one and the same expression.

    SymPy evaluates what is put in before the statement is made, and `X = X` says nothing to a reader.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> print(without_content(AllOf(AtMost(x, x + 1), Equal(x + x, 2 * x))))
    2*x = 2*x
    >>> without_content(Theorem(given=[sp.Eq(y, 2 * x)], shows=Equal(x + x, y))) is None
    True
    """
    if isinstance(statement, Theorem):
        return without_content(statement.shows)
    if isinstance(statement, AllOf):
        return next((part for p in statement.parts if (part := without_content(p)) is not None), None)
    if isinstance(statement, ForSome | Instance):
        return without_content(statement.relation)
    if isinstance(statement, Equal | AtMost):
        left, right = sides_of(statement)
        return statement if left == right else None
    return None
