"""What cvc5 says of an SMT-LIB text, in a process that ends with so much processor time: it does not count
inside its longest steps, nor can it be interrupted there.

Such a process is forked for every question, from one that is kept and has loaded nothing but cvc5: forking
one that is full of algebra takes longer than most questions.
"""

from __future__ import annotations

import importlib.util
import os
import resource
from functools import lru_cache

from dpverify.workers import Stopped, WorkersDied, within

PATIENCE = 100  # seconds on the clock for one of processor time: the machine may be busy


@lru_cache(maxsize=4096)
def cvc5_agrees(text: str, seconds: int) -> bool:
    """Whether cvc5 finds the text unsatisfiable within so many seconds of processor time; False too if it is
    not installed.

    >>> cvc5_agrees("(declare-fun x () Real) (assert (< (* x x) 0.0))", 2) or not cvc5_is_installed()
    True
    """
    if not cvc5_is_installed():
        return False
    try:
        return bool(within(float(PATIENCE * seconds), _forked, seconds, text))
    except (Stopped, WorkersDied):
        return False


def _forked(seconds: int, text: str) -> bool:
    """The answer of a process of its own; one that was ended has none."""
    import cvc5  # noqa: F401  here, so that the process below has it

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"no"
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            answer = b"yes" if _unsatisfiable(text) else b"no"
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer == b"yes"


def _unsatisfiable(text: str) -> bool:
    import cvc5

    whole = "() Int)" in text
    solver = cvc5.Solver()
    solver.setLogic(("QF_NIRA" if "() Real)" in text else "QF_NIA") if whole else "QF_NRA")
    if not whole:
        solver.setOption("nl-cov", "true")
        solver.setOption("nl-cov-prune", "true")
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
