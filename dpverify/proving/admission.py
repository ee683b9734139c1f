"""Admission of a theorem: everything in it is modelled, and a point or a short run meets its hypotheses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.existence import depends_on_its_state
from dpverify.proving.forms import Refused
from dpverify.proving.members import members
from dpverify.proving.runs import FAR, LONGEST, STEPS, Run, runs
from dpverify.relations import sides_of
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem
from dpverify.verdicts import UNDECIDED, Result


def admission(theorem: Theorem, bare: Any, supposed: list[Any], effort: Effort) -> dict[str, str] | Result:
    """A point that meets the hypotheses and what is supposed in silence (`existence`), if everything in the
    statement is modelled and there is one; else the result that says what is not.
    """
    from dpverify.proving import gate

    point: dict[str, str] = {}
    # Each part has to say something under its own hypotheses.
    for number, (part, chosen) in enumerate(conjuncts(bare), 1):
        try:
            given = gate.hypotheses(gate.elaborate(part))
        except Refused as why:
            return Result(UNDECIDED, f"not modelled: {why}")
        known = [*theorem.given, *supposed]
        found = _model_of([*known, *(h for h in given if h not in known)], chosen, effort)
        if isinstance(found, Result):
            return found
        for name, value in found.items():
            point[name if point.get(name, value) == value else f"{name} in part {number}"] = value
    return point


def conjuncts(relation: Any, chosen: frozenset[Any] = frozenset()) -> Iterator[tuple[Any, frozenset[Any]]]:
    """The relations that a statement consists of, each with the symbols for which values are shown."""
    if isinstance(relation, AllOf):
        for part in relation.parts:
            yield from conjuncts(part, chosen)
    elif isinstance(relation, ForSome):
        yield from conjuncts(relation.relation, chosen | set(relation.symbols))
    else:
        yield relation, chosen


def _model_of(given: list[Any], chosen: frozenset[Any], effort: Effort) -> dict[str, str] | Result:
    """A point that meets these hypotheses, those for every index along a run; what is asked of the chosen
    values is shown, not supposed.
    """
    from dpverify.proving.deciding import model

    plain = [h for h in given if not isinstance(h, ForEvery | Iterates)]
    plain = [h for h in plain if not sp.sympify(h).free_symbols & chosen]
    every = [h for h in given if isinstance(h, ForEvery)]
    moving = _spoken_of_later(given)
    if not every and not moving:
        return model(plain, effort)
    hypotheses = [*plain, *every, *moving]
    found = _model_of_a_run(hypotheses, STEPS, effort)
    if isinstance(found, dict):
        return found
    for written in members(hypotheses) if moving else ():
        if isinstance(run := _model_of_a_run(written, LONGEST, effort), dict):
            return run
    why = f"no run of at most {LONGEST if moving else FAR} steps was found that meets the hypotheses"
    return Result(UNDECIDED, why) if found is None else found


def _model_of_a_run(given: list[Any], steps: int, effort: Effort) -> dict[str, str] | Result | None:
    """A point that meets the hypotheses along a run of at most so many steps, or that none was found; None if
    none is as short.
    """
    from dpverify.proving.deciding import model, model_found

    last: Run | None = None
    excluded = False
    for run in runs(given, steps=steps, indices=FAR):
        if sp.false in run.given:
            excluded = True
            continue
        last = run
        point = model_found(run.given, effort)
        if point is None:
            point = _constants_first(run.given, given, effort)
        if point is not None:
            return run.lengths | point
    if last is not None:
        found = model(last.given, effort)  # which says whether the hypotheses contradict each other
        return last.lengths | found if isinstance(found, dict) else found
    contradictory = "the hypotheses contradict each other along every short run"
    return Result(UNDECIDED, contradictory) if excluded else None


def _constants_first(written: list[Any], given: list[Any], effort: Effort) -> dict[str, str] | None:
    """A point found in two turns: the constants of the statement by what is said of them alone, and then the
    entries of its sequences, which are many, with these values for the constants.
    """
    from dpverify.proving.deciding import model_found

    plain = [h for h in given if not isinstance(h, ForEvery | Iterates)]
    names = {s for h in plain for s in sp.sympify(h).free_symbols if type(s) is sp.Symbol}
    of_constants = [c for c in written if sp.sympify(c).free_symbols <= names]
    constants = model_found(of_constants, effort)
    if constants is None:
        return None
    values = {s: sp.Rational(constants[s.name]) for s in names if s.name in constants}
    entries = model_found([sp.sympify(c).subs(values) for c in written], effort)
    return None if entries is None else {str(s): str(v) for s, v in values.items()} | entries


def _spoken_of_later(given: list[Any]) -> list[Iterates]:
    """The iterations whose states or expectations after the start the hypotheses restrict, and those whose
    noise a run alone shows to exist. What it starts from is free, and a restriction of that contradicts
    nothing that the iteration says.
    """
    sides = [e for h in given if isinstance(h, ForEvery) for e in (*sides_of(h.relation), h.low, h.high)]
    plain = [h for h in given if not isinstance(h, ForEvery | Iterates)]
    entries = {entry for e in (*sides, *plain) for entry in sp.sympify(e).atoms(sp.Indexed)}
    return [
        h
        for h in given
        if isinstance(h, Iterates)
        and (
            h.where
            or depends_on_its_state(h)
            or any(e.base == h.name and e.indices[0] != sp.sympify(h.low) for e in entries)
        )
    ]
