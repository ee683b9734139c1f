"""Rung 4, the statistical audit: outputs on the two data sets against the claimed guarantee, end to end,
nothing assumed.

Half of alpha goes to the sequential test (`sequential`), which may stop at any chunk. The other half goes to
one or two fixed events, learned on the first part of the sample and tested exactly on the rest when the
budget is spent (`exact`), which also gives the lower bounds that are reported: epsilon at the claimed delta
for a point; for a profile the largest mu for which mu-GDP is refuted (true of any mechanism; the epsilon that
mu-GDP would have at some delta is an equivalent, not a bound).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.auditing.blocks import BatchRaised
from dpverify.auditing.claimed import WorstPair, worst_pair
from dpverify.auditing.copies import run_by_run, untaped
from dpverify.auditing.doubts import noting
from dpverify.auditing.drawing import Sampler
from dpverify.auditing.events import Event, choose_event, choose_events
from dpverify.auditing.exact import Curve, epsilon_lower_bound, mu_lower_bound, refutes
from dpverify.auditing.power import BLIND, MEASURED, Power, enough, power
from dpverify.auditing.ratios import excess
from dpverify.auditing.replay import as_json, describe
from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import batched, name_of
from dpverify.auditing.sequential import Sequential
from dpverify.auditing.telling import example
from dpverify.guarantees import ApproxDP, Guarantee, PureDP
from dpverify.progress import progress_bar
from dpverify.threads import one_thread
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

RESERVE = (
    0.01  # the share of alpha of a batched mechanism that is kept for a test run by run, should it raise
)
TELLING = 2.0  # standard deviations by which the counts of a plain event must exceed the claim to be told
LEARN = 1 / 8  # the share of the budget on which the fixed events are learned


def statistical_audit(audit: Audit) -> Result:
    """Rung 4 alone: draw chunk by chunk, bet on each, and test what was learned exactly at the end.

    >>> from dpverify.auditing import Budget
    >>> from dpverify.guarantees import GDP
    >>> from dpverify.neighbours import Neighbours
    >>> noisy_sum = lambda data, rng, runs: data.sum() + rng.normal(size=(runs, 1))
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    >>> audits = [Audit(noisy_sum, pair, GDP(mu), Budget(runs=5000)) for mu in (0.5, 1.0)]
    >>> [str(statistical_audit(audit).verdict) for audit in audits]
    ['REFUTED', 'SUPPORTED']
    """
    if not batched(audit.drawn):
        return _test(audit)
    try:
        return _test(audit.with_(alpha=(1 - RESERVE) * audit.alpha))
    except BatchRaised:
        pass  # which run did? Each by itself, and on fresh draws
    return _test(audit.with_(mechanism=run_by_run(audit.drawn), alpha=RESERVE * audit.alpha))


def _test(audit: Audit) -> Result:
    started = time.perf_counter()
    sampler = Sampler(audit.drawn, audit.neighbours, audit.budget)
    test = Sequential(worst_pair(audit.claim))
    counted: list[Counted] | None = None
    fixed, width = True, 0
    title = f"auditing {name_of(audit.drawn)}"
    with sampler.interrupts, progress_bar(title, sampler.runs, audit.progress) as advance:
        for a, b in sampler:
            fixed, width = fixed and bool((a == a[0]).all()), a.shape[1]
            with one_thread():
                test.feed(a, b)
                for one in counted or ():
                    one.count(*test.values(one.event.score, a, b))
            advance(len(a), progress_note(test, audit.alpha, sampler.runs))
            if test.log_wealth >= math.log(2 / audit.alpha):
                result = _refuted_by_wealth(audit, test, sampler, time.perf_counter() - started)
                return noting(audit, result, sampler, fixed)
            if counted is None and sampler.settled and test.samples >= LEARN * sampler.runs:
                fresh = max(sampler.runs - test.samples, 1)
                counted = [Counted(*one) for one in choose_events(test, audit.claim, fresh, audit.alpha / 2)]
            if sampler.interrupts.noted:
                sampler.cut_short = "interrupted"
    if sampler.cut_short:  # the exact test needs a number of runs that was fixed before; the wealth does not
        counted = None
    sight = power(audit.claim, test.samples, audit.alpha, exact=not sampler.cut_short)
    result = _at_the_end(audit, sight, width, test.samples, counted or [], time.perf_counter() - started)
    return noting(audit, result, sampler, fixed)


def progress_note(test: Sequential, alpha: float, runs: int) -> str:
    """The wealth so far, what it needs, and how many runs more that is expected to take.

    >>> progress_note(Sequential(worst_pair(PureDP(1.0))), 1e-3, 100)
    'wealth 1 of 2e+03, no event to bet on'
    """
    note = f"wealth {math.exp(min(test.log_wealth, 99)):.3g} of {2 / alpha:.3g}"
    more = test.expected(math.log(2 / alpha))
    if not math.isfinite(more):
        return f"{note}, no event to bet on"
    there = "" if test.samples + more <= runs else ", more than there will be"
    return f"{note}, about {more:.2g} runs more expected{there}"


def _let(audit: Audit) -> dict[str, str]:
    pair = audit.neighbours
    return {
        "M": name_of(audit.drawn),
        "D": describe(pair.data, pair.other),
        "D'": f"{describe(pair.other, pair.data)} ({pair.adjacency})",
        "seed": str(audit.budget.seed),
    }


def _exact(audit: Audit, **more: Any) -> dict[str, Any]:
    """The machine-readable half of a witness: the data, the claim's worst pair, and what was counted."""
    pair = worst_pair(audit.claim)
    claimed = {
        "text": str(audit.claim),
        "ratios": pair.ratios[:-1].tolist(),
        "p": pair.p.tolist(),
        "q": pair.q.tolist(),
    }
    return {
        "kind": "event",
        **as_json(audit.neighbours),
        "claim": claimed,
        "seed": audit.budget.seed,
        "alpha": audit.alpha,
        **more,
    }


def _refuted_by_wealth(audit: Audit, test: Sequential, sampler: Sampler, seconds: float) -> Result:
    claim = audit.claim
    alpha = audit.alpha
    seed = audit.budget.seed
    seen, wealth = test.samples, math.exp(min(test.log_wealth, 700))
    then = (
        f"in {seen} runs a side a stake of 1, which cannot grow on average if the claim is true, grew "
        f"to {wealth:.3g} >= {2 / alpha:.3g}"
    )
    more: dict[str, Any] = {"runs": seen, "log_wealth": test.log_wealth, "bets": test.ledger()}
    event = _sign(test, claim)
    if event is not None:
        first, second = ("D'", "D") if event.swapped else ("D", "D'")
        x, y = test.seen(event.score, event.bins)[:: -1 if event.swapped else 1]
        more["sign"] = {"event": str(event), "likelier_on": first, "counts": [x, y]}
        then += f"; its plainest sign: E = [{event}] was seen {x} times on {first}, {y} times on {second}"
        if not event.plain:
            then += " (a learned score: run the audit again, with its seed, to compute it)"
        data = audit.neighbours.other if event.swapped else audit.neighbours.data
        if not batched(audit.drawn) and (
            found := example(untaped(audit.drawn), data, sampler.layout, event.count, seed)
        ):
            then += f", as is {found}"
    because = (
        f"wealth above {2 / alpha:.3g} at any time has probability below {alpha / 2:.3g} if the claim "
        "is true (Ville)"
    )
    witness = Witness(_let(audit), then, str(claim), _exact(audit, **more), because)
    evidence = Evidence(
        "sequential",
        {"log_wealth": test.log_wealth, "looks": len(test.path)},
        alpha=alpha,
        samples=seen,
        seed=seed,
    )
    return Result(
        REFUTED,
        f"{claim} is refuted after {seen} runs a side (alpha = {alpha:g}).",
        evidence,
        witness,
        seconds=seconds,
    )


def _sign(test: Sequential, claim: Guarantee) -> Event | None:
    """An event that a stranger can look for by hand, if there is one whose counts alone speak against the
    claim; else the most telling.
    """
    pair = worst_pair(claim)
    for plain in (True, False):
        event = choose_event(test, claim, test.samples, plain)
        if event is None:
            continue
        counts = test.seen(event.score, event.bins)
        n = next(int(x.sum()) for score, _, (x, _) in test.books if score is event.score)
        x, y = (np.array([count, n - count]) for count in counts)
        if not plain or excess(x, y, pair) > TELLING:
            return event
    return None


@dataclass(eq=False)
class Counted:
    """A fixed event, the level at which it is tested, and how often it was seen on the data set where it is
    likelier and on the other, in so many fresh runs a side.
    """

    event: Event
    level: float
    likelier: int = 0
    other: int = 0
    fresh: int = 0

    def count(self, x: np.ndarray, y: np.ndarray) -> None:
        """Count it in these values of its score on the two data sets."""
        first, second = (y, x) if self.event.swapped else (x, y)
        self.likelier += self.event.count_values(first)
        self.other += self.event.count_values(second)
        self.fresh += len(x)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        return self.likelier, self.fresh, self.other, self.fresh

    def bound(self, claim: Guarantee) -> tuple[str, float]:
        """The name of the parameter that it bounds from below, and the bound."""
        if isinstance(claim, PureDP | ApproxDP):
            delta = claim.delta_at(claim.epsilon)
            return "epsilon_lower_bound", epsilon_lower_bound(*self.counts, delta, self.level)
        return "mu_lower_bound", mu_lower_bound(*self.counts, self.level, self.event.expected)

    def slope(self, claim: Guarantee) -> float:
        """That of the claimed curve where the event is expected."""
        if isinstance(claim, PureDP | ApproxDP):
            return math.exp(claim.epsilon)
        return _slope(worst_pair(claim), self.event.expected[1])

    def refutes(self, claim: Guarantee) -> bool:
        """Whether its counts refute the claim at its level."""
        return refutes(*self.counts, _curve(worst_pair(claim)), self.slope(claim), self.level)


def _at_the_end(
    audit: Audit,
    sight: Power,
    width: int,
    runs: int,
    counted: list[Counted],
    seconds: float,
) -> Result:
    claim = audit.claim
    alpha = audit.alpha
    seed = audit.budget.seed
    started = time.perf_counter()
    certificate: dict[str, Any] = {}
    shown = "no event was found that tells the data sets apart"
    if runs < audit.budget.runs and not counted:
        shown = "no bound, for the exact test is made at the end alone"
    seen = [one for one in counted if one.fresh]
    if seen:
        telling = next((one for one in seen if one.refutes(claim)), None)
        bounds = [one.bound(claim) for one in seen]
        best = max(range(len(seen)), key=lambda i: bounds[i][1])
        one = telling or seen[best]
        name, bound = bounds[seen.index(one)]
        counts = [one.likelier, one.other]
        certificate = {"event": str(one.event), "counts": counts, "fresh": one.fresh, name: bound}
        if isinstance(claim, PureDP | ApproxDP):
            shown = f"epsilon >= {bound:.4g} at delta = {claim.delta_at(claim.epsilon):g}"
        else:
            shown = f"not {bound:.4g}-GDP"
        shown += f" (confidence {1 - sum(each.level for each in counted):g})"
        if telling is not None:
            first, second = ("D'", "D") if one.event.swapped else ("D", "D'")
            then = (
                f"E = [{one.event}], chosen on earlier runs, happened {one.likelier} times in {one.fresh} "
                f"fresh runs on {first} and {one.other} times on {second}: {shown}"
            )
            more = {
                "runs": runs,
                "event": str(one.event),
                "likelier_on": first,
                "counts": counts,
                "fresh": one.fresh,
                "slope": one.slope(claim),
                "level": one.level,
            }
            because = (
                f"such counts have probability below {one.level:.3g} if the claim is true (exact test "
                "of two binomials)"
            )
            exact = _exact(audit, **more)
            witness = Witness(_let(audit), then, str(claim), exact, because)
            evidence = Evidence("exact event", certificate, alpha=alpha, samples=runs, seed=seed)
            seconds += time.perf_counter() - started
            return Result(REFUTED, f"{claim} is refuted: {shown}.", evidence, witness, seconds=seconds)
    evidence = Evidence(
        "sequential, exact event",
        {**certificate, **sight.certificate()},
        alpha=alpha,
        samples=runs,
        seed=seed,
        ceiling=str(sight),
    )
    seconds += time.perf_counter() - started
    if not sight.visible:
        because = (
            f"{runs} runs a side could not have refuted {claim}: not even an event with probability 0.99 "
            "on one data set and 0 on the other would have been found with 80 % power. "
            + (
                f"{needed} runs could have."
                if (needed := enough(claim, runs, alpha))
                else "Ten million could not."
            )
        )
        return Result(UNDECIDED, because, evidence, seconds=seconds)
    measured = "" if width <= MEASURED else f" (these outputs have {width}, for which it was not measured)"
    because = (
        f"{runs} runs a side did not refute {claim}. Shown: {shown}. What it could have shown: "
        f"{sight}{measured}. Not looked at: {BLIND}."
    )
    return Result(SUPPORTED, because, evidence, seconds=seconds)


def _slope(pair: WorstPair, q: float) -> float:
    """The slope of the claimed curve near Q(E) = q; any positive number is valid, this one is near the
    best.
    """
    at = min(int(np.searchsorted(pair.curve[0], q)), len(pair.ratios) - 1)
    ratio = float(pair.ratios[::-1][at])
    return ratio if math.isfinite(ratio) and ratio > 0 else 1.0


def _curve(pair: WorstPair) -> Curve:
    return lambda q: np.interp(q, *pair.curve)


STATISTICS = Rung(
    "statistics",
    shows="no event of the outputs breaks the claimed guarantee",
    needs="thousands of runs on both data sets",
    climb=statistical_audit,
    share=1.0,
)
