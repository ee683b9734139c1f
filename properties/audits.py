"""Laws that are audits: thousands of runs on neighbouring data sets against the claim, and their reach."""

from __future__ import annotations

from collections.abc import Sequence

from dpverify.adapters import halved
from dpverify.auditing import Budget, audit
from dpverify.auditing.ladder import RUNGS
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours

from .laws import ALPHA, Outcome, Result, Subject, law

OUTPUTS = ("statistics",)


def audited(
    subject: Subject,
    claim: Guarantee,
    seed: int,
    neighbours: Neighbours | None = None,
    rungs: Sequence[str] = RUNGS,
) -> Result:
    """The subject on its neighbours (or on others) against a claim, on every rung or on some.

    A witness is made smaller only if the claim is for any number of records: elsewhere it would leave the
    setting that the claim was computed for.
    """
    return audit(
        subject.algorithm or subject.mechanism,
        subject.neighbours if neighbours is None else neighbours,
        claim,
        budget=Budget(runs=subject.runs, alpha=ALPHA, seed=seed),
        declared=subject.declared,
        rungs=rungs,
        public=("dimensions", "steps", "domain") if subject.any_number else None,
        smaller=subject.shrinks and subject.any_number and subject.algorithm is None and rungs is RUNGS,
    )


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
    return audited(subject, halved(subject.claim), seed, rungs=OUTPUTS)
