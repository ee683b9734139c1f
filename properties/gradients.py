"""The law of per-example gradients: those of a whole batch are those of each record alone."""

from __future__ import annotations

from dpverify.verdicts import REFUTED, UNDECIDED, Step

from .laws import Outcome, Result, Subject, held, law


@law("gradients")
def gradients(subject: Subject, seed: int) -> Outcome:
    """Per-example gradients, or their norms, are those of one record at a time, for every model."""
    assert subject.gradients is not None
    results = subject.gradients()
    steps = tuple(Step(name, result.because, result) for name, result in results.items())
    wrong = [result for result in results.values() if result.verdict is REFUTED]
    raised = [name for name, result in results.items() if result.verdict is UNDECIDED]
    if wrong:
        return wrong[0].with_(because=" ".join(result.because for result in wrong), steps=steps)
    if len(raised) == len(results):
        return Result(UNDECIDED, f"None of {len(results)} models could be compared.", steps=steps)
    agreeing = [result.evidence for result in results.values() if result.evidence is not None]
    largest = max(evidence.certificate["largest"] for evidence in agreeing)
    also = f"; it raises at {', '.join(raised)}" if raised else ""
    return held(
        f"{len(agreeing)} models agree with one record at a time (largest relative gap {largest:.2g}){also}.",
        str(agreeing[0].ceiling),
        models=len(agreeing),
        largest=largest,
    ).with_(steps=steps)
