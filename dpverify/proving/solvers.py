"""What Z3 and cvc5 say of an SMT-LIB text: a function of the text, whatever was asked before and however busy
the machine is.

A solver's search depends on what its context has seen, and a limit in seconds on what else is running: with
either, a proof found today may be lost tomorrow. So every question has a context of its own, and Z3's limit
is its own count of work. cvc5 does not count inside its longest steps, nor can it be interrupted there: it
works in a process of its own, which ends with so much processor time.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
from collections.abc import Sequence
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


@lru_cache(maxsize=4096)
def cvc5_agrees(text: str, seconds: int) -> bool:
    """Whether cvc5 finds the text unsatisfiable within so many seconds of processor time; False too if it is
    not installed.

    >>> cvc5_agrees("(declare-fun x () Real) (assert (< (* x x) 0.0))", 2) or not cvc5_is_installed()
    True
    """
    if not cvc5_is_installed():
        return False
    import cvc5  # noqa: F401  here, so that the process below has it

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"no"
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            answer = b"yes" if _unsatisfiable_by_cvc5(text) else b"no"
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            return pipe.read() == b"yes"
    finally:  # whatever ended the wait, the process ends with it
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _unsatisfiable_by_cvc5(text: str) -> bool:
    import cvc5

    whole = "() Int)" in text
    solver = cvc5.Solver()
    solver.setLogic(("QF_NIRA" if "() Real)" in text else "QF_NIA") if whole else "QF_NRA")
    if not whole:
        solver.setOption("nl-cov", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    symbols = parser.getSymbolManager()
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, symbols)
        return bool(solver.checkSat().isUnsat())
    except RuntimeError:  # a text that it does not parse
        return False


def cvc5_is_installed() -> bool:
    """Whether the second solver is there.

    >>> cvc5_is_installed() in (True, False)
    True
    """
    return importlib.util.find_spec("cvc5") is not None
