"""Inferences about expectations: on both sides, over one step of an iteration, by Jensen's inequality."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.language.expectations import within
from dpverify.language.vectors import Atom, norm2
from dpverify.proving.definedness import needs
from dpverify.proving.existence import objects_of
from dpverify.proving.proof import Proof, Stuck, as_conditions, as_relation, show_conditions
from dpverify.proving.ranges import require_free_index
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost, Equal, sides_of
from dpverify.theorems import Descend, Expect, ForEvery, Iterates, Jensen, step_of
from dpverify.verdicts import PROVED, Evidence, Result


def _noise_is_free(noises: Iterable[Any], proof: Proof) -> None:
    """A hypothesis about every outcome of a noise could contradict the moments that it is declared to
    have.
    """
    from dpverify.language.expectations import holds_noise

    for fact in proof.known:
        if holds_noise(fact, list(noises)):
            raise Stuck(
                f"{fact} restricts the outcomes of a noise, whose law is declared by its moments alone"
            )


def _state_is_free(process: Iterates, proof: Proof) -> None:
    """A step is shown from any state: what is known of one state need not hold after the step."""
    from dpverify.language.expectations import holds_noise

    states = {vector.basis for vector in process.state}
    for fact in proof.known:
        if states & within(fact):
            raise Stuck(f"{fact} restricts the state, which moves with every step")
    if holds_noise(process.value, process.noises):
        raise Stuck(
            f"{process.name} is the expectation of {process.value}, which is not made of the state alone"
        )
    for condition in process.where:
        if holds_noise(condition, process.noises):
            raise Stuck(f"{condition} restricts the outcomes of a noise, not the state before a step")


def _step_is_defined(process: Iterates, swap: dict[Any, Any], where: list[Any], proof: Proof) -> None:
    """A factor of a step that depends on the state, such as 1/|x|, may cancel in the value after it; the step
    is not defined for all that where the factor is not.
    """
    from dpverify.language.functions import coefficients

    moves = [vector.replaced(swap) for vector in process.step]
    factors = [c for v in moves for c in (*scalars_of(v), *coefficients([norm2(v)]))]
    for factor in dict.fromkeys(factors):
        if factor.atoms(Atom) and any(True for _ in needs(factor, ())):
            proof.establish(AtMost(factor, factor), "the step is defined", where)


def take_expectations(inference: Expect, proof: Proof) -> None:
    """What holds for every outcome holds in expectation, where expectations exist; a strict sign becomes
    <=.
    """
    from dpverify.language.expectations import E

    relation = inference.relation
    _noise_is_free(inference.noises, proof)
    show_conditions(relation, inference.reason, proof)
    proof.establish(relation, inference.reason)
    if isinstance(relation, Equal):
        proof.learn(Equal(E(relation.derived, *inference.noises), E(relation.stated, *inference.noises)))
    else:
        proof.learn(AtMost(E(relation.lhs, *inference.noises), E(relation.rhs, *inference.noises)))


def descend(inference: Descend, proof: Proof) -> None:
    """E V(next(x)) <= r V(x) + k E W(next(x)) + e for every x gives E V(x_{t+1}) <= r E V(x_t) +
    k E W(x_{t+1}) + e, the noise being drawn afresh: take the expectation over x_t.
    """
    from dpverify.language.expectations import E

    process = inference.iterates
    ratio = inference.ratio
    extra = inference.extra
    parts, later = [(process, ratio), *inference.beside], inference.later
    names = [h.name for h in proof.theorem.given if isinstance(h, Iterates)]
    if len(set(names)) < len(names):
        raise Stuck("two expectations are called by one name")
    for other, factor in (*parts, *later):
        if other not in proof.theorem.given:
            raise Stuck(f"{other} is not among the hypotheses")
        if replace(other, name=process.name, value=process.value) != process:
            raise Stuck(f"{other.name} and {process.name} are not expectations of one iteration")
        if factor.atoms(Atom) or extra.atoms(Atom):
            raise Stuck(f"the ratio {factor} and the rest {extra} must not depend on the state")
    require_free_index(process.index, process.low, proof)
    entry = process.name[process.index]
    for word in ("positive", "negative", "nonpositive", "nonzero", "integer"):
        if getattr(entry, f"is_{word}"):
            raise Stuck(f"{process.name} is an expectation: that it is {word} would be a hypothesis on it")
    _state_is_free(process, proof)
    _noise_is_free(process.noises, proof)
    named = [e for other, c in (*parts, *later) for e in (other.value, c)]
    swap = _numbers_for_entries(process, proof, extra, *named)
    noises = [noise.replaced(swap) for noise in process.noises]
    before = set(proof.objects)
    proof.objects |= objects_of([*noises, process.after.xreplace(swap)])  # those of the statement, at a step
    where = [condition.xreplace(swap) for condition in process.where]
    known = list(where)
    _step_is_defined(process, swap, where, proof)
    if entry.is_nonnegative:
        proof.establish(AtMost(0, process.value), f"{process.name} is not negative")
    for condition in inference.by:
        lemma = as_relation(condition.xreplace(swap))
        proof.establish(lemma, f"{inference.reason}: for every outcome", where)
        left, right = (E(side, *noises) for side in sides_of(lemma))
        known += as_conditions(Equal(left, right) if isinstance(lemma, Equal) else AtMost(left, right))
    compared = Equal if inference.exact else AtMost
    bound = (sum(factor * other.value for other, factor in parts) + extra).xreplace(swap)
    moved = [c.xreplace(swap) * E(other.after.xreplace(swap), *noises) for other, c in later]
    proof.establish(
        compared(E(process.after.xreplace(swap), *noises), bound + sum(moved)), inference.reason, known
    )
    proof.objects = before  # the numbers of an arbitrary step are no numbers of the theorem
    now, then = process.index, process.index + 1
    right = sum(c * other.name[now] for other, c in parts) + sum(c * other.name[then] for other, c in later)
    recursion = compared(process.name[then], right + extra)
    proof.recursions.append(ForEvery(recursion, process.index, process.low, process.high))


def _numbers_for_entries(process: Iterates, proof: Proof, *terms: Any) -> dict[Any, Any]:
    """An arbitrary number of the same sign for every entry of a sequence at the index of a step, of which
    nothing is known.
    """
    spelt = [process.after, *terms, *[s for v in (*process.step, *process.noises) for s in scalars_of(v)]]
    swap: dict[Any, Any] = {}
    for entry in sorted({e for term in spelt for e in term.atoms(sp.Indexed)}, key=sp.default_sort_key):
        sign = (
            {"positive": True} if entry.is_positive else {"nonnegative": True} if entry.is_nonnegative else {}
        )
        swap[entry] = fresh(
            f"{entry.base.label}_now", [*spelt, *swap.values(), *proof.known], real=True, **sign
        )
    return swap


def scalars_of(vector: Any) -> list[Any]:
    """The scalars of a combination of vectors, and the variance of a noise."""
    return [c for _, c in vector.parts] + [b.variance for b, _ in vector.parts if hasattr(b, "variance")]


def apply_jensen(inference: Jensen, proof: Proof) -> None:
    """A concave function of an expectation is at least the expectation of the function; the root is
    concave.
    """
    from dpverify.language.expectations import jensen, jensen_root

    _noise_is_free(inference.noises, proof)
    if inference.point is None:
        proof.establish(AtMost(0, inference.square), f"{inference.reason}: the root is defined")
        condition = jensen_root(inference.square, *inference.noises)
    else:
        try:
            condition = jensen(inference.square, inference.point, *inference.noises)
        except ValueError as why:
            raise Stuck(f"{inference.reason} does not apply: {why}") from None
    relation = as_relation(condition)
    proof.admit(relation, inference.reason)
    proof.steps.append(
        step_of(relation, inference.reason, Result(PROVED, "Jensen's inequality", Evidence("rule")))
    )
    proof.learn(relation)
