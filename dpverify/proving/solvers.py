"""What Z3 says of an SMT-LIB text: a function of the text, whatever was asked before and however busy the
machine is.

A solver's search depends on what its context has seen, and a limit in seconds on what else is running: with
either, a proof found today may be lost tomorrow. So every question has a context of its own, and Z3's limit
is its own count of work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dpverify.proving.limits import interrupting, uninterrupted
from dpverify.proving.reduction import engine

STRATEGIES = {
    "nlsat": ("simplify", "purify-arith", "propagate-values", "solve-eqs", "qfnra-nlsat"),
    "default": (),
    "smt": ("simplify", "solve-eqs", "smt"),
}


@dataclass(frozen=True)
class Answer:
    """What a solver said: that nothing meets the text, values that do, or nothing (`why`)."""

    unsatisfiable: bool = False
    values: dict[str, tuple[int, int]] | None = field(default=None, hash=False)  # numerators, denominators
    why: str = ""


def z3_context() -> tuple[Any, Any]:
    """Z3, and a context in which nothing has been asked."""
    z3 = engine("z3", "smt")
    with uninterrupted():  # half a context cannot be thrown away
        return z3, z3.Context()


class _NoAnswer(Exception):
    """Why a solver gave none."""


def ask_z3(text: str, strategy: str, work: int, wanted: tuple[str, ...] = ()) -> Answer:
    """The answer of Z3 to a text, with the values of the wanted variables if there are any that meet it.

    >>> ask_z3("(declare-fun x () Real) (assert (< (* x x) 0.0))", "nlsat", 10**6).unsatisfiable
    True
    >>> ask_z3("(declare-fun x () Real) (assert (= (* 2.0 x) 1.0))", "default", 10**6, ("x",)).values
    {'x': (1, 2)}
    """
    try:
        return _answered(text, strategy, work, wanted)
    except _NoAnswer as why:
        return Answer(why=str(why))


@lru_cache(maxsize=256)  # a search and the check of what it found ask the same; no answer is not kept
def _answered(text: str, strategy: str, work: int, wanted: tuple[str, ...]) -> Answer:
    z3, context = z3_context()
    names = STRATEGIES[strategy]
    steps = [z3.Tactic(name, ctx=context) for name in names]
    solver = z3.Then(*steps, ctx=context).solver() if names else z3.Solver(ctx=context)
    solver.set("rlimit", work)
    solver.add(z3.parse_smt2_string(text, ctx=context))
    try:
        with interrupting(context.interrupt):
            answer = solver.check()
    except z3.Z3Exception as error:
        raise _NoAnswer(f"{strategy} failed ({error})") from None
    if answer == z3.unsat:
        return Answer(unsatisfiable=True)
    if answer == z3.sat:
        return Answer(values=_values(z3, solver.model(), wanted))
    raise _NoAnswer(f"{strategy} gave no answer in {work:,} steps")


def _values(z3: Any, model: Any, wanted: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The wanted values that are rational, or near a root to 30 digits."""
    known = {declared.name(): model[declared] for declared in model.decls()}
    values = {}
    for name in wanted:
        value = known.get(name, z3.RealVal(0))  # one that the model leaves open may be anything
        if z3.is_algebraic_value(value):
            value = value.approx(30)
        if z3.is_rational_value(value):
            values[name] = (value.numerator_as_long(), value.denominator_as_long())
    return values


_BLOCK = re.compile(r"^\((?=declare-fun |assert )", re.MULTILINE)
_NAME = re.compile(r"[^\s()]+")
GROWTHS = 3  # parts of a text that are asked before the whole


def blocks(text: str) -> list[str]:
    """The declarations and assertions of a text, one after the other.

    >>> blocks("(declare-fun x () Real)\\n(assert (< x 0.0))\\n")
    ['(declare-fun x () Real)', '(assert (< x 0.0))']
    """
    return [f"({block.strip()}" for block in _BLOCK.split(text)[1:]]


def parts(text: str) -> Iterator[str]:
    """Parts of a text, each larger than the one before and none the whole: what is said of the variables of
    its last assertion alone, then of those too that stand beside them. If nothing meets a part, nothing meets
    the text; what has nothing to do with the matter is what solvers lose their way in.

    >>> both = "(declare-fun x () Real)\\n(declare-fun y () Real)\\n"
    >>> list(parts(both + "(assert (> y 0.0))\\n(assert (< (* x x) 0.0))\\n"))
    ['(declare-fun x () Real)\\n(assert (< (* x x) 0.0))\\n']
    """
    declared = {block.split()[1]: block for block in blocks(text) if block.startswith("(declare-fun")}
    asserted = dict.fromkeys(block for block in blocks(text) if block.startswith("(assert"))
    names = {block: frozenset(_NAME.findall(block)) & declared.keys() for block in asserted}
    if not names:
        return
    known = frozenset(names[next(reversed(asserted))])
    for _ in range(GROWTHS):
        chosen = [block for block in asserted if names[block] <= known]
        if len(chosen) == len(asserted):
            return
        yield _written([declared[n] for n in declared if n in known], chosen)
        beside = [those for those in names.values() if those & known and len(those - known) <= 1]
        if known == known.union(*beside):
            return
        known = known.union(*beside)


def core(text: str, strategy: str, work: int = 300_000) -> str:
    """A text without assertions that a solver does not need to find that nothing meets it, with so much work
    for each: first whole stretches are left out, then single ones, and at last the variables that nothing is
    said of.

    >>> both = "(declare-fun x () Real)\\n(declare-fun y () Real)\\n"
    >>> core(both + "(assert (> y 0.0))\\n(assert (< (* x x) 0.0))\\n", "nlsat")
    '(declare-fun x () Real)\\n(assert (< (* x x) 0.0))\\n'
    """
    declared = [block for block in blocks(text) if block.startswith("(declare-fun")]
    needed = [block for block in blocks(text) if block.startswith("(assert")]
    length = max(1, len(needed) // 2)
    while True:
        start = 0
        while start < len(needed):
            fewer = needed[:start] + needed[start + length :]
            if fewer and ask_z3(_written(declared, fewer), strategy, work).unsatisfiable:
                needed = fewer
            else:
                start += length
        if length == 1:
            return _written(declared, needed)
        length = max(1, length // 2)


def _written(declared: Sequence[str], asserted: Sequence[str]) -> str:
    """The text of some assertions, with the declarations that they need."""
    names = {name for block in asserted for name in _NAME.findall(block)}
    return "".join(f"{block}\n" for block in (*(d for d in declared if d.split()[1] in names), *asserted))
