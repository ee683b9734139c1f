"""What an audit would have found: how far an event must exceed the claim to be seen with 80 % power.

An event with probability p on one data set and q on the other lets the best bet grow by G(p, q) a pair of
runs, the smallest divergence from what the claim admits (see `betting`). Whoever knows the event needs
log(2/alpha) nats. An audit shares its stake among its bettors and has to find the event first; measured on
planted events in 1, 2 and 10 coordinates (tests/calibration/test_power.py; of 50, 8 of 10 half-lines were
seen, too few to promise), it sees with 80 % power or more

    an event of one of up to 10 coordinates, once runs * G(p, q) >= log(2/alpha) + SEARCH[its kind]

and where the claim is too loose for that, with 2,000 runs or more, an event that is common on one data set
and absent on the other, by the exact test at the end. `BLIND` names what is not looked at.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.betting import best_bet
from dpverify.auditing.claimed import WorstPair, worst_pair
from dpverify.auditing.events import BESIDE
from dpverify.auditing.exact import refutes
from dpverify.guarantees import Guarantee

SEARCH = {"half-line or value that comes back": 26.0, "narrow interval": 60.0}  # nats
MEASURED = 10  # coordinates of the outputs on which this was measured, at most
ENOUGH = 2000  # runs, of which an eighth teaches the exact test its event well enough; 1,000 do not
ASTRAY = 3  # runs on the other data set that an event, as it was learned, may still hold
COMMON = (0.0, 0.001, 0.01, 0.1, 0.5)
BLIND = (
    "rare dependence of two coordinates among many, and of several where it is neither an exact equation nor "
    "found by a tree, lowest bits that rounding touches, bits of a whole number beyond the 512th, what is "
    "compressed or encrypted, the order of words in a text, its letters and numbers or bytes beyond the "
    "1024th, the code and the global variables of a function, how an object lies in memory and whether a "
    "number is NumPy's, the line that raised an exception, what is printed, logged or written to files, the "
    "order and the time of runs, other neighbours"
)


class Seen(NamedTuple):
    """An event with probability `rare` on one data set is found with 80 % power if it has `seen` or more on
    the other, where the claim allows `allowed`.
    """

    rare: float
    allowed: float
    seen: float

    def __str__(self) -> str:
        return f"{self.rare:g} against {self.seen:.2g} (allowed {self.allowed:.2g})"


def growth(p: float, q: float, pair: WorstPair) -> float:
    """By how many nats a pair of runs the best bet on an event grows.

    >>> from dpverify.guarantees import PureDP
    >>> growth(0.9, 0.1, worst_pair(PureDP(1.0))) > growth(0.5, 0.1, worst_pair(PureDP(1.0))) > 0
    True
    """
    sides = np.clip([[p, 1 - p], [q, 1 - q]], 1e-12, 1.0)
    return best_bet(sides[0], sides[1], pair).growth


@lru_cache(maxsize=256)
def smallest_seen(
    claim: Guarantee,
    runs: int,
    alpha: float,
    kind: str = "half-line or value that comes back",
    exact: bool = True,
) -> tuple[Seen, ...]:
    """For events from rare to common, the smallest probability on the other data set that is seen with 80 %
    power; none is listed that even a probability of 0.99 would not show. `exact` if the exact test is made,
    too.

    >>> from dpverify.guarantees import PureDP
    >>> [str(event) for event in smallest_seen(PureDP(1.0), 10_000, 1e-3)][:2]
    ['0 against 0.011 (allowed 0)', '0.001 against 0.019 (allowed 0.0027)']
    >>> smallest_seen(PureDP(12.0), 1000, 1e-3)
    ()
    """
    from scipy.special import bdtrik

    pair = worst_pair(claim)
    need = (math.log(2 / alpha) + SEARCH[kind]) / max(runs, 1)
    events = []
    for rare in COMMON:
        low, high = pair.tpr(rare), 0.99
        if low >= high or growth(high, rare, pair) < need:
            continue
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (low, middle) if growth(middle, rare, pair) >= need else (middle, high)
        events.append(Seen(rare, round(pair.tpr(rare), 9), high))
    fresh = runs - runs // 4  # of which the exact test has at least so many
    level = (1 - BESIDE) * alpha / 2  # if a second event is tested, too
    slope = float(pair.ratios[-2])
    for p in (0.1, 0.25, 0.5, 0.75, 0.99) if exact and not events and runs >= ENOUGH else ():
        low = math.floor(bdtrik(0.2, fresh, p))  # one time in five there are fewer
        if refutes(low, fresh, ASTRAY, fresh, lambda q: np.interp(q, *pair.curve), slope, level):
            return (Seen(0.0, round(pair.tpr(0.0), 9), p),)
    return tuple(events)


class Power(NamedTuple):
    """What would have been found with 80 % power, by kind of event; nothing, if `visible` is false."""

    kinds: dict[str, tuple[Seen, ...]]

    @property
    def visible(self) -> bool:
        return any(self.kinds.values())

    def __str__(self) -> str:
        each = [f"a {kind} with {', '.join(map(str, seen))}" for kind, seen in self.kinds.items() if seen]
        return (
            f"with 80 % power it finds, in one of up to {MEASURED} coordinates, {'; '.join(each)}"
            if each
            else "it finds nothing"
        )

    def certificate(self) -> dict[str, Any]:
        """The same, for a machine."""
        listed = {kind: [event._asdict() for event in seen] for kind, seen in self.kinds.items()}
        return {"power": listed, "not_looked_at": BLIND}


def power(claim: Guarantee, runs: int, alpha: float, exact: bool = True) -> Power:
    """What an audit of so many runs a side finds with 80 % power; `exact` unless it was cut short before its
    exact test.

    >>> from dpverify.guarantees import PureDP
    >>> power(PureDP(1.0), 10_000, 1e-3).visible, power(PureDP(12.0), 1000, 1e-3).visible
    (True, False)
    """
    return Power({kind: smallest_seen(claim, runs, alpha, kind, exact) for kind in SEARCH})


def enough(claim: Guarantee, runs: int, alpha: float) -> int | None:
    """The first of 2,000, 5,000, 10,000 ... runs a side, above these, that would find something; None if not
    even ten million do.

    >>> from dpverify.guarantees import PureDP
    >>> enough(PureDP(3.0), 1000, 1e-3), enough(PureDP(40.0), 1000, 1e-3)
    (2000, None)
    """
    sizes = [first * 10**zeros for zeros in range(3, 7) for first in (1, 2, 5)] + [10**7]
    return next((size for size in sizes if size > runs and power(claim, size, alpha).visible), None)
