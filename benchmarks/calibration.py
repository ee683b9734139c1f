"""False alarms of every rung and every kind of output, counted for as long as one likes; the counts are kept.

    python benchmarks/calibration.py [seconds]

Each case is a correct mechanism whose claim is tight (or, for the first three rungs, whose declaration is
true), audited again and again at alpha = 0.05 with a new seed. The counts so far are in
docs/pictures/calibration.csv, from which a later call goes on; the page on what an audit sees shows them.
"""

from __future__ import annotations

import csv
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dpverify import Budget, Neighbours
from dpverify.accounting import account
from dpverify.auditing.canaries import GradientCanaries
from dpverify.auditing.exact import epsilon_lower_bound
from dpverify.auditing.ladder import audit
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.replay import replay
from dpverify.auditing.rungs import Audit
from dpverify.auditing.shuffling import shuffled
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, Guarantee, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.releases import Gaussian, Subsampled
from dpverify.verdicts import REFUTED

ALPHA, E = 0.05, math.e
KEPT = Path(__file__).parent.parent / "docs" / "pictures" / "calibration.csv"
PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
DATA = np.linspace(0.1, 0.9, 12)[:, None]
ADDED = Neighbours.add(DATA, [1.0])
UNIT = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0, ADD_REMOVE: 1.0})
BATCH = Subsampled(UNIT, size=6, of=12, how="poisson")
Mechanism = Callable[..., Any]


def responding(yes: Callable[[Any], Any], no: Callable[[Any], Any]) -> Mechanism:
    """Randomised response at epsilon = 1, told by two outcomes."""

    def mechanism(data: Any, rng: np.random.Generator) -> Any:
        honest = rng.random() < E / (1 + E)
        return (yes if bool(data.sum()) == honest else no)(rng)

    return mechanism


def raising(rng: Any) -> Any:
    raise ValueError(f"at {rng.random()}")


def moved(width: int, at: int, size: float) -> Mechanism:
    def mechanism(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
        out = rng.standard_normal((runs, width))
        out[:, at] += size * data.sum()
        return out

    return mechanism


def laplace(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
    return data.sum() + rng.laplace(size=(runs, 1))


def geometric(data: Any, rng: np.random.Generator) -> int:
    return 2**61 + int(data.sum()) + int(rng.geometric(1 - 1 / E)) - int(rng.geometric(1 - 1 / E))


def atom(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
    out = rng.laplace(size=(runs, 1))
    out[rng.random(runs) < 0.02 * E ** data.sum()] = 0.25
    return out


def bits(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
    """Whole numbers, two of which have a bit whose exclusive or is a randomised response."""
    out = rng.integers(256, size=(runs, 3))
    told = (rng.random(runs) < E / (1 + E)) == bool(data.sum())
    out[:, 2] ^= (out[:, 2] ^ (out[:, 0] >> 3) ^ told) & 1
    return out.astype(float)


def equation(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
    out = rng.standard_normal((runs, 4))
    held = rng.random(runs) < 0.1 * E ** (data.sum() - 1)
    out[held, 3] = out[held, 0] * out[held, 1]
    return out


def rare(data: Any, rng: np.random.Generator, runs: int) -> np.ndarray:
    out = rng.standard_normal((runs, 2))
    out[rng.random(runs) < 2e-3 * E ** (data.sum() - 1), 1] = 100.0
    return out


def batch(data: Any, rng: np.random.Generator) -> float:
    return data[rng.random(len(data)) < 0.5].sum() + rng.normal()


def taped(data: Any, rng: np.random.Generator, tape: Any) -> Any:
    rows = data[rng.permutation(len(data))]
    first = tape.record(rows.sum(), rows.sum() + rng.normal(), UNIT)
    return first + tape.record(rows.sum(), rows.sum() + rng.normal(), UNIT)


def statistics(
    mechanism: Mechanism, claim: Guarantee, pair: Neighbours = PAIR, runs: int = 400
) -> Callable[[int], bool]:
    def alarm(seed: int) -> bool:
        budget = Budget(runs=runs, alpha=ALPHA, seed=seed)
        return statistical_audit(Audit(mechanism, pair, claim, budget)).verdict is REFUTED

    return alarm


def ladder(
    mechanism: Mechanism, claim: Guarantee, pair: Neighbours, declared: Any = None
) -> Callable[[int], bool]:
    def alarm(seed: int) -> bool:
        budget = Budget(runs=200, alpha=ALPHA, seed=seed)
        result = audit(mechanism, pair, claim, budget=budget, declared=declared, smaller=False)
        return result.verdict is REFUTED

    return alarm


def one_training(seed: int) -> bool:
    rng, canaries = np.random.default_rng(seed), GradientCanaries(np.eye(250), seed=seed)
    canaries.observe(canaries.total() + 2 * rng.normal(size=250))
    return canaries.audit(GDP(0.5), alpha=ALPHA).verdict is REFUTED


def too_high(seed: int) -> bool:
    """A lower bound on the epsilon of Laplace noise that exceeds it."""
    x, y = np.random.default_rng(seed).binomial(2000, [0.5, 0.5 / E])
    return epsilon_lower_bound(int(x), 2000, int(y), 2000, 0.0, ALPHA) > 1.0


CASES: dict[tuple[str, str], Callable[[int], bool]] = {
    ("replay", "two releases of permuted data, on a tape"): lambda seed: (
        replay(taped, ADDED, seed=seed).verdict is REFUTED
    ),
    ("replay", "noise on a batch, declared"): lambda seed: (
        replay(batch, ADDED, BATCH, seed=seed).verdict is REFUTED
    ),
    ("noise", "two releases, on a tape"): lambda seed: (
        noise_as_declared(taped, DATA, None, ALPHA, seed, draws=200).verdict is REFUTED
    ),
    ("ladder", "two releases, on a tape"): ladder(taped, GDP(math.sqrt(2.0)), ADDED),
    ("ladder", "noise on a batch, declared"): ladder(batch, account([BATCH], ADD_REMOVE), ADDED, BATCH),
    ("statistics", "Gaussian, its curve"): statistics(moved(1, 0, 0.3), GDP(0.3)),
    ("statistics", "Gaussian, its point"): statistics(
        moved(1, 0, 0.3), ApproxDP(1.0, GDP(0.3).delta_at(1.0))
    ),
    ("statistics", "Laplace"): statistics(laplace, PureDP(1.0)),
    ("statistics", "one of 5 coordinates"): statistics(moved(5, 3, 0.5), GDP(0.5)),
    ("statistics", "one of 50 coordinates"): statistics(moved(50, 31, 0.5), GDP(0.5)),
    ("statistics", "an atom in a density"): statistics(atom, PureDP(1.0)),
    ("statistics", "whole numbers near 2^61"): statistics(geometric, PureDP(1.0)),
    ("statistics", "two numbers"): statistics(responding(lambda r: 1.0, lambda r: 0.0), PureDP(1.0)),
    ("statistics", "texts"): statistics(responding(lambda r: "yes", lambda r: "no"), PureDP(1.0)),
    ("statistics", "lengths"): statistics(responding(lambda r: [0.0] * 3, lambda r: [0.0] * 5), PureDP(1.0)),
    ("statistics", "keys of a dict"): statistics(
        responding(lambda r: {"a": r.normal()}, lambda r: {"b": r.normal()}), PureDP(1.0)
    ),
    ("statistics", "order of a dict"): statistics(
        responding(lambda r: {"a": 1, "b": 2}, lambda r: {"b": 2, "a": 1}), PureDP(1.0)
    ),
    ("statistics", "NaN among numbers"): statistics(
        responding(lambda r: r.normal(size=3), lambda r: np.append(r.normal(size=2), math.nan)), PureDP(1.0)
    ),
    ("statistics", "exceptions"): statistics(responding(lambda r: r.normal(), raising), PureDP(1.0)),
    ("statistics", "None"): statistics(responding(lambda r: None, lambda r: r.normal()), PureDP(1.0)),
    ("statistics", "a shuffled heap, at the local epsilon"): statistics(
        shuffled(lambda bit, rng: bool(bit) == (rng.random() < E / (1 + E))),
        PureDP(1.0),
        Neighbours.replace(np.zeros(3, dtype=bool), 0, True),
        200,
    ),
    ("statistics", "bits of two whole numbers"): statistics(bits, PureDP(1.0), runs=2000),
    ("statistics", "an equation in some runs"): statistics(equation, PureDP(1.0), runs=2000),
    ("statistics", "a rare value, in 20,000 runs"): statistics(rare, PureDP(1.0), runs=20_000),
    ("one training", "250 canaries in gradients"): one_training,
    ("lower bound", "above the true epsilon of Laplace noise"): too_high,
}


def read() -> dict[tuple[str, str], tuple[int, int]]:
    """The alarms and audits of each case so far."""
    if not KEPT.exists():
        return {}
    with open(KEPT, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(row["rung"], row["output"]): (int(row["alarms"]), int(row["audits"])) for row in rows}


def write(counts: dict[tuple[str, str], tuple[int, int]]) -> None:
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with open(KEPT, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["rung", "output", "alarms", "audits"])
        writer.writerows([*case, *counts[case]] for case in CASES if case in counts)


def main(seconds: float = 60.0, together: int = 2) -> None:
    """Go round the cases, some audits of each, until the time is over."""
    started, counts = time.monotonic(), read()
    while time.monotonic() - started < seconds:
        for case, alarm in CASES.items():
            alarms, audits = counts.get(case, (0, 0))
            alarms += sum(alarm(seed) for seed in range(audits, audits + together))
            counts[case] = (alarms, audits + together)
            if time.monotonic() - started > seconds:
                break
        write(counts)
    for (rung, output), (alarms, audits) in counts.items():
        print(f"{rung:13} {output:42} {alarms:4} of {audits}")
    total = [sum(column) for column in zip(*counts.values())]
    print(f"{total[0]} false alarms in {total[1]} audits at alpha = {ALPHA}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
