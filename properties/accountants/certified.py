"""Epsilons of composed subsampled steps, and of the noise that is chosen for a target, against certified
bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from dpverify.accounting.bounds import Steps, epsilon_bounds
from dpverify.verdicts import UNDECIDED
from dpverify.witnesses import comparison

from ..laws import NotApplicable, Outcome, Result, Subject, broken, held, law
from .questions import DELTAS, GAP, ROUNDING, Case, Refused, ask_number, not_below, say

QUICK = (
    Steps(0.5, 1e-3, 100),
    Steps(0.6, 1e-3, 1000),
    Steps(0.5, 0.5, 2),
    Steps(1.0, 0.01, 1000),
    Steps(1.0, 0.1, 30),
    Steps(2.0, 0.01, 10_000),
    Steps(5.0, 0.1, 3000),
)


def _full() -> tuple[Steps, ...]:
    """The large grid, but for settings with an epsilon so large that it means nothing (q sqrt(T (exp(1/s^2) -
    1)) > 8).
    """
    every = [
        Steps(s, q, t)
        for s in (0.5, 0.7, 1.0, 2.0, 5.0)
        for q in (1e-3, 0.01, 0.1, 0.5)
        for t in (1, 10, 100, 1000, 10_000)
    ]
    return tuple(step for step in every if step.rate * math.sqrt(step.times * math.expm1(step.noise**-2)) < 8)


def _bound(side: str, step: Steps, delta: float) -> float:
    return float(getattr(epsilon_bounds((step,), delta, GAP), side))


@law("accountant")
def bounds(subject: Subject, seed: int) -> Outcome:
    """No epsilon of composed subsampled steps is below a certified lower bound."""
    accountant: Any = subject.accountant

    def cases() -> Iterator[Case]:
        for step in _full() if accountant.full else QUICK:
            for delta in DELTAS:
                ask = partial(accountant.epsilon, (step,), delta)
                lower = partial(_bound, "lower", step, delta)
                upper = partial(_bound, "upper", step, delta)
                yield Case(
                    say([step]),
                    delta,
                    ask,
                    lower,
                    "a certified lower bound (losses on a grid, every error on the lower side)",
                    upper,
                )

    ceiling = f"an epsilon below the truth by more than about {GAP:.0%}"
    return not_below(cases(), "certified bounds", ceiling)


@law("accountant")
def calibration(subject: Subject, seed: int) -> Outcome:
    """The noise chosen for a target meets it, by the certified bounds; how much of the target is left
    unused is a figure.
    """
    accountant: Any = subject.accountant
    if accountant.noise is None:
        return NotApplicable("it chooses no noise")
    settings = [(1.0, 1e-5, 0.01, 1000), (8.0, 1e-5, 0.1, 100), (0.5, 1e-6, 1.0, 10)]
    if accountant.full:
        settings += [
            (e, d, q, t)
            for e in (0.3, 2.0, 10.0)
            for d in (1e-7, 1e-4)
            for q, t in ((1e-3, 10_000), (0.05, 300), (0.5, 5))
        ]
    rows: list[dict[str, Any]] = []
    refusals = []
    for wanted, delta, rate, times in settings:
        let = {"target": f"({wanted:g}, {delta:g})", "steps": f"{times} at rate {rate:g}"}
        try:
            noise = ask_number(accountant.noise, wanted, delta, rate, times)
        except Refused as refusal:
            refusals.append(f"({wanted:g}, {delta:g}), {times} steps at rate {rate:g}: {refusal}")
            continue
        bounds = epsilon_bounds((Steps(noise, rate, times),), delta, 2e-3)
        rows.append(
            {
                "wanted": wanted,
                "delta": delta,
                "rate": rate,
                "times": times,
                "noise": noise,
                "lower": bounds.lower,
                "upper": bounds.upper,
            }
        )
        if bounds.lower > wanted * (1 + ROUNDING):
            then = (
                f"noise {noise:.9g} is chosen, whose epsilon is at least {bounds.lower:.6g} "
                f"(certified; at most {bounds.upper:.6g})"
            )
            exact = comparison(bounds.lower, "<=", wanted, settings=rows)
            return broken(then, let, exact, f"epsilon at most {wanted:g}")
    if not rows:
        return Result(UNDECIDED, f"It chose no noise for {len(refusals)} targets; the first: {refusals[0]}")
    above = max(row["upper"] / row["wanted"] for row in rows)
    unused = max(1 - row["upper"] / row["wanted"] for row in rows)
    if above > 1.005:
        return Result(
            UNDECIDED,
            f"The bounds on epsilon at the noise chosen are not tight enough: up to {above:.4g} "
            "of the target.",
            None,
        )
    figures = {
        "settings": rows,
        "refused": refusals,
        "largest upper bound over target": above,
        "largest share unused": unused,
    }
    return held(
        f"{len(rows)} targets are met (upper bound at most {above:.4f} of them); up to "
        f"{unused:.1%} of epsilon is left unused.",
        "noise whose epsilon exceeds the target by more than about 0.3%",
        samples=len(rows),
        **figures,
    )
