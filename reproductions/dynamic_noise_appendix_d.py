"""Appendix D of dynamic-noise again: Figure 3 for logistic loss on synthetic data, squared and logistic loss
on 8x8 digits (3 against 5).

    python reproductions/dynamic_noise_appendix_d.py FOLDER           appendix_d.png, figures on stdout;
    a few minutes
    python reproductions/dynamic_noise_appendix_d.py FOLDER --quick   fewer repeats, scales and choices of T;
    about a minute

Left: final loss against sigma_t, with the fit c_2 sigma_t^2 + c_0. Middle: influence against t per data
scale, from the Hessian (squared loss) or by retraining (logistic). Right: final loss of the dynamic and
exponential schedules relative to the uniform one, each at its best T, and T^2 Var(sqrt q_t). MNIST is not
shipped: the digits are those of scikit-learn (365 images; without it their rows are left out). The network of
the paper is not run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

from dpverify.formulas.dynamic_noise import PRINTED_R
from dpverify.schedules import Schedule
from dpverify.symbolic.dynamic_noise import runs as appendix

Array = np.ndarray[Any, Any]


class Size(NamedTuple):
    """How much is run."""

    longest: int
    repeats: int
    knots: int
    scales: tuple[float, ...]
    choices: list[int]
    grid: Array


FULL = Size(
    100, 100, 11, (3.0, 5.0, 10.0, 15.0, 20.0, 25.0), [5, 10, 20, 40, 60, 80, 100], np.linspace(20, 200, 10)
)
QUICK = Size(40, 40, 5, (5.0, 15.0, 25.0), [10, 20, 40], np.linspace(20, 200, 4))


class Row(NamedTuple):
    """One row of Figure 3."""

    name: str
    losses: dict[int, Array]  # t: (grid, repeats) final losses, at data scale 10
    influence: dict[float, Array]  # data scale: q by age, the newest noise first
    compared: dict[float, appendix.Compared]


def left(job: appendix.Task, size: Size, seed: int) -> dict[int, Array]:
    """Final losses with sigma_t on the grid at three t, the other sigmas uniform."""
    times = [max(1, size.longest // 10), 6 * size.longest // 10, 9 * size.longest // 10]
    found = {}
    for t in times:
        rows = []
        for sigma in size.grid:
            variances = np.full(size.longest, size.longest / PRINTED_R)
            variances[t - 1] = sigma**2
            rows.append(appendix.final_losses(job, Schedule(variances), size.longest, size.repeats, seed))
        found[t] = np.array(rows)
    return found


def row(
    name: str, features: Array, labels: Array, kind: str, size: Size, seed: int, progress: Progress
) -> Row:
    """All panels of one loss on one data set."""
    task = progress.add_task(name, total=1 + 2 * len(size.scales))
    losses = left(appendix.task(features, labels, kind, 10.0), size, seed)
    progress.advance(task)
    influence, compared = {}, {}
    for scale in size.scales:
        job = appendix.task(features, labels, kind, scale)
        influence[scale] = appendix.by_age(job, size.longest, size.repeats, seed, size.knots)
        progress.update(task, advance=1, description=f"{name}, data scale {scale:g}")
        compared[scale] = appendix.compared(job, influence[scale], size.choices, size.repeats, seed + 100)
        progress.advance(task)
    return Row(name, losses, influence, compared)


def variance(ages: Array, steps: int) -> float:
    """T^2 Var(sqrt q_t) of the influence over the last `steps` steps, the largest q being 1: the gain of
    Lemma 4.1.
    """
    return steps**2 * float(np.var(np.sqrt(ages[:steps] / ages[:steps].max())))


def draw(rows: list[Row], size: Size, file: Path) -> None:
    """Three panels per row."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(len(rows), 3, figsize=(15, 4.2 * len(rows)), squeeze=False)
    for (a, b, c), found in zip(panels, rows):
        for t, losses in found.losses.items():
            mean = losses.mean(axis=1)
            slope, base = np.polyfit(size.grid**2, mean, 1)
            (line,) = a.plot(size.grid, mean, "o", label=f"t = {t}")
            a.plot(size.grid, slope * size.grid**2 + base, color=line.get_color())
        a.set(title=f"{found.name}, data scale 10", xlabel="sigma_t", ylabel="final loss")
        a.legend()
        for scale, ages in found.influence.items():
            b.semilogy(np.arange(1, len(ages) + 1), ages[::-1], label=f"scale {scale:g}")
        b.set(title="influence q_t", xlabel="t")
        b.legend(fontsize=8)
        scales = list(found.compared)
        for name in ("uni", "dyn", "exp"):
            c.plot(scales, [found.compared[s].relative(name) for s in scales], "o-", label=name)
        c.set(title="final loss relative to uni", xlabel="data scale")
        c.legend()
        spread = c.twinx()
        spread.plot(
            scales,
            [variance(found.influence[s], found.compared[s].steps["dyn"]) for s in scales],
            "k--",
            linewidth=1,
        )
        spread.set_ylabel("T^2 Var(sqrt q_t) (dashed)")
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def report(found: Row, size: Size) -> None:
    """What the panels say, in figures."""
    print(f"\n{found.name}")
    for t, losses in found.losses.items():
        mean = losses.mean(axis=1)
        fit = np.polyval(np.polyfit(size.grid**2, mean, 1), size.grid**2)
        explained = 1 - np.sum((mean - fit) ** 2) / max(np.sum((mean - mean.mean()) ** 2), 1e-300)
        relative = float(np.mean(losses.var(axis=1) / mean))
        print(
            f"  t = {t:3}: c_2 sigma_t^2 + c_0 explains {explained:.3f} of the mean final loss; "
            f"its relative variance (variance/mean) is {relative:.3g}"
        )
    print(
        f"  {'scale':>6}{'T uni':>7}{'T dyn':>7}{'T exp':>7}{'dyn':>9}{'exp':>9}"
        f"{'q old/new':>12}{'T^2 Var':>10}{'wins':>7}"
    )
    for scale, each in found.compared.items():
        ages, steps = found.influence[scale], each.steps
        wins = float(np.mean(each.losses["dyn"] < each.losses["uni"]))
        counts = "".join(f"{steps[n]:7}" for n in ("uni", "dyn", "exp"))
        relative_losses = f"{each.relative('dyn'):+9.4f}{each.relative('exp'):+9.4f}"
        print(
            f"  {scale:6g}{counts}{relative_losses}{ages[-1] / ages[0]:12.3g}"
            f"{variance(ages, steps['dyn']):10.3g}{wins:7.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, scales and choices of T")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    size = QUICK if chosen.quick else FULL
    chosen.folder.mkdir(parents=True, exist_ok=True)
    tasks = [("synthetic, logistic", *appendix.blobs(1000, 100, chosen.seed), "logistic")]
    try:
        digits = appendix.digits()
        tasks += [
            ("digits 3 and 5, squared", *digits, "squares"),
            ("digits 3 and 5, logistic", *digits, "logistic"),
        ]
    except ModuleNotFoundError:
        print("scikit-learn is not installed (pip install scikit-learn): the rows on digits are left out")
    rows = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for name, features, labels, kind in tasks:
            rows.append(row(name, features, labels, kind, size, chosen.seed, progress))
    draw(rows, size, chosen.folder / "appendix_d.png")
    print(
        f"{size.repeats} repeats, T up to {size.longest}; dyn, exp: (loss - uniform)/uniform at "
        "the best T; wins: share of runs with dyn < uni"
    )
    for found in rows:
        report(found, size)


if __name__ == "__main__":
    main()
