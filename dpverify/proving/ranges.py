"""Inferences over a range of indices: a relation at every index, added up, unrolled, or taken at one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.proving.proof import Proof, Stuck, as_conditions, show_conditions
from dpverify.proving.symbols import placed
from dpverify.relations import AtMost, Equal, runs_freely, sides_of
from dpverify.theorems import At, ForEvery, Iterates, SumOver, Unroll, step_of
from dpverify.verdicts import PROVED, Evidence, Result


def substituted(relation: AtMost | Equal, chosen: dict[Any, Any]) -> AtMost | Equal:
    if isinstance(relation, Equal):
        return Equal(placed(relation.derived, chosen), placed(relation.stated, chosen))
    return AtMost(placed(relation.lhs, chosen), placed(relation.rhs, chosen), strict=relation.strict)


def _range(inference: SumOver | Unroll) -> list[Any]:
    return [sp.Ge(inference.index, inference.low), sp.Le(inference.index, inference.high)]


def add_up(inference: SumOver, proof: Proof) -> None:
    """If a(t) <= b(t) for every t of the range, then sum a <= sum b; the same for =. An empty sum is 0."""
    show_for_every(inference.relation, inference, proof)
    limits = (inference.index, inference.low, inference.high)
    relation = inference.relation
    if isinstance(relation, Equal):
        proof.learn(Equal(sp.Sum(relation.derived, limits), sp.Sum(relation.stated, limits)))
    else:  # a strict comparison of the terms is not one of the sums: they may be empty
        proof.learn(AtMost(sp.Sum(relation.lhs, limits), sp.Sum(relation.rhs, limits)))


def show_for_every(relation: AtMost | Equal, inference: SumOver | Unroll, proof: Proof) -> None:
    """A relation at an arbitrary index of the range: by a hypothesis for every index, or proved there."""
    require_free_index(inference.index, inference.low, proof)
    conditions = _range(inference)
    for known in known_at(inference, proof):
        if known == relation:
            result = Result(PROVED, "known for every index", Evidence("hypothesis"))
            proof.steps.append(step_of(relation, inference.reason, result))
            return
        conditions += as_conditions(known)
    show_conditions(relation, inference.reason, proof, conditions)
    proof.establish(relation, inference.reason, conditions)


def known_at(inference: SumOver | Unroll, proof: Proof) -> Iterator[AtMost | Equal]:
    """What the hypotheses and recursions that cover the range say at an arbitrary index of it."""
    for every in (*proof.theorem.given, *proof.recursions):
        if isinstance(every, ForEvery) and _covers(every, inference, proof):
            yield at_index(every, inference.index)


def require_free_index(index: sp.Symbol, low: Any, proof: Proof) -> None:
    """An index stands for every whole number from `low` if nothing else is known of it."""
    if not runs_freely(index, low):
        raise Stuck(f"the index {index} does not stand for every whole number from {low}")
    if any(index in sp.sympify(fact).free_symbols for fact in proof.known):
        raise Stuck(f"the index {index} stands in a hypothesis or an earlier fact")
    for every in (*proof.theorem.given, *proof.recursions):
        if isinstance(every, ForEvery | Iterates) and index in free_symbols_of(every):
            raise Stuck(f"the index {index} stands for something else in: {every}")


def free_symbols_of(every: ForEvery | Iterates) -> set[Any]:
    """The symbols that stand free in a hypothesis for every index."""
    if isinstance(every, ForEvery):
        inside = {s for side in sides_of(every.relation) for s in sp.sympify(side).free_symbols}
    else:
        inside = {s for v in (*every.state, *every.step, *every.noises) for s in v.scalars}
        inside |= {s for e in (every.value, *every.where) for s in sp.sympify(e).free_symbols}
    ends = {s for end in (every.low, every.high) for s in sp.sympify(end).free_symbols}
    return (inside - {every.index}) | ends


def _covers(hypothesis: ForEvery, inference: SumOver | Unroll, proof: Proof) -> bool:
    """Whether the hypothesis speaks of every index of the range."""
    try:
        for low, high in ((hypothesis.low, inference.low), (inference.high, hypothesis.high)):
            gap = sp.sympify(high) - sp.sympify(low)
            if not gap.is_nonnegative:
                proof.establish(AtMost(low, high), "the range of the hypothesis")
    except Stuck:
        proof.steps.pop()
        return False
    return True


def at_index(hypothesis: ForEvery, value: Any) -> AtMost | Equal:
    return substituted(hypothesis.relation, {hypothesis.index: sp.sympify(value)})


def take_at(inference: At, proof: Proof) -> None:
    """What holds for every index of a range holds at one of them."""
    hypothesis, value = inference.hypothesis, sp.sympify(inference.value)
    if hypothesis not in (*proof.theorem.given, *proof.recursions):
        raise Stuck(f"{hypothesis} is not among the hypotheses and recursions")
    if not value.is_integer:
        raise Stuck(f"the index {value} is not known to be whole")
    proof.establish(AtMost(hypothesis.low, value), "the index is within its range")
    proof.establish(AtMost(value, hypothesis.high), "the index is within its range")
    proof.learn(at_index(hypothesis, value))


def unroll(inference: Unroll, proof: Proof) -> None:
    """x[t+1] <= r x[t] + e(t) for t = low..high and r >= 0 give x[h+1] <= r^(h+1-low) x[low] + sum
    r^(h-t) e(t).
    """
    index = inference.index
    low = sp.sympify(inference.low)
    high = sp.sympify(inference.high)
    entry = inference.entry
    ratio = sp.sympify(inference.ratio)
    extra = sp.sympify(inference.extra)
    if ratio.has(index):
        raise Stuck(f"the ratio {ratio} depends on {index}")
    if not (low.is_integer and high.is_integer):
        raise Stuck(f"the range {low}..{high} does not have whole ends")
    proof.establish(AtMost(0, ratio), "the ratio is not negative")
    proof.establish(AtMost(low - 1, high), "the range is not shorter than empty")
    after = placed(entry, {index: index + 1})
    show_for_every(AtMost(after, ratio * entry + extra), inference, proof)
    last, first = placed(entry, {index: high + 1}), placed(entry, {index: low})
    powers = sp.Sum(ratio ** (high - index) * extra, (index, low, high))
    proof.learn(AtMost(last, ratio ** (high + 1 - low) * first + powers))
