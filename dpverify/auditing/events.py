"""Events: a set of outputs that is learned on some runs, to be counted in others and told to a stranger."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.ratios import farthest
from dpverify.auditing.scores import Score
from dpverify.auditing.sequential import Sequential, believed
from dpverify.guarantees import ApproxDP, Guarantee, PureDP

CLEARLY = 0.03  # by what part more an event of a score that is dear to apply must be expected to show
MODESTY = {False: 1.0, True: 3.0}  # standard deviations of what was learned; more where many cells were
FEW = 6  # intervals that an event may have to be read


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

    def same_as(self, other: Event) -> bool:
        """Whether the same outputs are inside of both, as events of the same data set."""
        return (
            self.score is other.score
            and self.swapped is other.swapped
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.bins, other.bins)
        )

    @property
    def parts(self) -> tuple[str, list[str]]:
        """What is looked at, and the intervals of it that make the event: of a learned ratio, those of the
        column it was learned on.
        """
        edges = self.edges
        bins = self.bins
        steps = self.score.steps
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


BESIDE = 0.1  # of the level, for a second event


def choose_events(test: Sequential, claim: Guarantee, runs: int, level: float) -> list[tuple[Event, float]]:
    """The event whose bound is expected to be largest after so many fresh runs a side, and beside it, at a
    small part of the level, the one that exceeds the claim most so far, if another does: what is rare shows
    no bound before it is seen, but may be all that there is to see. Each with the level of its test.
    """
    best = choose_event(test, claim, runs)
    if best is None:
        return []
    telling, most = best, 0.0
    for score, edges, counts in test.books:
        union = farthest(*counts, worst_pair(claim))
        if union is not None and union.beyond > most:
            most = union.beyond
            telling = Event(score, edges, union.cells, union.swapped, union.shares)
    if telling.same_as(best):
        return [(best, level)]
    return [(best, (1 - BESIDE) * level), (telling, BESIDE * level)]


def choose_event(test: Sequential, claim: Guarantee, runs: int, plain: bool = False) -> Event | None:
    """The event whose lower bound, with `runs` fresh runs a side, is expected to be largest by the most
    modest of three beliefs; of those that are plain, if asked.
    """
    best: tuple[float, Event] | None = None
    for score, edges, (x, y) in test.books:
        if len(edges) == 0 or (plain and not score.plain):
            continue
        # the honest scores are log-ratios that were learned on other draws
        honest = any(score is known for known in test.honest.scores)
        kinds = ("monotone",) if honest else ("quadratic", "smooth", "plain")
        beliefs = [believed(kind, x, y) for kind in kinds]
        for swapped in (False, True):
            turned = [belief[:: -1 if swapped else 1] for belief in beliefs]
            for p, q in turned:
                order = np.argsort(-(p / q), kind="stable")
                curves = [
                    [np.minimum(np.cumsum(side[order])[:-1], 1 - 1e-12) for side in belief]
                    for belief in turned
                ]
                value = np.min(
                    [_expected(tpr, fpr, claim, runs, int(x.sum()), MODESTY[honest]) for tpr, fpr in curves],
                    axis=0,
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


def _expected(
    p: np.ndarray, q: np.ndarray, claim: Guarantee, runs: int, learned: int, modesty: float
) -> np.ndarray:
    """What a one-sided 97.5 % bound is expected to show (epsilon at delta for a point, mu for a curve), less
    what is uncertain of it.
    """
    margin = 1.96 / math.sqrt(runs) + modesty / math.sqrt(learned)
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
