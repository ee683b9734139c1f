"""Several algorithms side by side: the same problem, the same guarantee, F(x) - F* at the output.

The mean is shown with its standard error, which is no confidence statement; who wins is decided by medians,
whose intervals are exact for any law: between two order statistics, by the binomial distribution, all of them
together at 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.problems import Problem

Array = np.ndarray[Any, Any]

ALPHA = 0.05  # that any of the intervals of the medians misses


def median_interval(values: Array, alpha: float) -> tuple[float, float]:
    """An interval that covers the median of the law of independent draws with probability at least 1 - alpha.

    >>> low, high = median_interval(np.arange(1001.0), 0.05)
    >>> (low, high)
    (469.0, 531.0)
    """
    from scipy.stats import binom

    ordered = np.sort(values)
    rank = int(binom.ppf(alpha / 2, len(ordered), 0.5))
    if rank < 1:
        return float("-inf"), float("inf")
    return float(ordered[rank - 1]), float(ordered[len(ordered) - rank])


def compare(
    names: Sequence[str],
    case: tuple[Problem, Data],
    target: Guarantee,
    adjacency: Adjacency = REPLACE,
    *,
    runs: int = 2000,
    seed: int = 0,
    workers: int = 1,
    progress: bool = False,
    **settings: Any,
) -> list[dict[str, Any]]:
    """One row for each algorithm, the smallest median first; settings that an algorithm does not have are
    left out for it.

    >>> from dpverify.guarantees import ApproxDP
    >>> from dpverify.parts.cases import baseline_case
    >>> rows = compare(["private-gd", "diff2-gd"], baseline_case(), ApproxDP(2.0, 1e-5), runs=200)
    >>> [row["algorithm"] for row in rows], rows[0]["certified"]
    (['private-gd', 'diff2-gd'], True)
    """
    from dpverify.accounting import meets
    from dpverify.algorithms import example, settings_of
    from dpverify.montecarlo import run

    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"Expected at least two different algorithms, got {', '.join(names) or 'none'}.")
    if runs < 2:
        raise ValueError(f"Expected runs={runs} >= 2: one run has no spread.")
    unused = [key for key in settings if not any(key in settings_of(name) for name in names)]
    if unused:
        raise ValueError(
            f"Expected settings that one of {', '.join(names)} has, got {unused[0]}={settings[unused[0]]!r}."
        )
    problem, data = case
    loaded = problem.load(data)
    rows: list[dict[str, Any]] = []
    for name in names:
        given = {key: value for key, value in settings.items() if key in settings_of(name)}
        try:
            made = example(name, case=case, target=target, adjacency=adjacency, **given)
        except ValueError as error:
            raise ValueError(f"{name} cannot be run here: {error}") from None
        result = run(
            made.algorithm,
            data,
            runs,
            seed,
            measure={"excess": lambda x: problem.excess(x, loaded)},
            keep=(),
            workers=workers,
            progress=progress,
        )
        low, high = median_interval(result.values["excess"], ALPHA / len(names))
        rows.append(
            {
                "algorithm": name,
                "steps": made.algorithm.steps,
                "runs": runs,
                "seed": seed,
                "mean": result.mean("excess"),
                "standard_error": result.standard_error("excess"),
                "median": float(np.median(result.values["excess"])),
                "median_interval": [low, high],
                "guarantee": str(target),
                "adjacency": str(adjacency),
                "certified": meets(made.algorithm.ledger(), adjacency, target),
                "left_out": [key for key in settings if key not in given],
            }
        )
    rows.sort(key=lambda row: row["median"])
    for row in rows:
        row["times_best"] = row["median"] / rows[0]["median"] if rows[0]["median"] > 0 else float("nan")
    return rows


def verdict(rows: Sequence[dict[str, Any]]) -> str:
    """Who wins, by how much, as far as the intervals of the medians tell.

    >>> a = {"algorithm": "a", "median_interval": [1.0, 2.0]}
    >>> verdict([a, {"algorithm": "b", "median_interval": [4.0, 6.0]}])
    'a wins: its median is at most 0.5 of that of b (95 %, all intervals together)'
    >>> b, c = ({"algorithm": name, "median_interval": [low, 9.0]} for name, low in (("b", 5.0), ("c", 4.0)))
    >>> verdict([a, b, c])
    'a wins: its median is at most 0.5 of that of any other (95 %, all intervals together)'
    >>> verdict([a, {"algorithm": "b", "median_interval": [1.5, 6.0]}])
    'a and b cannot be told apart with these runs (95 %, all intervals together)'
    """
    first, *others = rows
    most, least = first["median_interval"][1], min(row["median_interval"][0] for row in others)
    if most < least:
        other = others[0]["algorithm"] if len(others) == 1 else "any other"
        return (
            f"{first['algorithm']} wins: its median is at most {most / least:.3g} of that of {other} "
            "(95 %, all intervals together)"
        )
    tied = [first["algorithm"], *(r["algorithm"] for r in rows[1:] if r["median_interval"][0] <= most)]
    return f"{' and '.join(tied)} cannot be told apart with these runs (95 %, all intervals together)"
