"""Runs of two algorithms of Section 5 in pairs, and the sign tests that compare them on several data sets.

In every comparison independent runs of the two algorithms are paired, and one ends below the other in so many
pairs that fair coins would do it with probability at most alpha; the verdict says on how many data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from dpverify.effort import Effort
from dpverify.relations import AtMost, Tested
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

FULL, BATCH = 100_000, 1_000
RUNS = 30
ALPHA = 1e-6
DISTINCT = 250
EARLY = 20
LENGTHS = (100, 200, 500, 1000)  # T


class Run(NamedTuple):
    """One algorithm in one setting of Section 5; `data` seeds the records."""

    name: str
    T: int
    c: float
    m: int = FULL
    data: int = 1

    def __str__(self) -> str:
        return (
            f"{self.name} (T = {self.T}, c = {self.c:g}, m = "
            f"{self.m}{f', data set {self.data}' if self.data != 1 else ''})"
        )


Pairs = list[tuple[Run, Run]]


def seed_of(one: Run, effort: Effort) -> int:
    """A seed of its own for each algorithm and setting."""
    import numpy as np

    from dpverify.symbolic.dp_accel.runs import NAMES

    entropy = [effort.seed, NAMES.index(one.name), one.T, int(10 * one.c), one.m, one.data]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def errors(one: Run, effort: Effort, runs: int = RUNS) -> Any:
    """F - F* at the end of independent runs of one algorithm."""
    from dpverify.symbolic.dp_accel import runs as section5

    return section5.final_errors(*one, runs=runs, seed=seed_of(one, effort), distinct=DISTINCT)


def ordered(
    pairs: Pairs,
    also: Callable[[Effort], str | None] = lambda effort: None,
    runs: int = RUNS,
    sets: Sequence[int] | None = None,
) -> Callable[[Effort], Result]:
    """A run that tests, for every pair and on every data set, that the first ends below the second; `also`
    may add a reason why the finding fails.

    A finding about data drawn like this is supported if for every pair it shows on most data sets, and
    refuted if for some pair the opposite shows on most. `sets` are seeds of data: 1 to 3, in the full profile
    1 to 8.
    """

    def run(effort: Effort) -> Result:
        from scipy.stats import binom

        from dpverify.proving.refutation import refute

        seeds = tuple(sets or data_seeds(effort))
        level = ALPHA / (len(pairs) * len(seeds))
        told, shares = [], []
        for one, other in pairs:
            below, against = 0, []
            for seed in seeds:
                first, second = one._replace(data=seed), other._replace(data=seed)
                a, b = errors(first, effort, runs), errors(second, effort, runs)
                wins = int((a < b).sum())
                text = f"{first} {a.mean():.3g} against {second} {b.mean():.3g}"
                below += bool(binom.sf(wins - 1, runs, 0.5) <= ALPHA)
                if binom.sf(runs - wins - 1, runs, 0.5) <= level:
                    against.append((text, wins))
                told.append(f"{text}: {wins} of {runs} pairs of runs")
            shares.append((below, f"{one} below {other}"))
            if 2 * len(against) > len(seeds):
                text, wins = against[0]
                tail = (
                    sp.Add(*[sp.binomial(runs, k) for k in range(wins + 1)]) / sp.Integer(2) ** runs
                )  # of a fair coin
                limit = sp.Rational(1, 10**6) / (len(pairs) * len(seeds))
                exact = refute(AtMost(limit, tail), effort)
                assert exact is not None
                let = {
                    "runs": f"{runs} of each, seed {effort.seed}",
                    "data": "250 distinct records, 400 copies each",
                    "data sets": f"the opposite on {len(against)} of {len(seeds)}",
                }
                then = (
                    f"{text}; the first ends below the second in {wins} of {runs} pairs, a fair coin "
                    f"so rarely with probability {float(tail):.2g}"
                )
                witness = Witness(let, then, "the first ends below the second", exact.exact)
                because = f"the opposite on {len(against)} of {len(seeds)} data sets; {text}"
                evidence = Evidence("sign test", alpha=ALPHA, samples=runs, seed=effort.seed)
                return Result(REFUTED, because, evidence, witness)
        least, which = min(shares)
        if 2 * least <= len(seeds):
            return Result(UNDECIDED, f"{which} on {least} of {len(seeds)} data sets only")
        if extra := also(effort):
            return Result(UNDECIDED, extra)
        evidence = Evidence(
            "sign test",
            alpha=ALPHA,
            samples=runs,
            seed=effort.seed,
            details="\n".join(told),
            ceiling=f"{len(pairs)} comparisons on each of {len(seeds)} data sets of 250 distinct records "
            "with "
            "400 copies each, u uniform; the opposite on most of them would have shown",
        )
        because = f"{len(pairs)} comparisons, each on at least {least} of {len(seeds)} data sets; {told[0]}"
        return Result(SUPPORTED, because, evidence)

    return run


def data_seeds(effort: Effort) -> range:
    """The seeds of the data sets on which a finding is looked for: 1 to 3, in the full profile 1 to 8."""
    return range(1, 4 if effort.name == "quick" else 9)


def on_most(ratio: Callable[[Effort, int], float], low: float, high: float, what: str) -> Any:
    """A condition beside the comparisons: a ratio lies strictly between two numbers on most data sets."""

    def also(effort: Effort) -> str | None:
        values = [ratio(effort, seed) for seed in data_seeds(effort)]
        inside = sum(low < value < high for value in values)
        told = ", ".join(f"{value:.3g}" for value in values)
        return None if 2 * inside > len(values) else f"{what} is {told} on {len(values)} data sets"

    return also


def mean_ratio(one: Run, other: Run, runs: int = RUNS) -> Callable[[Effort, int], float]:
    """The mean final error of one algorithm over that of another, on a data set."""

    def ratio(effort: Effort, seed: int) -> float:
        first, second = (errors(each._replace(data=seed), effort, runs).mean() for each in (one, other))
        return float(first / second)

    return ratio


DRAWN = (  # the paper prints neither its records nor the law of u
    f"{FULL} records, {FULL // DISTINCT} copies each of {DISTINCT} different ones (u uniform on [0, 1]^20, z "
    "the sign of u'v, v normal)"
)
SETS = "3 data sets (8 in the full profile)"
STAGED = ", p = 1 and n_1 = ceil(sqrt(kappa) ln kappa) in the stages of DP-MASG"


def compared(
    pairs: Pairs,
    also: Callable[[Effort], str | None] = lambda effort: None,
    runs: int = RUNS,
    sets: Sequence[int] | None = None,
    more: str = "",
) -> Tested:
    """The statement that in every pair the first ends below the second on most data sets, and its test."""
    below: dict[str, list[str]] = {}
    for one, other in pairs:
        below.setdefault(str(one), []).append(str(other))
    told = "; ".join(f"{one} ends below {' and '.join(others)}" for one, others in below.items())
    staged = STAGED if "MASG" in told else ""
    number = f"{len(sets)} data sets" if sets else SETS
    return Tested(
        f"on most of {number} of {DRAWN}{staged}, by a sign test on {runs} pairs of runs each: {told}{more}",
        ordered(pairs, also, runs, sets),
    )
