"""Asking an accountant: what it answers, what it refuses, and the worst answer among many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dpverify.accountant import quiet
from dpverify.accounting.bounds import Steps
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness
from dpverify.witnesses import comparison

ROUNDING = 1e-6  # relative; an epsilon that is smaller by less is not held against anybody
GAP = 0.01  # of the bounds aimed at, relative
DELTAS = (1e-8, 1e-5, 1e-3)


class Refused(Exception):
    """The accountant gives no number."""


def answered(question: Callable[..., Any], *given: Any) -> Any:
    with quiet():
        try:
            return question(*given)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error


def ask_number(question: Callable[..., float], *given: Any) -> float:
    answer = float(answered(question, *given))
    if math.isnan(answer):
        raise Refused("not a number")
    return answer


def say(ledger: Sequence[Steps]) -> str:
    return " and ".join(
        f"{times} {'step' if times == 1 else 'steps'} of noise {noise:g}"
        + (f" at rate {rate:g}" if rate < 1 else "")
        for noise, rate, times in ledger
    )


class Case(NamedTuple):
    """A question, and the least epsilon that can be true."""

    setting: str
    delta: float
    ask: Callable[[], float]
    least: Callable[[], float]
    why: str
    most: Callable[[], float] | None = None  # the largest that can be true, if that is another


def not_below(cases: Iterator[Case], method: str, ceiling: str) -> Result:
    """Every answer against the least that can be true; the worst one is the witness."""
    asked = 0
    refusals = []
    worst = None
    largest = (-math.inf, "")
    short: list[dict[str, Any]] = []
    for case in cases:
        try:
            answer = ask_number(case.ask)
        except Refused as refusal:
            refusals.append(f"{case.setting}, delta {case.delta:g}: {refusal}")
            continue
        asked += 1
        least = case.least()
        over = answer / least if least > 0 else (1.0 if answer <= 1e-3 else math.inf)
        if answer < least * (1 - ROUNDING) - 1e-9:
            short.append(
                {
                    "setting": case.setting,
                    "delta": case.delta,
                    "reported": answer,
                    "least": least,
                    "share": over,
                    "why": case.why,
                }
            )
        most = case.most() if case.most is not None else least
        if most > 0.01 and answer / most > largest[0]:
            against = "exact" if case.most is None else "upper bound"
            largest = (
                answer / most,
                f"{case.setting}, delta {case.delta:g}: {answer:.6g}, {against} {most:.6g}",
            )
    if not asked:
        return Result(
            UNDECIDED, f"It gave no number for any of {len(refusals)} settings; the first: {refusals[0]}"
        )
    figures = {
        "settings": asked,
        "refused": len(refusals),
        "below": len(short),
        "largest over": largest[0] if largest[1] else None,
        "there": largest[1],
    }
    if short:
        worst = min(short, key=lambda one: one["share"])
        then = f"it reports epsilon = {worst['reported']:.6g}; {worst['why']} = {worst['least']:.6g}"
        contradicts = f"epsilon = {worst['reported']:.6g} is enough"
        witness = Witness(
            {"steps": worst["setting"], "delta": f"{worst['delta']:g}"},
            then,
            contradicts,
            comparison(worst["reported"], ">=", worst["least"], **figures, worst=worst, all=short[:20]),
        )
        return Result(
            REFUTED,
            f"{worst['setting']}, delta {worst['delta']:g}: {then}. {len(short)} of {asked} "
            "settings are too small.",
            witness=witness,
        )
    if refusals:
        figures["first refusal"] = refusals[0]
    over_text = (
        f"at most {largest[0]:.4g} times what it should be ({largest[1]})"
        if largest[1]
        else "no epsilon is positive"
    )
    tail = f"; {len(refusals)} more are refused" if refusals else ""
    return Result(
        SUPPORTED,
        f"{asked} settings, none too small{tail}; {over_text}.",
        Evidence(method, figures, samples=asked, ceiling=ceiling),
    )
