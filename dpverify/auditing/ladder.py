"""The audit: climb from the cheapest test to the dearest, and say which rung decided and what each could have
shown.

The first three rungs refute a declaration, and say so; only the statistical audit refutes privacy itself, end
to end. After a refuted declaration the audit still tries to turn it into a privacy violation.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from dpverify.auditing.accountant import ACCOUNTANT
from dpverify.auditing.copies import pickled, restored
from dpverify.auditing.memory import Memory
from dpverify.auditing.noise import NOISE
from dpverify.auditing.replay import REPLAY, describe
from dpverify.auditing.rungs import Audit, Rung, check_pair
from dpverify.auditing.sampling import Budget, Mechanism, MechanismError
from dpverify.auditing.statistics import STATISTICS
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step, crash

LADDER = [REPLAY, NOISE, ACCOUNTANT, STATISTICS]
RUNGS = tuple(rung.name for rung in LADDER)


def audit(
    mechanism: Mechanism,
    neighbours: Neighbours,
    claim: Guarantee,
    *,
    budget: Budget | None = None,
    declared: Any = None,
    rungs: Sequence[str] = RUNGS,
    smaller: bool = True,
    public: Collection[str] | None = None,
    progress: bool = False,
) -> Result:
    """Decide by running it whether a mechanism can keep the guarantee it claims on this pair of neighbours.

    `mechanism` is an `Algorithm` of ours (then the exact privacy loss of its transcript is audited), or any
    `(data, rng) -> numbers`; with a parameter `runs` it is called in batched form; with a parameter `tape` it
    records its releases (`dpverify.auditing.Tape`). `declared` is the release (`dpverify.releases.Gaussian`,
    ...) that the whole output is charged as, if there is only that one. A violation that was found is made
    smaller, unless `smaller` is False; what is `public` stays (see `Audit`). Each rung's own result stands in
    `result.steps`.

    >>> import numpy as np
    >>> from dpverify.guarantees import ApproxDP
    >>> def noisy_sum(data, rng, runs):
    ...     return data.sum() + rng.laplace(size=(runs, 1))
    >>> result = audit(noisy_sum, Neighbours.replace(np.zeros((3, 1)), 0, [4.0]), ApproxDP(1.0, 1e-5),
    ...     budget=Budget(runs=2000))
    >>> result.verdict, result.evidence.certificate["rung"]
    (<Verdict.REFUTED: 'REFUTED'>, 'statistics')
    """
    asked = Audit(mechanism, neighbours, claim, budget or Budget(), declared, public, progress)
    check_pair(neighbours)
    return climb(asked, rungs, smaller)


def climb(audit: Audit, rungs: Sequence[str] = RUNGS, smaller: bool = True) -> Result:
    """The result of an audit on the rungs of these names, in the order of the ladder."""
    if isinstance(rungs, str):
        raise TypeError(f"Expected rungs={rungs!r} to be a list of names, as [{rungs!r}] is.")
    unknown = [name for name in rungs if name not in RUNGS]
    if unknown:
        raise ValueError(f"Expected rungs={list(rungs)} among {', '.join(RUNGS)}.")
    started = time.perf_counter()
    left = audit.alpha
    results: dict[Rung, Result] = {}
    untouched, memory = pickled(audit.mechanism), Memory(audit.mechanism)
    for rung in (rung for rung in LADDER if rung.name in rungs):
        if untouched is not None and untouched != pickled(audit.mechanism):  # it keeps a state
            audit = audit.with_(mechanism=restored(untouched, audit.neighbours) or audit.mechanism)
        if memory.changed():
            memory.put_back()
        share = min(rung.share * audit.alpha, left)
        try:
            results[rung] = _timed(rung, audit.with_(alpha=share) if share else audit)
        except MechanismError as error:  # a higher rung may take it as an outcome like any other
            results[rung] = crash(_on(audit.neighbours, error) + str(error), _own_frames(error))
        if results[rung].evidence is not None:
            left -= share
    result = _sum_up(results, audit)
    if smaller and result.verdict is REFUTED:
        result = _made_small(result, results, audit)
    return result.with_(seconds=time.perf_counter() - started)


def _on(pair: Neighbours, error: MechanismError) -> str:
    """On which of the two data sets the mechanism failed, if that is known."""
    sides = (("D", pair.data), ("D'", pair.other))
    return next((f"on {name} = {describe(data)}, " for name, data in sides if data is error.data), "")


def _own_frames(error: MechanismError) -> str:
    """The traceback of what the mechanism raised, from its own first frame on."""
    raised = error.__cause__ or error
    frames = raised.__traceback__
    while frames is not None and Path(frames.tb_frame.f_code.co_filename).parent == Path(__file__).parent:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(raised), raised, frames))


def _timed(rung: Rung, audit: Audit) -> Result:
    started = time.perf_counter()
    return rung.climb(audit).with_(seconds=time.perf_counter() - started)


def _refuted(results: dict[Rung, Result]) -> list[Rung]:
    return [rung for rung, result in results.items() if result.verdict is REFUTED]


def _made_small(result: Result, results: dict[Rung, Result], audit: Audit) -> Result:
    """The same result with a smaller witness, each step of the way refuted by the rung that shows most, on
    fresh runs.
    """
    from dpverify.auditing.shrinking import shrink

    refuted = _refuted(results)
    rung = STATISTICS if STATISTICS in refuted else refuted[0]
    if rung in (NOISE, ACCOUNTANT):  # the data play no part in it
        return result
    try:
        smallest = shrink(audit, rung, results[rung])
    except MechanismError:  # it fails on smaller data: the witness stays as it is
        return result
    return result if smallest is results[rung] else result.with_(witness=smallest.witness)


def _steps(results: dict[Rung, Result]) -> tuple[Step, ...]:
    return tuple(Step(f"{rung.name}: {rung.shows}", r.because, r) for rung, r in results.items())


def _sum_up(results: dict[Rung, Result], audit: Audit) -> Result:
    steps = _steps(results)
    refuted = _refuted(results)
    if refuted:
        return _refutation(results, refuted, audit).with_(steps=steps)
    if STATISTICS in results:
        return results[STATISTICS].with_(steps=steps)
    supported = [result for result in results.values() if result.verdict is SUPPORTED]
    if supported:
        return supported[-1].with_(steps=steps)
    because = " ".join(result.because for result in results.values()) or "No rung was asked for."
    return Result(UNDECIDED, because, steps=steps)


def _refutation(results: dict[Rung, Result], refuted: list[Rung], audit: Audit) -> Result:
    """What the first rung that refuted says, and whether the outputs break the guarantee itself."""
    first, privacy = results[refuted[0]], results.get(STATISTICS)
    because, witness = first.because, first.witness
    if refuted[0] is not STATISTICS and privacy is not None:
        if privacy.verdict is REFUTED:
            because += f" The outputs break the guarantee itself: {privacy.because}"
            witness = privacy.witness
        else:
            because += f" It was not turned into a privacy violation: {privacy.because}"
    certificate = first.evidence.certificate if first.evidence else {}
    evidence = Evidence(
        first.evidence.method if first.evidence else refuted[0].name,
        {"rung": refuted[0].name, "refuted": [rung.name for rung in refuted], **certificate},
        alpha=audit.alpha,
        samples=first.evidence.samples if first.evidence and first.evidence.samples is not None else 2,
        seed=audit.budget.seed,
    )
    return Result(REFUTED, because, evidence, witness)
