"""How hard to try: two profiles, quick and full, passed to whatever searches, proves or samples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Limits of a check; the same limits and the same seed give the same verdict.

    `points` scanned by a search, `boxes` of an interval proof, `solver_work` per question to a solver (in
    thousands of its own steps, of which it makes about 6,000 a second), `tactic_seconds` of processor time
    per attempt of a tactic, `runs` of a Monte Carlo test. With `search`, proofs that are kept beside the
    claims are not looked at: each is searched for again.

    >>> QUICK.points < FULL.points
    True
    """

    name: str
    points: int
    boxes: int
    solver_work: int
    runs: int
    tactic_seconds: float = 8.0
    replays: int = 12
    seed: int = 0
    search: bool = False


QUICK = Effort("quick", points=2_000, boxes=4_000, solver_work=10_000, runs=2_000)
FULL = Effort(
    "full",
    points=20_000,
    boxes=60_000,
    solver_work=80_000,
    runs=20_000,
    tactic_seconds=40.0,
    replays=40,
    search=True,
)
PROFILES = {effort.name: effort for effort in (QUICK, FULL)}
