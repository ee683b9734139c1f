"""Rung 4, the statistical audit: outputs on the two data sets against the claimed guarantee, end to end,
nothing assumed.

Half of alpha goes to the sequential test (`sequential`), which may stop at any chunk. The other half goes to
one fixed event, learned on the first part of the sample and tested exactly on the rest when the budget is
spent (`exact`), which also gives the lower bounds that are reported: epsilon at the claimed delta for a
point; for a profile the largest mu for which mu-GDP is refuted (true of any mechanism; the epsilon that
mu-GDP would have at some delta is an equivalent, not a bound).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.auditing.claimed import WorstPair, worst_pair
from dpverify.auditing.drawing import BatchRaised, Sampler, run_by_run, untaped
from dpverify.auditing.exact import Curve, epsilon_lower_bound, mu_lower_bound, refutes
from dpverify.auditing.power import BLIND, MEASURED, Power, enough, power
from dpverify.auditing.ratios import excess
from dpverify.auditing.replay import as_json, describe
from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import MechanismError, batched, name_of
from dpverify.auditing.scores import Score
from dpverify.auditing.sequential import Sequential, believed
from dpverify.auditing.telling import as_numbers_of, example
from dpverify.guarantees import ApproxDP, Guarantee, PureDP
from dpverify.neighbours import Neighbours
from dpverify.progress import progress_bar
from dpverify.threads import one_thread
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

RESERVE = (
    0.01  # the share of alpha of a batched mechanism that is kept for a test run by run, should it raise
)
CLEARLY = 0.03  # by what part more an event of a score that is dear to apply must be expected to show
TELLING = 2.0  # standard deviations by which the counts of a plain event must exceed the claim to be told
LEARN = 1 / 8  # the share of the budget on which the fixed event is learned


@dataclass(frozen=True)
class Event:
    """A set of outputs: those whose score lies in one of the bins; `swapped` if it is likelier on the second
    data set.

    `expected` are its two probabilities as learned, the larger first.
    """

    score: Score
    edges: np.ndarray
    bins: np.ndarray
    swapped: bool
    expected: tuple[float, float]

    def count(self, outputs: np.ndarray) -> int:
        """How many of these outputs are inside."""
        return self.count_values(self.score.apply(outputs))

    def count_values(self, values: np.ndarray) -> int:
        """How many of these values of its score are those of an output inside."""
        values = np.ascontiguousarray(values)
        inside = len(values) if self.bins[0] else 0
        for i in np.flatnonzero(self.bins[1:] != self.bins[:-1]):
            above = int(np.count_nonzero(values > self.edges[i]))
            inside += above if self.bins[i + 1] else -above
        return inside

    @property
    def parts(self) -> tuple[str, list[str]]:
        """What is looked at, and the intervals of it that make the event: of a learned ratio, those of the
        column it was learned on.
        """
        edges, bins, steps = self.edges, self.bins, self.score.steps
        if steps is None:
            return self.score.sentence, _intervals(edges, bins)
        return steps.column, _intervals(steps.edges, bins[np.searchsorted(edges, steps.values)])

    @property
    def plain(self) -> bool:
        """Whether a stranger can tell, by hand, if an output belongs to it."""
        return self.score.plain and 0 < len(self.parts[1]) <= FEW

    def __str__(self) -> str:
        looked_at, inside = self.parts
        return f"{looked_at} {' or '.join(inside) or '(never)'}"


FEW = 6  # intervals that an event may have to be read


def _intervals(edges: np.ndarray, inside: np.ndarray) -> list[str]:
    """The intervals (low, high] between the edges that are inside.

    >>> _intervals(np.array([0.0, 1.0, np.nextafter(2.0, 0.0), 2.0]), np.array([1, 0, 0, 1, 1], dtype=bool))
    ['<= 0', '> 1.9999999999999998']
    >>> _intervals(np.array([0.0, 1.0, np.nextafter(2.0, 0.0), 2.0]), np.array([0, 1, 0, 1, 0], dtype=bool))
    ['in (0, 1]', '= 2']
    """
    ends = [-math.inf, *edges.tolist(), math.inf]
    changes = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int))).tolist()
    told = []
    for low, high in ((ends[i], ends[j]) for i, j in zip(changes[::2], changes[1::2])):
        least, most = (_written(end, high - low) for end in (low, high))
        if math.nextafter(low, math.inf) == high:
            told.append(f"= {most}")
        elif high == math.inf:
            told.append(f"> {least}")
        else:
            told.append(f"<= {most}" if low == -math.inf else f"in ({least}, {most}]")
    return told


def _written(end: float, width: float) -> str:
    """The end of an interval with six digits, or with all where the width, or a value beside it, needs
    them.
    """
    short = f"{end:.6g}"
    off = abs(float(short) - end)
    return repr(end) if 0 < off < 1e-14 * abs(end) or off > 1e-3 * width else short


def _curve(pair: WorstPair) -> Curve:
    return lambda q: np.interp(q, *pair.curve)


def choose_event(test: Sequential, claim: Guarantee, runs: int, plain: bool = False) -> Event | None:
    """The event whose lower bound, with `runs` fresh runs a side, is expected to be largest by the more
    modest of two beliefs; of those that are plain, if asked.
    """
    best: tuple[float, Event] | None = None
    for score, edges, (x, y) in test.books:
        if len(edges) == 0 or (plain and not score.plain):
            continue
        # the honest scores are log-ratios that were learned on other draws
        honest = any(score is known for known in test.honest.scores)
        beliefs = [believed(kind, x, y) for kind in (("monotone",) if honest else ("quadratic", "smooth"))]
        for swapped in (False, True):
            turned = [belief[:: -1 if swapped else 1] for belief in beliefs]
            for p, q in turned:
                order = np.argsort(-(p / q), kind="stable")
                curves = [
                    [np.minimum(np.cumsum(side[order])[:-1], 1 - 1e-12) for side in belief]
                    for belief in turned
                ]
                value = np.min(
                    [_expected(tpr, fpr, claim, runs, int(x.sum())) for tpr, fpr in curves], axis=0
                )
                if score.dear:  # where a cheap score shows as much, it is taken
                    value = value - CLEARLY * np.abs(value)
                k = int(value.argmax())
                if best is None or value[k] > best[0]:
                    bins = np.zeros(len(order), dtype=bool)
                    bins[order[: k + 1]] = True
                    expected = (float(curves[-1][0][k]), float(curves[-1][1][k]))
                    event = Event(score, edges, bins, swapped, expected)
                    if not plain or event.plain:
                        best = (float(value[k]), event)
    return best[1] if best else None


def _expected(p: np.ndarray, q: np.ndarray, claim: Guarantee, runs: int, learned: int) -> np.ndarray:
    """What a one-sided 97.5 % bound is expected to show (epsilon at delta for a point, mu for a curve), less
    what is uncertain of it.
    """
    margin = 1.96 / math.sqrt(runs) + 1.0 / math.sqrt(learned)
    if isinstance(claim, PureDP | ApproxDP):
        delta = claim.delta_at(claim.epsilon)
        ratio = np.maximum(p - delta, 1e-12) / q
        spread = margin * np.sqrt(p * (1 - p) + ratio**2 * q * (1 - q))
        few = 2.0 / runs  # counts near 0 are worth less than their spread says
        together = np.maximum(p - delta - spread, 1e-12) / (q + few)
        low, high = p - delta - margin * np.sqrt(p * (1 - p)), q + margin * np.sqrt(q * (1 - q)) + few
        return np.log(np.maximum(together, np.maximum(low, 1e-12) / high))  # the second for rare events
    from scipy.special import ndtri

    z, w = ndtri(p), ndtri(q)
    return z - w - margin * np.sqrt(2 * math.pi * (p * (1 - p) * np.exp(z**2) + q * (1 - q) * np.exp(w**2)))


def statistical_audit(audit: Audit) -> Result:
    """Rung 4 alone: draw chunk by chunk, bet on each, and test one event exactly at the end.

    >>> from dpverify.auditing import Budget
    >>> from dpverify.guarantees import GDP
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
    event: Event | None = None
    x = y = n = 0
    fixed, width = True, 0
    title = f"auditing {name_of(audit.drawn)}"
    with sampler.interrupts, progress_bar(title, sampler.runs, audit.progress) as advance:
        for a, b in sampler:
            fixed, width = fixed and bool((a == a[0]).all()), a.shape[1]
            with one_thread():
                test.feed(a, b)
                if event is not None:
                    more = [event.count_values(side) for side in test.values(event.score, a, b)]
                    x, y, n = x + more[0], y + more[1], n + len(a)
            advance(len(a), progress_note(test, audit.alpha, sampler.runs))
            if test.log_wealth >= math.log(2 / audit.alpha):
                result = _refuted_by_wealth(audit, test, sampler, time.perf_counter() - started)
                return _noting(audit, result, sampler, fixed)
            if event is None and sampler.settled and test.samples >= LEARN * sampler.runs:
                event = choose_event(test, audit.claim, max(sampler.runs - test.samples, 1))
            if sampler.interrupts.noted:
                sampler.cut_short = "interrupted"
    if sampler.cut_short:  # the exact test needs a number of runs that was fixed before; the wealth does not
        event = None
        x = 0
        y = 0
        n = 0
    sight = power(audit.claim, test.samples, audit.alpha, exact=not sampler.cut_short)
    result = _at_the_end(audit, sight, width, test.samples, event, (x, y, n), time.perf_counter() - started)
    return _noting(audit, result, sampler, fixed)


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


def _noting(audit: Audit, result: Result, sampler: Sampler, fixed: bool) -> Result:
    """The same result, saying what its verdict means, and what was odd about the runs."""
    notes = []
    if fixed:
        notes.append(
            "Every run on D gave the same output: the mechanism seems to ignore its rng, or to have kept an "
            "answer from before the audit."
        )
    if any(sampler.raised):
        notes.append(f"{sampler.raised[0]} runs on D and {sampler.raised[1]} on D' raised ({sampler.error}).")
    if sampler.cut_short:
        notes.append(f"It was cut short ({sampler.cut_short}).")
    if result.verdict is REFUTED and (kept := _state(audit, result, sampler)):
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
    assert result.evidence is not None
    pair = audit.neighbours
    numbers = as_numbers_of(untaped(audit.drawn), pair.data, audit.budget.seed)
    runs = 4 * max(result.evidence.samples or 2, 50)
    return numbers is not None and not _told_apart(audit.with_(mechanism=numbers), pair, runs, crashed=True)


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
        # A lucky early end is no measure of how long the next one takes.
        if not _told_apart(single, pair, max(4 * runs, audit.budget.runs), crashed=True):
            return f"{DRIFTS} with calls of one run each, in random order, the data sets are not told apart."
        return ""
    for name, data in (("D", pair.data), ("D'", pair.other)):
        if _told_apart(audit, Neighbours(data, data, pair.adjacency), runs, crashed=False):
            return f"{DRIFTS} two series of runs on {name} are told apart as well as the two data sets."
    return ""


def _state(audit: Audit, result: Result, sampler: Sampler) -> str:
    """Why the refutation says nothing of one call: it goes away when every run begins as the first did."""
    fresh = sampler.from_scratch()
    assert result.evidence is not None
    runs = 4 * max(result.evidence.samples or 2, 50)
    if fresh is None or _told_apart(audit.with_(mechanism=fresh), audit.neighbours, runs, crashed=True):
        return ""
    return (
        f"The mechanism keeps a state: calls that share it are told apart, but in {runs} runs a side that "
        "begin as the first did, the data sets are not. So nothing follows of a claim for one call; for a "
        "claim of many calls, audit them together."
    )


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


def _at_the_end(
    audit: Audit,
    sight: Power,
    width: int,
    runs: int,
    event: Event | None,
    counts: tuple[int, int, int],
    seconds: float,
) -> Result:
    claim = audit.claim
    alpha = audit.alpha
    seed = audit.budget.seed
    started = time.perf_counter()
    x, y, n = counts
    certificate: dict[str, Any] = {}
    shown = "no event was found that tells the data sets apart"
    if runs < audit.budget.runs and event is None:
        shown = "no bound, for the exact test is made at the end alone"
    refuted = False
    if event is not None and n:
        if event.swapped:
            x, y = y, x
        first, second = ("D'", "D") if event.swapped else ("D", "D'")
        pair = worst_pair(claim)
        slope = (
            math.exp(claim.epsilon)
            if isinstance(claim, PureDP | ApproxDP)
            else _slope(pair, event.expected[1])
        )
        refuted = refutes(x, n, y, n, _curve(pair), slope, alpha / 2)
        certificate = {"event": str(event), "counts": [x, y], "fresh": n}
        if isinstance(claim, PureDP | ApproxDP):
            delta = claim.delta_at(claim.epsilon)
            bound = certificate["epsilon_lower_bound"] = epsilon_lower_bound(x, n, y, n, delta, alpha / 2)
            shown = f"epsilon >= {bound:.4g} at delta = {delta:g} (confidence {1 - alpha / 2:g})"
        else:
            bound = certificate["mu_lower_bound"] = mu_lower_bound(x, n, y, n, alpha / 2, event.expected)
            shown = f"not {bound:.4g}-GDP (confidence {1 - alpha / 2:g})"
        if refuted:
            then = (
                f"E = [{event}], chosen on earlier runs, happened {x} times in {n} fresh runs on "
                f"{first} and {y} times on {second}: {shown}"
            )
            more = {
                "runs": runs,
                "event": str(event),
                "likelier_on": first,
                "counts": [x, y],
                "fresh": n,
                "slope": slope,
            }
            because = (
                f"such counts have probability below {alpha / 2:.3g} if the claim is true (exact test "
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


STATISTICS = Rung(
    "statistics",
    shows="no event of the outputs breaks the claimed guarantee",
    needs="thousands of runs on both data sets",
    climb=statistical_audit,
    share=1.0,
)
