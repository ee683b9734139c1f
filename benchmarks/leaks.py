"""After how many runs every leak of tests/calibration is found; the medians are kept, and a later call says
what is found later.

    python benchmarks/leaks.py [seeds] [part of a name ...]

Each leak is audited by its outputs alone, with at most 100,000 runs a side at alpha = 0.001, in so many seeds
(5 unless said otherwise). A leak that is missed counts with ten times that. The medians are in
docs/pictures/leaks.csv; if one is found later by more than half, or missed in most seeds, that is said and
the exit code is 1.
"""

from __future__ import annotations

import csv
import importlib.util
import inspect
import statistics
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dpverify import Budget, Neighbours
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import Guarantee
from dpverify.verdicts import REFUTED

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "pictures" / "leaks.csv"
PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
RUNS, MISSED = 100_000, 1_000_000
LATER = 1.5  # times as many runs as are kept, which is too late
OF_THE_SECRET = ("leaks", "attack", "outsider")  # attacks whose mechanisms take the sum of the records
Case = tuple[Callable[..., Any], Neighbours, Guarantee]


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def leaks() -> dict[str, Case]:
    """Every leak with its pair and its claim, by the attack it belongs to and its name."""
    known: dict[str, Case] = {}
    for path in sorted((ROOT / "tests" / "calibration").glob("test_*.py")):
        module = loaded(path)
        attack = path.stem.removeprefix("test_")
        for name, (leak, *rest) in {**getattr(module, "LEAKS", {}), **getattr(module, "ATTACKS", {})}.items():
            if hasattr(leak, "mechanism"):
                known[f"{attack}: {name}"] = (leak.mechanism, leak.pair, leak.claim)
            else:
                mechanism = of_the_secret(leak) if attack in OF_THE_SECRET else leak
                known[f"{attack}: {name}"] = (mechanism, PAIR, rest[-1])
    return known


def of_the_secret(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism of data, made of one that takes the sum of its records."""
    if len(inspect.signature(mechanism).parameters) == 3:
        return lambda data, rng, runs: mechanism(float(data.sum()), rng, runs)
    return lambda data, rng: mechanism(float(data.sum()), rng)


def needed(name: str, seeds: int) -> list[int]:
    """Runs a side until that leak is refuted, in each seed."""
    mechanism, pair, claim = leaks()[name]
    audits = [Audit(mechanism, pair, claim, Budget(runs=RUNS, seed=seed)) for seed in range(seeds)]
    results = [statistical_audit(audit) for audit in audits]
    return [result.evidence.samples if result.verdict is REFUTED else MISSED for result in results]


def kept() -> dict[str, int]:
    """The median of each leak when it was last kept."""
    if not KEPT.exists():
        return {}
    with open(KEPT, newline="", encoding="utf-8") as file:
        return {row["leak"]: int(row["runs"]) for row in csv.DictReader(file)}


def main(*arguments: str) -> int:
    seeds = next((int(word) for word in arguments if word.isdigit()), 5)
    parts = [word for word in arguments if not word.isdigit()]
    names = [name for name in leaks() if not parts or any(part in name for part in parts)]
    before, now = kept(), {}
    for name in names:
        runs = needed(name, seeds)
        now[name] = int(statistics.median(runs))
        ratio = now[name] / before.get(name, now[name])
        print(f"{name:60} {now[name]:8} {ratio:6.2f}{' later' * (ratio > LATER)}  {runs}", flush=True)
    with open(KEPT, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["leak", "runs"])
        writer.writerows({**before, **now}.items())
    later = [name for name, runs in now.items() if runs > LATER * before.get(name, runs)]
    missed = [name for name, runs in now.items() if runs == MISSED]
    print(f"{len(now)} leaks: {len(missed)} missed in most seeds {missed}, {len(later)} found later {later}")
    return 1 if later or missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
