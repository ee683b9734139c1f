"""How far the choices of T of dynamic-noise are from the best one, over kappa and alpha: ratio of their
bounds to the least, T = 0 included.

python reproductions/dynamic_noise_steps.py FOLDER           steps.png, and the worst and the median ratio of
each formula on stdout; seconds
python reproductions/dynamic_noise_steps.py FOLDER --quick   a coarser grid
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

from dpverify.formulas import dynamic_noise as paper

Array = np.ndarray[Any, Any]
Choice = tuple[str, Callable[..., Any], Callable[[float, float], float]]


def lambert(kappa: float, alpha: float) -> float:
    """The exact real minimiser of the uniform bound: w + e^w = c, w = l T, c = 1 + l/(alpha kappa)."""
    from scipy.optimize import brentq

    l = -float(np.log1p(-1 / kappa))
    c = 1 + l / (alpha * kappa)
    return float(brentq(lambda w: w + np.exp(w) - c, 0.0, np.log(c) + 1)) / l


CHOICES: list[Choice] = [
    ("uniform, Eq (4)", paper.uniform_erub, lambda k, a: float(paper.eq_4(k, a))),
    ("uniform, Eq (22)", paper.uniform_erub, lambda k, a: float(np.ceil(float(paper.eq_22(k, a))))),
    ("uniform, Eq (23)", paper.uniform_erub, lambda k, a: float(np.ceil(float(paper.eq_23(k, a))))),
    ("uniform, exact", paper.uniform_erub, lambda k, a: float(np.ceil(lambert(k, a)))),
    ("dynamic, Eq (7)", paper.dynamic_erub, lambda k, a: float(paper.eq_7(k, a))),
    ("dynamic, Eq (26)", paper.dynamic_erub, lambda k, a: float(np.ceil(float(paper.eq_26(1 - 1 / k, a))))),
]


def least(bound: Callable[..., Any], kappa: float, alpha: float) -> float:
    """The least bound over whole T: 1 at T = 0, or at a neighbour of the real minimiser."""
    real = lambert(kappa, alpha) if bound is paper.uniform_erub else float(paper.eq_26(1 - 1 / kappa, alpha))
    return min(
        1.0,
        *(float(bound(1 - 1 / kappa, alpha, T)) for T in {max(1.0, np.floor(real)), max(1.0, np.ceil(real))}),
    )


def ratios(kappas: Array, alphas: Array, progress: Progress) -> Array:
    """The bound at each choice over the least bound, one table per choice."""
    table = np.empty((len(CHOICES), len(alphas), len(kappas)))
    task = progress.add_task("bounds", total=len(alphas))
    for i, alpha in enumerate(alphas.tolist()):
        for j, kappa in enumerate(kappas.tolist()):
            for c, (_, bound, choose) in enumerate(CHOICES):
                table[c, i, j] = float(bound(1 - 1 / kappa, alpha, choose(kappa, alpha))) / least(
                    bound, kappa, alpha
                )
        progress.advance(task)
    return table


def draw(kappas: Array, alphas: Array, table: Array, file: Path) -> None:
    """One panel per choice: log10 of the ratio, with the lines alpha kappa = 1 and alpha kappa^2 = 1."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(13, 8), sharex=True, sharey=True, layout="constrained")
    for panel, (name, _, _), values in zip(panels.ravel(), CHOICES, table):
        shown = panel.pcolormesh(kappas, alphas, np.log10(values), vmin=0, vmax=2, cmap="viridis")
        panel.plot(kappas, 1 / kappas, "w--", linewidth=1)
        panel.plot(kappas, 1 / kappas**2, "w:", linewidth=1)
        panel.set(
            xscale="log",
            yscale="log",
            ylim=(alphas[0], alphas[-1]),
            title=f"{name}\nat most {values.max():.4g} times the least",
        )
    figure.supxlabel("kappa (dashed: alpha kappa = 1, dotted: alpha kappa^2 = 1)")
    figure.supylabel("alpha")
    figure.colorbar(shown, ax=panels, label="log10 of the bound over the least bound")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="a coarser grid")
    chosen = parser.parse_args()
    size = 15 if chosen.quick else 60
    kappas, alphas = np.geomspace(1.1, 1e4, size), np.geomspace(1e-6, 1.0, size)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        table = ratios(kappas, alphas, progress)
    draw(kappas, alphas, table, chosen.folder / "steps.png")
    inside = np.outer(alphas, kappas**2) <= 1
    print(
        "bound at the chosen T over the least bound, kappa in [1.1, 1e4], alpha in [1e-6, 1], "
        f"{size} by {size}"
    )
    print(f"{'':18}{'median':>10}{'worst':>10}{'worst, alpha kappa^2 <= 1':>28}")
    for (name, _, _), values in zip(CHOICES, table):
        print(f"{name:18}{np.median(values):10.4g}{values.max():10.4g}{values[inside].max():28.4g}")


if __name__ == "__main__":
    main()
