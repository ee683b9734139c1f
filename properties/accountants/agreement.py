"""Accountants against each other."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from dpverify.accounting.bounds import Steps
from dpverify.verdicts import REFUTED, UNDECIDED

from ..laws import NotApplicable, Outcome, Result, Subject, held, law
from .questions import Refused, ask_number, say

AGREE = 2.0
AGREEMENT = (
    (Steps(1.0, 0.01, 1000), 1e-5),
    (Steps(0.6, 1e-3, 1000), 1e-6),
    (Steps(2.0, 0.1, 100), 1e-8),
    (Steps(4.0, 1.0, 10), 1e-5),
)


@lru_cache(maxsize=4096)
def _answer(name: str, step: Steps, delta: float) -> float | str:
    """What the accountant of that name says, or why it does not."""
    from dpverify.adapters import select

    try:
        return ask_number(select(name)[0]().accountant.epsilon, (step,), delta)
    except Refused as refusal:
        return str(refusal)


@law("accountant")
def agreement(subject: Subject, seed: int) -> Outcome:
    """It is within a factor of 2 of the other accountants that are installed, but those known to be too
    small.
    """
    from dpverify.adapters import select

    accountant: Any = subject.accountant
    others = [peer for peer in select("accountant:*") if peer.installed and peer.name != subject.name]
    peers = [
        peer for peer in others if peer.expect.get("bounds") is not REFUTED
    ]  # those known to be too small are left out
    if not peers:
        return NotApplicable("no other accountant is installed")
    ratios: dict[str, float] = {}
    worst = (1.0, "")
    for step, delta in AGREEMENT:
        try:
            mine = ask_number(accountant.epsilon, (step,), delta)
        except Refused:
            continue
        for peer in peers:
            theirs = _answer(peer.name, step, delta)
            if isinstance(theirs, str) or not (mine > 0 and theirs > 0):
                continue
            ratio = mine / theirs
            if abs(math.log(ratio)) > abs(math.log(ratios.get(peer.name, 1.0))) or peer.name not in ratios:
                ratios[peer.name] = ratio
            if abs(math.log(ratio)) > abs(math.log(worst[0])) or not worst[1]:
                worst = (ratio, f"{say([step])}, delta {delta:g}: {mine:.6g}, {peer.name} {theirs:.6g}")
    if not ratios:
        return Result(UNDECIDED, "No other accountant gave a number for the same steps.")
    low, high = min(ratios.values()), max(ratios.values())
    text = (
        f"Against {', '.join(ratios)}: epsilon is {low:.4g} to {high:.4g} times theirs where they "
        f"differ most ({worst[1]})"
    )
    if not 1 / AGREE <= worst[0] <= AGREE:
        return Result(UNDECIDED, f"{text}. They cannot tell which is right; the law `bounds` can.")
    return held(f"{text}.", f"a factor of {AGREE:g}", samples=len(AGREEMENT), ratios=ratios, where=worst[1])
