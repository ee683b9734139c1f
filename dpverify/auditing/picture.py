"""A picture of an audit: the claimed trade-off curve, and what the learned score reaches on fresh runs with
its uncertainty.

The observed points carry simultaneous 95 % Clopper-Pearson boxes (Bonferroni over the points and the two
sides).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.exact import clopper_pearson
from dpverify.auditing.sampling import Budget, Mechanism, draw_pairs, name_of
from dpverify.auditing.sequential import Sequential, believed
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours


def observed_curve(
    mechanism: Mechanism, neighbours: Neighbours, claim: Guarantee, budget: Budget
) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts (x, y) above each threshold of the best score on the fresh half of the runs, the likeliest bins
    first, and their number.
    """
    test = Sequential(worst_pair(claim))
    fresh: list[tuple[np.ndarray, np.ndarray]] = []
    for a, b in draw_pairs(mechanism, neighbours, budget):
        if 2 * test.samples < budget.runs:
            test.feed(a, b)
        else:
            fresh.append((a, b))
    x, y = (np.concatenate([side[i][:, : test.width] for side in fresh]) for i in (0, 1))
    test.bettors[0].learn(test.counts, test.pair)
    of = test.bettors[0].of
    p, q = believed("smooth", *test.counts[of])
    order = np.argsort(-(p / q), kind="stable")
    edges, apply = test.edges[of], test.scores[of].apply
    bins = [
        np.bincount(np.searchsorted(edges, apply(side), side="left"), minlength=len(edges) + 1)
        for side in (x, y)
    ]
    return np.cumsum(bins[0][order])[:-1], np.cumsum(bins[1][order])[:-1], len(x)


def draw_curves(
    mechanism: Mechanism, neighbours: Neighbours, claim: Guarantee, budget: Budget, path: Path
) -> None:
    """Write the picture; the format follows the suffix (svg, pdf, png)."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    x, y, n = observed_curve(mechanism, neighbours, claim, replace(budget, runs=min(budget.runs, 50_000)))
    pair = worst_pair(claim)
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.plot(*(np.append(0, side) for side in pair.curve), label=f"claimed: {claim}")
    share = 0.05 / (4 * len(x))
    low = np.array([clopper_pearson(int(k), n, share)[0] for k in x])
    high = np.array([clopper_pearson(int(k), n, share)[1] for k in x])
    left = np.array([clopper_pearson(int(k), n, share)[0] for k in y])
    right = np.array([clopper_pearson(int(k), n, share)[1] for k in y])
    label = f"observed, {n} fresh runs a side, 95 %"
    boxes = np.array([y / n - left, right - y / n]), np.array([x / n - low, high - x / n])
    axes.errorbar(y / n, x / n, xerr=boxes[0], yerr=boxes[1], fmt=".", label=label)
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.5)
    axes.set(
        xlabel="probability on D'",
        ylabel="probability on D",
        title=name_of(mechanism),
        xlim=(0, 1),
        ylim=(0, 1),
    )
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(path, metadata={"Date": None} if Path(path).suffix == ".svg" else None)
    plt.close(figure)
