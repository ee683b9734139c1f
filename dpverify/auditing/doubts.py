"""What a result may owe to something else than a leak: a state that is kept or drifts, or rounding; tried on
fresh runs, and said.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.copies import run_by_run, untaped
from dpverify.auditing.drawing import Sampler
from dpverify.auditing.rungs import Audit
from dpverify.auditing.sampling import MechanismError, batched
from dpverify.auditing.sequential import Sequential
from dpverify.auditing.telling import as_numbers_of
from dpverify.neighbours import Neighbours
from dpverify.threads import one_thread
from dpverify.verdicts import REFUTED, UNDECIDED, Result


def noting(audit: Audit, result: Result, sampler: Sampler, fixed: bool) -> Result:
    """The same result, saying what its verdict means, and what was odd about the runs."""
    notes = []
    if fixed:
        notes.append(
            "Every run on D gave the same output: the mechanism seems to ignore its rng, or to have kept an "
            "answer from before the audit."
        )
    if any(sampler.raised):
        late = f"took longer than call_seconds={audit.budget.call_seconds}"  # then nothing was raised
        ended = f"raised ({sampler.error})" if sampler.error else late
        notes.append(f"{sampler.raised[0]} runs on D and {sampler.raised[1]} on D' {ended}.")
    if sampler.cut_short:
        notes.append(f"It was cut short ({sampler.cut_short}).")
    if result.verdict is REFUTED and (kept := _state(audit, result, sampler) or _shares(audit, sampler)):
        return Result(UNDECIDED, kept, result.evidence)
    if not sampler.cut_short and not sampler.repeatable():
        if result.verdict is REFUTED and (drifting := _drifts(audit, result)):
            return Result(UNDECIDED, drifting, result.evidence)
        notes.append("The same seed gave another output: not all randomness is from rng, or a state is kept.")
    if result.verdict is REFUTED and not batched(audit.drawn) and _by_rounding(audit, result):
        notes.append(ROUNDING)
    means = (
        f"For this pair of neighbours, some epsilon and the delta that {audit.claim} implies there fail."
        if result.verdict is REFUTED
        else ""
    )
    evidence = result.evidence
    if evidence is not None:
        more = {"cut_short": sampler.cut_short} if sampler.cut_short else {}
        evidence = replace(evidence, details=means, certificate={**evidence.certificate, **more})
    because, cut_short = " ".join([result.because, *notes]), bool(sampler.cut_short)
    return result.with_(because=because, evidence=evidence, cut_short=cut_short)


ROUNDING = (
    "As numbers, the outputs are not told apart: what tells is in the lowest bits of the numbers that these "
    "bytes or texts hold, which adding in floating point touches (Mironov 2012). That is a true leak, of "
    "nearly every implementation that adds noise to float64s and publishes all their bits; publish rounded "
    "numbers."
)


def _by_rounding(audit: Audit, result: Result) -> bool:
    """Whether outputs that hold floats in bytes or texts are told apart by these, but not as numbers."""
    pair = audit.neighbours
    numbers = as_numbers_of(untaped(audit.drawn), pair.data, audit.budget.seed)
    runs = _again(audit, result)
    return numbers is not None and not _told_apart(audit.with_(mechanism=numbers), pair, runs, crashed=True)


def _again(audit: Audit, result: Result) -> int:
    """How many runs a refutation has to come back: a lucky early end is no measure of how long the next one
    takes.
    """
    assert result.evidence is not None
    return max(4 * max(result.evidence.samples or 2, 50), audit.budget.runs)


DRIFTS = "The mechanism keeps a state that drifts from call to call, so that nothing follows:"


def _drifts(audit: Audit, result: Result) -> str:
    """Why the refutation says nothing: it goes away when the calls on the two data sets are interleaved one
    by one, or equal data sets are told apart just as well.
    """
    assert result.evidence is not None
    runs = max(result.evidence.samples or 2, 2)
    pair = audit.neighbours
    if batched(audit.drawn):
        single = audit.with_(mechanism=run_by_run(audit.drawn))
        if not _told_apart(single, pair, _again(audit, result), crashed=True):
            return f"{DRIFTS} with calls of one run each, in random order, the data sets are not told apart."
        return ""
    for name, data in (("D", pair.data), ("D'", pair.other)):
        if _told_apart(audit, Neighbours(data, data, pair.adjacency), runs, crashed=False):
            return f"{DRIFTS} two series of runs on {name} are told apart as well as the two data sets."
    return ""


def _state(audit: Audit, result: Result, sampler: Sampler) -> str:
    """Why the refutation says nothing of one call: it goes away when every run begins as the first did."""
    fresh = sampler.from_scratch()
    runs = _again(audit, result)
    if fresh is None or _told_apart(audit.with_(mechanism=fresh), audit.neighbours, runs, crashed=True):
        return ""
    return (
        "The mechanism keeps a state: calls that share it were told apart, by it or by chance, but in "
        f"{runs} runs a side that begin as the first did, the data sets are not. So nothing follows of a "
        "claim for one call; for a claim of many calls, audit them together."
    )


CALLS = 32  # of a batched mechanism, of as many runs, in which these are looked at for what they share
SURELY = 1e-6  # chance that independent runs look as dependent
USUAL = 7 / 8  # the share of equal numbers above which the analysis of variance takes chance for more


def _shares(audit: Audit, sampler: Sampler) -> str:
    """Why the refutation of a batched mechanism says nothing of one run: runs of a call depend on each other,
    and one by one they are not told apart.
    """
    if not batched(audit.drawn) or hasattr(audit.mechanism, "ledger"):  # ours are known to draw for every run
        return ""
    calls = [side.numbers for side in sampler.calls(CALLS, CALLS)]
    if len({numbers.shape for numbers in calls}) != 1 or not _alike_within(np.stack(calls)):
        return ""
    if _told_apart(
        audit.with_(mechanism=run_by_run(audit.drawn)), audit.neighbours, audit.budget.runs, crashed=True
    ):
        return ""
    return (
        "Runs of a batched call share noise: they are more alike than runs of different calls, and with "
        "calls of one run each the data sets are not told apart. Draw for every run, as "
        "rng.normal(size=(runs, 1)) does."
    )


def _alike_within(calls: np.ndarray) -> bool:
    """Whether the runs of a call are surely more alike than those of different calls: analysis of variance of
    the ranks of each number, or, where nearly all are equal, how many of the others one call has; the array
    has calls, runs and numbers.

    >>> noise = np.random.default_rng(0).normal(size=(32, 32, 1))
    >>> _alike_within(noise), _alike_within(noise + noise[:, :1]), _alike_within(np.zeros((32, 32, 1)))
    (False, True, False)
    """
    from scipy.special import bdtrc, fdtrc

    count, runs, width = calls.shape
    chances = []
    for column in calls.reshape(-1, width).T:
        _, place, times = np.unique(column, return_inverse=True, return_counts=True)
        if times.max() > USUAL * len(column):
            others = (place != times.argmax()).reshape(count, runs).sum(axis=1)
            chances.append(count * float(bdtrc(int(others.max()) - 1, int(others.sum()), 1 / count)))
            continue
        ranks = (np.cumsum(times) - times / 2)[place].reshape(count, runs)
        between = runs * ranks.mean(axis=1).var(ddof=1)
        within = ranks.var(axis=1, ddof=1).mean()
        if between > 0:
            chances.append(float(fdtrc(count - 1, count * (runs - 1), between / within)) if within else 0.0)
    return bool(chances) and len(chances) * min(chances) < SURELY


def _told_apart(audit: Audit, pair: Neighbours, runs: int, crashed: bool) -> bool:
    """Whether fresh runs on a pair of data sets break the claim; `crashed` is the answer if they end in an
    error: a refutation is not taken back because it could not be tried again.
    """
    test = Sequential(worst_pair(audit.claim))
    budget = replace(
        audit.budget, runs=runs, seed=audit.budget.seed + 1, chunks=None, seconds=None, workers=1
    )
    try:
        for a, b in Sampler(audit.drawn, pair, budget):
            with one_thread():
                test.feed(a, b)
            if test.log_wealth >= math.log(2 / audit.alpha):
                return True
    except MechanismError:
        return crashed
    return False
