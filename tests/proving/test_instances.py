"""A claim uses the statement of another: where its hypotheses hold there, and nowhere else."""

from __future__ import annotations

import pytest
import sympy as sp

from dpverify.checking import check
from dpverify.relations import AtMost
from dpverify.theorems import Theorem
from dpverify.verdicts import PROVED, REFUTED

x, y = sp.symbols("x y", real=True)
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))


PAPER_OF_TWO = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost
from dpverify.theorems import Theorem

PAPER = Paper("mine", "Me (2020)")
x = sp.Symbol("x", positive=True)
y = sp.Symbol("y", real=True)

@claim(PAPER, "log", at="Lemma 1")
def logarithm_is_below_its_tangent():
    "log(1 + x) <= x for x > 0."
    return AtMost(sp.log(1 + x), x)

@claim(PAPER, "use", at="Theorem 2", uses=["log"])
def square():
    "log(2 + y^2) <= 1 + y^2 for every y."
    return Theorem(shows=AtMost(sp.log(2 + y**2), 1 + y**2)).use("log", "Lemma 1", x=1 + y**2)

@claim(PAPER, "misuse", at="Theorem 3", uses=["log"])
def outside():
    "log(1 + y) <= y wherever y is above -1."
    return Theorem(given=[y > -1], shows=AtMost(sp.log(1 + y), y)).use("log", "Lemma 1", x=y)

@claim(PAPER, "unnamed", at="Theorem 4")
def unnamed():
    "as before, without saying what it leans on."
    return Theorem(shows=AtMost(sp.log(2 + y**4), 1 + y**4 + sp.cos(y))).use("log", x=1 + y**4)
"""


def test_claims_use_each_other_by_instantiation(tmp_path) -> None:
    file = tmp_path / "two.py"
    file.write_text(PAPER_OF_TWO)
    used = {c.claim.id: c for c in check(paths=[file])}
    assert used["mine/use"].result.verdict is PROVED
    assert used["mine/use"].result.depends == ("mine/log",)
    outside = used["mine/misuse"].result
    assert not outside.depends, "the hypothesis x > 0 of the lemma does not hold there"
    assert used["mine/unnamed"].result.verdict is not PROVED


PAPER_OF_STEPS = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost
from dpverify.theorems import ForEvery, Theorem

PAPER = Paper("steps", "Me (2020)")
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
c, x = sp.symbols("c x", positive=True)
e = sp.IndexedBase("e", real=True)

def bounded(most):
    return ForEvery(AtMost(e[t], most), t, 1, T)

@claim(PAPER, "sum", at="Lemma 1")
def terms_add_up():
    "If e_t <= c for every t, the sum is at most c T."
    return Theorem(given=[bounded(c)], shows=AtMost(sp.Sum(e[t], (t, 1, T)), c * T)).sum(
        AtMost(e[t], c), (t, 1, T), "term by term")

def used(most):
    return Theorem(given=[bounded(most)], shows=AtMost(sp.Sum(e[t], (t, 1, T)), (x + 1) * T))

@claim(PAPER, "use", at="Theorem 2", uses=["sum"])
def terms_of_another_size():
    "If e_t <= x + 1 for every t, the sum is at most (x + 1) T."
    return used(1 + x).use("sum", "Lemma 1", c=1 + x)

@claim(PAPER, "misuse", at="Theorem 3", uses=["sum"])
def terms_that_are_larger():
    "The same for e_t <= x + 2."
    return used(2 + x).use("sum", "Lemma 1", c=1 + x)

@claim(PAPER, "capture", at="Theorem 4", uses=["sum"])
def terms_that_grow():
    "The same for e_t <= t, with t for c."
    return used(t).use("sum", "Lemma 1", c=t)
"""


def test_a_hypothesis_for_every_index_is_met_by_the_same_one_alone(tmp_path) -> None:
    file = tmp_path / "steps.py"
    file.write_text(PAPER_OF_STEPS)
    used = {c.claim.id: c.result for c in check(paths=[file])}
    assert used["steps/use"].verdict is PROVED
    assert used["steps/use"].depends == ("steps/sum",)
    for wrong in ("steps/misuse", "steps/capture"):
        assert used[wrong].verdict is not PROVED
        assert not used[wrong].depends


PAPER_OF_PARTS = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost
from dpverify.theorems import AllOf, Iterates, Theorem

PAPER = Paper("parts", "Me (2020)")
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
c = sp.Symbol("c", positive=True)
A = sp.IndexedBase("A", nonnegative=True)
x = Vector("x")
run = Iterates(A, norm2(x), [x], [x / 2], [], t, 1, T)

@claim(PAPER, "both", at="Lemma 1")
def two_theorems():
    "|x|^2 does not grow along x -> x/2, and c <= c^2 for c >= 1."
    falls = Theorem(given=[run], shows=AtMost(A[T + 1], A[1]))
    falls = falls.descend(run, 1, 0, "halved").unroll(A[t], 1, 0, (t, 1, T), "T times")
    return AllOf(falls, Theorem(given=[c >= 1], shows=AtMost(c, c**2)))

def used(*given, by=1 + c):
    return Theorem(given=given, shows=AtMost(A[T + 1] + by, A[1] + by**2)).use("both", "Lemma 1", c=by)

@claim(PAPER, "use", at="Theorem 2", uses=["both"])
def both_at_once():
    "Both for the same iteration, at c + 1."
    return used(run)

@claim(PAPER, "no-run", at="Theorem 3", uses=["both"])
def of_no_iteration():
    "The same of a sequence of which nothing is known."
    return used()

@claim(PAPER, "small", at="Theorem 4", uses=["both"])
def of_a_number_that_may_be_small():
    "The same at c itself, which may be below 1."
    return used(run, by=c)
"""


def test_a_claim_of_several_theorems_is_used_with_all_that_they_suppose(tmp_path) -> None:
    file = tmp_path / "parts.py"
    file.write_text(PAPER_OF_PARTS)
    used = {c.claim.id: c.result for c in check(paths=[file])}
    assert used["parts/use"].verdict is PROVED
    assert used["parts/use"].depends == ("parts/both",)
    for wrong in ("parts/no-run", "parts/small"):
        assert used[wrong].verdict is not PROVED
        assert not used[wrong].depends


PAPER_OF_RANGES = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost
from dpverify.theorems import ForEvery, Theorem

PAPER = Paper("ranges", "Me (2020)")
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
x = sp.Symbol("x", positive=True)

@claim(PAPER, "large", at="Lemma 1")
def root_of_a_large_number():
    "sqrt(x) <= x for x >= 1."
    return AtMost(sp.sqrt(x), x, given=[x >= 1])

@claim(PAPER, "small", at="Lemma 2")
def root_of_a_small_number():
    "sqrt(x) <= 1 for x <= 1."
    return AtMost(sp.sqrt(x), 1, given=[x <= 1])

def halves(start):
    low, high = (sp.Sum(term, (t, start, T)) for term in (sp.sqrt(t / 2), t / 2))
    return (
        Theorem(shows=AtMost(low, high))
        .use("large", "Lemma 1", over=(t, start, T), x=t / 2)
        .sum(AtMost(sp.sqrt(t / 2), t / 2), (t, start, T), "added up")
    )

@claim(PAPER, "every", at="Theorem 3", uses=["large"])
def roots_of_halves_from_two():
    "sum_{t=2..T} sqrt(t/2) <= sum_{t=2..T} t/2."
    return halves(2)

@claim(PAPER, "every-wrong", at="Theorem 4", uses=["large"])
def roots_of_halves_from_one():
    "The same from t = 1, where the lemma does not apply."
    return halves(1)

a = sp.IndexedBase("a", positive=True)

def entries(start):
    low, high = (sp.Sum(term, (t, 1, T)) for term in (sp.sqrt(a[t]), a[t]))
    return (
        Theorem(given=[ForEvery(AtMost(1, a[t]), t, start, T)], shows=AtMost(low, high))
        .use("large", "Lemma 1", over=(t, 1, T), x=a[t])
        .sum(AtMost(sp.sqrt(a[t]), a[t]), (t, 1, T), "added up")
    )

@claim(PAPER, "entries", at="Theorem 8", uses=["large"])
def roots_of_entries():
    "sum sqrt(a_t) <= sum a_t if every a_t is at least 1: the hypothesis is known where the lemma is used."
    return entries(1)

@claim(PAPER, "entries-wrong", at="Theorem 9", uses=["large"])
def roots_of_later_entries():
    "The same if a_t >= 1 from t = 2 on: the hypothesis does not reach the first entry."
    return entries(2)

both = Theorem(shows=AtMost(sp.sqrt(x), sp.Max(x, 1)))

@claim(PAPER, "case", at="Theorem 5", uses=["large", "small"])
def root_by_cases():
    "sqrt(x) <= max(x, 1)."
    return both.use("small", when=x <= 1, x=x).use("large", when=x >= 1, x=x).cases(x <= 1, x >= 1)

@claim(PAPER, "case-wrong", at="Theorem 6", uses=["small"])
def lemma_outside_of_its_case():
    "The same, the first lemma up to 2."
    return both.use("small", when=x <= 2, x=x).cases(x <= 2, x >= 2)

@claim(PAPER, "case-leaks", at="Theorem 7", uses=["small"])
def fact_outside_of_its_case():
    "sqrt(x) <= 1: what is known in one case is not known in the other, nor without cases."
    return Theorem(shows=AtMost(sp.sqrt(x), 1)).use("small", when=x <= 1, x=x)
"""


def test_a_claim_is_used_over_a_range_or_in_a_case_where_it_applies(tmp_path) -> None:
    file = tmp_path / "ranges.py"
    file.write_text(PAPER_OF_RANGES)
    used = {c.claim.id: c.result for c in check(paths=[file])}
    assert used["ranges/every"].verdict is used["ranges/case"].verdict is PROVED
    assert used["ranges/entries"].verdict is PROVED
    assert used["ranges/every"].depends == ("ranges/large",)
    assert set(used["ranges/case"].depends) == {"ranges/small", "ranges/large"}
    for wrong in ("ranges/every-wrong", "ranges/entries-wrong", "ranges/case-leaks"):
        assert used[wrong].verdict is REFUTED
    assert not used["ranges/case-wrong"].depends, "the lemma does not apply up to 2"
    with pytest.raises(ValueError, match="not both"):
        Theorem(shows=AtMost(x, y)).use("small", over=(t, 1, T), when=x <= 1)
