"""A solver's answer depends on the question alone, and no question outlasts its limit."""

import time

import pytest

from dpverify.proving import solvers
from dpverify.proving.solvers import STRATEGIES, ask_z3, cvc5_agrees

pytest.importorskip("z3")


def _product(left: str, right: str) -> str:
    """The inner product of two vectors, by the names of their entries."""
    return f"(+ {' '.join(f'(* {x} {y})' for x, y in zip(left, right))})"


CAUCHY_SCHWARZ = "".join(f"(declare-fun {x} () Real)" for x in "abcdefgh") + (
    f"(assert (< (* {_product('abcd', 'abcd')} {_product('efgh', 'efgh')})"
    f" (* {_product('abcd', 'efgh')} {_product('abcd', 'efgh')})))"
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_same_question_same_answer_whatever_was_asked_before(strategy: str) -> None:
    first = ask_z3(CAUCHY_SCHWARZ, strategy, 1_000_000)
    for power in range(2, 6):
        ask_z3(f"(declare-fun x () Real) (assert (> {'(* x ' * power}x{')' * power} 2.0))", strategy, 100_000)
    solvers._answered.cache_clear()
    assert ask_z3(CAUCHY_SCHWARZ, strategy, 1_000_000) == first


def test_limit_is_an_amount_of_work() -> None:
    assert ask_z3(CAUCHY_SCHWARZ, "smt", 1_000_000).unsatisfiable
    assert ask_z3(CAUCHY_SCHWARZ, "smt", 10_000).why == "smt gave no answer in 10,000 steps"


def test_second_solver_is_asked() -> None:
    pytest.importorskip("cvc5")
    assert cvc5_agrees("(declare-fun x () Real) (assert (< (+ (* x x) 1.0) 0.0))", 2)
    assert not cvc5_agrees("(declare-fun x () Real) (assert (< (+ (* x x) (- 1.0)) 0.0))", 2)
    assert not cvc5_agrees("(this is not SMT-LIB", 2)


def test_second_solver_that_does_not_return_is_ended() -> None:
    pytest.importorskip("cvc5")
    before = time.monotonic()
    assert not cvc5_agrees(CAUCHY_SCHWARZ, 1)  # left alone, it works on this for more than ten minutes
    assert time.monotonic() - before < 60
