"""A solver's answer depends on the question alone, and no question outlasts its limit."""

import pytest
import sympy as sp

from dpverify.effort import QUICK
from dpverify.proving import polynomials, solvers
from dpverify.proving.reduction import Certificate
from dpverify.proving.solvers import STRATEGIES, ask_z3, blocks, parts
from dpverify.relations import AtMost

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


def test_unsatisfiable_part_is_found_by_what_the_conclusion_speaks_of() -> None:
    lines = ["(declare-fun x () Real)", "(declare-fun y () Real)", "(declare-fun z () Real)"]
    lines += ["(assert (> z 5.0))", "(assert (= x (* y y)))", "(assert (< x 0.0))"]
    first, second = parts("\n".join(lines))
    assert blocks(first) == [lines[0], lines[5]] and not ask_z3(first, "nlsat", 10**6).unsatisfiable
    assert blocks(second) == [lines[0], lines[1], lines[4], lines[5]]
    assert ask_z3(second, "nlsat", 10**6).unsatisfiable


@pytest.mark.parametrize("forged", ["{}(assert false)\n", " (assert false)\n{}", "{}\n (assert false)"])
def test_assertion_that_only_the_certificate_has_proves_nothing(forged: str) -> None:
    x, y = sp.symbols("x y", real=True)
    outcome = polynomials.attempt(AtMost(x, 1, (x <= y, y <= 1)), QUICK)
    assert isinstance(outcome, Certificate)
    assert polynomials.check(AtMost(x, 1, (x <= y, y <= 1)), outcome.content)
    false = AtMost(x, 1, (x <= y, y <= 2))
    assert not polynomials.check(false, outcome.content)
    assert not polynomials.check(false, outcome.content | {"smt2": forged.format(outcome.content["smt2"])})
