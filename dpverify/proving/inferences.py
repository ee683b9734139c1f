"""The inferences of a proof: facts and chains here, the other families in files of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from dpverify.proving.descents import apply_jensen, descend, take_expectations
from dpverify.proving.instances import use_claim
from dpverify.proving.proof import Proof, Stuck, conditions_of, show_condition
from dpverify.proving.ranges import add_up, show_for_every, take_at, unroll
from dpverify.relations import AtMost, Equal
from dpverify.theorems import (
    AllOf,
    At,
    Calc,
    Cases,
    Descend,
    Expect,
    ForEvery,
    Have,
    Induct,
    Jensen,
    SumOver,
    Unroll,
    Use,
)


def infer(inference: Any, proof: Proof) -> None:
    """Apply the rule of an inference: what it gives joins what is known, or the proof ends there."""
    rules: dict[type, Callable[[Any, Proof], None]] = {
        Descend: descend,
        Have: _have,
        Calc: _calc,
        Use: use_claim,
        SumOver: add_up,
        Unroll: unroll,
        At: take_at,
        Expect: take_expectations,
        Jensen: apply_jensen,
        Cases: lambda inference, proof: None,  # these two say how to conclude
        Induct: lambda inference, proof: None,
    }
    rules[type(inference)](inference, proof)


def _have(inference: Have, proof: Proof) -> None:
    """A fact under conditions of its own is a fact once these are proved; until then it is a remark.

    A fact for every index is shown at an arbitrary one, and used as a hypothesis for every index is.
    """
    if isinstance(every := inference.relation, ForEvery):
        limits = SumOver(every.relation, every.index, every.low, every.high, inference.reason)
        show_for_every(every.relation, limits, proof)
        proof.recursions.append(every)
        return
    if isinstance(inference.relation, AllOf):
        for part in inference.relation.parts:
            _have(Have(part, inference.reason), proof)
        return
    proof.establish(inference.relation, inference.reason)
    own = [c for c in conditions_of(inference.relation) if c not in proof.known]
    if own:
        taken = len(proof.steps)
        try:
            for condition in own:
                show_condition(condition, f"a condition of: {inference.reason}", proof)
        except Stuck:
            del proof.steps[taken:]
            return
    proof.learn(inference.relation)


def _calc(inference: Calc, proof: Proof) -> None:
    """a op b and b op c give a op c: equal if both are, strict if one is."""
    left = inference.start
    for op, term, reason in inference.links:
        term = sp.sympify(term)
        link = Equal(left, term) if op == "=" else AtMost(left, term, strict=op == "<")
        proof.establish(link, reason)
        proof.learn(link)
        left = term
    ops = {op for op, _, _ in inference.links}
    whole = Equal(inference.start, left) if ops == {"="} else AtMost(inference.start, left, strict="<" in ops)
    proof.learn(whole)
