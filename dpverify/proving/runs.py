"""Short runs: a statement about sequences with numbers for its lengths, every hypothesis written out.

    for t = 1..T: e[t+1] <= e[t]/2          at T = 2:  e_2 <= e_1/2, e_3 <= e_2/2
    V[t] = E|x|^2 along x -> x/2 + nu       at T = 1:  V_1 = |x|^2, V_2 = |x|^2/4 + E|nu|^2

An entry of a sequence becomes a number of its own, an iteration begins at a fixed state, the noise of each
step is drawn afresh, and there is one: its variance is not negative there. A run is a case of the statement:
what breaks it breaks the statement, and a point that meets its hypotheses meets those of the statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sympy as sp

from dpverify.language.expectations import Draw, E, holds_noise, within
from dpverify.language.functions import coefficients
from dpverify.language.vectors import Vector
from dpverify.proving.assumptions import admits
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import truth
from dpverify.proving.existence import nonnegative_form
from dpverify.proving.symbols import fresh, placed
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.theorems import ForEvery, Iterates

LONGEST, STEPS = 12, 2  # indices in one range, and steps of an iteration, that are written out
FAR = 40  # indices where hypotheses ask for that many
MOST = 3  # runs
TRIED = 6  # values of each length


class Run(NamedTuple):
    """The numbers for the lengths, the hypotheses, and the conclusion, if it is written out too."""

    lengths: dict[str, str]
    given: list[Any]
    shows: AtMost | Equal | None


def runs(
    given: Sequence[Any], shows: Any = None, steps: int = STEPS, indices: int = LONGEST
) -> Iterator[Run]:
    """The shortest runs that the hypotheses on the lengths allow, of at most so many steps of an iteration
    and so many indices of another hypothesis.

    >>> from dpverify.theorems import ForEvery
    >>> t, T = sp.Symbol("t", integer=True), sp.Symbol("T", integer=True, positive=True)
    >>> e = sp.IndexedBase("e", real=True)
    >>> halving = ForEvery(AtMost(e[t + 1], e[t] / 2), t, 1, T)
    >>> first = next(runs([halving], AtMost(e[T + 1], e[1] / 4)))
    >>> print(first.lengths, first.shows)
    {'T': '1'} e_2 <= e_1/4   given e_2 <= e_1/2
    """
    every = [h for h in given if isinstance(h, ForEvery | Iterates)]
    plain = [sp.sympify(h) for h in given if not isinstance(h, ForEvery | Iterates)]
    if any(not _moves_freely(h, plain) for h in every if isinstance(h, Iterates)):
        return
    spoken = [*plain, *(sides_of(shows) if shows is not None else ())]
    found = 0
    for values in _values(_lengths(every, spoken), plain):
        if (run := _at(values, every, plain, shows, steps, indices)) is not None:
            yield run
            found += sp.false not in run.given  # one that the hypotheses exclude shows nothing
        if found == MOST:
            return


def _lengths(every: list[Any], spoken: list[Any]) -> list[Any]:
    """The symbols that have to be numbers for every range and every sum of entries to be written out."""
    whole = {s for h in every for end in (h.low, h.high) for s in sp.sympify(end).free_symbols}
    for e in spoken:
        whole |= _in_indices(e)
    for h in every:
        if isinstance(h, ForEvery):
            whole |= {s for side in sides_of(h.relation) for s in _in_indices(side)} - {h.index}
    return sorted(whole, key=str)


def _in_indices(e: Any) -> set[Any]:
    """The symbols that stand free in an expression and say which entries of sequences it holds."""
    totals = [total for total in e.atoms(sp.Sum, sp.Product) if total.has(sp.Indexed)]
    ends = {
        s
        for total in totals
        for _, low, high in total.limits
        for end in (low, high)
        for s in end.free_symbols
    }
    indices = {s for entry in e.atoms(sp.Indexed) for i in entry.indices for s in i.free_symbols}
    return (ends | indices) & e.free_symbols


def _values(lengths: list[Any], plain: list[Any]) -> Iterator[dict[Any, Any]]:
    """Values for the lengths, the small ones first."""
    if not all(isinstance(s, sp.Symbol) and s.is_integer for s in lengths):
        return
    ties = [c for c in plain if c.free_symbols <= set(lengths) and not c.atoms(sp.Indexed)]
    domain = Domain(lengths, ties)
    options = []
    for s in lengths:
        if s not in domain.bounds:  # an equation defines it
            return
        start = domain.shortest(s) if domain.bounds[s].low.is_finite else 1
        near = [sp.Integer(v) for v in range(start, start + 60)]
        options.append([v for v in near if domain.bounds[s].contains(v) and admits(s, v)][:TRIED])
    for combination in sorted(itertools.product(*options), key=lambda c: (sum(c), c)):
        values = dict(zip(lengths, combination))
        if all(truth(c, values) is not False for c in ties):
            yield values


def _at(
    values: dict[Any, Any], every: list[Any], plain: list[Any], shows: Any, steps: int, indices: int
) -> Run | None:
    """The run with these lengths; None if it is too long, not all of it is known, or there is none."""
    conditions = [placed(c, values) for c in plain]
    known: dict[Any, Any] = {}  # the expectations along an iteration, which have the signs of their names
    for h in every:
        low, high = (sp.sympify(end).xreplace(values) for end in (h.low, h.high))
        if not (low.is_Integer and high.is_Integer):
            return None
        along = range(int(low), int(high) + 1)
        if len(along) > (steps if isinstance(h, Iterates) else indices):
            return None
        if isinstance(h, Iterates):
            if (moments := _expectations(h, along, values)) is None:
                return None
            reached, drawable = moments
            known |= reached
            conditions += drawable
            conditions += [c for entry, e in reached.items() for c in Domain.inherited(entry, e)]
        else:
            conditions += [_condition(h.relation, {h.index: sp.Integer(i)} | values) for i in along]
    conditions = [written_out(c).xreplace(known) for c in conditions]
    sides = [] if shows is None else [placed(side, values) for side in sides_of(shows)]
    sides = [written_out(side).xreplace(known) for side in sides]
    names = {h.name for h in every if isinstance(h, Iterates)}
    entries = {entry for e in (*conditions, *sides) for entry in e.atoms(sp.Indexed)}
    if any(entry.base in names or not all(i.is_Integer for i in entry.indices) for entry in entries):
        return None  # an expectation that the iteration does not reach, an entry that is not known
    swap = _numbers([*conditions, *sides])
    held = [c for condition in conditions if (c := condition.xreplace(swap)) is not sp.true]
    if sp.false in held and shows is not None:  # nothing can fail where no run is
        return None
    conclusion: AtMost | Equal | None = None
    if shows is not None:
        left, right = (side.xreplace(swap) for side in sides)
        conclusion = (
            Equal(left, right, held)
            if isinstance(shows, Equal)
            else AtMost(left, right, held, strict=shows.strict)
        )
    return Run({str(s): str(v) for s, v in values.items()}, held, conclusion)


def _moves_freely(process: Iterates, plain: list[Any]) -> bool:
    """Whether the value is made of the state alone, and no hypothesis restricts the state: it moves."""
    if process.name[process.index].is_integer:
        return False
    states = {vector.basis for vector in process.state}
    return not holds_noise(process.value, process.noises) and not any(states & within(c) for c in plain)


def _condition(relation: AtMost | Equal, terms: dict[Any, Any]) -> Any:
    left, right = (placed(side, terms) for side in sides_of(relation))
    if isinstance(relation, Equal):
        return sp.Eq(left, right)
    return sp.Lt(left, right) if relation.strict else sp.Le(left, right)


def _expectations(
    process: Iterates, steps: range, values: dict[Any, Any]
) -> tuple[dict[Any, Any], list[Any]] | None:
    """The expectation before each step and after the last, from a fixed state, and what must hold for every
    state and for the noise of each step to exist; None if that depends on how the noises before it come out,
    or a long run has noise that does.
    """

    def value(i: int) -> Any:
        return process.value.xreplace({process.index: sp.Integer(i)} | values)

    known = {process.name[steps.start]: value(steps.start)}
    now: dict[Any, Vector] = {old.basis: old for old in process.state}
    drawn: list[Vector] = []
    drawable: list[Any] = []
    for i in steps:
        here: dict[Any, Any] = {process.index: sp.Integer(i)} | values
        met = [condition.xreplace(here | now) for condition in process.where]
        if any(holds_noise(condition) for condition in met):
            return None  # whether every outcome meets it is not seen
        drawable += met
        fresh_noise: dict[Any, Vector] = {}
        for noise in process.noises:
            draw = noise.basis
            mean, variance = draw.mean.replaced(here | now), draw.variance.xreplace(here | now)
            copy = Vector.combination({Draw(f"{draw.name}_{i}", mean, variance, draw.law): 1})
            fresh_noise[draw] = copy
            moved = holds_noise(variance)
            if moved and len(steps) > STEPS:  # every step would write out all those before it, many times
                return None
            if not variance.is_nonnegative:
                if not moved:
                    drawable.append(sp.Le(0, variance))
                elif (always := nonnegative_form(draw.variance.xreplace(here))) is not None:
                    drawable += always
                else:
                    return None
            drawn.append(copy)
        moves = here | now | fresh_noise
        now = {old.basis: new.replaced(moves) for old, new in zip(process.state, process.step)}
        known[process.name[i + 1]] = E(value(i + 1).xreplace(now), *drawn)
    return known, drawable


def _numbers(expressions: list[Any]) -> dict[Any, Any]:
    """A number of its own, with what is declared of it, for every entry of a sequence."""
    whole = [*expressions, *coefficients(expressions)]
    swap: dict[Any, Any] = {}
    for entry in sorted({i for e in whole for i in e.atoms(sp.Indexed)}, key=sp.default_sort_key):
        name = "_".join([str(entry.base.label), *map(str, entry.indices)])
        taken = [*whole, *swap.values()]
        swap[entry] = fresh(name, taken, **entry.base.label._assumptions_orig)
    return swap
