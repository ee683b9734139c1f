"""Laws that are audits: thousands of runs on neighbouring data sets against the claim, and their reach."""

from __future__ import annotations

from typing import Any

from dpverify.adapters import halved
from dpverify.auditing import Budget, audit
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours

from .laws import ALPHA, Outcome, Result, Subject, law


def audited(
    subject: Subject,
    claim: Guarantee,
    seed: int,
    neighbours: Neighbours | None = None,
    whole: bool = True,
) -> Result:
    """The subject on its neighbours (or on others) against a claim: every rung and a smaller witness, or the
    outputs alone.

    The mechanism refuses data sets of a number of records that the claim was not computed for, so that a
    smaller witness stays within it.
    """
    budget = Budget(runs=subject.runs, alpha=ALPHA, seed=seed)
    pair: Any = subject.neighbours if neighbours is None else neighbours
    mechanism: Any = subject.within if neighbours is None else subject.mechanism
    if not whole:
        return audit(mechanism, pair, claim, budget=budget, rungs=["statistics"], smaller=False)
    if subject.algorithm is not None:
        return audit(subject.algorithm, pair, claim, budget=budget, smaller=False)
    return audit(mechanism, pair, claim, budget=budget, declared=subject.declared, smaller=subject.shrinks)


@law("mechanism", "neighbours", "claim", "shorter")
def step(subject: Subject, seed: int) -> Outcome:
    """One step keeps the claim."""
    assert subject.shorter is not None
    once = subject.shorter(1)
    assert once.claim is not None
    return audited(once, once.claim, seed)


@law("mechanism", "neighbours", "claim")
def training(subject: Subject, seed: int) -> Outcome:
    """A short training keeps the claim."""
    assert subject.claim is not None
    return audited(subject, subject.claim, seed)


@law("mechanism", "neighbours", "claim")
def half(subject: Subject, seed: int) -> Outcome:
    """Half the claimed epsilon is refuted: the reach of these audits, and no verdict on anybody."""
    assert subject.claim is not None
    return audited(subject, halved(subject.claim), seed, whole=False)
