"""Statements and their proofs: each rule gives what it may give, and nothing more."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp

from dpverify.language import Function, Noise, Vector, norm2
from dpverify.proving import prove
from dpverify.proving.judges import judges_of, one_solver
from dpverify.relations import AtMost, Equal
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem, domains, formal, latex
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Evidence, Result

x, y, z = sp.symbols("x y z", real=True)
a, g = sp.symbols("a g", positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
e, b = (sp.IndexedBase(name, positive=True) for name in ("e", "b"))
recursion = ForEvery(AtMost(e[t + 1], g * e[t] + b[t]), t, 1, T)
unrolled = g**T * e[1] + sp.Sum(g ** (T - t) * b[t], (t, 1, T))

TRUE = {
    "have": Theorem(given=[x <= y], shows=AtMost(2 * x, 2 * y + 1)).have(AtMost(2 * x, 2 * y), "twice"),
    "calc": Theorem(given=[x <= y, y <= z], shows=AtMost(x, z)).calc(
        x, ("<=", y, "first"), ("<=", z, "second")
    ),
    "unroll": Theorem(given=[recursion], shows=AtMost(e[T + 1], unrolled)).unroll(
        e[t], g, b[t], (t, 1, T), "step by step"
    ),
    "sum": Theorem(given=[recursion, g <= 1], shows=AtMost(e[T + 1], e[1] + sp.Sum(b[t], (t, 1, T))))
    .sum(AtMost(e[t + 1] - e[t], b[t]), (t, 1, T), "each step")
    .have(Equal(sp.Sum(e[t + 1] - e[t], (t, 1, T)), e[T + 1] - e[1]), "it telescopes"),
    "at": Theorem(given=[recursion], shows=AtMost(e[2], g * e[1] + b[1])).at(recursion, 1),
    "induction": Theorem(shows=AtMost(T, 2**T)).induct(T, 1),
    "cases": Theorem(shows=AtMost(sp.Abs(x), sp.sqrt(x**2 + 1))).cases(x >= 0, x < 0),
    "all of": Theorem(shows=AllOf(AtMost(2 * x * y, x**2 + y**2), AtMost(-2 * x * y, x**2 + y**2))),
    "for some": ForSome([a], AtMost(x / (1 + x**2), a), at={a: sp.Rational(1, 2)}),
}

FALSE = {
    "true steps, another conclusion": Theorem(shows=AtMost(x, y + 1)).have(AtMost(x, x + 1), "always"),
    "a step under a condition of its own": Theorem(shows=AtMost(x, y)).have(
        AtMost(x, y, [x <= y]), "given that"
    ),
    "a conjunction with one false part": Theorem(shows=AllOf(AtMost(x, x + 1), AtMost(x, y))),
    "a chain with a false link": Theorem(shows=AtMost(x, z)).calc(x, ("<=", y, "no"), ("<=", z, "no")),
    "unrolled once too often": Theorem(given=[recursion], shows=AtMost(e[T + 2], unrolled)).unroll(
        e[t], g, b[t], (t, 1, T + 1), "beyond the range"
    ),
    "unrolled with a negative ratio": Theorem(
        given=[ForEvery(AtMost(e[t + 1], -g * e[t] + b[t]), t, 1, T)],
        shows=AtMost(e[T + 1], (-g) ** T * e[1]),
    ).unroll(e[t], -g, b[t], (t, 1, T), "no"),
    "a strict sum that may be empty": Theorem(shows=AtMost(0, sp.Sum(b[t], (t, 2, T)), strict=True)).sum(
        AtMost(0, b[t], strict=True), (t, 2, T), "each is positive"
    ),
    "an instance outside of the range": Theorem(given=[recursion], shows=AtMost(e[1], g * e[0] + b[0])).at(
        recursion, 0
    ),
    "an induction that starts too late": Theorem(shows=AtMost(n**2, 2**n)).induct(n, 4),
    "an induction without a start": Theorem(shows=AtMost(2**T + 1, 2**T)).induct(T, 1),
    "cases that leave one out": Theorem(shows=AtMost(sp.Abs(x), x + 1)).cases(x >= 0, x > 1),
    "a constant that depends on what comes after it": ForSome([a], AtMost(x, a), at={a: x**2 + 1}),
    "a choice that fails": ForSome([a], AtMost(x / (1 + x**2), a), at={a: sp.Rational(1, 3)}),
    "a proof by another claim that nobody knows": Theorem(shows=AtMost(x, y)).use("lemma-1"),
}


@pytest.mark.parametrize("name", TRUE)
def test_rules_prove_what_follows(name: str) -> None:
    result = prove(TRUE[name])
    assert result.verdict is PROVED, result.because
    assert result.judges and not one_solver(result)


@pytest.mark.parametrize("name", FALSE)
def test_rules_prove_nothing_more(name: str) -> None:
    assert prove(FALSE[name]).verdict is not PROVED


def test_false_conclusion_is_refuted_by_a_point_whatever_the_steps_say() -> None:
    result = prove(FALSE["true steps, another conclusion"])
    assert result.verdict is REFUTED and result.witness is not None
    assert prove(FALSE["a conjunction with one false part"]).verdict is REFUTED


def test_choice_that_fails_refutes_nothing() -> None:
    assert prove(FALSE["a choice that fails"]).verdict is not REFUTED


def test_a_part_that_one_solver_decided_is_told() -> None:
    leaf = Result(PROVED, "unsat", Evidence("polynomials"), judges=("Z3",))
    assert one_solver(leaf) and judges_of(leaf) == ("Z3",)


def test_statement_names_the_domains_of_its_symbols() -> None:
    theorem = Theorem(given=[recursion, x < 1], shows=AtMost(e[T], x))
    assert domains(theorem) == ["whole T > 0", "g > 0", "real x", "sequence b > 0", "sequence e > 0"]
    assert formal(theorem).startswith("for all whole T > 0, g > 0, real x")
    assert "\\text{ for } t = 1, \\dots, T" in latex(theorem)


def test_a_part_of_a_conjunction_may_have_hypotheses_for_every_index():
    below = ForEvery(AtMost(e[t], b[t]), t, 1, T)
    sums = AtMost(sp.Sum(e[t], (t, 1, T)), sp.Sum(b[t], (t, 1, T)))
    part = Theorem(given=[below], shows=sums).sum(AtMost(e[t], b[t]), (t, 1, T), "added up")
    assert prove(AllOf(part, AtMost(0, g))).verdict is PROVED
    assert prove(AllOf(part, AtMost(1, g))).verdict is not PROVED


def test_steps_that_do_not_make_the_conclusion_prove_nothing_and_the_broken_one_is_named() -> None:
    below = ForEvery(AtMost(e[t], b[t]), t, 1, T)
    missing = Theorem(given=[below], shows=AtMost(e[T], g)).have(AtMost(2 * g, g**2 + 1), "a square")
    result = prove(missing)
    assert result.verdict is REFUTED and "step 2 (the conclusion) is REFUTED" in result.because
    assert result.steps[0].result.verdict is PROVED
    broken = prove(missing.have(AtMost(g, 1), "wishful").have(AtMost(0, g), "never reached"))
    assert broken.verdict is REFUTED and "step 2 (wishful) is REFUTED" in broken.because
    assert [step.result.verdict for step in broken.steps] == [PROVED, REFUTED]


def test_a_side_that_is_negative_has_no_logarithm_to_take():
    u = sp.Symbol("u", positive=True)
    tangent = AtMost(sp.log(1 - u), -u, given=[2 * u <= 1])
    assert prove(AllOf(tangent, AtMost(0, u))).verdict is PROVED
    assert prove(AtMost(sp.log(1 - u), -2 * u, given=[2 * u <= 1])).verdict is REFUTED


def test_a_fact_may_hold_for_every_index() -> None:
    below = ForEvery(AtMost(e[t], b[t]), t, 1, T)
    twice = ForEvery(AtMost(2 * e[t], 2 * b[t]), t, 1, T)
    sums = AtMost(sp.Sum(2 * e[t], (t, 1, T)), sp.Sum(2 * b[t], (t, 1, T)))
    proof = Theorem(given=[below], shows=sums).have(twice, "twice")
    assert prove(proof.sum(twice.relation, (t, 1, T), "added up")).verdict is PROVED
    longer = ForEvery(AtMost(2 * e[t], 2 * b[t]), t, 1, T + 1)  # nothing is known at T + 1
    assert prove(Theorem(given=[below], shows=sums).have(longer, "too long")).verdict is not PROVED


def test_the_order_of_two_sums_is_changed_by_induction() -> None:
    n, k = sp.symbols("n k", integer=True, positive=True)
    rows = sp.Sum(k * sp.Sum(e[t], (t, 1, k)), (k, 1, n))
    columns = sp.Sum(e[t] * sp.Sum(k, (k, t, n)), (t, 1, n))
    more = (n + 1) * sp.Sum(e[t], (t, 1, n + 1))

    def claim(whole, last):
        return (
            Theorem(shows=Equal(rows, whole))
            .have(Equal(rows.subs(n, n + 1) - rows, last), "one more row")
            .have(Equal(whole.subs(n, n + 1) - whole, last), "one more in each column")
            .induct(n, 1)
        )

    assert prove(claim(columns, more)).verdict is PROVED
    assert prove(claim(2 * columns, more)).verdict is REFUTED


def test_a_refused_choice_supports_nothing() -> None:
    refused = prove(ForSome([a], AtMost(T, a), at={a: T}))
    assert refused.verdict is UNDECIDED
    assert "the value of a depends on T, which comes after it" in refused.because
    unshown = prove(AllOf(AtMost(2 * x, x**2 + 1), ForSome([a], AtMost(x / (1 + x**2), a), at={})))
    assert unshown.verdict is UNDECIDED
    assert "no value of a is shown" in unshown.because


def test_a_theorem_that_is_a_step_leaves_its_conclusion() -> None:
    """y is large wherever x is; without the step nothing else says so."""
    lemma = Theorem(given=[x <= y, y <= z], shows=AtMost(x, z))
    whole = Theorem(given=[x <= y, y <= z], shows=AtMost(x, z + 1)).have(lemma, "a lemma")
    result = prove(whole)
    assert result.verdict is PROVED
    assert result.steps[0].statement.startswith("x <= z")


def test_existence_is_said_before_what_the_values_do_not_depend_on() -> None:
    bound = ForSome([a], AtMost(x / (1 + x**2), a), at={a: 1})
    assert formal(bound) == "there is a > 0 such that for all real x: x/(x**2 + 1) <= a"
    both = formal(AllOf(AtMost(2 * x, x**2 + 1), bound))
    assert both == f"for all real x: 2*x <= x**2 + 1 and {formal(bound)}"
    first = Theorem(given=[x <= g], shows=ForSome([a], AtMost(x, a), at={a: g}, of=[g]))
    assert formal(first) == "for all g > 0 there is a > 0 such that for all real x: x <= a   given x <= g"


def test_a_step_of_a_proof_is_proved_like_a_statement() -> None:
    """Wherever it stands, it has the same reductions before it."""
    u = sp.Symbol("u", nonnegative=True)
    alone = AtMost(sp.log(1 - u), -u, [2 * u <= 1])
    for statement in (alone, AllOf(alone, AtMost(0, 1)), Theorem(shows=AtMost(0, u)).have(alone, "a step")):
        assert prove(statement).verdict is PROVED


def test_reductions_end() -> None:
    """A tactic that reduces a relation to its like does not go on until Python gives up."""
    N = sp.Symbol("N", integer=True, positive=True)
    result = prove(AtMost(sp.sqrt(sp.log(sp.log(N))), 2, [N >= 10]))
    assert "deeper than Python" not in result.because
    assert result.verdict is not PROVED


def test_two_symbols_of_one_name_are_refused_in_vectors_too() -> None:
    from dpverify.language.expectations import E, Noise
    from dpverify.language.vectors import norm2

    one, other = sp.Symbol("W", positive=True), sp.Symbol("W", real=True)
    assert Noise("w", variance=one) != Noise("w", variance=other)
    result = prove(AtMost(norm2(Noise("w", variance=one)), other))
    assert result.because == "not modelled: two different symbols are called W"
    assert prove(Equal(E(norm2(Noise("w", variance=one))), one)).verdict is PROVED


def test_expectations_beside_each_other_are_of_one_iteration() -> None:
    from dataclasses import replace

    from dpverify.exam.proofs import A, moving

    other = replace(moving[1], step=[*moving[1].step[:1], moving[1].state[1]])
    theorem = Theorem(given=[moving[0], other], shows=AtMost(A[2], 5))
    result = prove(theorem.descend(moving[0], 1, 0, "the square", beside=[(other, 2)]))
    assert result.verdict is REFUTED
    assert "not expectations of one iteration" in result.because


def test_expectations_after_a_step_bound_each_other_only_if_they_do_at_every_state() -> None:
    from dataclasses import replace

    from dpverify.language.expectations import Noise
    from dpverify.language.vectors import norm2, vectors
    from dpverify.theorems import Iterates

    y, z = vectors("y z")
    nu = Noise("nu", variance=sp.Integer(1))
    small, large = (sp.IndexedBase(name, nonnegative=True) for name in ("small", "large"))
    first = Iterates(small, norm2(y), [y, z], [z + nu, y], [nu], t, 1, T)
    both = replace(first, name=large, value=norm2(y) + norm2(z))
    last = ForEvery(AtMost(small[t + 1], large[t + 1]), t, 1, T)
    theorem = Theorem(given=[first, both], shows=AtMost(small[T + 1], large[T + 1]))
    shown = theorem.descend(first, 0, 0, "a part of it", later=[(both, 1)]).at(last, T, "the last step")
    assert prove(shown).verdict is PROVED
    for factor in (sp.Rational(99, 100), 0, -1):
        less = replace(theorem, shows=AtMost(small[T + 1], factor * large[T + 1]))
        assert prove(less.descend(first, 0, 0, "less", later=[(both, factor)])).verdict is not PROVED
    unsaid = prove(theorem.at(last, T, "nobody showed it"))
    assert "not among the hypotheses and recursions" in unsaid.because
    stranger = replace(both, step=[y, z])
    mixed = Theorem(given=[first, stranger], shows=theorem.shows)
    result = prove(mixed.descend(first, 0, 0, "of another iteration", later=[(stranger, 1)]))
    assert "not expectations of one iteration" in result.because


def test_an_iteration_is_typeset_once_however_many_expectations_are_taken_along_it() -> None:
    from dataclasses import replace

    from dpverify.language.vectors import norm2, vectors
    from dpverify.theorems import Iterates, latex

    y, z = vectors("y z")
    small, large = (sp.IndexedBase(name, nonnegative=True) for name in ("small", "large"))
    first = Iterates(small, norm2(y), [y, z], [z, y], [], t, 1, T)
    given = [first, x >= 1, replace(first, name=large), replace(first, name=large, step=[y, z])]
    text = latex(Theorem(given=given, shows=AtMost(small[T + 1], large[T + 1])))
    assert text.count(r"\text{ before step } t = 1, \dots, T \text{ of }") == 2
    assert text.count(r"= \mathbb{E}[") == 3


def test_conditions_of_a_step_are_not_forgotten_when_it_is_summed_or_averaged():
    huge = sp.Integer(10) ** 400  # false, and beyond what a search tries
    conditional = AtMost(e[t], huge, given=[e[t] <= huge])
    summed = Theorem(shows=AtMost(sp.Sum(e[t], (t, 1, T)), T * huge)).sum(conditional, (t, 1, T), "added up")
    assert prove(summed).verdict is not PROVED
    known = Theorem(given=[x >= 1, ForEvery(AtMost(e[t], x), t, 1, T)], shows=summed.shows)
    assert prove(known.sum(AtMost(e[t], huge, given=[x >= 1]), (t, 1, T), "added up")).verdict is not PROVED
    fine = Theorem(given=[x >= 1], shows=AtMost(sp.Sum(e[t], (t, 1, T)), x * sp.Sum(e[t], (t, 1, T))))
    assert prove(fine.sum(AtMost(e[t], x * e[t], given=[x >= 1]), (t, 1, T), "added up")).verdict is PROVED


def test_a_hypothesis_for_every_index_has_no_conditions_of_its_own():
    with pytest.raises(ValueError, match="without hypotheses of its own"):
        ForEvery(AtMost(e[t], 1, given=[x >= 1]), t, 1, T)


def test_each_of_several_theorems_names_its_own_variables_and_noises() -> None:
    """What one part binds is not free in the other, and its noise is declared."""
    index, state = sp.Symbol("t", integer=True, positive=True), Vector("x")
    kick, mean = Noise("kick", variance=1), sp.IndexedBase("S", real=True)
    run = Iterates(mean, norm2(state), [state], [state + kick], [kick], index, 1, 3)
    first = Theorem(AtMost(mean[4], mean[1] + 3), [run])
    second = Theorem(AtMost(mean[2], 1), [ForEvery(AtMost(mean[index], 1), index, 1, 3)])
    both = formal(AllOf(first, second))
    assert both == f"{formal(first)} and {formal(second)}"
    assert "noise kick with mean 0 and variance 1 given the past" in both and "whole t" not in both
    assert formal(Theorem(AllOf(first), [sp.Ge(mean[1], 1)])).endswith(f", {run}")


def test_constants_are_found_before_the_entries_of_sequences():
    """Hypotheses on constants that few points meet, beside sequences with many entries, are met by one."""
    size, width, height = sp.symbols("size width height", positive=True)
    names = [sp.IndexedBase(name, nonnegative=True) for name in ("u", "v", "w", "x", "y")]
    falls = [ForEvery(AtMost(s[t + 1], s[t] - q[t]), t, 1, T) for s, q in itertools.pairwise(names)]
    narrow = [7 * height <= 2 * width, 3 * width <= 11 * height, 5 * size <= width * height]
    first = names[0]
    theorem = Theorem(given=[T >= 3, *falls, *narrow], shows=AtMost(first[T + 1], first[1]))
    proof = theorem.sum(AtMost(first[t + 1] - first[t], 0), (t, 1, T), "it falls").have(
        Equal(sp.Sum(first[t + 1] - first[t], (t, 1, T)), first[T + 1] - first[1]), "it telescopes"
    )
    assert prove(proof).verdict is PROVED


def test_a_function_is_not_what_its_least_value_is_called_by():
    low = sp.Symbol("low", real=True)
    f, v = Function("f", lower_bound=low), Vector("v")
    text = formal(ForSome([a], AtMost(low, f(v) + a), at={a: 1}, of=[low]))
    before, _, after = text.partition("there is a > 0 such that ")
    assert before == "for all real low " and "f is at least low" in after
