"""The second solver answers for the text alone, and no question outlasts its limit."""

import signal
import time

import pytest

from dpverify.proving.limits import TimeLimit
from dpverify.second_solver import cvc5_agrees

pytest.importorskip("cvc5")

SQUARE = "(declare-fun x () Real) (assert (< (+ (* x x) {}) 0.0))"


def _product(left: str, right: str) -> str:
    """The inner product of two vectors, by the names of their entries."""
    return f"(+ {' '.join(f'(* {x} {y})' for x, y in zip(left, right))})"


CAUCHY_SCHWARZ = "".join(f"(declare-fun {x} () Real)" for x in "abcdefgh") + (
    f"(assert (< (* {_product('abcd', 'abcd')} {_product('efgh', 'efgh')})"
    f" (* {_product('abcd', 'efgh')} {_product('abcd', 'efgh')})))"
)


def test_second_solver_is_asked() -> None:
    assert cvc5_agrees(SQUARE.format("1.0"), 2)
    assert not cvc5_agrees(SQUARE.format("(- 1.0)"), 2)
    assert not cvc5_agrees("(this is not SMT-LIB", 2)


def test_second_solver_that_does_not_return_is_ended() -> None:
    before = time.monotonic()
    assert not cvc5_agrees(CAUCHY_SCHWARZ, 1)  # left alone, it works on this for more than ten minutes
    assert time.monotonic() - before < 60


def test_answer_that_nobody_waited_for_is_not_given_to_the_next_question() -> None:
    def ring(*_: object) -> None:
        raise TimeLimit

    old = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TimeLimit):
            cvc5_agrees(CAUCHY_SCHWARZ, 3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert cvc5_agrees(SQUARE.format("2.0"), 2) and not cvc5_agrees(SQUARE.format("(- 2.0)"), 2)
