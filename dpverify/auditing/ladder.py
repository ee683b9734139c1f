"""The audit: climb from the cheapest test to the dearest, and say which rung decided and what each could have
shown.

    replay      two executions with the same noise: did the query move further than declared?
    noise       hundreds of draws: are scale, law and independence as declared?
    statistics  thousands of runs: do the outputs themselves break the claimed guarantee?
    accountant  no runs: do the releases that were recorded cost what is claimed?

The first two and the last refute a declaration, and say so; only the statistical audit refutes privacy
itself, end to end. After a refuted declaration the audit still tries to turn it into a privacy violation.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpverify.auditing.accountant import charged
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import replay
from dpverify.auditing.sampling import Budget, Mechanism, MechanismError, name_of
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Step

RUNGS = ("replay", "noise", "statistics", "accountant")
NOISE_SHARE = 0.1  # of alpha


def audit(
    mechanism: Mechanism,
    neighbours: Neighbours,
    claim: Guarantee,
    *,
    budget: Budget | None = None,
    declared: Any = None,
    rungs: Sequence[str] = RUNGS,
    smaller: bool = True,
    progress: bool = False,
) -> Result:
    """Decide by running it whether a mechanism can keep the guarantee it claims on this pair of neighbours.

    `mechanism` is an `Algorithm` of ours (then the exact privacy loss of its transcript is audited), or any
    `(data, rng) -> numbers`; with a parameter `runs` it is called in batched form; with a parameter `tape` it
    records its releases (`dpverify.auditing.Tape`). `declared` is the release (`dpverify.releases.Gaussian`,
    ...) that the whole output is charged as, if there is only that one. A violation that was found is made
    smaller, unless `smaller` is False. Each rung's own result stands in `result.steps`.

    >>> import numpy as np
    >>> from dpverify.guarantees import ApproxDP
    >>> def noisy_sum(data, rng, runs):
    ...     return data.sum() + rng.laplace(size=(runs, 1))
    >>> result = audit(noisy_sum, Neighbours.replace(np.zeros((3, 1)), 0, [4.0]), ApproxDP(1.0, 1e-5),
    ...     budget=Budget(runs=2000))
    >>> result.verdict, result.evidence.certificate["rung"]
    (<Verdict.REFUTED: 'REFUTED'>, 'statistics')
    """
    budget = Budget() if budget is None else budget
    unknown = [rung for rung in rungs if rung not in RUNGS]
    if unknown:
        raise ValueError(f"Expected rungs={list(rungs)} among {', '.join(RUNGS)}.")
    if not isinstance(neighbours, Neighbours):
        raise TypeError(f"Expected neighbours={neighbours!r} to be a Neighbours pair.")
    started = time.perf_counter()
    results: dict[str, Result] = {}
    for rung in ("replay", "noise", "accountant", "statistics"):
        if rung in rungs:
            noise = results.get("noise")
            spent = NOISE_SHARE * budget.alpha if noise is not None and noise.evidence is not None else 0.0
            try:
                results[rung] = _climb(rung, mechanism, neighbours, claim, budget, declared, spent, progress)
            except MechanismError as error:
                results[rung] = broken = Result(UNDECIDED, str(error))
                if not any(r.verdict is REFUTED for r in results.values()):
                    return broken.with_(steps=_steps(results), seconds=time.perf_counter() - started)
    result = _sum_up(results, budget)
    if smaller and result.verdict is REFUTED:
        result = _made_small(result, results, mechanism, neighbours, claim, budget, declared)
    return result.with_(seconds=time.perf_counter() - started)


def _climb(
    rung: str,
    mechanism: Any,
    neighbours: Neighbours,
    claim: Guarantee,
    budget: Budget,
    declared: Any,
    spent: float,
    progress: bool = False,
) -> Result:
    """One rung; `spent` is what lower rungs took of alpha."""
    started = time.perf_counter()
    replayed, drawn = _opened(mechanism, neighbours, rung == "statistics")
    if rung == "replay":
        result = replay(replayed, neighbours, declared, budget.seed)
    elif rung == "noise":
        result = noise_as_declared(
            replayed, neighbours.data, declared, NOISE_SHARE * budget.alpha, budget.seed, most=budget.runs
        )
    elif rung == "accountant":
        result = charged(replayed, neighbours, claim, declared, budget.seed)
    else:
        with _bar(progress, budget.runs, name_of(drawn)) as report:
            result = statistical_audit(drawn, neighbours, claim, budget, budget.alpha - spent, report)
    return result.with_(seconds=time.perf_counter() - started)


def _made_small(
    result: Result,
    results: dict[str, Result],
    mechanism: Any,
    neighbours: Neighbours,
    claim: Guarantee,
    budget: Budget,
    declared: Any,
) -> Result:
    """The same result with a smaller witness, each step of the way refuted by the rung that shows most, on
    fresh runs.
    """
    from dpverify.auditing.shrinking import shrink

    refuted = [rung for rung in RUNGS if rung in results and results[rung].verdict is REFUTED]
    rung = "statistics" if "statistics" in refuted else refuted[0]
    if rung in ("noise", "accountant"):  # the data play no part in it
        return result
    runs = min(budget.runs, 4 * _samples(results[rung]) + 64) if rung == "statistics" else budget.runs

    def refute(candidate: Any, pair: Neighbours, fresh: Budget) -> Result:
        return _climb(rung, candidate, pair, claim, fresh, declared, 0.0)

    try:
        _, _, found = shrink(mechanism, neighbours, replace(budget, runs=runs), refute, results[rung])
    except MechanismError:  # it fails on smaller data: the witness stays as it is
        return result
    return result if found is results[rung] else result.with_(witness=found.witness)


def _opened(mechanism: Any, neighbours: Neighbours, losses_too: bool) -> tuple[Mechanism, Mechanism]:
    """What to replay and what to draw from: the exact loss of the transcript of an algorithm of ours, if it
    can be computed.
    """
    if not hasattr(mechanism, "ledger"):
        return mechanism, mechanism
    import numpy as np

    from dpverify.auditing.algorithm import as_mechanism, loss_mechanism
    from dpverify.releases import NotEnumerable

    transcript = as_mechanism(mechanism, "transcript")
    if not losses_too:
        return transcript, transcript
    losses = loss_mechanism(mechanism, neighbours)
    try:
        losses(neighbours.data, np.random.default_rng(0), 1)
        losses(neighbours.other, np.random.default_rng(0), 1)
    except NotEnumerable:
        return transcript, transcript
    return transcript, losses


WHAT = {
    "replay": "no query moves further than its declared sensitivity, and the output depends on nothing else",
    "noise": "the noise has the declared scale, law and independence",
    "statistics": "no event of the outputs breaks the claimed guarantee",
    "accountant": "the recorded releases cost no more than is claimed",
}


def _steps(results: dict[str, Result]) -> tuple[Step, ...]:
    return tuple(
        Step(f"{rung}: {WHAT[rung]}", results[rung].because, results[rung])
        for rung in RUNGS
        if rung in results
    )


def _sum_up(results: dict[str, Result], budget: Budget) -> Result:
    refuted = [rung for rung in RUNGS if rung in results and results[rung].verdict is REFUTED]
    steps = _steps(results)
    if refuted:
        first = results[refuted[0]]
        privacy = results.get("statistics")
        because = first.because
        if refuted[0] != "statistics":
            if privacy is not None and privacy.verdict is REFUTED:
                because += f" The outputs break the guarantee itself: {privacy.because}"
                first = first.with_(witness=privacy.witness)
            elif privacy is not None:
                because += f" It was not turned into a privacy violation: {privacy.because}"
        evidence = Evidence(
            first.evidence.method if first.evidence else refuted[0],
            {
                "rung": refuted[0],
                "refuted": refuted,
                **(first.evidence.certificate if first.evidence else {}),
            },
            alpha=budget.alpha,
            samples=_samples(results[refuted[0]]),
            seed=budget.seed,
        )
        return Result(REFUTED, because, evidence, first.witness, steps)
    last = results.get("statistics")
    if last is None:
        supported = [r for r in results.values() if r.verdict is SUPPORTED]
        if not supported:
            return Result(
                UNDECIDED,
                " ".join(r.because for r in results.values()) or "No rung was asked for.",
                steps=steps,
            )
        last = supported[-1]
    return last.with_(steps=steps)


def _samples(result: Result) -> int:
    if result.evidence is not None and result.evidence.samples is not None:
        return result.evidence.samples
    return 2


class _bar:
    """A progress bar on stderr, or nothing."""

    def __init__(self, shown: bool, runs: int, name: str) -> None:
        self.shown, self.runs, self.name = shown, runs, name

    def __enter__(self) -> Any:
        if not self.shown:
            return None
        from rich.console import Console
        from rich.progress import Progress

        self.progress = Progress(console=Console(stderr=True), transient=True)
        self.progress.start()
        task = self.progress.add_task(f"auditing {self.name}", total=self.runs)
        return lambda done, wealth: self.progress.update(task, advance=done)

    def __exit__(self, *error: object) -> None:
        if self.shown:
            self.progress.stop()
